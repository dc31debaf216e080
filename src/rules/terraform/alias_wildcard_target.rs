//! An alias to a wildcard, which the provider never finds equal.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "alias-wildcard-target",
    aliases: &[],
    summary: "an alias whose target is a wildcard name, which shows a change at every plan",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("alias_wildcard_target.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for record in &module.records {
        let target = record.alias.as_ref().and_then(|alias| alias.name.as_ref());
        let Some(name) = target.and_then(Node::as_text) else {
            continue;
        };
        let mark = ["*", "\\052"].into_iter().find(|mark| {
            let rest = name.as_str().strip_prefix(mark);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        if mark.is_none() {
            continue;
        }
        let message = format!(
            "the target `{}` of `{}` is a wildcard: Route 53 gives it back as `\\052…`, so every plan shows a change",
            name.as_str(),
            record.address
        );
        sink.report(name.span(), message)
            .help("point the alias at a name that is no wildcard");
    }
}
