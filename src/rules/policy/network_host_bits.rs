//! A network with bits set behind its prefix.

use crate::diag::Severity;
use std::net::IpAddr;

use crate::model::policy::{Condition, Family, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "network-host-bits",
    aliases: &[],
    summary: "a network that is not written by its first address",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("network_host_bits.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let of_addresses = |condition: &&Condition| {
        condition
            .operator
            .is_some_and(|operator| operator.base.family() == Family::Ip)
    };
    for value in policy
        .conditions()
        .filter(of_addresses)
        .flat_map(|condition| &condition.values)
    {
        let Some(right) = first_address(value.text.as_str()) else {
            continue;
        };
        let edit = mend::replace(sink, &value.text, &right);
        let message = format!("{} is the network `{right}`", quoted(value.text.as_str()));
        let draft = sink
            .report(value.text.span(), message)
            .pointer(value.pointer.clone())
            .help(format!(
                "write `{right}`, or the address alone if that is meant"
            ));
        mend::offer_as(
            draft,
            policy,
            "write the network by its first address",
            vec![edit],
            false,
        );
    }
}

/// The network as it is usually written, if it is not written so.
fn first_address(text: &str) -> Option<String> {
    let (base, bits) = text.split_once('/')?;
    let bits: u32 = bits.parse().ok()?;
    let right = match base.parse::<IpAddr>().ok()? {
        IpAddr::V4(address) if bits <= 32 => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            IpAddr::from((u32::from(address) & mask).to_be_bytes())
        }
        IpAddr::V6(address) if bits <= 128 => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            IpAddr::from((u128::from(address) & mask).to_be_bytes())
        }
        IpAddr::V4(_) | IpAddr::V6(_) => return None,
    };
    (base.parse() != Ok(right)).then(|| format!("{right}/{bits}"))
}
