//! A policy of version 2008-10-17, which knows no variables.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::rules::{Check, Rule, Sink, Tier};

use super::mend;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "old-version",
    aliases: &[],
    summary: "a policy of version 2008-10-17",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("old_version.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let Some(version) = policy
        .version
        .as_ref()
        .filter(|version| version.as_str() == "2008-10-17")
    else {
        return;
    };
    let edit = mend::replace(sink, version, "2012-10-17");
    let mut draft = sink
        .report(
            version.span(),
            "`2008-10-17` is the old policy language, in which variables are plain text",
        )
        .pointer("/Version")
        .help("write `2012-10-17`");
    if policy.kind == PolicyKind::ManagedIdentity {
        // `CreatePolicy` refuses it: "Policy document must be version 2012-10-17 or greater."
        draft = draft.severity(Severity::Error);
    }
    // With variables in it, the other version would let other requests through.
    if let Some(edit) = edit {
        draft.fix(
            "say the current version",
            !policy.has_variables(),
            vec![edit],
        );
    }
}
