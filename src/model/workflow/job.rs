//! Jobs and their steps.

use crate::text::{Span, Text};

use super::{Concurrency, Image, Permissions, Uses};

/// One job.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its key under `jobs`.
    pub id: Text,
    /// The whole value.
    pub span: Span,
    /// `name`.
    pub name: Option<Text>,
    /// `if`, as it is written.
    pub condition: Option<Text>,
    /// `runs-on`: the labels, or the group.
    pub runs_on: Vec<Text>,
    /// `timeout-minutes`, as it is written.
    pub timeout: Option<Text>,
    /// The name of `environment`.
    pub environment: Option<Text>,
    /// `uses`, for a job that calls a reusable workflow.
    pub uses: Option<Uses>,
    /// `with`, for a job that calls a reusable workflow.
    pub with: Vec<Variable>,
    /// `needs`.
    pub needs: Vec<Text>,
    /// `outputs`.
    pub outputs: Vec<Variable>,
    /// `permissions`.
    pub permissions: Option<Permissions>,
    /// `concurrency`.
    pub concurrency: Option<Concurrency>,
    /// `env`.
    pub env: Vec<Variable>,
    /// `continue-on-error`, as it is written.
    pub continue_on_error: Option<Text>,
    /// `defaults.run.shell`.
    pub shell: Option<Text>,
    /// The images of `container` and `services`.
    pub images: Vec<Image>,
    /// Whether a called workflow gets all secrets (`secrets: inherit`).
    pub inherits_secrets: bool,
    /// `steps`.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// The whole step.
    pub span: Span,
    /// `name`.
    pub name: Option<Text>,
    /// `id`.
    pub id: Option<Text>,
    /// `if`, as it is written.
    pub condition: Option<Text>,
    /// `uses`.
    pub uses: Option<Uses>,
    /// `with`: the inputs of the action.
    pub with: Vec<Variable>,
    /// `run`.
    pub run: Option<Text>,
    /// `shell`.
    pub shell: Option<Text>,
    /// `env`.
    pub env: Vec<Variable>,
    /// `continue-on-error`, as it is written.
    pub continue_on_error: Option<Text>,
    /// `timeout-minutes`, as it is written.
    pub timeout: Option<Text>,
}

/// A name with a value: of `env`, `with` or `outputs`.
#[derive(Debug, Clone)]
pub struct Variable {
    /// The name.
    pub name: Text,
    /// The value as it is written; `None` where it is empty.
    pub value: Option<Text>,
}

/// The variable of this name, if it is among `variables`; of several the last. Names of inputs know no case.
#[must_use]
pub fn variable<'a>(variables: &'a [Variable], name: &str) -> Option<&'a Variable> {
    variables
        .iter()
        .rev()
        .find(|variable| variable.name.as_str().eq_ignore_ascii_case(name))
}

/// Inputs that an action runs as a program: owner and name in lower case, then the input. Each action's own README says so;
/// looked up on 2026-11-30.
const RUN_INPUTS: [(&str, &str); 10] = [
    ("actions/github-script", "script"),
    ("addnab/docker-run-action", "run"),
    ("amadevus/pwsh-script", "script"),
    ("appleboy/ssh-action", "script"),
    ("azure/cli", "inlineScript"),
    ("azure/powershell", "inlineScript"),
    ("jannekem/run-python-script-action", "script"),
    ("mikefarah/yq", "cmd"),
    ("nick-fields/retry", "command"),
    ("reactivecircus/android-emulator-runner", "script"),
];

impl Step {
    /// The texts of this step that are run as a program: `run`, its `shell`, and the inputs of an action that runs them, such as
    /// `script` of `actions/github-script`.
    pub fn scripts(&self) -> impl Iterator<Item = &Text> {
        let name = self.uses.as_ref().and_then(Uses::repository);
        let name = name.map(|name| name.to_ascii_lowercase());
        let inputs = RUN_INPUTS.iter().filter_map(move |(action, input)| {
            let is_it = name.as_deref() == Some(*action);
            is_it.then(|| variable(&self.with, input)).flatten()
        });
        let inputs = inputs.filter_map(|input| input.value.as_ref());
        self.run.iter().chain(&self.shell).chain(inputs)
    }
}
