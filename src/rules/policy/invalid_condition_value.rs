//! A condition value that is not of the shape that its operator compares.

use crate::diag::Severity;
use crate::iam::is_readable;
use crate::model::policy::{BaseOperator, Condition, Family, PolicyDocument, Value, has_wildcard};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::resource_placeholder::placeholder;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-condition-value",
    aliases: &[],
    summary: "a condition value of the wrong shape for its operator",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_condition_value.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy.conditions() {
        let Some(operator) = condition.operator.map(|operator| operator.base) else {
            continue;
        };
        for value in &condition.values {
            let text = value.text.as_str();
            if text.contains("${") {
                continue;
            }
            if !is_readable(operator, text) {
                report(condition, operator, value, sink);
            } else if !in_account(operator, value, sink) && operator.family() == Family::String {
                of_key(condition, operator, value, sink);
            }
        }
        let lists = |word: &str| {
            let mut values = condition.values.iter();
            values.any(|value| value.text.as_str().eq_ignore_ascii_case(word))
        };
        if operator == BaseOperator::Null && lists("true") && lists("false") {
            let message = "`Null` with `true` and `false` holds for every request, whether it has the key or not";
            sink.report(condition.span, message)
                .pointer(condition.pointer.clone())
                .help("give one value: `true` demands that the key is absent, `false` that it is there");
        }
        if operator == BaseOperator::Bool && condition.values.len() > 1 {
            let message = "`Bool` with several values: with `true` and `false` among them it holds for every request that has the key";
            sink.report(condition.span, message)
                .pointer(condition.pointer.clone())
                .help("give one value, `true` or `false`");
        }
    }
}

/// An ARN whose account has another number of digits than accounts have; whether it is one.
fn in_account(operator: BaseOperator, value: &Value, sink: &mut Sink<'_>) -> bool {
    let text = value.text.as_str();
    if !text.starts_with("arn:") || !matches!(operator.family(), Family::Arn | Family::String) {
        return false;
    }
    let mut parts = text.splitn(6, ':').skip(4);
    let (Some(account), Some(_)) = (parts.next(), parts.next()) else {
        return false;
    };
    let digits = !account.is_empty() && account.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || is_account(account) {
        return false;
    }
    let effect = never(operator);
    let message = format!(
        "{} has the account {}, and accounts have twelve digits, {effect}",
        quoted(text),
        quoted(account)
    );
    let before: usize = text.split(':').take(4).map(|part| part.len() + 1).sum();
    sink.report(value.text.span_of(before..before + account.len()), message)
        .pointer(value.pointer.clone())
        .help("write the twelve digits of the account, with the zeroes before them, such as `012345678901`");
    true
}

/// What it means for the condition that a value is none that requests carry.
fn never(operator: BaseOperator) -> &'static str {
    if operator.is_negated() {
        "so it shuts nothing out"
    } else {
        "so it never matches"
    }
}

/// A value that the key never has.
fn of_key(condition: &Condition, operator: BaseOperator, value: &Value, sink: &mut Sink<'_>) {
    let text = value.text.as_str();
    if operator.is_pattern() && has_wildcard(text) || placeholder(text).is_some() {
        return;
    }
    let is = |keys: &[&str]| keys.iter().any(|key| condition.is_on(key));
    let (noun, allowed) = if is(&ACCOUNT_KEYS) && !is_account(text) {
        let account = text.split(':').nth(4).filter(|part| is_account(part));
        let help = account.map_or_else(
            || "write the twelve digits of the account, such as `123456789012`".to_owned(),
            |account| format!("write the account alone: `{account}`"),
        );
        ("account", help)
    } else if is(&["aws:RequestedRegion"]) && !is_region(text) {
        let list: Vec<&str> = text
            .split([',', ' '])
            .filter(|part| !part.is_empty())
            .collect();
        let help = if list.iter().all(|part| is_region(part)) {
            let list: Vec<String> = list.iter().map(|part| format!("\"{part}\"")).collect();
            format!("write a list: `[{}]`", list.join(", "))
        } else {
            "write a Region, such as `us-east-1`".to_owned()
        };
        ("Region", help)
    } else if is(&ORGANIZATION_KEYS) && !is_organization(text) {
        let help = "write the id of the organization, such as `o-a1b2c3d4e5`";
        ("organization", help.to_owned())
    } else {
        return;
    };
    let effect = never(operator);
    let message = format!(
        "{} is no {noun}, as {} carries one, {effect}",
        quoted(text),
        quoted(condition.key.as_str())
    );
    sink.report(value.text.span(), message)
        .pointer(value.pointer.clone())
        .help(allowed);
}

/// Keys that carry an account (IAM User Guide, "AWS global condition context keys").
const ACCOUNT_KEYS: [&str; 3] = [
    "aws:PrincipalAccount",
    "aws:ResourceAccount",
    "aws:SourceAccount",
];

/// Keys that carry an organization.
const ORGANIZATION_KEYS: [&str; 3] = ["aws:PrincipalOrgID", "aws:ResourceOrgID", "aws:SourceOrgID"];

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether it has the form of a Region: words and a number, with hyphens between them.
fn is_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let Some((number, words)) = parts.split_last() else {
        return false;
    };
    let word = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    words.len() >= 2 && words.iter().all(word) && digits
}

/// Whether it has the form of an organization's id (Organizations API Reference, `Organization`).
fn is_organization(text: &str) -> bool {
    let id = text.strip_prefix("o-").unwrap_or_default();
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (10..=32).contains(&id.len()) && id.bytes().all(letter)
}

fn report(condition: &Condition, operator: BaseOperator, value: &Value, sink: &mut Sink<'_>) {
    let text = value.text.as_str();
    let (noun, allowed) = match operator.family() {
        Family::Numeric => ("number", "write digits, such as `3600` or `0.5`"),
        Family::Date => (
            "date",
            "write `2026-11-30T12:00:00Z`, or seconds since 1970",
        ),
        Family::Bool | Family::Null => ("truth value", "write `true` or `false`"),
        Family::Binary => ("base64", "write the bytes in base64"),
        Family::Ip => (
            "address or network",
            "write `203.0.113.7`, `203.0.113.0/24` or `2001:db8::/32`",
        ),
        Family::Arn => (
            "ARN",
            "write all six parts, with `*` for any: `arn:aws:iam::123456789012:role/*`",
        ),
        Family::String => return,
    };
    let effect = if operator.is_negated() {
        "which always holds"
    } else {
        "which never holds"
    };
    let message = format!(
        "{} is no {noun} under {}, {effect}",
        quoted(text),
        quoted(condition.operator_text.as_str())
    );
    let draft = sink
        .report(value.text.span(), message)
        .pointer(value.pointer.clone())
        .help(allowed);
    // AWS stores dates that it documents no meaning for.
    if operator.family() == Family::Date && is_stored(text) {
        draft.severity(Severity::Warning);
    }
}

/// Whether `CreatePolicy` takes a date: it has been seen to look at each part alone, and at what is there.
fn is_stored(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if !lower.contains('t') && !lower.contains('-') {
        return lower
            .parse::<u64>()
            .is_ok_and(|seconds| i64::try_from(seconds).is_ok());
    }
    let (date, time) = lower.split_once('t').unwrap_or((&lower, ""));
    let (negative, digits) = date
        .strip_prefix('-')
        .map_or((false, date), |rest| (true, rest));
    let mut parts = digits.split('-');
    let year = parts.next().and_then(|year| year.parse::<i64>().ok());
    let year = year.map(|year| if negative { -year } else { year });
    let within = |part: Option<&str>, range: std::ops::RangeInclusive<i64>| {
        part.is_none_or(|part| part.parse().is_ok_and(|number| range.contains(&number)))
    };
    year.is_some_and(|year| (-292_275_054..=292_278_993).contains(&year))
        && within(parts.next(), 1..=12)
        && within(parts.next(), 1..=31)
        && parts.next().is_none()
        && (time.is_empty() || is_stored_time(time))
}

fn is_stored_time(time: &str) -> bool {
    let within = |part: &str, last: i64| {
        part.parse()
            .is_ok_and(|number: i64| (0..=last).contains(&number))
    };
    let mut parts = time.splitn(3, ':');
    let hour = parts.next().is_some_and(|hour| within(hour, 23));
    let minute = parts.next().is_none_or(|minute| within(minute, 59));
    let rest = parts.next().is_none_or(|rest| {
        let Some(at) = rest.find(['z', '+', '-']) else {
            return false;
        };
        let (clock, zone) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let (second, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let zone = zone.get(1..).unwrap_or_default();
        let mut offset = zone.split(':');
        let hours = offset
            .next()
            .is_none_or(|hours| zone.is_empty() || hours.len() == 2 && within(hours, 23));
        let minutes = offset.next().is_none_or(|minutes| within(minutes, 59));
        within(second, 59) && within(fraction, 999_999_999) && hours && minutes
    });
    hour && minute && rest
}

#[cfg(test)]
mod tests {
    use super::is_stored;

    #[test]
    fn dates_are_judged_part_by_part() {
        for date in [
            "01t",
            "-292275054",
            "2016-12-13T2:00:00.593194+23",
            "2019-07-01T13:20:15Z",
        ] {
            assert!(is_stored(date), "{date}");
        }
        for date in [
            "234-13",
            "2016-12-13t2:00:00.593194+1",
            "2016-12-13t2:00:00.1999999999+10:59",
            "9223372036854775808",
            "soon",
            "2016-13-01",
        ] {
            assert!(!is_stored(date), "{date}");
        }
    }
}
