//! A record of the spec that is one of several record sets of its name.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Kind, Node};
use crate::terraform::Standing;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-with-routing-policy",
    aliases: &[],
    summary: "a record of the spec with a routing policy, which the switch does not write",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("record_with_routing_policy.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let pointer = match record.standing(spec, true) {
            Standing::Switched(at, _) => format!("/records/names/{at}"),
            Standing::Origin(_) => "/origin/name".to_owned(),
            Standing::OtherType(_) | Standing::Other | Standing::Unknown(..) => continue,
        };
        let is_set = |node: &&Node| !matches!(node.kind, Kind::Null) && node.as_str() != Some("");
        let identifier = record.set_identifier.as_ref().filter(is_set);
        let Some(at) = record.routing.or(identifier.map(Node::span)) else {
            continue;
        };
        let message = format!(
            "`{}` is one of several record sets of its name, but the spec has one, without a routing policy",
            record.address
        );
        let label = spec.label(&pointer);
        sink.report(at, message)
            .related(label.at, label.text)
            .help("remove `set_identifier` and the routing policy: Route 53 refuses the record that the switch writes beside such ones");
    }
}
