//! Code in the job that can borrow the role that is neither the executor nor what it needs.

use crate::diag::Severity;
use crate::model::spec::{EXECUTOR, EXECUTOR_SUM, Spec};
use crate::model::workflow::{Job, Step, Target, Uses, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

use super::executor::{Act, of_step};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "foreign-step-in-privileged-job",
    aliases: &[],
    summary: "the job that can borrow the role runs something else than the executor",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("foreign_step_in_privileged_job.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    for job in super::switching_jobs(workflow) {
        if let Some(uses) = &job.uses {
            let message = format!(
                "`{}` calls a workflow, whose steps can borrow the role",
                job.id.as_str()
            );
            report(uses.value_span(), message, spec, sink);
        }
        for step in &job.steps {
            action(step, job, spec, sink);
            script(step, job, spec, sink);
        }
    }
}

/// An action of the repository itself; those from elsewhere are the business of `action-not-allowed`.
fn action(step: &Step, job: &Job, spec: &Spec, sink: &mut Sink<'_>) {
    let local = |uses: &&Uses| {
        matches!(
            uses.target,
            Target::Local | Target::LocalWithRef | Target::SelfRepository
        )
    };
    if let Some(uses) = step.uses.as_ref().filter(local) {
        let message = format!(
            "`{}` runs in `{}`, which can borrow the role",
            uses.text.as_str(),
            job.id.as_str()
        );
        report(uses.value_span(), message, spec, sink);
    }
}

/// The lines of a script that are foreign, from the first to the last.
fn script(step: &Step, job: &Job, spec: &Spec, sink: &mut Sink<'_>) {
    if step.run.is_none() {
        return;
    }
    let acts = of_step(step);
    let mut foreign = acts
        .iter()
        .filter(|(act, _)| matches!(act, Act::Foreign | Act::SwitchWithMore));
    let Some((act, first)) = foreign.next() else {
        return;
    };
    let at = foreign
        .next_back()
        .map_or(*first, |(_, last)| first.cover(*last));
    let message = match act {
        Act::SwitchWithMore => {
            format!("`{EXECUTOR}` takes no argument and stands alone on its line")
        }
        Act::Foreign | Act::Checkout | Act::Credentials | Act::Check | Act::Switch => format!(
            "a script of its own runs in `{}`, which can borrow the role",
            job.id.as_str()
        ),
    };
    report(at, message, spec, sink);
}

fn report(at: Span, message: String, spec: &Spec, sink: &mut Sink<'_>) {
    let label = spec.label("/actions");
    sink.report(at, message)
        .related(label.at, "beside these, only the executor may run in that job")
        .help(format!(
            "allowed are the actions of the spec, `sha256sum --check --strict {EXECUTOR_SUM}` and `{EXECUTOR}`; everything else belongs into a workflow of its own"
        ));
}
