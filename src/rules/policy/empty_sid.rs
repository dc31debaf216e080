//! A Sid with nothing in it.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "empty-sid",
    aliases: &[],
    summary: "an empty Sid",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("empty_sid.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        if let Some(sid) = statement.sid.as_ref().filter(|sid| sid.as_str().is_empty()) {
            sink.report(
                sid.span(),
                "the Sid is empty, which is as if there were none",
            )
            .pointer(format!("{}/Sid", statement.pointer))
            .help("give the statement a name of letters and digits, or take `Sid` out");
        }
    }
}
