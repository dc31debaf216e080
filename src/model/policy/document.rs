//! A policy document as a whole.

use std::ops::Range;

use crate::syntax::{Node, Unknown};
use crate::text::{Span, Text};

use super::{Condition, Statement, Value};

/// What a policy is attached to, which decides which elements it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyKind {
    /// Inline policy of a user, group or role.
    Identity,
    /// Managed policy, as `CreatePolicy` takes it.
    ManagedIdentity,
    /// Policy of a resource.
    Resource,
    /// Trust policy of a role.
    Trust,
    /// Service control policy.
    Scp,
    /// Resource control policy.
    Rcp,
    /// Permissions boundary.
    Boundary,
    /// Session policy.
    Session,
    /// Policy of a VPC endpoint.
    Endpoint,
}

impl PolicyKind {
    /// The words of `--policy-type`.
    pub const WORDS: [(&'static str, Self); 9] = [
        ("identity", Self::Identity),
        ("managed-identity", Self::ManagedIdentity),
        ("resource", Self::Resource),
        ("trust", Self::Trust),
        ("scp", Self::Scp),
        ("rcp", Self::Rcp),
        ("boundary", Self::Boundary),
        ("session", Self::Session),
        ("endpoint", Self::Endpoint),
    ];

    /// The word of `--policy-type`.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::WORDS
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |(word, _)| word)
    }

    /// Whether such a policy names principals.
    #[must_use]
    pub fn has_principals(self) -> bool {
        matches!(
            self,
            Self::Resource | Self::Trust | Self::Rcp | Self::Endpoint
        )
    }
}

/// Which grammar is in force: only 2012 knows variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyVersion {
    /// `2008-10-17`, also when `Version` is missing.
    V2008,
    /// `2012-10-17`.
    V2012,
}

/// A part that has a shape no policy may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// JSON pointer.
    pub pointer: String,
    /// Where.
    pub at: Span,
    /// What is wrong, and what is allowed.
    pub message: String,
}

/// A part that cannot be known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPart {
    /// JSON pointer.
    pub pointer: String,
    /// Where.
    pub at: Span,
    /// Why.
    pub unknown: Unknown,
}

/// A policy. It is always there, also when parts of it are wrong: those stand in `malformed` and `unknown`.
#[derive(Debug, Clone)]
pub struct PolicyDocument {
    /// Address of the attribute that holds it (`aws_iam_role_policy.change.policy`); `None` for a file of its own.
    pub address: Option<String>,
    /// JSON pointer of the place at which it stands in its file; empty where the file is the document. Pointers below are
    /// counted from the document.
    pub place: String,
    /// Whether statements alone stand in the file, with no policy around them.
    pub bare: bool,
    /// What it is attached to.
    pub kind: PolicyKind,
    /// Whether the kind was given, by a flag, by the spec or by where the policy stands, rather than guessed from what
    /// stands in it.
    pub kind_is_given: bool,
    /// The tree it was read from.
    pub root: Node,
    /// `Version`.
    pub version: Option<Text>,
    /// `Id`.
    pub id: Option<Text>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// Parts with a wrong shape.
    pub malformed: Vec<Malformed>,
    /// Parts that cannot be known.
    pub unknown: Vec<UnknownPart>,
}

impl PolicyDocument {
    /// The place of the whole document.
    #[must_use]
    pub fn span(&self) -> Span {
        self.root.span()
    }

    /// A pointer into the policy, counted from the file that it stands in.
    #[must_use]
    pub fn from_its_file(&self, pointer: &str) -> String {
        let own = if self.bare { "/Statement" } else { "" };
        let rest = pointer.strip_prefix(own).unwrap_or_default();
        format!("{}{rest}", self.place)
    }

    /// Which grammar is in force (missing: 2008, by the User Guide, "Version").
    #[must_use]
    pub fn grammar(&self) -> PolicyVersion {
        match self.version.as_ref().map(Text::as_str) {
            Some("2012-10-17") => PolicyVersion::V2012,
            _ => PolicyVersion::V2008,
        }
    }

    /// The values of `Action` and `NotAction` of all statements.
    pub fn actions(&self) -> impl Iterator<Item = &Value> {
        self.statements
            .iter()
            .filter_map(|statement| statement.actions.as_ref())
            .flat_map(|actions| &actions.values)
    }

    /// The conditions of all statements.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.statements
            .iter()
            .flat_map(|statement| &statement.conditions)
    }

    /// The resources and condition values in which a policy variable stands, `${*}` and its kin included.
    pub fn values_with_variables(&self) -> impl Iterator<Item = &Value> {
        fn of_statement(statement: &Statement) -> impl Iterator<Item = &Value> {
            let resources = statement
                .resources
                .iter()
                .flat_map(|resources| &resources.values);
            let conditions = statement
                .conditions
                .iter()
                .flat_map(|condition| &condition.values);
            resources.chain(conditions)
        }
        self.statements
            .iter()
            .flat_map(of_statement)
            .filter(|value| value.text.as_str().contains("${"))
    }

    /// What stands in values like a variable, but has no colon in its name, as every key has: `${ZONE}` of a template
    /// that was not filled in. Each with its bytes in the value.
    pub fn unfilled_variables(&self) -> impl Iterator<Item = (&Value, Range<usize>)> {
        let filled_in = self.grammar() == PolicyVersion::V2012;
        let values = self.values_with_variables().filter(move |_| filled_in);
        values.flat_map(|value| {
            let found = unfilled(value.text.as_str());
            found.into_iter().map(move |at| (value, at))
        })
    }

    /// Whether a policy variable stands anywhere, so that the version decides what the policy means.
    #[must_use]
    pub fn has_variables(&self) -> bool {
        self.values_with_variables().next().is_some()
    }
}

fn unfilled(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find("${")) {
        let start = from + start;
        let Some(length) = text.get(start..).and_then(|rest| rest.find('}')) else {
            break;
        };
        from = start + length + 1;
        let inside = text.get(start + 2..start + length).unwrap_or_default();
        let name = inside.split(',').next().unwrap_or_default().trim();
        if !name.contains(':') && !matches!(name, "" | "*" | "?" | "$") {
            found.push(start..from);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_template_left_is_no_variable_of_a_policy() {
        assert_eq!(unfilled("hostedzone/${ZONE}"), vec![11..18; 1]);
        assert_eq!(unfilled("${a}${aws:username}${b, 'x'}"), [0..4, 19..28]);
        assert!(unfilled("${*}${?}${$}${}${aws:x, 'y'}${z").is_empty());
    }
}
