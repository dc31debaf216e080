//! The JSON Schema of the spec, and what it has to say about a file.

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::diag::{Edit, Finding, Fix};
use crate::syntax::{Kind, Node, pointer};
use crate::text::nearest;

use super::fits::fits;
use super::ids;
use super::raw::RawSpec;
use super::read::{finding, place};
use super::stand_in::stand_in;

/// `pointsman.schema.json`.
const COMMITTED: &str = include_str!("../../../pointsman.schema.json");

/// The schema's key for what a value may be, in words; editors pass it over.
const ALLOWED: &str = "x-allowed";

/// The schema of `pointsman.toml` as committed in `pointsman.schema.json`, with a final newline.
#[must_use]
pub fn schema_json() -> String {
    let text = serde_json::to_string_pretty(&generated()).unwrap_or_default();
    text + "\n"
}

/// The committed schema, which a test holds to be [`generated`]: reading it is cheaper than making it.
pub(super) fn schema() -> Value {
    serde_json::from_str(COMMITTED).unwrap_or_else(|_| generated())
}

fn generated() -> Value {
    let mut schema = schemars::schema_for!(RawSpec).to_value();
    without_null(&mut schema);
    if let Some(map) = schema.as_object_mut() {
        map.insert("title".to_owned(), "pointsman.toml".into());
        map.insert(
            "description".to_owned(),
            "A DNS failover in one file: sites, records, hosts, repository, role and monitors"
                .into(),
        );
    }
    schema
}

/// Takes `null` out of every list of types: TOML has none, and what is absent is simply not written.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".to_owned(), only);
                }
            }
            map.values_mut().for_each(without_null);
        }
        Value::Array(list) => list.iter_mut().for_each(without_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The spec's values, changed so that they can be typed.
pub(super) struct Amended {
    /// The values: without unknown keys, with something in the place of what is missing or has another type.
    pub(super) value: Value,
    /// Pointers to the values that the schema refuses.
    pub(super) refused: Vec<String>,
}

/// Tells everything that the schema refuses.
pub(super) fn validate(root: &Node, value: Value, findings: &mut Vec<Finding>) -> Amended {
    let schema = schema();
    let mut amended = Amended {
        value,
        refused: Vec::new(),
    };
    if fits(&schema, &schema, &amended.value) {
        return amended;
    }
    let validator = match jsonschema::validator_for(&schema) {
        Ok(validator) => validator,
        Err(error) => {
            let message = format!("the spec cannot be checked, its schema is wrong: {error}");
            findings.push(finding(ids::SYNTAX, place(root, ""), message));
            return amended;
        }
    };
    let mut unknown = Vec::new();
    for error in validator.iter_errors(&amended.value) {
        let at = error.instance_path().as_str();
        if let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() {
            let known = known_keys(&schema, error.schema_path().as_str());
            for key in unexpected {
                let meant = meant(root, at, key, &known);
                findings.push(unknown_key(root, at, key, &known, meant));
                unknown.push((at.to_owned(), key.clone(), meant.map(str::to_owned)));
            }
        }
    }
    for (at, key, meant) in unknown {
        amended.rename(&at, &key, meant.as_deref());
    }
    let mut replaced = Vec::new();
    for error in validator.iter_errors(&amended.value) {
        let at = error.instance_path().as_str();
        let rule = error.schema_path().as_str();
        let refusal = Refusal {
            root,
            at,
            keyword: rule.rsplit('/').next().unwrap_or_default(),
            limit: schema.pointer(rule).unwrap_or(&Value::Null),
            instance: error.instance(),
            allowed: allowed(&schema, rule),
            definition: definition(&schema, rule),
            properties: definition(&schema, rule).and_then(|it| it.get("properties")),
        };
        // What a second look finds unknown stood in an unknown section, which has been told.
        if refusal.keyword != "additionalProperties" {
            findings.extend(refusal.findings());
            replaced.extend(refusal.stand_ins(&schema, rule));
            amended.refused.push(at.to_owned());
        }
    }
    for (at, value) in replaced {
        amended.put(&at, value);
    }
    amended
}

impl Amended {
    /// Takes an unknown key away, or gives it the name that is meant.
    fn rename(&mut self, at: &str, key: &str, meant: Option<&str>) {
        let Some(map) = self.value.pointer_mut(at).and_then(Value::as_object_mut) else {
            return;
        };
        let Some(value) = map.shift_remove(key) else {
            return;
        };
        // A whole section under another name would be told of at places that are not in the file.
        let is_plain = !value.is_object() && !value.is_array();
        if let Some(meant) = meant.filter(|_| is_plain) {
            map.insert(meant.to_owned(), value);
        }
    }

    /// Puts a value in the place of another, or in a place where there is none.
    fn put(&mut self, at: &str, value: Value) {
        if let Some(there) = self.value.pointer_mut(at) {
            *there = value;
        } else if let Some((parent, key)) = at.rsplit_once('/')
            && let Some(map) = self
                .value
                .pointer_mut(parent)
                .and_then(Value::as_object_mut)
        {
            map.insert(key.to_owned(), value);
        }
        self.refused.push(at.to_owned());
    }
}

/// The keys that the object takes whose `additionalProperties` stands at `rule` in the schema.
fn known_keys(schema: &Value, rule: &str) -> Vec<String> {
    rule.rsplit_once('/')
        .and_then(|(parent, _)| schema.pointer(parent)?.get("properties")?.as_object())
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default()
}

/// What the schema says in words of the value whose rule stands at `rule`.
fn allowed(schema: &Value, rule: &str) -> Option<String> {
    let mut at = rule;
    for _ in 0..2 {
        at = at.rsplit_once('/')?.0;
        let words = schema.pointer(at)?.get(ALLOWED);
        if let Some(words) = words.and_then(Value::as_str) {
            return Some(words.to_owned());
        }
    }
    None
}

/// The known key that is probably meant by `key`, if it is not set beside it.
fn meant<'a>(root: &Node, at: &str, key: &str, known: &'a [String]) -> Option<&'a str> {
    let is_set = |key: &str| pointer::find(root, at).is_some_and(|node| node.get(key).is_some());
    nearest(key, known.iter().map(String::as_str)).filter(|meant| !is_set(meant))
}

fn unknown_key(root: &Node, at: &str, key: &str, known: &[String], meant: Option<&str>) -> Finding {
    let section = section(at);
    let span = pointer::find(root, at)
        .and_then(|node| node.entry(key))
        .map_or_else(|| place(root, at), |entry| entry.key.span());
    let list = listed(&known.iter().map(String::as_str).collect::<Vec<_>>());
    let message = format!("`{key}` is no key of {section}; known are {list}");
    let mut made = finding(ids::UNKNOWN_KEY, span, message);
    made.pointer = Some(pointer::join(at, key));
    made.help = Some(match meant {
        Some(meant) => format!("`{meant}` is probably meant"),
        None => match nearest(key, known.iter().map(String::as_str)) {
            Some(set) => format!("`{set}` is set already; remove this key"),
            None => "remove it".to_owned(),
        },
    });
    made.fix = meant.map(|meant| Fix {
        title: format!("write `{meant}`"),
        safe: false,
        edits: vec![Edit {
            at: span,
            with: meant.to_owned(),
        }],
    });
    made
}

/// A section as people name it: `[github]`, `[[sites]]`, the file.
fn section(at: &str) -> String {
    let steps: Vec<String> = pointer::steps(at).collect();
    match steps.as_slice() {
        [] => "the spec".to_owned(),
        [list, index] if index.parse::<usize>().is_ok() => format!("`[[{list}]]`"),
        names => format!("`[{}]`", names.join(".")),
    }
}

/// A value that the schema refuses.
struct Refusal<'a> {
    root: &'a Node,
    /// Pointer to the value.
    at: &'a str,
    /// The schema's keyword that refuses it.
    keyword: &'a str,
    /// What stands behind the keyword.
    limit: &'a Value,
    instance: &'a Value,
    /// What the value may be, in words.
    allowed: Option<String>,
    /// What the schema says of the value.
    definition: Option<&'a Value>,
    /// What it says of the value's keys.
    properties: Option<&'a Value>,
}

/// The part of the schema that the keyword at `rule` stands in.
fn definition<'a>(schema: &'a Value, rule: &str) -> Option<&'a Value> {
    let (parent, _) = rule.rsplit_once('/')?;
    schema.pointer(parent)
}

impl Refusal<'_> {
    fn findings(&self) -> Vec<Finding> {
        if self.keyword == "required" {
            return self.missing_keys();
        }
        let rule = if self.keyword == "type" {
            ids::WRONG_TYPE
        } else {
            ids::VALUE
        };
        let mut made = finding(rule, place(self.root, self.at), self.message());
        made.pointer = Some(self.at.to_owned());
        made.help = Some(self.help());
        vec![made]
    }

    /// What stands in for the value, or for the keys that are missing in it, where it could not be typed.
    fn stand_ins(&self, schema: &Value, rule: &str) -> Vec<(String, Value)> {
        let parent = rule
            .rsplit_once('/')
            .and_then(|(parent, _)| schema.pointer(parent));
        let Some(definition) = parent else {
            return Vec::new();
        };
        match self.keyword {
            "required" => self
                .missing()
                .filter_map(|key| {
                    let property = definition.get("properties")?.get(key)?;
                    Some((pointer::join(self.at, key), stand_in(schema, property)))
                })
                .collect(),
            "type" | "enum" | "oneOf" | "minimum" | "maximum" => {
                vec![(self.at.to_owned(), stand_in(schema, definition))]
            }
            _ => Vec::new(),
        }
    }

    /// The needed keys that the value has not.
    fn missing(&self) -> impl Iterator<Item = &str> {
        let needed = self.limit.as_array().map_or(&[][..], Vec::as_slice);
        needed
            .iter()
            .filter_map(Value::as_str)
            .filter(|key| self.instance.get(*key).is_none())
    }

    /// One finding for each key that is missing: the validator may tell them in one or in several errors.
    fn missing_keys(&self) -> Vec<Finding> {
        self.missing()
            .map(|key| {
                let message = format!("{} has no `{key}`", section(self.at));
                let mut made = finding(ids::MISSING_KEY, place(self.root, self.at), message);
                made.pointer = Some(self.at.to_owned());
                let what = match self.properties.and_then(|known| known.get(key)) {
                    Some(list) if list.get("type").is_some_and(|name| name == "array") => {
                        format!("`[[{key}]]`")
                    }
                    Some(table) if table.get("$ref").is_some() && self.at.is_empty() => {
                        format!("`[{key}]`")
                    }
                    _ => format!("`{key}`"),
                };
                made.help = Some(format!("add {what}; it has no default"));
                made
            })
            .collect()
    }

    /// The key that holds the value, or the list that it is an entry of.
    fn key(&self) -> String {
        let mut steps = pointer::steps(self.at)
            .collect::<Vec<_>>()
            .into_iter()
            .rev();
        match (steps.next(), steps.next()) {
            (Some(index), Some(list)) if index.parse::<usize>().is_ok() => {
                format!("an entry of `{list}`")
            }
            (Some(key), _) => format!("`{key}`"),
            (None, _) => "the spec".to_owned(),
        }
    }

    /// The value as it is written, for a message.
    fn written(&self) -> String {
        match pointer::find(self.root, self.at).map(|node| &node.kind) {
            Some(Kind::Number(number)) => shown(number),
            _ => match self.instance.as_str() {
                Some(text) => shown(&text.escape_debug().to_string()),
                None => shown(&self.instance.to_string()),
            },
        }
    }

    fn message(&self) -> String {
        let (key, written) = (self.key(), self.written());
        if self.instance.as_str().is_some_and(str::is_empty) {
            return format!("{key} is empty");
        }
        match self.keyword {
            "type"
                if !(self.instance.is_string()
                    || self.instance.is_array()
                    || self.instance.is_object()) =>
            {
                let kind = kind_of(self.instance);
                let expected = expected(self.limit);
                format!("{key} is {kind}, {written}, but {expected} is expected")
            }
            "type" => format!(
                "{key} is {}, but {} is expected",
                kind_of(self.instance),
                expected(self.limit)
            ),
            "minimum" => format!("{key} is {written}; at least {} is allowed", self.limit),
            "maximum" => format!("{key} is {written}; at most {} is allowed", self.limit),
            "minItems" => {
                let there = self.instance.as_array().map_or(0, Vec::len);
                let entries = if there == 1 { "entry" } else { "entries" };
                format!(
                    "{key} has {there} {entries}; at least {} needed",
                    are(self.limit)
                )
            }
            "enum" | "oneOf" => {
                let words = choices(self.limit);
                format!("{key} is {written}; allowed are {}", listed(&words))
            }
            _ => format!("{key} does not take {written}"),
        }
    }

    /// What to write instead.
    fn help(&self) -> String {
        if let Some(words) = &self.allowed {
            return format!("write {words}");
        }
        let number = |key: &str| self.definition.and_then(|it| it.get(key));
        match self.keyword {
            "enum" | "oneOf" => {
                let words = choices(self.limit);
                let near = nearest(
                    self.instance.as_str().unwrap_or_default(),
                    words.iter().copied(),
                );
                match near {
                    Some(near) => format!("`{near}` is probably meant"),
                    None => "write one of these".to_owned(),
                }
            }
            "minimum" | "maximum" => match (number("minimum"), number("maximum")) {
                (Some(least), Some(most)) => format!("write a whole number from {least} to {most}"),
                (Some(limit), None) => format!("write a whole number of at least {limit}"),
                _ => "write another number".to_owned(),
            },
            _ => match self.limit.as_str().unwrap_or_default() {
                "string" => "write a text in quotes".to_owned(),
                "integer" => "write digits alone, without quotes".to_owned(),
                "array" => {
                    "write a list: `[…]`, or `[[…]]` for each entry that is a table".to_owned()
                }
                "object" => "write a table: `[…]` above its keys, or `{ key = value }`".to_owned(),
                _ => "write another value".to_owned(),
            },
        }
    }
}

/// `2 are`, `1 is`.
fn are(number: &Value) -> String {
    let verb = if number.as_u64() == Some(1) {
        "is"
    } else {
        "are"
    };
    format!("{number} {verb}")
}

/// A value as it is shown in a message.
fn shown(text: &str) -> String {
    if text.chars().count() > 60 {
        let start: String = text.chars().take(57).collect();
        format!("`{start}…`")
    } else {
        format!("`{text}`")
    }
}

/// The texts of an `enum` or of a `oneOf` of constants.
fn choices(limit: &Value) -> Vec<&str> {
    let list = limit.as_array().map_or(&[][..], Vec::as_slice);
    list.iter()
        .filter_map(|value| value.get("const").unwrap_or(value).as_str())
        .collect()
}

/// Words in back-quotes, with commas between.
fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

/// The types that stand behind `type` in the schema, in words.
fn expected(limit: &Value) -> String {
    let word = |name: &str| match name {
        "boolean" => "`true` or `false`",
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a string",
        "array" => "a list",
        "object" => "a table",
        _ => "nothing",
    };
    let Some(names) = limit.as_array() else {
        return word(limit.as_str().unwrap_or_default()).to_owned();
    };
    let names = names.iter().filter_map(Value::as_str);
    let words: Vec<&str> = names.filter(|name| *name != "null").map(word).collect();
    words.join(" or ")
}

/// The word for a JSON type, with its article, as TOML names it.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "no number",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a fraction",
        Value::Number(_) => "a whole number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_what_the_types_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/pointsman.schema.json");
        assert!(
            COMMITTED == schema_json(),
            "{path} is not what the types say; write `schema_json()` into it"
        );
    }

    #[test]
    fn the_schema_is_one_that_the_validator_takes() {
        assert!(jsonschema::validator_for(&schema()).is_ok());
    }

    #[test]
    fn every_key_is_explained() {
        fn undescribed(at: &str, value: &Value, found: &mut Vec<String>) {
            let properties = value.get("properties").and_then(Value::as_object);
            for (key, property) in properties.into_iter().flatten() {
                if property.get("description").is_none() {
                    found.push(format!("{at}/{key}"));
                }
            }
            let defs = value.get("$defs").and_then(Value::as_object);
            for (name, definition) in defs.into_iter().flatten() {
                undescribed(name, definition, found);
            }
        }
        let mut found = Vec::new();
        undescribed("", &schema(), &mut found);
        assert_eq!(found, Vec::<String>::new());
    }
}
