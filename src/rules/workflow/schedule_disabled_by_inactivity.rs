//! A schedule that GitHub switches off, or has switched off, since nothing happens in the repository.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Span;

use super::schedule::{Scheduled, scheduled};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "schedule-disabled-by-inactivity",
    aliases: &[],
    summary: "a schedule of a public repository in which nothing happens",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("schedule_disabled_by_inactivity.md"),
    check: Check::Whole(check),
};

/// GitHub Docs, "Events that trigger workflows", `schedule`: in a public repository, after 60 days without activity.
const LIMIT: i64 = 60;

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for schedule in scheduled(workspace) {
        if let Some(state) = disabled(&schedule) {
            sink.report(
                schedule.span(),
                "this workflow is disabled since nothing happened in the repository: neither its schedule nor its other triggers start it",
            )
            .related(state, "it is said here")
            .help(HELP);
            continue;
        }
        let Some(facts) = schedule.facts.filter(|facts| facts.is_public == Some(true)) else {
            continue;
        };
        let Some(idle) = facts.idle_days else {
            continue;
        };
        let (severity, message) = if idle >= LIMIT {
            (
                Severity::Error,
                format!(
                    "nothing has happened in this public repository for {idle} days: after {LIMIT} GitHub disables the workflow, and with it its other triggers"
                ),
            )
        } else if idle >= LIMIT / 2 {
            let left = LIMIT - idle;
            (
                Severity::Warning,
                format!(
                    "nothing has happened in this public repository for {idle} days: in {left} GitHub disables the workflow, and with it its other triggers"
                ),
            )
        } else {
            continue;
        };
        sink.report(schedule.span(), message)
            .severity(severity)
            .related(facts.at, "it is said here")
            .help(HELP);
    }
}

const HELP: &str = "enable it again in the list of workflows, or with `gh workflow enable`; wake what must run from outside, and keep such workflows in a private repository";

/// Where the repository says that the workflow is switched off already.
fn disabled(schedule: &Scheduled<'_>) -> Option<Span> {
    let file = schedule.path.rsplit('/').next();
    let mut listed = schedule.facts?.workflows.iter();
    let listed = listed.find(|one| Some(one.file()) == file)?;
    let state = listed.disabled()?;
    (state.as_str() == "disabled_inactivity").then(|| state.span())
}
