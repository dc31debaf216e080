//! Texts that somebody outside writes, followed to where they are used: through variables, the matrix, outputs of other
//! jobs, and the inputs of workflows and actions of the same repository.
//!
//! Source: GitHub Docs, "Script injections".

use std::collections::BTreeMap;

use crate::diag::Severity;
use crate::model::workflow::{
    Expression, Job, Pasted, Step, StepFile, Target, Uses, Variable, Workflow, embedded, variable,
};
use crate::rules::Workspace;
use crate::syntax::Node;
use crate::text::Text;

/// How many hands a text is followed through.
const MAX_DEPTH: usize = 6;

/// The steps, each with the job that it stands in.
pub(super) fn steps(file: StepFile<'_>) -> Vec<(Option<&Job>, &Step)> {
    match file {
        StepFile::Workflow(workflow) => {
            let jobs = workflow.jobs.iter();
            jobs.flat_map(|job| job.steps.iter().map(move |step| (Some(job), step)))
                .collect()
        }
        StepFile::Action(action) => action.steps.iter().map(|step| (None, step)).collect(),
    }
}

/// A use of a workflow or an action of the same repository.
#[derive(Clone, Copy)]
struct Caller<'a> {
    file: StepFile<'a>,
    job: Option<&'a Job>,
    step: Option<&'a Step>,
    with: &'a [Variable],
}

/// Who uses what of the same repository, by the path of what is used.
pub(super) struct Callers<'a> {
    by_path: BTreeMap<String, Vec<Caller<'a>>>,
}

impl<'a> Callers<'a> {
    pub(super) fn of(workspace: &'a Workspace) -> Self {
        let mut by_path: BTreeMap<String, Vec<Caller<'a>>> = BTreeMap::new();
        for file in workspace.step_files() {
            let mut add = |uses: &Uses, caller: Caller<'a>| {
                for path in called_paths(file.path(), uses) {
                    by_path.entry(path).or_default().push(caller);
                }
            };
            for (job, step) in steps(file) {
                if let Some(uses) = &step.uses {
                    let (step, with) = (Some(step), step.with.as_slice());
                    add(
                        uses,
                        Caller {
                            file,
                            job,
                            step,
                            with,
                        },
                    );
                }
            }
            let StepFile::Workflow(workflow) = file else {
                continue;
            };
            for job in &workflow.jobs {
                if let Some(uses) = &job.uses {
                    let (with, job) = (job.with.as_slice(), Some(job));
                    add(
                        uses,
                        Caller {
                            file,
                            job,
                            step: None,
                            with,
                        },
                    );
                }
            }
        }
        Self { by_path }
    }
}

/// The files that a `uses` of the same repository may mean.
fn called_paths(caller: &str, uses: &Uses) -> Vec<String> {
    if !matches!(uses.target, Target::Local | Target::SelfRepository) {
        return Vec::new();
    }
    let root = caller.find(".github/");
    let root = caller.get(..root.unwrap_or(0)).unwrap_or_default();
    let written = uses.text.as_str().trim();
    let path = written.strip_prefix("./").or(written.strip_prefix("$/"));
    let Some(path) = path.map(|path| path.trim_end_matches('/')) else {
        return Vec::new();
    };
    if path.ends_with(".yml") || path.ends_with(".yaml") {
        return vec![format!("{root}{path}")];
    }
    let folder = match path.is_empty() {
        true => root.to_owned(),
        false => format!("{root}{path}/"),
    };
    ["action.yml", "action.yaml"]
        .map(|name| format!("{folder}{name}"))
        .into()
}

/// What is in sight of an expression.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) file: StepFile<'a>,
    pub(super) job: Option<&'a Job>,
    pub(super) step: Option<&'a Step>,
    pub(super) callers: &'a Callers<'a>,
    pub(super) depth: usize,
}

/// Whose text it is, and how bad that is.
type Source = (String, Severity);

impl<'a> Scope<'a> {
    pub(super) fn is_javascript(self) -> bool {
        let uses = self.step.and_then(|step| step.uses.as_ref());
        uses.is_some_and(|uses| uses.is_action("actions", "github-script"))
    }

    /// The value of a variable of the environment: of several the nearest.
    fn variable(&self, name: &str) -> Option<&'a str> {
        let top = match self.file {
            StepFile::Workflow(workflow) => workflow.env.as_slice(),
            StepFile::Action(_) => &[],
        };
        let of_step = self.step.map_or(&[][..], |step| step.env.as_slice());
        let of_job = self.job.map_or(&[][..], |job| job.env.as_slice());
        let mut all = [of_step, of_job, top].into_iter();
        let found = all.find_map(|variables| variable(variables, name))?;
        found.value.as_ref().map(Text::as_str)
    }

    /// What somebody outside writes of a text.
    fn in_text(self, text: &str) -> Option<Source> {
        let deeper = Self {
            depth: self.depth + 1,
            ..self
        };
        embedded(text).into_iter().find_map(|part| {
            let read = Expression::read(text.get(part.inner)?)?;
            let mut pasted = read.pasted().into_iter();
            pasted.find_map(|one| of_outside(deeper, one))
        })
    }

    /// What stands behind a context that is set in the files themselves; `None` for another context.
    fn set_from(self, path: &str) -> Option<Option<Source>> {
        if let Some(name) = path.strip_prefix("env.") {
            return Some(self.variable(name).and_then(|value| self.in_text(value)));
        }
        if let Some(rest) = path.strip_prefix("matrix.") {
            return Some(self.of_matrix(rest));
        }
        if let Some(rest) = path.strip_prefix("needs.") {
            return Some(self.of_need(rest));
        }
        let name = path.strip_prefix("inputs.")?;
        self.takes_input(name).then(|| self.of_callers(name))
    }

    fn of_matrix(self, rest: &str) -> Option<Source> {
        let name = rest.split('.').next().unwrap_or(rest);
        let id = self.job?.id.as_str();
        let matrix = self.file.root().get("jobs")?.get(id)?;
        let matrix = matrix.get("strategy")?.get("matrix")?;
        let included = matrix.get("include").and_then(Node::as_list);
        let included = included.unwrap_or_default().iter();
        let mut open: Vec<&Node> = included
            .chain([matrix])
            .flat_map(|node| node.as_map().unwrap_or_default())
            .filter(|entry| entry.key.as_str().eq_ignore_ascii_case(name))
            .map(|entry| &entry.value)
            .collect();
        while let Some(next) = open.pop() {
            let found = next.as_str().and_then(|text| self.in_text(text));
            if found.is_some() {
                return found;
            }
            open.extend(next.as_list().unwrap_or_default());
            let entries = next.as_map().unwrap_or_default();
            open.extend(entries.iter().map(|entry| &entry.value));
        }
        None
    }

    /// `JOB.outputs.NAME`.
    fn of_need(self, rest: &str) -> Option<Source> {
        let StepFile::Workflow(workflow) = self.file else {
            return None;
        };
        let (job, output) = rest.split_once(".outputs.")?;
        let is_it = |one: &&Job| one.id.as_str().eq_ignore_ascii_case(job);
        let job = workflow.jobs.iter().find(is_it)?;
        let value = variable(&job.outputs, output)?.value.as_ref()?;
        let scope = Self {
            job: Some(job),
            step: None,
            ..self
        };
        scope.in_text(value.as_str())
    }

    /// Whether whoever calls this file gives it the input as free text. One that is given on dispatch too is judged so.
    fn takes_input(self, name: &str) -> bool {
        match self.file {
            StepFile::Action(_) => true,
            StepFile::Workflow(workflow) => {
                let trigger = workflow.trigger("workflow_call");
                let mut inputs = trigger.iter().flat_map(|trigger| trigger.inputs());
                let is_text = inputs.any(|input| {
                    let kind = input.value.get("type").and_then(Node::as_str);
                    input.key.as_str().eq_ignore_ascii_case(name) && kind == Some("string")
                });
                is_text && !is_message(workflow, &format!("inputs.{name}"))
            }
        }
    }

    /// The worst that the callers of this file give; where none is there, that somebody may call.
    fn of_callers(self, name: &str) -> Option<Source> {
        let Some(callers) = self.callers.by_path.get(self.file.path()) else {
            return Some((format!("inputs.{name}"), Severity::Warning));
        };
        let given = callers.iter().filter_map(|caller| {
            let value = variable(caller.with, name)?.value.as_ref()?;
            let scope = Scope {
                file: caller.file,
                job: caller.job,
                step: caller.step,
                callers: self.callers,
                depth: self.depth + 1,
            };
            scope.in_text(value.as_str())
        });
        given.max_by_key(|(_, severity)| *severity)
    }
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
pub(super) fn of_outside(scope: Scope<'_>, pasted: Pasted<'_>) -> Option<(String, Severity)> {
    if scope.depth > MAX_DEPTH {
        return None;
    }
    if let Some(found) = scope.set_from(pasted.path) {
        return found;
    }
    let spelled = pasted.path.replacen("github.*.", "github.event.", 1);
    let path = spelled.as_str();
    if !pasted.whole {
        return Some((pasted.path.to_owned(), foreign(scope.file, path)?));
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
        && matches!(last(path), "title" | "body" | "page_name")
        || path.starts_with("github.event.changes.") && last(path) == "from";
    let is_commit = ["head_commit", "commits", "workflow_run"]
        .iter()
        .any(|object| path.starts_with(&format!("github.event.{object}.")))
        && ends_as_text(path);
    let StepFile::Workflow(workflow) = file else {
        // Which events start the workflows that use an action is not known here.
        let is_some = is_pull_request_text || is_talk || is_commit || of_writers(path).is_some();
        return is_some.then_some(Severity::Warning);
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
        let carries = of_writers(path)?;
        let mut names = workflow.triggers.iter().map(|one| one.name.as_str());
        return names.any(carries).then_some(Severity::Warning);
    };
    // A pull request from a fork runs its own code in any case, with a token that may only read.
    let is_harmless = carriers.iter().all(|name| *name == "pull_request");
    match carriers.is_empty() {
        true => None,
        false if is_harmless => Some(Severity::Warning),
        false => Some(Severity::Error),
    }
}

/// Which events carry a text that people with rights in the repository choose and that GitHub's list names by its last word:
/// of a label, a milestone, a release, a branch; `None` for another text.
fn of_writers(path: &str) -> Option<fn(&str) -> bool> {
    let rest = path.strip_prefix("github.event.")?;
    if !LISTED.contains(&last(rest)) {
        return None;
    }
    match rest.split('.').next().unwrap_or(rest) {
        "repository" | "organization" | "enterprise" | "installation" | "sender" | "inputs"
        | "client_payload" => None,
        "release" => Some(|event| event == "release"),
        "merge_group" => Some(|event| event == "merge_group"),
        "ref" => Some(|event| matches!(event, "push" | "create" | "delete")),
        "head_commit" | "commits" => Some(|event| event == "push"),
        _ => Some(|event| !SILENT.contains(&event) && event != "push"),
    }
}

/// How contexts end that may hold what somebody else wrote (GitHub Docs, "Script injections").
const LISTED: [&str; 10] = [
    "body",
    "default_branch",
    "email",
    "head_ref",
    "label",
    "message",
    "name",
    "page_name",
    "ref",
    "title",
];

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
