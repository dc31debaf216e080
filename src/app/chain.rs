//! `pointsman chain`: each link from the heartbeat to the visitors, and what every single failure does.

use std::io::Write;

use crate::chain::{Chain, Duties, Given, State, survival};
use crate::check::{self, Loaded};
use crate::forecast::{Death, SEED, Settings, outages};
use crate::model::spec::Spec;
use crate::parts::in_parts;
use crate::ports::Files;
use crate::report::{Format, render_chain, render_mermaid, render_survival};

use super::exit::{AppError, Exit};
use super::spec::SpecChoice;
use super::validate;

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

/// How many outages of each death are drawn for the matrix.
const OUTAGES: u32 = 7_000;

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
    let chain = judged(&spec, read.loaded);
    if request.survival {
        let draw = |death| {
            let mut settings = Settings::of(&spec);
            settings.death = death;
            chain.declare(&mut settings);
            outages(&settings, OUTAGES, SEED)
        };
        let of_part = |deaths: Vec<Death>| deaths.into_iter().map(draw).collect::<Vec<_>>();
        let drawn = in_parts(Death::ALL.into_iter(), 1, of_part);
        let mut drawn = drawn.into_iter().flatten();
        let columns = Death::ALL.map(|death| drawn.next().unwrap_or_else(|| draw(death)));
        render_survival(
            request.format,
            &chain,
            &survival(&spec, &chain, &columns),
            out,
        )?;
    } else if request.mermaid {
        render_mermaid(&chain.links, out)?;
    } else {
        render_chain(request.format, &chain.links, out)?;
    }
    Ok(exit(&chain))
}

/// What was read as a chain, judged by every check.
pub(super) fn judged(spec: &Spec, loaded: Loaded) -> Chain {
    let duties = Duties::of(spec, &loaded.workspace);
    let given = Given::of(spec, &loaded.workspace);
    Chain::judged(spec, duties, given, &check::run(loaded))
}

/// A link that is broken is a finding, one that is not known is undecided.
pub(super) fn exit(chain: &Chain) -> Exit {
    if chain.any(State::Broken) {
        Exit::Findings
    } else if chain.any(State::Undecided) {
        Exit::Unread
    } else {
        Exit::Clean
    }
}
