//! Policies as they are read: normalised, and each statement in words.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::diag::{Undecided, Unread};
use crate::model::policy::{
    BaseOperator, Condition, Effect, Elements, Operator, PolicyDocument, PolicyVersion, Principals,
    Quantifier, Statement,
};
use crate::text::{SourceMap, Span};

use super::Format;
use super::json::View;

/// What was found.
#[derive(Debug)]
pub struct Inspection<'a> {
    /// The policies, in the order of their files.
    pub policies: Vec<&'a PolicyDocument>,
    /// What is not known of them.
    pub undecided: &'a [Undecided],
    /// What could not be read.
    pub unread: &'a [Unread],
}

/// Writes what was found, for people or as JSON.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_inspection(
    format: Format,
    inspection: &Inspection<'_>,
    sources: &SourceMap,
    out: &mut dyn Write,
) -> io::Result<()> {
    if format == Format::Json {
        return as_json(inspection, sources, out);
    }
    for policy in &inspection.policies {
        human(policy, sources, out)?;
    }
    for undecided in inspection.undecided {
        let place = place(sources, undecided.at);
        writeln!(
            out,
            "undecided {place}: {}: {}",
            undecided.what, undecided.why
        )?;
    }
    for unread in inspection.unread {
        let place = unread
            .at
            .map_or_else(|| unread.path.clone(), |at| place(sources, at));
        writeln!(out, "unread {place}: {}", unread.reason)?;
    }
    let statements: usize = inspection
        .policies
        .iter()
        .map(|policy| policy.statements.len())
        .sum();
    let count = |number: usize, one: &str, many: &str| {
        format!("{number} {}", if number == 1 { one } else { many })
    };
    writeln!(
        out,
        "{}, {}, {} undecided, {} unread",
        count(inspection.policies.len(), "policy", "policies"),
        count(statements, "statement", "statements"),
        inspection.undecided.len(),
        inspection.unread.len()
    )
}

fn place(sources: &SourceMap, at: Span) -> String {
    let path = sources.path(at.file);
    sources.positions(at).map_or_else(
        || path.to_owned(),
        |(start, _)| format!("{path}:{}:{}", start.line, start.column),
    )
}

fn version(policy: &PolicyDocument) -> &'static str {
    match policy.grammar() {
        PolicyVersion::V2012 => "2012-10-17",
        PolicyVersion::V2008 => "2008-10-17",
    }
}

fn human(policy: &PolicyDocument, sources: &SourceMap, out: &mut dyn Write) -> io::Result<()> {
    let known = if policy.kind_is_given {
        ""
    } else {
        ", as it seems"
    };
    let inside = match (&policy.address, policy.place.as_str()) {
        (Some(address), _) => format!(" `{address}`"),
        (None, "") => String::new(),
        (None, pointer) => format!(" at `{pointer}`"),
    };
    writeln!(
        out,
        "{}{inside}: {} policy{known}, version {}{}",
        place(sources, policy.span()),
        policy.kind.word(),
        version(policy),
        if policy.version.is_none() {
            " since none is given"
        } else {
            ""
        }
    )?;
    for statement in &policy.statements {
        let sid = statement
            .sid
            .as_ref()
            .map_or_else(String::new, |sid| format!(" `{}`", sid.as_str()));
        writeln!(
            out,
            "  statement {}{sid} {}",
            statement.index,
            verb(statement)
        )?;
        for (label, lines) in parts(policy, statement) {
            for (index, line) in lines.iter().enumerate() {
                let label = if index == 0 { label } else { "" };
                writeln!(out, "    {label:9} {line}")?;
            }
        }
        for malformed in policy
            .malformed
            .iter()
            .filter(|part| is_in(statement, &part.pointer))
        {
            writeln!(
                out,
                "    {:9} {}: {}",
                "wrong", malformed.pointer, malformed.message
            )?;
        }
    }
    writeln!(out)
}

fn is_in(statement: &Statement, pointer: &str) -> bool {
    pointer
        .strip_prefix(statement.pointer.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn verb(statement: &Statement) -> &'static str {
    match statement.effect.as_ref().map(|effect| effect.value) {
        Some(Effect::Allow) => "allows",
        Some(Effect::Deny) => "denies, whatever else allows it",
        None => "has no effect that is known",
    }
}

/// What a statement says, by element.
fn parts(policy: &PolicyDocument, statement: &Statement) -> Vec<(&'static str, Vec<String>)> {
    let elements = |elements: &Option<Elements>, of: &str| match elements {
        Some(elements) => {
            let pointer = format!("{}/{}", statement.pointer, elements.key.as_str());
            listed(elements, of, is_open(policy, &pointer))
        }
        None => Vec::new(),
    };
    let mut on = elements(&statement.resources, "resource");
    if statement.resources.is_none() && !policy.kind.has_principals() {
        on.push("nothing: no resource is named".to_owned());
    }
    vec![
        (
            "whom",
            statement.principals.as_ref().map_or_else(Vec::new, whom),
        ),
        ("what", elements(&statement.actions, "action")),
        ("on", on),
        ("if", conditions_in_words(statement)),
    ]
}

fn listed(elements: &Elements, of: &str, open: bool) -> Vec<String> {
    let mut lines: Vec<String> = elements.strings().map(|value| said(value, of)).collect();
    if elements.negated {
        for line in &mut lines {
            line.insert_str(0, "all but ");
        }
    }
    if elements.incomplete && open {
        lines.push("and what is not known".to_owned());
    } else if lines.is_empty() {
        lines.push(format!("no {of} that could be read"));
    }
    lines
}

fn said(value: &str, of: &str) -> String {
    match value {
        "*" => format!("every {of}"),
        other => other.to_owned(),
    }
}

fn whom(principals: &Principals) -> Vec<String> {
    let but = if principals.negated { "all but " } else { "" };
    let mut lines: Vec<String> = principals
        .entries
        .iter()
        .map(|entry| match (&entry.kind, entry.value.text.as_str()) {
            (None, _) => format!("{but}everybody"),
            (Some(kind), "*") if kind.as_str() == "AWS" => format!("{but}everybody"),
            (Some(kind), value) => format!("{but}{} {value}", kind.as_str()),
        })
        .collect();
    if principals.incomplete {
        lines.push("and who is not known".to_owned());
    }
    lines
}

fn conditions_in_words(statement: &Statement) -> Vec<String> {
    let said = |condition| words(condition, is_carried(statement, condition));
    statement.conditions.iter().map(said).collect()
}

/// Whether a `Null` of the same statement demands the key.
fn is_carried(statement: &Statement, condition: &Condition) -> bool {
    statement
        .conditions_on(condition.key.as_str())
        .filter(|other| other.operator.is_some_and(is_plain_null))
        .any(|guard| !guard.values.is_empty() && !demands_absence(guard) && !asks_nothing(guard))
}

fn is_plain_null(operator: Operator) -> bool {
    operator.base == BaseOperator::Null && operator.quantifier.is_none()
}

fn demands_absence(guard: &Condition) -> bool {
    let mut values = guard.values.iter().map(|value| value.text.as_str());
    values.all(|value| value.eq_ignore_ascii_case("true"))
}

/// Whether a `Null` holds for every request: with `true` and `false` in one list.
fn asks_nothing(guard: &Condition) -> bool {
    let lists = |word: &str| {
        let mut values = guard.values.iter();
        values.any(|value| value.text.as_str().eq_ignore_ascii_case(word))
    };
    lists("true") && lists("false")
}

/// A condition in words; `carried` where its statement demands the key besides.
fn words(condition: &Condition, carried: bool) -> String {
    let key = format!("`{}`", condition.key.as_str());
    let Some(operator) = condition.operator else {
        return format!(
            "{key} {}, which is no operator",
            condition.operator_text.as_str()
        );
    };
    let values: Vec<String> = condition
        .values
        .iter()
        .map(|value| format!("`{}`", value.text.as_str()))
        .collect();
    if operator.base == BaseOperator::Null && asks_nothing(condition) {
        return format!(
            "the request carries {key} or does not carry it: this holds for every request"
        );
    }
    if operator.base == BaseOperator::Null {
        let carries = if demands_absence(condition) {
            "does not carry"
        } else {
            "carries"
        };
        return format!("the request {carries} {key}");
    }
    let unknown = if condition.incomplete {
        ", or a value that is not known"
    } else {
        ""
    };
    let list = match values.as_slice() {
        [] => "no value".to_owned(),
        [one] => one.clone(),
        // "does not match one of them" could be said of what matches another.
        many if operator.base.is_negated() => format!("any of {}", many.join(", ")),
        many => format!("one of {}", many.join(", ")),
    };
    let verb = relation(operator.base);
    let test = format!("{verb} {list}{unknown}");
    let absent = !carried && (operator.if_exists || operator.base.is_negated());
    match operator.quantifier {
        Some(Quantifier::ForAllValues) if carried => format!("every value of {key} {test}"),
        Some(Quantifier::ForAllValues) => {
            format!("every value of {key} {test}, or there is no {key}")
        }
        Some(Quantifier::ForAnyValue) => format!("at least one value of {key} {test}"),
        None if absent => format!("{key} {test}, or there is no {key}"),
        None => format!("{key} {test}"),
    }
}

fn relation(base: BaseOperator) -> &'static str {
    match base {
        BaseOperator::StringEquals | BaseOperator::BinaryEquals | BaseOperator::Bool => "is",
        BaseOperator::NumericEquals | BaseOperator::DateEquals => "equals",
        BaseOperator::StringNotEquals => "is not",
        BaseOperator::NumericNotEquals | BaseOperator::DateNotEquals => "does not equal",
        BaseOperator::StringEqualsIgnoreCase => "is, in any letter case,",
        BaseOperator::StringNotEqualsIgnoreCase => "is not, in any letter case,",
        BaseOperator::StringLike | BaseOperator::ArnLike | BaseOperator::ArnEquals => "matches",
        BaseOperator::StringNotLike | BaseOperator::ArnNotLike | BaseOperator::ArnNotEquals => {
            "does not match"
        }
        BaseOperator::NumericLessThan => "is less than",
        BaseOperator::NumericLessThanEquals => "is at most",
        BaseOperator::NumericGreaterThan => "is more than",
        BaseOperator::NumericGreaterThanEquals => "is at least",
        BaseOperator::DateLessThan => "is before",
        BaseOperator::DateLessThanEquals => "is not after",
        BaseOperator::DateGreaterThan => "is after",
        BaseOperator::DateGreaterThanEquals => "is not before",
        BaseOperator::IpAddress => "lies in",
        BaseOperator::NotIpAddress => "does not lie in",
        BaseOperator::Null => "is null:",
    }
}

#[derive(Serialize)]
struct JsonInspection {
    version: u32,
    policies: Vec<Value>,
    undecided: Vec<Value>,
    unread: Vec<Value>,
}

fn as_json(
    inspection: &Inspection<'_>,
    sources: &SourceMap,
    out: &mut dyn Write,
) -> io::Result<()> {
    let view = View { sources };
    let value = |shown: &dyn Fn() -> serde_json::Result<Value>| shown().unwrap_or_default();
    let report = JsonInspection {
        version: 1,
        policies: inspection
            .policies
            .iter()
            .map(|policy| json_policy(policy, &view))
            .collect(),
        undecided: inspection
            .undecided
            .iter()
            .map(|part| value(&|| serde_json::to_value(view.undecided(part))))
            .collect(),
        unread: inspection
            .unread
            .iter()
            .map(|part| value(&|| serde_json::to_value(view.unread(part))))
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn json_policy(policy: &PolicyDocument, view: &View<'_>) -> Value {
    let span = |at| serde_json::to_value(view.span(at)).unwrap_or_default();
    let statement = |statement: &Statement| {
        let says: Map<String, Value> = parts(policy, statement)
            .into_iter()
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(label, lines)| (label.to_owned(), json!(lines)))
            .collect();
        json!({
            "index": statement.index,
            "sid": statement.sid.as_ref().map(|sid| sid.as_str()),
            "pointer": policy.from_its_file(&statement.pointer),
            "span": span(statement.span),
            "effect": effect(statement),
            "says": says,
            "incomplete": statement.incomplete,
        })
    };
    let malformed = policy.malformed.iter().map(|part| {
        json!({
            "pointer": policy.from_its_file(&part.pointer),
            "message": part.message,
            "span": span(part.at),
        })
    });
    json!({
        "path": view.sources.path(policy.span().file),
        "pointer": policy.place,
        "address": policy.address,
        "span": span(policy.span()),
        "kind": policy.kind.word(),
        "kind_is_given": policy.kind_is_given,
        "document": document(policy),
        "statements": policy.statements.iter().map(statement).collect::<Vec<_>>(),
        "malformed": malformed.collect::<Vec<_>>(),
    })
}

fn effect(statement: &Statement) -> Option<&'static str> {
    statement.effect.as_ref().map(|effect| match effect.value {
        Effect::Allow => "Allow",
        Effect::Deny => "Deny",
    })
}

/// The document in one form: the version that is in force, lists where a list may stand, values as strings, operators and
/// keys in order. What is not known is `null`.
fn document(policy: &PolicyDocument) -> Value {
    let mut all = Map::new();
    all.insert("Version".to_owned(), json!(version(policy)));
    if let Some(id) = &policy.id {
        all.insert("Id".to_owned(), json!(id.as_str()));
    }
    let statements: Vec<Value> = policy
        .statements
        .iter()
        .map(|statement| normalised(policy, statement))
        .collect();
    all.insert("Statement".to_owned(), json!(statements));
    Value::Object(all)
}

fn normalised(policy: &PolicyDocument, statement: &Statement) -> Value {
    let mut all = Map::new();
    if let Some(sid) = &statement.sid {
        all.insert("Sid".to_owned(), json!(sid.as_str()));
    }
    all.insert("Effect".to_owned(), json!(effect(statement)));
    if let Some(principals) = &statement.principals {
        all.insert(principals.key.as_str().to_owned(), who(principals));
    }
    for elements in [&statement.actions, &statement.resources]
        .into_iter()
        .flatten()
    {
        let mut values: Vec<Value> = elements.strings().map(Value::from).collect();
        let pointer = format!("{}/{}", statement.pointer, elements.key.as_str());
        let open = elements.incomplete && is_open(policy, &pointer);
        values.extend(open.then_some(Value::Null));
        all.insert(elements.key.as_str().to_owned(), json!(values));
    }
    if statement.condition_key.is_some() {
        all.insert("Condition".to_owned(), conditions(policy, statement));
    }
    Value::Object(all)
}

/// Whether something at or below `pointer` is not known; what is merely malformed is left out.
fn is_open(policy: &PolicyDocument, pointer: &str) -> bool {
    policy.unknown.iter().any(|part| {
        let rest = part.pointer.strip_prefix(pointer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// `"*"`, or lists by kind.
fn who(principals: &Principals) -> Value {
    let mut by_kind: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for entry in &principals.entries {
        let Some(kind) = &entry.kind else {
            return json!(entry.value.text.as_str());
        };
        let values = by_kind.entry(kind.as_str()).or_default();
        values.push(json!(entry.value.text.as_str()));
    }
    json!(by_kind)
}

fn conditions(policy: &PolicyDocument, statement: &Statement) -> Value {
    let mut blocks: BTreeMap<&str, BTreeMap<&str, Vec<Value>>> = BTreeMap::new();
    for condition in &statement.conditions {
        let block = blocks.entry(condition.operator_text.as_str()).or_default();
        let values = block.entry(condition.key.as_str()).or_default();
        values.extend(
            condition
                .values
                .iter()
                .map(|value| json!(value.text.as_str())),
        );
        let open = condition.incomplete && is_open(policy, &condition.pointer);
        values.extend(open.then_some(Value::Null));
    }
    json!(blocks)
}
