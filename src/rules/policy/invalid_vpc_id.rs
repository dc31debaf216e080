//! A condition on a VPC or an endpoint whose value is no id of one.

use crate::diag::Severity;
use crate::model::policy::{Family, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-vpc-id",
    aliases: &[],
    summary: "a value of aws:SourceVpc or aws:SourceVpce that is no id",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_vpc_id.md"),
    check: Check::Policy(check),
};

/// Keys and what their values begin with.
const IDS: [(&str, &str); 2] = [("aws:SourceVpc", "vpc-"), ("aws:SourceVpce", "vpce-")];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy.conditions() {
        let Some((_, start)) = IDS.into_iter().find(|(key, _)| condition.is_on(key)) else {
            continue;
        };
        let strings = condition
            .operator
            .is_some_and(|operator| operator.base.family() == Family::String);
        for value in condition.values.iter().filter(|_| strings) {
            let text = value.text.as_str();
            if text.starts_with(start) || text.contains(['*', '?']) || text.contains("${") {
                continue;
            }
            let message = format!(
                "{} never matches: a value of `{}` begins with `{start}`",
                quoted(text),
                condition.key.as_str()
            );
            sink.report(value.text.span(), message)
                .pointer(value.pointer.clone())
                .help(format!("write the id, such as `{start}0123456789abcdef0`"));
        }
    }
}
