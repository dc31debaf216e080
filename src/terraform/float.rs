//! Binary floats, as Terraform computes with them (zclconf/go-cty, `cty.Number`: Go's `big.Float`, rounded to the
//! nearest, half to even).

use num_bigint::{BigInt, BigUint, Sign};

/// The most bits that a number has.
pub(super) const LONGEST: u64 = 512;

/// `mantissa` · 2^`exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Float {
    pub(super) mantissa: BigInt,
    pub(super) exponent: i64,
    /// To how many bits results are rounded.
    pub(super) precision: u64,
}

impl Float {
    /// The float that is nearest to `dividend` / `divisor` · 2^`exponent`; the divisor is not zero.
    pub(super) fn quotient(
        dividend: &BigUint,
        divisor: &BigUint,
        exponent: i64,
        precision: u64,
    ) -> Self {
        // Two bits more than are kept, and one for whatever is left.
        let shift = (precision + 2 + divisor.bits()).saturating_sub(dividend.bits());
        let raised = dividend << shift;
        let quotient = &raised / divisor;
        let left = &raised - &quotient * divisor != BigUint::ZERO;
        let sticky = (quotient << 1_u32) + u32::from(left);
        let exponent = exponent.saturating_sub_unsigned(shift).saturating_sub(1);
        Self::rounded(BigInt::from(sticky), exponent, precision)
    }

    /// The mantissa without zeros at its end, so that equal floats are equal.
    pub(super) fn rounded(mantissa: BigInt, exponent: i64, precision: u64) -> Self {
        let (sign, magnitude) = mantissa.into_parts();
        let drop = magnitude.bits().saturating_sub(precision);
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
            precision,
        }
    }

    pub(super) fn negated(&self) -> Self {
        Self {
            mantissa: -&self.mantissa,
            ..self.clone()
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let raised = |float: &Self| &float.mantissa << float.exponent.abs_diff(exponent);
        let precision = self.precision.max(other.precision);
        Self::rounded(raised(self) + raised(other), exponent, precision)
    }

    /// The product, of so many bits as it needs beside those of its operands (zclconf/go-cty, `Value.Multiply`).
    pub(super) fn times(&self, other: &Self) -> Self {
        let exponent = self.exponent.saturating_add(other.exponent);
        let mut product = Self::rounded(&self.mantissa * &other.mantissa, exponent, LONGEST);
        let longer = self.precision.max(other.precision);
        product.precision = longer.max(product.mantissa.bits());
        product
    }

    /// `None` where the divisor is zero.
    pub(super) fn divided_by(&self, other: &Self) -> Option<Self> {
        let (dividend, divisor) = (self.mantissa.magnitude(), other.mantissa.magnitude());
        if *divisor == BigUint::ZERO {
            return None;
        }
        let exponent = self.exponent.saturating_sub(other.exponent);
        let precision = self.precision.max(other.precision);
        let float = Self::quotient(dividend, divisor, exponent, precision);
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
        let kept = BigInt::from_biguint(self.mantissa.sign(), kept);
        Self::rounded(kept, 0, self.precision)
    }
}
