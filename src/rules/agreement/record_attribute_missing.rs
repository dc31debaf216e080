//! A record without what says which record it is.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Kind, Node};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-attribute-missing",
    aliases: &[],
    summary: "a record of the spec's module without its name, type or zone",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("record_attribute_missing.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    let is_set = |node: &&Node| !matches!(node.kind, Kind::Null);
    for record in &module.records {
        let needed = [
            ("name", &record.name, "/records/names"),
            ("type", &record.record_type, "/records/types"),
            ("zone_id", &record.zone_id, "/zone/id"),
        ];
        for (name, value, pointer) in needed {
            if value.as_ref().filter(is_set).is_some() {
                continue;
            }
            let at = value.as_ref().map_or(record.head, Node::span);
            let label = spec.label(pointer);
            sink.report(
                at,
                format!(
                    "`{}` has no `{name}`, which Terraform demands",
                    record.address
                ),
            )
            .related(label.at, label.text)
            .help(format!("write the `{name}` that follows from the spec"));
        }
    }
}
