//! A plan, as `terraform show -json` writes it (format 1.2, hashicorp/terraform `internal/command/jsonplan/plan.go`): what
//! would change, and what has changed outside of Terraform. It holds no `lifecycle`, and a policy with one unknown part is
//! unknown in it as a whole.

mod configured;
mod declared;

use memchr::memmem;

use crate::syntax::{Fault, Kind, Node};
use crate::text::Span;

use super::declared::{Alias, ExclusiveRecords, IgnoreChanges, Record};
use configured::Configured;

/// A plan.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The whole file.
    pub at: Span,
    /// What would change.
    pub changes: Vec<PlanChange>,
    /// What has changed outside of Terraform.
    pub drift: Vec<PlanChange>,
    /// What is left for a later plan: it is not known what happens to it.
    pub deferred: Vec<PlanChange>,
    /// When it was made, an RFC 3339 time; Terraform before 1.5 does not say so.
    pub made: Option<Node>,
    /// Why it does not hold all that would happen, and where it says so.
    pub partial: Option<(&'static str, Span)>,
    /// What of it could not be read.
    pub faults: Vec<Fault>,
    /// What the configuration says of each resource.
    configured: Configured,
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
    /// Whether the document is a plan: a state, or what `terraform validate -json` writes, has a `format_version`, too.
    #[must_use]
    pub fn recognises(root: &Node) -> bool {
        root.get("format_version").is_some() && OF_A_PLAN.iter().any(|key| root.get(key).is_some())
    }

    /// Whether the text may be a plan, by its keys.
    #[must_use]
    pub fn looks_alike(text: &str) -> bool {
        let quoted = |key: &&str| {
            let key = format!("\"{key}\"");
            memmem::find(text.as_bytes(), key.as_bytes()).is_some()
        };
        quoted(&VERSION) && OF_A_PLAN.iter().any(quoted)
    }

    /// Whether the text of the file at `path`, which is no JSON, was meant to be a plan: it begins as Terraform begins
    /// plans and states, or the file has the name of one.
    #[must_use]
    pub fn is_remainder(path: &str, text: &str) -> bool {
        let begin = text.trim_start().strip_prefix('{');
        let begin = begin.map_or("", str::trim_start).strip_prefix('"');
        let begins = begin.is_some_and(|rest| {
            let length = rest.len().min(VERSION.len());
            length > 0 && rest.as_bytes().get(..length) == VERSION.as_bytes().get(..length)
        });
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.to_ascii_lowercase();
        // Lines of JSON are no one value.
        if name.ends_with(".jsonl") || name.ends_with(".ndjson") {
            return false;
        }
        let mut words = name.split(|letter: char| !letter.is_ascii_alphabetic());
        begins || Self::looks_alike(text) || words.any(|word| matches!(word, "plan" | "tfplan"))
    }

    /// The plan in a document.
    #[must_use]
    pub fn read(root: &Node) -> Self {
        let mut faults = Vec::new();
        let mut all = |name: &str, inner: Option<&str>| -> Vec<PlanChange> {
            let list = root.get(name).and_then(Node::as_list).unwrap_or_default();
            let each = list
                .iter()
                .map(|node| inner.map_or(node, |inner| node.get(inner).unwrap_or(node)));
            let read = each.map(PlanChange::read).filter_map(|read| match read {
                Ok(change) => change,
                Err(fault) => {
                    faults.push(fault);
                    None
                }
            });
            read.collect()
        };
        let changes = all("resource_changes", None);
        let drift = all("resource_drift", None);
        let deferred = all("deferred_changes", Some("resource_change"));
        let made = root
            .get("timestamp")
            .filter(|node| !matches!(node.kind, Kind::Null));
        let made = made.cloned();
        faults.extend(malformed(root));
        // What words mean in a format that is not known is not guessed.
        let (changes, drift, deferred) = if is_known_format(root) {
            (changes, drift, deferred)
        } else {
            Default::default()
        };
        Self {
            at: root.span(),
            changes,
            drift,
            deferred,
            made,
            partial: partial(root),
            faults,
            configured: Configured::read(root),
        }
    }
}

/// The key with which Terraform begins what it writes in JSON.
const VERSION: &str = "format_version";

/// Keys that plans have, and states have not.
const OF_A_PLAN: [&str; 6] = [
    "resource_changes",
    "planned_values",
    "resource_drift",
    "prior_state",
    "deferred_changes",
    "applyable",
];

/// Whether it is of a format that is known: within one, what is added may be passed over (Terraform documentation, "JSON
/// Output Format", "Format Version").
fn is_known_format(root: &Node) -> bool {
    let version = root.get(VERSION).and_then(Node::as_str);
    let major = version.and_then(|written| written.split('.').next());
    major.is_some_and(|major| matches!(major, "0" | "1"))
}

/// What of a plan as a whole has not the form that Terraform gives it.
fn malformed(root: &Node) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fault = |at: Span, reason: String| faults.push(Fault { at, reason });
    if let Some(version) = root.get(VERSION)
        && !is_known_format(root)
    {
        let reason = "the plan is of a format that is not known: `format_version` is to be `\"1.…\"`, or `\"0.…\"` from before Terraform 1.1; write it with `terraform show -json` of a version that is known";
        fault(version.span(), reason.to_owned());
    }
    for name in ["resource_changes", "resource_drift", "deferred_changes"] {
        if let Some(node) = root.get(name)
            && node.as_list().is_none()
        {
            let reason = format!(
                "`{name}` of a plan is a list; write the plan anew with `terraform show -json`"
            );
            fault(node.span(), reason);
        }
    }
    for name in ["errored", "complete"] {
        if let Some(node) = root.get(name)
            && node.as_bool().is_none()
        {
            fault(
                node.span(),
                format!("`{name}` of a plan is `true` or `false`"),
            );
        }
    }
    faults
}

/// Why a plan does not hold all that would happen.
fn partial(root: &Node) -> Option<(&'static str, Span)> {
    let is = |name: &str, word: bool| {
        let node = root.get(name)?;
        (node.as_bool() == Some(word)).then(|| node.span())
    };
    if let Some(at) = is("errored", true) {
        return Some((
            "planning ended with an error before everything was planned",
            at,
        ));
    }
    if let Some(at) = is("complete", false) {
        return Some((
            "the plan is for a part alone: by `-target`, or something is left for later",
            at,
        ));
    }
    // Where there is no resource, Terraform leaves the list out; of values that are planned for resources it never does.
    let planned = root.get("planned_values");
    let planned = planned.and_then(|node| node.get("root_module"));
    let has_none = |module: &Node| {
        let mut parts = ["resources", "child_modules"].iter();
        !parts.any(|key| module.get(key).is_some())
    };
    if root.get("resource_changes").is_none() && !planned.is_some_and(has_none) {
        let why =
            "it has no `resource_changes`, so that what happens to each resource is not in it";
        return Some((why, root.span()));
    }
    None
}

/// The value of an attribute, where it is set.
fn set(node: &Node, name: &str) -> Option<Node> {
    let found = node.get(name).cloned();
    found.filter(|node| !matches!(node.kind, Kind::Null))
}

fn word(node: &Node, name: &str) -> String {
    node.get(name)
        .and_then(Node::as_str)
        .unwrap_or_default()
        .to_owned()
}

impl PlanChange {
    /// `None` for what is only looked up.
    fn read(node: &Node) -> Result<Option<Self>, Fault> {
        if node.get("mode").and_then(Node::as_str) == Some("data") {
            return Ok(None);
        }
        let address = word(node, "address");
        let fault = |at: Span, what: &str| Fault {
            at,
            reason: format!("what the plan does to `{address}` is not to be read: {what}"),
        };
        let change = node.get("change");
        let change = change.ok_or_else(|| fault(node.span(), "it has no `change`"))?;
        let actions = change.get("actions");
        let actions = actions.ok_or_else(|| fault(change.span(), "it has no `actions`"))?;
        let words: Option<Vec<&str>> = actions
            .as_list()
            .and_then(|list| list.iter().map(Node::as_str).collect());
        let words = words.filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            fault(
                actions.span(),
                "`actions` is a list of words, such as `[\"update\"]`",
            )
        })?;
        let forced = change.get("replace_paths").and_then(Node::as_list);
        let forced = forced.unwrap_or_default();
        let forced_by = forced
            .iter()
            .filter_map(|path| path.as_list()?.first()?.as_str());
        Ok(Some(Self {
            kind: word(node, "type"),
            actions: words.into_iter().map(str::to_owned).collect(),
            at: actions.span(),
            before: set(change, "before"),
            after: set(change, "after"),
            after_unknown: set(change, "after_unknown"),
            forced_by: forced_by.map(str::to_owned).collect(),
            address,
        }))
    }

    /// Whether this is one of its actions.
    #[must_use]
    pub fn is(&self, action: &str) -> bool {
        self.actions.iter().any(|found| found == action)
    }

    /// Whether it changes nothing outside of Terraform.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.actions
            .iter()
            .all(|action| matches!(action.as_str(), "no-op" | "read" | "forget"))
    }

    /// Whether the resource is there once the plan is applied.
    #[must_use]
    pub fn stays(&self) -> bool {
        self.is("create") || !(self.is("delete") || self.is("forget"))
    }

    /// The attributes that are not the same before and behind it, in order; what is not known behind it is among them.
    #[must_use]
    pub fn differing(&self) -> Vec<&str> {
        let sides = [&self.after, &self.before];
        let maps = sides.into_iter().flatten().filter_map(Node::as_map);
        let mut found: Vec<&str> = Vec::new();
        for entry in maps.flatten() {
            let name = entry.key.as_str();
            let of = |node: &Option<Node>| node.as_ref().and_then(|node| set(node, name));
            if of(&self.before) != of(&self.after) && !found.contains(&name) {
                found.push(name);
            }
        }
        found
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

    /// The `aws_route53_records_exclusive` that it is about.
    #[must_use]
    pub fn exclusive_records(&self) -> Option<ExclusiveRecords> {
        declared::exclusive_records(self)
    }

    /// What a record points at before and behind it: its values, or the target of its alias; `None` where there is no
    /// record, or where that is not known.
    #[must_use]
    pub fn targets(&self) -> (Option<Vec<String>>, Option<Vec<String>>) {
        let of = |node: &Option<Node>| {
            let alias = node
                .as_ref()
                .and_then(|node| node.get("alias")?.as_list()?.first()?.get("name"));
            Some(vec![alias?.as_str()?.to_owned()])
        };
        let (before, after) = self.values();
        (
            before.or_else(|| of(&self.before)),
            after.or_else(|| of(&self.after)),
        )
    }

    /// The record that it is about, as far as the plan tells.
    #[must_use]
    pub fn record(&self) -> Option<Record> {
        let [before, after] = self.records();
        before.or(after)
    }

    /// The record before and behind it, each where there is one.
    #[must_use]
    pub fn records(&self) -> [Option<Record>; 2] {
        [&self.before, &self.after].map(|side| self.record_of(side.as_ref()?))
    }

    /// Whether it makes a record over one that may be there already.
    #[must_use]
    pub fn overwrites(&self) -> bool {
        let flag = self
            .after
            .as_ref()
            .and_then(|after| after.get("allow_overwrite"));
        flag.and_then(Node::as_bool) == Some(true)
    }

    fn record_of(&self, attributes: &Node) -> Option<Record> {
        if self.kind != "aws_route53_record" {
            return None;
        }
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
            alias: alias(attributes, self.at),
            set_identifier: of("set_identifier"),
            routing: None,
            replace_triggered_by: None,
            allow_overwrite: of("allow_overwrite"),
            ignore_changes: IgnoreChanges::Absent,
            zone_name: None,
            numbered: false,
            repeated: None,
        })
    }
}

/// The `alias` of a record: a list of one block at most.
fn alias(attributes: &Node, at: Span) -> Option<Alias> {
    let block = attributes.get("alias")?.as_list()?.first()?;
    Some(Alias {
        head: at,
        name: block.get("name").cloned(),
        unknown: None,
    })
}
