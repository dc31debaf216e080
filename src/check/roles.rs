//! What a file or an attribute is to the spec.

use std::collections::BTreeSet;

use crate::model::policy::{Effect, Elements, PolicyDocument, PolicyKind, Statement, route53};
use crate::model::spec::Spec;
use crate::rules::{Artefact, Role};
use crate::terraform::{Declarations, GrantKind, block_address};
use crate::text::Located;

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
    } else if within(&artefacts.kubernetes) {
        Some(Role::Cluster)
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

/// The role of a policy out of Terraform: by what it is and what it allows, else by what it denies, since a policy that
/// denies what it should allow is meant all the same.
pub(super) fn of_policy(policy: &PolicyDocument, spec: &Spec, module: &Declarations) -> Role {
    let reads = [route53::LIST_RECORDS, route53::GET_CHANGE];
    let allows = |action| {
        policy
            .statements
            .iter()
            .any(|s| s.allows() && s.covers_action(action))
    };
    let denies = |action| policy.statements.iter().any(|s| denies_by_name(s, action));
    if policy.kind == PolicyKind::Trust {
        let address = policy.address.as_deref();
        let own = address.is_some_and(|address| module.is_own_trust(spec, address));
        if own { Role::Trust } else { Role::Other }
    } else if allows(route53::CHANGE_RECORDS) {
        Role::ChangeRecords
    } else if reads.into_iter().any(allows) {
        Role::ReadZone
    } else if denies(route53::CHANGE_RECORDS) {
        Role::ChangeRecords
    } else if reads.into_iter().any(denies) {
        Role::ReadZone
    } else {
        Role::Other
    }
}

/// Whether it denies `action` in a policy about Route 53: what denies everything of everything is a guard.
fn denies_by_name(statement: &Statement, action: &str) -> bool {
    let is_deny = |effect: &Located<Effect>| effect.value == Effect::Deny;
    let names = |actions: &Elements| {
        let mut named = actions.strings();
        !actions.negated && named.any(|name| name.to_ascii_lowercase().starts_with("route53:"))
    };
    statement.effect.as_ref().is_some_and(is_deny)
        && statement.actions.as_ref().is_some_and(names)
        && statement.covers_action(action)
}

/// Of several inline policies of `module` that have one role, that which says nothing beside it keeps it, else one that allows, else the first;
/// the others are something else.
pub(super) fn leave_one_of_each(policies: &mut [Artefact<PolicyDocument>], module: &Declarations) {
    let wanted: [(Role, &[&str]); 2] = [
        (Role::ChangeRecords, &[route53::CHANGE_RECORDS]),
        (
            Role::ReadZone,
            &[route53::LIST_RECORDS, route53::GET_CHANGE],
        ),
    ];
    let inline = |artefact: &Artefact<PolicyDocument>| {
        module.grants.iter().any(|grant| {
            let address = format!("{}.policy", grant.address);
            grant.kind == GrantKind::Inline && artefact.is_of_block(&block_address(&address))
        })
    };
    for (role, actions) in wanted {
        let mut rivals: Vec<&mut Artefact<PolicyDocument>> = policies
            .iter_mut()
            .filter(|artefact| artefact.role == Some(role))
            .filter(|artefact| {
                module.files.contains(&artefact.model.span().file) && inline(artefact)
            })
            .collect();
        let ranks = rivals.iter().map(|artefact| {
            let policy = &artefact.model;
            let allows = policy.statements.iter().any(Statement::allows);
            (says_only(policy, actions), allows)
        });
        // The first of the best.
        let best = ranks.enumerate().rev().max_by_key(|(_, rank)| *rank);
        let kept = best.map_or(0, |(at, _)| at);
        for (at, artefact) in rivals.iter_mut().enumerate() {
            if at != kept {
                artefact.role = Some(Role::Other);
            }
        }
    }
}

/// Whether the policy names these actions, and no others.
fn says_only(policy: &PolicyDocument, actions: &[&str]) -> bool {
    let named = policy
        .statements
        .iter()
        .filter_map(|statement| statement.actions.as_ref())
        .flat_map(Elements::strings);
    let named: BTreeSet<String> = named.map(str::to_ascii_lowercase).collect();
    let wanted = actions.iter().map(|action| action.to_ascii_lowercase());
    named == wanted.collect()
}
