//! The text of a policy, evaluated, as a tree; what is not known of it stays unknown in its place.

use crate::syntax::{Fault, Kind, Node, Part, Standing, Unknown, json};
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
        ValueKind::Encoded(inner, _) => match (&inner.kind, inner.hole()) {
            (ValueKind::Unknown(unknown), _) => PolicyText::Unknown(unknown.clone()),
            (_, Some(unknown)) => PolicyText::Unknown(unknown),
            (_, None) => PolicyText::Tree(inner.to_node()),
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
        ValueKind::Unknown(unknown) => PolicyText::Unknown(unknown.clone()),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Sequence(..)
        | ValueKind::Mapping(..) => PolicyText::Unknown(value.hole().unwrap_or_else(|| Unknown {
            why: format!(
                "{} stands here, but the text of a policy is expected",
                value.kind_name()
            ),
            ..Unknown::default()
        })),
    }
}

/// What is known of `value` where it stands at a place that is not known as a whole: the elements of a list, the policy
/// that a text is, any other value as it is.
pub(super) fn parts(value: &Value) -> Vec<Part> {
    let of_policy = || match tree(value) {
        PolicyText::Tree(node) if node.as_map().is_some() => vec![Part::certain(node)],
        PolicyText::Unknown(unknown) => unknown.parts,
        PolicyText::Tree(_) | PolicyText::Broken(_) => Vec::new(),
    };
    match &value.kind {
        ValueKind::Unknown(unknown) => unknown.parts.clone(),
        ValueKind::Sequence(_, items) => items
            .iter()
            .map(|item| Part::certain(item.to_node()))
            .collect(),
        ValueKind::Encoded(..) | ValueKind::Partial(_) => of_policy(),
        ValueKind::Text(text) if text.as_str().trim_start().starts_with('{') => of_policy(),
        ValueKind::Text(_) | ValueKind::Mapping(..) => vec![Part::certain(value.to_node())],
        ValueKind::Null | ValueKind::Bool(_) | ValueKind::Number(_) => Vec::new(),
    }
}

/// The objects that a piece of a JSON text consists of, with the commas that part them from what stands around it.
pub(super) fn pieces(value: &Value) -> Vec<Part> {
    let chunks = match &value.kind {
        ValueKind::Text(text) => vec![Chunk::Known(text.clone())],
        ValueKind::Partial(chunks) => chunks.clone(),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Number(_)
        | ValueKind::Encoded(..)
        | ValueKind::Sequence(..)
        | ValueKind::Mapping(..)
        | ValueKind::Unknown(_) => return parts(value),
    };
    let trim = |text: &Text, first: bool, last: bool| {
        let blank = |c: char| c.is_whitespace() || c == ',';
        let whole = text.as_str();
        let start = if first {
            whole.len() - whole.trim_start_matches(blank).len()
        } else {
            0
        };
        let kept = if last {
            whole.trim_end_matches(blank).len()
        } else {
            whole.len()
        };
        let mut builder = TextBuilder::default();
        builder.push_text(text, start..kept.max(start));
        builder.finish(text.origin())
    };
    let count = chunks.len();
    let framed = |written: &str| {
        let at = value.span();
        Chunk::Known(Text::whole(written, Origin::Source(at)))
    };
    let mut list = vec![framed("[")];
    list.extend(
        chunks
            .into_iter()
            .enumerate()
            .map(|(at, chunk)| match chunk {
                Chunk::Known(text) => Chunk::Known(trim(&text, at == 0, at + 1 == count)),
                hole @ Chunk::Hole(..) => hole,
            }),
    );
    list.push(framed("]"));
    let PolicyText::Tree(list) = with_holes(&list, value) else {
        return Vec::new();
    };
    let items = list.as_list().unwrap_or_default().iter().cloned();
    let objects = items.filter(|item| item.as_map().is_some());
    objects.map(Part::certain).collect()
}

/// Where the reader of a JSON text stands, as far as it decides what a hole may be.
#[derive(Default)]
struct Place {
    /// The collections that are open: whether each is an object.
    open: Vec<bool>,
    in_string: bool,
    escaped: bool,
    /// The last character that is no blank, outside of strings.
    last: Option<char>,
}

impl Place {
    fn pass(&mut self, text: &str) {
        for character in text.chars() {
            if self.in_string {
                self.in_string = self.escaped || character != '"';
                self.escaped = !self.escaped && character == '\\';
                continue;
            }
            match character {
                '"' => self.in_string = true,
                '{' | '[' => self.open.push(character == '{'),
                '}' | ']' => drop(self.open.pop()),
                _ => {}
            }
            if !character.is_whitespace() {
                self.last = Some(character);
            }
        }
    }

    /// What stands for a hole: in a string the mark alone, elsewhere a value, or elements beside those that are known.
    fn hole(&mut self, next: Option<char>) -> String {
        if self.in_string {
            return HOLE.to_string();
        }
        let in_object = self.open.last() == Some(&true);
        let behind_value = !matches!(self.last, None | Some(':' | ',' | '[' | '{'));
        let whole_entry = in_object && self.last != Some(':') && next != Some(':');
        let mut written = format!("\"{HOLE}\"");
        if whole_entry {
            written = format!("{written}:null");
        }
        if behind_value {
            written.insert(0, ',');
        }
        if !self.open.is_empty() && !matches!(next, None | Some(',' | ']' | '}' | ':')) {
            written.push(',');
            self.last = Some(',');
        } else {
            self.last = Some('"');
        }
        written
    }
}

/// Reads a text known in part: a string with a hole is unknown, the rest is read as it stands.
fn with_holes(chunks: &[Chunk], value: &Value) -> PolicyText {
    let mut builder = TextBuilder::default();
    let mut holes: Vec<(Unknown, Span)> = Vec::new();
    let mut place = Place::default();
    let mut marked_before = false;
    if let Some(unknown) = only_hole(chunks) {
        return PolicyText::Unknown(unknown);
    }
    for (at_chunk, chunk) in chunks.iter().enumerate() {
        match chunk {
            Chunk::Known(text) => {
                marked_before |= text.as_str().contains(HOLE);
                place.pass(text.as_str());
                builder.push_whole(text);
            }
            Chunk::Hole(unknown, at) => {
                let behind = chunks.get(at_chunk + 1).map(|chunk| match chunk {
                    Chunk::Known(text) => text.as_str().trim_start().chars().next(),
                    Chunk::Hole(..) => Some('"'),
                });
                // What may stand there says nothing of the string that it is a part of.
                let inside = place.in_string;
                let written = place.hole(behind.flatten());
                builder.push_escape(&written, *at);
                holes.push((
                    if inside {
                        unknown.bare()
                    } else {
                        unknown.clone()
                    },
                    *at,
                ));
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
    if marked_before {
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

/// The one thing that is not known, where nothing else is written.
fn only_hole(chunks: &[Chunk]) -> Option<Unknown> {
    let mut holes = chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Hole(unknown, _) => Some(unknown.clone()),
        Chunk::Known(_) => None,
    });
    let blank = chunks.iter().all(|chunk| match chunk {
        Chunk::Known(text) => text.as_str().trim().is_empty(),
        Chunk::Hole(..) => true,
    });
    let first = holes.next();
    first.filter(|_| blank && holes.next().is_none())
}

/// Makes strings that hold a hole unknown; a map with a hole in a key as a whole.
fn marked(node: Node, holes: &[(Unknown, Span)]) -> Node {
    let hole_in = |text: &Text| {
        let places = text.as_str().match_indices(HOLE);
        let mut found = places.filter_map(|(at, hole)| {
            let span = text.span_of(at..at + hole.len());
            holes.iter().find(|(_, place)| *place == span)
        });
        if text.as_str().chars().eq([HOLE]) {
            return found.next().map(|(unknown, _)| unknown.clone());
        }
        merged(found.map(|(unknown, _)| unknown.clone()))
    };
    let kind = match node.kind {
        Kind::Text(text) => match hole_in(&text) {
            Some(mut unknown) => {
                let around = text.as_str().split(HOLE).map(str::to_owned);
                unknown.around = around.collect();
                if unknown.around.iter().all(String::is_empty) {
                    unknown.around.clear();
                }
                Kind::unknown(unknown)
            }
            None => Kind::Text(text),
        },
        Kind::List(items) => {
            Kind::List(items.into_iter().map(|item| marked(item, holes)).collect())
        }
        Kind::Map(entries) => {
            let hole = merged(entries.iter().filter_map(|entry| hole_in(&entry.key)));
            let known = entries
                .into_iter()
                .filter(|entry| hole_in(&entry.key).is_none());
            let known = known.map(|mut entry| {
                entry.value = marked(entry.value, holes);
                entry
            });
            let known = Kind::Map(known.collect());
            match hole {
                Some(mut unknown) => {
                    unknown.hold(vec![Part {
                        standing: Standing::Open,
                        ..Part::certain(Node {
                            origin: node.origin.clone(),
                            kind: known,
                        })
                    }]);
                    Kind::unknown(unknown)
                }
                None => known,
            }
        }
        other @ (Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_)) => other,
    };
    Node {
        origin: node.origin,
        kind,
    }
}
