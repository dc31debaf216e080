//! A role, region or session length other than the spec says.

use crate::diag::Severity;
use crate::model::spec::{CREDENTIALS, Spec};
use crate::model::workflow::{Step, Uses, Workflow, variable};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Span, Text};

use super::executor::{Act, acts};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "credentials-differ-from-spec",
    aliases: &[],
    summary: "the workflow borrows another role, or elsewhere, than the spec says",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("credentials_differ_from_spec.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let borrowed = workflow.uses().any(|(_, uses)| names_credentials(uses));
    if let Some(job) = workflow.jobs.first().filter(|_| !borrowed) {
        let label = spec.label("/aws/role");
        sink.report(
            job.id.span(),
            format!("no step borrows the role `{}`, so that nothing can be changed", spec.role_arn()),
        )
        .related(label.at, label.text)
        .help(format!("add a step that uses `{CREDENTIALS}`; `pointsman generate` writes the workflow from the spec"));
    }
    behind_the_executor(workflow, spec, sink);
    for step in workflow.jobs.iter().flat_map(|job| &job.steps) {
        let Some(uses) = step.uses.as_ref().filter(|uses| names_credentials(uses)) else {
            continue;
        };
        let inputs = [
            ("role-to-assume", spec.role_arn(), "/aws/role", true),
            (
                "aws-region",
                spec.aws.sts_region.clone(),
                "/aws/sts_region",
                true,
            ),
            (
                "role-duration-seconds",
                spec.aws.session_seconds.to_string(),
                "/aws/session_seconds",
                spec.aws.session_seconds != DEFAULT_SECONDS,
            ),
        ];
        for (input, wanted, pointer, needed) in inputs {
            let found = variable(&step.with, input).and_then(|variable| variable.value.as_ref());
            compare(uses, input, found, (&wanted, pointer, needed), sink);
        }
        account(step, spec, sink);
    }
}

/// A role that is borrowed when the executor has run.
fn behind_the_executor(workflow: &Workflow, spec: &Spec, sink: &mut Sink<'_>) {
    for job in super::switching_jobs(workflow) {
        let acts = acts(job);
        let runs = |(act, _): &(Act, Span)| matches!(act, Act::Switch | Act::SwitchWithMore);
        let Some(run) = acts.iter().position(runs) else {
            continue;
        };
        let borrows = |(act, _): &(Act, Span)| *act == Act::Credentials;
        let first = acts.iter().position(borrows).filter(|first| *first > run);
        if let Some((_, at)) = first.and_then(|first| acts.get(first)) {
            let label = spec.label("/aws/role");
            sink.report(
                *at,
                "the role is borrowed behind the executor, which runs without it",
            )
            .related(label.at, label.text)
            .help("put this step before the one that runs the executor");
        }
    }
}

const ACCOUNTS: &str = "allowed-account-ids";

/// Accounts beside which the action ends the job (aws-actions/configure-aws-credentials, README, `allowed-account-ids`).
fn account(step: &Step, spec: &Spec, sink: &mut Sink<'_>) {
    let own = spec.aws.account.as_str();
    let found = variable(&step.with, ACCOUNTS).and_then(|variable| variable.value.as_ref());
    let Some(found) = found.filter(|text| !text.as_str().contains("${{")) else {
        return;
    };
    let mut listed = found.as_str().split([',', ' ', '\n']).map(str::trim);
    let is_open = found.as_str().trim().is_empty();
    if is_open || listed.any(|account| account == own) {
        return;
    }
    let label = spec.label("/aws/account");
    sink.report(
        found.span(),
        format!(
            "`{ACCOUNTS}` does not name `{own}`, and the action ends the job in any other account"
        ),
    )
    .related(label.at, label.text)
    .help(format!("write `{ACCOUNTS}: \"{own}\"`, or leave it out"));
}

fn names_credentials(uses: &Uses) -> bool {
    uses.repository()
        .is_some_and(|name| name.eq_ignore_ascii_case(CREDENTIALS))
}

/// What the action takes when nothing is said (aws-actions/configure-aws-credentials, README).
const DEFAULT_SECONDS: u32 = 3600;

fn compare(
    uses: &Uses,
    input: &str,
    found: Option<&Text>,
    (wanted, pointer, needed): (&str, &str, bool),
    sink: &mut Sink<'_>,
) {
    let Some(label) = sink.spec().map(|spec| spec.label(pointer)) else {
        return;
    };
    let (at, message) = match found {
        Some(found) if found.as_str() == wanted => return,
        Some(found) if found.as_str().contains("${{") => {
            sink.undecided(
                found.span(),
                format!("whether `{input}` is `{wanted}`"),
                format!("`{}` is known only when a run starts", found.as_str()),
                Vec::new(),
            );
            return;
        }
        Some(found) => (
            found.span(),
            format!(
                "`{input}` is `{}`, but the spec says `{wanted}`",
                found.as_str()
            ),
        ),
        None if needed => (
            uses.value_span(),
            format!("`{input}` is not given; the spec says `{wanted}`"),
        ),
        None => return,
    };
    sink.report(at, message)
        .related(label.at, label.text)
        .help(format!(
            "write `{input}: {wanted}`, or change the spec and generate anew"
        ));
}
