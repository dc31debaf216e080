//! A right to change records that no condition limits to names.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, route53};
use crate::rules::{Check, Rule, Sink, Tier};

use super::grant;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-names-unrestricted",
    aliases: &[],
    summary: "a right to change records of any name",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_names_unrestricted.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    grant::report_unlimited(
        policy,
        sink,
        route53::NAMES_KEY,
        "records of any name be changed",
        |_, draft| {
            draft.help(
            "list the names: \"ForAllValues:StringEquals\": {\"route53:ChangeResourceRecordSetsNormalizedRecordNames\": [\"www.example.com\"]}, with a Null guard",
        );
        },
    );
}
