//! `pointsman inspect policy`: policies normalised, and in words.

use std::io::Write;

use crate::model::policy::PolicyDocument;
use crate::ports::Files;
use crate::report::{Inspection, render_inspection};
use crate::rules::Subject;

use crate::app::validate::{Read, Request, load};
use crate::app::{AppError, Exit};

/// Shows the policies in the files of `request`: normalised, and in words. Exit status: 4 when something could not be read
/// or no policy is there.
///
/// # Errors
/// When a path that was named does not exist, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let request = Request {
        subject: Some(Subject::Policy),
        ..request.clone()
    };
    let Some(Read {
        mut loaded,
        mut missing,
        ..
    }) = load(&request, files, out)?
    else {
        return Ok(Exit::Usage);
    };
    loaded.undecided.append(&mut loaded.unresolved);
    let judged = |policy: &&PolicyDocument| !loaded.context_files.contains(&policy.span().file);
    let policies = loaded
        .workspace
        .policies
        .iter()
        .map(|artefact| &artefact.model);
    let inspection = Inspection {
        policies: policies.filter(judged).collect(),
        undecided: &loaded.undecided,
        unread: &loaded.unread,
    };
    render_inspection(request.format, &inspection, &loaded.sources, out)?;
    if let Some(fault) = missing.pop() {
        return Err(fault.into());
    }
    let nothing = inspection.policies.is_empty();
    Ok(if nothing || !inspection.unread.is_empty() {
        Exit::Unread
    } else {
        Exit::Clean
    })
}
