//! A character that IAM takes in no policy.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Entry, Kind, Node, pointer};
use crate::text::{Text, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-character",
    aliases: &[],
    summary: "a character that IAM takes in no policy",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("invalid_character.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    walk(&policy.root, "", sink);
}

fn walk(node: &Node, at: &str, sink: &mut Sink<'_>) {
    match &node.kind {
        Kind::Text(text) => judge(text, at, sink),
        Kind::List(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &pointer::join(at, index), sink);
            }
        }
        Kind::Map(entries) => {
            for Entry { key, value } in entries {
                let at = pointer::join(at, key.as_str());
                judge(key, &at, sink);
                walk(value, &at, sink);
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => {}
    }
}

/// The set of the policy documents of IAM's API: tab, line feed, carriage return, and U+0020 to U+00FF.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{ff}')
}

fn judge(text: &Text, at: &str, sink: &mut Sink<'_>) {
    let value = text.as_str();
    let Some(start) = value.find(|character| !is_allowed(character)) else {
        return;
    };
    let rest = value.get(start..).unwrap_or_default();
    let faulty = rest.split(is_allowed).next().unwrap_or_default();
    let message = format!("{} cannot stand in a policy of IAM", quoted(faulty));
    let place = text.span_of(start..start + faulty.len());
    sink.report(place, message)
        .pointer(at)
        .help("allowed are tab, line feed, carriage return and the characters U+0020 to U+00FF");
}
