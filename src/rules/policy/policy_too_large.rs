//! A policy longer than AWS takes for its kind.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Kind, Node};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-too-large",
    aliases: &[],
    summary: "a policy longer than AWS takes",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("policy_too_large.md"),
    check: Check::Policy(check),
};

/// A quota: characters, how bad it is to be above it, and what holds the policy.
type Quota = (usize, Severity, &'static str);

/// The quotas of a kind, the largest first.
fn quotas(kind: PolicyKind) -> &'static [Quota] {
    match kind {
        PolicyKind::ManagedIdentity | PolicyKind::Boundary => {
            &[(6_144, Severity::Error, "a managed policy")]
        }
        PolicyKind::Identity => &[(
            10_240,
            Severity::Warning,
            "any policy of a user, a group or a role",
        )],
        PolicyKind::Trust => &[
            (4_096, Severity::Error, "a trust policy at most"),
            (
                2_048,
                Severity::Warning,
                "a trust policy unless the quota was raised",
            ),
        ],
        PolicyKind::Scp => &[(5_120, Severity::Error, "a service control policy")],
        PolicyKind::Rcp => &[(5_120, Severity::Error, "a resource control policy")],
        PolicyKind::Session => &[(2_048, Severity::Error, "a session policy")],
        PolicyKind::Endpoint => &[(20_480, Severity::Error, "the policy of an endpoint")],
        PolicyKind::Resource => &[(
            20_480,
            Severity::Warning,
            "the policy of a bucket, and of most other resources",
        )],
    }
}

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    // What is shorter with its white space is shorter without.
    let shortest = quotas(policy.kind).iter().map(|(most, ..)| *most).min();
    if policy.span().len() <= shortest.unwrap_or(0) && policy.address.is_none() {
        return;
    }
    let length = length(&policy.root);
    let Some((most, severity, holds)) =
        quotas(policy.kind).iter().find(|(most, ..)| length > *most)
    else {
        return with_white_space(policy, sink);
    };
    let message =
        format!("the policy has {length} characters without white space; {holds} has {most}");
    sink.report(policy.span().slice(0, 1), message)
        .covers(policy.span().slice(0, 1))
        .severity(*severity)
        .pointer("")
        .help("take out what repeats, join what can be one pattern, or divide it into several policies");
}

/// Organizations counts the white space of what its API is given; the console takes it out (Organizations User Guide,
/// "Quotas for AWS Organizations": "the maximum size of policy documents").
fn with_white_space(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let counts = matches!(policy.kind, PolicyKind::Scp | PolicyKind::Rcp);
    if !counts || policy.address.is_some() || !policy.place.is_empty() {
        return;
    }
    let written = sink.written(policy.span()).chars().count();
    let Some((most, _, holds)) = quotas(policy.kind)
        .iter()
        .find(|(most, ..)| written > *most)
    else {
        return;
    };
    let message = format!(
        "the policy has {written} characters with its white space, which counts outside of the console; {holds} has {most}"
    );
    sink.report(policy.span().slice(0, 1), message)
        .covers(policy.span().slice(0, 1))
        .severity(Severity::Warning)
        .pointer("")
        .help("give it to AWS without white space, such as by `jq -c .`");
}

/// Characters of the document as JSON without white space between its parts.
fn length(node: &Node) -> usize {
    match &node.kind {
        Kind::Null | Kind::Unknown(_) => 4,
        Kind::Bool(value) => value.to_string().len(),
        Kind::Number(digits) => digits.len(),
        Kind::Text(text) => quoted_length(text),
        Kind::List(items) => {
            2 + items.len().saturating_sub(1) + items.iter().map(length).sum::<usize>()
        }
        Kind::Map(entries) => {
            let inside = entries
                .iter()
                .map(|entry| quoted_length(&entry.key) + 1 + length(&entry.value));
            2 + entries.len().saturating_sub(1) + inside.sum::<usize>()
        }
    }
}

fn quoted_length(text: &Text) -> usize {
    let escaped = |letter: char| match letter {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        letter if letter.is_control() => 6,
        _ => 1,
    };
    let plain = |byte: u8| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
    if text.as_str().bytes().all(plain) {
        return 2 + text.as_str().len();
    }
    2 + text.as_str().chars().map(escaped).sum::<usize>()
}
