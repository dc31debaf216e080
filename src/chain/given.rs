//! What there was to look at: a link for which nothing was given is no fault.

use crate::model::spec::Spec;
use crate::rules::Workspace;
use crate::rules::kubernetes::{Readiness, readiness};

/// What a workspace holds, taken before the checks consume it.
#[derive(Debug, Clone, Default)]
pub struct Given {
    pub(super) workflow: bool,
    pub(super) terraform: bool,
    pub(super) policies: bool,
    pub(super) trust: bool,
    pub(super) manifests: Vec<String>,
    pub(super) hosts: Vec<Readiness>,
}

impl Given {
    /// What a workspace holds.
    #[must_use]
    pub fn of(spec: &Spec, workspace: &Workspace) -> Self {
        let within = |folder: &str| {
            workspace
                .paths
                .iter()
                .any(|path| path.starts_with(&format!("{folder}/")))
        };
        let terraform = within(&spec.artefacts.terraform);
        let mut manifests: Vec<String> = workspace
            .manifests
            .iter()
            .map(|manifest| manifest.path.clone())
            .collect();
        manifests.dedup();
        Self {
            workflow: workspace.paths.contains(&spec.workflow_path()),
            terraform,
            policies: within(&spec.artefacts.policies),
            trust: workspace.paths.contains(&spec.trust_policy_path()) || terraform,
            manifests,
            hosts: readiness(spec, workspace),
        }
    }
}
