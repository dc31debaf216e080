//! A plan, as `terraform show -json` writes it (format 1.2, hashicorp/terraform `internal/command/jsonplan/plan.go`): what
//! would change, and what has changed outside of Terraform. It holds no `lifecycle`, and a policy with one unknown part is
//! unknown in it as a whole.

use crate::syntax::{Kind, Node, Unknown, json};
use crate::text::Span;

use super::declared::{AttachedPolicy, IgnoreChanges, PolicyForm, Record, policy_attributes};
use super::policy_text::PolicyText;

/// A plan.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The whole file.
    pub at: Span,
    /// What would change.
    pub changes: Vec<PlanChange>,
    /// What has changed outside of Terraform.
    pub drift: Vec<PlanChange>,
}

/// What happens to a resource.
#[derive(Debug, Clone)]
pub struct PlanChange {
    /// Its address, with the key of its instance.
    pub address: String,
    /// Its type.
    pub kind: String,
    /// `create`, `update`, `delete`, `no-op`, `read`; two for a replacement.
    pub actions: Vec<String>,
    /// Where that stands.
    pub at: Span,
    /// The attributes before.
    pub before: Option<Node>,
    /// The attributes behind it, as far as they are known.
    pub after: Option<Node>,
    /// Which of them are not known.
    pub after_unknown: Option<Node>,
    /// The attributes that force a replacement.
    pub forced_by: Vec<String>,
}

impl Plan {
    /// Whether the document is a plan.
    #[must_use]
    pub fn recognises(root: &Node) -> bool {
        let changes = root.get("resource_changes").and_then(Node::as_list);
        root.get("format_version").is_some()
            && (changes.is_some() || root.get("planned_values").is_some())
    }

    /// The plan in a document.
    #[must_use]
    pub fn read(root: &Node) -> Self {
        let all = |name: &str| -> Vec<PlanChange> {
            let list = root.get(name).and_then(Node::as_list).unwrap_or_default();
            list.iter().filter_map(PlanChange::read).collect()
        };
        Self {
            at: root.span(),
            changes: all("resource_changes"),
            drift: all("resource_drift"),
        }
    }

    /// The policies that would stand in the account behind it.
    #[must_use]
    pub fn policies(&self) -> Vec<AttachedPolicy> {
        let changes = self
            .changes
            .iter()
            .filter(|change| !change.is("delete") || change.is("create"));
        changes.flat_map(PlanChange::policies).collect()
    }
}

impl PlanChange {
    fn read(node: &Node) -> Option<Self> {
        let managed = node.get("mode").and_then(Node::as_str) != Some("data");
        let change = node.get("change")?;
        let actions = change.get("actions")?;
        let words = actions.as_list()?.iter().filter_map(Node::as_str);
        let set = |name: &str| {
            let found = change.get(name).cloned();
            found.filter(|node| !matches!(node.kind, Kind::Null))
        };
        let forced = change
            .get("replace_paths")
            .and_then(Node::as_list)
            .unwrap_or_default();
        let forced_by = forced
            .iter()
            .filter_map(|path| path.as_list()?.first()?.as_str());
        managed.then(|| Self {
            address: node
                .get("address")
                .and_then(Node::as_str)
                .unwrap_or_default()
                .to_owned(),
            kind: node
                .get("type")
                .and_then(Node::as_str)
                .unwrap_or_default()
                .to_owned(),
            actions: words.map(str::to_owned).collect(),
            at: actions.span(),
            before: set("before"),
            after: set("after"),
            after_unknown: set("after_unknown"),
            forced_by: forced_by.map(str::to_owned).collect(),
        })
    }

    /// Whether this is one of its actions.
    #[must_use]
    pub fn is(&self, action: &str) -> bool {
        self.actions.iter().any(|found| found == action)
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.actions
            .iter()
            .all(|action| matches!(action.as_str(), "no-op" | "read" | "forget"))
    }

    /// Whether the resource is deleted and made anew.
    #[must_use]
    pub fn is_replacement(&self) -> bool {
        self.is("delete") && self.is("create")
    }

    /// The values of a record before and behind it; `None` where there is no record, or where they are not known.
    #[must_use]
    pub fn values(&self) -> (Option<Vec<String>>, Option<Vec<String>>) {
        let of = |node: &Option<Node>| {
            let list = node.as_ref()?.get("records")?.as_list()?;
            let mut values: Vec<String> = list
                .iter()
                .filter_map(Node::as_str)
                .map(str::to_owned)
                .collect();
            values.sort();
            Some(values)
        };
        (of(&self.before), of(&self.after))
    }

    /// The record that it is about, as far as the plan tells.
    #[must_use]
    pub fn record(&self) -> Option<Record> {
        let attributes = self.before.as_ref().or(self.after.as_ref());
        let attributes = attributes.filter(|_| self.kind == "aws_route53_record")?;
        let of = |name: &str| {
            let found = attributes.get(name).cloned();
            found.filter(|node| !matches!(node.kind, Kind::Null))
        };
        Some(Record {
            address: self.address.clone(),
            head: self.at,
            name: of("name"),
            record_type: of("type"),
            ttl: of("ttl"),
            records: of("records"),
            zone_id: of("zone_id"),
            alias: None,
            set_identifier: of("set_identifier"),
            routing: None,
            replace_triggered_by: None,
            allow_overwrite: of("allow_overwrite"),
            ignore_changes: IgnoreChanges::Absent,
            numbered: false,
            repeated: None,
        })
    }

    fn policies(&self) -> Vec<AttachedPolicy> {
        let mut found = Vec::new();
        for (name, kind) in policy_attributes(&self.kind) {
            let unknown = self
                .after_unknown
                .as_ref()
                .and_then(|unknown| unknown.get(name));
            let value = self.after.as_ref().and_then(|after| after.get(name));
            let (at, text) = match (
                value.and_then(|node| Some((node.span(), node.as_text()?))),
                unknown,
            ) {
                (Some((at, text)), _) => {
                    let mut parsed = json::read(text);
                    let text = match (parsed.documents.pop(), parsed.faults.pop()) {
                        (_, Some(fault)) => PolicyText::Broken(fault),
                        (Some(root), None) => PolicyText::Tree(root),
                        (None, None) => continue,
                    };
                    (at, text)
                }
                (None, Some(unknown)) if unknown.as_bool() == Some(true) => {
                    let address = format!("{}.{name}", self.address);
                    let why = "a plan holds no part of a policy of which one part is known after apply alone";
                    let unknown_policy = Unknown {
                        why: why.to_owned(),
                        missing: vec![address],
                        ..Unknown::default()
                    };
                    (unknown.span(), PolicyText::Unknown(unknown_policy))
                }
                (None, _) => continue,
            };
            if kind.is_none() && matches!(text, PolicyText::Broken(_)) {
                continue;
            }
            found.push(AttachedPolicy {
                address: format!("{}.{name}", self.address),
                attribute: (*name).to_owned(),
                at,
                kind: *kind,
                form: PolicyForm::Other,
                text,
                value: None,
            });
        }
        found
    }
}
