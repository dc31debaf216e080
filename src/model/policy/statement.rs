//! The parts of a statement.

use crate::syntax::pointer::Pointer;
use crate::text::{Located, Span, Text};

use super::Operator;
use super::pattern::glob_matches_ignoring_case;

/// What a matching statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Allows.
    Allow,
    /// Denies, whatever allows.
    Deny,
}

/// One statement.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Its place in the list, from 0.
    pub index: usize,
    /// JSON pointer of the statement.
    pub pointer: String,
    /// The whole object.
    pub span: Span,
    /// `Sid`.
    pub sid: Option<Text>,
    /// `Effect`; `None` when it is missing, unreadable or unknown.
    pub effect: Option<Located<Effect>>,
    /// `Action` or `NotAction`.
    pub actions: Option<Elements>,
    /// `Resource` or `NotResource`.
    pub resources: Option<Elements>,
    /// `Principal` or `NotPrincipal`.
    pub principals: Option<Principals>,
    /// One entry for each operator and key.
    pub conditions: Vec<Condition>,
    /// Place of the `Condition` key, if there is one.
    pub condition_key: Option<Text>,
    /// Whether conditions may stand in what is not known: those that are here are then not all of them.
    pub open_conditions: bool,
    /// Whether more elements than those that are here may stand in it: none of them is missing for certain.
    pub open: bool,
    /// Whether it only may be there.
    pub possible: bool,
    /// Whether some part is unknown or unreadable, so that the statement may say more than stands here.
    pub incomplete: bool,
}

/// `Action`, `NotAction`, `Resource` or `NotResource`.
#[derive(Debug, Clone)]
pub struct Elements {
    /// Whether it is the `Not…` form.
    pub negated: bool,
    /// The key.
    pub key: Text,
    /// JSON pointer of the value.
    pub pointer: String,
    /// The value: a string or a list.
    pub span: Span,
    /// The strings.
    pub values: Vec<Value>,
    /// Whether some element is unknown.
    pub incomplete: bool,
}

/// A string in a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The string. Numbers and truth values in conditions appear as they are written.
    pub text: Text,
    /// Its JSON pointer.
    pub pointer: Pointer,
}

/// `Principal` or `NotPrincipal`.
#[derive(Debug, Clone)]
pub struct Principals {
    /// Whether it is `NotPrincipal`.
    pub negated: bool,
    /// The key.
    pub key: Text,
    /// The value.
    pub span: Span,
    /// Who.
    pub entries: Vec<Principal>,
    /// Whether some part is unknown.
    pub incomplete: bool,
}

/// One principal.
#[derive(Debug, Clone)]
pub struct Principal {
    /// `AWS`, `Federated`, `Service`, `CanonicalUser`; `None` for the bare `"*"`.
    pub kind: Option<Text>,
    /// The identifier.
    pub value: Value,
}

/// One key under one operator.
#[derive(Debug, Clone)]
pub struct Condition {
    /// The operator; `None` when there is no such operator.
    pub operator: Option<Operator>,
    /// The operator as it is written: the key of the block.
    pub operator_text: Text,
    /// The whole block of the operator.
    pub block: Span,
    /// JSON pointer of the block.
    pub block_pointer: String,
    /// The condition key.
    pub key: Text,
    /// JSON pointer of the values.
    pub pointer: String,
    /// The values: a string or a list.
    pub span: Span,
    /// Whether they stand in a list.
    pub listed: bool,
    /// The values.
    pub values: Vec<Value>,
    /// Strings among the values that are known in part.
    pub partial: Vec<Partial>,
    /// Whether some value is unknown.
    pub incomplete: bool,
}

/// A string of which something is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// What is known: something that is not known stands between each two.
    pub around: Vec<String>,
    /// The whole value.
    pub span: Span,
    /// Its JSON pointer.
    pub pointer: String,
}

impl Statement {
    /// Whether it is an Allow.
    #[must_use]
    pub fn allows(&self) -> bool {
        self.effect
            .as_ref()
            .is_some_and(|effect| effect.value == Effect::Allow)
    }

    /// Whether `Action` or `NotAction` covers `action` (`service:Name`), by pattern and without regard to case. Values
    /// that are unknown are not looked at.
    #[must_use]
    pub fn covers_action(&self, action: &str) -> bool {
        let Some(actions) = &self.actions else {
            return false;
        };
        let listed = actions
            .values
            .iter()
            .any(|value| glob_matches_ignoring_case(value.text.as_str(), action));
        listed != actions.negated
    }

    /// The conditions on `key`, whose case does not count.
    pub fn conditions_on<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Condition> {
        self.conditions
            .iter()
            .filter(move |condition| condition.is_on(key))
    }
}

impl Condition {
    /// Whether it is about `key`; the case of key names does not count.
    #[must_use]
    pub fn is_on(&self, key: &str) -> bool {
        self.key.as_str().eq_ignore_ascii_case(key)
    }
}

impl Elements {
    /// The strings alone.
    pub fn strings(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| value.text.as_str())
    }
}
