//! The ledger: what a rehearsal is bound to, and where its evidence goes.

use std::collections::BTreeMap;
use std::io;

use crate::model::rehearsal::Evidence;
use crate::ports::Files;
use crate::report::Format;

use super::exit::AppError;
use super::spec::SpecChoice;
use super::validate::{self, Request};

/// SHA-256 of the spec and of each of its artefacts, by the path from the spec's folder: the very files that `validate` holds
/// against the ledger. `None` for a spec that is missing or wrong.
///
/// # Errors
/// When a spec that was named cannot be read.
pub fn sums(
    spec: &SpecChoice,
    here: &str,
    files: &dyn Files,
) -> Result<Option<BTreeMap<String, String>>, AppError> {
    let request = Request::to_read(spec, here, Format::Json);
    let read = validate::load(&request, files, &mut io::sink())?;
    let workspace = read.map(|read| read.loaded.workspace);
    let with_spec = workspace.filter(|workspace| workspace.spec.is_some());
    Ok(with_spec.map(|workspace| workspace.sums))
}

/// Writes the evidence beside the spec, whose folder is `folder` with its final `/` or empty, and never over another; gives the
/// path.
///
/// # Errors
/// When it cannot be written.
pub fn write(evidence: &Evidence, folder: &str, files: &dyn Files) -> Result<String, AppError> {
    let text = evidence.text();
    for path in evidence.paths() {
        let path = format!("{folder}{path}");
        if files.write_new(&path, text.as_bytes())? {
            return Ok(path);
        }
    }
    Ok(String::new())
}
