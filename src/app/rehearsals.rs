//! The ledger: what a rehearsal is bound to, and where its evidence goes.

use std::collections::BTreeMap;
use std::io;
#[cfg(feature = "drill")]
use std::time::Duration;

use crate::model::rehearsal::Evidence;
#[cfg(feature = "drill")]
use crate::model::rehearsal::Kind;
use crate::ports::Files;
use crate::report::Format;
#[cfg(feature = "drill")]
use crate::report::drill::Rehearsed;

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

/// The evidence of a drill that began then: the phases of each of its moves, and what was not as it must be.
#[cfg(feature = "drill")]
#[must_use]
pub fn of_drill(
    rehearsed: &Rehearsed,
    began_millis: u64,
    artefacts: BTreeMap<String, String>,
) -> Evidence {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let mut phases: Vec<(String, u64)> = Vec::new();
    for it in &rehearsed.moves {
        let home = rehearsed.sites.first() == Some(&it.to);
        let way = if home { "return" } else { "switch" };
        for phase in &it.phases {
            let name = format!("{way}_{}", phase.name.replace(' ', "_"));
            // A second move the same way adds to the first.
            match phases.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum = sum.saturating_add(millis(phase.lasted)),
                None => phases.push((name, millis(phase.lasted))),
            }
        }
    }
    let failed = (!rehearsed.passed()).then(|| rehearsed.conclusion());
    Evidence {
        kind: Kind::Drill,
        started_millis: began_millis,
        finished_millis: began_millis.saturating_add(millis(rehearsed.took)),
        failed,
        phases,
        artefacts,
    }
}

/// Writes the evidence beside the spec, whose folder is `folder` with its final `/` or empty, and never over another; gives the
/// path.
///
/// # Errors
/// When it cannot be written.
pub fn write(evidence: &Evidence, folder: &str, files: &dyn Files) -> Result<String, AppError> {
    let free = evidence
        .paths()
        .map(|path| format!("{folder}{path}"))
        .find(|path| files.kind(path).is_none());
    let path = free.unwrap_or_default();
    files.write_atomically(&path, evidence.text().as_bytes())?;
    Ok(path)
}
