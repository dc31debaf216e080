//! A policy variable before the fifth colon of an ARN.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyVersion};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "variable-in-arn-head",
    aliases: &[],
    summary: "a policy variable before the fifth colon of an ARN",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("variable_in_arn_head.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.grammar() != PolicyVersion::V2012 {
        return;
    }
    let resources = policy
        .statements
        .iter()
        .filter_map(|statement| statement.resources.as_ref());
    for value in resources.flat_map(|resources| &resources.values) {
        let text = value.text.as_str();
        let Some(at) = early(text) else {
            continue;
        };
        let written = text.get(at.clone()).unwrap_or_default();
        let message = format!(
            "{} stands before the fifth colon of the ARN, where AWS documents no variables: it is plain text there, and matches nothing",
            quoted(written)
        );
        sink.report(value.text.span_of(at), message)
            .pointer(value.pointer.clone())
            .help("write the Region or the account itself, or `*`; ask for the account by a condition on `aws:ResourceAccount`");
    }
}

/// The first variable of an ARN, where fewer than five colons stand before it.
pub(super) fn early(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text.strip_prefix("arn:").and_then(|_| text.find("${"))?;
    let before = text.get(..start)?.matches(':').count();
    let length = text.get(start..)?.find('}')? + 1;
    let name = text.get(start + 2..start + length - 1)?;
    (before < 5 && name.contains(':')).then_some(start..start + length)
}
