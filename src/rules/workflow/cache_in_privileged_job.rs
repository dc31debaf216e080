//! A cache, which other branches and workflows can fill, in a job that borrows an AWS role.

use crate::diag::Severity;
use crate::model::workflow::{Step, Workflow, variable};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

use super::permissions_missing::borrows_role;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "cache-in-privileged-job",
    aliases: &[],
    summary: "a cache in a job that borrows a role",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("cache_in_privileged_job.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if sink.spec().is_some() {
        return;
    }
    for job in workflow
        .jobs
        .iter()
        .filter(|job| borrows_role(workflow, job, true))
    {
        for step in &job.steps {
            if let Some(at) = cache(step) {
                sink.report(
                    at,
                    format!("what another run has put into this cache runs in `{}`, which borrows a role", job.id.as_str()),
                )
                .help("build without a cache here, or in a job of its own without `id-token: write`");
            }
        }
    }
}

/// Where a step restores a cache: the cache action, or the input `cache` of a set-up action.
fn cache(step: &Step) -> Option<Span> {
    let uses = step.uses.as_ref()?;
    if uses.is_action("actions", "cache") {
        return Some(uses.value_span());
    }
    let repository = uses.repository()?.to_ascii_lowercase();
    let input =
        variable(&step.with, "cache").filter(|_| repository.starts_with("actions/setup-"))?;
    let value = input.value.as_ref()?;
    let is_on = !matches!(value.as_str().trim(), "" | "false");
    is_on.then(|| input.name.span().cover(value.span()))
}
