//! `…IfExists` in an Allow on a key that must be there: true when the key is absent.

use crate::diag::Severity;
use crate::model::policy::{
    BaseOperator, Condition, PolicyDocument, PolicyKind, Statement, route53,
};
use crate::rules::{Check, Rule, Sink, Tier};

use super::blocks;
use super::forallvalues_allow_without_null_guard::is_guard;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ifexists-allow",
    aliases: &[],
    summary: "IfExists in an Allow on a key that must be there",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("ifexists_allow.md"),
    check: Check::Policy(check),
};

/// Facts about the caller that a request from elsewhere does not carry; for the keys of a service `IfExists` is often
/// the documented way to speak of several actions at once.
const CALLER_KEYS: [&str; 9] = [
    "aws:MultiFactorAuthAge",
    "aws:MultiFactorAuthPresent",
    "aws:PrincipalArn",
    "aws:PrincipalOrgID",
    "aws:SourceArn",
    "aws:SourceIp",
    "aws:SourceVpc",
    "aws:SourceVpce",
    "sts:ExternalId",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let in_trust = policy.kind == PolicyKind::Trust;
    let faulty = |statement: &Statement, condition: &Condition| {
        statement.allows()
            && passes_when_absent(condition)
            && (must_be_there(condition) || in_trust && is_claim(condition))
            && !statement
                .conditions_on(condition.key.as_str())
                .any(is_guard)
    };
    for block in blocks::faulty_blocks(policy, faulty) {
        let operator = block.operator();
        let message = format!(
            "`{operator}` is true when the request carries no {}",
            block.keys()
        );
        let plain = operator.trim_end_matches("IfExists");
        let mut draft = block.report(sink, message).help(format!(
            "write `{plain}`, so that the Allow holds only where the key is there and matches"
        ));
        for condition in &block.conditions {
            draft = draft.related(condition.key.span(), "not demanded");
        }
    }
}

/// An inverted operator is true for an absent key with or without `IfExists`.
fn passes_when_absent(condition: &Condition) -> bool {
    condition.operator.is_some_and(|operator| {
        operator.if_exists && !operator.base.is_negated() && operator.base != BaseOperator::Null
    })
}

fn must_be_there(condition: &Condition) -> bool {
    route53::RECORD_KEYS
        .iter()
        .chain(&CALLER_KEYS)
        .any(|key| condition.is_on(key))
}

/// A claim of a web identity token: `token.actions.githubusercontent.com:sub`.
fn is_claim(condition: &Condition) -> bool {
    condition
        .key
        .as_str()
        .split_once(':')
        .is_some_and(|(provider, _)| provider.contains('.'))
}
