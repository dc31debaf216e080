//! A private address where requests carry public ones.

use crate::diag::Severity;
use std::net::{IpAddr, Ipv4Addr};

use crate::model::policy::{Family, PolicyDocument, Value};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "source-address-private",
    aliases: &[],
    summary: "a private network in a condition on aws:SourceIp",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("source_address_private.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy
        .conditions()
        .filter(|condition| condition.is_on("aws:SourceIp"))
    {
        let addresses = condition
            .operator
            .is_some_and(|operator| operator.base.family() == Family::Ip);
        let negated = condition
            .operator
            .is_some_and(|operator| operator.base.is_negated());
        for value in condition.values.iter().filter(|_| addresses) {
            if is_private(value.text.as_str()) {
                report(value, negated, sink);
            }
        }
    }
}

fn report(value: &Value, negated: bool, sink: &mut Sink<'_>) {
    let effect = if negated {
        "so it excludes nothing"
    } else {
        "so it never matches"
    };
    let message = format!(
        "{} is private: `aws:SourceIp` carries the public address, {effect}",
        quoted(value.text.as_str())
    );
    sink.report(value.text.span(), message)
        .pointer(value.pointer.clone())
        .help("write the public address; for what comes through an endpoint of a VPC use `aws:VpcSourceIp` with `aws:SourceVpc`");
}

/// Whether all addresses of a network are private (RFC 1918, RFC 4193), local to a link or of the machine itself.
fn is_private(text: &str) -> bool {
    let (base, bits) = text.split_once('/').map_or((text, None), |(base, bits)| {
        (base, bits.parse::<u32>().ok())
    });
    match base.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            let inside = |network: Ipv4Addr, prefix: u32| {
                bits.unwrap_or(32) >= prefix
                    && (u32::from(address) ^ u32::from(network)).leading_zeros() >= prefix
            };
            inside(Ipv4Addr::new(10, 0, 0, 0), 8)
                || inside(Ipv4Addr::new(172, 16, 0, 0), 12)
                || inside(Ipv4Addr::new(192, 168, 0, 0), 16)
                || inside(Ipv4Addr::new(169, 254, 0, 0), 16)
                || inside(Ipv4Addr::new(127, 0, 0, 0), 8)
        }
        Ok(IpAddr::V6(address)) => address
            .segments()
            .first()
            .is_some_and(|first| (first & 0xfe00) == 0xfc00 || (first & 0xffc0) == 0xfe80),
        Err(_) => false,
    }
}
