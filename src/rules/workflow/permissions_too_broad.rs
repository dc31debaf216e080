//! A token that may do more than the job needs.

use crate::diag::Severity;
use crate::model::workflow::{Access, Grant, Scope, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "permissions-too-broad",
    aliases: &[],
    summary: "permissions beyond what the job needs",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("permissions_too_broad.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let is_failover = super::is_failover(workflow, sink);
    let used =
        workflow.jobs.is_empty() || workflow.jobs.iter().any(|job| job.permissions.is_none());
    let top = workflow.permissions.iter().filter(|_| used);
    let jobs = workflow
        .jobs
        .iter()
        .filter_map(|job| job.permissions.as_ref());
    for permissions in top.chain(jobs) {
        match &permissions.grant {
            Grant::WriteAll(word) => {
                let help = "name the scopes that are needed; what is not named is `none`";
                sink.report(word.span(), "`write-all` lets the token write everything, other workflows and releases among it")
                    .help(if is_failover { NEEDED } else { help });
            }
            Grant::ReadAll(word) if is_failover => {
                sink.report(
                    word.span(),
                    "`read-all` lets the token read more than the switch needs",
                )
                .help(NEEDED);
            }
            Grant::Scopes(scopes) if is_failover => {
                for scope in scopes.iter().filter(|scope| is_beyond(scope)) {
                    sink.report(
                        scope.name.span().cover(scope.written.span()),
                        format!(
                            "`{}: {}` is more than the switch needs",
                            scope.name.as_str(),
                            scope.written.as_str()
                        ),
                    )
                    .help(NEEDED);
                }
            }
            Grant::ReadAll(_) | Grant::Scopes(_) | Grant::Unknown => {}
        }
    }
}

const NEEDED: &str = "the switch needs `id-token: write` and `contents: read`, and nothing else";

fn is_beyond(scope: &Scope) -> bool {
    let needed = match scope.name.as_str() {
        "id-token" => Access::Write,
        "contents" => Access::Read,
        _ => Access::None,
    };
    scope.access > needed
}
