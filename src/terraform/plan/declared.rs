//! What stands in the account once a plan is applied, in the same model as what a module declares: one set of rules asks both.

use crate::model::policy::PolicyKind;
use crate::syntax::{Kind, Node, Unknown, json};
use crate::text::{Span, Text};

use super::{Plan, PlanChange};
use crate::terraform::block_address;
use crate::terraform::declared::{
    AttachedPolicy, Declarations, EXCLUSIVE, ExclusivePolicies, ExclusiveRecords, GRANTS, Grant,
    GrantKind, PermissionBlock, PolicyForm, Role, RoleTrust, is_set, permission_policy,
    policy_attributes,
};
use crate::terraform::policy_text::PolicyText;

const IN_PART: &str =
    "a plan holds no part of a policy of which one part is known after apply alone";

impl Plan {
    /// The roles, their rights, and all policies that would stand in the account behind it.
    #[must_use]
    pub fn declared(&self) -> Declarations {
        let mut declared = Declarations {
            files: vec![self.at.file],
            whole: self.partial.is_none() && self.faults.is_empty(),
            ..Declarations::default()
        };
        for change in self.changes.iter().filter(|change| change.stays()) {
            if change.kind == "aws_iam_role" {
                self.role(change, &mut declared);
            }
            declared.policies.extend(policies(change));
            declared.permissions.extend(permission(change));
            declared.exclusive_records.extend(exclusive_records(change));
            declared
                .exclusive_policies
                .extend(self.exclusive_policies(change));
        }
        for change in self.changes.iter().filter(|change| change.stays()) {
            let grant = self.grant(change, &declared.roles);
            declared.grants.extend(grant);
        }
        declared
    }

    fn role(&self, change: &PlanChange, declared: &mut Declarations) {
        let policies = self.inline_policies(change);
        let inline = policies.iter().map(|policy| policy.at).collect();
        let of = |name: &str| value(change, name);
        let managed = of("managed_policy_arns").filter(is_set);
        let trust = match of("assume_role_policy") {
            // A plan that was cut down by hand: Terraform always writes it.
            None => RoleTrust::Unknown,
            Some(node) if matches!(node.kind, Kind::Null) => RoleTrust::Absent,
            Some(node) => match node.as_text().and_then(parsed) {
                Some(PolicyText::Tree(root)) => RoleTrust::of(root),
                Some(PolicyText::Broken(_) | PolicyText::Unknown(_)) | None => RoleTrust::Unknown,
            },
        };
        declared.roles.push(Role {
            address: change.address.clone(),
            head: change.at,
            name: of("name"),
            trust,
            path: of("path").filter(is_set),
            boundary: of("permissions_boundary").filter(is_set),
            max_session: of("max_session_duration").filter(is_set),
            managed: managed.filter(|_| self.is_written(change, "managed_policy_arns")),
            inline,
            repeated: None,
        });
        declared.policies.extend(policies);
    }

    /// Whether the configuration has this, which the provider fills in from the account where it has not. Where the plan
    /// does not tell, what is made anew has nothing in the account.
    fn is_written(&self, change: &PlanChange, name: &str) -> bool {
        let written = self
            .configured
            .writes(&block_address(&change.address), name);
        written.unwrap_or_else(|| change.is("create") || change.differing().contains(&name))
    }

    /// The values of `name` that a plan has for resources of this type, once it is applied.
    pub fn planned<'p>(&'p self, kind: &'p str, name: &'p str) -> impl Iterator<Item = &'p Node> {
        let changes = self.changes.iter();
        let of_kind = changes.filter(move |change| change.kind == kind && change.stays());
        of_kind.filter_map(move |change| {
            let after = change.after.as_ref().or(change.before.as_ref());
            after?.get(name)
        })
    }

    fn inline_policies(&self, change: &PlanChange) -> Vec<AttachedPolicy> {
        if !self.is_written(change, "inline_policy") {
            return Vec::new();
        }
        let policy = |address: String, at: Span, text: PolicyText| AttachedPolicy {
            address,
            attribute: "inline_policy".to_owned(),
            at,
            kind: Some(PolicyKind::Identity),
            form: PolicyForm::Other,
            text,
            value: None,
        };
        let address = format!("{}.inline_policy", change.address);
        let unknown = change.after_unknown.as_ref();
        let unknown = unknown.and_then(|node| node.get("inline_policy"));
        if let Some(all) = unknown.filter(|node| node.as_bool() == Some(true)) {
            return vec![policy(address.clone(), all.span(), open(address, IN_PART))];
        }
        let blocks = change
            .after
            .as_ref()
            .and_then(|after| after.get("inline_policy")?.as_list());
        let open_blocks = unknown.and_then(Node::as_list).unwrap_or_default();
        let known_blocks = blocks.unwrap_or_default();
        let count = known_blocks.len().max(open_blocks.len());
        let each = (0..count).filter_map(|index| {
            let address = if count > 1 {
                format!("{address}[{index}].policy")
            } else {
                format!("{address}.policy")
            };
            let known = known_blocks
                .get(index)
                .and_then(|block| block.get("policy"));
            if let Some(node) = known
                && let Some(text) = node.as_text().and_then(parsed)
            {
                return Some(policy(address, node.span(), text));
            }
            let hidden = open_blocks.get(index)?.get("policy")?;
            Some(policy(
                address.clone(),
                hidden.span(),
                open(address, IN_PART),
            ))
        });
        each.collect()
    }

    fn exclusive_policies(&self, change: &PlanChange) -> Option<ExclusivePolicies> {
        let (_, kind, listed) = *EXCLUSIVE
            .iter()
            .find(|(resource, ..)| *resource == change.kind)?;
        Some(ExclusivePolicies {
            address: change.address.clone(),
            head: change.at,
            kind,
            role: value(change, "role_name"),
            listed: value(change, listed),
        })
    }

    /// The right that the resource gives to roles.
    fn grant(&self, change: &PlanChange, roles: &[Role]) -> Option<Grant> {
        let mut grants = GRANTS.iter();
        let (resource, kind, given_to, policies) =
            *grants.find(|(resource, ..)| *resource == change.kind)?;
        let to = self.resolved(change, given_to, roles);
        let roles = match to {
            Some(Node {
                kind: Kind::List(names),
                ..
            }) => names,
            one => one.into_iter().filter(is_set).collect(),
        };
        Some(Grant {
            address: change.address.clone(),
            head: change.at,
            resource,
            kind,
            roles,
            policy: match kind {
                GrantKind::Inline => None,
                GrantKind::Attached => self.resolved(change, policies, &[]),
            },
            name: value(change, "name"),
            repeated: None,
        })
    }

    /// The value of an attribute; of one that is not known, the name of the role that it refers to, else what it refers to.
    fn resolved(&self, change: &PlanChange, name: &str, roles: &[Role]) -> Option<Node> {
        let mut node = value(change, name)?;
        let Kind::Unknown(unknown) = &mut node.kind else {
            return Some(node);
        };
        let references = self
            .configured
            .references(&block_address(&change.address), name);
        let named = references.iter().find_map(|reference| {
            let mut roles = roles.iter();
            roles.find(|role| {
                let block = block_address(&role.address);
                let rest = reference.strip_prefix(block.as_str());
                rest.is_some_and(|rest| matches!(rest, ".name" | ".id"))
            })
        });
        if let Some(role) = named.and_then(|role| role.name.clone()) {
            return Some(role);
        }
        if let Some(first) = references.into_iter().next() {
            unknown.missing = vec![first];
        }
        Some(node)
    }
}

/// The value of an attribute behind the change: unknown where the plan says so, `None` where it says nothing.
fn value(change: &PlanChange, name: &str) -> Option<Node> {
    let unknown = change
        .after_unknown
        .as_ref()
        .and_then(|node| node.get(name));
    if let Some(flag) = unknown.filter(|node| node.as_bool() == Some(true)) {
        let unknown = Unknown {
            why: "it is known after apply alone".to_owned(),
            missing: vec![format!("{}.{name}", change.address)],
            ..Unknown::default()
        };
        return Some(Node::new(Kind::unknown(unknown), flag.span()));
    }
    change.after.as_ref()?.get(name).cloned()
}

/// The records that an `aws_route53_records_exclusive` would be the only ones of.
pub(super) fn exclusive_records(change: &PlanChange) -> Option<ExclusiveRecords> {
    if change.kind != "aws_route53_records_exclusive" {
        return None;
    }
    Some(ExclusiveRecords {
        address: change.address.clone(),
        head: change.at,
        zone_id: value(change, "zone_id"),
    })
}

/// What the resource adds to the policy of another.
fn permission(change: &PlanChange) -> Option<AttachedPolicy> {
    let blocks = value(change, "condition");
    let blocks = blocks.as_ref().and_then(Node::as_list).unwrap_or_default();
    let condition = |block: &Node| -> PermissionBlock {
        let name = |name: &str| Some(block.get(name)?.as_str()?.to_owned());
        (name("type"), name("key"), block.get("value").cloned())
    };
    let blocks = blocks.iter().map(condition).collect();
    let written = |name: &str| value(change, name);
    let (root, at) = permission_policy(&change.kind, change.at, written, blocks)?;
    Some(AttachedPolicy {
        address: change.address.clone(),
        attribute: "principal".to_owned(),
        at,
        kind: Some(PolicyKind::Resource),
        form: PolicyForm::Other,
        text: PolicyText::Tree(root),
        value: None,
    })
}

fn open(address: String, why: &str) -> PolicyText {
    PolicyText::Unknown(Unknown {
        why: why.to_owned(),
        missing: vec![address],
        ..Unknown::default()
    })
}

fn parsed(text: &Text) -> Option<PolicyText> {
    let mut parsed = json::read(text);
    match (parsed.documents.pop(), parsed.faults.pop()) {
        (_, Some(fault)) => Some(PolicyText::Broken(fault)),
        (Some(root), None) => Some(PolicyText::Tree(root)),
        (None, None) => None,
    }
}

fn policies(change: &PlanChange) -> Vec<AttachedPolicy> {
    let attributes = policy_attributes(&change.kind).iter();
    let found = attributes.filter_map(|(name, kind)| {
        let address = format!("{}.{name}", change.address);
        let node = value(change, name)?;
        let text = if matches!(node.kind, Kind::Unknown(_)) {
            open(address.clone(), IN_PART)
        } else {
            parsed(node.as_text()?)?
        };
        if kind.is_none() && matches!(text, PolicyText::Broken(_)) {
            return None;
        }
        Some(AttachedPolicy {
            address,
            attribute: (*name).to_owned(),
            at: node.span(),
            kind: *kind,
            form: PolicyForm::Other,
            text,
            value: None,
        })
    });
    found.collect()
}
