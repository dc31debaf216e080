//! A failover job that runs on any ref its caller names.

use crate::diag::Severity;
use crate::model::workflow::{Guard, Job, Workflow, ref_guard};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Span, Text};

use super::ref_guard_never_holds::is_false;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "ref-guard-missing",
    aliases: &[],
    summary: "the failover job is not limited to its branch",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("ref_guard_missing.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    if !super::is_failover(workflow, sink) {
        return;
    }
    let branch = sink.spec().map(|spec| spec.github.branch.clone());
    let spec = sink.spec();
    let is_false = |job: &&Job| {
        let condition = job.condition.as_ref();
        condition
            .zip(spec)
            .is_some_and(|(it, spec)| is_false(it.as_str(), spec))
    };
    // One that is false in any case is told as that.
    for job in super::switching_jobs(workflow).filter(|job| !is_false(job)) {
        let guard = guard_of(workflow, job, branch.as_deref(), 0);
        let at = job
            .condition
            .as_ref()
            .map_or_else(|| job.id.span(), Text::span);
        report(job, guard, at, branch.as_deref().unwrap_or("main"), sink);
    }
}

fn report(job: &Job, guard: Guard, at: Span, branch: &str, sink: &mut Sink<'_>) {
    let id = job.id.as_str();
    let message = match guard {
        Guard::Holds => return,
        Guard::Undecided => {
            sink.undecided(
                at,
                format!("whether `{id}` runs on `{branch}` alone"),
                "the condition asks something of the ref that is known only when a run starts",
                Vec::new(),
            );
            return;
        }
        Guard::AlwaysTrue => "this condition is always true: text beside `${{ }}` makes it a string that is not empty".to_owned(),
        Guard::TagToo => format!("a tag called `{branch}` passes this condition too"),
        Guard::OtherRef => format!("this condition asks for another ref than `refs/heads/{branch}`"),
        Guard::Absent => format!("`{id}` runs on whatever branch or tag the message names, with the workflow file as it is there"),
    };
    sink.report(at, message).help(format!(
        "write `if: github.ref == 'refs/heads/{branch}'` on the job"
    ));
}

/// The guard of the job itself, of a job that it needs, or of its first step.
fn guard_of(workflow: &Workflow, job: &Job, branch: Option<&str>, depth: usize) -> Guard {
    let wanted = branch.unwrap_or("main");
    let own = job.condition.as_ref().map_or(Guard::Absent, |condition| {
        let guard = ref_guard(condition.as_str(), wanted);
        // Which branch is meant is not known without a spec.
        if guard == Guard::OtherRef && branch.is_none() {
            Guard::Holds
        } else {
            guard
        }
    });
    let first = first_step(job, wanted);
    let needed = if depth < 8 && !runs_in_any_case(job) {
        job.needs
            .iter()
            .filter_map(|name| workflow.jobs.iter().find(|job| job.id == *name))
            .map(|needed| guard_of(workflow, needed, branch, depth + 1))
            .max()
            .unwrap_or(Guard::Absent)
    } else {
        Guard::Absent
    };
    own.max(needed).max(first)
}

/// With one of these a job runs although one that it needs was skipped.
fn runs_in_any_case(job: &Job) -> bool {
    let condition = job.condition.as_ref().map_or("", Text::as_str);
    ["always()", "cancelled()", "failure()"]
        .iter()
        .any(|function| condition.contains(function))
}

/// A first step that ends the job on any other ref.
fn first_step(job: &Job, branch: &str) -> Guard {
    let Some(step) = job.steps.first() else {
        return Guard::Absent;
    };
    let Some(run) = &step.run else {
        return Guard::Absent;
    };
    let stops = run.as_str().contains("exit 1");
    let asks_otherwise = step.condition.as_ref().is_some_and(|condition| {
        ref_guard(&format!("!({})", bare(condition.as_str())), branch) == Guard::Holds
    });
    if stops && asks_otherwise {
        Guard::Holds
    } else if step.condition.is_none() && run.as_str().contains("GITHUB_REF") {
        Guard::Undecided
    } else {
        Guard::Absent
    }
}

fn bare(condition: &str) -> &str {
    let inner = condition.trim().strip_prefix("${{");
    inner
        .and_then(|inner| inner.strip_suffix("}}"))
        .unwrap_or(condition)
}
