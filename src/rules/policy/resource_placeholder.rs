//! A placeholder of a template that was left in an ARN.

use crate::diag::Severity;
use std::ops::Range;

use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{cut_at_colon, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "resource-placeholder",
    aliases: &[],
    summary: "a placeholder left in a resource",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("resource_placeholder.md"),
    check: Check::Policy(check),
};

/// Words that stand in templates and in no id.
const WORDS: [&str; 12] = [
    "YOUR",
    "ZONEID",
    "ZONE_ID",
    "ZONE-ID",
    "HOSTED_ZONE",
    "HOSTED-ZONE",
    "PLACEHOLDER",
    "REPLACE",
    "CHANGEME",
    "CHANGE_ME",
    "INSERT",
    "XXXX",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let resources = policy
        .statements
        .iter()
        .filter_map(|statement| statement.resources.as_ref());
    for value in resources.flat_map(|resources| &resources.values) {
        let text = value.text.as_str();
        let Some(at) = placeholder(text) else {
            continue;
        };
        let left = text.get(at.clone()).unwrap_or_default();
        let message = format!(
            "{} was left in {}, which matches nothing",
            quoted(left),
            quoted(text)
        );
        sink.report(value.text.span_of(at), message)
            .pointer(value.pointer.clone())
            .help("write the real id, such as `arn:aws:route53:::hostedzone/Z0123456789EXAMPLE`");
    }
}

/// The placeholder in an ARN: `<…>` or `{…}` anywhere but in a variable, and in the id of a Route 53 resource a word that
/// stands only in templates.
pub(super) fn placeholder(arn: &str) -> Option<Range<usize>> {
    // Most ARNs have none of these, which is seen of many bytes at once.
    let open = |some, byte| some | matches!(byte, b'<' | b'{');
    if !arn.starts_with("arn:") {
        return None;
    }
    if !arn.bytes().fold(false, open) {
        return word(arn);
    }
    bracketed(arn, '<', '>')
        .or_else(|| bracketed(arn, '{', '}'))
        .or_else(|| word(arn))
}

fn bracketed(arn: &str, open: char, close: char) -> Option<Range<usize>> {
    let start = arn.find(open)?;
    let inside = arn.get(start + 1..)?;
    let length = inside.find(close)?;
    let variable = arn.get(..start)?.ends_with('$');
    let named = inside.get(..length)?.chars().any(char::is_alphabetic);
    (named && !variable).then_some(start..start + length + 2)
}

fn word(arn: &str) -> Option<Range<usize>> {
    let (_, of_service) = cut_at_colon(arn.strip_prefix("arn:")?)?;
    let (before, id) = of_service.strip_prefix("route53:::")?.split_once('/')?;
    let upper = id.to_ascii_uppercase();
    let start = arn.len() - id.len();
    let known = WORDS.iter().any(|word| upper.contains(word)) && !before.is_empty();
    (known && !id.contains("${")).then_some(start..arn.len())
}
