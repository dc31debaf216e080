//! Which `ContextKeyType` a key is sent with: the type of a global key that has one (IAM User Guide, "AWS global condition
//! context keys"), else the type that the policies compare it by, else string.

use std::net::IpAddr;

use crate::model::policy::{Family, PolicyDocument};

use super::super::ContextValue;

/// Global keys that are no strings.
const KNOWN: [(&str, Family); 10] = [
    ("aws:CurrentTime", Family::Date),
    ("aws:EpochTime", Family::Numeric),
    ("aws:MultiFactorAuthAge", Family::Numeric),
    ("aws:MultiFactorAuthPresent", Family::Bool),
    ("aws:PrincipalIsAWSService", Family::Bool),
    ("aws:SecureTransport", Family::Bool),
    ("aws:SourceIp", Family::Ip),
    ("aws:TokenIssueTime", Family::Date),
    ("aws:ViaAWSService", Family::Bool),
    ("aws:VpcSourceIp", Family::Ip),
];

/// The type of `key` with `value` under these policies. A value that is none of the type makes it a string, which no
/// operator of the type matches, as the evaluator has it.
pub(super) fn context_type(
    key: &str,
    value: &ContextValue,
    documents: &[&PolicyDocument],
) -> &'static str {
    let family = family(key, documents);
    let fits = !value.values().is_empty() && value.values().iter().all(|text| reads(text, family));
    let (one, many) = match family {
        Family::Numeric if fits => ("numeric", "numericList"),
        Family::Date if fits => ("date", "dateList"),
        Family::Bool if fits => ("boolean", "booleanList"),
        Family::Binary if fits => ("binary", "binaryList"),
        Family::Ip if fits => ("ip", "ipList"),
        Family::Numeric
        | Family::Date
        | Family::Bool
        | Family::Binary
        | Family::Ip
        | Family::String
        | Family::Arn
        | Family::Null => ("string", "stringList"),
    };
    match value {
        ContextValue::Single(_) => one,
        ContextValue::Multi(_) => many,
    }
}

fn family(key: &str, documents: &[&PolicyDocument]) -> Family {
    if let Some((_, family)) = KNOWN
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(key))
    {
        return *family;
    }
    let mut families = documents
        .iter()
        .flat_map(|document| document.conditions())
        .filter(|condition| condition.is_on(key))
        .filter_map(|condition| Some(condition.operator?.base.family()))
        .filter(|family| *family != Family::Null);
    let first = families.next().unwrap_or(Family::String);
    if families.all(|other| other == first) {
        first
    } else {
        Family::String
    }
}

fn reads(text: &str, family: Family) -> bool {
    match family {
        Family::Numeric => {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            digits.starts_with(|first: char| first.is_ascii_digit())
                && digits.matches('.').count() <= 1
                && digits.chars().all(|one| one.is_ascii_digit() || one == '.')
        }
        Family::Date => text.starts_with(|first: char| first.is_ascii_digit()),
        Family::Bool => matches!(text, "true" | "false"),
        Family::Binary => {
            !text.is_empty()
                && text
                    .chars()
                    .all(|one| one.is_ascii_alphanumeric() || "+/=".contains(one))
        }
        Family::Ip => {
            let address = text.split('/').next().unwrap_or_default();
            address.parse::<IpAddr>().is_ok()
        }
        Family::String | Family::Arn | Family::Null => true,
    }
}
