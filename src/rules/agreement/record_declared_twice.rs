//! Two resources for one record of the spec.

use std::collections::BTreeMap;

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Record, Standing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-declared-twice",
    aliases: &[],
    summary: "a record of the spec that the module declares twice",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("record_declared_twice.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    let mut seen: BTreeMap<(String, &str), &Record> = BTreeMap::new();
    for record in &module.records {
        let (pointer, found) = match record.standing(spec, true) {
            Standing::Switched(at, found) => (format!("/records/names/{at}"), found),
            Standing::Origin(found) => ("/origin/name".to_owned(), found),
            Standing::OtherType(_) | Standing::Other | Standing::Unknown(..) => continue,
        };
        let Some(first) = seen.get(&(pointer.clone(), found.word())) else {
            seen.insert((pointer, found.word()), record);
            continue;
        };
        let message = format!(
            "`{}` declares the record of `{}` a second time; one of the two undoes what the other does",
            record.address, first.address
        );
        let label = spec.label(&pointer);
        let repeated = record
            .repeated
            .as_ref()
            .filter(|_| record.head == first.head);
        sink.report(
            repeated.map_or(record.head, |repeated| repeated.at),
            message,
        )
        .related(first.head, "declared here first")
        .related(label.at, label.text)
        .help("a record has one owner: remove one of the two");
    }
}
