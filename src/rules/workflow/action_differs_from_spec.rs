//! An action pinned to another commit, or commented with another version, than the spec says.

use crate::diag::{Edit, Severity};
use crate::model::spec::{Action, Spec};
use crate::model::workflow::{RefClass, Uses, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "action-differs-from-spec",
    aliases: &[],
    summary: "an allowed action at another commit or version than the spec says",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("action_differs_from_spec.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    for (_, uses) in workflow.uses() {
        let name = uses
            .text
            .as_str()
            .trim()
            .split('@')
            .next()
            .unwrap_or_default();
        let listed = spec
            .actions
            .iter()
            .enumerate()
            .find(|(_, action)| action.uses.eq_ignore_ascii_case(name));
        if let Some((index, action)) = listed {
            commit(uses, action, index, spec, sink);
            version(uses, action, index, spec, sink);
        }
    }
}

fn commit(uses: &Uses, action: &Action, index: usize, spec: &Spec, sink: &mut Sink<'_>) {
    let reference = uses.reference().unwrap_or_default();
    if uses.ref_class() != Some(RefClass::Commit) || reference.eq_ignore_ascii_case(&action.commit)
    {
        return;
    }
    let label = spec.label(&format!("/actions/{index}/commit"));
    let edits = super::pinned::edits(uses, &action.commit, &action.version, sink);
    sink.report(
        uses.reference_span(),
        format!(
            "`{}` is pinned to `{reference}`, but the spec says `{}`",
            action.uses, action.commit
        ),
    )
    .related(label.at, label.text)
    .help("change one of the two; `pointsman generate` writes the workflow from the spec")
    .fix("pin it to the commit of the spec", false, edits);
}

fn version(uses: &Uses, action: &Action, index: usize, spec: &Spec, sink: &mut Sink<'_>) {
    let reference = uses.reference().unwrap_or_default();
    let (Some(comment), Some(version)) = (uses.any_comment(), uses.commented_version()) else {
        return;
    };
    if version == action.version || !reference.eq_ignore_ascii_case(&action.commit) {
        return;
    }
    let label = spec.label(&format!("/actions/{index}/version"));
    let edit = Edit {
        at: comment.span,
        with: format!("# {}", action.version),
    };
    sink.report(
        comment.span,
        format!(
            "the comment says `{version}`, but the spec calls this commit `{}`",
            action.version
        ),
    )
    .related(label.at, label.text)
    .help("write the version that the commit is; a reviewer reads the comment alone")
    .fix("write the version of the spec", true, vec![edit]);
}
