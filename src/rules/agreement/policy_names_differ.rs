//! The names that the change policy allows are not those of the spec.

use std::collections::BTreeSet;

use crate::diag::Severity;
use crate::model::policy::route53;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::record_key::{Wanted, compare};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-names-differ",
    aliases: &[],
    summary: "the change policy allows other record names than the spec has",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("policy_names_differ.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    let values: BTreeSet<String> = spec.record_names().iter().map(|name| name.iam()).collect();
    let wanted = Wanted {
        key: route53::NAMES_KEY,
        noun: "record name",
        values,
        spec: spec.label("/records/names"),
    };
    compare(workspace, &wanted, sink);
}
