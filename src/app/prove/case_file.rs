//! Cases for `pointsman simulate`, as TOML or JSON by the name of their file.

use serde_json::Value;

use crate::app::AppError;

/// The file that cases go into.
pub(super) struct CaseFile<'a> {
    pub(super) path: &'a str,
    toml: bool,
}

impl<'a> CaseFile<'a> {
    /// The file at `path`.
    ///
    /// # Errors
    /// When its name ends neither with `.toml` nor with `.json`, which `simulate` would not read.
    pub(super) fn at(path: &'a str) -> Result<Self, AppError> {
        let toml = match path.rsplit_once('.').map(|(_, ending)| ending) {
            Some("toml") => true,
            Some("json") => false,
            _ => {
                return Err(AppError::usage(
                    format!("`{path}` is no name of a table of cases"),
                    "name it `.toml` or `.json`; the cases are written in that form",
                ));
            }
        };
        Ok(Self { path, toml })
    }

    /// The cases in the file's form.
    pub(super) fn text(&self, cases: &[Value]) -> String {
        if !self.toml {
            return serde_json::to_string_pretty(cases).unwrap_or_default() + "\n";
        }
        let tables: Vec<String> = cases.iter().map(table).collect();
        tables.join("\n")
    }
}

/// A case as a table of the list `cases`.
fn table(case: &Value) -> String {
    let mut text = "[[cases]]\n".to_owned();
    for (key, value) in case.as_object().into_iter().flatten() {
        text.push_str(&format!("{} = {}\n", key_of(key), inline(value)));
    }
    text
}

/// A value on one line. TOML has no null; none stands in a case but for a list or a string that is left out.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let known = map.iter().filter(|(_, value)| !value.is_null());
            let pairs: Vec<String> = known
                .map(|(key, value)| format!("{} = {}", key_of(key), inline(value)))
                .collect();
            if pairs.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", pairs.join(", "))
            }
        }
        Value::Null => string(""),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn key_of(key: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !key.is_empty() && key.bytes().all(bare) {
        key.to_owned()
    } else {
        string(key)
    }
}

/// A basic string: JSON's escapes are TOML's, and TOML wants the delete character escaped too.
fn string(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::toml;
    use crate::text::SourceMap;
    use serde_json::json;

    #[test]
    fn any_text_survives_the_way_through_toml() {
        let odd = "a\"b\\052.\u{7f}\u{0}\n\u{1f600}";
        let case = json!({"id": "x", "request": {"context": {odd: [odd, ""]}}, "n": 1, "b": true});
        let file = CaseFile::at("new.toml").unwrap();
        let text = file.text(&[case]);
        let mut sources = SourceMap::default();
        let id = sources.add("new.toml", text.clone());
        let parsed = toml::read(&sources.text(id).unwrap());
        assert!(parsed.faults.is_empty(), "{text}");
        let root = parsed.documents.first().unwrap();
        let cases = root.get("cases").unwrap().as_list().unwrap();
        let context = cases.first().unwrap().get("request").unwrap();
        let values = context.get("context").unwrap().get(odd).unwrap();
        let first = values.as_list().unwrap().first().unwrap();
        assert_eq!(first.as_str(), Some(odd));
        assert!(CaseFile::at("new.txt").is_err());
    }
}
