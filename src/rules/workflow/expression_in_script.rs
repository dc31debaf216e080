//! An expression that becomes part of a script before the shell reads it.

use crate::diag::Severity;
use crate::model::workflow::{Expression, Step, StepFile, embedded};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "expression-in-script",
    aliases: &[],
    summary: "text from outside is pasted into a script",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("expression_in_script.md"),
    check: Check::Steps(check),
};

fn check(file: StepFile<'_>, sink: &mut Sink<'_>) {
    let is_failover = match file {
        StepFile::Workflow(workflow) => super::is_failover(workflow, sink),
        StepFile::Action(_) => false,
    };
    for step in file.steps() {
        for script in step.scripts() {
            for part in embedded(script.as_str()) {
                let inner = script.as_str().get(part.inner.clone());
                let inner = inner.unwrap_or_default().trim();
                let at = script.span_of(part.whole);
                let Some(expression) = Expression::read(inner) else {
                    let why = format!("`{inner}` is no expression that GitHub could evaluate");
                    sink.undecided(at, "what this script becomes", why, Vec::new());
                    continue;
                };
                let place = Place {
                    at,
                    is_failover,
                    is_javascript: is_javascript(step),
                };
                judge(file, &expression, inner, place, sink);
            }
        }
    }
}

fn is_javascript(step: &Step) -> bool {
    let uses = step.uses.as_ref();
    uses.is_some_and(|uses| uses.is_action("actions", "github-script"))
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Place {
    at: Span,
    is_failover: bool,
    is_javascript: bool,
}

fn judge(
    file: StepFile<'_>,
    expression: &Expression,
    inner: &str,
    place: Place,
    sink: &mut Sink<'_>,
) {
    let references = expression.references();
    let foreign = references
        .iter()
        .find_map(|path| Some((path, foreign(file, path)?)));
    let variable = references
        .iter()
        .find(|path| place.is_failover && !is_harmless(path));
    let (path, severity, message) = match (foreign, variable) {
        (Some((path, severity)), _) => (
            path,
            severity,
            format!("whoever writes `{path}` writes this script"),
        ),
        (None, Some(path)) => {
            let message =
                format!("the value of `{path}` becomes part of this script before it is read");
            (path, Severity::Warning, message)
        }
        (None, None) => return,
    };
    let name = environment_name(path);
    let read = match place.is_javascript {
        true => format!("process.env.{name}"),
        false => format!("\"${name}\""),
    };
    sink.report(place.at, message).severity(severity).help(format!(
        "pass it through the environment, `env: {name}: ${{{{ {inner} }}}}`, and write `{read}` in the script"
    ));
}

fn environment_name(path: &str) -> String {
    let last = path
        .rsplit('.')
        .find(|step| *step != "*")
        .unwrap_or("value");
    last.to_ascii_uppercase().replace('-', "_")
}

/// How bad it is that a script holds the value of `path`; `None` for a value that nobody outside writes, or that the
/// events of this workflow do not carry (GitHub Docs, "Script injections").
fn foreign(file: StepFile<'_>, path: &str) -> Option<Severity> {
    let is_pull_request_text = path == "github.head_ref"
        || path
            .strip_prefix("github.event.pull_request.")
            .is_some_and(|rest| {
                matches!(rest, "title" | "body" | "head.ref" | "head.label")
                    || rest.starts_with("head.repo.") && ends_as_text(rest)
            });
    let is_talk = ["issue", "comment", "review", "discussion", "pages"]
        .iter()
        .any(|object| path.starts_with(&format!("github.event.{object}.")))
        && matches!(last(path), "title" | "body" | "page_name");
    let is_commit = ["head_commit", "commits", "workflow_run"]
        .iter()
        .any(|object| path.starts_with(&format!("github.event.{object}.")))
        && ends_as_text(path);
    let StepFile::Workflow(workflow) = file else {
        // Which events start the workflows that use an action is not known here.
        return (is_pull_request_text || is_talk || is_commit).then_some(Severity::Warning);
    };
    let carriers = |is_carrier: fn(&str) -> bool| {
        let names = workflow
            .triggers
            .iter()
            .map(|trigger| trigger.name.as_str());
        names.filter(|name| is_carrier(name)).collect::<Vec<_>>()
    };
    let carriers = if is_pull_request_text || is_talk {
        carriers(|name| !SILENT.contains(&name) && name != "push")
    } else if is_commit {
        carriers(|name| !SILENT.contains(&name))
    } else {
        Vec::new()
    };
    // A pull request from a fork runs its own code in any case, with a token that may only read.
    let is_harmless = carriers.iter().all(|name| *name == "pull_request");
    match carriers.is_empty() {
        true => None,
        false if is_harmless => Some(Severity::Warning),
        false => Some(Severity::Error),
    }
}

/// Events that carry nothing that outsiders write.
const SILENT: [&str; 3] = ["workflow_dispatch", "schedule", "repository_dispatch"];

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn ends_as_text(path: &str) -> bool {
    matches!(
        last(path),
        "message"
            | "name"
            | "email"
            | "default_branch"
            | "homepage"
            | "description"
            | "head_branch"
            | "display_title"
    )
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
