//! `NumericEquals` and its kin: integers and decimals, compared exactly whatever their length.

use std::cmp::Ordering;

use super::Order;

/// The values of a numeric condition; those that are no number are left out, since they equal nothing.
#[derive(Debug, Clone)]
pub(in crate::iam) struct Numbers {
    order: Order,
    values: Box<[Box<str>]>,
}

/// A decimal number, taken apart.
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
}

impl Numbers {
    pub(super) fn new<'a>(order: Order, values: impl Iterator<Item = &'a str>) -> Self {
        Self {
            order,
            values: values
                .filter(|value| Decimal::parse(value).is_some())
                .map(Into::into)
                .collect(),
        }
    }

    pub(super) fn match_one(&self, value: &str) -> bool {
        let Some(found) = Decimal::parse(value) else {
            return false;
        };
        self.values
            .iter()
            .filter_map(|wanted| Decimal::parse(wanted))
            .any(|wanted| self.order.holds(found.compare(&wanted)))
    }
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let has_point = digits.contains('.');
        let digits_only = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
        if whole.is_empty() || (has_point && fraction.is_empty()) {
            return None;
        }
        if !digits_only(whole) || !digits_only(fraction) {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let zero = whole.is_empty() && fraction.is_empty();
        Some(Self {
            negative: negative && !zero,
            whole,
            fraction,
        })
    }

    fn compare(&self, other: &Self) -> Ordering {
        let size = |a: &Self, b: &Self| {
            a.whole
                .len()
                .cmp(&b.whole.len())
                .then_with(|| a.whole.cmp(b.whole))
                .then_with(|| a.fraction.cmp(b.fraction))
        };
        match (self.negative, other.negative) {
            (false, false) => size(self, other),
            (true, true) => size(other, self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

/// Whether `text` is a number.
pub(super) fn is_number(text: &str) -> bool {
    Decimal::parse(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(order: Order, value: &str, wanted: &str) -> bool {
        Numbers::new(order, [wanted].into_iter()).match_one(value)
    }

    #[test]
    fn numbers_are_compared_by_value_and_without_rounding() {
        assert!(holds(Order::Equal, "010", "10") && holds(Order::Equal, "-0", "0.0"));
        assert!(holds(Order::Less, "9007199254740992", "9007199254740993"));
        assert!(holds(Order::Less, "-2.5", "-2.25") && holds(Order::Greater, "1.5", "1.25"));
        assert!(!holds(Order::Less, "10", "9") && holds(Order::GreaterOrEqual, "1.50", "1.5"));
    }

    #[test]
    fn what_is_no_number_equals_nothing() {
        for odd in ["", "-", "1.", ".5", "1e3", "0x1", " 1", "${a:b}", "1.2.3"] {
            assert!(!holds(Order::LessOrEqual, odd, "5") && !holds(Order::Equal, "5", odd));
        }
    }
}
