//! A request as IAM sees it: who, what, on what, and the context keys that come with it.

use super::RequestPrincipal;

/// The value of a context key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextValue {
    /// A single-valued key.
    Single(String),
    /// A multi-valued key; an empty list is the same as an absent key.
    Multi(Vec<String>),
}

impl ContextValue {
    /// The values.
    #[must_use]
    pub fn values(&self) -> &[String] {
        match self {
            Self::Single(value) => std::slice::from_ref(value),
            Self::Multi(values) => values,
        }
    }

    /// Whether there is no value, or nothing but empty strings: the "null data set" of the User Guide's page on
    /// multi-valued context keys.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.values().iter().all(String::is_empty)
    }
}

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Who asks; `None` when it is not said, which no `Principal` matches but `*`.
    pub principal: Option<RequestPrincipal>,
    /// `service:Name` as given.
    action: String,
    /// The same in lower case: action names have no case.
    folded_action: String,
    /// The ARN, or `*` for an action without a resource.
    pub resource: String,
    /// The account that the resource is in; `None` means the principal's own.
    pub resource_account: Option<String>,
    /// Keys in lower case: key names have no case.
    context: Vec<(Box<str>, ContextValue)>,
    /// Which of the keys that are not in it may be there all the same.
    open: Option<OpenKeys>,
}

/// Says of a key in lower case whether a request may carry it, with whatever value.
type OpenKeys = fn(&str) -> bool;

impl Request {
    /// A request without a principal and without context.
    #[must_use]
    pub fn new(action: impl Into<String>, resource: impl Into<String>) -> Self {
        let action = action.into();
        Self {
            principal: None,
            folded_action: action.to_ascii_lowercase(),
            action,
            resource: resource.into(),
            resource_account: None,
            context: Vec::new(),
            open: None,
        }
    }

    /// The same request, of which not everything is known: where `open` says so of a key that it was given no value for, the
    /// key may be there or not, with any value, and what turns on it is undecided.
    #[must_use]
    pub fn leaving_open(mut self, open: fn(&str) -> bool) -> Self {
        self.open = Some(open);
        self
    }

    /// Whether there are keys of which that is not known.
    pub(super) fn leaves_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether it is not known what it has under this key, given in lower case.
    pub(super) fn is_open(&self, folded_key: &str) -> bool {
        let given = || self.context.iter().any(|(key, _)| **key == *folded_key);
        self.open.is_some_and(|open| open(folded_key) && !given())
    }

    /// The same request by this principal.
    #[must_use]
    pub fn by(mut self, principal: RequestPrincipal) -> Self {
        self.principal = Some(principal);
        self
    }

    /// The same request with `key`; a key given before is replaced.
    #[must_use]
    pub fn with(mut self, key: &str, value: ContextValue) -> Self {
        self.set(key, value);
        self
    }

    /// Gives `key` a value; the value it had before, if it had one under any case of letters.
    pub fn set(&mut self, key: &str, value: ContextValue) -> Option<ContextValue> {
        let key = key.to_ascii_lowercase();
        if let Some((_, old)) = self.context.iter_mut().find(|(known, _)| **known == *key) {
            return Some(std::mem::replace(old, value));
        }
        self.context.push((key.into_boxed_str(), value));
        None
    }

    /// The action as it was given.
    #[must_use]
    pub fn action(&self) -> &str {
        &self.action
    }

    /// The context: keys in lower case, with their values; an empty list is not there.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &ContextValue)> {
        let there = |(_, value): &&(Box<str>, ContextValue)| !value.values().is_empty();
        let entries = self.context.iter().filter(there);
        entries.map(|(key, value)| (&**key, value))
    }

    pub(super) fn folded_action(&self) -> &str {
        &self.folded_action
    }

    /// The value of a key given in lower case. A request has a handful of keys, which a walk finds faster than a tree.
    pub(super) fn value(&self, folded_key: &str) -> Option<&ContextValue> {
        self.context
            .iter()
            .find(|(key, _)| **key == *folded_key)
            .map(|(_, value)| value)
            .filter(|value| !value.values().is_empty())
    }

    /// Every key with its value; keys in lower case.
    pub fn keys(&self) -> impl Iterator<Item = (&str, &ContextValue)> {
        self.context.iter().map(|(key, value)| (&**key, value))
    }

    /// The value of `key`, whatever the case of its letters; `None` also for an empty list.
    #[must_use]
    pub fn context(&self, key: &str) -> Option<&ContextValue> {
        self.value(&key.to_ascii_lowercase())
    }
}
