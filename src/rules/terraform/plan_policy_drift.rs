//! Rights that have changed outside of Terraform.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Kind, Node, json};
use crate::terraform::{Plan, PlanChange};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "plan-policy-drift",
    aliases: &[],
    summary: "a plan that tells of a role, a policy or an OIDC provider changed outside of Terraform",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("plan_policy_drift.md"),
    check: Check::Whole(check),
};

/// Types of resources that say who may do what, and the attributes that say it.
const RIGHTS: [(&str, &[&str]); 8] = [
    (
        "aws_iam_role",
        &[
            "assume_role_policy",
            "permissions_boundary",
            "max_session_duration",
        ],
    ),
    ("aws_iam_role_policy", &["policy", "role"]),
    ("aws_iam_policy", &["policy"]),
    ("aws_iam_user_policy", &["policy", "user"]),
    ("aws_iam_group_policy", &["policy", "group"]),
    ("aws_iam_role_policy_attachment", &["role", "policy_arn"]),
    ("aws_iam_policy_attachment", &["roles", "policy_arn"]),
    (
        "aws_iam_openid_connect_provider",
        &["url", "client_id_list", "thumbprint_list"],
    ),
];

/// Attributes of a role that the provider fills in from the account, the resource types that own a part of them, and what
/// tells one part from another, there and in the attribute.
const PARTS: [(&str, &str, &str, Option<&str>); 2] = [
    ("inline_policy", "aws_iam_role_policy", "name", Some("name")),
    (
        "managed_policy_arns",
        "aws_iam_role_policy_attachment",
        "policy_arn",
        None,
    ),
];

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for plan in &workspace.plans {
        for drift in &plan.drift {
            let Some((_, names)) = RIGHTS.iter().find(|(kind, _)| *kind == drift.kind) else {
                continue;
            };
            for what in told(plan, drift, names) {
                let message = format!("`{}` {what}, outside of Terraform", drift.address);
                sink.report(drift.at, message)
                    .help("find out who it was, and look through what the role may do now; the next apply takes back only what the module says");
            }
        }
    }
}

/// What has happened to the resource.
fn told(plan: &Plan, drift: &PlanChange, names: &[&str]) -> Vec<String> {
    let (Some(before), Some(after)) = (&drift.before, &drift.after) else {
        let gone = drift.after.is_none();
        return gone
            .then(|| "was taken out of the account".to_owned())
            .into_iter()
            .collect();
    };
    let changed = names.iter().filter(|name| {
        let of = |side: &Node| side.get(name).map(meant);
        of(before) != of(after)
    });
    let mut told: Vec<String> = changed
        .map(|name| format!("has another `{name}`"))
        .collect();
    if drift.kind == "aws_iam_role" {
        for part in PARTS {
            told.extend(added(plan, before, after, part));
        }
    }
    told
}

/// A right that somebody added to the role. What resources of the plan own is in the role without anybody's doing.
fn added(
    plan: &Plan,
    before: &Node,
    after: &Node,
    (attribute, kind, name, part): (&str, &str, &str, Option<&str>),
) -> Vec<String> {
    let known = |side: &Node| -> Vec<String> {
        let list = side.get(attribute).and_then(Node::as_list);
        let words = list.unwrap_or_default().iter().filter_map(|node| {
            let word = part.map_or(Some(node), |part| node.get(part));
            word?.as_str().map(str::to_owned)
        });
        words.collect()
    };
    let there = known(before);
    let owned: Vec<&str> = plan.planned(kind, name).filter_map(Node::as_str).collect();
    let new = known(after).into_iter();
    let new = new.filter(|word| !there.contains(word) && !owned.contains(&word.as_str()));
    new.map(|word| format!("has `{word}` in its `{attribute}`"))
        .collect()
}

/// A value as it is meant: a policy is text of JSON, in which blanks and the order of keys mean nothing.
fn meant(node: &Node) -> String {
    let Kind::Text(text) = &node.kind else {
        return sorted(node);
    };
    let parsed = json::read(text);
    match parsed.documents.first() {
        Some(root) if parsed.faults.is_empty() => sorted(root),
        _ => text.as_str().to_owned(),
    }
}

fn sorted(node: &Node) -> String {
    match &node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(digits) => digits.clone(),
        Kind::Text(text) => format!("{:?}", text.as_str()),
        Kind::List(items) => {
            // One string and a list of it mean the same in a policy; the order of a list means nothing.
            let mut items: Vec<String> = items.iter().map(sorted).collect();
            items.sort();
            match items.as_slice() {
                [only] => only.clone(),
                _ => format!("[{}]", items.join(",")),
            }
        }
        Kind::Map(entries) => {
            let entries = entries.iter();
            let entries =
                entries.map(|entry| format!("{:?}:{}", entry.key.as_str(), sorted(&entry.value)));
            let mut entries: Vec<String> = entries.collect();
            entries.sort();
            format!("{{{}}}", entries.join(","))
        }
        Kind::Unknown(unknown) => unknown.why.clone(),
    }
}
