//! An action from elsewhere in a job that borrows an AWS role, or may ask for a token that borrows one.

use crate::diag::Severity;
use crate::model::workflow::{Access, Grant, Job, Target, Uses, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};

use super::permissions_missing::borrows_role;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "third-party-action-in-privileged-job",
    aliases: &[],
    summary: "a third-party action in a job that borrows a role, or can",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("third_party_action_in_privileged_job.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    // With a spec its list of actions decides.
    if sink.spec().is_some() {
        return;
    }
    for job in &workflow.jobs {
        let borrows = borrows_role(workflow, job, true);
        if !borrows && !may_ask(workflow, job) {
            continue;
        }
        let id = job.id.as_str();
        let all = job.steps.iter().filter_map(|step| step.uses.as_ref());
        let mut others = all.filter_map(|uses| Some((uses, third_party(uses)?)));
        if borrows {
            for (uses, name) in others {
                sink.report(
                    uses.value_span(),
                    format!("`{name}` runs in `{id}`, and so can borrow the role and read what it was lent"),
                )
                .help(HELP);
            }
        } else if let Some((uses, name)) = others.find(|(_, name)| !asks_itself(name)) {
            // One is enough to say it of the job.
            sink.report(
                uses.value_span(),
                format!("`{name}` runs in `{id}`, and so can ask for this job's token and borrow every role that trusts it"),
            )
            .severity(Severity::Note)
            .help(HELP);
        }
    }
}

const HELP: &str = "let it run in a job of its own, without `id-token: write`, and hand over what is needed as an artifact";

/// Whether the job's permissions name `id-token: write`; that `write-all` is too much is told elsewhere.
fn may_ask(workflow: &Workflow, job: &Job) -> bool {
    let permissions = workflow.permissions_of(job);
    permissions.is_some_and(|found| {
        matches!(found.grant, Grant::Scopes(_)) && found.access("id-token") == Some(Access::Write)
    })
}

/// Actions that ask for the token themselves: publishing without a password, signing, or another cloud's login (the README
/// of each). What they are for is the reason of the permission.
const ASKING: [&str; 12] = [
    "azure/login",
    "codecov/codecov-action",
    "hashicorp/vault-action",
    "jfrog/setup-jfrog-cli",
    "ossf/scorecard-action",
    "pulumi/auth-actions",
    "pypa/gh-action-pypi-publish",
    "rubygems/configure-rubygems-credentials",
    "rubygems/release-gem",
    "rust-lang/crates-io-auth-action",
    "sigstore/cosign-installer",
    "sigstore/gh-action-sigstore-python",
];

/// Owners all of whose actions are for that: Google Cloud's, and provenance.
const ASKING_OWNERS: [&str; 2] = ["google-github-actions", "slsa-framework"];

fn asks_itself(name: &str) -> bool {
    let owner = name.split('/').next().unwrap_or_default();
    ASKING.iter().any(|known| known.eq_ignore_ascii_case(name))
        || ASKING_OWNERS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(owner))
}

/// The repository or image of an action that comes from neither GitHub nor AWS.
pub(super) fn third_party(uses: &Uses) -> Option<String> {
    let own = ["actions", "github", "aws-actions"];
    match &uses.target {
        Target::Repository { owner, .. } => {
            let is_own = own.iter().any(|own| own.eq_ignore_ascii_case(owner));
            uses.repository().filter(|_| !is_own)
        }
        Target::Docker { .. } => Some(uses.text.as_str().trim().to_owned()),
        Target::Local
        | Target::LocalWithRef
        | Target::SelfRepository
        | Target::Expression
        | Target::Invalid => None,
    }
}
