//! A record name with upper-case letters.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-name-uppercase",
    aliases: &[],
    summary: "a record name with upper-case letters, which Route 53 does not keep",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("record_name_uppercase.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for record in &module.records {
        let Some(name) = record.name.as_ref().and_then(Node::as_text) else {
            continue;
        };
        let lower = name.as_str().to_ascii_lowercase();
        if lower == name.as_str() {
            continue;
        }
        let message = format!(
            "the name `{}` of `{}` is held in lower case by Route 53, so every plan tells of a change outside of Terraform",
            name.as_str(),
            record.address
        );
        sink.report(name.span(), message)
            .help(format!("write `{lower}`"));
    }
}
