//! A job without the permissions that it needs, or with none said at all.

use crate::diag::Severity;
use crate::model::spec::{CHECKOUT, CREDENTIALS};
use crate::model::workflow::{Access, Job, Permissions, Step, Uses, Workflow, variable};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "permissions-missing",
    aliases: &[],
    summary: "a job lacks a permission that it needs",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("permissions_missing.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let is_failover = super::is_failover(workflow, sink);
    for job in &workflow.jobs {
        let permissions = workflow.permissions_of(job);
        let borrows = borrows_role(workflow, job, is_failover);
        let checks_out = is_failover && uses(job, CHECKOUT);
        match permissions {
            None if is_failover && job.uses.is_none() => {
                sink.report(
                    job.id.span(),
                    format!("no permissions are set for `{}`, so the repository's default decides what it may do", job.id.as_str()),
                )
                .severity(if borrows { Severity::Error } else { Severity::Warning })
                .help("set `permissions` with `id-token: write` and `contents: read`, and nothing else");
            }
            None if borrows && workflow.trigger("workflow_call").is_none() => {
                sink.report(
                    job.id.span(),
                    format!("`{}` borrows a role, but `id-token: write` is granted nowhere", job.id.as_str()),
                )
                .help("set `permissions` with `id-token: write` and what else the job needs, such as `contents: read`");
            }
            None => {}
            Some(permissions) => {
                if borrows {
                    demand(permissions, job, "id-token", Access::Write, sink);
                }
                if checks_out {
                    demand(permissions, job, "contents", Access::Read, sink);
                }
            }
        }
    }
}

fn demand(permissions: &Permissions, job: &Job, scope: &str, needed: Access, sink: &mut Sink<'_>) {
    let name = job.id.as_str();
    if permissions
        .access(scope)
        .is_none_or(|access| access >= needed)
    {
        return;
    }
    let (why, word) = if needed == Access::Write {
        ("without it no token for the role is issued", "write")
    } else {
        (
            "without it a private repository cannot be checked out",
            "read",
        )
    };
    sink.report(
        permissions.span,
        format!("`{name}` runs without `{scope}: {word}`; {why}"),
    )
    .help(format!(
        "add `{scope}: {word}`; the permissions of a job replace those of the top level, and what is not named is `none`"
    ));
}

fn uses(job: &Job, action: &str) -> bool {
    let names = |uses: &Uses| {
        uses.repository()
            .is_some_and(|name| name.eq_ignore_ascii_case(action))
    };
    job.steps
        .iter()
        .filter_map(|step| step.uses.as_ref())
        .any(names)
}

/// Whether the job asks AWS for a role with a token of GitHub. On runners of one's own, or with keys at hand, the action
/// takes other credentials.
pub(super) fn borrows_role(workflow: &Workflow, job: &Job, is_failover: bool) -> bool {
    let mut steps = job.steps.iter().filter(|step| {
        step.uses
            .as_ref()
            .and_then(Uses::repository)
            .is_some_and(|name| name.eq_ignore_ascii_case(CREDENTIALS))
    });
    let asks = |step: &Step| {
        variable(&step.with, "role-to-assume").is_some()
            && [
                "aws-access-key-id",
                "web-identity-token-file",
                "role-chaining",
            ]
            .iter()
            .all(|input| variable(&step.with, input).is_none())
    };
    let hosted = job.runs_on.iter().any(|label| {
        ["ubuntu-", "windows-", "macos-"]
            .iter()
            .any(|prefix| label.as_str().starts_with(prefix))
    });
    let has_keys = [&workflow.env, &job.env]
        .iter()
        .any(|env| variable(env, "AWS_ACCESS_KEY_ID").is_some());
    // The first of them decides: a later one can build on its credentials.
    steps.next().is_some_and(asks) && (is_failover || hosted && !has_keys)
}
