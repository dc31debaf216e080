//! An ARN without the account that every ARN of its kind has.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::arn_parts::{Arn, Part, lacking};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "missing-arn-account",
    aliases: &[],
    summary: "an ARN without the account that its resources have",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("missing_arn_account.md"),
    check: Check::Policy(check),
};

/// Services whose resources always belong to an account (their pages in the Service Authorization Reference). Others, such
/// as Systems Manager and EC2, publish resources of their own without one.
const OWNED: [&str; 14] = [
    "dynamodb",
    "ecr",
    "ecs",
    "firehose",
    "iam",
    "kinesis",
    "kms",
    "lambda",
    "logs",
    "secretsmanager",
    "sns",
    "sqs",
    "states",
    "sts",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let may_lack = |arn: &Arn<'_>| !OWNED.contains(&arn.service);
    for (value, arn) in lacking(policy, Part::Account, may_lack) {
        // With the Region missing too, that is told for both.
        if arn.region.is_empty() && arn.lacks(Part::Region) {
            continue;
        }
        let message = format!(
            "{} names no account, and every such resource of {} has one: it matches nothing",
            quoted(arn.text),
            quoted(arn.service)
        );
        sink.report(value.text.span(), message)
            .pointer(value.pointer.clone())
            .help(format!(
                "write the twelve digits of the account, or `*` for any: {}",
                quoted(&format!(
                    "arn:{}:{}:{}:*:{}",
                    arn.partition, arn.service, arn.region, arn.id
                ))
            ));
    }
}
