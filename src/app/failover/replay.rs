//! `pointsman failover replay`: a journal played again.

use std::io::Write;

use serde_json::json;

use crate::app::{AppError, Exit};
use crate::failover::journal::{self, Replay};
use crate::ports::Files;
use crate::report::Format;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The journal.
    pub path: String,
    /// The form of the output.
    pub format: Format,
}

/// Plays the journal again, and writes what came of it to `out`.
///
/// # Errors
/// When the file does not exist or is no journal, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let path = &request.path;
    let wrong = |reason: String| {
        let hint = "give the journal of a run: lines of JSON, the first with `journal`";
        AppError::usage(format!("`{path}` is no journal: {reason}"), hint)
    };
    let text = String::from_utf8(files.read(path)?).map_err(|error| wrong(error.to_string()))?;
    let played = journal::replay(&text).map_err(|fault| wrong(fault.to_string()))?;
    match request.format {
        Format::Json => write_json(&played, out)?,
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            write_human(&played, out)?;
        }
    }
    Ok(if played.difference.is_some() {
        Exit::Findings
    } else if played.cut_off || !played.finished {
        Exit::Unread
    } else {
        Exit::Clean
    })
}

fn write_json(played: &Replay, out: &mut dyn Write) -> Result<(), AppError> {
    let difference = played.difference.as_ref().map(|difference| {
        json!({
            "line": difference.line,
            "event": difference.event,
            "then": difference.then,
            "now": difference.now,
            "wording": difference.wording,
        })
    });
    let value = json!({
        "version": 1,
        "written_by": played.version,
        "events": played.events,
        "effects": played.effects,
        "finished": played.finished,
        "missing": played.missing,
        "cut_off": played.cut_off,
        "difference": difference,
    });
    writeln!(out, "{value:#}")?;
    Ok(())
}

fn write_human(played: &Replay, out: &mut dyn Write) -> Result<(), AppError> {
    let Replay {
        version,
        events,
        effects,
        ..
    } = played;
    if let Some(difference) = &played.difference {
        let what = if difference.wording {
            "says it in other words"
        } else {
            "decides otherwise"
        };
        writeln!(out, "line {}: this version {what} after", difference.line)?;
        writeln!(out, "  {}", difference.event)?;
        for line in &difference.then {
            writeln!(out, "- {line}")?;
        }
        for line in &difference.now {
            writeln!(out, "+ {line}")?;
        }
        return Ok(());
    }
    let cut = match (played.cut_off, played.finished) {
        (false, _) => "",
        (true, false) => "; its last line is cut off",
        (true, true) => "; behind the end of the run stands a line that is cut off, or is none",
    };
    if *events == 0 {
        writeln!(
            out,
            "the journal, written by {version}, has its first line alone: its run stopped before anything happened{cut}"
        )?;
        return Ok(());
    }
    let missing = match played.missing {
        0 => String::new(),
        1 => ", without the last effect of its last event".to_owned(),
        several => format!(", without the last {several} effects of its last event"),
    };
    let until = if played.finished {
        cut.to_owned()
    } else {
        format!(", and then the journal stops before the end of its run{missing}{cut}")
    };
    writeln!(
        out,
        "{events} events, written by {version}: the same {effects} effects, byte for byte{until}"
    )?;
    Ok(())
}
