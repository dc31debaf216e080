//! A failover job whose condition names the branch, and more, so that it never runs.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::model::workflow::{Guard, Workflow, condition_truth, ref_guard};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ref-guard-never-holds",
    aliases: &[],
    summary: "the condition of the failover job is false in every run on its branch",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("ref_guard_never_holds.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let branch = &spec.github.branch;
    for job in super::switching_jobs(workflow) {
        // A condition that names another ref, or none, is told by `ref-guard-missing`.
        let Some(condition) = job.condition.as_ref().filter(|it| {
            ref_guard(it.as_str(), branch) == Guard::Holds || is_false(it.as_str(), spec)
        }) else {
            continue;
        };
        let id = job.id.as_str();
        match condition_truth(condition.as_str(), &|path| fact(path, spec)) {
            Some(true) => {}
            Some(false) => {
                let label = spec.label("/github/branch");
                sink.report(
                    condition.span(),
                    format!("this condition is never true when the workflow is dispatched on `{branch}`, so that `{id}` never runs"),
                )
                .related(label.at, label.text)
                .help(format!("write `if: github.ref == 'refs/heads/{branch}'` and nothing else"));
            }
            None => sink.undecided(
                condition.span(),
                format!("whether `{id}` runs when the workflow is dispatched on `{branch}`"),
                "the condition asks for more than the ref, and that is known only when a run starts",
                Vec::new(),
            ),
        }
    }
}

/// Whether a condition that asks for no other ref is false in every run that the fixed message starts.
pub(super) fn is_false(condition: &str, spec: &Spec) -> bool {
    ref_guard(condition, &spec.github.branch) != Guard::OtherRef
        && condition_truth(condition, &|path| fact(path, spec)) == Some(false)
}

/// What GitHub's context says in a run that the fixed message starts (GitHub Docs, "Contexts reference").
fn fact(path: &str, spec: &Spec) -> Option<String> {
    let github = &spec.github;
    let own = || format!(".github/workflows/{}", github.workflow);
    match path {
        "github.ref" => Some(spec.git_ref()),
        "github.ref_name" => Some(github.branch.clone()),
        "github.ref_type" => Some("branch".to_owned()),
        "github.event_name" => Some("workflow_dispatch".to_owned()),
        "github.repository" => Some(spec.repository()),
        "github.repository_owner" => Some(github.owner.clone()),
        "github.workflow_ref" => Some(format!(
            "{}/{}@{}",
            spec.repository(),
            own(),
            spec.git_ref()
        )),
        _ => None,
    }
}
