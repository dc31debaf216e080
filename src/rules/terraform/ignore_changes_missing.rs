//! A switched record whose value the next apply writes back.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::{Declarations, IgnoreChanges, Standing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ignore-changes-missing",
    aliases: &[],
    summary: "a switched record without ignore_changes, so that the next apply undoes the switch",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("ignore_changes_missing.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec() else {
        return;
    };
    for record in &module.records {
        match record.standing(spec, module.is_of(spec)) {
            Standing::Switched(at, _) if record.ignore_changes == IgnoreChanges::Absent => {
                let written = record.records.as_ref().and_then(first_value);
                let back = written.map_or_else(String::new, |value| format!(" `{value}`"));
                let message = format!(
                    "`{}` does not ignore changes to `records`: the next apply after a switch writes{back} back",
                    record.address
                );
                let name = spec.label(&format!("/records/names/{at}"));
                sink.report(record.head, message)
                    .related(name.at, "the switch moves this record")
                    .help("add `lifecycle { ignore_changes = [records] }`: the workflow owns the value");
            }
            Standing::Unknown(unknown, at) if !record.ignore_changes.ignores("records") => {
                let what = format!(
                    "whether `{}` is a record that the switch moves",
                    record.address
                );
                sink.undecided(at, what, unknown.why, unknown.missing);
            }
            Standing::Switched(..)
            | Standing::OtherType(_)
            | Standing::Origin(_)
            | Standing::Other
            | Standing::Unknown(..) => {}
        }
    }
}

fn first_value(records: &Node) -> Option<&str> {
    records.as_list()?.first()?.as_str()
}
