//! The workflow that makes the switch. It has no inputs and no schedule, and only two external actions, each at one commit.

use crate::model::spec::{CHECKOUT, CREDENTIALS, EXECUTOR, EXECUTOR_SUM, Spec};

use super::yaml::scalar;
use super::{Artefact, GenerateError, HEADER};

/// The runner's label. One that moves, such as `ubuntu-latest`, would one day be a system that the executor was not built for.
pub const RUNNER: &str = "ubuntu-24.04";

/// The workflow as a file.
pub(super) fn file(spec: &Spec) -> Result<Artefact, GenerateError> {
    let steps = [checkout(spec)?, credentials(spec)?, check(), switch(spec)];
    let text = format!("{HEADER}{}{}{}", head(spec), job(spec), steps.join("\n"));
    Ok(Artefact {
        path: spec.workflow_path(),
        text,
    })
}

fn head(spec: &Spec) -> String {
    let group = scalar(&spec.github.concurrency_group);
    format!(
        "name: DNS failover

# Woken from outside, by a fixed message. No inputs: nothing that is sent can choose a direction or an address.
# No schedule: scheduled runs came hours late.
on:
  workflow_dispatch:

permissions: {{}}

# One run at a time, and none is cut off: a run that is cancelled while it waits for Route 53 leaves it unsaid whether
# visitors have moved. A newer waiting run may replace an older waiting one; each decides from what it finds.
concurrency: # zizmor: ignore[concurrency-limits] a run that has begun must end
  group: {group}
  cancel-in-progress: false
"
    )
}

fn job(spec: &Spec) -> String {
    let guard = spec.git_ref().replace('\'', "''");
    let guard = scalar(&format!("github.ref == '{guard}'"));
    let environment = spec
        .github
        .environment
        .as_ref()
        .map(|name| format!("    environment: {}\n", scalar(name)))
        .unwrap_or_default();
    format!(
        "
jobs:
  failover:
    name: Failover
    # Whoever dispatches chooses the ref; on any other branch an older workflow could run.
    if: {guard}
    runs-on: {RUNNER}
    timeout-minutes: {}
{environment}    permissions:
      contents: read # to fetch this repository
      id-token: write # to ask GitHub for the token that AWS trusts
    steps:
",
        spec.github.job_timeout_minutes
    )
}

/// `owner/name@commit # version`.
fn action(spec: &Spec, name: &str) -> Result<String, GenerateError> {
    spec.actions
        .iter()
        .find(|action| action.uses.eq_ignore_ascii_case(name))
        .map(|action| format!("{}@{} # {}", action.uses, action.commit, action.version))
        .ok_or_else(|| GenerateError::Missing(format!("action `{name}`")))
}

fn checkout(spec: &Spec) -> Result<String, GenerateError> {
    Ok(format!(
        "      - name: Fetch the repository
        uses: {}
        with:
          persist-credentials: false
",
        action(spec, CHECKOUT)?
    ))
}

fn credentials(spec: &Spec) -> Result<String, GenerateError> {
    Ok(format!(
        "      - name: Borrow the role
        uses: {}
        with:
          role-to-assume: {}
          role-duration-seconds: {}
          aws-region: {}
",
        action(spec, CREDENTIALS)?,
        scalar(&spec.role_arn()),
        spec.aws.session_seconds,
        scalar(&spec.aws.sts_region),
    ))
}

fn check() -> String {
    format!(
        "      - name: Check the executor
        run: sha256sum --check --strict {EXECUTOR_SUM}
"
    )
}

/// The variable reaches the program through its environment; in the script it would be code.
fn switch(spec: &Spec) -> String {
    let variable = &spec.github.variable;
    format!(
        "      - name: Switch if need be
        env:
          {variable}: ${{{{ vars.{variable} }}}}
        run: {EXECUTOR}
"
    )
}
