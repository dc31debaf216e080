//! What a file or an attribute is to the spec.

use crate::model::policy::{PolicyDocument, PolicyKind, route53};
use crate::model::spec::Spec;
use crate::rules::Role;

/// The role of the file at `path`; `None` outside the spec's folders.
pub(super) fn of_path(spec: &Spec, path: &str) -> Option<Role> {
    let artefacts = &spec.artefacts;
    let within = |folder: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    if path == spec.workflow_path() {
        Some(Role::Workflow)
    } else if within(&artefacts.terraform) {
        Some(Role::Terraform)
    } else if within(&artefacts.monitors) {
        Some(Role::Monitors)
    } else if within(&artefacts.policies) {
        match path.rsplit('/').next() {
            Some("change-records.json") => Some(Role::ChangeRecords),
            Some("read-zone.json") => Some(Role::ReadZone),
            Some("trust.json") => Some(Role::Trust),
            _ => Some(Role::Other),
        }
    } else {
        None
    }
}

/// The role of a policy out of Terraform, by what it is and what it allows.
pub(super) fn of_policy(policy: &PolicyDocument) -> Role {
    let allows = |action: &str| {
        policy
            .statements
            .iter()
            .any(|s| s.allows() && s.covers_action(action))
    };
    if policy.kind == PolicyKind::Trust {
        Role::Trust
    } else if allows(route53::CHANGE_RECORDS) {
        Role::ChangeRecords
    } else if allows(route53::LIST_RECORDS) || allows(route53::GET_CHANGE) {
        Role::ReadZone
    } else {
        Role::Other
    }
}
