//! An address that is not public where requests carry public ones.

use crate::diag::Severity;
use crate::model::policy::{Family, PolicyDocument, Value};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::networks::Network;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "source-address-private",
    aliases: &[],
    summary: "a network that is not public in a condition on aws:SourceIp",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("source_address_private.md"),
    check: Check::Policy(check),
};

/// Networks from which no request comes over the Internet, each with what it is (RFC 1918, RFC 6598, RFC 1122, RFC 1112,
/// RFC 4193, RFC 4291).
const NOT_PUBLIC: [(&str, &str); 13] = [
    ("10.0.0.0/8", "private"),
    ("172.16.0.0/12", "private"),
    ("192.168.0.0/16", "private"),
    (
        "100.64.0.0/10",
        "of the networks between carriers and their customers",
    ),
    ("169.254.0.0/16", "local to a link"),
    ("127.0.0.0/8", "of the machine itself"),
    ("0.0.0.0/8", "no address of a machine"),
    ("224.0.0.0/3", "for multicast or reserved"),
    ("fc00::/7", "private"),
    ("fe80::/10", "local to a link"),
    ("::1", "of the machine itself"),
    ("::", "no address of a machine"),
    ("ff00::/8", "for multicast"),
];

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
            if let Some(kind) = not_public(value.text.as_str()) {
                report(value, kind, negated, sink);
            }
        }
    }
}

fn report(value: &Value, kind: &str, negated: bool, sink: &mut Sink<'_>) {
    let text = value.text.as_str();
    let effect = if negated {
        "so it excludes nothing"
    } else {
        "so it never matches"
    };
    let message = format!(
        "{} is {kind}: `aws:SourceIp` carries the public address, {effect}",
        quoted(text)
    );
    let help = match text {
        "0.0.0.0" | "::" => format!("`{text}/0` is every address; write the networks that are meant"),
        _ => "write the public address; for what comes through an endpoint of a VPC use `aws:VpcSourceIp` with `aws:SourceVpc`".to_owned(),
    };
    sink.report(value.text.span(), message)
        .pointer(value.pointer.clone())
        .help(help);
}

/// What a network is of which no address is public.
fn not_public(text: &str) -> Option<&'static str> {
    let network = Network::parse(text)?;
    let within = |outer: &str| Network::parse(outer).is_some_and(|outer| network.lies_in(&[outer]));
    let mut known = NOT_PUBLIC.into_iter();
    known.find_map(|(outer, kind)| within(outer).then_some(kind))
}
