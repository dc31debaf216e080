//! The change policy allows other change actions than UPSERT, which is all that the executor sends.

use std::collections::BTreeSet;

use crate::diag::Severity;
use crate::model::policy::route53;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::record_key::{Wanted, compare};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "policy-actions-differ",
    aliases: &[],
    summary: "the change policy allows other change actions than UPSERT",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("policy_actions_differ.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    let mut label = spec.label("/records");
    label.text = "the executor points these records elsewhere by UPSERT alone".to_owned();
    let values = BTreeSet::from(["UPSERT".to_owned()]);
    compare(
        workspace,
        &Wanted {
            key: route53::ACTIONS_KEY,
            noun: "change action",
            values,
            spec: label,
        },
        sink,
    );
}
