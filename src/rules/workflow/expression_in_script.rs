//! An expression that becomes part of a script before the shell reads it.

use crate::diag::Severity;
use crate::model::workflow::{Expression, StepFile, embedded};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Span;

use super::outside::{Callers, Scope, of_outside, steps};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "expression-in-script",
    aliases: &[],
    summary: "text from outside is pasted into a script",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("expression_in_script.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let callers = Callers::of(workspace);
    for file in workspace.step_files() {
        scripts(file, &callers, sink);
    }
}

fn scripts(file: StepFile<'_>, callers: &Callers<'_>, sink: &mut Sink<'_>) {
    let is_failover = match file {
        StepFile::Workflow(workflow) => super::is_failover(workflow, sink),
        StepFile::Action(_) => false,
    };
    for (job, step) in steps(file) {
        let scope = Scope {
            file,
            job,
            step: Some(step),
            callers,
            depth: 0,
        };
        for script in step.scripts() {
            for part in embedded(script.as_str()) {
                let inner = script.as_str().get(part.inner.clone());
                let inner = inner.unwrap_or_default().trim();
                let at = script.span_of(part.whole);
                // What GitHub cannot evaluate it refuses, and that is told as such.
                let Some(expression) = Expression::read(inner) else {
                    continue;
                };
                judge(scope, &expression, inner, Place { at, is_failover }, sink);
            }
        }
    }
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Place {
    at: Span,
    is_failover: bool,
}

fn judge(
    scope: Scope<'_>,
    expression: &Expression,
    inner: &str,
    place: Place,
    sink: &mut Sink<'_>,
) {
    let pasted = expression.pasted();
    let foreign = pasted
        .iter()
        .find_map(|one| Some((one, of_outside(scope, *one)?)));
    let variable = pasted
        .iter()
        .find(|one| place.is_failover && !is_harmless(one.path));
    let (path, severity, message) = match (foreign, variable) {
        (Some((one, (source, severity))), _) => (
            one.path,
            severity,
            format!("whoever writes `{source}` writes this script"),
        ),
        (None, Some(one)) => {
            let path = one.path;
            let message =
                format!("the value of `{path}` becomes part of this script before it is read");
            (path, Severity::Warning, message)
        }
        (None, None) => return,
    };
    let name = environment_name(path);
    let read = match scope.is_javascript() {
        true => format!("process.env.{name}"),
        false => format!("\"${name}\""),
    };
    let help = match path.strip_prefix("env.") {
        Some(_) => format!("it is in the environment already: write `{read}` in the script"),
        None => format!(
            "pass it through the environment, `env: {name}: ${{{{ {inner} }}}}`, and write `{read}` in the script"
        ),
    };
    sink.report(place.at, message).severity(severity).help(help);
}

fn environment_name(path: &str) -> String {
    let last = path
        .rsplit('.')
        .find(|step| *step != "*")
        .unwrap_or("value");
    last.to_ascii_uppercase().replace('-', "_")
}

/// What GitHub itself makes, of digits, letters and separators that no shell reads.
fn is_harmless(path: &str) -> bool {
    let contexts = ["runner.", "strategy.", "job."];
    matches!(
        path,
        "github.run_id"
            | "github.run_number"
            | "github.run_attempt"
            | "github.sha"
            | "github.repository"
            | "github.repository_id"
            | "github.repository_owner"
            | "github.workspace"
            | "github.server_url"
            | "github.api_url"
            | "github.event_name"
            | "github.action_path"
    ) || contexts.iter().any(|context| path.starts_with(context))
}
