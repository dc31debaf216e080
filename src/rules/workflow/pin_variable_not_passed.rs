//! The variable by which a person pins a site, which the switch never sees.

use crate::diag::Severity;
use crate::model::workflow::{Variable, Workflow, references};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

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
        let steps = job.steps.iter().map(|step| &step.env);
        let values: Vec<&Variable> = [&workflow.env, &job.env]
            .into_iter()
            .chain(steps)
            .filter_map(|env| env.iter().find(|variable| variable.name.as_str() == name))
            .collect();
        let carries = |variable: &&&Variable| {
            let value = variable.value.as_ref().map_or("", Text::as_str);
            references(value).is_some_and(|found| found == [wanted.as_str()])
        };
        match values.first() {
            None => {
                sink.report(
                    job.id.span(),
                    format!(
                        "`{}` never sees the variable `{name}`, so that nobody can pin a site",
                        job.id.as_str()
                    ),
                )
                .related(label.at, label.text.clone())
                .help(help.clone());
            }
            Some(_) if values.iter().any(|variable| carries(&variable)) => {}
            Some(variable) => {
                let at = variable
                    .value
                    .as_ref()
                    .map_or_else(|| variable.name.span(), Text::span);
                sink.report(
                    at,
                    format!("`{name}` is given another value than the repository variable's"),
                )
                .related(label.at, label.text.clone())
                .help(help.clone());
            }
        }
    }
}
