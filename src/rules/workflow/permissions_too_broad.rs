//! A token that may do more than the job needs.

use crate::diag::Severity;
use crate::model::workflow::{Access, Grant, Job, Scope, Uses, Workflow};
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
            Grant::Scopes(scopes) => {
                let jobs = workflow.jobs.iter().filter(|job| {
                    let own = workflow.permissions_of(job);
                    own.is_some_and(|own| own.span == permissions.span)
                });
                let jobs: Vec<&Job> = jobs.collect();
                if !jobs.is_empty() && jobs.iter().all(|job| needs_no_token(job)) {
                    unused_token(scopes, sink);
                }
            }
            Grant::ReadAll(_) | Grant::Unknown => {}
        }
    }
}

fn unused_token(scopes: &[Scope], sink: &mut Sink<'_>) {
    let token = |scope: &&Scope| scope.name.as_str() == "id-token" && scope.access == Access::Write;
    if let Some(scope) = scopes.iter().find(token) {
        sink.report(
            scope.name.span().cover(scope.written.span()),
            "`id-token: write` lets the job ask for a token in this repository's name, and nothing in it does",
        )
        .help("leave it out, or grant it to the job that asks for a token");
    }
}

/// Actions that ask for no token of GitHub's.
const WITHOUT_TOKEN: [&str; 9] = [
    "actions/cache",
    "actions/checkout",
    "actions/download-artifact",
    "actions/setup-go",
    "actions/setup-java",
    "actions/setup-node",
    "actions/setup-python",
    "actions/stale",
    "actions/upload-artifact",
];

/// Commands that ask for no token, whatever they are given.
const PLAIN_COMMANDS: [&str; 12] = [
    "cat", "cd", "cp", "date", "echo", "env", "false", "ls", "mkdir", "printf", "sleep", "true",
];

/// Whether nothing in a job can ask for a token: what other actions and programs do is not known here.
fn needs_no_token(job: &Job) -> bool {
    let plain_action = |uses: &Uses| {
        let name = uses.repository().unwrap_or_default().to_ascii_lowercase();
        WITHOUT_TOKEN.contains(&name.as_str())
    };
    let plain_script = |script: &str| {
        let commands = script.split(['\n', ';', '|', '&']).map(str::trim);
        let mut commands =
            commands.filter(|command| !command.is_empty() && !command.starts_with('#'));
        !script.contains(['`', '('])
            && !script.to_ascii_lowercase().contains("id_token")
            && commands.all(|command| {
                let first = command.split_whitespace().next();
                first.is_some_and(|first| PLAIN_COMMANDS.contains(&first))
            })
    };
    job.uses.is_none()
        && !job.steps.is_empty()
        && job.steps.iter().all(|step| match (&step.uses, &step.run) {
            (Some(uses), _) => plain_action(uses),
            (None, Some(run)) => plain_script(run.as_str()),
            (None, None) => false,
        })
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
