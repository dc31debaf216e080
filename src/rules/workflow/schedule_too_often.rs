//! A cron line that asks for more runs than GitHub begins.

use crate::diag::Severity;
use crate::model::workflow::cron::shortest_gap;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::schedule::scheduled;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "schedule-too-often",
    aliases: &[],
    summary: "a schedule that plans runs less than five minutes apart",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("schedule_too_often.md"),
    check: Check::Whole(check),
};

/// GitHub Docs, "Events that trigger workflows", `schedule`: the shortest interval, in minutes.
const SHORTEST: u32 = 5;

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for schedule in scheduled(workspace) {
        for (_, cron) in schedule.crons() {
            let gap = shortest_gap(cron.as_str());
            let Some(gap) = gap.filter(|gap| *gap < SHORTEST) else {
                continue;
            };
            let noun = if gap == 1 { "minute" } else { "minutes" };
            sink.report(
                cron.span(),
                format!("runs are planned {gap} {noun} apart, and GitHub begins none less than {SHORTEST} minutes after another"),
            )
            .help("write `*/5` or rarer, off the full hour; for a shorter time let something outside of GitHub start the workflow");
        }
    }
}
