//! Functions of IP networks (apparentlymart/go-cidr): a prefix is masked before anything is counted in it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Arguments, Signature, takes};
use crate::terraform::Eval;
use crate::terraform::failure::{fault, limit};
use crate::terraform::value::{Sequence, Value, ValueKind};
use crate::text::quoted;

const ANY: usize = usize::MAX;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "cidrhost" => takes(2, 2, host),
        "cidrnetmask" => takes(1, 1, netmask),
        "cidrsubnet" => takes(3, 3, subnet),
        "cidrsubnets" => takes(1, ANY, subnets),
        _ => return None,
    })
}

/// A network: its first address, how many bits an address has, and how many of them the prefix fixes.
#[derive(Clone, Copy)]
struct Network {
    first: u128,
    bits: u32,
    prefix: u32,
}

impl Network {
    fn parse(written: &str) -> Option<Self> {
        let (address, prefix) = written.split_once('/')?;
        let (value, bits) = match address_of(address)? {
            IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
            IpAddr::V6(address) => (address.to_bits(), 128),
        };
        let digits = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix: u32 = prefix
            .parse()
            .ok()
            .filter(|prefix| digits && *prefix <= bits)?;
        let mut network = Self {
            first: 0,
            bits,
            prefix,
        };
        network.first = value & network.mask();
        Some(network)
    }

    fn hosts(self) -> u32 {
        self.bits - self.prefix
    }

    fn mask(self) -> u128 {
        let all = u128::MAX >> (128 - self.bits);
        all & !shifted(u128::MAX, 0, self.hosts())
    }

    fn address(self, value: u128) -> String {
        if self.bits == 32 {
            return Ipv4Addr::from_bits(u32::try_from(value).unwrap_or(u32::MAX)).to_string();
        }
        Ipv6Addr::from_bits(value).to_string()
    }

    fn shown(self) -> String {
        format!("{}/{}", self.address(self.first), self.prefix)
    }
}

/// The lowest `length` bits of `value`, moved up by `by`.
fn shifted(value: u128, by: u32, length: u32) -> u128 {
    let kept = match length {
        0 => 0,
        length => value & (u128::MAX >> (128 - length.min(128))),
    };
    kept.checked_shl(by).unwrap_or_default()
}

/// An address; leading zeros of the numbers of an IPv4 address do not count, as in old versions of Go.
fn address_of(written: &str) -> Option<IpAddr> {
    if let Ok(address) = written.parse() {
        return Some(address);
    }
    let parts: Option<Vec<u8>> = written
        .split('.')
        .map(|part| {
            part.parse()
                .ok()
                .filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()))
        })
        .collect();
    let parts: [u8; 4] = parts?.try_into().ok()?;
    Some(IpAddr::from(parts))
}

impl Arguments {
    fn network(&self) -> Eval<Network> {
        let text = self.text(0)?;
        let address = text
            .as_str()
            .split_once('/')
            .and_then(|(address, _)| address_of(address));
        if let Some(IpAddr::V6(address)) = address
            && address.to_ipv4_mapped().is_some()
        {
            // Go takes such an address for one of 32 bits, and loses the rest of it.
            let reason = "networks of addresses of IPv4 in those of IPv6 are not evaluated";
            return Err(limit(text.span(), reason.to_owned()));
        }
        Network::parse(text.as_str()).ok_or_else(|| {
            let reason = format!(
                "{} is no network such as `10.0.0.0/8`",
                quoted(text.as_str())
            );
            fault(text.span(), reason)
        })
    }
}

fn host(given: &Arguments) -> Eval<Value> {
    let (network, number) = (given.network()?, given.whole(1)?);
    let hosts = network.hosts();
    let count = 1_u128.checked_shl(hosts).unwrap_or(u128::MAX);
    let magnitude = number.unsigned_abs();
    let fits = if number < 0 {
        magnitude <= count
    } else {
        magnitude < count
    };
    if !fits {
        let reason = format!("a prefix of {} bits has no host {number}", network.prefix);
        return Err(fault(given.span, reason));
    }
    let offset = if number < 0 {
        shifted(u128::MAX, 0, hosts).wrapping_sub(magnitude - 1)
    } else {
        magnitude
    };
    Ok(given.made(&network.address(network.first | offset)))
}

fn netmask(given: &Arguments) -> Eval<Value> {
    let network = given.network()?;
    if network.bits != 32 {
        return Err(fault(given.span, "networks of IPv6 have no netmask"));
    }
    Ok(given.made(&network.address(network.mask())))
}

fn subnet(given: &Arguments) -> Eval<Value> {
    let (network, more, number) = (given.network()?, given.whole(1)?, given.whole(2)?);
    let prefix = u32::try_from(more)
        .ok()
        .map(|more| network.prefix.saturating_add(more));
    let Some(prefix) = prefix.filter(|prefix| *prefix <= network.bits) else {
        let reason = format!(
            "a prefix of {} bits cannot have {more} more",
            network.prefix
        );
        return Err(fault(given.span, reason));
    };
    let new_bits = prefix - network.prefix;
    let number = u128::try_from(number).ok();
    let fits = number.filter(|number| shifted(*number, 0, new_bits) == *number);
    let Some(number) = fits else {
        let reason = format!("{new_bits} bits do not hold this number");
        return Err(fault(given.span, reason));
    };
    let first = network.first
        | number
            .checked_shl(network.bits - prefix)
            .unwrap_or_default();
    let made = Network {
        first,
        prefix,
        ..network
    };
    Ok(given.made(&made.shown()))
}

/// One network behind the other, each at the first place that fits its size.
fn subnets(given: &Arguments) -> Eval<Value> {
    let network = given.network()?;
    let mut at = network.first;
    let last = network.first | shifted(u128::MAX, 0, network.hosts());
    let mut made = Vec::new();
    for place in 1..given.values.len() {
        let more = given.whole(place)?;
        let prefix = u32::try_from(more).ok().filter(|more| *more >= 1);
        let prefix = prefix.map(|more| network.prefix.saturating_add(more));
        let Some(prefix) = prefix.filter(|prefix| *prefix <= network.bits) else {
            let reason = format!(
                "a prefix of {} bits cannot have {more} more",
                network.prefix
            );
            return Err(fault(given.span, reason));
        };
        let size = network.bits - prefix;
        let rest = shifted(at, 0, size);
        let full = || fault(given.span, "the network has no room for so many");
        let first = if rest == 0 {
            at
        } else {
            let step = 1_u128.checked_shl(size).ok_or_else(full)?;
            (at - rest).checked_add(step).ok_or_else(full)?
        };
        let end = first | shifted(u128::MAX, 0, size);
        if first > last || end > last {
            return Err(full());
        }
        made.push(
            given.made(
                &Network {
                    first,
                    prefix,
                    ..network
                }
                .shown(),
            ),
        );
        match end.checked_add(1) {
            Some(next) => at = next,
            None if place + 1 < given.values.len() => return Err(full()),
            None => {}
        }
    }
    Ok(given.result(ValueKind::Sequence(Sequence::List, made)))
}
