//! An expression that becomes part of a script before the shell reads it.

use crate::diag::Severity;
use crate::model::workflow::{
    Expression, Job, Pasted, Step, StepFile, Workflow, embedded, variable,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::Node;
use crate::text::{Span, Text};

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
    for (job, step) in steps(file) {
        let scope = Scope { file, job, step };
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
                judge(scope, &expression, inner, Place { at, is_failover }, sink);
            }
        }
    }
}

/// The steps, each with the job that it stands in.
fn steps(file: StepFile<'_>) -> Vec<(Option<&Job>, &Step)> {
    match file {
        StepFile::Workflow(workflow) => {
            let jobs = workflow.jobs.iter();
            jobs.flat_map(|job| job.steps.iter().map(move |step| (Some(job), step)))
                .collect()
        }
        StepFile::Action(action) => action.steps.iter().map(|step| (None, step)).collect(),
    }
}

/// What is in sight of an expression.
#[derive(Clone, Copy)]
struct Scope<'a> {
    file: StepFile<'a>,
    job: Option<&'a Job>,
    step: &'a Step,
}

impl Scope<'_> {
    fn is_javascript(self) -> bool {
        let uses = self.step.uses.as_ref();
        uses.is_some_and(|uses| uses.is_action("actions", "github-script"))
    }

    /// The value of a variable of the environment: of several the nearest.
    fn variable(&self, name: &str) -> Option<&str> {
        let top = match self.file {
            StepFile::Workflow(workflow) => workflow.env.as_slice(),
            StepFile::Action(_) => &[],
        };
        let of_job = self.job.map_or(&[][..], |job| job.env.as_slice());
        let mut all = [self.step.env.as_slice(), of_job, top].into_iter();
        let found = all.find_map(|variables| variable(variables, name))?;
        found.value.as_ref().map(Text::as_str)
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

/// Texts of which some stand in each event.
const TEXTS: [&str; 11] = [
    "github.head_ref",
    "github.event.pull_request.title",
    "github.event.issue.title",
    "github.event.comment.body",
    "github.event.review.body",
    "github.event.discussion.title",
    "github.event.pages.*.page_name",
    "github.event.head_commit.message",
    "github.event.commits.*.message",
    "github.event.workflow_run.head_branch",
    "github.event.client_payload.*",
];

/// The context that somebody outside writes, and how bad it is; a variable of the environment is what it was set from.
fn of_outside(scope: Scope<'_>, pasted: Pasted<'_>) -> Option<(String, Severity)> {
    if let Some(name) = pasted.path.strip_prefix("env.") {
        let value = scope.variable(name)?;
        let parts = embedded(value);
        return parts.iter().find_map(|part| {
            let read = Expression::read(value.get(part.inner.clone())?)?;
            let inner = read.pasted().into_iter();
            let direct = inner.filter(|one| !one.path.starts_with("env."));
            let mut worst = direct.filter_map(|one| of_outside(scope, one));
            worst.next()
        });
    }
    let path = pasted.path;
    if !pasted.whole {
        return Some((path.to_owned(), foreign(scope.file, path)?));
    }
    let below = |text: &&&str| {
        let rest = text.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let held = TEXTS.iter().filter(below);
    let worst = held.filter_map(|text| foreign(scope.file, text)).max();
    let severity = worst.or_else(|| foreign(scope.file, path))?;
    Some((path.to_owned(), severity))
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
    let is_talk = ["*", "issue", "comment", "review", "discussion", "pages"]
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
    if is_message(workflow, path) {
        return Some(Severity::Warning);
    }
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

/// Whether whoever may start the workflow writes it: the payload of `repository_dispatch`, or an input of
/// `workflow_dispatch` that is free text. GitHub holds the other types to their values.
fn is_message(workflow: &Workflow, path: &str) -> bool {
    if path.starts_with("github.event.client_payload.") {
        return workflow.trigger("repository_dispatch").is_some();
    }
    let name = ["inputs.", "github.event.inputs."]
        .iter()
        .find_map(|prefix| path.strip_prefix(prefix));
    let settings = workflow.trigger("workflow_dispatch");
    let settings = settings.and_then(|trigger| trigger.settings.as_ref());
    let inputs = settings.and_then(|settings| settings.get("inputs"));
    let (Some(name), Some(inputs)) = (name, inputs.and_then(Node::as_map)) else {
        return false;
    };
    inputs.iter().any(|input| {
        let kind = input.value.get("type").and_then(Node::as_str);
        let is_it = name == "*" || input.key.as_str().eq_ignore_ascii_case(name);
        is_it && matches!(kind, None | Some("string"))
    })
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
