//! A `removed` block that destroys what the failover needs.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, Removed};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-removed",
    aliases: &[],
    summary: "a removed block that deletes a record, or with a spec the role and its policies",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("record_removed.md"),
    check: Check::Terraform(check),
};

const RECORD: &str = "aws_route53_record";

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let own = sink.spec().is_some_and(|spec| module.is_of(spec));
    let counts = |removed: &&Removed| {
        let of_role = matches!(
            removed.kind.as_str(),
            "aws_iam_role" | "aws_iam_role_policy"
        );
        removed.kind == RECORD || own && (of_role || removed.kind == "aws_route53_zone")
    };
    for removed in module.removed.iter().filter(counts) {
        let message = format!(
            "this deletes `{}` at the next apply, and does not only forget it",
            removed.address
        );
        let severity = if own {
            Severity::Error
        } else {
            Severity::Warning
        };
        sink.report(removed.head, message)
            .severity(severity)
            .help("write `lifecycle { destroy = false }` in it, or `moved` where the resource has another name now");
    }
}
