//! Resources that own all policies of a role: what they do not list, they take away.

use crate::syntax::{Kind, Node};
use crate::text::Span;

use super::{Declarations, Grant, GrantKind, Repetition, Role, attribute};
use crate::terraform::Module;
use crate::terraform::evaluate::Evaluator;

/// Their types, the kind of policies that they own, and the attribute that lists them.
pub(in crate::terraform) const EXCLUSIVE: [(&str, GrantKind, &str); 2] = [
    (
        "aws_iam_role_policies_exclusive",
        GrantKind::Inline,
        "policy_names",
    ),
    (
        "aws_iam_role_policy_attachments_exclusive",
        GrantKind::Attached,
        "policy_arns",
    ),
];

/// An `aws_iam_role_policies_exclusive` or `aws_iam_role_policy_attachments_exclusive`.
#[derive(Debug, Clone)]
pub struct ExclusivePolicies {
    /// How expressions call it.
    pub address: String,
    /// `resource "…" "…"`.
    pub head: Span,
    /// Which policies it owns.
    pub kind: GrantKind,
    /// `role_name`.
    pub role: Option<Node>,
    /// `policy_names` or `policy_arns`.
    pub listed: Option<Node>,
}

pub(super) fn all(module: &Module, evaluator: &mut Evaluator<'_>) -> Vec<ExclusivePolicies> {
    let mut found = Vec::new();
    for (resource_type, kind, listed) in EXCLUSIVE {
        for resource in module.managed(resource_type) {
            if Repetition::makes_none(Repetition::read(resource, evaluator).as_ref()) {
                continue;
            }
            found.push(ExclusivePolicies {
                address: evaluator.rooted(&resource.address()),
                head: resource.head(),
                kind,
                role: attribute(resource, "role_name", evaluator),
                listed: attribute(resource, listed, evaluator),
            });
        }
    }
    found
}

impl Role {
    /// Whether `node`, the name of a role or a reference to one, is this role.
    #[must_use]
    pub fn is_named(&self, node: &Node) -> bool {
        let name = self.name.as_ref().and_then(Node::as_str);
        let of_role = |address: &String| {
            let rest = address.strip_prefix(self.address.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        match node.as_unknown() {
            Some(unknown) => unknown.missing.iter().any(of_role),
            None => name.is_some() && node.as_str() == name,
        }
    }
}

impl Declarations {
    /// Whether `grant` gives rights to the role whose policies `exclusive` owns.
    #[must_use]
    pub fn is_of_same_role(&self, exclusive: &ExclusivePolicies, grant: &Grant) -> bool {
        let Some(owner) = &exclusive.role else {
            return false;
        };
        let same = |given: &Node| {
            let both = |role: &Role| role.is_named(owner) && role.is_named(given);
            let written = owner.as_str().is_some() && owner.as_str() == given.as_str();
            let missing = |node: &Node| node.as_unknown().map(|unknown| unknown.missing.clone());
            let referred = missing(owner).is_some_and(|missing| !missing.is_empty())
                && missing(owner) == missing(given);
            written || referred || self.roles.iter().any(both)
        };
        grant.kind == exclusive.kind && grant.roles.iter().any(same)
    }
}

impl ExclusivePolicies {
    /// Whether the policy of `grant` is listed; `None` where that is not known.
    #[must_use]
    pub fn lists(&self, grant: &Grant) -> Option<bool> {
        let policy = match grant.kind {
            GrantKind::Inline => grant.name.as_ref(),
            GrantKind::Attached => grant.policy.as_ref(),
        }?;
        let items = match self.listed.as_ref().map(|listed| &listed.kind) {
            Some(Kind::List(items)) => items.as_slice(),
            None | Some(Kind::Null) => &[],
            Some(
                Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Map(_) | Kind::Unknown(_),
            ) => return None,
        };
        if items.contains(policy) {
            return Some(true);
        }
        let open = |node: &Node| node.as_unknown().is_some();
        let known = !open(policy) && !items.iter().any(open);
        // References to two resources are two policies.
        let referred = open(policy) && items.iter().all(open) && !items.is_empty();
        (known || referred || items.is_empty()).then_some(false)
    }
}
