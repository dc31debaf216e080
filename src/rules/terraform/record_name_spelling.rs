//! A record name in the spelling of another tool.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "record-name-spelling",
    aliases: &[],
    summary: "a record name spelled as another tool spells it, which makes another record",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("record_name_spelling.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for record in &module.records {
        let Some(name) = record.name.as_ref().and_then(Node::as_text) else {
            continue;
        };
        let Some((message, help, severity)) = fault(name.as_str()) else {
            continue;
        };
        sink.report(name.span(), message)
            .severity(severity)
            .help(help);
    }
}

/// What the name makes, what to write, and how bad it is.
fn fault(name: &str) -> Option<(String, String, Severity)> {
    if let Some(zone) = name.strip_prefix('@') {
        let zone = zone.strip_prefix('.').filter(|zone| !zone.is_empty());
        if zone.is_some() || name == "@" {
            let written = zone.unwrap_or_default();
            return Some((
                format!(
                    "`{name}` is no apex to Route 53, which makes a record whose first label is an at sign"
                ),
                format!("write the name of the zone, or \"{written}\""),
                Severity::Error,
            ));
        }
    }
    let behind = name.split_once('.').map_or("", |(_, behind)| behind);
    if behind.split('.').any(|label| label == "*") {
        return Some((
            format!(
                "`{name}` is no wildcard: only a star that is the whole first label is one, and Route 53 takes this one for the character"
            ),
            "put the star first, or name the records".to_owned(),
            Severity::Warning,
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_have_no_fault() {
        for plain in [
            "",
            "www",
            "*",
            "*.example.com",
            "_dmarc.example.com",
            "\\052.example.com",
            "@home.example.com",
        ] {
            assert_eq!(fault(plain), None, "{plain}");
        }
        for other in ["@", "@.example.com", "a.*.example.com"] {
            assert!(fault(other).is_some(), "{other}");
        }
    }
}
