//! The variable by which a person pins a site, which the switch never sees.

use crate::diag::Severity;
use crate::model::workflow::{Expression, Job, Step, Variable, Workflow, embedded};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Span, Text};

use super::executor::{Act, of_step};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-variable-not-passed",
    aliases: &[],
    summary: "the repository variable of the spec is not passed to the switch",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("pin_variable_not_passed.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let name = &spec.github.variable;
    let wanted = format!("vars.{}", name.to_ascii_lowercase());
    let label = spec.label("/github/variable");
    let help = format!("give the step that switches `env: {name}: ${{{{ vars.{name} }}}}`");
    for job in super::switching_jobs(workflow) {
        for (seen, missing_at) in seen_by_switch(workflow, job, name) {
            let Some(variable) = seen else {
                let message = format!(
                    "`{}` never sees the variable `{name}`, so that nobody can pin a site",
                    job.id.as_str()
                );
                sink.report(missing_at, message)
                    .related(label.at, label.text.clone())
                    .help(help.clone());
                continue;
            };
            let value = variable.value.as_ref();
            if !value.is_some_and(|value| is_plain(value.as_str(), &wanted)) {
                let at = value.map_or_else(|| variable.name.span(), Text::span);
                let message = format!("`{name}` is not the plain repository variable");
                sink.report(at, message)
                    .related(label.at, label.text.clone())
                    .help(help.clone());
            }
        }
    }
}

/// The variable as each step sees it that runs the executor, and the place of one that does not; of a step, the job and
/// the top level, the nearest counts. Where no step switches, which is told by a rule of its own, any step counts.
fn seen_by_switch<'a>(
    workflow: &'a Workflow,
    job: &'a Job,
    name: &str,
) -> Vec<(Option<&'a Variable>, Span)> {
    let of = |env: &'a [Variable]| env.iter().rev().find(|it| it.name.as_str() == name);
    let around = of(&job.env).or_else(|| of(&workflow.env));
    let switches = |step: &&Step| {
        let acts = of_step(step);
        acts.iter()
            .any(|(act, _)| matches!(act, Act::Switch | Act::SwitchWithMore))
    };
    let seen: Vec<_> = job
        .steps
        .iter()
        .filter(switches)
        .map(|step| (of(&step.env).or(around), job.id.span()))
        .collect();
    if !seen.is_empty() {
        return seen;
    }
    let any = job.steps.iter().find_map(|step| of(&step.env));
    vec![(any.or(around), job.id.span())]
}

/// Whether the value is the variable and nothing else: a fallback would pin for ever.
fn is_plain(value: &str, wanted: &str) -> bool {
    let parts = embedded(value);
    let [only] = parts.as_slice() else {
        return false;
    };
    let read = value.get(only.inner.clone()).and_then(Expression::read);
    only.closed
        && only.whole == (0..value.len())
        && read == Some(Expression::Reference(wanted.to_owned()))
}
