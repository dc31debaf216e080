//! Jobs and their steps.

use crate::text::{Span, Text};

use super::{Concurrency, Permissions, Uses};

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

impl Step {
    /// The texts of this step that are run as a program: `run`, and the script of `actions/github-script`.
    pub fn scripts(&self) -> impl Iterator<Item = &Text> {
        let is_script_action = self
            .uses
            .as_ref()
            .is_some_and(|uses| uses.is_action("actions", "github-script"));
        let script = variable(&self.with, "script").filter(|_| is_script_action);
        let script = script.and_then(|script| script.value.as_ref());
        self.run.iter().chain(script)
    }
}
