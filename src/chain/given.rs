//! What there was to look at: a link for which nothing was given is no fault.

use crate::model::spec::Spec;
use crate::rules::Workspace;
use crate::rules::kubernetes::{Readiness, readiness};
use crate::terraform::Standing;

/// What a workspace holds, taken before the checks consume it.
#[derive(Debug, Clone, Default)]
pub struct Given {
    pub(super) workflow: bool,
    pub(super) terraform: bool,
    pub(super) policies: bool,
    pub(super) trust: bool,
    pub(super) manifests: Vec<String>,
    pub(super) hosts: Vec<Readiness>,
    /// The longest TTL that Terraform gives the records, where it is known.
    pub(super) ttl: Option<u32>,
    /// Whether runs of the workflow that wait are kept, all of them, rather than replaced by the newest.
    pub(super) keeps_waiting: bool,
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
            ttl: ttl(spec, workspace),
            keeps_waiting: keeps_waiting(spec, workspace),
        }
    }
}

fn ttl(spec: &Spec, workspace: &Workspace) -> Option<u32> {
    let module = workspace.own_module()?;
    let switched = module
        .records
        .iter()
        .filter(|record| matches!(record.standing(spec, true), Standing::Switched(..)));
    let seconds = switched.filter_map(|record| {
        let written = record.ttl.as_ref()?;
        let number = written
            .as_integer()
            .or_else(|| written.as_str()?.parse().ok());
        number.and_then(|seconds| u32::try_from(seconds).ok())
    });
    seconds.max()
}

/// `queue: max` keeps up to 100 runs waiting (GitHub, May 2026).
fn keeps_waiting(spec: &Spec, workspace: &Workspace) -> bool {
    let workflows = workspace.workflows.iter().map(|artefact| &artefact.model);
    let mut own = workflows.filter(|workflow| workflow.path == spec.workflow_path());
    own.any(|workflow| {
        let of_jobs = workflow.jobs.iter().map(|job| &job.concurrency);
        let mut all = of_jobs.chain([&workflow.concurrency]).flatten();
        all.any(|it| {
            it.queue
                .as_ref()
                .is_some_and(|queue| queue.as_str() == "max")
        })
    })
}
