//! What a result is never written over: the spec, its artefacts, and whatever else was read of the deployment.

use crate::check::Loaded;
use crate::model::pins::LOCK_FILE;
use crate::model::spec::{EXECUTOR, EXECUTOR_SUM, SCHEMA_FILE};

use super::exit::AppError;
use super::spec::SpecChoice;
use super::validate::normal;

/// Refuses paths at which a file of the deployment stands.
///
/// # Errors
/// For the first one that does.
pub(super) fn spare(
    asked: &[&Option<String>],
    here: &str,
    spec: &SpecChoice,
    loaded: &Loaded,
) -> Result<(), AppError> {
    let folder = spec.folder();
    let workspace = &loaded.workspace;
    let sums = workspace.sums.keys().map(|path| format!("{folder}{path}"));
    let mut own: Vec<String> = sums.chain(workspace.paths.iter().cloned()).collect();
    own.extend(workspace.spec.as_ref().map(|spec| {
        let file = spec.at("").file;
        loaded.sources.path(file).to_owned()
    }));
    let beside = [
        LOCK_FILE,
        SCHEMA_FILE,
        "pointsman.lock",
        EXECUTOR,
        EXECUTOR_SUM,
    ];
    own.extend(beside.map(|file| format!("{folder}{file}")));
    own.extend(workspace.spec.as_ref().map(|spec| spec.workflow_path()));
    let own: Vec<String> = own.iter().map(|path| normal(path, here)).collect();
    for path in asked.iter().copied().flatten() {
        if own.contains(&normal(path, here)) {
            return Err(AppError::usage(
                format!("`{path}` is a file of the deployment, and is not written over"),
                "name a file that is not there yet",
            ));
        }
    }
    Ok(())
}
