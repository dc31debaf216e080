//! Terraform's numbers: binary floats, of 512 bits where they are written or read (zclconf/go-cty, `cty.Number`).
//!
//! What Go computes with floats of 64 bits, and the lengths of lists, have fewer; a result has as many as the longer of
//! its operands.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};

use super::decimal::Decimal;
use super::float::Float;

/// Bits of a number that is written down.
const PRECISION: u16 = 512;

/// Bits of a whole number that a function counts.
const OF_COUNTS: u16 = 64;

/// Bits of what is computed as a float of 64 bits.
const OF_DOUBLES: u16 = 53;

/// The largest exponent that is held: beyond it the digits of a number would take too much room.
const MAX_EXPONENT: i64 = 20_000;

/// A number: an odd mantissa, or zero, times a power of two.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    negative: bool,
    precision: u16,
    exponent: i32,
    mantissa: [u64; 8],
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.compare(*other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl Number {
    /// Whether it is written like a number: `12`, `-1.50`, `.5`, `1e3` (Go, `big.ParseFloat` in base 10).
    #[must_use]
    pub fn is_written(written: &str) -> bool {
        parts(written).is_some()
    }

    /// Reads a number; `None` when it is none, or one that is too large or too small to be held.
    #[must_use]
    pub fn parse(written: &str) -> Option<Self> {
        let (negative, whole, fraction, exponent) = parts(written)?;
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}");
        if digits.len() > 10_000 {
            return None;
        }
        let digits: BigUint = digits.parse().ok()?;
        let shift = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let shift = if digits == BigUint::ZERO { 0 } else { shift };
        if shift.abs() > MAX_EXPONENT / 4 {
            return None;
        }
        let power = BigUint::from(10_u32).pow(u32::try_from(shift.unsigned_abs()).unwrap_or(0));
        let precision = u64::from(PRECISION);
        let float = if shift >= 0 {
            Float::rounded(BigInt::from(digits * power), 0, precision)
        } else {
            Float::quotient(&digits, &power, 0, precision)
        };
        let number = Self::of(&float)?;
        Some(if negative { number.negated() } else { number })
    }

    /// The number of a float; `None` where it is too large or too small to be held.
    fn of(float: &Float) -> Option<Self> {
        if float.exponent.abs() > MAX_EXPONENT {
            return None;
        }
        let mut mantissa = [0; 8];
        let digits = float.mantissa.iter_u64_digits();
        if digits.len() > mantissa.len() {
            return None;
        }
        for (place, digit) in mantissa.iter_mut().zip(digits) {
            *place = digit;
        }
        Some(Self {
            negative: float.mantissa.sign() == Sign::Minus,
            precision: u16::try_from(float.precision).ok()?,
            exponent: i32::try_from(float.exponent).ok()?,
            mantissa,
        })
    }

    fn magnitude(self) -> BigUint {
        let halves = self.mantissa.iter().flat_map(|digit| {
            [
                u32::try_from(digit & 0xffff_ffff).unwrap_or_default(),
                u32::try_from(digit >> 32).unwrap_or_default(),
            ]
        });
        BigUint::new(halves.collect())
    }

    fn float(self) -> Float {
        let magnitude = self.magnitude();
        let sign = match (self.is_zero(), self.negative) {
            (true, _) => Sign::NoSign,
            (false, true) => Sign::Minus,
            (false, false) => Sign::Plus,
        };
        Float {
            mantissa: BigInt::from_biguint(sign, magnitude),
            exponent: i64::from(self.exponent),
            precision: u64::from(self.precision),
        }
    }

    /// The number with this many elements.
    #[must_use]
    pub fn from_length(length: usize) -> Self {
        Self::from_whole(i128::try_from(length).unwrap_or(i128::MAX))
    }

    /// The number with this value.
    #[must_use]
    pub fn from_whole(value: i128) -> Self {
        let magnitude = value.unsigned_abs();
        let zeros = if value == 0 {
            0
        } else {
            magnitude.trailing_zeros()
        };
        let kept = magnitude >> zeros;
        let mut mantissa = [0; 8];
        let halves = [kept & u128::from(u64::MAX), kept >> 64];
        for (place, half) in mantissa.iter_mut().zip(halves) {
            *place = u64::try_from(half).unwrap_or_default();
        }
        let bits = 128 - magnitude.leading_zeros();
        Self {
            negative: value < 0,
            precision: OF_COUNTS.max(u16::try_from(bits).unwrap_or(OF_COUNTS)),
            exponent: i32::try_from(zeros).unwrap_or_default(),
            mantissa,
        }
    }

    /// The whole number with this value; `None` where it is too large to be held.
    #[must_use]
    pub(super) fn from_integer(value: &BigInt) -> Option<Self> {
        let precision = value.bits().max(u64::from(OF_COUNTS));
        Self::of(&Float::rounded(value.clone(), 0, precision))
    }

    /// The float of 64 bits; `None` where it is no number.
    #[must_use]
    pub fn from_double(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.to_bits();
        let raised = i64::try_from(bits >> 52 & 0x7ff).ok()?;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = if raised == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << 52, raised - 1075)
        };
        let mantissa = BigInt::from(mantissa);
        let number = Self::of(&Float::rounded(mantissa, exponent, u64::from(OF_DOUBLES)))?;
        Some(if value.is_sign_negative() {
            number.negated()
        } else {
            number
        })
    }

    /// The float of 64 bits that is nearest.
    #[must_use]
    pub fn as_double(self) -> f64 {
        self.exact()
            .with_exponent(60)
            .parse::<f64>()
            .map_or(f64::NAN, |value| if self.negative { -value } else { value })
    }

    /// The number as an index or a count: whole and not negative.
    #[must_use]
    pub fn as_index(self) -> Option<usize> {
        self.as_whole()
            .and_then(|whole| usize::try_from(whole).ok())
    }

    /// The number as a whole number, where it is one, and not too large.
    #[must_use]
    pub fn as_whole(self) -> Option<i128> {
        let [low, high, rest @ ..] = self.mantissa;
        let up = u32::try_from(self.exponent).ok()?;
        if rest.iter().any(|digit| *digit != 0) {
            return None;
        }
        let magnitude = u128::from(high) << 64 | u128::from(low);
        let fits = magnitude == 0 || up <= magnitude.leading_zeros();
        let magnitude = if magnitude == 0 {
            0
        } else {
            magnitude.checked_shl(up)?
        };
        let magnitude = i128::try_from(magnitude).ok().filter(|_| fits)?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The number as a whole number, where it is one.
    #[must_use]
    pub(super) fn as_integer(self) -> Option<BigInt> {
        let float = self.float();
        let up = u64::try_from(float.exponent).ok()?;
        Some(float.mantissa << up)
    }

    /// The number without its sign.
    #[must_use]
    pub fn absolute(self) -> Option<Self> {
        Some(Self {
            negative: false,
            ..self
        })
    }

    /// The largest whole number that is not larger.
    #[must_use]
    pub fn floor(self) -> Option<Self> {
        if self.is_whole() {
            return Some(self);
        }
        let whole = Self::of(&self.float().truncated())?;
        if self.negative {
            whole.plus(Self::from_whole(-1))
        } else {
            Some(whole)
        }
    }

    /// The smallest whole number that is not smaller.
    #[must_use]
    pub fn ceil(self) -> Option<Self> {
        let floor = self.negated().floor()?;
        Some(if floor.is_zero() {
            floor.absolute()?
        } else {
            floor.negated()
        })
    }

    fn exact(self) -> Decimal {
        Decimal::exact(&self.magnitude(), i64::from(self.exponent))
    }

    /// The digits that Terraform shows.
    fn shortest(self) -> Decimal {
        let precision = u64::from(self.precision);
        Decimal::shortest(&self.magnitude(), i64::from(self.exponent), precision)
    }

    fn signed(self, written: &str) -> String {
        format!("{}{written}", if self.negative { "-" } else { "" })
    }

    /// The number with `places` digits behind the point.
    #[must_use]
    pub fn rounded(self, places: usize) -> String {
        self.signed(&self.exact().with_places(places))
    }

    /// The number as Go writes it with `%e`: `1.50e+03`.
    #[must_use]
    pub fn with_exponent(self, places: usize) -> String {
        self.signed(&self.exact().with_exponent(places))
    }

    /// The number as Go writes it with `%g`: the shorter of both forms.
    #[must_use]
    pub fn general(self, precision: Option<usize>) -> String {
        let digits = match precision {
            None => self.shortest(),
            Some(_) => self.exact(),
        };
        self.signed(&digits.general(precision))
    }

    /// Whether it has no fraction.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.exponent >= 0
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.mantissa.iter().all(|digit| *digit == 0)
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            negative: !self.negative,
            ..self
        }
    }

    /// Sum; `None` where it cannot be held.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        Self::of(&self.float().plus(&other.float()))
    }

    /// Product; `None` where it cannot be held.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        Self::of(&self.float().times(&other.float()))
    }

    /// Quotient; `None` where it cannot be held, or the divisor is zero.
    #[must_use]
    pub fn divided_by(self, other: Self) -> Option<Self> {
        Self::of(&self.float().divided_by(&other.float())?)
    }

    /// Remainder, with the sign of the dividend: what is left when the whole part of the quotient is taken away
    /// (zclconf/go-cty, `Value.Modulo`).
    #[must_use]
    pub fn remainder(self, other: Self) -> Option<Self> {
        let (a, b) = (self.float(), other.float());
        let whole = a.divided_by(&b)?.truncated();
        Self::of(&a.plus(&whole.times(&b).negated()))
    }

    /// Which of the two is larger.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        if let (Some(a), Some(b)) = (self.as_whole(), other.as_whole()) {
            return a.cmp(&b);
        }
        let (a, b) = (self.float(), other.float());
        let exponent = a.exponent.min(b.exponent);
        let raised = |float: &Float| &float.mantissa << float.exponent.abs_diff(exponent);
        raised(&a).cmp(&raised(&b))
    }
}

/// Sign, digits before and behind the point, and the exponent.
fn parts(written: &str) -> Option<(bool, &str, &str, i64)> {
    let (negative, rest) = match written.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, written.strip_prefix('+').unwrap_or(written)),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !is_decimal(digits) {
                return None;
            }
            let limit = if exponent.starts_with('-') {
                i64::MIN / 2
            } else {
                i64::MAX / 2
            };
            (mantissa, exponent.parse().unwrap_or(limit))
        }
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let any = !whole.is_empty() || !fraction.is_empty();
    (any && is_decimal(whole) && is_decimal(fraction))
        .then_some((negative, whole, fraction, exponent))
}

fn is_decimal(digits: &str) -> bool {
    digits.bytes().all(|digit| digit.is_ascii_digit())
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(whole) = self
            .as_whole()
            .filter(|whole| whole.unsigned_abs() < 1 << 52)
        {
            let sign = if self.negative { "-" } else { "" };
            return write!(f, "{sign}{}", whole.unsigned_abs());
        }
        f.write_str(&self.signed(&self.shortest().plain()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(written: &str) -> Number {
        Number::parse(written).unwrap()
    }

    #[test]
    fn numbers_are_shown_without_exponent_and_without_trailing_zeros() {
        for (written, shown) in [
            ("1e3", "1000"),
            ("2.50", "2.5"),
            ("1.0", "1"),
            ("1.", "1"),
            (".5", "0.5"),
            ("+5", "5"),
            ("0.05", "0.05"),
            ("12345678901234567890", "12345678901234567890"),
            ("1e-2", "0.01"),
            ("-5", "-5"),
            ("-0", "-0"),
            ("1e40", "10000000000000000000000000000000000000000"),
        ] {
            assert_eq!(number(written).to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_number_or_too_long_is_not_read() {
        for written in ["", "-", ".", "0x10", "1e", "1e+", "a", "1_0", "1 ", "--1"] {
            assert_eq!(Number::parse(written), None, "{written}");
            assert!(!Number::is_written(written), "{written}");
        }
        assert_eq!(Number::parse("1e999999999"), None);
        assert!(Number::is_written("1e999999999"));
        assert!(Number::parse("0e999999999").is_some());
    }

    /// Operator, operands, and what `terraform console` 1.11.4 shows.
    #[test]
    fn results_are_those_of_terraform() {
        let third = format!("0.{}5", "3".repeat(154));
        for (a, operator, b, shown) in [
            ("0.1", '+', "0.2", Some("0.3")),
            ("5.5", '%', "2", Some("1.5")),
            ("-5.5", '%', "2", Some("-1.5")),
            ("0.3", '%', "0.1", Some("0")),
            ("10", '/', "4", Some("2.5")),
            ("1", '/', "3", Some(third.as_str())),
            ("1", '/', "0", None),
            ("0.3", '/', "0.1", Some("3")),
            ("0.5", '+', "1.5", Some("2")),
            ("-5", '%', "3", Some("-2")),
        ] {
            let (left, right) = (number(a), number(b));
            let result = match operator {
                '+' => left.plus(right),
                '*' => left.times(right),
                '/' => left.divided_by(right),
                _ => left.remainder(right),
            };
            let result = result.map(|number| number.to_string());
            assert_eq!(result.as_deref(), shown, "{a} {operator} {b}");
        }
    }

    #[test]
    fn floats_of_64_bits_have_fewer_digits() {
        for (value, shown) in [
            (2_f64.sqrt(), "1.4142135623730951"),
            (-0.1, "-0.1"),
            (1e30, "1000000000000000000000000000000"),
        ] {
            assert_eq!(Number::from_double(value).unwrap().to_string(), shown);
        }
        assert!(Number::from_double(f64::INFINITY).is_none());
        assert!(number("0.3").as_double() > 0.299_999 && number("-2").as_double() < -1.9);
    }

    #[test]
    fn whole_numbers_come_and_go() {
        for value in [0, 1, -1, 96, i128::MAX, i128::MIN + 1] {
            assert_eq!(Number::from_whole(value).as_whole(), Some(value));
        }
        assert_eq!(number("1.5").as_whole(), None);
        assert_eq!(number("-1").as_index(), None);
        assert_eq!(number("-1.5").floor(), Some(number("-2")));
        assert_eq!(number("-1.5").ceil(), Some(number("-1")));
        assert_eq!(number("0.5").ceil(), Some(number("1")));
        assert_eq!(number("1.5").compare(number("1.25")), Ordering::Greater);
        assert_eq!(number("1e40").compare(number("-1e40")), Ordering::Greater);
    }
}
