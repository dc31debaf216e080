//! Runs that began much later than their cron line plans.

use crate::diag::Severity;
use crate::model::workflow::cron::longest_gap;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "schedule-not-punctual",
    aliases: &[],
    summary: "scheduled runs came much later than planned",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("schedule_not_punctual.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for plan in &workspace.schedules {
        let Some(planned) = longest_gap(plan.cron.as_str()) else {
            sink.undecided(
                plan.cron.span(),
                "whether the runs came in time",
                format!(
                    "`{}` plans no gap of the same length on each day",
                    plan.cron.as_str()
                ),
                Vec::new(),
            );
            continue;
        };
        for runs in workspace
            .runs
            .iter()
            .filter(|runs| runs.folder == plan.folder)
        {
            let gaps = runs.minutes.windows(2).zip(runs.at.iter().skip(1));
            let gaps = gaps.map(|(pair, at)| match pair {
                [one, next] => (next - one, *at),
                _ => (0, *at),
            });
            let Some((longest, at)) = gaps.max_by_key(|(gap, _)| *gap) else {
                continue;
            };
            // Half as long again is the usual delay of a busy hour.
            if longest * 2 > planned * 3 {
                sink.report(
                    plan.cron.span(),
                    format!("the longest gap between two runs is {longest} minutes, where {planned} are planned"),
                )
                .related(at, "this run came so late")
                .help("GitHub starts scheduled runs as well as it can; wake what must run in time from outside, by `workflow_dispatch`");
            }
        }
    }
}
