//! From the text of `pointsman.toml` to a [`Spec`], or to everything that is wrong with it.

use crate::diag::{Finding, Label, Severity};
use crate::syntax::{Kind, Node, pointer, toml};
use crate::text::{Span, Text};

use super::{Spec, check, raw::RawSpec};

/// Ids of the findings that reading a spec can give, each with a line on what it finds. All are errors.
pub const RULES: [(&str, &str); 17] = [
    ("spec-syntax", "the file is not valid TOML"),
    ("spec-unknown-key", "a key that the spec does not know"),
    ("spec-missing-key", "a key without a default is missing"),
    (
        "spec-wrong-type",
        "a value of another type than the key takes",
    ),
    ("spec-value", "a value that the key does not take"),
    (
        "spec-address",
        "a site address that cannot be read, is not public or is used twice",
    ),
    (
        "spec-address-missing",
        "a site without an address of a switched type",
    ),
    ("spec-name", "a text that is no record name"),
    (
        "spec-name-outside-zone",
        "a name that lies outside the zone",
    ),
    ("spec-repeated", "a name that stands twice in one list"),
    (
        "spec-site-unknown",
        "a site that is not in the list of sites",
    ),
    (
        "spec-site-without-host",
        "a site at which no host is served",
    ),
    (
        "spec-host-nowhere",
        "a host that is served at no site, or by no switched record",
    ),
    (
        "spec-origin-switched",
        "an origin record that the switch would move",
    ),
    ("spec-times", "time settings that contradict each other"),
    (
        "spec-github",
        "a repository, branch or environment that GitHub would not take",
    ),
    ("spec-paths", "folders of generated files that collide"),
];

impl Spec {
    /// Reads the spec.
    ///
    /// # Errors
    /// Everything that is wrong with it, all at once and in the order of the file; each an error.
    pub fn read(text: &Text) -> Result<Self, Vec<Finding>> {
        let parsed = toml::read(text);
        let mut findings: Vec<Finding> = parsed
            .faults
            .iter()
            .map(|fault| finding("spec-syntax", fault.at, fault.reason.clone()))
            .collect();
        let Some(root) = parsed.documents.into_iter().next() else {
            return Err(findings);
        };
        if !findings.is_empty() {
            return Err(findings);
        }
        match raw_spec(&root, &mut findings) {
            Some(raw) => {
                let spec = check::checked(raw, &root, &mut findings);
                match spec {
                    Some(spec) if findings.is_empty() => Ok(spec),
                    _ => Err(sorted(findings)),
                }
            }
            None => Err(sorted(findings)),
        }
    }
}

/// Types the tree. What does not fit is told, and what is left is typed if it still can be.
fn raw_spec(root: &Node, findings: &mut Vec<Finding>) -> Option<RawSpec> {
    let mut value = json(root);
    match serde_json::from_value(std::mem::take(&mut value)) {
        Ok(raw) => Some(raw),
        Err(error) => {
            if findings.is_empty() {
                findings.push(finding("spec-wrong-type", start(root), error.to_string()));
            }
            None
        }
    }
}

/// The empty place at the start of the file.
fn start(root: &Node) -> Span {
    let span = root.span();
    Span {
        end: span.start,
        ..span
    }
}

/// The tree as plain JSON.
fn json(node: &Node) -> serde_json::Value {
    match &node.kind {
        Kind::Null | Kind::Unknown(_) => serde_json::Value::Null,
        Kind::Bool(value) => (*value).into(),
        Kind::Number(number) => number
            .parse::<i64>()
            .map(serde_json::Value::from)
            .or_else(|_| number.parse::<u64>().map(serde_json::Value::from))
            .or_else(|_| number.parse::<f64>().map(serde_json::Value::from))
            .unwrap_or_default(),
        Kind::Text(text) => text.as_str().into(),
        Kind::List(items) => items.iter().map(json).collect(),
        Kind::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.as_str().to_owned(), json(&entry.value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

pub(super) fn finding(rule: &'static str, at: Span, message: String) -> Finding {
    Finding {
        rule,
        severity: Severity::Error,
        message,
        primary: Label {
            at,
            text: String::new(),
        },
        related: Vec::new(),
        pointer: None,
        help: None,
        fix: None,
        covers: at,
    }
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.primary.at.start, finding.rule);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    findings.dedup();
    findings
}

/// The place of the value at `pointer`, or of the nearest section.
pub(super) fn place(root: &Node, pointer: &str) -> Span {
    let node = pointer::nearest(root, pointer);
    if std::ptr::eq(node, root) {
        start(root)
    } else {
        node.span()
    }
}
