//! The resolvers that this system asks (resolv.conf(5)).
#![expect(
    clippy::disallowed_methods,
    reason = "this is the adapter of the system's settings"
)]

use std::net::{IpAddr, SocketAddr};

/// Where the system says whom it asks.
const FILE: &str = "/etc/resolv.conf";

/// Their sockets.
///
/// # Errors
/// Why they are not known.
pub(super) fn system_resolvers() -> Result<Vec<SocketAddr>, String> {
    let text = std::fs::read_to_string(FILE).map_err(|error| format!("`{FILE}`: {error}"))?;
    let found = resolvers(&text);
    if found.is_empty() {
        return Err(format!("`{FILE}` names no server"));
    }
    Ok(found)
}

fn resolvers(text: &str) -> Vec<SocketAddr> {
    let server = |line: &str| {
        let mut words = line.split_whitespace();
        let address = (words.next()? == "nameserver").then(|| words.next())??;
        // An address with a scope (`fe80::1%eth0`) is no public resolver.
        let address: IpAddr = address.parse().ok()?;
        Some(SocketAddr::new(address, 53))
    };
    text.lines().filter_map(server).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_an_address_name_a_server() {
        let text = "# nameserver 192.0.2.1\nsearch example.com\nnameserver 192.0.2.53\n  nameserver\t2001:db8::53 # x\nnameserver\nnameserver fe80::1%eth0\n";
        let told: Vec<String> = resolvers(text).iter().map(ToString::to_string).collect();
        assert_eq!(told, ["192.0.2.53:53", "[2001:db8::53]:53"]);
        assert!(resolvers("").is_empty());
    }
}
