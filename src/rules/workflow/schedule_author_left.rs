//! A schedule that was last changed by somebody who has left the organisation.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::schedule::scheduled;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "schedule-author-left",
    aliases: &[],
    summary: "a schedule of somebody who is no member any more",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("schedule_author_left.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for schedule in scheduled(workspace) {
        let Some(facts) = schedule.facts else {
            continue;
        };
        if facts.cron_author_is_member != Some(false) {
            continue;
        }
        let author = facts.cron_author.as_deref().unwrap_or("its author");
        for (key, cron) in schedule.crons() {
            sink.report(
                key.span().cover(cron.span()),
                format!("`{author}`, who last changed this line, is no member any more, and the schedule has stopped with that"),
            )
            .related(facts.at, "it is said here")
            .help("let a member change the cron value, if only by a minute, in a commit of their own");
        }
    }
}
