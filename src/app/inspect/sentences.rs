//! A workflow or an action, told as a person would tell it: what starts it, and of each job what it may do and does.

use crate::model::workflow::{
    Access, ActionFile, Concurrency, Expression, Grant, Image, Job, Permissions, RefClass, Step,
    StepFile, Trigger, Uses, Workflow, embedded, variable,
};
use crate::syntax::Node;
use crate::text::{SourceMap, Text};

use super::workflow::place;

/// The sentences, one a line.
pub(super) fn sentences(file: StepFile<'_>, sources: &SourceMap) -> Vec<String> {
    match file {
        StepFile::Workflow(workflow) => of_workflow(workflow, sources),
        StepFile::Action(action) => of_action(action),
    }
}

fn of_workflow(workflow: &Workflow, sources: &SourceMap) -> Vec<String> {
    let mut lines = vec![match &workflow.name {
        Some(name) => format!("`{}` is the workflow `{}`.", workflow.path, name.as_str()),
        None => format!("`{}` is a workflow without a name.", workflow.path),
    }];
    if workflow.triggers.is_empty() {
        lines.push("Nothing is said of what starts it.".to_owned());
    }
    for trigger in &workflow.triggers {
        lines.push(format!("It starts {}.", started(trigger)));
    }
    lines.extend(workflow.concurrency.as_ref().map(waiting));
    for job in &workflow.jobs {
        lines.push(String::new());
        lines.extend(of_job(workflow, job, sources));
    }
    lines
}

fn of_action(action: &ActionFile) -> Vec<String> {
    let using = action
        .using
        .as_ref()
        .map_or("something that is not said", Text::as_str);
    let name = action.name.as_ref().map_or("without a name", Text::as_str);
    let mut lines = vec![format!(
        "`{}` is the action `{name}`, which runs as `{using}`.",
        action.path
    )];
    lines.push(match action.inputs.as_slice() {
        [] => "It takes no inputs.".to_owned(),
        inputs => format!("It takes {}.", quoted(inputs.iter().map(Text::as_str))),
    });
    lines.extend(action.image.as_ref().map(|image| runs_image("It", image)));
    let uses = action.steps.iter().filter_map(|step| step.uses.as_ref());
    lines.extend(uses.map(|uses| format!("It uses {}.", used(uses))));
    lines.extend(scripts(&action.steps));
    lines
}

fn quoted<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let quoted: Vec<String> = texts.map(|text| format!("`{text}`")).collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("{} and {last}", before.join(", "))
        }
        _ => quoted.concat(),
    }
}

fn started(trigger: &Trigger) -> String {
    let inputs = match trigger.inputs() {
        [] => "without inputs".to_owned(),
        inputs => format!(
            "with {}",
            quoted(inputs.iter().map(|input| input.key.as_str()))
        ),
    };
    let when = match trigger.name.as_str() {
        "workflow_dispatch" => format!("when somebody dispatches it, {inputs}"),
        "workflow_call" => format!("when another workflow calls it, {inputs}"),
        "push" => "when commits or tags are pushed".to_owned(),
        "pull_request" => {
            "on pull requests, those of forks with a token that may only read".to_owned()
        }
        "pull_request_target" => {
            "on pull requests, with the rights of this repository whoever opened them".to_owned()
        }
        "workflow_run" => {
            "after runs of other workflows, with the rights of this repository".to_owned()
        }
        "schedule" => {
            let crons = trigger.crons();
            format!(
                "at {} (UTC, best effort)",
                quoted(crons.iter().map(|(_, line)| line.as_str()))
            )
        }
        other => format!("on `{other}`"),
    };
    let filters = trigger.settings.as_ref().and_then(Node::as_map);
    let filters = filters.unwrap_or_default().iter();
    let filters: Vec<String> = filters
        .filter(|entry| FILTERS.contains(&entry.key.as_str()))
        .map(|entry| {
            let items = entry.value.as_list();
            let items = items.map_or(std::slice::from_ref(&entry.value), |items| items);
            let texts = quoted(items.iter().filter_map(Node::as_str));
            format!("{} {texts}", entry.key.as_str())
        })
        .collect();
    if filters.is_empty() {
        when
    } else {
        format!("{when} ({})", filters.join("; "))
    }
}

const FILTERS: [&str; 8] = [
    "branches",
    "branches-ignore",
    "tags",
    "tags-ignore",
    "paths",
    "paths-ignore",
    "types",
    "workflows",
];

fn waiting(concurrency: &Concurrency) -> String {
    let group = concurrency
        .group
        .as_ref()
        .map_or("without a name", Text::as_str);
    let cancelled = match concurrency.cancels() {
        Some(true) => "a newer one cancels the one that runs",
        Some(false) => "the one that runs is never cancelled",
        None => "whether a newer one cancels the one that runs is known only then",
    };
    let queue = match concurrency.queue.as_ref().map(Text::as_str) {
        Some("max") => "up to 100 wait in order",
        _ => "one waits, and a newer one takes its place",
    };
    format!("Of the runs of the group `{group}` one runs at a time: {cancelled}; {queue}.")
}

fn of_job(workflow: &Workflow, job: &Job, sources: &SourceMap) -> Vec<String> {
    let line = place(job.id.span(), sources).line;
    let mut head = format!("The job `{}` (line {line})", job.id.as_str());
    match &job.uses {
        Some(uses) => head.push_str(&format!(" calls {}", used(uses))),
        None if job.runs_on.is_empty() => head.push_str(" does not say what it runs on"),
        None => {
            let labels = quoted(job.runs_on.iter().map(Text::as_str));
            head.push_str(&format!(" runs on {labels}"));
        }
    }
    if !job.needs.is_empty() {
        head.push_str(&format!(
            ", after {}",
            quoted(job.needs.iter().map(Text::as_str))
        ));
    }
    if let Some(condition) = &job.condition {
        head.push_str(&format!(", if `{}`", condition.as_str()));
    }
    if let Some(minutes) = &job.timeout {
        head.push_str(&format!(", for {} minutes at most", minutes.as_str()));
    }
    if let Some(environment) = &job.environment {
        head.push_str(&format!(", in the environment `{}`", environment.as_str()));
    }
    let mut lines = vec![format!("{head}.")];
    let mut tell = |sentence: String| lines.push(format!("  {sentence}"));
    tell(allowed(workflow.permissions_of(job)));
    job.concurrency
        .as_ref()
        .map(waiting)
        .into_iter()
        .for_each(&mut tell);
    job.images
        .iter()
        .map(|image| runs_image("It", image))
        .for_each(&mut tell);
    for step in &job.steps {
        borrowed(workflow, job, step)
            .into_iter()
            .for_each(&mut tell);
    }
    let uses = job.steps.iter().filter_map(|step| step.uses.as_ref());
    uses.map(|uses| format!("It uses {}.", used(uses)))
        .for_each(&mut tell);
    scripts(&job.steps).into_iter().for_each(&mut tell);
    let secrets = secrets(workflow, job);
    if job.inherits_secrets {
        tell("It hands on all secrets.".to_owned());
    } else if !secrets.is_empty() {
        tell(format!(
            "It reads the secrets {}.",
            quoted(secrets.iter().map(String::as_str))
        ));
    }
    lines
}

/// What a job may do.
fn allowed(permissions: Option<&Permissions>) -> String {
    let Some(permissions) = permissions else {
        return "Its token may do what the repository's setting says.".to_owned();
    };
    match &permissions.grant {
        Grant::ReadAll(_) => "Its token may read everything.".to_owned(),
        Grant::WriteAll(_) => {
            "Its token may write everything, and it may ask for a token to borrow roles.".to_owned()
        }
        Grant::Unknown => "What its token may do cannot be read.".to_owned(),
        Grant::Scopes(scopes) => {
            let with = |access: Access| -> Vec<&str> {
                let scopes = scopes.iter().filter(|scope| scope.access == access);
                let names = scopes.map(|scope| scope.name.as_str());
                names.filter(|name| *name != "id-token").collect()
            };
            let mut parts = Vec::new();
            for (access, verb) in [(Access::Write, "write"), (Access::Read, "read")] {
                let names = with(access);
                if !names.is_empty() {
                    parts.push(format!("{verb} {}", quoted(names.into_iter())));
                }
            }
            let token = match parts.as_slice() {
                [] => "Its token may do nothing".to_owned(),
                parts => format!("Its token may {}", parts.join(" and ")),
            };
            match permissions.access("id-token") == Some(Access::Write) {
                true => format!(
                    "{token}, and it may ask for a token to borrow roles (`id-token: write`)."
                ),
                false => format!("{token}."),
            }
        }
    }
}

/// The role that a step borrows.
fn borrowed(workflow: &Workflow, job: &Job, step: &Step) -> Option<String> {
    let uses = step.uses.as_ref()?;
    if !uses.is_action("aws-actions", "configure-aws-credentials") {
        return None;
    }
    let input = |name: &str| {
        let value = variable(&step.with, name)?.value.as_ref()?;
        Some(job.through_env(workflow, step, value).as_str())
    };
    let region = input("aws-region").map_or_else(String::new, |region| format!(" in `{region}`"));
    Some(match input("role-to-assume") {
        Some(role) => format!("It borrows the role `{role}`{region}."),
        None => format!("It sets credentials of AWS without borrowing a role{region}."),
    })
}

/// What is used, and how firmly it is fixed.
fn used(uses: &Uses) -> String {
    let written = uses.text.as_str();
    let (Some(repository), Some(reference)) = (uses.repository(), uses.reference()) else {
        return format!("`{written}`");
    };
    let path = written.split('@').next().unwrap_or(&repository);
    let comment = uses.comment.as_ref().map(|comment| comment.text.trim());
    let said = comment.map_or_else(String::new, |comment| format!(", said to be `{comment}`"));
    match uses.ref_class() {
        Some(RefClass::Commit) => format!("`{path}` at the commit `{reference}`{said}"),
        Some(RefClass::Version | RefClass::FullName | RefClass::Name) => {
            format!("`{path}` at `{reference}`, which can move{said}")
        }
        _ => format!("`{path}` at `{reference}`, which is no ref that GitHub takes{said}"),
    }
}

fn runs_image(who: &str, image: &Image) -> String {
    format!("{who} runs the image `{}`.", image.text.as_str())
}

fn scripts(steps: &[Step]) -> Option<String> {
    let count = steps.iter().filter(|step| step.run.is_some()).count();
    match count {
        0 => None,
        1 => Some("It runs one script of its own.".to_owned()),
        count => Some(format!("It runs {count} scripts of its own.")),
    }
}

/// The names of the secrets that a job's texts read, with those of the workflow's `env`.
fn secrets(workflow: &Workflow, job: &Job) -> Vec<String> {
    let top = workflow.env.iter();
    let top = top.filter_map(|variable| variable.value.as_ref());
    let mut names: Vec<String> = job
        .texts()
        .chain(top)
        .flat_map(|text| {
            let text = text.as_str();
            let read = embedded(text).into_iter();
            let read = read.filter_map(|part| Expression::read(text.get(part.inner)?));
            read.flat_map(|read| {
                let paths = read.references().into_iter();
                let names = paths.filter_map(|path| path.strip_prefix("secrets."));
                names.map(str::to_ascii_uppercase).collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
        })
        .collect();
    names.sort();
    names.dedup();
    names
}
