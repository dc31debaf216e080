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

/// Writes the page of a rule, whole or what most readers come for.
///
/// # Errors
/// When there is no such rule (the nearest is named), or `out` cannot be written to.
pub fn page(name: &str, full: bool, out: &mut dyn Write) -> Result<Exit, AppError> {
    let Some(rule) = rules::find(name) else {
        let parts = rules::all()
            .map(|rule| rule.id)
            .filter(|id| id.contains(name));
        let mut near: Vec<&str> = parts.take(5).collect();
        near.extend(nearest(name, rules::all().map(|rule| rule.id)).filter(|_| near.is_empty()));
        let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
        let near = match near.as_slice() {
            [] => String::new(),
            some => format!("did you mean {}? ", some.join(", ")),
        };
        let hint = format!("{near}`pointsman explain --list` names every rule");
        return Err(AppError::usage(format!("there is no rule `{name}`"), hint));
    };
    let page = rules::for_a_reader(rule.page);
    if full {
        out.write_all(page.as_bytes())?;
    } else {
        out.write_all(rules::in_short(&page).as_bytes())?;
        writeln!(
            out,
            "\n`pointsman explain {} --full` has why it matters, more cases and the sources",
            rule.id
        )?;
    }
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
    for (family, rules) in rules::FAMILIES {
        writeln!(out, "\n{family}")?;
        for rule in *rules {
            writeln!(
                out,
                "  {:width$}  {:7}  {}",
                rule.id,
                rule.severity.word(),
                rule.summary
            )?;
        }
    }
    Ok(Exit::Clean)
}
