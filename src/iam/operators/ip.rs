//! `IpAddress` and `NotIpAddress`: addresses in networks; IPv4 and IPv6 never match each other.

use std::net::IpAddr;

/// The values of an address condition; those that are no network are left out.
#[derive(Debug, Clone)]
pub(in crate::iam) struct Networks {
    networks: Box<[Network]>,
}

#[derive(Debug, Clone, Copy)]
struct Network {
    base: IpAddr,
    prefix: u32,
}

impl Networks {
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        Self {
            networks: values.filter_map(Network::parse).collect(),
        }
    }

    pub(super) fn match_one(&self, value: &str) -> bool {
        let Ok(address) = value.parse::<IpAddr>() else {
            return false;
        };
        self.networks.iter().any(|network| network.holds(address))
    }
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (base, prefix) = match text.split_once('/') {
            Some((base, prefix)) => (base, Some(prefix)),
            None => (text, None),
        };
        let base: IpAddr = base.parse().ok()?;
        let longest = if base.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => longest,
            Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                digits.parse().ok().filter(|bits| *bits <= longest)?
            }
            Some(_) => return None,
        };
        Some(Self { base, prefix })
    }

    fn holds(self, address: IpAddr) -> bool {
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let different = u32::from(base) ^ u32::from(address);
                different.leading_zeros() >= self.prefix
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let different = u128::from(base) ^ u128::from(address);
                different.leading_zeros() >= self.prefix
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// Whether `text` is an address or a network.
pub(super) fn is_network(text: &str) -> bool {
    Network::parse(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(network: &str, address: &str) -> bool {
        Networks::new([network].into_iter()).match_one(address)
    }

    #[test]
    fn networks_hold_their_addresses_and_no_others() {
        assert!(holds("203.0.113.77/24", "203.0.113.1") && holds("0.0.0.0/0", "8.8.8.8"));
        assert!(holds("203.0.113.9", "203.0.113.9") && !holds("203.0.113.9", "203.0.113.8"));
        assert!(holds("2001:DB8::/32", "2001:db8:1::1") && !holds("::/0", "203.0.113.1"));
        assert!(!holds("203.0.113.0/33", "203.0.113.0") && !holds("203.0.113.0/+8", "203.0.113.0"));
        assert!(!holds("203.0.113.0/24", "203.0.113"));
    }
}
