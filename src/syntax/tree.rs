//! The one tree type that JSON, YAML, TOML and evaluated HCL are read into.

use std::collections::BTreeMap;

use crate::text::{Origin, Span, Text};

use super::pointer;

/// A value and where it comes from.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it comes from.
    pub origin: Origin,
    /// What it is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A string.
    Text(Text),
    /// A list.
    List(Vec<Node>),
    /// A map in written order; repeated keys are all there.
    Map(Vec<Entry>),
    /// A value that exists but cannot be known here.
    Unknown(Box<Unknown>),
}

impl Kind {
    /// A value of which `unknown` is all that is known. It is rare and large, and would make every node as large as itself.
    #[must_use]
    pub fn unknown(unknown: Unknown) -> Self {
        Self::Unknown(Box::new(unknown))
    }
}

/// A key and its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Node,
}

/// Why a value cannot be known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Why.
    pub why: String,
    /// What would decide it: addresses such as `var.zone_id` or `data.aws_caller_identity.current`.
    pub missing: Vec<String>,
    /// Of a string what is known of it: something that is not known stands between each two of these. Empty where nothing
    /// is known.
    pub around: Vec<String>,
    /// Of a list, or of a place at which one of several values may stand, what is known of it.
    pub parts: Vec<Part>,
}

/// Something that is known of a value that is not known as a whole.
#[derive(Debug, Clone)]
pub struct Part {
    /// An element of the list, or a value that may stand there.
    pub node: Node,
    /// Whether it is there in any case.
    pub standing: Standing,
    /// When it is there, if that depends on a condition.
    pub when: Option<String>,
}

/// Whether a part is there in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is there, as it is.
    Certain,
    /// It may be there, as it is.
    Possible,
    /// Entries of it may be added or replaced.
    Open,
}

impl Unknown {
    /// The most nodes that are kept as parts of one value.
    const MAX_PARTS: usize = 2000;

    /// The same without its parts: of what is made of the value they say nothing.
    #[must_use]
    pub fn bare(&self) -> Self {
        Self {
            why: self.why.clone(),
            missing: self.missing.clone(),
            around: self.around.clone(),
            parts: Vec::new(),
        }
    }

    /// How many nodes its parts have.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.parts.iter().map(|part| part.node.weight()).sum()
    }

    /// Takes in what more is known of the value; beyond a bound nothing more.
    pub fn hold(&mut self, parts: Vec<Part>) {
        let mut weight = self.weight();
        for part in parts {
            weight = weight.saturating_add(part.node.weight());
            if weight > Self::MAX_PARTS {
                return;
            }
            self.parts.push(part);
        }
    }
}

impl Part {
    /// What is there in any case.
    #[must_use]
    pub fn certain(node: Node) -> Self {
        Self {
            node,
            standing: Standing::Certain,
            when: None,
        }
    }

    /// The same where it only may be there.
    #[must_use]
    pub fn possible(mut self, when: Option<&str>) -> Self {
        if self.standing == Standing::Certain {
            self.standing = Standing::Possible;
        }
        self.when = match (when, self.when) {
            (Some(outer), Some(inner)) => Some(format!("{outer} and {inner}")),
            (outer, inner) => outer.map(str::to_owned).or(inner),
        };
        self
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.standing == other.standing && self.when == other.when && self.node == other.node
    }
}

impl Eq for Part {}

impl Node {
    fn weight(&self) -> usize {
        let below: usize = match &self.kind {
            Kind::List(items) => items.iter().map(Self::weight).sum(),
            Kind::Map(entries) => entries.iter().map(|entry| entry.value.weight()).sum(),
            Kind::Unknown(unknown) => unknown.weight(),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => 0,
        };
        below.saturating_add(1)
    }
}

/// A comment, without its mark.
#[derive(Debug, Clone)]
pub struct Comment {
    /// The bytes, with the mark.
    pub span: Span,
    /// The text behind the mark.
    pub text: String,
}

/// A place at which reading failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub at: Span,
    /// Why, and what is allowed there.
    pub reason: String,
}

/// How the reason of a bound on nesting begins.
const TOO_DEEP: &str = "nested deeper than ";

impl Fault {
    /// The reason of a bound on nesting, which is no error of whoever wrote the text.
    #[must_use]
    pub fn too_deep(most: usize) -> String {
        format!("{TOO_DEEP}{most} levels")
    }

    /// Whether a bound of the reader is the reason.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        self.reason.starts_with(TOO_DEEP)
    }
}

/// What a reader gives back.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The documents of the file: one, but for YAML streams.
    pub documents: Vec<Node>,
    /// All comments, in order.
    pub comments: Vec<Comment>,
    /// What could not be read; empty when the whole file was.
    pub faults: Vec<Fault>,
}

/// A key that stands twice in one map.
#[derive(Debug, Clone)]
pub struct Repeat {
    /// JSON pointer of the map.
    pub pointer: String,
    /// The key where it stands first.
    pub first: Text,
    /// The key where it stands again.
    pub again: Text,
}

/// A step of the way to a node.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// Into a map.
    Key(&'a str),
    /// Into a list.
    Index(usize),
}

impl Step<'_> {
    /// The JSON pointer of a way.
    #[must_use]
    pub fn pointer(way: &[Self]) -> String {
        way.iter().fold(String::new(), |at, step| match step {
            Step::Key(key) => pointer::join(&at, key),
            Step::Index(index) => pointer::join(&at, index),
        })
    }
}

/// The keys of a map as far as it was walked. In a short one, as nearly all are, they are compared one by one.
struct Repeated<'a> {
    entries: &'a [Entry],
    seen: BTreeMap<&'a str, &'a Entry>,
    walked: usize,
}

impl<'a> Repeated<'a> {
    const SHORT: usize = 8;

    fn new(entries: &'a [Entry]) -> Self {
        Self {
            entries,
            seen: BTreeMap::new(),
            walked: 0,
        }
    }

    /// The entry with the key of `entry`, which is the next of the map, where one stands before it.
    fn first(&mut self, entry: &'a Entry) -> Option<&'a Entry> {
        let before = self.entries.get(..self.walked).unwrap_or(&[]);
        self.walked += 1;
        if self.entries.len() <= Self::SHORT {
            return before.iter().find(|before| before.key == entry.key);
        }
        let first = *self.seen.entry(entry.key.as_str()).or_insert(entry);
        (!std::ptr::eq(first, entry)).then_some(first)
    }
}

impl Node {
    /// A node written at `span`.
    #[must_use]
    pub fn new(kind: Kind, span: Span) -> Self {
        Self {
            origin: Origin::Source(span),
            kind,
        }
    }

    /// A string node; its origin is the text's.
    #[must_use]
    pub fn text(text: Text) -> Self {
        Self {
            origin: text.origin(),
            kind: Kind::Text(text),
        }
    }

    /// The place to point at.
    #[must_use]
    pub fn span(&self) -> Span {
        self.origin.span()
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&Text> {
        if let Kind::Text(text) = &self.kind {
            Some(text)
        } else {
            None
        }
    }

    /// The string's value, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_text().map(Text::as_str)
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Kind::Bool(value) = self.kind {
            Some(value)
        } else {
            None
        }
    }

    /// The number as a whole number, if it is one.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        if let Kind::Number(digits) = &self.kind {
            digits.parse().ok()
        } else {
            None
        }
    }

    /// The elements, if it is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Kind::List(items) = &self.kind {
            Some(items)
        } else {
            None
        }
    }

    /// The entries, if it is a map.
    #[must_use]
    pub fn as_map(&self) -> Option<&[Entry]> {
        if let Kind::Map(entries) = &self.kind {
            Some(entries)
        } else {
            None
        }
    }

    /// Why it cannot be known, if it cannot.
    #[must_use]
    pub fn as_unknown(&self) -> Option<&Unknown> {
        if let Kind::Unknown(unknown) = &self.kind {
            Some(unknown)
        } else {
            None
        }
    }

    /// The value of `key`; of repeated keys the last, as most readers take it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of `key`; of repeated keys the last.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.as_map()?
            .iter()
            .rev()
            .find(|entry| entry.key.as_str() == key)
    }

    /// What kind of value it is, in the words of JSON.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Map(_) => "an object",
            Kind::Unknown(_) => "an unknown value",
        }
    }

    /// Every key that stands twice in one map, anywhere below this node.
    #[must_use]
    pub fn repeats(&self) -> Vec<Repeat> {
        let mut found = Vec::new();
        self.collect_repeats(&mut Vec::new(), &mut found);
        found
    }

    /// `way` leads to this node; the pointer is put together only where there is something to say.
    fn collect_repeats<'a>(&'a self, way: &mut Vec<Step<'a>>, found: &mut Vec<Repeat>) {
        match &self.kind {
            Kind::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    way.push(Step::Index(index));
                    item.collect_repeats(way, found);
                    way.pop();
                }
            }
            Kind::Map(entries) => {
                let mut repeated = Repeated::new(entries);
                for entry in entries {
                    if let Some(first) = repeated.first(entry) {
                        found.push(Repeat {
                            pointer: Step::pointer(way),
                            first: first.key.clone(),
                            again: entry.key.clone(),
                        });
                    }
                    way.push(Step::Key(entry.key.as_str()));
                    entry.value.collect_repeats(way, found);
                    way.pop();
                }
            }
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {}
        }
    }

    /// Every unknown value at or below this node, with its place.
    #[must_use]
    pub fn unknowns(&self) -> Vec<(&Unknown, Span)> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            match &node.kind {
                Kind::Unknown(unknown) => found.push((&**unknown, node.span())),
                Kind::List(items) => open.extend(items.iter().rev()),
                Kind::Map(entries) => open.extend(entries.iter().rev().map(|entry| &entry.value)),
                Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => {}
            }
        }
        found
    }
}

/// Equality looks at the values alone, never at their places.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(x, y)| x.key == y.key && x.value == y.value)
            }
            (Self::Unknown(a), Self::Unknown(b)) => a == b,
            _ => false,
        }
    }
}
