//! A record beside a switched one that the switch leaves where it is.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Standing;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-type-differs",
    aliases: &[],
    summary: "an address record of a switched name in a type that is not switched",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("record_type_differs.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    for record in &module.records {
        let Standing::OtherType(at) = record.standing(spec, true) else {
            continue;
        };
        let (Some(name), Some(written)) = (spec.record_names().get(at), &record.record_type) else {
            continue;
        };
        let types: Vec<String> = spec
            .records
            .types
            .iter()
            .map(|known| format!("`{}`", known.word()))
            .collect();
        let message = format!(
            "`{}` gives `{name}` the type `{}`, which the switch does not move",
            record.address,
            written.as_str().unwrap_or_default()
        );
        let label = spec.label("/records/types");
        sink.report(written.span(), message)
            .related(label.at, label.text)
            .help(format!("the switch moves {}", types.join(", ")));
    }
}
