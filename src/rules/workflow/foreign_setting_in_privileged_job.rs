//! A setting of the job that can borrow the role that changes what its steps do.

use crate::diag::Severity;
use crate::model::spec::{CHECKOUT, CREDENTIALS, EXECUTOR, OIDC_AUDIENCE, Spec};
use crate::model::workflow::{Step, Variable, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Entry, Node, yaml};
use crate::text::{Span, Text};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "foreign-setting-in-privileged-job",
    aliases: &[],
    summary: "a setting changes what the job that can borrow the role does",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("foreign_setting_in_privileged_job.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let mut found = Vec::new();
    found.extend(settings(&workflow.root, &["defaults"], &[]));
    found.extend(variables(&workflow.env, spec));
    for job in super::switching_jobs(workflow) {
        let jobs = workflow.root.get("jobs");
        let Some(node) = jobs.and_then(|jobs| jobs.get(job.id.as_str())) else {
            continue;
        };
        found.extend(settings(node, &[], &JOB));
        found.extend(variables(&job.env, spec));
        found.extend(job.runs_on.iter().filter(|label| !is_hosted(label)).map(|label| {
            let what = format!("`{}` is no Linux runner of GitHub's own, and whoever has it can borrow the role", label.as_str());
            (label.span(), what)
        }));
        let items = node.get("steps").and_then(Node::as_list);
        for (step, item) in job.steps.iter().zip(items.unwrap_or_default()) {
            found.extend(settings(item, &[], &STEP));
            found.extend(short_limit(step, spec));
            found.extend(variables(&step.env, spec));
            found.extend(inputs(step, spec));
        }
    }
    let named = spec.at("/github/workflow");
    for (at, message) in found {
        sink.report(at, message)
            .related(named, "the spec says here which workflow it is")
            .help("take it out; `pointsman generate` writes the workflow from the spec");
    }
}

/// A place and what is wrong there.
type Foreign = (Span, String);

/// Keys of a job that have rules of their own, or change nothing.
const JOB: [&str; 11] = [
    "name",
    "if",
    "runs-on",
    "timeout-minutes",
    "environment",
    "permissions",
    "concurrency",
    "env",
    "steps",
    "uses",
    "with",
];

/// The same of a step.
const STEP: [&str; 7] = [
    "name",
    "id",
    "uses",
    "with",
    "run",
    "env",
    "timeout-minutes",
];

/// A limit that ends a step of the switch before the time of the job is over.
fn short_limit(step: &Step, spec: &Spec) -> Option<Foreign> {
    let limit = step.timeout.as_ref()?;
    let written = limit.as_str().trim();
    let minutes = spec.github.job_timeout_minutes;
    let is_enough = written
        .parse::<f64>()
        .is_ok_and(|found| found >= f64::from(minutes));
    let what = format!(
        "`timeout-minutes: {written}` ends this step before the {minutes} minutes that the spec gives the job"
    );
    (!is_enough).then(|| (limit.span(), what))
}

/// The entries of `node` that stand in `refused`, or, where that is empty, that are not among `known`.
fn settings(node: &Node, refused: &[&str], known: &[&str]) -> Vec<Foreign> {
    let is_foreign = |entry: &&Entry| {
        let key = entry.key.as_str();
        let listed = if refused.is_empty() {
            !known.contains(&key)
        } else {
            refused.contains(&key)
        };
        let made_by_expression = matches!(key, "env" | "with") && entry.value.as_text().is_some();
        made_by_expression || listed && !changes_nothing(key, &entry.value)
    };
    let entries = node.as_map().unwrap_or_default().iter();
    entries
        .filter(is_foreign)
        .map(|entry| (entry.key.span(), what(entry.key.as_str())))
        .collect()
}

/// Whether a setting has the value that it has when nothing is said.
fn changes_nothing(key: &str, value: &Node) -> bool {
    let written = yaml::as_written(value);
    let written = written.as_ref().map_or("", Text::as_str).trim();
    match key {
        "continue-on-error" => written == "false",
        // Both stop at the first command that fails (GitHub Docs, `jobs.<job_id>.steps[*].shell`).
        "shell" => matches!(written, "bash" | "sh"),
        "if" => matches!(written, "success()" | "${{ success() }}"),
        "working-directory" => matches!(written, "." | "./"),
        // A map without entries, or with only such as change nothing.
        "defaults" | "run" => value.as_map().is_some_and(|entries| {
            let mut entries = entries.iter();
            entries.all(|entry| changes_nothing(entry.key.as_str(), &entry.value))
        }),
        _ => false,
    }
}

fn what(key: &str) -> String {
    match key {
        "continue-on-error" => "`continue-on-error` lets the job go on after a step that failed, such as the check of the executor".to_owned(),
        "if" => "`if` lets this step run, or be left out, otherwise than after every step before it succeeded".to_owned(),
        "shell" => "with this `shell` a script may go on after a command that failed, or be read by another program".to_owned(),
        "working-directory" => format!("`working-directory` makes `{EXECUTOR}` another file"),
        "defaults" => "`defaults` gives the scripts of the job another shell or folder".to_owned(),
        "container" | "services" => format!("`{key}` brings an image into the job that can borrow the role"),
        "needs" => "`needs` makes the switch wait for another job, and leaves it out where that fails".to_owned(),
        "env" | "with" => format!("`{key}` is made by an expression, so that nobody sees what it sets"),
        "strategy" => "`strategy` makes several jobs of the one that may switch".to_owned(),
        _ => format!("`{key}` is nothing that the job of the spec has"),
    }
}

/// The executor reads the spec's variable and what the credentials action sets; every other one can only lead it, the
/// shell or the loader astray.
fn variables(variables: &[Variable], spec: &Spec) -> Vec<Foreign> {
    let wanted = &spec.github.variable;
    let foreign = variables.iter().filter(|it| it.name.as_str() != wanted);
    foreign
        .map(|variable| {
            let name = variable.name.as_str();
            let message = format!("`{name}` is set for the executor, which needs `{wanted}` alone");
            (variable.name.span(), message)
        })
        .collect()
}

fn is_hosted(label: &Text) -> bool {
    let text = label.as_str();
    text == "ubuntu-latest"
        || text.strip_prefix("ubuntu-").is_some_and(|version| {
            version
                .chars()
                .next()
                .is_some_and(|first| first.is_ascii_digit())
        })
}

/// Inputs of `actions/checkout` that leave what is fetched as it is.
const CHECKOUT_INPUTS: [&str; 8] = [
    "persist-credentials",
    "fetch-depth",
    "fetch-tags",
    "filter",
    "show-progress",
    "clean",
    "lfs",
    "set-safe-directory",
];

/// Inputs of `configure-aws-credentials` that borrow the same role, or a narrower session of it.
const CREDENTIALS_INPUTS: [&str; 12] = [
    "role-to-assume",
    "aws-region",
    "role-duration-seconds",
    "role-session-name",
    "mask-aws-account-id",
    "allowed-account-ids",
    "expected-account-ids",
    "inline-session-policy",
    "managed-session-policies",
    "disable-retry",
    "retry-max-attempts",
    "unset-current-credentials",
];

fn inputs(step: &Step, spec: &Spec) -> Vec<Foreign> {
    let repository = step.uses.as_ref().and_then(|uses| uses.repository());
    let Some(repository) = repository else {
        return Vec::new();
    };
    let known: &[&str] = if repository.eq_ignore_ascii_case(CHECKOUT) {
        &CHECKOUT_INPUTS
    } else if repository.eq_ignore_ascii_case(CREDENTIALS) {
        &CREDENTIALS_INPUTS
    } else {
        return Vec::new();
    };
    let listed = |name: &str| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    let foreign = step
        .with
        .iter()
        .filter(|input| !listed(input.name.as_str()) && !is_own(input, spec));
    foreign
        .map(|input| {
            let name = input.name.as_str();
            let at = input
                .value
                .as_ref()
                .map_or_else(|| input.name.span(), Text::span);
            let value = input.value.as_ref().map_or("", Text::as_str);
            let message = match name.to_ascii_lowercase().as_str() {
                "ref" | "repository" => format!(
                    "`{name}: {value}` fetches something else than the commit that was dispatched"
                ),
                _ => {
                    format!("`{name}` of `{repository}` is nothing that the job of the spec gives")
                }
            };
            (at, message)
        })
        .collect()
}

/// Whether an input says what holds in any case: this repository, this commit.
fn is_own(input: &Variable, spec: &Spec) -> bool {
    let value = input.value.as_ref().map_or("", Text::as_str).trim();
    let name = input.name.as_str();
    spec.is_own_checkout(name, value)
        || value.is_empty()
        || name.eq_ignore_ascii_case("audience") && value == OIDC_AUDIENCE
}
