//! An operator for another type of value than its condition key carries.

use crate::diag::Severity;
use crate::iam::catalog::{self, Key, KeyType};
use crate::model::policy::{Condition, Family, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "operator-type-mismatch",
    aliases: &[],
    summary: "an operator that does not fit the type of its condition key",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("operator_type_mismatch.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy.conditions() {
        let Some(family) = condition.operator.map(|operator| operator.base.family()) else {
            continue;
        };
        let Some(key) = catalog::key(condition.key.as_str()) else {
            continue;
        };
        if !fits(family, key) || is_no_truth_value(family, key, condition) {
            report(condition, key, sink);
        }
    }
}

/// Whether values of the key can be compared by the operators of a family. ARNs and truth values are compared as strings
/// as well.
fn fits(family: Family, key: Key) -> bool {
    match family {
        Family::Null => true,
        Family::String => !matches!(key.kind, KeyType::Numeric | KeyType::Date | KeyType::Ip),
        Family::Arn => matches!(key.kind, KeyType::Arn | KeyType::Text),
        Family::Numeric => key.kind == KeyType::Numeric || is_epoch(key),
        Family::Date => key.kind == KeyType::Date,
        Family::Bool => key.kind == KeyType::Bool,
        Family::Binary => matches!(key.kind, KeyType::Binary | KeyType::Text),
        Family::Ip => key.kind == KeyType::Ip,
    }
}

/// Whether a truth value is compared as a string with something that it never is; `true` and `false` do as strings.
fn is_no_truth_value(family: Family, key: Key, condition: &Condition) -> bool {
    let fits = |text: &str| {
        text.contains(['*', '?', '$'])
            || ["true", "false"]
                .iter()
                .any(|word| text.eq_ignore_ascii_case(word))
    };
    family == Family::String
        && key.kind == KeyType::Bool
        && condition
            .values
            .iter()
            .any(|value| !fits(value.text.as_str()))
}

/// Seconds since 1970 are numbers too.
fn is_epoch(key: Key) -> bool {
    key.name == "aws:EpochTime"
}

fn report(condition: &Condition, key: Key, sink: &mut Sink<'_>) {
    let (what, operators) = match key.kind {
        KeyType::Text => ("strings", "`StringEquals` or `StringLike`"),
        KeyType::Arn => ("ARNs", "`ArnLike` or `ArnEquals`"),
        KeyType::Bool => ("`true` or `false`", "`Bool`"),
        KeyType::Numeric => ("numbers", "`NumericEquals` and its kin"),
        KeyType::Date => ("points in time", "`DateLessThan` and its kin"),
        KeyType::Ip => ("addresses", "`IpAddress` or `NotIpAddress`"),
        KeyType::Binary => ("bytes in base64", "`BinaryEquals`"),
    };
    let message = format!(
        "{} is no operator for {}, which carries {what}",
        quoted(condition.operator_text.as_str()),
        quoted(condition.key.as_str())
    );
    sink.report(condition.key.span(), message)
        .pointer(condition.pointer.clone())
        .related(condition.operator_text.span(), "the operator")
        .help(format!("write {operators}"));
}
