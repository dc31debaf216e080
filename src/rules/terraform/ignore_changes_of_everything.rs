//! A switched record of which everything is ignored.

use crate::diag::{Edit, Severity};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Claim, Declarations, IgnoreChanges, Record, Standing};

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
    for record in &module.records {
        let IgnoreChanges::All(at) = record.ignore_changes else {
            continue;
        };
        let switched = sink.spec().is_some_and(|spec| {
            let standing = record.standing(spec, module.is_of(spec));
            matches!(standing, Standing::Switched(..))
        });
        if let Some(owned) = owned(module, record, switched) {
            let message = format!(
                "`all` ignores every change of `{}`, that of its TTL, too",
                record.address
            );
            sink.report(at, message)
                .help(format!(
                    "name what others write, and nothing else: `{owned}`"
                ))
                .fix(
                    format!("ignore `{owned}` alone"),
                    true,
                    vec![Edit { at, with: owned }],
                );
        }
    }
}

/// The attributes that others write, as the list that belongs there; `None` where nobody else writes the record.
fn owned(module: &Declarations, record: &Record, switched: bool) -> Option<String> {
    if switched {
        return Some("[records]".to_owned());
    }
    let mut owned = module.owned.iter();
    let ownership = owned.find(|ownership| matches!(ownership.claim(record), Claim::Owned(_)))?;
    Some(format!("[{}]", ownership.changes.join(", ")))
}
