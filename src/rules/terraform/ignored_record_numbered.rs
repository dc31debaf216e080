//! Records that others write, told apart by their place in a list.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, block_address};
use std::collections::BTreeSet;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ignored-record-numbered",
    aliases: &[],
    summary: "records with ignored values that count tells apart, so that a shorter list writes first values back",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("ignored_record_numbered.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let mut told = BTreeSet::new();
    for record in &module.records {
        let Some(repeated) = record.repeated.as_ref().filter(|_| record.numbered) else {
            continue;
        };
        let one = matches!(repeated.count, Ok(0 | 1));
        if one || !record.ignore_changes.ignores("records") || !told.insert(repeated.at) {
            continue;
        }
        let message = format!(
            "`{}` is told apart by its number: a list that loses one renumbers the others, which are made anew and hold their first value again",
            block_address(&record.address)
        );
        sink.report(repeated.at, message)
            .help("use `for_each` with the names as keys; move what is there with `moved` blocks");
    }
}
