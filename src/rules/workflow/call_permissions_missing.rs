//! A call of a workflow that asks for more than the calling job may give.

use std::collections::BTreeSet;

use crate::diag::Severity;
use crate::model::workflow::{Access, Job, Workflow};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::calls::{Call, calls};
use super::permissions_missing::borrows_role;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "call-permissions-missing",
    aliases: &[],
    summary: "a called workflow asks for permissions that its caller does not have",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("call_permissions_missing.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for call in calls(workspace) {
        let given = call.caller.permissions_of(call.job);
        let mut told = BTreeSet::new();
        for job in &call.called.jobs {
            for (scope, access) in wanted(call.called, job) {
                let has = given.map(|given| given.access(&scope));
                let is_enough = match has {
                    // What the repository's default gives is not known, but it never gives `id-token`.
                    None => scope != "id-token",
                    Some(None) => true,
                    Some(Some(has)) => has >= access,
                };
                if !is_enough && told.insert(scope.clone()) {
                    report(&call, job, &scope, access, sink);
                }
            }
        }
    }
}

/// What a job of the called workflow asks for.
fn wanted(called: &Workflow, job: &Job) -> Vec<(String, Access)> {
    let Some(permissions) = called.permissions_of(job) else {
        let borrows = borrows_role(called, job, false);
        return if borrows {
            vec![("id-token".to_owned(), Access::Write)]
        } else {
            Vec::new()
        };
    };
    let scopes = permissions.scopes().iter();
    let scopes = scopes.filter(|scope| scope.access > Access::None);
    scopes
        .map(|scope| (scope.name.as_str().to_owned(), scope.access))
        .collect()
}

fn report(call: &Call<'_>, job: &Job, scope: &str, access: Access, sink: &mut Sink<'_>) {
    let Call {
        caller,
        job: calling,
        called,
    } = call;
    let word = if access == Access::Write {
        "write"
    } else {
        "read"
    };
    let at = match caller.permissions_of(calling) {
        Some(permissions) => permissions.key.span().cover(permissions.span),
        None => calling.id.span(),
    };
    let place = match called.permissions_of(job) {
        Some(permissions) => permissions.key.span(),
        None => job.id.span(),
    };
    sink.report(
        at,
        format!(
            "`{}` of `{}` asks for `{scope}: {word}`, and what the calling job has is the most it can get",
            job.id.as_str(),
            called.path
        ),
    )
    .related(place, "asked for here")
    .help(format!("add `{scope}: {word}` to the permissions of `{}`, or of this workflow", calling.id.as_str()));
}
