//! A switched record of which everything is ignored.

use crate::diag::{Edit, Severity};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, IgnoreChanges, Standing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ignore-changes-of-everything",
    aliases: &[],
    summary: "a switched record with ignore_changes = all, which gives its TTL away, too",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("ignore_changes_of_everything.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec() else {
        return;
    };
    for record in &module.records {
        let IgnoreChanges::All(at) = record.ignore_changes else {
            continue;
        };
        if matches!(
            record.standing(spec, module.is_of(spec)),
            Standing::Switched(..)
        ) {
            let message = format!(
                "`all` ignores every change of `{}`, that of its TTL, too",
                record.address
            );
            sink.report(at, message)
                .help("name the one attribute that the workflow owns: `[records]`")
                .fix(
                    "ignore `records` alone",
                    true,
                    vec![Edit {
                        at,
                        with: "[records]".to_owned(),
                    }],
                );
        }
    }
}
