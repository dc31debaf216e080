//! What of a spec's values does not fit its schema, found by walking it: compiling it takes longer than everything else
//! that a command does. When all fits, that is the answer. Else the `jsonschema` crate says what is wrong, where it is built
//! in; the executor has no such crate in it, and what is found here is told. Tests hold both to the same verdict.

use serde_json::{Map, Value};

use super::pattern;

/// Keywords that say nothing about which values are valid (JSON Schema 2020-12, sections 8.2, 9 of the validation part;
/// `format` is an annotation unless a vocabulary asserts it).
const SILENT: [&str; 7] = [
    "$schema",
    "$defs",
    "title",
    "description",
    "default",
    "format",
    "x-allowed",
];

/// A value that a keyword of the schema refuses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Misfit {
    /// JSON pointer to the value.
    pub(super) at: String,
    /// JSON pointer to the keyword, in the schema.
    pub(super) rule: String,
}

/// Everything of `value` that `schema` refuses. A keyword or pattern that is not known here refuses every value.
pub(super) fn misfits(schema: &Value, value: &Value) -> Vec<Misfit> {
    let mut walk = Walk {
        root: schema,
        found: Vec::new(),
    };
    walk.value("", schema, "", value);
    walk.found
}

struct Walk<'a> {
    root: &'a Value,
    found: Vec<Misfit>,
}

impl<'a> Walk<'a> {
    fn refuse(&mut self, rule: String, at: &str) {
        self.found.push(Misfit {
            at: at.to_owned(),
            rule,
        });
    }

    /// The part of the schema at `rule`, against the value at `at`.
    fn value(&mut self, rule: &str, schema: &'a Value, at: &str, value: &Value) {
        let Value::Object(keywords) = schema else {
            if schema != &Value::Bool(true) {
                self.refuse(rule.to_owned(), at);
            }
            return;
        };
        for (keyword, limit) in keywords {
            let rule = format!("{rule}/{keyword}");
            match keyword.as_str() {
                "$ref" => self.referred(rule, limit, at, value),
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.value(&rule, limit, &format!("{at}/{index}"), item);
                    }
                }
                "properties" => {
                    for (key, value) in value.as_object().into_iter().flatten() {
                        if let Some(schema) = limit.get(key) {
                            let at = format!("{at}/{}", escaped(key));
                            self.value(&format!("{rule}/{}", escaped(key)), schema, &at, value);
                        }
                    }
                }
                "additionalProperties" => self.additional(&rule, (keywords, limit), at, value),
                word if !SILENT.contains(&word) && !self.takes(word, limit, value) => {
                    self.refuse(rule, at);
                }
                _ => {}
            }
        }
    }

    fn referred(&mut self, rule: String, limit: &Value, at: &str, value: &Value) {
        let path = limit.as_str().and_then(|path| path.strip_prefix('#'));
        match path.and_then(|path| Some((path, self.root.pointer(path)?))) {
            Some((path, schema)) => self.value(path, schema, at, value),
            None => self.refuse(rule, at),
        }
    }

    fn additional(
        &mut self,
        rule: &str,
        (keywords, limit): (&Map<String, Value>, &'a Value),
        at: &str,
        value: &Value,
    ) {
        let known = keywords.get("properties");
        let is_known = |key: &String| known.is_some_and(|known| known.get(key).is_some());
        let others = value.as_object().into_iter().flatten();
        for (key, value) in others.filter(|(key, _)| !is_known(key)) {
            if limit == &Value::Bool(false) {
                // One refusal for all of them, at the object that has them.
                return self.refuse(rule.to_owned(), at);
            }
            self.value(rule, limit, &format!("{at}/{}", escaped(key)), value);
        }
    }

    /// Whether a keyword that looks at the value alone takes it. A keyword for another type takes everything.
    fn takes(&self, keyword: &str, limit: &'a Value, value: &Value) -> bool {
        match keyword {
            "type" => is_of_type(limit, value),
            "pattern" => value
                .as_str()
                .is_none_or(|text| text_matches(limit.as_str().unwrap_or_default(), text)),
            "minimum" => compare(value, limit, |value, limit| value >= limit),
            "maximum" => compare(value, limit, |value, limit| value <= limit),
            "minItems" => value.as_array().is_none_or(|items| {
                let least = limit.as_u64();
                least.is_some_and(|least| items.len() as u64 >= least)
            }),
            "required" => value.as_object().is_none_or(|map| has_keys(limit, map)),
            "const" => limit.is_string() && value == limit,
            "enum" => {
                value.is_string() && limit.as_array().is_some_and(|words| words.contains(value))
            }
            "oneOf" => limit.as_array().is_some_and(|choices| {
                let takes = |choice: &&'a Value| {
                    let mut walk = Walk {
                        root: self.root,
                        found: Vec::new(),
                    };
                    walk.value("", choice, "", value);
                    walk.found.is_empty()
                };
                choices.iter().filter(takes).count() == 1
            }),
            _ => false,
        }
    }
}

/// A key as a step of a JSON pointer (RFC 6901, section 3).
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn is_of_type(limit: &Value, value: &Value) -> bool {
    match limit.as_str() {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

fn text_matches(expression: &str, text: &str) -> bool {
    if expression == r"\S" {
        return text.chars().any(|letter| !is_blank(letter));
    }
    pattern::matches(expression, text) == Some(true)
}

/// White space as ECMAScript's `\s` has it (ECMA-262, `WhiteSpace` and `LineTerminator`).
fn is_blank(letter: char) -> bool {
    letter == '\u{feff}' || letter.is_whitespace() && letter != '\u{85}'
}

/// Fractions are compared as such: the schema wants whole numbers, so their type is refused anyway.
fn compare(value: &Value, limit: &Value, holds: fn(f64, f64) -> bool) -> bool {
    let Value::Number(number) = value else {
        return true;
    };
    let (Some(number), Some(limit)) = (number.as_f64(), limit.as_f64()) else {
        return false;
    };
    holds(number, limit)
}

fn has_keys(limit: &Value, map: &Map<String, Value>) -> bool {
    let Some(keys) = limit.as_array() else {
        return false;
    };
    keys.iter()
        .all(|key| key.as_str().is_some_and(|key| map.contains_key(key)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::string::string_regex;
    use proptest::test_runner::TestRunner;
    use serde_json::json;

    use super::*;
    use crate::model::spec::compiled;
    use crate::model::spec::schema::schema;

    /// The values of the spec at the repository's root, and the same with every section that it leaves out.
    fn written() -> Vec<Value> {
        let root = include_str!("../../../pointsman.toml");
        let root = serde_json::to_value(toml::from_str::<toml::Table>(root).unwrap()).unwrap();
        let mut every = root.clone();
        let schema = schema();
        let map = every.as_object_mut().unwrap();
        for (key, property) in schema["properties"].as_object().unwrap() {
            if let Some(default) = property.get("default") {
                map.entry(key).or_insert_with(|| default.clone());
            }
        }
        let allow = json!([{"rule": "x", "path": "a.json", "pointer": "/a", "reason": "meant"}]);
        map.insert("allow".to_owned(), allow);
        vec![root, every]
    }

    /// Pointers to every value.
    fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    pointers(value, &format!("{at}/{key}"), found);
                }
            }
            Value::Array(list) => {
                for (index, value) in list.iter().enumerate() {
                    pointers(value, &format!("{at}/{index}"), found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Values to put somewhere: of every type, at the ends of ranges, and texts that are nearly right.
    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            prop::sample::select(vec![
                json!(null),
                json!(true),
                json!([]),
                json!({}),
                json!([1]),
                json!(["A"]),
                json!({"hub": "x"}),
                json!({"hub": 1}),
                json!(1.5),
                json!(300.5),
                json!(u64::MAX),
                json!(i64::MIN),
                json!(""),
                json!([{"name": "a"}]),
                json!(["Z1", "example.com"]),
            ]),
            (-1i64..90_000).prop_map(Value::from),
            prop::sample::select(vec![
                0i64, 1, 60, 61, 99, 100, 599, 600, 899, 900, 43200, 43201, 86400, 86401
            ])
            .prop_map(Value::from),
            "[a-zA-Z0-9./_-]{0,45}".prop_map(Value::from),
            "\\PC{0,4}\n?".prop_map(Value::from),
        ]
    }

    /// In one order, each once: the crate tells two missing keys of one object apart, the walk does not.
    fn sorted(mut misfits: Vec<Misfit>) -> Vec<Misfit> {
        misfits.sort();
        misfits.dedup();
        misfits
    }

    #[test]
    fn a_right_spec_is_found_right_without_compiling() {
        for value in written() {
            assert_eq!(misfits(&schema(), &value), []);
        }
    }

    #[test]
    fn the_walk_and_the_validator_refuse_the_same_values_by_the_same_keywords() {
        let schema = schema();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let bases = written();
        let strategy = (
            0..bases.len(),
            any::<prop::sample::Index>(),
            any_value(),
            any::<bool>(),
        );
        let mut runner = TestRunner::new(ProptestConfig::with_cases(4000));
        let result = runner.run(&strategy, |(base, place, put, away)| {
            let mut value = bases[base].clone();
            let mut places = Vec::new();
            pointers(&value, "", &mut places);
            let at = place.get(&places);
            let (parent, key) = at.rsplit_once('/').unwrap_or(("", ""));
            match value.pointer_mut(parent).and_then(Value::as_object_mut) {
                Some(map) if away => drop(map.shift_remove(key)),
                Some(map) if put.as_i64() == Some(7) => drop(map.insert(format!("{key}x"), put)),
                _ => *value.pointer_mut(at).unwrap() = put,
            }
            let walked = sorted(misfits(&schema, &value));
            let told = sorted(compiled::of(&validator, &value));
            prop_assert_eq!(walked, told, "{}", value);
            Ok(())
        });
        result.unwrap();
    }

    #[test]
    fn each_pattern_takes_the_texts_that_the_validator_takes() {
        let schema = schema();
        let mut places = Vec::new();
        pointers(&schema, "", &mut places);
        let ending = |at: &&String| at.ends_with("/pattern");
        let patterns: Vec<&str> = places
            .iter()
            .filter(ending)
            .filter_map(|at| schema.pointer(at)?.as_str())
            .collect();
        assert!(patterns.len() > 20);
        for expression in patterns {
            let part = json!({"pattern": expression});
            let validator = jsonschema::validator_for(&part).unwrap();
            let right = string_regex(expression.trim_matches(['^', '$'])).unwrap();
            let strategy = (
                right,
                any::<prop::sample::Index>(),
                "[\\PC\n]{0,2}|[a-zA-Z0-9./_-]{0,3}",
                0usize..3,
            );
            let mut runner = TestRunner::new(ProptestConfig::with_cases(200));
            let result = runner.run(&strategy, |(right, place, put, cut)| {
                let mut letters: Vec<char> = right.chars().collect();
                let start = place.index(letters.len() + 1);
                let end = (start + cut).min(letters.len());
                letters.splice(start..end, put.chars());
                let text: String = letters.into_iter().collect();
                let valid = validator.is_valid(&Value::from(text.as_str()));
                prop_assert_eq!(
                    text_matches(expression, &text),
                    valid,
                    "{} {}",
                    expression,
                    text
                );
                Ok(())
            });
            result.unwrap();
        }
    }

    #[test]
    fn blank_is_the_same_to_both() {
        let validator = jsonschema::validator_for(&json!({ "pattern": r"\S" })).unwrap();
        for letter in (0..=0x3_ffff).filter_map(char::from_u32) {
            let text = letter.to_string();
            let valid = validator.is_valid(&Value::from(text.as_str()));
            assert_eq!(text_matches(r"\S", &text), valid, "{letter:?}");
        }
    }

    #[test]
    fn a_long_text_is_no_slower_than_it_is_long() {
        let schema = schema();
        let mut places = Vec::new();
        pointers(&schema, "", &mut places);
        for at in places.iter().filter(|at| at.ends_with("/pattern")) {
            let expression = schema.pointer(at).unwrap().as_str().unwrap();
            for letters in ["a", "a/", "/", "-a", "Z9", "0"] {
                // A step for each letter and way is a second; a step for each pair of letters would be hours.
                text_matches(expression, &letters.repeat(50_000));
            }
        }
    }
}
