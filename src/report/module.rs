//! What pointsman sees in a Terraform module, as JSON and for people.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use crate::diag::{Undecided, Unread};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::syntax::{Fault, Kind, Node, Unknown};
use crate::terraform::{
    AttachedPolicy, Chunk, Declarations, IgnoreChanges, PolicyText, Record, Value, ValueKind,
    block_address,
};
use crate::text::{Position, SourceMap, Span};

/// A value as JSON: what is not known stands in its place as `<<address>>`.
fn shown(value: &Value) -> Json {
    match &value.kind {
        ValueKind::Null => Json::Null,
        ValueKind::Bool(flag) => Json::Bool(*flag),
        ValueKind::Number(number) => number_of(&number.to_string()),
        ValueKind::Text(text) => Json::String(text.as_str().to_owned()),
        ValueKind::Encoded(inner, _) => match value.as_text() {
            Some(text) => Json::String(text.as_str().to_owned()),
            None => Json::String(shown(inner).to_string()),
        },
        ValueKind::Sequence(_, items) => Json::Array(items.iter().map(shown).collect()),
        ValueKind::Mapping(_, entries) => {
            let entries = entries.iter();
            let map = entries.map(|(key, value)| (key.as_str().to_owned(), shown(value)));
            Json::Object(map.collect::<Map<_, _>>())
        }
        ValueKind::Partial(chunks) => Json::String(with_places(chunks)),
        ValueKind::Unknown(unknown) => Json::String(place_of(unknown)),
    }
}

fn number_of(written: &str) -> Json {
    serde_json::from_str(written).unwrap_or_else(|_| Json::String(written.to_owned()))
}

fn with_places(chunks: &[Chunk]) -> String {
    let mut text = String::new();
    for chunk in chunks {
        match chunk {
            Chunk::Known(known) => text.push_str(known.as_str()),
            Chunk::Hole(unknown, _) => text.push_str(&place_of(unknown)),
        }
    }
    text
}

fn place_of(unknown: &Unknown) -> String {
    format!("<<{}>>", unknown.missing.first().unwrap_or(&unknown.why))
}

/// A tree as JSON.
fn tree(node: &Node) -> Json {
    match &node.kind {
        Kind::Null => Json::Null,
        Kind::Bool(flag) => Json::Bool(*flag),
        Kind::Number(written) => number_of(written),
        Kind::Text(text) => Json::String(text.as_str().to_owned()),
        Kind::List(items) => Json::Array(items.iter().map(tree).collect()),
        Kind::Map(entries) => {
            let entries = entries.iter();
            let map = entries.map(|entry| (entry.key.as_str().to_owned(), tree(&entry.value)));
            Json::Object(map.collect::<Map<_, _>>())
        }
        Kind::Unknown(unknown) => Json::String(place_of(unknown)),
    }
}

fn place(at: Span, sources: &SourceMap) -> Json {
    let shown = |position: Position| json!({"line": position.line, "column": position.column, "offset": position.offset});
    match sources.positions(at) {
        Some((start, end)) => json!({"start": shown(start), "end": shown(end)}),
        None => Json::Null,
    }
}

fn ignored(form: &IgnoreChanges) -> Json {
    match form {
        IgnoreChanges::All(_) => json!("all"),
        IgnoreChanges::List { paths, .. } => {
            let names = paths.iter().map(|path| {
                let deeper = if path.deeper { ".…" } else { "" };
                format!("{}{deeper}", path.attribute)
            });
            json!(names.collect::<Vec<_>>())
        }
        IgnoreChanges::Absent | IgnoreChanges::Invalid(..) => json!([]),
    }
}

fn record(record: &Record, made: bool, sources: &SourceMap) -> Json {
    let of = |node: &Option<Node>| node.as_ref().map_or(Json::Null, tree);
    json!({
        "address": record.address,
        "made": made,
        "name": of(&record.name),
        "type": of(&record.record_type),
        "ttl": of(&record.ttl),
        "values": of(&record.records),
        "zone_id": of(&record.zone_id),
        "alias": record.alias.as_ref().map_or(Json::Null, |alias| of(&alias.name)),
        "ignore_changes": ignored(&record.ignore_changes),
        "path": sources.path(record.head.file),
        "span": place(record.head, sources),
    })
}

/// The policy with what is known of it.
fn policy_of(policy: &AttachedPolicy) -> Json {
    let value = match (&policy.text, &policy.value) {
        (PolicyText::Unknown(_) | PolicyText::Tree(_), Some(value)) => value,
        (PolicyText::Tree(node), None) => return tree(node),
        (PolicyText::Broken(_), _) | (PolicyText::Unknown(_), None) => return Json::Null,
    };
    match &value.kind {
        ValueKind::Encoded(inner, _) => shown(inner),
        ValueKind::Text(text) => serde_json::from_str(text.as_str()).unwrap_or_default(),
        ValueKind::Partial(chunks) => {
            serde_json::from_str(&with_places(chunks)).unwrap_or_default()
        }
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Sequence(..)
        | ValueKind::Mapping(..)
        | ValueKind::Unknown(_) => Json::Null,
    }
}

fn missing_of(policy: &AttachedPolicy) -> Vec<String> {
    let of_value = policy.value.as_ref().and_then(Value::any_hole);
    let unknown = match &policy.text {
        PolicyText::Broken(_) => None,
        PolicyText::Tree(_) => of_value,
        PolicyText::Unknown(unknown) => of_value.or_else(|| Some(unknown.clone())),
    };
    let mut missing = unknown.map_or_else(Vec::new, |unknown| {
        if unknown.missing.is_empty() {
            vec![unknown.why]
        } else {
            unknown.missing
        }
    });
    missing.sort();
    missing
}

/// The resource, and what of it holds the policy: `policy`, or `inline_policy.policy`.
fn parted(policy: &AttachedPolicy) -> (&str, &str) {
    let at = policy.address.rfind(".inline_policy");
    let at = at.or_else(|| policy.address.rfind('.'));
    let parts = at.and_then(|at| policy.address.split_at_checked(at));
    let parts = parts.and_then(|(resource, rest)| Some((resource, rest.strip_prefix('.')?)));
    parts.unwrap_or((&policy.address, &policy.attribute))
}

fn policy(policy: &AttachedPolicy, made: bool, sources: &SourceMap) -> Json {
    let unknown = missing_of(policy);
    let (resource, attribute) = parted(policy);
    let mut shown = json!({
        "address": resource,
        "attribute": block_address(attribute),
        "made": made,
        "form": policy.form.word(),
        "static": unknown.is_empty() && matches!(policy.text, PolicyText::Tree(_)),
        "unknown": unknown,
        "policy": policy_of(policy),
        "path": sources.path(policy.at.file),
        "span": place(policy.at, sources),
    });
    if let (PolicyText::Broken(fault), Some(map)) = (&policy.text, shown.as_object_mut()) {
        map.insert("error".to_owned(), json!(fault.reason));
    }
    shown
}

/// Every statement of a trust policy, with whom it trusts and under which conditions.
fn trust(policy: &AttachedPolicy) -> Vec<Json> {
    let PolicyText::Tree(root) = &policy.text else {
        return Vec::new();
    };
    let kind = policy.kind.filter(|kind| *kind == PolicyKind::Trust);
    let Some(kind) = kind else {
        return Vec::new();
    };
    let document = PolicyDocument::read(root.clone(), Some(kind), None);
    let (address, _) = parted(policy);
    let statements = document.statements.iter().map(|statement| {
        let entries = statement.principals.iter().flat_map(|found| &found.entries);
        let principals: Vec<&str> = entries.map(|entry| entry.value.text.as_str()).collect();
        let conditions = statement.conditions.iter().map(|condition| {
            let values: Vec<&str> = condition.values.iter().map(|value| value.text.as_str()).collect();
            json!({"operator": condition.operator_text.as_str(), "key": condition.key.as_str(), "values": values})
        });
        json!({
            "address": address,
            "statement": statement.index,
            "principals": principals,
            "conditions": conditions.collect::<Vec<_>>(),
            "incomplete": statement.incomplete,
        })
    });
    statements.collect()
}

/// Writes what `declared` holds, as JSON.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write_json(
    declared: &Declarations,
    undecided: &[Undecided],
    unread: &[Unread],
    sources: &SourceMap,
    out: &mut dyn Write,
) -> io::Result<()> {
    let unmade = &declared.unmade;
    let records = declared.records.iter().map(|it| record(it, true, sources));
    let others = unmade.records.iter().map(|it| record(it, false, sources));
    let records: Vec<Json> = records.chain(others).collect();
    let policies = declared.policies.iter().map(|it| policy(it, true, sources));
    let others = unmade.policies.iter().map(|it| policy(it, false, sources));
    let policies: Vec<Json> = policies.chain(others).collect();
    let trusts = declared.policies.iter().chain(&unmade.policies);
    let trusts: Vec<Json> = trusts.flat_map(trust).collect();
    let undecided = undecided.iter().map(|it| {
        json!({
            "what": it.what,
            "why": it.why,
            "missing": it.missing,
            "path": sources.path(it.at.file),
            "span": place(it.at, sources),
        })
    });
    let unread = unread.iter().map(|it| {
        json!({
            "path": it.path,
            "reason": it.reason,
            "span": it.at.map(|at| place(at, sources)),
        })
    });
    let all = json!({
        "version": 1,
        "records": records,
        "policies": policies,
        "trust": trusts,
        "undecided": undecided.collect::<Vec<_>>(),
        "unread": unread.collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &all).map_err(io::Error::from)?;
    writeln!(out)
}

/// Writes what `declared` holds, for people.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write_human(
    declared: &Declarations,
    undecided: &[Undecided],
    out: &mut dyn Write,
) -> io::Result<()> {
    for record in &declared.records {
        let of = |node: &Option<Node>| {
            node.as_ref()
                .map_or_else(|| "-".to_owned(), |node| plain(&tree(node)))
        };
        let alias = record
            .alias
            .as_ref()
            .map(|alias| format!("alias {}", of(&alias.name)));
        let values = alias.unwrap_or_else(|| of(&record.records));
        writeln!(out, "record  {}", record.address)?;
        writeln!(
            out,
            "        {} {} {} {values}, ignored: {}",
            of(&record.name),
            of(&record.ttl),
            of(&record.record_type),
            match plain(&ignored(&record.ignore_changes)) {
                none if none.is_empty() => "nothing".to_owned(),
                some => some,
            }
        )?;
    }
    for policy in &declared.policies {
        let missing = missing_of(policy);
        let known = match (&policy.text, missing.is_empty()) {
            (PolicyText::Broken(fault), _) => format!("no JSON: {}", fault.reason),
            (_, true) => "known".to_owned(),
            (_, false) => format!("not known: {}", missing.join(", ")),
        };
        writeln!(
            out,
            "policy  {} ({}), {known}",
            policy.address,
            policy.form.word()
        )?;
        let tree = policy_of(policy);
        if !tree.is_null() {
            let text = serde_json::to_string_pretty(&tree).map_err(io::Error::from)?;
            for line in text.lines() {
                writeln!(out, "        {line}")?;
            }
        }
    }
    for record in &declared.unmade.records {
        writeln!(out, "record  {}, never made", record.address)?;
    }
    for policy in &declared.unmade.policies {
        writeln!(out, "policy  {}, never made", policy.address)?;
    }
    for it in undecided {
        writeln!(out, "undecided  {}: {}", it.what, it.why)?;
    }
    Ok(())
}

fn plain(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        Json::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" "),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => json.to_string(),
    }
}

/// Writes what an expression comes to; whether it has a value, and whether an error is what keeps it from one.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write_value(
    value: &Result<Value, Fault>,
    as_json: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let answer = match value {
        Err(fault) => json!({"error": fault.reason}),
        Ok(value) => match value.any_hole() {
            Some(unknown) => json!({"unknown": unknown.missing, "why": unknown.why}),
            None => json!({"value": shown(value)}),
        },
    };
    if as_json && let Some(exact) = value.as_ref().ok().and_then(Value::json) {
        // A number may have more digits than other writers of JSON keep.
        return writeln!(out, "{{\"value\":{exact}}}");
    }
    if as_json {
        serde_json::to_writer(&mut *out, &answer).map_err(io::Error::from)?;
        return writeln!(out);
    }
    match value {
        Err(fault) => writeln!(out, "error: {}", fault.reason),
        Ok(value) => match value.any_hole() {
            Some(unknown) => writeln!(out, "not known: {}", unknown.why),
            None => {
                let text = serde_json::to_string_pretty(&shown(value)).map_err(io::Error::from)?;
                writeln!(out, "{text}")
            }
        },
    }
}
