//! The commented file that `pointsman init` writes: every key of the schema with its explanation, in the schema's order,
//! so that a new key cannot be forgotten here.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::schema::schema;

/// Values that are known beforehand, by JSON pointer: `/github/owner`.
pub type Known = BTreeMap<String, String>;

/// The line by which editors find the schema (Taplo, "schema directive").
const SCHEMA_LINE: &str = "#:schema ./pointsman.schema.json\n";

/// The commented spec. Keys without a default that are not known are empty: reading the file tells each of them.
#[must_use]
pub fn template(known: &Known) -> String {
    let schema = schema();
    let mut out = String::from(SCHEMA_LINE);
    out.push_str(
        "# The DNS failover in one file. Lines behind `#` hold the defaults; `pointsman validate` tells what is missing.\n",
    );
    let writer = Writer {
        schema: &schema,
        known,
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let definition = writer.definition(property);
        if property.get("type").and_then(Value::as_str) == Some("array") {
            writer.list(&mut out, name, property);
        } else if let Some(definition) = definition {
            writer.table(&mut out, name, &format!("/{name}"), property, definition);
        }
    }
    out
}

struct Writer<'a> {
    schema: &'a Value,
    known: &'a Known,
}

impl<'a> Writer<'a> {
    /// The definition that a property refers to, itself or for its elements.
    fn definition(&self, property: &'a Value) -> Option<&'a Value> {
        let property = property.get("items").unwrap_or(property);
        let path = property.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.schema
            .pointer(path)
            .filter(|found| found.get("properties").is_some())
    }

    fn table(
        &self,
        out: &mut String,
        name: &str,
        at: &str,
        property: &Value,
        definition: &'a Value,
    ) {
        heading(out, property);
        let _ = writeln!(out, "[{name}]");
        self.keys(out, at, definition, &Map::new());
        let properties = definition.get("properties").and_then(Value::as_object);
        for (key, inner) in properties.into_iter().flatten() {
            if let Some(definition) = self.definition(inner) {
                let at = format!("{at}/{key}");
                self.table(out, &format!("{name}.{key}"), &at, inner, definition);
            }
        }
    }

    /// A list of tables: its default in comments, or examples of what is needed.
    fn list(&self, out: &mut String, name: &str, property: &'a Value) {
        let Some(definition) = self.definition(property) else {
            return;
        };
        heading(out, property);
        let examples = self.examples(name);
        let defaults = property.get("default").and_then(Value::as_array);
        if !examples.is_empty() {
            for (index, example) in examples.iter().enumerate() {
                let blank = if index > 0 { "\n" } else { "" };
                let _ = writeln!(out, "{blank}[[{name}]]");
                self.keys(out, "", definition, example);
            }
            return;
        }
        let defaults = defaults.filter(|list| !list.is_empty());
        let shown = defaults
            .cloned()
            .unwrap_or_else(|| vec![Value::Object(Map::new())]);
        for element in shown.iter().filter_map(Value::as_object) {
            let _ = writeln!(out, "# [[{name}]]");
            let properties = definition.get("properties").and_then(Value::as_object);
            for (key, property) in properties.into_iter().flatten() {
                let value = element
                    .get(key)
                    .unwrap_or(&Value::String(String::new()))
                    .to_string();
                let _ = writeln!(out, "# {key} = {value} # {}", sentence(property));
            }
        }
    }

    /// What a list without a default begins with.
    fn examples(&self, name: &str) -> Vec<Map<String, Value>> {
        let one = |name: String| Map::from_iter([("name".to_owned(), Value::String(name))]);
        match name {
            "sites" => vec![one("edge".to_owned()), one("hub".to_owned())],
            "hosts" => {
                let zone = self.known.get("/zone/name").cloned().unwrap_or_default();
                vec![one(zone)]
            }
            _ => Vec::new(),
        }
    }

    /// The keys of a table: set where they are known or have no default, else in a comment.
    fn keys(&self, out: &mut String, at: &str, definition: &Value, set: &Map<String, Value>) {
        let properties = definition.get("properties").and_then(Value::as_object);
        let required = definition.get("required").and_then(Value::as_array);
        for (key, property) in properties.into_iter().flatten() {
            if property.get("$ref").is_some() && self.definition_is_table(property) {
                continue;
            }
            let needed = required.is_some_and(|list| list.iter().any(|name| name == key));
            let known = self.known.get(&format!("{at}/{key}"));
            let _ = writeln!(out, "# {}", sentence(property));
            let value = known
                .map(|text| Value::String(text.clone()))
                .or_else(|| set.get(key).cloned());
            // An address is needed, but of which kind follows from `records.types`.
            let live = needed || value.is_some() || key == "ipv4";
            let value = value.unwrap_or_else(|| placeholder(property));
            let mark = if live { "" } else { "# " };
            let _ = writeln!(out, "{mark}{key} = {value}");
        }
    }

    fn definition_is_table(&self, property: &Value) -> bool {
        let path = property
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|path| path.strip_prefix('#'));
        path.and_then(|path| self.schema.pointer(path))
            .is_some_and(|found| found.get("properties").is_some())
    }
}

fn heading(out: &mut String, property: &Value) {
    let _ = write!(out, "\n# {}\n", sentence(property));
}

/// The explanation of a property, on one line.
fn sentence(property: &Value) -> String {
    let text = property
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The default of a property, or an empty value of its type.
fn placeholder(property: &Value) -> Value {
    if let Some(default) = property.get("default").filter(|default| !default.is_null()) {
        return default.clone();
    }
    match property.get("type").and_then(Value::as_str) {
        Some("integer") => 0.into(),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => Value::Object(Map::new()),
        _ => Value::String(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::Spec;
    use crate::syntax::toml;
    use crate::text::{FileId, Span, Text};

    fn text(input: &str) -> Text {
        Text::verbatim(input, Span::new(FileId(0), 0, input.len()))
    }

    #[test]
    fn what_is_not_known_is_told_one_by_one_when_the_file_is_read() {
        let findings = Spec::read(&text(&template(&Known::new()))).unwrap_err();
        let mut places: Vec<String> = findings
            .iter()
            .filter_map(|finding| finding.pointer.clone())
            .collect();
        places.sort();
        assert_eq!(
            places,
            [
                "/aws/account",
                "/github/owner",
                "/github/owner_id",
                "/github/repository_id",
                "/hosts/0/name",
                "/sites/0/ipv4",
                "/sites/1/ipv4",
                "/zone/id",
                "/zone/name"
            ]
        );
    }

    #[test]
    fn a_template_with_its_gaps_filled_is_a_spec() {
        let known: Known = [
            ("/zone/id", "Z0123456789EXAMPLE"),
            ("/zone/name", "example.com"),
            ("/github/owner", "acme"),
            ("/github/repository", "failover"),
            ("/aws/account", "123456789012"),
        ]
        .into_iter()
        .map(|(at, value)| (at.to_owned(), value.to_owned()))
        .collect();
        let filled = template(&known)
            .replacen("owner_id = 0", "owner_id = 1", 1)
            .replacen("repository_id = 0", "repository_id = 2", 1)
            .replacen("ipv4 = \"\"", "ipv4 = \"198.51.100.10\"", 1)
            .replacen("ipv4 = \"\"", "ipv4 = \"203.0.113.20\"", 1);
        let spec = Spec::read(&text(&filled)).unwrap();
        assert_eq!(spec.repository(), "acme/failover");
    }

    #[test]
    fn the_commented_lines_are_toml_and_name_every_key() {
        let all: String = template(&Known::new())
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest)
                    if rest.starts_with("[[")
                        || rest
                            .split_once(" = ")
                            .is_some_and(|(key, _)| !key.contains(' ')) =>
                {
                    rest
                }
                _ => line,
            })
            .flat_map(|line| [line, "\n"])
            .collect();
        let parsed = toml::read(&text(&all));
        assert_eq!(parsed.faults, [], "{all}");
        assert!(
            all.contains("[monitors.edge_watch]") && all.contains("[[allow]]"),
            "{all}"
        );
    }
}
