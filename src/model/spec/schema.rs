//! The JSON Schema of the spec: written from its types, committed, and read from there.

use serde_json::Value;

#[cfg(feature = "lint")]
use super::raw::RawSpec;

/// `pointsman.schema.json`.
const COMMITTED: &str = include_str!("../../../pointsman.schema.json");

/// The schema of `pointsman.toml` as committed in `pointsman.schema.json`, with a final newline.
#[cfg(feature = "lint")]
#[must_use]
pub fn schema_json() -> String {
    let text = serde_json::to_string_pretty(&generated()).unwrap_or_default();
    text + "\n"
}

/// The committed schema, which a test holds to be what the types say: reading it is cheaper than making it.
pub(super) fn schema() -> Value {
    serde_json::from_str(COMMITTED).unwrap_or_default()
}

#[cfg(feature = "lint")]
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
#[cfg(feature = "lint")]
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
