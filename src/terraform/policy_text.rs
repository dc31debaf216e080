//! The text of a policy, evaluated, as a tree; what is not known of it stays unknown in its place.

use crate::syntax::{Fault, Kind, Node, Unknown, json};
use crate::text::{Origin, Span, Text, TextBuilder};

use super::value::{Chunk, Value, ValueKind, merged};

/// Stands for what is not known while the rest of a policy's text is read; no text holds it, for it is no character.
const HOLE: char = '\u{10FFFE}';

/// What the expression of a policy comes to.
#[derive(Debug, Clone)]
pub enum PolicyText {
    /// The policy as a tree, in which single values may be unknown.
    Tree(Node),
    /// The text is not JSON.
    Broken(Fault),
    /// The policy as a whole cannot be known.
    Unknown(Unknown),
}

/// The tree of the policy that `value` is the text of.
pub(super) fn tree(value: &Value) -> PolicyText {
    match &value.kind {
        ValueKind::Encoded(inner, _) => match inner.hole() {
            Some(unknown) => PolicyText::Unknown(unknown),
            None => PolicyText::Tree(inner.to_node()),
        },
        ValueKind::Text(text) => {
            let mut parsed = json::read(text);
            match (parsed.documents.pop(), parsed.faults.pop()) {
                (Some(node), None) => PolicyText::Tree(node),
                (_, Some(fault)) => PolicyText::Broken(fault),
                (None, None) => PolicyText::Tree(Node::text(text.clone())),
            }
        }
        ValueKind::Partial(chunks) => with_holes(chunks, value),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Sequence(..)
        | ValueKind::Mapping(..)
        | ValueKind::Unknown(_) => PolicyText::Unknown(value.hole().unwrap_or_else(|| Unknown {
            why: format!(
                "{} stands here, but the text of a policy is expected",
                value.kind_name()
            ),
            ..Unknown::default()
        })),
    }
}

/// Reads a text known in part: a string with a hole is unknown, the rest is read as it stands.
fn with_holes(chunks: &[Chunk], value: &Value) -> PolicyText {
    let mut builder = TextBuilder::default();
    let mut holes: Vec<(Unknown, Span)> = Vec::new();
    for chunk in chunks {
        match chunk {
            Chunk::Known(text) => builder.push_whole(text),
            Chunk::Hole(unknown, at) => {
                builder.push_escape(HOLE.encode_utf8(&mut [0; 4]), *at);
                holes.push((unknown.clone(), *at));
            }
        }
    }
    let all = || {
        let whole = merged(holes.iter().map(|(unknown, _)| unknown.clone()));
        PolicyText::Unknown(whole.unwrap_or_else(|| Unknown {
            why: "the text is known in part alone".to_owned(),
            ..Unknown::default()
        }))
    };
    if builder.as_str().matches(HOLE).count() != holes.len() {
        return all();
    }
    let text = builder.finish(Origin::Source(value.span()));
    let mut parsed = json::read(&text);
    match (parsed.documents.pop(), parsed.faults.pop()) {
        (_, Some(fault)) if holes.iter().any(|(_, at)| at.touches(fault.at)) => all(),
        (_, Some(fault)) => PolicyText::Broken(fault),
        (Some(node), None) => PolicyText::Tree(marked(node, &holes)),
        (None, None) => all(),
    }
}

/// Makes strings that hold a hole unknown; a map with a hole in a key as a whole.
fn marked(node: Node, holes: &[(Unknown, Span)]) -> Node {
    let hole_in = |text: &Text| {
        let places = text.as_str().match_indices(HOLE);
        let found = places.filter_map(|(at, hole)| {
            let span = text.span_of(at..at + hole.len());
            holes.iter().find(|(_, place)| *place == span)
        });
        merged(found.map(|(unknown, _)| unknown.clone()))
    };
    let kind = match node.kind {
        Kind::Text(text) => match hole_in(&text) {
            Some(mut unknown) => {
                unknown.around = text.as_str().split(HOLE).map(str::to_owned).collect();
                Kind::Unknown(unknown)
            }
            None => Kind::Text(text),
        },
        Kind::List(items) => {
            Kind::List(items.into_iter().map(|item| marked(item, holes)).collect())
        }
        Kind::Map(entries) => {
            match merged(entries.iter().filter_map(|entry| hole_in(&entry.key))) {
                Some(unknown) => Kind::Unknown(unknown),
                None => {
                    let entries = entries.into_iter().map(|mut entry| {
                        entry.value = marked(entry.value, holes);
                        entry
                    });
                    Kind::Map(entries.collect())
                }
            }
        }
        other @ (Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_)) => other,
    };
    Node {
        origin: node.origin,
        kind,
    }
}
