//! A switched record, or the origin record, that ignores more than the value.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{IgnoreChanges, Standing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ignore-changes-beyond-value",
    aliases: &[],
    summary: "ignore_changes of a record of the spec that gives away its TTL or type, too",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("ignore_changes_beyond_value.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let IgnoreChanges::List { paths, .. } = &record.ignore_changes else {
            continue;
        };
        let pointer = match record.standing(spec, true) {
            // Where the value is not ignored, that is told.
            Standing::Switched(..) if record.ignore_changes.ignores("records") => "/records",
            Standing::Origin(_) => "/origin",
            Standing::Switched(..)
            | Standing::OtherType(_)
            | Standing::Other
            | Standing::Unknown(..) => continue,
        };
        for path in paths {
            let name = path.attribute.as_str();
            let key = match (name, pointer) {
                ("ttl", _) => format!("{pointer}/ttl"),
                ("type", "/records") => "/records/types".to_owned(),
                ("type", _) => "/origin/name".to_owned(),
                _ => continue,
            };
            let message = format!(
                "`{}` ignores changes to `{name}`, which Terraform owns",
                record.address
            );
            let label = spec.label(&key);
            sink.report(path.at, message)
                .related(label.at, label.text)
                .help("the workflow owns `records` of the switched records, and nothing else: take this out of `ignore_changes`");
        }
    }
}
