//! A resource that owns every attachment of a policy.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "exclusive-policy-attachment",
    aliases: &[],
    summary: "aws_iam_policy_attachment, which takes the policy away from everybody else",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("exclusive_policy_attachment.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for grant in &module.grants {
        // What gives the spec's role a right beside the spec is told as that.
        let to_own = sink
            .spec()
            .is_some_and(|spec| module.is_of(spec) && module.is_granted(spec, grant));
        if grant.resource != "aws_iam_policy_attachment" || to_own {
            continue;
        }
        let message = format!(
            "`{}` owns every attachment of its policy in the account: it detaches it from whomever it does not name",
            grant.address
        );
        sink.report(grant.head, message)
            .help("attach it by an `aws_iam_role_policy_attachment` for each role");
    }
}
