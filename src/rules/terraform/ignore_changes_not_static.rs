//! A form of `ignore_changes` that Terraform does not take.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, IgnoreChanges, Ignored, Lifecycle};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ignore-changes-not-static",
    aliases: &[],
    summary: "ignore_changes that Terraform would have to evaluate, which it never does",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("ignore_changes_not_static.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for lifecycle in &module.lifecycles {
        match &lifecycle.ignore_changes {
            IgnoreChanges::Invalid(at, reason) => refused(*at, reason, lifecycle, sink),
            IgnoreChanges::List { paths, faults, .. } => {
                for (at, reason) in faults {
                    refused(*at, reason, lifecycle, sink);
                }
                for path in paths {
                    each(path, lifecycle, sink);
                }
            }
            IgnoreChanges::Absent | IgnoreChanges::All(_) => {}
        }
    }
}

fn refused(at: Span, reason: &str, lifecycle: &Lifecycle, sink: &mut Sink<'_>) {
    let message = format!(
        "`{}` has an `ignore_changes` that Terraform does not take: {reason}",
        lifecycle.address
    );
    sink.report(at, message)
        .help("write the attribute names out, without quotes: `ignore_changes = [records]`");
}

fn each(path: &Ignored, lifecycle: &Lifecycle, sink: &mut Sink<'_>) {
    let name = &path.attribute;
    if ROOTS.contains(&name.as_str()) {
        let reason = format!("a reference to `{name}` is not evaluated here");
        refused(path.at, &reason, lifecycle, sink);
    }
}

/// Where references begin that are no attributes.
const ROOTS: [&str; 8] = [
    "count",
    "data",
    "each",
    "local",
    "module",
    "path",
    "terraform",
    "var",
];
