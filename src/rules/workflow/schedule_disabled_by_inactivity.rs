//! A schedule that GitHub switches off, or has switched off, since nothing happens in the repository.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::schedule::scheduled;

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
            .help("enable it again in the list of workflows, or with `gh workflow enable`; wake what must run from outside, and keep such workflows in a private repository");
    }
}
