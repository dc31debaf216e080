//! Terraform's numbers, as far as they are held exactly: a decimal of at most 38 digits.
//!
//! Terraform computes with 512-bit floats (zclconf/go-cty, `cty.Number`); what cannot be held exactly here is not known,
//! never rounded.

use std::cmp::Ordering;
use std::fmt;

use super::float::Float;

/// A decimal number: `digits` / 10^`scale`, without trailing zeros behind the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    pub(super) negative: bool,
    pub(super) digits: u128,
    pub(super) scale: u32,
}

impl Number {
    /// Reads `12`, `-1.50`, `1e3`; `None` when it is no number or cannot be held exactly.
    #[must_use]
    pub fn parse(written: &str) -> Option<Self> {
        let (negative, rest) = match written.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, written),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let ends_in_point = mantissa.ends_with('.');
        if whole.is_empty() || ends_in_point || !is_decimal(whole) || !is_decimal(fraction) {
            return None;
        }
        let digits = format!("{whole}{}", fraction.trim_end_matches('0'));
        let fraction_length = i32::try_from(fraction.trim_end_matches('0').len()).ok()?;
        let digits: u128 = digits.parse().ok()?;
        let shift = exponent.checked_sub(fraction_length)?;
        if shift >= 0 {
            let factor = 10_u128.checked_pow(shift.unsigned_abs())?;
            return Some(Self::new(negative, digits.checked_mul(factor)?, 0));
        }
        (shift > -39).then(|| Self::new(negative, digits, shift.unsigned_abs()))
    }

    pub(super) fn new(negative: bool, mut digits: u128, mut scale: u32) -> Self {
        while scale > 0 && digits.is_multiple_of(10) {
            digits /= 10;
            scale -= 1;
        }
        Self {
            negative,
            digits,
            scale,
        }
    }

    /// The number with this many elements.
    #[must_use]
    pub fn from_length(length: usize) -> Self {
        Self::new(false, length as u128, 0)
    }

    /// The number as an index or a count: whole and not negative.
    #[must_use]
    pub fn as_index(self) -> Option<usize> {
        let whole = self.scale == 0 && (!self.negative || self.digits == 0);
        whole.then(|| usize::try_from(self.digits).ok())?
    }

    /// The number with this value.
    #[must_use]
    pub fn from_whole(value: i128) -> Self {
        Self::of_signed(value, 0)
    }

    /// The number as a whole number, where it is one.
    #[must_use]
    pub fn as_whole(self) -> Option<i128> {
        let digits = i128::try_from(self.digits)
            .ok()
            .filter(|_| self.scale == 0)?;
        Some(if self.negative { -digits } else { digits })
    }

    /// The number without its sign.
    #[must_use]
    pub fn absolute(self) -> Option<Self> {
        Some(Self::new(false, self.digits, self.scale))
    }

    /// The largest whole number that is not larger.
    #[must_use]
    pub fn floor(self) -> Option<Self> {
        let (digits, one, _) = self.aligned(Self::new(false, 1, 0))?;
        Some(Self::from_whole(digits.div_euclid(one)))
    }

    /// The smallest whole number that is not smaller.
    #[must_use]
    pub fn ceil(self) -> Option<Self> {
        let (digits, one, _) = self.aligned(Self::new(false, 1, 0))?;
        Some(Self::from_whole(-(-digits).div_euclid(one)))
    }

    /// The number with `places` digits behind the point; half of a unit goes to the even neighbour. Only for numbers
    /// that a binary float holds, or that are no half of a unit.
    #[must_use]
    pub fn rounded(self, places: u32) -> Option<String> {
        let unit = 10_u128.checked_pow(self.scale.saturating_sub(places))?;
        let (whole, rest) = (self.digits / unit, self.digits % unit);
        let up = match (rest.checked_mul(2)?).cmp(&unit) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal if !self.is_dyadic() => return None,
            Ordering::Equal => unit > 1 && !whole.is_multiple_of(2),
        };
        let digits = whole.checked_add(u128::from(up))?;
        let padding = places.saturating_sub(self.scale) as usize;
        let written = format!("{digits}{}", "0".repeat(padding));
        let width = places as usize + 1;
        let written = format!("{written:0>width$}");
        let (before, behind) = written.split_at_checked(written.len() - places as usize)?;
        let sign = if self.negative { "-" } else { "" };
        let point = if places == 0 { "" } else { "." };
        Some(format!("{sign}{before}{point}{behind}"))
    }

    /// Its digits without the zeros at their end, and how many of them stand before the point: `("15", -1)` is 0.015.
    fn decimal(self) -> (String, i64) {
        let digits = self.digits.to_string();
        let before = digits.len() as i64 - i64::from(self.scale);
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return (String::new(), 0);
        }
        (kept.to_owned(), before)
    }

    /// The same, with at most so many digits; `None` where it lies in the middle of two, and a binary float does not.
    fn decimal_of(self, most: usize) -> Option<(String, i64)> {
        let (digits, before) = self.decimal();
        let Some((kept, rest)) = digits
            .split_at_checked(most)
            .filter(|(_, rest)| !rest.is_empty())
        else {
            return Some((digits, before));
        };
        let up = match rest.cmp("5") {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal if !self.is_dyadic() => return None,
            Ordering::Equal => kept.ends_with(['1', '3', '5', '7', '9']),
        };
        let number: u128 = if kept.is_empty() {
            0
        } else {
            kept.parse().ok()?
        };
        let written = (number + u128::from(up)).to_string();
        let longer = written.len() as i64 - most as i64;
        let kept = written.trim_end_matches('0').to_owned();
        let before = if kept.is_empty() { 0 } else { before + longer };
        Some((kept, before))
    }

    /// The number as Go writes it with `%e`: `1.50e+03`.
    #[must_use]
    pub fn with_exponent(self, places: usize) -> Option<String> {
        let (digits, before) = self.decimal_of(places.checked_add(1)?)?;
        Some(self.exponent_form(&digits, before, places))
    }

    fn exponent_form(self, digits: &str, before: i64, places: usize) -> String {
        let padded = format!("{digits:0<width$}", width = places + 1);
        let (first, rest) = padded.split_at_checked(1).unwrap_or((&padded, ""));
        let point = if rest.is_empty() { "" } else { "." };
        let exponent = if digits.is_empty() { 0 } else { before - 1 };
        let sign = if self.negative { "-" } else { "" };
        let of_exponent = if exponent < 0 { '-' } else { '+' };
        let exponent = exponent.unsigned_abs();
        format!("{sign}{first}{point}{rest}e{of_exponent}{exponent:02}")
    }

    /// The number as Go writes it with `%g`: the shorter of both forms (`math/big`, `ftoa.go`).
    #[must_use]
    pub fn general(self, precision: Option<usize>) -> Option<String> {
        let (digits, before) = match precision {
            None => self.decimal(),
            Some(most) => self.decimal_of(most.max(1))?,
        };
        let length = digits.len() as i64;
        let room = match precision.map(|most| most.max(1) as i64) {
            None => 6,
            Some(most) if most > length && length >= before => length,
            Some(most) => most,
        };
        let exponent = before - 1;
        if exponent < -4 || exponent >= room {
            return Some(self.exponent_form(&digits, before, digits.len().saturating_sub(1)));
        }
        let sign = if self.negative { "-" } else { "" };
        let all = format!(
            "{}{digits}",
            "0".repeat(usize::try_from(1 - before).unwrap_or(0))
        );
        let whole = usize::try_from(before.max(1)).ok()?;
        let all = format!("{all:0<whole$}");
        let (whole, rest) = all.split_at_checked(whole)?;
        let point = if rest.is_empty() { "" } else { "." };
        Some(format!("{sign}{whole}{point}{rest}"))
    }

    /// Whether it has no fraction.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.scale == 0
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            negative: !self.negative,
            ..self
        }
    }

    /// Digits of both at one scale, with their signs.
    fn aligned(self, other: Self) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let signed = |number: Self| {
            let factor = 10_u128.checked_pow(scale - number.scale)?;
            let digits = i128::try_from(number.digits.checked_mul(factor)?).ok()?;
            Some(if number.negative { -digits } else { digits })
        };
        Some((signed(self)?, signed(other)?, scale))
    }

    fn of_signed(digits: i128, scale: u32) -> Self {
        Self::new(digits < 0, digits.unsigned_abs(), scale)
    }

    /// Whether a binary float holds it exactly: its fraction is made of halves.
    fn is_dyadic(self) -> bool {
        5_u128
            .checked_pow(self.scale)
            .is_some_and(|factor| self.digits.is_multiple_of(factor))
    }

    /// Sum, where a decimal holds it.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        if !self.is_dyadic() || !other.is_dyadic() {
            return Float::of(self).plus(&Float::of(other)).decimal();
        }
        let (a, b, scale) = self.aligned(other)?;
        Some(Self::of_signed(a.checked_add(b)?, scale))
    }

    /// Product, where a decimal holds it.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        if !self.is_dyadic() || !other.is_dyadic() {
            return Float::of(self).times(&Float::of(other)).decimal();
        }
        let digits = self.digits.checked_mul(other.digits)?;
        let negative = self.negative != other.negative;
        Some(Self::new(negative, digits, self.scale + other.scale))
    }

    /// Quotient, where a decimal holds it.
    #[must_use]
    pub fn divided_by(self, other: Self) -> Option<Self> {
        let whole = self.scale == 0 && other.scale == 0 && other.digits != 0;
        if !whole {
            return Float::of(self).divided_by(&Float::of(other))?.decimal();
        }
        let negative = self.negative != other.negative;
        for scale in 0..19 {
            let dividend = self.digits.checked_mul(10_u128.pow(scale))?;
            if dividend.is_multiple_of(other.digits) {
                return Some(Self::new(negative, dividend / other.digits, scale));
            }
        }
        None
    }

    /// Remainder, with the sign of the dividend, where a decimal holds it: what is left when the whole part of the quotient
    /// is taken away (zclconf/go-cty, `Value.Modulo`).
    #[must_use]
    pub fn remainder(self, other: Self) -> Option<Self> {
        if self.scale == 0 && other.scale == 0 && other.digits != 0 {
            return Some(Self::new(self.negative, self.digits % other.digits, 0));
        }
        let (a, b) = (Float::of(self), Float::of(other));
        let whole = a.divided_by(&b)?.truncated();
        a.plus(&whole.times(&b).negated()).decimal()
    }

    /// Which of the two is larger, where both can be held at one scale.
    #[must_use]
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let (a, b, _) = self.aligned(other)?;
        Some(a.cmp(&b))
    }
}

fn is_decimal(digits: &str) -> bool {
    digits.bytes().all(|digit| digit.is_ascii_digit())
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let scale = self.scale as usize;
        let digits = format!("{:0width$}", self.digits, width = scale + 1);
        let (whole, fraction) = digits
            .split_at_checked(digits.len() - scale)
            .unwrap_or((&digits, ""));
        if fraction.is_empty() {
            write!(f, "{sign}{whole}")
        } else {
            write!(f, "{sign}{whole}.{fraction}")
        }
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
            ("0.05", "0.05"),
            ("12345678901234567890", "12345678901234567890"),
            ("1e-2", "0.01"),
            ("-5", "-5"),
            ("-0", "-0"),
        ] {
            assert_eq!(number(written).to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_number_or_too_long_is_not_read() {
        for written in ["", "-", ".5", "1.", "0x10", "1e", "1e99", "a", "1_0"] {
            assert_eq!(Number::parse(written), None, "{written}");
        }
    }

    #[test]
    fn arithmetic_is_exact_or_absent() {
        assert_eq!(number("0.5").plus(number("1.5")).unwrap().to_string(), "2");
        assert_eq!(
            number("-5").remainder(number("3")).unwrap().to_string(),
            "-2"
        );
        assert_eq!(
            number("1").divided_by(number("4")).unwrap().to_string(),
            "0.25"
        );
        assert_eq!(
            number("1.1").times(number("3")),
            None,
            "binary floats do not hold 1.1"
        );
        assert_eq!(number("1").divided_by(number("3")), None);
        assert_eq!(number("1").divided_by(number("0")), None);
        assert_eq!(
            number("1.5").compare(number("1.25")),
            Some(Ordering::Greater)
        );
    }
}
