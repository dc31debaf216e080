//! A switched record whose value the next apply writes back.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::{Claim, Declarations, IgnoreChanges, Ownership, Record, Standing};

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
    for ownership in &module.owned {
        for record in &module.records {
            of_owner(record, ownership, sink);
        }
    }
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
                let advice = advice(&["records"], sink.path(record.head));
                sink.report(record.head, message)
                    .related(name.at, "the switch moves this record")
                    .help(format!("{advice}: the workflow owns the value"));
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

/// A record that a file says somebody else writes.
fn of_owner(record: &Record, ownership: &Ownership, sink: &mut Sink<'_>) {
    let left = ownership.left_open(record);
    if left.is_empty() {
        return;
    }
    match ownership.claim(record) {
        Claim::Owned(owned) if record.ignore_changes == IgnoreChanges::Absent => {
            let writer = ownership.writer.as_deref().unwrap_or("somebody else");
            let written = record.records.as_ref().and_then(first_value);
            let written = written.filter(|_| left.contains(&"records"));
            let back = written.map_or_else(
                || " what stands here".to_owned(),
                |value| format!(" `{value}`"),
            );
            let message = format!(
                "`{}` does not ignore changes to `{}`, which {writer} writes: the next apply writes{back} back",
                record.address,
                left.join("`, `")
            );
            let advice = advice(&left, sink.path(record.head));
            sink.report(record.head, message)
                .related(owned.at, "somebody other than Terraform writes this record")
                .help(advice);
        }
        Claim::Unknown(unknown) => {
            let what = format!("whether `{}` is a record that others write", record.address);
            sink.undecided(record.head, what, unknown.why, unknown.missing);
        }
        Claim::Owned(_) | Claim::Free => {}
    }
}

/// What to write, in the notation of the file.
fn advice(names: &[&str], path: &str) -> String {
    if path.ends_with(".json") {
        let names = names.join("\", \"");
        return format!("add `\"lifecycle\": {{\"ignore_changes\": [\"{names}\"]}}`");
    }
    format!(
        "add `lifecycle {{ ignore_changes = [{}] }}`",
        names.join(", ")
    )
}

fn first_value(records: &Node) -> Option<&str> {
    records.as_list()?.first()?.as_str()
}
