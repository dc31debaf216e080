//! A pinned id that is no commit of the repository: invented, vanished, or smuggled in from a fork.

use crate::diag::Severity;
use crate::model::pins::PinStanding;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::pins;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-commit-unknown",
    aliases: &[],
    summary: "a pin to a commit that the repository does not have on any branch or tag",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("pin_commit_unknown.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        let Some(PinStanding::Absent { certain, elsewhere }) = pin.standing() else {
            continue;
        };
        let (short, repository) = (pin.short(), &pin.repository);
        let message = match (elsewhere, certain) {
            (Some(other), _) => {
                format!("`{short}` is no commit of `{repository}`: it is one of `{other}`")
            }
            (None, true) => format!("`{short}` is no commit of `{repository}`"),
            (None, false) => format!(
                "no branch and no tag of `{repository}` leads to `{short}`: GitHub serves such commits of any fork under this name (an impostor commit)"
            ),
        };
        let lock = pin.upstream().map(|upstream| upstream.at);
        let draft = sink.report(pin.uses.reference_span(), message).help(
            "pin the commit of a release, which `git ls-remote --tags` lists; if the commit is right, refresh the lock with `pointsman pins update`",
        );
        if let Some(at) = lock {
            draft.related(at, "what is known of the repository stands here");
        }
    }
}
