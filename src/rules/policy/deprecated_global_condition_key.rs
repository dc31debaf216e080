//! A global condition key that AWS has replaced.

use crate::diag::Severity;
use crate::iam::catalog;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "deprecated-global-condition-key",
    aliases: &[],
    summary: "a global condition key that another has replaced",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("deprecated_global_condition_key.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy.conditions() {
        let key = condition.key.as_str();
        let Some(new) = catalog::replaced_by(key) else {
            continue;
        };
        let message = format!("{} has been replaced by `{new}`", quoted(key));
        sink.report(condition.key.span(), message)
            .pointer(condition.pointer.clone())
            .help(format!("write `{new}`"));
    }
}
