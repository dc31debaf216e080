//! A cron line at the full or the half hour.

use crate::diag::Severity;
use crate::model::workflow::cron::minutes;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::schedule::scheduled;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "schedule-top-of-hour",
    aliases: &[],
    summary: "a schedule at the minute at which most others run",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("schedule_top_of_hour.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for schedule in scheduled(workspace) {
        let matters = schedule.matters || schedule.facts.is_some();
        for (_, cron) in schedule.crons() {
            let Some(minutes) = minutes(cron.as_str()) else {
                continue;
            };
            let (minute, severity) = match minutes.as_slice() {
                [0] if matters => (0, Severity::Warning),
                [0] => (0, Severity::Note),
                [30] if matters => (30, Severity::Note),
                _ => continue,
            };
            sink.report(
                cron.span(),
                format!("at minute {minute} most scheduled runs begin, and those of that minute come latest or are dropped"),
            )
            .severity(severity)
            .help("choose another minute, such as 17 or 47");
        }
    }
}
