//! `pointsman explain`: a rule's page, or the list of all rules.

use std::io::{self, Write};

use serde::Serialize;

use crate::rules::{self, Rule};
use crate::text::nearest;

use super::exit::{AppError, Exit};

#[derive(Serialize)]
struct JsonRule {
    id: &'static str,
    aliases: &'static [&'static str],
    severity: &'static str,
    kind: &'static str,
    summary: &'static str,
}

impl JsonRule {
    fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id,
            aliases: rule.aliases,
            severity: rule.severity.word(),
            kind: rule.check.kind(),
            summary: rule.summary,
        }
    }
}

/// Writes the page of a rule.
///
/// # Errors
/// When there is no such rule (the nearest is named), or `out` cannot be written to.
pub fn page(name: &str, out: &mut dyn Write) -> Result<Exit, AppError> {
    let Some(rule) = rules::find(name) else {
        let near = nearest(name, rules::all().map(|rule| rule.id));
        let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let hint = format!("{near}`pointsman explain --list` names every rule");
        return Err(AppError::usage(format!("there is no rule `{name}`"), hint));
    };
    // `«…»` mark the bytes that the rule points at in its tests; a reader does without them.
    out.write_all(rule.page.replace(['«', '»'], "").as_bytes())?;
    Ok(Exit::Clean)
}

/// Writes the list of all rules, for people or as JSON.
///
/// # Errors
/// When `out` cannot be written to.
pub fn list(as_json: bool, out: &mut dyn Write) -> Result<Exit, AppError> {
    if as_json {
        let list: Vec<JsonRule> = rules::all().map(JsonRule::of).collect();
        serde_json::to_writer_pretty(&mut *out, &list).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(Exit::Clean);
    }
    let width = rules::all().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in rules::all() {
        writeln!(
            out,
            "{:width$}  {:7}  {}",
            rule.id,
            rule.severity.word(),
            rule.summary
        )?;
    }
    Ok(Exit::Clean)
}
