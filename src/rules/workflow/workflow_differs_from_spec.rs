//! A concurrency group or time limit other than the spec says.

use crate::diag::Severity;
use crate::generate::RUNNER;
use crate::model::workflow::{Grant, Workflow};
use crate::rules::{Check, Draft, Rule, Sink, Tier};
use crate::text::{Span, Text};

use super::concurrency_group_per_run;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "workflow-differs-from-spec",
    aliases: &[],
    summary: "the group, the time limit, the runner or the unused permissions of the failover workflow are not those of the spec",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("workflow_differs_from_spec.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let group = &spec.github.concurrency_group;
    let minutes = spec.github.job_timeout_minutes.to_string();
    let jobs = workflow
        .jobs
        .iter()
        .filter_map(|job| job.concurrency.as_ref());
    for found in workflow
        .concurrency
        .iter()
        .chain(jobs)
        .filter_map(|it| it.group.as_ref())
    {
        // Names of groups know no case. One that differs from run to run is told by a rule of its own.
        let text = found.as_str();
        if !text.eq_ignore_ascii_case(group) && !concurrency_group_per_run::is_per_run(text) {
            let what = "the concurrency group";
            compare(what, found, group, "/github/concurrency_group", sink);
        }
    }
    runner(workflow, sink);
    unused_permissions(workflow, sink);
    for found in super::switching_jobs(workflow).filter_map(|job| job.timeout.as_ref()) {
        if found.as_str() != minutes {
            compare(
                "`timeout-minutes`",
                found,
                &minutes,
                "/github/job_timeout_minutes",
                sink,
            );
        }
    }
}

/// The executor is built for one system; where another label leads is GitHub's to change. Runners of one's own are the
/// business of another rule.
fn runner(workflow: &Workflow, sink: &mut Sink<'_>) {
    for job in super::switching_jobs(workflow) {
        let [label] = job.runs_on.as_slice() else {
            continue;
        };
        let written = label.as_str();
        if written.starts_with(RUNNER) || written.eq_ignore_ascii_case("self-hosted") {
            continue;
        }
        if written.contains("${{") {
            let what = format!("whether `runs-on` is `{RUNNER}`");
            let why = format!("`{written}` is known only when a run starts");
            sink.undecided(label.span(), what, why, Vec::new());
            continue;
        }
        let message = format!(
            "`runs-on` is `{written}`, but `generate` writes `{RUNNER}`: the executor may not start on another system"
        );
        differs(label.span(), message, sink).help(
            "write it back, or build the executor on that system and rehearse a switch there",
        );
    }
}

/// Rights of the top level that every job replaces: they change nothing until a job is added.
fn unused_permissions(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(top) = &workflow.permissions else {
        return;
    };
    let all_replace = workflow.jobs.iter().all(|job| job.permissions.is_some());
    let written = match &top.grant {
        Grant::ReadAll(word) | Grant::WriteAll(word) => Some((word.span(), word.as_str())),
        Grant::Scopes(_) | Grant::Unknown => None,
    };
    if let Some((at, word)) = written.filter(|_| all_replace && !workflow.jobs.is_empty()) {
        let message = format!(
            "`permissions` of the top level is `{word}`, but `generate` writes `{{}}`: each job replaces it, and one that is added would get it"
        );
        differs(at, message, sink)
            .help("write `permissions: {}`, and name what the job needs in the job");
    }
}

/// A difference from what is generated, which no key of the spec decides: beside it stands which workflow is the spec's.
fn differs<'s>(at: Span, message: String, sink: &'s mut Sink<'_>) -> Draft<'s> {
    let label = sink.spec().map(|spec| spec.label("/github/workflow"));
    let draft = sink.report(at, message).severity(Severity::Warning);
    match label {
        Some(label) => draft.related(label.at, label.text),
        None => draft,
    }
}

fn compare(what: &str, found: &Text, wanted: &str, pointer: &str, sink: &mut Sink<'_>) {
    let Some(label) = sink.spec().map(|spec| spec.label(pointer)) else {
        return;
    };
    // The group of the spec is a fixed text, and no expression is that.
    if found.as_str().contains("${{") && pointer != "/github/concurrency_group" {
        let why = format!("`{}` is known only when a run starts", found.as_str());
        sink.undecided(
            found.span(),
            format!("whether {what} is `{wanted}`"),
            why,
            Vec::new(),
        );
        return;
    }
    sink.report(
        found.span(),
        format!(
            "{what} is `{}`, but the spec says `{wanted}`",
            found.as_str()
        ),
    )
    .related(label.at, label.text)
    .help("change one of the two; `pointsman generate` writes the workflow from the spec");
}
