//! The decimal digits of binary floats, rounded and written as Go does it (`math/big`, `decimal.go` and `ftoa.go`).

use num_bigint::BigUint;

/// 0.`digits` · 10^`point`, without zeros at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// All digits of `magnitude` · 2^`exponent`.
    pub(super) fn exact(magnitude: &BigUint, exponent: i64) -> Self {
        let (whole, scale) = if let Ok(up) = u64::try_from(exponent) {
            (magnitude << up, 0)
        } else {
            let down = exponent.unsigned_abs();
            let factor = BigUint::from(5_u32).pow(u32::try_from(down).unwrap_or(u32::MAX));
            (magnitude * factor, down)
        };
        if whole == BigUint::ZERO {
            return Self {
                digits: Vec::new(),
                point: 0,
            };
        }
        let digits = whole.to_str_radix(10).into_bytes();
        let mut decimal = Self {
            point: (digits.len() as i64).saturating_sub_unsigned(scale),
            digits,
        };
        decimal.trim();
        decimal
    }

    /// The fewest digits that are the same float of so many bits.
    pub(super) fn shortest(magnitude: &BigUint, exponent: i64, precision: u64) -> Self {
        let mut decimal = Self::exact(magnitude, exponent);
        let bits = magnitude.bits();
        if bits == 0 || decimal.digits.len() == 1 {
            return decimal;
        }
        // Half of the last bit on both sides.
        let shift = (precision + 1).saturating_sub(bits);
        let (mantissa, exponent) = (magnitude << shift, exponent.saturating_sub_unsigned(shift));
        let lower = Self::exact(&(&mantissa - 1_u32), exponent);
        let upper = Self::exact(&(&mantissa + 1_u32), exponent);
        let inclusive = !mantissa.bit(1);
        for at in 0..decimal.digits.len() {
            let (digit, low, high) = (decimal.at(at), lower.at(at), upper.at(at));
            let down = low != digit || inclusive && at + 1 == lower.digits.len();
            let up =
                digit != high && (inclusive || digit + 1 < high || at + 1 < upper.digits.len());
            match (down, up) {
                (true, true) => decimal.round(at + 1),
                (true, false) => decimal.round_down(at + 1),
                (false, true) => decimal.round_up(at + 1),
                (false, false) => continue,
            }
            break;
        }
        decimal
    }

    fn at(&self, index: usize) -> u8 {
        self.digits.get(index).copied().unwrap_or(b'0')
    }

    fn trim(&mut self) {
        let zeros = self.digits.iter().rev().take_while(|digit| **digit == b'0');
        let kept = self.digits.len() - zeros.count();
        self.digits.truncate(kept);
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    /// To so many digits, half to even.
    fn round(&mut self, kept: usize) {
        let Some((head, rest)) = self.digits.split_at_checked(kept) else {
            return;
        };
        let up = match rest {
            [] => return,
            [b'5'] => head.last().is_some_and(|digit| digit % 2 == 1),
            [first, ..] => *first >= b'5',
        };
        if up {
            self.round_up(kept);
        } else {
            self.round_down(kept);
        }
    }

    fn round_up(&mut self, kept: usize) {
        if kept >= self.digits.len() {
            return;
        }
        self.digits.truncate(kept);
        while self.digits.last() == Some(&b'9') {
            self.digits.pop();
        }
        match self.digits.last_mut() {
            Some(last) => *last += 1,
            None => {
                self.digits.push(b'1');
                self.point += 1;
            }
        }
    }

    fn round_down(&mut self, kept: usize) {
        self.digits.truncate(kept);
        self.trim();
    }

    /// With so many digits behind the point; half to even.
    pub(super) fn with_places(mut self, places: usize) -> String {
        let places_from_start = self.point.saturating_add(places as i64);
        match usize::try_from(places_from_start) {
            Ok(kept) => self.round(kept),
            Err(_) => self.round_down(0),
        }
        self.fixed(places)
    }

    /// With all digits, and no exponent.
    pub(super) fn plain(&self) -> String {
        let places = (self.digits.len() as i64).saturating_sub(self.point);
        self.fixed(usize::try_from(places).unwrap_or(0))
    }

    fn fixed(&self, places: usize) -> String {
        let before = usize::try_from(self.point).unwrap_or(0);
        let mut written: String = (0..before).map(|at| char::from(self.at(at))).collect();
        if before == 0 {
            written.push('0');
        }
        if places > 0 {
            written.push('.');
            written.extend((0..places as i64).map(|at| {
                let at = usize::try_from(self.point.saturating_add(at));
                at.map_or('0', |at| char::from(self.at(at)))
            }));
        }
        written
    }

    /// As `%e` with so many digits behind the point: `1.50e+03`.
    pub(super) fn with_exponent(mut self, places: usize) -> String {
        self.round(places.saturating_add(1));
        self.exponent_form(places)
    }

    fn exponent_form(&self, places: usize) -> String {
        let first = char::from(self.at(0));
        let rest: String = (1..=places).map(|at| char::from(self.at(at))).collect();
        let point = if places == 0 { "" } else { "." };
        let exponent = if self.digits.is_empty() {
            0
        } else {
            self.point - 1
        };
        let sign = if exponent < 0 { '-' } else { '+' };
        let exponent = exponent.unsigned_abs();
        format!("{first}{point}{rest}e{sign}{exponent:02}")
    }

    /// As `%g`: the shorter of both forms. Without a precision the digits are the shortest ones already.
    pub(super) fn general(mut self, precision: Option<usize>) -> String {
        let most = precision.map(|most| most.max(1));
        if let Some(most) = most {
            self.round(most);
        }
        let length = self.digits.len();
        let room = match most {
            None => 6,
            Some(most) if most > length && length as i64 >= self.point => length,
            Some(most) => most,
        };
        let exponent = self.point - 1;
        if !self.digits.is_empty() && (exponent < -4 || exponent >= room as i64) {
            return self.exponent_form(length.saturating_sub(1));
        }
        self.plain()
    }
}
