//! A right to change records that no condition limits to types.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};

use super::grant;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-types-unrestricted",
    aliases: &[],
    summary: "a right to change records of any type",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("r53_types_unrestricted.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    grant::report_unlimited(
        policy,
        sink,
        route53::TYPES_KEY,
        "records of any type be changed, NS among them",
        |_, draft| {
            draft.help(
            "list the types: \"ForAllValues:StringEquals\": {\"route53:ChangeResourceRecordSetsRecordTypes\": [\"A\"]}, with a Null guard",
        );
        },
    );
}
