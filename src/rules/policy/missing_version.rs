//! A policy without `Version`, which is read by the rules of 2008.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::rules::{Check, Rule, Sink, Tier};

use super::insertion;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "missing-version",
    aliases: &[],
    summary: "a policy without Version",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("missing_version.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.version.is_some()
        || policy.root.get("Version").is_some()
        || policy.root.as_map().is_none()
    {
        return;
    }
    let span = policy.span();
    let edit = insertion::first(sink, &policy.root, "Version", "2012-10-17");
    let mut draft = sink
        .report(span.slice(0, 1), "`Version` is missing, so the policy is read by the rules of 2008-10-17")
        .pointer("")
        .help("write \"Version\": \"2012-10-17\"; without it `${aws:username}` and other variables are plain text");
    if policy.kind == PolicyKind::ManagedIdentity {
        // `CreatePolicy` refuses it: "Policy document must be version 2012-10-17 or greater."
        draft = draft.severity(Severity::Error);
    }
    if let Some(edit) = edit {
        draft.fix("say the version", !policy.has_variables(), vec![edit]);
    }
}
