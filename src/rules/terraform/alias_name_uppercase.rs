//! An alias target with upper-case letters.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "alias-name-uppercase",
    aliases: &[],
    summary: "an alias target with upper-case letters, which old providers change at every plan",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("alias_name_uppercase.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for record in &module.records {
        let target = record.alias.as_ref().and_then(|alias| alias.name.as_ref());
        let Some(name) = target.and_then(Node::as_text) else {
            continue;
        };
        let lower = name.as_str().to_ascii_lowercase();
        if lower == name.as_str() {
            continue;
        }
        let message = format!(
            "the target `{}` of `{}` comes back from Route 53 in lower case, which old providers take for a change",
            name.as_str(),
            record.address
        );
        sink.report(name.span(), message)
            .help(format!("write `{lower}`"));
    }
}
