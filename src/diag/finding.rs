//! A finding: one fault, at one place.

use crate::text::Span;

use super::Severity;

/// One fault at one place, with the places that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id, in kebab case.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// What is wrong, with the failing value: lower case, one line, no full stop.
    pub message: String,
    /// Where: the bytes that must change.
    pub primary: Label,
    /// Further places that explain it.
    pub related: Vec<Label>,
    /// JSON pointer into the policy, also when the policy came out of HCL or YAML.
    pub pointer: Option<String>,
    /// What is allowed, and what to do.
    pub help: Option<String>,
    /// An edit that mends it, where the right text is certain.
    pub fix: Option<Fix>,
    /// The bytes that the finding speaks of: a finding of an agreement or general rule is silent where a more specific
    /// one points into them.
    pub covers: Span,
    /// What of the deployment is missing or wrong, where the place does not say it: the name of a duty or of an artefact.
    pub about: Option<&'static str>,
}

/// A place with a word to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The bytes.
    pub at: Span,
    /// What is to be seen there; may be empty for the primary place.
    pub text: String,
}

/// An edit that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the edit does, in a few words.
    pub title: String,
    /// Whether it may be applied unseen.
    pub safe: bool,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// Bytes to replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub at: Span,
    /// The text that comes.
    pub with: String,
}
