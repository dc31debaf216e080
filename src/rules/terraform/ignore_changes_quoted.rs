//! `ignore_changes` in the way of old versions, with quotes: Terraform takes it and warns.

use crate::diag::{Edit, Severity};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, IgnoreChanges};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ignore-changes-quoted",
    aliases: &[],
    summary: "attribute names of ignore_changes in quotes, which Terraform takes but discourages",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("ignore_changes_quoted.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let severity = if sink.spec().is_some_and(|spec| module.is_of(spec)) {
        Severity::Warning
    } else {
        Severity::Note
    };
    for lifecycle in &module.lifecycles {
        let IgnoreChanges::List { paths, .. } = &lifecycle.ignore_changes else {
            continue;
        };
        for path in paths.iter().filter(|path| path.quoted) {
            let name = &path.attribute;
            let message = format!(
                "`{name}` stands in quotes in `{}`, the way of old versions of Terraform",
                lifecycle.address
            );
            let draft = sink
                .report(path.at, message)
                .severity(severity)
                .help(format!("write it without quotes: `[{name}]`"));
            if !path.deeper {
                let with = name.clone();
                draft.fix(
                    "take the quotes away",
                    true,
                    vec![Edit { at: path.at, with }],
                );
            }
        }
    }
}
