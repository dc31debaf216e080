//! A routing policy without what tells its records apart, or the other way round.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Kind;
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "routing-policy-incomplete",
    aliases: &[],
    summary: "a routing policy without set_identifier, or a set_identifier without routing policy",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("routing_policy_incomplete.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for record in &module.records {
        let identifier = record.set_identifier.as_ref();
        let identifier = identifier.filter(|node| !matches!(node.kind, Kind::Null));
        match (record.routing, identifier) {
            (Some(at), None) => {
                let message = format!(
                    "`{}` has a routing policy and no `set_identifier`, which tells its records apart",
                    record.address
                );
                sink.report(at, message)
                    .help("add a `set_identifier` that no other record of this name and type has");
            }
            (None, Some(identifier)) if identifier.as_unknown().is_none() => {
                let message = format!(
                    "`{}` has a `set_identifier` and no routing policy, which Route 53 refuses",
                    record.address
                );
                sink.report(identifier.span(), message)
                    .help("add the routing policy, or remove `set_identifier`");
            }
            (Some(_) | None, _) => {}
        }
    }
}
