//! A reusable workflow with one fixed group in which the runs of different callers meet.

use std::collections::BTreeMap;

use crate::diag::Severity;
use crate::model::workflow::references;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::calls::{Call, calls, cancels, groups, plain};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "concurrency-shared-by-callers",
    aliases: &[],
    summary: "a reusable workflow has one concurrency group for all its callers",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("concurrency_shared_by_callers.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let mut callers: BTreeMap<&str, BTreeMap<&str, &Call<'_>>> = BTreeMap::new();
    let all = calls(workspace);
    for call in &all {
        let of_called = callers.entry(call.called.path.as_str()).or_default();
        of_called.entry(call.caller.path.as_str()).or_insert(call);
    }
    for of_called in callers.into_values().filter(|callers| callers.len() > 1) {
        let Some(called) = of_called.values().next().map(|call| call.called) else {
            continue;
        };
        for (concurrency, group) in groups(called) {
            let mut of_each = of_called.values().map(|call| plain(group, call.caller));
            let first = of_each.next();
            let is_one = of_each.all(|other| Some(other) == first);
            if !is_one || differs_by_call(group.as_str()) {
                continue;
            }
            let names: Vec<String> = of_called.keys().map(|path| format!("`{path}`")).collect();
            let effect = if cancels(concurrency) {
                "the later run cancels the earlier"
            } else {
                "of the runs that wait, the newest replaces the others"
            };
            let mut draft = sink.report(
                group.span(),
                format!(
                    "runs of {} meet in the group `{}`: {effect}",
                    names.join(" and "),
                    group.as_str()
                ),
            );
            for call in of_called.values() {
                let at = call
                    .job
                    .uses
                    .as_ref()
                    .map_or(call.job.span, |uses| uses.value_span());
                draft = draft.related(at, "called here");
            }
            draft.help("put `github.workflow` into the group, which is the caller's name there, or leave the group to the callers");
        }
    }
}

/// Whether something in the group is another for each call.
fn differs_by_call(group: &str) -> bool {
    let own = [
        "inputs.",
        "github.run_id",
        "github.job",
        "matrix.",
        "secrets.",
    ];
    let references = references(group).unwrap_or_default();
    references
        .iter()
        .any(|path| own.iter().any(|own| path.starts_with(own)))
}
