//! What a monitor that looks the switched records up asks for, and with which addresses it compares the answer, whether
//! it is a `dns` monitor or asks a resolver over HTTPS.

use crate::model::monitor::Monitor;
use crate::model::spec::RecordType;
use crate::syntax::{Node, json, yaml};
use crate::text::{Span, Text};

/// A question and the answers that count as away from home.
pub(super) struct Question {
    /// The name that is looked up.
    pub(super) name: Option<Text>,
    /// The type that is asked for, as it is written; `A` where nothing is.
    pub(super) kind: Option<Text>,
    /// The addresses; `None` where no address can be read.
    pub(super) addresses: Option<Vec<Text>>,
    /// The place of the comparison, if there is one.
    pub(super) at: Option<Span>,
    /// What of the comparison makes it another one.
    pub(super) wrong: Vec<(Span, String)>,
}

impl Question {
    /// Reads it.
    pub(super) fn of(monitor: &Monitor) -> Self {
        if monitor.is("dns") {
            of_dns(monitor)
        } else {
            of_query(monitor)
        }
    }

    /// The type of record, if it is one of those that are switched.
    pub(super) fn record_type(&self) -> Option<RecordType> {
        let written = self.kind.as_ref().map_or("A", Text::as_str);
        match written.to_ascii_uppercase().as_str() {
            "A" | "1" => Some(RecordType::A),
            "AAAA" | "28" => Some(RecordType::Aaaa),
            _ => None,
        }
    }
}

fn of_dns(monitor: &Monitor) -> Question {
    let mut question = Question {
        name: monitor.text("hostname"),
        kind: monitor.text("dns_resolve_type"),
        addresses: None,
        at: None,
        wrong: Vec::new(),
    };
    let Some(entry) = monitor.setting("conditions") else {
        return question;
    };
    question.at = Some(entry.value.span());
    let inner = entry.value.as_text().map(json::read);
    let inner = inner.as_ref().and_then(|parsed| parsed.documents.first());
    let list = inner.unwrap_or(&entry.value).as_list().unwrap_or_default();
    let mut addresses = Vec::new();
    take(list, &mut question, &mut addresses);
    question.addresses = Some(addresses);
    question
}

/// The comparisons of conditions, and those of their groups.
fn take(list: &[Node], question: &mut Question, addresses: &mut Vec<Text>) {
    for (index, condition) in list.iter().enumerate() {
        if let Some(children) = condition.get("children").and_then(Node::as_list) {
            take(children, question, addresses);
            question.wrong.extend(junction(condition, index));
            continue;
        }
        let part = |key: &str| condition.get(key).and_then(yaml::as_written);
        if let Some(operator) = part("operator").filter(|it| it.as_str() != "equals") {
            let message = format!(
                "the answer is compared by `{}`, not by `equals`",
                operator.as_str()
            );
            question.wrong.push((operator.span(), message));
        }
        question.wrong.extend(junction(condition, index));
        addresses.extend(part("value"));
    }
}

/// The first condition's `andOr` says nothing; between the others, one that is met must be enough.
fn junction(condition: &Node, index: usize) -> Option<(Span, String)> {
    if index == 0 {
        return None;
    }
    let written = condition.get("andOr").and_then(yaml::as_written);
    let word = written.as_ref().map_or("and", Text::as_str);
    let at = written
        .as_ref()
        .map_or_else(|| condition.span(), Text::span);
    (word != "or").then(|| {
        let message = "all conditions must be met at once, but a record answers with one standby; write `andOr: or`";
        (at, message.to_owned())
    })
}

fn of_query(monitor: &Monitor) -> Question {
    let url = monitor.text("url");
    let parameter = |name: &str| url.as_ref().and_then(|url| parameter(url, name));
    let path = monitor.text("json_path");
    let expected = monitor.text("expected_value");
    let mut question = Question {
        name: parameter("name"),
        kind: parameter("type"),
        addresses: None,
        at: path.as_ref().map(Text::span),
        wrong: Vec::new(),
    };
    let operator = monitor.text("json_path_operator");
    if let Some(operator) = operator.filter(|operator| operator.as_str() != "==") {
        let message = format!(
            "the answer is compared by `{}`, not by `==`",
            operator.as_str()
        );
        question.wrong.push((operator.span(), message));
    }
    let (Some(path), Some(expected)) = (path, expected) else {
        return question;
    };
    let number = match question.record_type() {
        Some(RecordType::Aaaa) => "28",
        Some(RecordType::A) | None => "1",
    };
    let answer = format!("Answer[type={number}][0].data");
    match path.as_str().trim().strip_prefix(&answer) {
        Some("") => question.addresses = Some(vec![expected]),
        Some(rest) => {
            if expected.as_str() != "true" {
                let message = format!(
                    "whether the answer is among the addresses is compared with `{}`, not with `true`",
                    expected.as_str()
                );
                question.wrong.push((expected.span(), message));
            }
            question.addresses = among(&path, rest);
        }
        None => {}
    }
    if question.addresses.is_none() {
        let message = format!(
            "`{}` is not `{answer}`, the answer to this question",
            path.as_str()
        );
        question.wrong.push((path.span(), message));
    }
    question
}

/// The addresses of ` in ["…", "…"]`, which is the end of `path`.
fn among(path: &Text, rest: &str) -> Option<Vec<Text>> {
    let list = rest.trim_start().strip_prefix("in")?.trim();
    let inner = list.strip_prefix('[')?.strip_suffix(']')?;
    let mut at = path.as_str().find(list)? + 1;
    let mut found = Vec::new();
    for item in inner.split(',') {
        let word = item.trim();
        let bare = word.trim_matches(['"', '\'']);
        let start = at + item.find(word)?;
        found.push(Text::verbatim(
            bare,
            path.span_of(start..start + word.len()),
        ));
        at += item.len() + 1;
    }
    Some(found)
}

/// The value of a parameter of a URL.
fn parameter(url: &Text, name: &str) -> Option<Text> {
    let query = url.as_str().find('?')? + 1;
    let mut at = query;
    for pair in url.as_str().get(query..)?.split('&') {
        if let Some((key, value)) = pair.split_once('=')
            && key == name
        {
            let start = at + key.len() + 1;
            return Some(Text::verbatim(
                value.replace("%5C", "\\"),
                url.span_of(start..start + value.len()),
            ));
        }
        at += pair.len() + 1;
    }
    None
}
