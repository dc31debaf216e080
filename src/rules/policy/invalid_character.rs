//! A character that IAM takes in no policy.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Entry, Kind, Node, Step};
use crate::text::{Origin, Span, Text, quoted};

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
    byte_order_mark(policy, sink);
    if is_plain(policy, sink) {
        return;
    }
    walk(&policy.root, &mut Vec::new(), sink);
}

/// Whether the policy is JSON as it stands in its file, of characters of a keyboard alone and with no escape that makes
/// others: then no value has one.
fn is_plain(policy: &PolicyDocument, sink: &Sink<'_>) -> bool {
    let span = policy.span();
    let path = sink.path(span);
    let as_it_stands = policy.address.is_none()
        && matches!(policy.root.origin, Origin::Source(_))
        && [".json", ".jsonl"].iter().any(|end| path.ends_with(end));
    // `\u` begins every escape that makes other characters; a document in a string or in a percent-encoded text has it, or
    // a percent sign, too.
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r') && byte != b'%';
    let written = sink.written(span);
    as_it_stands
        && written.bytes().fold(true, |all, byte| all & plain(byte))
        && !written.contains("\\u")
}

/// The mark that some editors put before the text goes to IAM with the file.
fn byte_order_mark(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let mark = Span::new(policy.span().file, 0, BOM.len_utf8());
    if sink.path(mark).ends_with(".json") && sink.written(mark).starts_with(BOM) {
        sink.report(
            mark,
            "the file begins with a byte order mark, which IAM takes in no policy",
        )
        .pointer("")
        .help("save the file as UTF-8 without a byte order mark");
    }
}

const BOM: char = '\u{feff}';

fn walk<'a>(node: &'a Node, way: &mut Vec<Step<'a>>, sink: &mut Sink<'_>) {
    match &node.kind {
        Kind::Text(text) => judge(text, way, sink),
        Kind::List(items) => {
            for (index, item) in items.iter().enumerate() {
                way.push(Step::Index(index));
                walk(item, way, sink);
                way.pop();
            }
        }
        Kind::Map(entries) => {
            for Entry { key, value } in entries {
                way.push(Step::Key(key.as_str()));
                judge(key, way, sink);
                walk(value, way, sink);
                way.pop();
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => {}
    }
}

/// The set of the policy documents of IAM's API: tab, line feed, carriage return, and U+0020 to U+00FF.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{ff}')
}

fn judge(text: &Text, way: &[Step<'_>], sink: &mut Sink<'_>) {
    let value = text.as_str();
    // Nearly all are of these alone, which is seen of many bytes at once where none ends the walk.
    let plain = |all, byte| all & matches!(byte, b' '..=b'~');
    if value.bytes().fold(true, plain) {
        return;
    }
    let Some(start) = value.find(|character| !is_allowed(character)) else {
        return;
    };
    let rest = value.get(start..).unwrap_or_default();
    let faulty = rest.split(is_allowed).next().unwrap_or_default();
    let message = format!("{} cannot stand in a policy of IAM", quoted(faulty));
    let place = text.span_of(start..start + faulty.len());
    sink.report(place, message)
        .pointer(Step::pointer(way))
        .help("allowed are tab, line feed, carriage return and the characters U+0020 to U+00FF");
}
