//! An alias record with what only a record of its own has.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Kind;
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "alias-with-ttl",
    aliases: &[],
    summary: "an alias record with a TTL or values of its own, which the provider refuses",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("alias_with_ttl.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for record in &module.records {
        let Some(alias) = record
            .alias
            .as_ref()
            .filter(|alias| alias.unknown.is_none())
        else {
            continue;
        };
        for (name, value) in [("ttl", &record.ttl), ("records", &record.records)] {
            let Some(value) = value
                .as_ref()
                .filter(|value| !matches!(value.kind, Kind::Null))
            else {
                continue;
            };
            let message = format!(
                "`{}` is an alias and has `{name}`, too: an alias takes both from its target",
                record.address
            );
            sink.report(value.span(), message)
                .related(alias.head, "the alias")
                .help(format!("remove `{name}`, or the `alias` block"));
        }
    }
}
