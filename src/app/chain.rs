//! `pointsman chain`: each link from the heartbeat to the visitors, and what every single failure does.

use std::io::Write;

use crate::chain::{Duties, Given, State, links, survival};
use crate::check;
use crate::forecast::{SEED, Settings, outages};
use crate::ports::Files;
use crate::report::{Format, render_chain, render_mermaid, render_survival};

use super::exit::{AppError, Exit};
use super::spec::SpecChoice;
use super::{forecast as forecasting, validate};

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where the spec is.
    pub spec: SpecChoice,
    /// The working directory as an absolute path.
    pub here: String,
    /// Files and folders; empty for the spec's artefacts.
    pub paths: Vec<String>,
    /// The matrix of failures instead of the chain.
    pub survival: bool,
    /// A Mermaid flow chart instead of text.
    pub mermaid: bool,
    /// The form of the output.
    pub format: Format,
}

/// How many outages are drawn for the matrix.
const OUTAGES: u32 = 20_000;

/// Writes the chain or the matrix to `out`.
///
/// # Errors
/// When there is no spec, a path that was named does not exist, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let asked = validate::Request {
        paths: request.paths.clone(),
        ..validate::Request::to_read(&request.spec, &request.here, request.format)
    };
    let Some(mut read) = validate::load(&asked, files, out)? else {
        return Ok(Exit::Usage);
    };
    if let Some(fault) = read.missing.pop() {
        return Err(fault.into());
    }
    let Some(spec) = read.loaded.workspace.spec.clone() else {
        return Err(AppError::usage(
            "there is no spec with a deployment here",
            "write one with `pointsman init`, or name another with `--spec FILE`",
        ));
    };
    let duties = Duties::of(&spec, &read.loaded.workspace);
    if request.survival {
        let mut settings = Settings::of(&spec);
        forecasting::as_declared(&spec, &read.loaded, &mut settings)?;
        let column = outages(&settings, OUTAGES, SEED);
        render_survival(request.format, &survival(&spec, &duties, &column), out)?;
        return Ok(if read.loaded.unread.is_empty() {
            Exit::Clean
        } else {
            Exit::Unread
        });
    }
    let given = Given::of(&spec, &read.loaded.workspace);
    let checked = check::run(read.loaded);
    let chain = links(&spec, &duties, &given, &checked);
    if request.mermaid {
        render_mermaid(&chain, out)?;
    } else {
        render_chain(request.format, &chain, out)?;
    }
    let any = |state| chain.iter().any(|link| link.state == state);
    Ok(if any(State::Broken) {
        Exit::Findings
    } else if any(State::Undecided) {
        Exit::Unread
    } else {
        Exit::Clean
    })
}
