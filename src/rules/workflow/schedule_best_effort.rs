//! A schedule where it matters when it runs.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::schedule::scheduled;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "schedule-best-effort",
    aliases: &[],
    summary: "a schedule, which GitHub keeps as well as it can",
    severity: Severity::Note,
    tier: Tier::General,
    page: include_str!("schedule_best_effort.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for schedule in scheduled(workspace) {
        if schedule.matters || schedule.facts.is_some() {
            sink.report(
                schedule.span(),
                "scheduled runs are best effort: they come late, by hours at times, and some are dropped",
            )
            .help("wake what must run in time from outside, by `workflow_dispatch`");
        }
    }
}
