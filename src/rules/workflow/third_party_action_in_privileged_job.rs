//! An action from elsewhere in a job that borrows an AWS role.

use crate::diag::Severity;
use crate::model::workflow::{Target, Uses, Workflow};
use crate::rules::{Check, Rule, Sink, Tier};

use super::permissions_missing::borrows_role;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "third-party-action-in-privileged-job",
    aliases: &[],
    summary: "a third-party action in a job that borrows a role",
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
    for job in workflow
        .jobs
        .iter()
        .filter(|job| borrows_role(workflow, job, true))
    {
        for uses in job.steps.iter().filter_map(|step| step.uses.as_ref()) {
            if let Some(name) = third_party(uses) {
                sink.report(
                    uses.value_span(),
                    format!("`{name}` runs in `{}`, and so can borrow the role and read what it was lent", job.id.as_str()),
                )
                .help("let it run in a job of its own, without `id-token: write`, and hand over what is needed as an artifact");
            }
        }
    }
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
