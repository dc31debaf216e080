//! A workflow in the concurrency group of the failover workflow, or one that cancels the runs of another.

use std::collections::BTreeMap;

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Text;

use super::calls::{cancels, groups, plain};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "concurrency-group-shared",
    aliases: &[],
    summary: "another workflow uses the concurrency group of the failover workflow",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("concurrency_group_shared.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let mut by_group: BTreeMap<(String, String), Vec<Member<'_>>> = BTreeMap::new();
    for artefact in &workspace.workflows {
        let workflow = &artefact.model;
        // A called workflow runs under its caller; see `concurrency-shared-by-callers`.
        let only_called =
            workflow.triggers.len() == 1 && workflow.trigger("workflow_call").is_some();
        if only_called {
            continue;
        }
        let folder = workflow
            .path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        for (concurrency, group) in groups(workflow) {
            let key = (folder.to_owned(), plain(group, workflow));
            by_group.entry(key).or_default().push(Member {
                workflow,
                group,
                cancels: cancels(concurrency),
                is_failover: super::may_be_failover(workflow, sink),
            });
        }
    }
    for members in by_group.into_values() {
        for one in &members {
            let others = members
                .iter()
                .filter(|other| other.workflow.path != one.workflow.path);
            let harmed = others.filter(|other| other.is_failover || one.cancels);
            if let Some(other) = harmed.max_by_key(|other| other.is_failover) {
                report(one, other, sink);
            }
        }
    }
}

/// A workflow in a group.
struct Member<'a> {
    workflow: &'a Workflow,
    group: &'a Text,
    cancels: bool,
    is_failover: bool,
}

fn report(one: &Member<'_>, other: &Member<'_>, sink: &mut Sink<'_>) {
    let (name, group) = (&other.workflow.path, one.group.as_str());
    let severity = if one.cancels && other.is_failover {
        Severity::Error
    } else {
        Severity::Warning
    };
    let effect = if one.cancels {
        "a run of this one cancels a run of that one"
    } else {
        "a switch waits for a run of this one, and replaces or is replaced while it waits"
    };
    sink.report(
        one.group.span(),
        format!("`{group}` is the group of `{name}` too (names of groups know no case): {effect}"),
    )
    .severity(severity)
    .related(other.group.span(), "the same group")
    .help("give each workflow a group of its own");
}
