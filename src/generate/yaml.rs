//! YAML text: scalars that cannot be misread, and a tree of plain values.

use std::fmt::Write as _;

use serde_json::Value;

/// Words that YAML 1.1 or 1.2 readers take for something else than a string.
const WORDS: [&str; 11] = [
    "true", "false", "yes", "no", "on", "off", "null", "none", "y", "n", "nan",
];

/// A string as a scalar: plain where no reader could take it for anything else, else quoted.
pub(super) fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.contains('"') {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        double_quoted(text)
    }
}

fn is_plain(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b" _./:@=-()'".contains(&byte);
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '.' || first == '/')
        && text.bytes().all(inner)
        && text.ends_with(|last: char| last.is_ascii_alphanumeric() || "'()/".contains(last))
        && !text.contains(": ")
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// With every character escaped that is not printable or that some reader takes for a line break (YAML 1.2.2, section 5.7).
fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter
                if letter.is_control()
                    || matches!(
                        letter,
                        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
                    ) =>
            {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// A map as the lines of a block, in its own order, indented by `depth` levels.
pub(super) fn block(map: &serde_json::Map<String, Value>, depth: usize) -> String {
    let mut out = String::new();
    for (key, value) in map {
        let _ = write!(out, "{}{}:", "  ".repeat(depth), scalar(key));
        push(&mut out, value, depth);
    }
    out
}

fn push(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            out.push_str(&block(map, depth + 1));
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                let pad = "  ".repeat(depth + 1);
                if let Some(map) = item.as_object().filter(|map| !map.is_empty()) {
                    let inner = block(map, depth + 2);
                    let inner = inner.trim_start();
                    let _ = write!(out, "{pad}- {inner}");
                } else {
                    let _ = write!(out, "{pad}-");
                    push(out, item, depth + 1);
                }
            }
        }
        Value::String(text) => {
            let _ = writeln!(out, " {}", scalar(text));
        }
        // Numbers, booleans and empty collections are the same in JSON and YAML.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) | Value::Array(_) => {
            let _ = writeln!(out, " {value}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granit_parser::{Event, Parser};
    use proptest::prelude::*;

    /// The scalars of a document, each with whether it is quoted.
    fn scalars(text: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        for event in Parser::new_from_str(text) {
            if let Event::Scalar(value, ..) = event.ok()?.0 {
                found.push(value.to_string());
            }
        }
        Some(found)
    }

    #[test]
    fn what_could_be_misread_is_quoted() {
        for text in [
            "404",
            "200-299",
            "1.0",
            "yes",
            "No",
            "",
            "a: b",
            "a #b",
            "- a",
            "@x",
            "*.example.com",
            "null",
            "~",
            "0x1",
            "1e3",
            ".5",
            "a:",
        ] {
            assert!(
                scalar(text).starts_with(['"', '\'']),
                "{text}: {}",
                scalar(text)
            );
        }
        for text in [
            "edge",
            "example.com",
            "https://origin.example.com/",
            "github.ref == 'refs/heads/main'",
            "arn:aws:iam::123456789012:role/x",
        ] {
            assert_eq!(scalar(text), text);
        }
        assert_eq!(scalar("{\"ref\":\"main\"}"), "'{\"ref\":\"main\"}'");
    }

    #[test]
    fn lists_of_maps_stand_under_their_key() {
        let value = serde_json::json!({"a": [{"b": 1, "c": ["x"]}, "y"], "d": [], "e": {}});
        let text = block(value.as_object().unwrap(), 0);
        assert_eq!(
            text,
            "a:\n  - b: 1\n    c:\n      - x\n  - \"y\"\nd: []\ne: {}\n"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_back_as_itself(text in "[\\PC\n\r\t\u{1}\u{85}\u{2028}'\":#{}&*! -]{0,16}") {
            let document = format!("key: {}\n", scalar(&text));
            prop_assert_eq!(scalars(&document), Some(vec!["key".to_owned(), text]), "{}", document);
        }
    }
}
