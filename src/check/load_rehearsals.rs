//! The ledger of rehearsals, and the sums of what a rehearsal is made with.

use crate::generate::sha256;
use crate::model::rehearsal::{FOLDER, Rehearsal, is_of_ledger};
use crate::model::spec::{self, Spec};
use crate::text::FileId;

use super::load::{Loaded, Standing};
use super::roles;

/// The folder of the ledger, counted as all paths are.
#[must_use]
pub fn ledger(spec: &Spec) -> String {
    format!("{}{FOLDER}", spec.folder())
}

impl Loaded {
    /// Whether a file is of the ledger: beside the spec, or named by somebody who has none.
    pub(super) fn is_rehearsal(path: &str, spec: Option<&Spec>, standing: Standing) -> bool {
        let beside = |spec: &Spec| {
            let rest = path.strip_prefix(&ledger(spec));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        is_of_ledger(path) && (standing == Standing::Named || spec.is_some_and(beside))
    }

    /// Takes a file of the ledger in.
    pub(super) fn take_rehearsal(&mut self, file: FileId, path: &str) {
        let Some(text) = self.sources.text(file) else {
            return;
        };
        match Rehearsal::read(path, &text) {
            Ok(rehearsal) => self.workspace.rehearsals.push(rehearsal),
            Err(faults) => {
                for fault in faults {
                    self.unread(file, Some(fault.at), fault.reason);
                }
            }
        }
    }

    /// Notes the sum of an artefact of the spec, by its path from the spec's folder.
    pub(super) fn note_sum(
        &mut self,
        path: &str,
        bytes: &Result<Vec<u8>, String>,
        spec: Option<&Spec>,
    ) {
        let spec = spec.filter(|spec| roles::of_path(spec, path).is_some());
        let (Some(spec), Ok(bytes)) = (spec, bytes) else {
            return;
        };
        let path = path.strip_prefix(spec.folder()).unwrap_or(path);
        let sum = sha256(bytes);
        self.workspace.sums.insert(path.to_owned(), sum);
    }

    /// Notes the sum of the spec itself.
    pub(super) fn note_spec(&mut self, spec: &Spec) {
        let file = spec.at("").file;
        let Some(text) = self.sources.text(file) else {
            return;
        };
        let path = self.sources.path(file);
        let path = path.rsplit('/').next().unwrap_or(spec::FILE).to_owned();
        let sum = sha256(text.as_str().as_bytes());
        self.workspace.sums.insert(path, sum);
    }
}
