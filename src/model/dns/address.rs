//! Which addresses the world can reach (IANA special-purpose address registries, RFC 6890), and which of the others are
//! meant for documentation (RFC 5737, RFC 3849) and are therefore taken as public here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether visitors could reach `address`. The documentation nets count as public, so that examples can be written.
///
/// # Errors
/// What kind of address it is instead, with its article: `a private address (RFC 1918)`.
pub fn is_public(address: IpAddr) -> Result<(), &'static str> {
    let kind = match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    };
    kind.map_or(Ok(()), Err)
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let kind = match address.octets() {
        [0, ..] => "an address of `this network` (0.0.0.0/8)",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private address (RFC 1918)",
        [127, ..] => "a loopback address",
        [169, 254, ..] => "a link-local address",
        [100, 64..=127, ..] => "a carrier-grade NAT address (RFC 6598)",
        [192, 0, 0, _] => "an address for protocol assignments (192.0.0.0/24)",
        [198, 18..=19, ..] => "an address for benchmarks (RFC 2544)",
        [224..=239, ..] => "a multicast address",
        [240..=255, ..] => "a reserved address (240.0.0.0/4)",
        _ => return None,
    };
    Some(kind)
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    let first = address.segments().first().copied().unwrap_or_default();
    if address.is_unspecified() {
        Some("the unspecified address")
    } else if address.is_loopback() {
        Some("a loopback address")
    } else if address.to_ipv4_mapped().is_some() {
        Some("an IPv4 address in IPv6 form")
    } else if let Some(kind) = around_special_v4(address) {
        Some(kind)
    } else if first & 0xffc0 == 0xfe80 {
        Some("a link-local address")
    } else if first & 0xfe00 == 0xfc00 {
        Some("a unique local address (RFC 4193)")
    } else if first & 0xff00 == 0xff00 {
        Some("a multicast address")
    } else if first & 0xe000 == 0x2000 {
        None
    } else {
        Some("no global unicast address (2000::/3)")
    }
}

/// The kind of an address that leads into an IPv4 address which visitors cannot reach: 6to4 (RFC 3056, section 2) and Teredo
/// (RFC 4380, section 4: the client's address stands inverted at the end).
fn around_special_v4(address: Ipv6Addr) -> Option<&'static str> {
    let inside = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        special_v4(Ipv4Addr::new(a, b, c, d)).is_some()
    };
    match address.segments() {
        [0x2002, high, low, ..] if inside(high, low) => {
            Some("a 6to4 address around an IPv4 address that is not public (RFC 3056)")
        }
        [0x2001, 0, server, more, _, _, high, low]
            if inside(server, more) || inside(!high, !low) =>
        {
            Some("a Teredo address around an IPv4 address that is not public (RFC 4380)")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_visitors_cannot_reach_are_told_by_kind() {
        let cases = [
            ("10.0.0.1", "private"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("127.0.0.1", "loopback"),
            ("169.254.1.1", "link-local"),
            ("100.64.0.1", "carrier"),
            ("100.127.255.255", "carrier"),
            ("0.0.0.0", "this network"),
            ("224.0.0.1", "multicast"),
            ("255.255.255.255", "reserved"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::ffff:198.51.100.10", "IPv4"),
            ("fe80::1", "link-local"),
            ("fd00::1", "unique local"),
            ("ff02::1", "multicast"),
            ("64:ff9b::1", "global unicast"),
            ("2002:c0a8:101::1", "6to4"),
            ("2002:7f00:1::1", "6to4"),
            ("2001:0:a00:1::1", "Teredo"),
            ("2001:0:c633:640a::80ff:fffe", "Teredo"),
        ];
        for (address, kind) in cases {
            let told = is_public(address.parse().unwrap()).unwrap_err();
            assert!(told.contains(kind), "{address}: {told}");
        }
    }

    #[test]
    fn documentation_nets_and_their_neighbours_are_public() {
        for address in [
            "192.0.2.1",
            "198.51.100.10",
            "203.0.113.20",
            "2001:db8::1",
            "2002:c633:640a::1",
            "2001:0:c633:640a::34ff:8eeb",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "169.253.0.1",
        ] {
            assert_eq!(is_public(address.parse().unwrap()), Ok(()), "{address}");
        }
    }
}
