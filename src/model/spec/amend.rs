//! What the spec's schema refuses in a file, told in words; and the file's values amended, so that the rest can be checked.

use serde_json::Value;

use crate::diag::{Edit, Finding, Fix};
use crate::syntax::{Node, pointer};
use crate::text::nearest;

#[cfg(feature = "lint")]
use super::compiled;
use super::fits::{Misfit, misfits};
use super::ids;
use super::read::{finding, place};
use super::refusal::{Refusal, listed, section};
use super::schema::schema;

/// The schema's key for what a value may be, in words; editors pass it over.
const ALLOWED: &str = "x-allowed";

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
    if misfits(&schema, &amended.value).is_empty() {
        return amended;
    }
    amended.without_unknown_keys(root, &schema, findings);
    let mut replaced = Vec::new();
    for Misfit { at, rule } in refused(&schema, &amended.value) {
        let refusal = Refusal {
            root,
            at: &at,
            keyword: rule.rsplit('/').next().unwrap_or_default(),
            limit: schema.pointer(&rule).unwrap_or(&Value::Null),
            instance: amended.value.pointer(&at).unwrap_or(&Value::Null),
            allowed: allowed(&schema, &rule),
            definition: definition(&schema, &rule),
            properties: definition(&schema, &rule).and_then(|it| it.get("properties")),
        };
        // What a second look finds unknown stood in an unknown section, which has been told.
        if refusal.keyword != "additionalProperties" {
            findings.extend(refusal.findings());
            replaced.extend(refusal.stand_ins(&schema, &rule));
            amended.refused.push(at);
        }
    }
    for (at, value) in replaced {
        amended.put(&at, value);
    }
    amended
}

/// What the schema refuses: with the `jsonschema` crate, where it is built in.
#[cfg(feature = "lint")]
fn refused(schema: &Value, value: &Value) -> Vec<Misfit> {
    compiled::misfits(schema, value)
}

/// What the schema refuses, as the walk sees it; a test holds the two to be the same.
#[cfg(not(feature = "lint"))]
fn refused(schema: &Value, value: &Value) -> Vec<Misfit> {
    misfits(schema, value)
}

impl Amended {
    /// Tells each key that the schema does not know, and takes it away.
    fn without_unknown_keys(&mut self, root: &Node, schema: &Value, findings: &mut Vec<Finding>) {
        let mut unknown = Vec::new();
        for Misfit { at, rule } in refused(schema, &self.value) {
            let Some(section) = rule.strip_suffix("/additionalProperties") else {
                continue;
            };
            let properties = schema.pointer(section).and_then(|it| it.get("properties"));
            let known: Vec<String> = keys_of(properties);
            let written = keys_of(self.value.pointer(&at));
            for key in written.into_iter().filter(|key| !known.contains(key)) {
                let meant = meant(root, &at, &key, &known);
                findings.push(unknown_key(root, &at, &key, &known, meant));
                unknown.push((at.clone(), key, meant.map(str::to_owned)));
            }
        }
        for (at, key, meant) in unknown {
            self.rename(&at, &key, meant.as_deref());
        }
    }

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

/// The keys of an object.
fn keys_of(object: Option<&Value>) -> Vec<String> {
    object
        .and_then(Value::as_object)
        .map(|map| map.keys().cloned().collect())
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

/// The part of the schema that the keyword at `rule` stands in.
fn definition<'a>(schema: &'a Value, rule: &str) -> Option<&'a Value> {
    let (parent, _) = rule.rsplit_once('/')?;
    schema.pointer(parent)
}
