//! Networks of an address condition, as ranges: what takes in what.

use std::net::IpAddr;

use crate::model::policy::Condition;

/// The addresses of a network: of one family, from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Network {
    v6: bool,
    first: u128,
    last: u128,
}

impl Network {
    /// An address, or a network as `203.0.113.0/24`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (base, bits) = match text.split_once('/') {
            Some((base, bits)) if bits.bytes().all(|byte| byte.is_ascii_digit()) => {
                (base, Some(bits.parse::<u32>().ok()?))
            }
            Some(_) => return None,
            None => (text, None),
        };
        let (v6, width, base) = match base.parse::<IpAddr>().ok()? {
            IpAddr::V4(address) => (false, 32, u128::from(u32::from(address))),
            IpAddr::V6(address) => (true, 128, u128::from(address)),
        };
        let open = width
            - bits
                .filter(|bits| *bits <= width)
                .or(bits.is_none().then_some(width))?;
        let hosts = 1_u128
            .checked_shl(open)
            .map_or(u128::MAX, |count| count - 1);
        let first = base & !hosts;
        Some(Self {
            v6,
            first,
            last: first | hosts,
        })
    }

    /// Whether some address is in both.
    pub(super) fn meets(self, other: Self) -> bool {
        self.v6 == other.v6 && self.first <= other.last && other.first <= self.last
    }

    /// Whether it lies wholly in `others` together, whatever their order.
    pub(super) fn lies_in(self, others: &[Self]) -> bool {
        let mut others: Vec<Self> = others
            .iter()
            .copied()
            .filter(|one| one.meets(self))
            .collect();
        others.sort_unstable();
        let mut next = self.first;
        for other in others {
            if other.first > next {
                return false;
            }
            if other.last >= self.last {
                return true;
            }
            next = next.max(other.last + 1);
        }
        false
    }
}

/// The networks of a condition; `None` where some value is none.
pub(super) fn of(condition: &Condition) -> Option<Vec<Network>> {
    let values = condition.values.iter();
    values
        .map(|value| Network::parse(value.text.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(texts: &[&str]) -> Vec<Network> {
        texts
            .iter()
            .filter_map(|text| Network::parse(text))
            .collect()
    }

    #[test]
    fn halves_make_the_whole() {
        let all = Network::parse("0.0.0.0/0").unwrap();
        assert!(all.lies_in(&networks(&["128.0.0.0/1", "0.0.0.0/1"])));
        assert!(!all.lies_in(&networks(&["128.0.0.0/1", "0.0.0.0/2"])));
        assert!(!all.lies_in(&networks(&["::/0"])));
        let all = Network::parse("::/0").unwrap();
        assert!(all.lies_in(&networks(&["8000::/1", "::/1"])));
        assert!(!all.lies_in(&[]));
    }

    #[test]
    fn what_is_no_network_is_none() {
        for text in [
            "203.0.113.0/33",
            "203.0.113.0/+8",
            "203.0.113.0/",
            "host",
            "2001:db8::/129",
        ] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
        assert_eq!(
            Network::parse("203.0.113.9/24"),
            Network::parse("203.0.113.0/24")
        );
    }
}
