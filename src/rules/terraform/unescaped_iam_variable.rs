//! A policy variable of IAM that Terraform takes for an insertion.

use crate::diag::Edit;
use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::hcl::{Mistake, MistakeKind};
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "unescaped-iam-variable",
    aliases: &[],
    summary: "a policy variable such as ${aws:username} that Terraform takes for an expression",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("unescaped_iam_variable.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    let of_kind = |mistake: &&Mistake| mistake.kind == MistakeKind::PolicyVariable;
    for mistake in module.mistakes.iter().filter(of_kind) {
        let written = &mistake.written;
        let message =
            format!("`{written}` is taken for an expression by Terraform, which refuses the file");
        let with = format!("${written}");
        sink.report(mistake.at, message)
            .help(format!(
                "write `{with}`, or `&{{…}}` in an aws_iam_policy_document"
            ))
            .fix(
                "double the dollar sign",
                true,
                vec![Edit {
                    at: mistake.at,
                    with,
                }],
            );
    }
}
