//! `pointsman failover scenarios`: decision scenarios on a virtual clock.

use std::io::Write;

use crate::app::{AppError, Exit};
use crate::failover::rehearse;
use crate::ports::Files;
use crate::report::{Format, Rehearsed, render_rehearsal};

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file of scenarios.
    pub path: String,
    /// The form of the output.
    pub format: Format,
}

/// Runs every scenario through, and writes what came of it to `out`.
///
/// # Errors
/// When the file does not exist or holds no scenarios, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let path = &request.path;
    let file = rehearse::read(&files.read(path)?).map_err(|reason| {
        AppError::usage(
            format!("`{path}` holds no scenarios: {reason}"),
            "give a JSON file with `sites`, `records` and `scenarios`",
        )
    })?;
    let rows: Vec<Rehearsed> = file.rows.into_iter().map(rehearsed).collect();
    render_rehearsal(request.format, &rows, out)?;
    Ok(if rows.iter().any(Rehearsed::failed) {
        Exit::Findings
    } else if rows.iter().any(Rehearsed::is_unread) {
        Exit::Unread
    } else {
        Exit::Clean
    })
}

fn rehearsed(row: Result<rehearse::Scenario, (String, String)>) -> Rehearsed {
    match row {
        Ok(scenario) => {
            let ran = rehearse::run(&scenario);
            Rehearsed::Ran {
                differs: ran.differs(&scenario),
                title: scenario.title,
                unknown: scenario.unknown,
                tested: scenario.expected.is_some(),
                ran: Box::new(ran),
            }
        }
        Err((id, reason)) => Rehearsed::Unread { id, reason },
    }
}
