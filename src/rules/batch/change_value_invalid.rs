//! A value that Route 53 refuses for its type.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::diag::Severity;
use crate::model::batch::{Change, ChangeBatch};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Node, yaml};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "change-value-invalid",
    aliases: &[],
    summary: "a value of a record that Route 53 refuses for its type",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("change_value_invalid.md"),
    check: Check::Batch(check),
};

fn check(batch: &ChangeBatch, sink: &mut Sink<'_>) {
    let changes = batch.changes.iter();
    for change in changes.filter(|change| change.action.is_some()) {
        let Some(kind) = change.text("Type") else {
            continue;
        };
        let values = values(change);
        for value in &values {
            if let Some((reason, help)) = fault(kind.as_str(), value.as_str()) {
                let shown = value.as_str();
                sink.report(value.span(), format!("`{shown}` {reason}"))
                    .help(help);
            }
        }
        if let Some(second) = values.get(1).filter(|_| kind.as_str() == "CNAME") {
            sink.report(
                second.span(),
                "a CNAME record has one value, and this is a second",
            )
            .help("leave one value, or take records of type A");
        }
    }
}

fn values(change: &Change) -> Vec<Text> {
    let records = change.set.get("ResourceRecords").and_then(Node::as_list);
    let records = records.unwrap_or_default().iter();
    let values = records.filter_map(|record| yaml::as_written(record.get("Value")?));
    values.collect()
}

/// Why Route 53 refuses a value, and what to write. What a script or a template fills in later is not known.
fn fault(kind: &str, value: &str) -> Option<(&'static str, &'static str)> {
    if value.contains(['$', '{', '<', '%']) {
        return None;
    }
    let is_name = |name: &str| !name.is_empty() && name.parse::<Ipv4Addr>().is_err();
    let fits = match kind {
        "A" => value.parse::<Ipv4Addr>().is_ok(),
        "AAAA" => value.parse::<Ipv6Addr>().is_ok(),
        "CNAME" => is_name(value) && !value.contains(char::is_whitespace),
        "TXT" | "SPF" => is_quoted(value),
        "MX" => value.split_once(' ').is_some_and(|(priority, name)| {
            priority.parse::<u16>().is_ok() && is_name(name.trim())
        }),
        _ => true,
    };
    if fits {
        return None;
    }
    Some(match kind {
        "A" => (
            "is no IPv4 address",
            "write four numbers from 0 to 255: `203.0.113.20`",
        ),
        "AAAA" => (
            "is no IPv6 address",
            "write an address such as `2001:db8::20`",
        ),
        "CNAME" => (
            "is no name, which the value of a CNAME record is",
            "write the name of a host; an address stands in a record of type A or AAAA",
        ),
        "MX" => (
            "is no value of an MX record",
            "write a number and the name of a host: `10 mail.example.com`",
        ),
        _ => (
            "is not in quotation marks, or a string in it has more than 255 characters",
            "write strings of 255 characters at most, each in quotation marks: `\"v=spf1 -all\"` with the marks in the value",
        ),
    })
}

/// Strings in quotation marks with blanks between them, none longer than 255 characters.
fn is_quoted(value: &str) -> bool {
    let mut rest = value.trim();
    while let Some(inside) = rest.strip_prefix('"') {
        let mut escaped = false;
        let end = inside.char_indices().find(|(_, glyph)| {
            let ends = *glyph == '"' && !escaped;
            escaped = *glyph == '\\' && !escaped;
            ends
        });
        let Some((end, _)) = end else { return false };
        let string = inside.get(..end).unwrap_or_default();
        if string.chars().count() > 255 {
            return false;
        }
        rest = inside.get(end + 1..).unwrap_or_default().trim_start();
        if rest.is_empty() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_values_of_its_own() {
        for (kind, value) in [
            ("A", "203.0.113.20"),
            ("A", "$IP"),
            ("AAAA", "2001:db8::20"),
            ("CNAME", "www.example.com."),
            ("TXT", r#""v=spf1 -all""#),
            ("TXT", r#""one" "two \" of it""#),
            ("MX", "10 mail.example.com"),
            ("SRV", "anything"),
        ] {
            assert_eq!(fault(kind, value), None, "{kind} {value}");
        }
        let long = format!("\"{}\"", "x".repeat(256));
        for (kind, value) in [
            ("A", "203.0.113.300"),
            ("A", "hub.example.com"),
            ("AAAA", "203.0.113.20"),
            ("CNAME", "203.0.113.20"),
            ("TXT", "v=spf1 -all"),
            ("TXT", r#""one" two"#),
            ("TXT", &long),
            ("MX", "mail.example.com"),
        ] {
            assert!(fault(kind, value).is_some(), "{kind} {value}");
        }
    }
}
