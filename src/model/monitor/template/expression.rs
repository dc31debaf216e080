//! Expressions of Liquid and Tera, as far as they are plain.

use std::collections::BTreeMap;

use super::Engine;

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// As it is written.
    Number(String),
    Truth(bool),
    Nothing,
    /// Filled in when the message is sent; as JSON or as it is.
    Open {
        json: bool,
    },
}

/// What Kuma hands to a body (2.5.3; the first three are those of 1).
const OF_KUMA: [&str; 9] = [
    "STATUS",
    "NAME",
    "HOSTNAME_OR_URL",
    "status",
    "name",
    "hostnameOrURL",
    "monitorJSON",
    "heartbeatJSON",
    "msg",
];

const OPEN: Value = Value::Open { json: false };

type Values = BTreeMap<String, Value>;

impl Value {
    /// As it is put out.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Text(text) | Self::Number(text) => text.clone(),
            Self::Truth(truth) => truth.to_string(),
            Self::Nothing | Self::Open { .. } => String::new(),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Self::Number(text) => text.clone(),
            Self::Truth(truth) => truth.to_string(),
            Self::Nothing | Self::Open { .. } => "null".to_owned(),
        }
    }
}

/// The value of `expression | filter | filter: argument`, or why the engine refuses it.
pub(super) fn output(written: &str, values: &Values, engine: Engine) -> Result<Value, String> {
    let parts = split(written, '|');
    let mut parts = parts.iter().map(|part| part.trim());
    let first = parts.next().unwrap_or_default();
    let falls_back = |filter: &&str| filter.starts_with("default") && engine == Engine::Tera;
    let mut value = match value(first, values, engine) {
        Err(_) if parts.clone().next().as_ref().is_some_and(falls_back) => OPEN,
        found => found?,
    };
    for filter in parts {
        value = filtered(&value, filter, values, engine)?;
    }
    Ok(value)
}

/// Whether a condition holds; `None` where that is not known.
pub(super) fn condition(
    written: &str,
    values: &Values,
    engine: Engine,
) -> Result<Option<bool>, String> {
    for (operator, equal) in [("==", true), ("!=", false)] {
        if let Some((left, right)) = written.split_once(operator) {
            let (left, right) = (
                value(left.trim(), values, engine)?,
                value(right.trim(), values, engine)?,
            );
            let open = [&left, &right]
                .iter()
                .any(|side| matches!(side, Value::Open { .. }));
            return Ok((!open).then_some((left == right) == equal));
        }
    }
    let name = written.trim();
    let is_name = name
        .chars()
        .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'));
    // What is not defined is false to Tera.
    if engine == Engine::Tera && is_name && value(name, values, engine).is_err() {
        return Ok(Some(false));
    }
    Ok(match value(name, values, engine)? {
        Value::Truth(truth) => Some(truth),
        Value::Nothing => Some(false),
        Value::Text(_) | Value::Number(_) if engine == Engine::Liquid => Some(true),
        Value::Text(_) | Value::Number(_) | Value::Open { .. } => None,
    })
}

fn value(written: &str, values: &Values, engine: Engine) -> Result<Value, String> {
    let quotes = ['"', '\''];
    if let Some(quote) = written.chars().next().filter(|it| quotes.contains(it)) {
        let inner = written.get(1..).and_then(|rest| rest.strip_suffix(quote));
        return Ok(match inner {
            Some(inner) if !inner.contains([quote, '\\']) => Value::Text(inner.to_owned()),
            Some(_) | None => OPEN,
        });
    }
    if let Some(value) = values.get(written) {
        return Ok(value.clone());
    }
    if let Some((name, arguments)) = called(written).filter(|_| engine == Engine::Tera) {
        return function(name, arguments);
    }
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
    let root = written.split('.').next().unwrap_or_default();
    Ok(match written {
        "true" => Value::Truth(true),
        "false" => Value::Truth(false),
        "" | "nil" | "null" if engine == Engine::Liquid => Value::Nothing,
        "" => return Err("an expression is missing".to_owned()),
        _ if written.parse::<f64>().is_ok() => Value::Number(written.to_owned()),
        _ if !written.chars().all(plain) || values.contains_key(root) => OPEN,
        _ if engine == Engine::Liquid && OF_KUMA.contains(&root) => OPEN,
        _ if engine == Engine::Liquid => Value::Nothing,
        "__tera_context" => OPEN,
        _ => return Err(format!("`{written}` is no name that is known there")),
    })
}

/// A call: the name of the function and what stands between the brackets.
fn called(written: &str) -> Option<(&str, &str)> {
    let (name, rest) = written.split_once('(')?;
    let is_name = !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || it == '_');
    Some((name, rest.strip_suffix(')')?)).filter(|_| is_name)
}

/// The functions of Tera; `get_env` is AutoKuma's own, which knows the variables that begin so (`autokuma/src/util.rs`).
const FUNCTIONS: [&str; 5] = ["get_env", "get_random", "now", "range", "throw"];
const ENVIRONMENT: &str = "AUTOKUMA__ENV__";

fn function(name: &str, arguments: &str) -> Result<Value, String> {
    if !FUNCTIONS.contains(&name) {
        return Err(format!("`{name}` is no function that is known there"));
    }
    if name != "get_env" {
        return Ok(OPEN);
    }
    let mut given = split(arguments, ',').into_iter();
    let wanted = given.find_map(|it| {
        let (key, value) = it.split_once('=')?;
        (key.trim() == "name").then(|| value.trim())
    });
    let Some(wanted) = wanted else {
        return Err("`get_env` is told no `name`".to_owned());
    };
    let variable = wanted.trim_matches(['\'', '"', '`']);
    if variable.len() < wanted.len() && !variable.starts_with(ENVIRONMENT) {
        return Err(format!(
            "`{variable}` may not be read where `insecure_env_access` is not set: its name does not begin with `{ENVIRONMENT}`"
        ));
    }
    Ok(OPEN)
}

/// The filters of Tera 1 (`tera/src/builtins/filters`).
const FILTERS: [&str; 48] = [
    "abs",
    "addslashes",
    "as_str",
    "capitalize",
    "concat",
    "date",
    "default",
    "escape",
    "escape_xml",
    "filesizeformat",
    "filter",
    "first",
    "float",
    "get",
    "group_by",
    "indent",
    "int",
    "join",
    "json_encode",
    "last",
    "length",
    "linebreaksbr",
    "lower",
    "map",
    "nth",
    "pluralize",
    "replace",
    "reverse",
    "round",
    "safe",
    "slice",
    "slugify",
    "sort",
    "spaceless",
    "split",
    "striptags",
    "title",
    "trim",
    "trim_end",
    "trim_end_matches",
    "trim_start",
    "trim_start_matches",
    "truncate",
    "unique",
    "upper",
    "urlencode",
    "urlencode_strict",
    "wordcount",
];

fn filtered(value: &Value, filter: &str, values: &Values, engine: Engine) -> Result<Value, String> {
    let (name, argument) = filter.split_once(':').unwrap_or((filter, ""));
    let name = name.trim();
    let bare = name.split('(').next().unwrap_or_default().trim();
    if engine == Engine::Tera && !FILTERS.contains(&bare) {
        return Err(format!("`{bare}` is no filter that is known there"));
    }
    let json =
        ["json", "jsonify", "json_encode"].contains(&name) || name.starts_with("json_encode(");
    if let Value::Open { .. } = value {
        return Ok(Value::Open { json });
    }
    let text = value.written();
    Ok(match name {
        "json" | "jsonify" if engine == Engine::Liquid => Value::Text(value.json()),
        "upcase" if engine == Engine::Liquid => Value::Text(text.to_uppercase()),
        "downcase" if engine == Engine::Liquid => Value::Text(text.to_lowercase()),
        "upper" if engine == Engine::Tera => Value::Text(text.to_uppercase()),
        "lower" if engine == Engine::Tera => Value::Text(text.to_lowercase()),
        "strip" if engine == Engine::Liquid => Value::Text(text.trim().to_owned()),
        "trim" if engine == Engine::Tera => Value::Text(text.trim().to_owned()),
        "append" | "prepend" if engine == Engine::Liquid => {
            let other = self::value(argument.trim(), values, engine)?;
            let added = other.written();
            if matches!(other, Value::Open { .. }) {
                OPEN
            } else if name == "append" {
                Value::Text(text + &added)
            } else {
                Value::Text(added + &text)
            }
        }
        _ => Value::Open { json },
    })
}

/// The parts of a text between these letters, those within quotation marks left alone.
fn split(text: &str, by: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, letter) in text.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter == by => {
                parts.extend(text.get(start..at));
                start = at + letter.len_utf8();
            }
            None => {}
        }
    }
    parts.extend(text.get(start..));
    parts
}
