//! A called workflow whose group is that of its caller.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

use super::calls::{Call, calls, groups, plain};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "concurrency-deadlock",
    aliases: &[],
    summary: "a called workflow waits for the concurrency group that its caller holds",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("concurrency_deadlock.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for Call {
        caller,
        job,
        called,
    } in calls(workspace)
    {
        let of_caller = [&caller.concurrency, &job.concurrency];
        let held = of_caller.into_iter().flatten();
        let held: Vec<&Text> = held.filter_map(|it| it.group.as_ref()).collect();
        for (_, group) in groups(called) {
            let same = |held: &&&Text| plain(held, caller) == plain(group, caller);
            let Some(held) = held.iter().find(same) else {
                continue;
            };
            let name = caller.path.as_str();
            sink.report(
                group.span(),
                format!("called from `{name}`, this waits for `{}`, which the run that called it holds", group.as_str()),
            )
            .related(held.span(), "the calling run holds the group from here")
            .help("give the called workflow a group of another name, with a fixed word in it: `github.workflow` is the caller's name there");
        }
    }
}
