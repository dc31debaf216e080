//! Calls of reusable workflows that lie in the same repository, and the names of concurrency groups as GitHub compares them.

use std::collections::BTreeMap;

use crate::model::workflow::{
    Concurrency, Expression, Job, Literal, Target, Trigger, Workflow, embedded,
};
use crate::rules::Workspace;
use crate::syntax::yaml;
use crate::text::Text;

/// A job that calls a workflow of its own repository.
pub(super) struct Call<'a> {
    pub(super) caller: &'a Workflow,
    pub(super) job: &'a Job,
    pub(super) called: &'a Workflow,
}

/// Every call whose called workflow was read.
pub(super) fn calls(workspace: &Workspace) -> Vec<Call<'_>> {
    let workflows = || workspace.workflows.iter().map(|artefact| &artefact.model);
    let by_path: BTreeMap<&str, &Workflow> = workflows()
        .map(|workflow| (workflow.path.as_str(), workflow))
        .collect();
    let of_caller = |caller| {
        let jobs = caller_jobs(caller);
        jobs.filter_map(|(job, path)| {
            let called = *by_path.get(path.as_str())?;
            Some(Call {
                caller,
                job,
                called,
            })
        })
    };
    workflows().flat_map(of_caller).collect()
}

fn caller_jobs(caller: &Workflow) -> impl Iterator<Item = (&Job, String)> {
    let root = caller.path.find(".github/workflows/");
    let root = caller.path.get(..root.unwrap_or(0)).unwrap_or_default();
    caller.jobs.iter().filter_map(move |job| {
        let uses = job.uses.as_ref()?;
        let is_own = matches!(uses.target, Target::Local | Target::SelfRepository);
        let written = uses.text.as_str().trim();
        let path = written.strip_prefix("./").or(written.strip_prefix("$/"))?;
        is_own.then(|| (job, format!("{root}{path}")))
    })
}

/// The groups of a workflow and of its jobs.
pub(super) fn groups(workflow: &Workflow) -> Vec<(&Concurrency, &Text)> {
    let jobs = workflow.jobs.iter();
    let of_jobs = jobs.filter_map(|job| job.concurrency.as_ref());
    let all = workflow.concurrency.iter().chain(of_jobs);
    all.filter_map(|concurrency| Some((concurrency, concurrency.group.as_ref()?)))
        .collect()
}

/// A group's name as GitHub compares it, without case; in a called workflow `github.workflow` is the name of the
/// workflow that called (GitHub Docs, "Contexts reference", `github.workflow`). Other expressions stay, without blanks.
pub(super) fn plain(group: &Text, running: &Workflow) -> String {
    plain_in(group, running, &Given::new())
}

/// What a call hands over: the values of inputs, by their names in small letters.
pub(super) type Given = BTreeMap<String, String>;

/// What the called workflow gets of a call, or has as a default. What an expression stands for is not known.
pub(super) fn given(job: &Job, called: &Workflow) -> Given {
    let declared = called.trigger("workflow_call").map(Trigger::inputs);
    let defaults = declared.unwrap_or_default().iter().filter_map(|entry| {
        let value = yaml::as_written(entry.value.get("default")?)?;
        Some((entry.key.clone(), value))
    });
    let handed = job.with.iter();
    let handed = handed.filter_map(|input| Some((input.name.clone(), input.value.clone()?)));
    let mut given = Given::new();
    for (name, value) in defaults.chain(handed) {
        let name = name.as_str().to_ascii_lowercase();
        if embedded(value.as_str()).is_empty() {
            given.insert(name, value.as_str().to_owned());
        } else {
            given.remove(&name);
        }
    }
    given
}

/// The same in a workflow that is called with `given`.
pub(super) fn plain_in(group: &Text, running: &Workflow, given: &Given) -> String {
    let text = group.as_str();
    let name = running
        .name
        .as_ref()
        .map_or(running.path.as_str(), Text::as_str);
    let mut plain = String::new();
    let mut at = 0;
    for part in embedded(text) {
        plain.push_str(text.get(at..part.whole.start).unwrap_or_default());
        at = part.whole.end;
        let inner = text.get(part.inner).unwrap_or_default();
        let reference = match Expression::read(inner) {
            Some(Expression::Reference(reference)) => reference,
            Some(Expression::Literal(Literal::Text(text))) => {
                plain.push_str(&text);
                continue;
            }
            Some(_) | None => String::new(),
        };
        let input = reference.strip_prefix("inputs.");
        if reference == "github.workflow" {
            plain.push_str(name);
        } else if let Some(value) = input.and_then(|input| given.get(&input.to_ascii_lowercase())) {
            plain.push_str(value);
        } else {
            let letters = inner.chars().filter(|letter| !letter.is_whitespace());
            plain.push_str("${{");
            plain.extend(letters);
            plain.push_str("}}");
        }
    }
    plain.push_str(text.get(at..).unwrap_or_default());
    plain.trim().to_lowercase()
}

/// Whether a running run of this group is cancelled by a newer one.
pub(super) fn cancels(concurrency: &Concurrency) -> bool {
    let cancel = concurrency.cancel.as_ref().map(Text::as_str);
    matches!(cancel.map(str::trim), Some("true" | "${{ true }}"))
}
