//! `aws_iam_role`, and what gives a role rights or takes them away.

use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::trust::github_statements;
use crate::syntax::{Kind, Node};
use crate::text::Span;

use super::{Repetition, attribute};
use crate::terraform::evaluate::Evaluator;
use crate::terraform::policy_text::{PolicyText, tree};
use crate::terraform::{Module, Resource};

/// An `aws_iam_role`. A value that is absent is not set; one that cannot be known is an unknown node.
#[derive(Debug, Clone)]
pub struct Role {
    /// How expressions call it.
    pub address: String,
    /// `resource "aws_iam_role" "…"`.
    pub head: Span,
    /// Its name; absent when Terraform makes one up.
    pub name: Option<Node>,
    /// Whom `assume_role_policy` trusts.
    pub trust: RoleTrust,
    /// `path`, which is part of its ARN.
    pub path: Option<Node>,
    /// `max_session_duration`, in seconds.
    pub max_session: Option<Node>,
    /// `permissions_boundary`.
    pub boundary: Option<Node>,
    /// `managed_policy_arns`.
    pub managed: Option<Node>,
    /// The heads of `inline_policy` blocks, those that `dynamic` makes among them.
    pub inline: Vec<Span>,
    /// `count` or `for_each`.
    pub repeated: Option<Repetition>,
}

/// Whom a role trusts, as far as it tells one role from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleTrust {
    /// `assume_role_policy` is not set: nobody.
    Absent,
    /// GitHub's provider for tokens, among others perhaps.
    GitHub,
    /// Somebody else.
    Other,
    /// Not known.
    Unknown,
}

impl RoleTrust {
    fn read(resource: Resource<'_>, evaluator: &mut Evaluator<'_>) -> Self {
        let Some(attribute) = resource.block.body.attribute("assume_role_policy") else {
            return Self::Absent;
        };
        let text = match evaluator.value(&attribute.value) {
            Ok(value) if value.is_null() => return Self::Absent,
            Ok(value) => tree(&value),
            Err(_) => return Self::Unknown,
        };
        let PolicyText::Tree(root) = text else {
            return Self::Unknown;
        };
        Self::of(root)
    }

    /// Whom the policy trusts.
    pub(in crate::terraform) fn of(root: Node) -> Self {
        let document = PolicyDocument::read(root, Some(PolicyKind::Trust), None);
        if github_statements(&document).next().is_some() {
            Self::GitHub
        } else if document
            .statements
            .iter()
            .any(|statement| statement.incomplete)
        {
            Self::Unknown
        } else {
            Self::Other
        }
    }
}

/// How a resource gives rights to a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantKind {
    /// `aws_iam_role_policy`: a policy of its own.
    Inline,
    /// `aws_iam_role_policy_attachment`, `aws_iam_policy_attachment` or `aws_iam_role_policy_attachments_exclusive`: a
    /// policy that stands elsewhere.
    Attached,
}

/// A resource that gives rights to roles.
#[derive(Debug, Clone)]
pub struct Grant {
    /// How expressions call it.
    pub address: String,
    /// `resource "…" "…"`.
    pub head: Span,
    /// Its type.
    pub resource: &'static str,
    /// How it gives them.
    pub kind: GrantKind,
    /// The roles, each a name; an unknown node stands for any.
    pub roles: Vec<Node>,
    /// `policy_arn`, or the list of them.
    pub policy: Option<Node>,
    /// The name of an inline policy.
    pub name: Option<Node>,
    /// `count` or `for_each`.
    pub repeated: Option<Repetition>,
}

impl Role {
    pub(super) fn read(resource: Resource<'_>, evaluator: &mut Evaluator<'_>) -> Self {
        let inline = resource.block.body.blocks.iter().filter(|block| {
            let kind = block.kind.as_str();
            kind == "inline_policy" || kind == "dynamic" && block.label(0) == Some("inline_policy")
        });
        let inline = inline.map(|block| block.head).collect();
        let trust = RoleTrust::read(resource, evaluator);
        let mut of = |name: &str| attribute(resource, name, evaluator);
        Self {
            trust,
            name: of("name"),
            path: of("path").filter(is_set),
            max_session: of("max_session_duration").filter(is_set),
            boundary: of("permissions_boundary").filter(is_set),
            managed: of("managed_policy_arns").filter(is_set),
            address: evaluator.rooted(&resource.address()),
            head: resource.head(),
            inline,
            repeated: Repetition::read(resource, evaluator),
        }
    }
}

/// Whether a text is there.
pub(in crate::terraform) fn is_set(node: &Node) -> bool {
    !matches!(node.kind, Kind::Null) && node.as_str() != Some("")
}

/// Resource types that give rights to roles: how, and the attributes that hold the roles and the policies.
pub(in crate::terraform) const GRANTS: [(&str, GrantKind, &str, &str); 4] = [
    ("aws_iam_role_policy", GrantKind::Inline, "role", "policy"),
    (
        "aws_iam_role_policy_attachment",
        GrantKind::Attached,
        "role",
        "policy_arn",
    ),
    (
        "aws_iam_policy_attachment",
        GrantKind::Attached,
        "roles",
        "policy_arn",
    ),
    (
        "aws_iam_role_policy_attachments_exclusive",
        GrantKind::Attached,
        "role_name",
        "policy_arns",
    ),
];

/// All resources of `module` that give rights to roles, those that are never made among them.
pub(super) fn grants(module: &Module, evaluator: &mut Evaluator<'_>) -> Vec<Grant> {
    let mut found = Vec::new();
    for (resource_type, kind, roles, policies) in GRANTS {
        for resource in module.managed(resource_type) {
            let repeated = Repetition::read(resource, evaluator);
            let roles = match attribute(resource, roles, evaluator) {
                Some(Node {
                    kind: Kind::List(names),
                    ..
                }) => names,
                one => one.into_iter().collect(),
            };
            let policy = match kind {
                GrantKind::Inline => None,
                GrantKind::Attached => attribute(resource, policies, evaluator),
            };
            found.push(Grant {
                address: evaluator.rooted(&resource.address()),
                head: resource.head(),
                resource: resource_type,
                kind,
                roles,
                policy,
                name: attribute(resource, "name", evaluator),
                repeated,
            });
        }
    }
    found
}
