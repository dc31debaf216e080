//! A value that the spec's schema refuses, in words: what is wrong with it, and what to write instead.

use serde_json::Value;

use crate::diag::Finding;
use crate::syntax::{Kind, Node, pointer};
use crate::text::nearest;

use super::ids;
use super::read::{finding, place};
use super::stand_in::stand_in;

/// A value that the schema refuses.
pub(super) struct Refusal<'a> {
    pub(super) root: &'a Node,
    /// Pointer to the value.
    pub(super) at: &'a str,
    /// The schema's keyword that refuses it.
    pub(super) keyword: &'a str,
    /// What stands behind the keyword.
    pub(super) limit: &'a Value,
    pub(super) instance: &'a Value,
    /// What the value may be, in words.
    pub(super) allowed: Option<String>,
    /// What the schema says of the value.
    pub(super) definition: Option<&'a Value>,
    /// What it says of the value's keys.
    pub(super) properties: Option<&'a Value>,
}

impl Refusal<'_> {
    /// What is told of it.
    pub(super) fn findings(&self) -> Vec<Finding> {
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
    pub(super) fn stand_ins(&self, schema: &Value, rule: &str) -> Vec<(String, Value)> {
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
                "boolean" => "write `true` or `false`, without quotes".to_owned(),
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
pub(super) fn listed(words: &[&str]) -> String {
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

/// A section as people name it: `[github]`, `[[sites]]`, the file.
pub(super) fn section(at: &str) -> String {
    let steps: Vec<String> = pointer::steps(at).collect();
    match steps.as_slice() {
        [] => "the spec".to_owned(),
        [list, index] if index.parse::<usize>().is_ok() => format!("`[[{list}]]`"),
        names => format!("`[{}]`", names.join(".")),
    }
}
