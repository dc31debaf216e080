//! `pointsman simulate`: tables of requests against policies, decided by the local evaluator.

mod load;

use std::io::Write;

use crate::iam::cases::Case;
use crate::iam::{Compiled, Decision};
use crate::ports::{FileFault, Files};
use crate::report::{Format, Simulation, Tried, render_simulation};
use crate::text::SourceMap;

use super::exit::{AppError, Exit};
use load::Loader;

/// The table that is taken when none is named.
pub const USUAL_TABLE: &str = "policies/cases.toml";

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Tables; empty for [`USUAL_TABLE`].
    pub tables: Vec<String>,
    /// Whether a key that policies ask for must be given, or named in the case's `absent` list.
    pub strict_context: bool,
    /// The form of the output.
    pub format: Format,
}

/// Tries every case, and writes what came of it to `out`.
///
/// # Errors
/// When a table does not exist, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let usual = [USUAL_TABLE.to_owned()];
    let tables = if request.tables.is_empty() {
        &usual[..]
    } else {
        &request.tables
    };
    if let Some(path) = tables.iter().find(|path| files.kind(path).is_none()) {
        return Err(FileFault {
            path: path.clone(),
            reason: if request.tables.is_empty() {
                "there is no such file; write a table of cases there, or name another".to_owned()
            } else {
                "there is no such file".to_owned()
            },
            missing: true,
        }
        .into());
    }
    let mut loader = Loader::new(files);
    let mut simulation = Simulation::default();
    for path in tables {
        for case in loader.table(path) {
            let Some(compiled) = loader.compiled(&case, path) else {
                loader.not_tried(&case, path);
                continue;
            };
            simulation
                .tried
                .push(tried(&case, &compiled, request.strict_context));
        }
    }
    let Loader {
        sources,
        unread,
        missing,
        ..
    } = loader;
    simulation.unread = unread;
    finish(&simulation, missing, &sources, request.format, out)
}

fn finish(
    simulation: &Simulation,
    missing: bool,
    sources: &SourceMap,
    format: Format,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    render_simulation(format, simulation, sources, out)?;
    Ok(if missing {
        Exit::Failed
    } else if simulation.failed() > 0 {
        Exit::Findings
    } else if simulation.undecided() > 0 || !simulation.unread.is_empty() {
        Exit::Unread
    } else {
        Exit::Clean
    })
}

fn tried(case: &Case, compiled: &Compiled, strict_context: bool) -> Tried {
    let decision = compiled.evaluate(&case.request);
    Tried {
        id: case.id.as_str().to_owned(),
        at: case.id.span(),
        unplanned: if strict_context {
            unplanned(case, &decision)
        } else {
            Vec::new()
        },
        decision,
        expected: case.expected,
    }
}

/// The missing keys that the case does not name; letter case does not count.
fn unplanned(case: &Case, decision: &Decision) -> Vec<String> {
    let planned = |key: &String| {
        case.absent
            .iter()
            .any(|absent| absent.eq_ignore_ascii_case(key))
    };
    let missing = decision.missing_context.iter();
    missing.filter(|key| !planned(key)).cloned().collect()
}
