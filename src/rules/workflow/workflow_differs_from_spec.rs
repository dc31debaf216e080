//! A concurrency group or time limit other than the spec says.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

use super::concurrency_group_per_run;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "workflow-differs-from-spec",
    aliases: &[],
    summary: "the group or the time limit of the failover workflow is not the one of the spec",
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
