//! An ARN without the Region that every ARN of its kind has.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::arn_parts::{Arn, Part, lacking};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "missing-arn-region",
    aliases: &[],
    summary: "an ARN without the Region that its resources have",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("missing_arn_region.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for (value, arn) in lacking(policy, Part::Region, is_global) {
        let also = if arn.account.is_empty() && arn.lacks(Part::Account) {
            " and no account"
        } else {
            ""
        };
        let account = if also.is_empty() { arn.account } else { "*" };
        let message = format!(
            "{} names no Region{also}, and every such resource of {} has one: it matches nothing",
            quoted(arn.text),
            quoted(arn.service)
        );
        sink.report(value.text.span(), message)
            .pointer(value.pointer.clone())
            .help(format!(
                "write the Region, or `*` for any: {}",
                quoted(&format!(
                    "arn:{}:{}:*:{account}:{}",
                    arn.partition, arn.service, arn.id
                ))
            ));
    }
}

/// These have none, and are most of what has none; what has one in S3 has an account, too.
fn is_global(arn: &Arn<'_>) -> bool {
    matches!(arn.service, "iam" | "route53") || arn.service == "s3" && arn.account.is_empty()
}
