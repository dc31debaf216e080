//! Statements with no policy around them.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "bare-statement",
    aliases: &[],
    summary: "a statement with no policy around it",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("bare_statement.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if !policy.bare {
        return;
    }
    let count = policy.statements.len();
    let what = if count == 1 {
        "this is a statement alone: it is".to_owned()
    } else {
        format!("these are {count} statements alone: they are")
    };
    sink.report(
        policy.span().slice(0, 1),
        format!("{what} read as the policy {{\"Version\": \"2012-10-17\", \"Statement\": …}}"),
    )
    .pointer("/Statement")
    .help("AWS takes whole policies: put `Version` and `Statement` around it where it is used");
}
