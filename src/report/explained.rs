//! One decision in plain words, with the edit that would change it.

use std::io::{self, Write};

use serde::Serialize;

use crate::iam::Decision;
use crate::iam::advice::{AlsoAllowed, Reach};

use super::Format;

/// How many of the other requests that an edit allows are shown to a person; JSON has all.
const SHOWN: usize = 8;

/// A decision, explained.
#[derive(Debug)]
pub struct Explained {
    /// The policy's path.
    pub policy: String,
    /// The action that was asked for.
    pub action: String,
    /// The resource.
    pub resource: String,
    /// The decision with its reasons.
    pub decision: Decision,
    /// The smallest edit that allows the request.
    pub edit: Option<Edited>,
    /// An edit that allows less besides.
    pub alone: Option<Edited>,
    /// An edit after which the listed values are read as patterns.
    pub pattern: Option<Edited>,
    /// Why there is no edit, or what else is to be known.
    pub notes: Vec<String>,
}

/// An edit of the policy.
#[derive(Debug)]
pub struct Edited {
    /// What it does, in sentences.
    pub what: Vec<String>,
    /// The same as a unified difference.
    pub diff: String,
    /// What it allows besides.
    pub reach: Reach,
    /// Why other layers deny the request even so.
    pub still: Vec<String>,
}

#[derive(Serialize)]
struct JsonExplained<'a> {
    version: u32,
    policy: &'a str,
    action: &'a str,
    resource: &'a str,
    decision: &'static str,
    why: &'a [String],
    missing_context: &'a [String],
    undecided: &'a [String],
    edit: Option<JsonEdited<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alone: Option<JsonEdited<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<JsonEdited<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct JsonEdited<'a> {
    what: &'a [String],
    diff: &'a str,
    also_allows: Vec<JsonAlso<'a>>,
    also_in_any_combination: bool,
    also_open: &'a [String],
    complete: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    still_denied: &'a [String],
}

#[derive(Serialize)]
struct JsonAlso<'a> {
    action: &'a str,
    resource: &'a str,
    context: std::collections::BTreeMap<&'a str, &'a str>,
}

/// Writes an explanation in the given form; a job of GitHub Actions gets it as text.
///
/// # Errors
/// When `out` cannot be written to.
pub fn render_explained(
    format: Format,
    explained: &Explained,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => json(explained, out),
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            human(explained, out)
        }
    }
}

fn human(explained: &Explained, out: &mut dyn Write) -> io::Result<()> {
    let decision = &explained.decision;
    let word = if decision.undecided.is_empty() {
        decision.word.word()
    } else {
        "undecided"
    };
    let (action, resource) = (&explained.action, &explained.resource);
    writeln!(out, "{word}: `{action}` on `{resource}`")?;
    for reason in decision.why.iter().chain(&decision.undecided) {
        writeln!(out, "  {reason}")?;
    }
    let told = |key: &String| {
        let mut reasons = decision.why.iter().chain(&decision.undecided);
        reasons.any(|reason| reason.contains(&format!("`{key}`")))
    };
    for key in decision.missing_context.iter().filter(|key| !told(key)) {
        writeln!(out, "  `{key}` is asked for and not in the request")?;
    }
    for note in &explained.notes {
        writeln!(out, "note: {note}")?;
    }
    if let Some(edit) = &explained.edit {
        writeln!(out, "\nthe smallest edit that would allow it:")?;
        edited(edit, out)?;
    }
    if let Some(alone) = &explained.alone {
        writeln!(out, "\nto allow less besides, a statement of its own:")?;
        edited(alone, out)?;
    }
    if let Some(pattern) = &explained.pattern {
        writeln!(out, "\nif the listed values are meant as patterns:")?;
        edited(pattern, out)?;
    }
    Ok(())
}

fn edited(edit: &Edited, out: &mut dyn Write) -> io::Result<()> {
    for what in &edit.what {
        writeln!(out, "  {what}")?;
    }
    write!(out, "{}", edit.diff)?;
    if !edit.still.is_empty() {
        writeln!(out, "even with it, other layers deny the request:")?;
    }
    for reason in &edit.still {
        writeln!(out, "  {reason}")?;
    }
    let Reach {
        also,
        cut,
        together,
        open,
    } = &edit.reach;
    if edit.reach.is_narrow() {
        return writeln!(
            out,
            "no other combination of what that statement lists would become allowed"
        );
    }
    writeln!(out, "it would also allow:")?;
    for one in also.iter().take(SHOWN) {
        writeln!(out, "  {}", line(one))?;
    }
    if also.len() > SHOWN {
        let more = also.len() - SHOWN;
        writeln!(out, "  and {more} more; `--format json` lists them")?;
    }
    if *together {
        writeln!(
            out,
            "  every request that has several of the listed values at once, the new one among them"
        )?;
    }
    for open in open {
        writeln!(out, "  {open}, as far as its conditions hold")?;
    }
    if *cut {
        writeln!(
            out,
            "  and more: there are too many combinations to try them all"
        )?;
    }
    Ok(())
}

fn line(also: &AlsoAllowed) -> String {
    let (action, resource) = (&also.action, &also.resource);
    let values: Vec<String> = also
        .context
        .iter()
        .map(|(_, value)| format!("`{value}`"))
        .collect();
    if values.is_empty() {
        format!("`{action}` on `{resource}`")
    } else {
        format!("`{action}` on `{resource}` with {}", values.join(", "))
    }
}

fn json(explained: &Explained, out: &mut dyn Write) -> io::Result<()> {
    let decision = &explained.decision;
    let report = JsonExplained {
        version: 1,
        policy: &explained.policy,
        action: &explained.action,
        resource: &explained.resource,
        decision: decision.word.word(),
        why: &decision.why,
        missing_context: &decision.missing_context,
        undecided: &decision.undecided,
        edit: explained.edit.as_ref().map(json_edited),
        alone: explained.alone.as_ref().map(json_edited),
        pattern: explained.pattern.as_ref().map(json_edited),
        notes: &explained.notes,
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn json_edited(edit: &Edited) -> JsonEdited<'_> {
    let also = edit.reach.also.iter().map(|one| JsonAlso {
        action: &one.action,
        resource: &one.resource,
        context: one
            .context
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect(),
    });
    JsonEdited {
        what: &edit.what,
        diff: &edit.diff,
        also_allows: also.collect(),
        also_in_any_combination: edit.reach.together,
        also_open: &edit.reach.open,
        complete: !edit.reach.cut,
        still_denied: &edit.still,
    }
}
