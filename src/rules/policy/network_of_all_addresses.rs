//! A condition on the caller's address whose networks are all addresses.

use crate::diag::Severity;
use crate::model::policy::{BaseOperator, Condition, PolicyDocument, Statement};
use crate::rules::{Check, Rule, Sink, Tier};

use super::networks::{self, Network};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "network-of-all-addresses",
    aliases: &[],
    summary: "an address condition that takes in every address",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("network_of_all_addresses.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        for condition in statement.conditions_on("aws:SourceIp") {
            let base = condition.operator.map(|operator| operator.base);
            let negated = match base {
                Some(BaseOperator::IpAddress) => false,
                Some(BaseOperator::NotIpAddress) => true,
                _ => continue,
            };
            if let Some(family) = whole_family(condition) {
                report(statement, condition, negated, family, sink);
            }
        }
    }
}

/// The family of which the condition lists every address. What is no network is told elsewhere.
fn whole_family(condition: &Condition) -> Option<&'static str> {
    let listed = networks::of(condition)?;
    let whole = [("0.0.0.0/0", "IPv4"), ("::/0", "IPv6")];
    whole.into_iter().find_map(|(all, family)| {
        let all = Network::parse(all)?;
        all.lies_in(&listed).then_some(family)
    })
}

fn report(
    statement: &Statement,
    condition: &Condition,
    negated: bool,
    family: &str,
    sink: &mut Sink<'_>,
) {
    let effect = match (negated, statement.allows()) {
        (false, true) => "the Allow is open to every such caller",
        (false, false) => "the Deny meets every such caller",
        (true, true) => "the Allow is open to no such caller",
        (true, false) => "the Deny meets no such caller",
    };
    let every = |text: &str| matches!(text, "0.0.0.0/0" | "::/0");
    let named = condition
        .values
        .iter()
        .find(|value| every(value.text.as_str()));
    let (at, pointer) = match named {
        Some(value) => (value.text.span(), value.pointer.to_string()),
        None => (condition.span, condition.pointer.clone()),
    };
    let message = format!("the networks here are all addresses of {family}: {effect}");
    sink.report(at, message)
        .pointer(pointer)
        .help("name the networks that are meant, or take the condition out");
}
