//! What the rules of schedules share.

use crate::model::facts::RepositoryFacts;
use crate::model::workflow::{Trigger, Workflow};
use crate::rules::Workspace;
use crate::text::{Span, Text};

/// A workflow with a schedule.
pub(super) struct Scheduled<'a> {
    /// Its path.
    pub(super) path: &'a str,
    pub(super) trigger: &'a Trigger,
    /// What is known of the repository.
    pub(super) facts: Option<&'a RepositoryFacts>,
    /// Whether it is a failover, or runs one, so that its time matters.
    pub(super) matters: bool,
}

impl<'a> Scheduled<'a> {
    /// The cron lines, each with its key.
    pub(super) fn crons(&self) -> Vec<(&'a Text, &'a Text)> {
        self.trigger.crons()
    }

    /// From the key `schedule` to the end of its last cron line.
    pub(super) fn span(&self) -> Span {
        let at = self.trigger.name.span();
        self.crons()
            .iter()
            .fold(at, |at, (_, cron)| at.cover(cron.span()))
    }
}

/// Every workflow with a schedule.
pub(super) fn scheduled(workspace: &Workspace) -> impl Iterator<Item = Scheduled<'_>> {
    workspace.workflows.iter().filter_map(|artefact| {
        let workflow = &artefact.model;
        Some(Scheduled {
            path: &workflow.path,
            trigger: workflow.trigger("schedule")?,
            facts: workspace.facts_of(&workflow.path),
            matters: workflow.looks_like_failover() || runs_failover(workflow),
        })
    })
}

fn runs_failover(workflow: &Workflow) -> bool {
    let steps = workflow.jobs.iter().flat_map(|job| &job.steps);
    let mut scripts = steps.filter_map(|step| step.run.as_ref());
    scripts.any(|script| {
        let script = script.as_str().to_ascii_lowercase();
        script.contains("failover") || script.contains("pointsman-switch")
    })
}
