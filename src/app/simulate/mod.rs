//! `pointsman simulate`: tables of requests against policies, decided by the local evaluator, by AWS's simulator, or by
//! both.

mod engine;
mod load;
mod recording;

use std::io::Write;

use crate::iam::cases::Case;
use crate::iam::{Compiled, Decision};
use crate::ports::{FileFault, Files, PolicySimulator};
use crate::report::{Format, Simulation, Tried, render_simulation};
use crate::text::SourceMap;

use super::exit::{AppError, Exit};
pub(super) use load::{Layers, Loader};
use recording::{Recorder, Replayed};

/// The table that is taken when none is named.
pub const USUAL_TABLE: &str = "policies/cases.toml";

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// The evaluator in this program.
    #[default]
    Local,
    /// AWS's `SimulateCustomPolicy`.
    Aws,
    /// Both; every difference is told, and fails its case.
    Both,
}

/// Where AWS's answers come from, and whether they are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Answers {
    /// From AWS.
    #[default]
    Live,
    /// From AWS, and kept in this file.
    Recorded(String),
    /// From this file alone.
    Replayed(String),
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Tables; empty for [`USUAL_TABLE`].
    pub tables: Vec<String>,
    /// Whether a key that policies ask for must be given, or named in the case's `absent` list.
    pub strict_context: bool,
    /// Who decides.
    pub engine: Engine,
    /// Where AWS's answers come from.
    pub answers: Answers,
    /// The form of the output.
    pub format: Format,
}

/// Tries every case, and writes what came of it to `out`. `aws` is asked where the engine is AWS's and the answers are not
/// replayed.
///
/// # Errors
/// When a table or a recording does not exist, AWS cannot be asked, or `out` cannot be written to.
pub fn run(
    request: &Request,
    files: &dyn Files,
    aws: Option<&mut dyn PolicySimulator>,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    match (&request.answers, aws) {
        _ if request.engine == Engine::Local => with(request, files, None, out),
        (Answers::Replayed(path), _) => {
            let mut replayed = Replayed::read(path, files)?;
            with(request, files, Some(&mut replayed), out)
        }
        (Answers::Recorded(path), Some(aws)) => {
            let mut recorder = Recorder::new(aws);
            let exit = with(request, files, Some(&mut recorder), out)?;
            recorder.write(path, files)?;
            Ok(exit)
        }
        (Answers::Live, Some(aws)) => with(request, files, Some(aws), out),
        (Answers::Live | Answers::Recorded(_), None) => Err(AppError::usage(
            "`--engine aws` and `--engine both` need a program that was built with the feature `aws`",
            "build with `cargo build --features aws`, or give `--replay FILE` with answers that such a build has recorded",
        )),
    }
}

fn with(
    request: &Request,
    files: &dyn Files,
    mut aws: Option<&mut dyn PolicySimulator>,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
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
            let Some(layers) = loader.layers(&case.policies, path) else {
                loader.not_tried(&case, path);
                continue;
            };
            let tried = match &mut aws {
                Some(aws) => tried(request, &case, &layers, Some(&mut **aws))?,
                None => tried(request, &case, &layers, None)?,
            };
            simulation.tried.push(tried);
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

fn tried(
    request: &Request,
    case: &Case,
    layers: &Layers,
    aws: Option<&mut dyn PolicySimulator>,
) -> Result<Tried, AppError> {
    let policies = layers.policies();
    let mut decision = Compiled::new(&policies).evaluate(&case.request);
    let mut differences = Vec::new();
    if let Some(aws) = aws {
        let asked = engine::ask(case, &policies, &decision, aws)?;
        if request.engine == Engine::Both {
            differences = asked.differences;
            decision.undecided.extend(asked.decision.undecided);
        } else {
            decision = asked.decision;
        }
    }
    Ok(Tried {
        id: case.id.as_str().to_owned(),
        at: case.id.span(),
        unplanned: if request.strict_context {
            unplanned(case, &decision)
        } else {
            Vec::new()
        },
        decision,
        expected: case.expected,
        differences,
    })
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
