//! Binary floats of 512 bits, as Terraform computes with them (zclconf/go-cty, `cty.Number`: Go's `big.Float` of this
//! precision, rounded to the nearest, half to even).

use num_bigint::{BigInt, BigUint, Sign};

use super::number::Number;

/// Bits of the mantissa.
const PRECISION: u64 = 512;

/// Digits of the decimals that are held. Floats lie so close together that no two such decimals are one float.
const DIGITS: u32 = 38;

/// `mantissa` · 2^`exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Float {
    mantissa: BigInt,
    exponent: i64,
}

impl Float {
    /// The float that is nearest to the number.
    pub(super) fn of(number: Number) -> Self {
        let digits = BigUint::from(number.digits);
        let scale = BigUint::from(10_u32).pow(number.scale);
        let float = Self::quotient(&digits, &scale, 0);
        if number.negative {
            float.negated()
        } else {
            float
        }
    }

    /// The float that is nearest to `dividend` / `divisor` · 2^`exponent`; the divisor is not zero.
    fn quotient(dividend: &BigUint, divisor: &BigUint, exponent: i64) -> Self {
        // Two bits more than are kept, and one for whatever is left.
        let shift = (PRECISION + 2 + divisor.bits()).saturating_sub(dividend.bits());
        let raised = dividend << shift;
        let quotient = &raised / divisor;
        let left = &raised - &quotient * divisor != BigUint::ZERO;
        let sticky = (quotient << 1_u32) + u32::from(left);
        let exponent = exponent.saturating_sub_unsigned(shift).saturating_sub(1);
        Self::rounded(BigInt::from(sticky), exponent)
    }

    /// The mantissa without zeros at its end, so that equal floats are equal.
    fn rounded(mantissa: BigInt, exponent: i64) -> Self {
        let (sign, magnitude) = mantissa.into_parts();
        let drop = magnitude.bits().saturating_sub(PRECISION);
        let mut kept = &magnitude >> drop;
        if drop > 0 {
            let half = BigUint::from(1_u32) << (drop - 1);
            let rest = &magnitude - (&kept << drop);
            if rest > half || rest == half && kept.bit(0) {
                kept += 1_u32;
            }
        }
        let zeros = kept.trailing_zeros().unwrap_or(0);
        let exponent = if sign == Sign::NoSign {
            0
        } else {
            exponent.saturating_add_unsigned(drop + zeros)
        };
        Self {
            mantissa: BigInt::from_biguint(sign, kept >> zeros),
            exponent,
        }
    }

    pub(super) fn negated(&self) -> Self {
        Self {
            mantissa: -&self.mantissa,
            exponent: self.exponent,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let raised = |float: &Self| &float.mantissa << float.exponent.abs_diff(exponent);
        Self::rounded(raised(self) + raised(other), exponent)
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let exponent = self.exponent.saturating_add(other.exponent);
        Self::rounded(&self.mantissa * &other.mantissa, exponent)
    }

    /// `None` where the divisor is zero.
    pub(super) fn divided_by(&self, other: &Self) -> Option<Self> {
        let (dividend, divisor) = (self.mantissa.magnitude(), other.mantissa.magnitude());
        if *divisor == BigUint::ZERO {
            return None;
        }
        let exponent = self.exponent.saturating_sub(other.exponent);
        let float = Self::quotient(dividend, divisor, exponent);
        let negative = self.mantissa.sign() != other.mantissa.sign();
        Some(if negative { float.negated() } else { float })
    }

    /// Without what stands behind the point.
    pub(super) fn truncated(&self) -> Self {
        let exponent = self.exponent;
        if exponent >= 0 {
            return self.clone();
        }
        let kept = self.mantissa.magnitude() >> exponent.unsigned_abs();
        Self::rounded(BigInt::from_biguint(self.mantissa.sign(), kept), 0)
    }

    /// The decimal whose float this is, which is what Terraform shows of it; `None` where it has too many digits.
    pub(super) fn decimal(&self) -> Option<Number> {
        let magnitude = self.mantissa.magnitude();
        for scale in (0..=DIGITS).rev() {
            let raised = magnitude * BigUint::from(10_u32).pow(scale);
            let nearest = match u64::try_from(self.exponent) {
                Ok(up) => raised << up,
                Err(_) => half_up(&raised, self.exponent.unsigned_abs()),
            };
            if let Ok(digits) = u128::try_from(nearest)
                && digits < 10_u128.pow(DIGITS)
            {
                let negative = self.mantissa.sign() == Sign::Minus;
                let number = Number::new(negative, digits, scale);
                return (Self::of(number) == *self).then_some(number);
            }
        }
        None
    }
}

/// `number` / 2^`bits`, to the nearest whole number.
fn half_up(number: &BigUint, bits: u64) -> BigUint {
    let doubled = (number >> (bits - 1)) + 1_u32;
    doubled >> 1_u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operator, operands, and what `terraform console` 1.11.4 shows; `None` for what has more digits than are held.
    #[test]
    fn results_are_those_of_terraform() {
        let number = |written: &str| Number::parse(written).unwrap();
        for (a, operator, b, shown) in [
            ("0.1", '+', "0.2", Some("0.3")),
            ("5.5", '%', "2", Some("1.5")),
            ("-5.5", '%', "2", Some("-1.5")),
            ("0.3", '%', "0.1", Some("0")),
            ("5", '%', "0.3", None),
            ("1.1", '*', "3", None),
            ("0.1", '*', "0.1", None),
            ("10", '/', "4", Some("2.5")),
            ("1", '/', "3", None),
            ("1", '/', "0", None),
            ("0.3", '/', "0.1", Some("3")),
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
}
