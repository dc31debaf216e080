//! A called workflow whose group is that of its caller.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::{Span, Text};

use super::calls::{Call, Given, calls, given, groups, plain_in};

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
    let calls = calls(workspace);
    let mut told = Vec::new();
    for call in &calls {
        let mut run = Run {
            calls: &calls,
            started: call.caller,
            told: &mut told,
            left: MOST,
        };
        run.below(call, (&[], &Given::new()), LEVELS, sink);
    }
}

/// How many calls deep GitHub goes (GitHub Docs, "Reuse workflows": ten levels).
const LEVELS: usize = 10;

/// Calls of one run that are looked at: GitHub lets a run call 50 workflows (the same page), each perhaps from several jobs.
const MOST: usize = 2_000;

/// A run, with all the workflows that are called in it.
struct Run<'a, 'b> {
    calls: &'a [Call<'a>],
    /// The workflow that was started.
    started: &'a Workflow,
    /// Groups that wait, each with the one that holds it.
    told: &'b mut Vec<(Span, Span)>,
    left: usize,
}

/// A group that is held, under the name that GitHub compares.
type Held<'a> = (String, &'a Text);

impl<'a> Run<'a, '_> {
    /// Looks at what `call` calls, where some groups are held and the caller was called with some inputs.
    fn below(
        &mut self,
        call: &Call<'a>,
        (held, inputs): (&[Held<'a>], &Given),
        levels: usize,
        sink: &mut Sink<'_>,
    ) {
        let Some(left) = self.left.checked_sub(1) else {
            return;
        };
        self.left = left;
        let of_caller = [&call.caller.concurrency, &call.job.concurrency];
        let of_caller = of_caller.into_iter().flatten();
        let of_caller = of_caller.filter_map(|it| it.group.as_ref());
        let of_caller = of_caller.map(|group| (plain_in(group, self.started, inputs), group));
        let held: Vec<Held<'a>> = held.iter().cloned().chain(of_caller).collect();
        let inputs = given(call.job, call.called);
        for (_, group) in groups(call.called) {
            let name = plain_in(group, self.started, &inputs);
            let Some((_, holder)) = held.iter().find(|(held, _)| *held == name) else {
                continue;
            };
            let both = (group.span(), holder.span());
            if !self.told.contains(&both) {
                self.told.push(both);
                report(call, group, holder, sink);
            }
        }
        let of_called = |next: &&Call<'a>| next.caller.path == call.called.path;
        for next in self.calls.iter().filter(of_called).filter(|_| levels > 1) {
            self.below(next, (&held, &inputs), levels - 1, sink);
        }
    }
}

fn report(call: &Call<'_>, group: &Text, holder: &Text, sink: &mut Sink<'_>) {
    let by = call.caller.path.as_str();
    sink.report(
        group.span(),
        format!("called from `{by}`, this waits for `{}`, which the run that called it holds", group.as_str()),
    )
    .related(holder.span(), "the calling run holds the group from here")
    .help("give the called workflow a group of another name, with a fixed word in it: `github.workflow` is the caller's name there");
}
