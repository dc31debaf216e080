//! The record types that the change policy allows are not those of the spec.

use std::collections::BTreeSet;

use crate::diag::Severity;
use crate::model::policy::route53;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::record_key::{Wanted, compare};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-types-differ",
    aliases: &[],
    summary: "the change policy allows other record types than the spec has",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("policy_types_differ.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    let values: BTreeSet<String> = spec
        .records
        .types
        .iter()
        .map(|kind| kind.word().to_owned())
        .collect();
    let wanted = Wanted {
        key: route53::TYPES_KEY,
        noun: "record type",
        values,
        spec: spec.label("/records/types"),
    };
    compare(workspace, &wanted, sink);
}
