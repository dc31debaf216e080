//! What stands in for a value that is missing or of the wrong type, so that the rest of the spec can still be checked,
//! and which findings then only follow from that fault and must not be told.

use serde_json::{Map, Value};

use crate::diag::Finding;

use super::ids;

/// Findings of these rules speak of the values in these sections; once one of the values is refused they may be wrong.
const FOLLOWS: [(&str, &[&str]); 6] = [
    (ids::SITE_UNKNOWN, &["/sites"]),
    (ids::SITE_WITHOUT_HOST, &["/sites", "/hosts"]),
    (ids::HOST_NOWHERE, &["/sites", "/records"]),
    (ids::ADDRESS_MISSING, &["/sites", "/records"]),
    (ids::ORIGIN_SWITCHED, &["/records"]),
    (
        ids::TIMES,
        &["/probe", "/failback", "/github", "/aws", "/monitors"],
    ),
];

/// Whether `finding` may only follow from a value at one of the pointers `refused`.
pub(super) fn follows(finding: &Finding, refused: &[String]) -> bool {
    let below = |pointer: &str, section: &str| {
        pointer
            .strip_prefix(section)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let at = finding.pointer.as_deref().unwrap_or_default();
    if refused.iter().any(|pointer| below(at, pointer)) {
        return true;
    }
    let sections = FOLLOWS.iter().find(|(rule, _)| *rule == finding.rule);
    let sections = sections.map_or(&[][..], |(_, sections)| *sections);
    sections
        .iter()
        .any(|section| refused.iter().any(|pointer| below(pointer, section)))
}

/// A value that the property's type takes: its default, else the plainest one.
pub(super) fn stand_in(schema: &Value, property: &Value) -> Value {
    if let Some(default) = property.get("default").filter(|value| !value.is_null()) {
        return default.clone();
    }
    let referred = property
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.strip_prefix('#'))
        .and_then(|path| schema.pointer(path));
    if let Some(referred) = referred {
        return stand_in(schema, referred);
    }
    if let Some(choice) = property.pointer("/oneOf/0/const") {
        return choice.clone();
    }
    match property.get("type").and_then(Value::as_str) {
        Some("integer") => property.get("minimum").cloned().unwrap_or_default(),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => Value::Object(needed(schema, property)),
        _ => Value::String(String::new()),
    }
}

/// The keys without a default, each with its stand-in.
fn needed(schema: &Value, definition: &Value) -> Map<String, Value> {
    let keys = definition.get("required").and_then(Value::as_array);
    let keys = keys.into_iter().flatten().filter_map(Value::as_str);
    let properties = definition.get("properties");
    keys.filter_map(|key| {
        let property = properties?.get(key)?;
        Some((key.to_owned(), stand_in(schema, property)))
    })
    .collect()
}
