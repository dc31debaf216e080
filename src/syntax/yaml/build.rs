//! From events to trees, without recursion.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{Event, ScalarStyle, Span as Place, StructureStyle, Tag};

use crate::text::{Span, Text};

use super::super::{Comment, Entry, Fault, Kind, Node, Parsed, Unknown};
use super::{MAX_COPIES, MAX_DEPTH, MAX_FAULTS, pieces, place, scalar, too_deep};

/// Builds the documents of one stream.
pub(super) struct Builder<'a> {
    text: &'a Text,
    open: Vec<Frame>,
    root: Option<Node>,
    anchors: BTreeMap<usize, Anchored>,
    /// Whether the file holds a `*` at all: else no anchor needs to be kept.
    has_aliases: bool,
    copies: usize,
    parsed: Parsed,
}

/// A list or map that is not yet closed.
struct Frame {
    inside: Inside,
    start: usize,
    end: usize,
    flow: bool,
    anchor: usize,
    custom_tag: Option<String>,
    size: Size,
}

enum Inside {
    List(Vec<Node>),
    Map(Vec<Entry>, Option<Text>),
}

/// How much a copy of a value would cost: number of values (long strings count more), and levels.
#[derive(Clone, Copy)]
struct Size {
    values: usize,
    levels: usize,
}

struct Anchored {
    node: Node,
    /// The scalar as a key, if it is a scalar.
    key: Option<Text>,
    size: Size,
}

/// A finished value on its way to its place.
struct Built {
    node: Node,
    key: Option<Text>,
    bytes: Range<usize>,
    size: Size,
}

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a Text) -> Self {
        Self {
            text,
            open: Vec::new(),
            root: None,
            anchors: BTreeMap::new(),
            has_aliases: text.as_str().contains('*'),
            copies: 0,
            parsed: Parsed::default(),
        }
    }

    pub(super) fn faults(&self) -> usize {
        self.parsed.faults.len()
    }

    /// Tells a fault that does not end the document, unless there are very many.
    fn tell(&mut self, fault: Fault) {
        if self.parsed.faults.len() < MAX_FAULTS {
            self.parsed.faults.push(fault);
        }
    }

    /// Gives up the current document.
    pub(super) fn abandon(&mut self, fault: Fault) {
        self.parsed.faults.push(fault);
        self.open.clear();
        self.root = None;
        self.anchors.clear();
    }

    pub(super) fn finish(mut self) -> Parsed {
        self.parsed.comments.sort_by_key(|comment| comment.span);
        self.parsed
    }

    /// Takes one event; false when the current document was given up.
    pub(super) fn event(&mut self, event: Event<'_>, at: &Place) -> bool {
        let bytes = self.bytes(at);
        match event {
            Event::DocumentStart(..) => {
                self.open.clear();
                self.root = None;
                self.anchors.clear();
            }
            Event::DocumentEnd => self.parsed.documents.extend(self.root.take()),
            Event::Comment(text, _) => self.parsed.comments.push(Comment {
                span: self.text.span_of(bytes),
                text: text.into_owned(),
            }),
            Event::Scalar(value, style, anchor, tag) => {
                self.scalar(&value, style, anchor, tag.as_deref(), bytes);
            }
            Event::SequenceStart(style, anchor, tag) => {
                return self.start(Inside::List(Vec::new()), style, anchor, tag, &bytes);
            }
            Event::MappingStart(style, anchor, tag) => {
                return self.start(Inside::Map(Vec::new(), None), style, anchor, tag, &bytes);
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(&bytes),
            Event::Alias(id) => return self.alias(id, bytes),
            Event::UnresolvedAlias(name) => {
                let reason = format!("the alias `*{name}` has no anchor `&{name}` before it");
                self.unresolved(reason, bytes);
            }
            Event::StreamStart | Event::StreamEnd | Event::Anchor(..) | _ => {}
        }
        true
    }

    /// The bytes of `at` in the input, on character borders.
    fn bytes(&self, at: &Place) -> Range<usize> {
        let input = self.text.as_str();
        let border = |offset: Option<usize>| {
            let mut offset = offset.unwrap_or(0).min(input.len());
            while !input.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let start = border(at.start.byte_offset());
        start..border(at.end.byte_offset()).max(start)
    }

    fn span(&self, bytes: &Range<usize>) -> Span {
        if bytes.is_empty() {
            self.text.place_of(bytes.start)
        } else {
            self.text.span_of(bytes.clone())
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        bytes: Range<usize>,
    ) {
        let absent = bytes.is_empty() && style == ScalarStyle::Plain;
        let value = if absent { "" } else { value };
        let bytes = if absent {
            self.behind_colon(bytes)
        } else {
            bytes
        };
        let (text, bytes) = pieces::text(self.text, value, style, bytes);
        let node = scalar::typed(&text, style, tag);
        let built = Built {
            size: Size {
                values: 1 + value.len() / 256,
                levels: 0,
            },
            node,
            key: Some(text),
            bytes,
        };
        self.place(built, anchor);
    }

    /// The value that is not there is pointed at behind its colon.
    fn behind_colon(&self, bytes: Range<usize>) -> Range<usize> {
        let rest = self.text.as_str().get(bytes.start..).unwrap_or_default();
        let step = usize::from(rest.starts_with(':'));
        bytes.start + step..bytes.end + step
    }

    fn start(
        &mut self,
        inside: Inside,
        style: StructureStyle,
        anchor: usize,
        tag: Option<Cow<'_, Tag>>,
        bytes: &Range<usize>,
    ) -> bool {
        if self.open.len() == MAX_DEPTH {
            self.abandon(Fault {
                at: place(self.text, bytes.start),
                reason: too_deep(),
            });
            return false;
        }
        self.open.push(Frame {
            inside,
            start: bytes.start,
            end: bytes.end,
            flow: style == StructureStyle::Flow,
            anchor,
            custom_tag: tag
                .filter(|tag| tag.is_custom() && tag.suffix() != "!")
                .map(|tag| tag.original()),
            size: Size {
                values: 1,
                levels: 1,
            },
        });
        true
    }

    fn end(&mut self, bytes: &Range<usize>) {
        let Some(frame) = self.open.pop() else {
            return;
        };
        let closed = self.text.as_str().get(..bytes.end).unwrap_or_default();
        let end = if frame.flow && closed.ends_with([']', '}']) {
            bytes.end
        } else {
            frame.end
        };
        let range = frame.start..end.max(frame.start);
        let kind = match (frame.custom_tag, frame.inside) {
            (Some(tag), _) => scalar::unknown_tag(&tag),
            (None, Inside::List(items)) => Kind::List(items),
            (None, Inside::Map(entries, _)) => Kind::Map(entries),
        };
        let node = Node::new(kind, self.span(&range));
        let built = Built {
            node,
            key: None,
            bytes: range,
            size: frame.size,
        };
        self.place(built, frame.anchor);
    }

    /// Puts a finished value where it belongs.
    fn place(&mut self, built: Built, anchor: usize) {
        if anchor != 0 && self.has_aliases {
            self.keep(&built, anchor);
        }
        self.put(built);
    }

    fn put(&mut self, built: Built) {
        let Some(mut frame) = self.open.pop() else {
            self.root = Some(built.node);
            return;
        };
        frame.start = frame.start.min(built.bytes.start);
        frame.end = frame.end.max(built.bytes.end);
        frame.size.values = frame.size.values.saturating_add(built.size.values);
        frame.size.levels = frame.size.levels.max(built.size.levels + 1);
        match &mut frame.inside {
            Inside::List(items) => items.push(built.node),
            Inside::Map(entries, key) => match key.take() {
                Some(key) => entries.push(Entry {
                    key,
                    value: built.node,
                }),
                None => *key = Some(self.key(built)),
            },
        }
        self.open.push(frame);
    }

    fn key(&mut self, built: Built) -> Text {
        if let Some(key) = built.key {
            return key;
        }
        let what = built.node.kind_name();
        self.tell(Fault {
            at: built.node.span(),
            reason: format!("{what} stands here as a key, but only a string can be one"),
        });
        Text::whole("", built.node.origin)
    }

    /// Keeps a copy of an anchored value for the aliases that follow.
    fn keep(&mut self, built: &Built, anchor: usize) {
        if !self.may_copy(built.size.values) {
            return;
        }
        let anchored = Anchored {
            node: built.node.clone(),
            key: built.key.clone(),
            size: built.size,
        };
        self.anchors.insert(anchor, anchored);
    }

    fn may_copy(&mut self, values: usize) -> bool {
        let total = self.copies.saturating_add(values);
        if total > MAX_COPIES {
            return false;
        }
        self.copies = total;
        true
    }

    fn alias(&mut self, id: usize, bytes: Range<usize>) -> bool {
        let name = self.text.as_str().get(bytes.clone()).unwrap_or_default();
        if self.open.iter().any(|frame| frame.anchor == id) {
            let reason = format!("the alias `{name}` stands inside the value it means");
            self.unresolved(reason, bytes);
            return true;
        }
        let size = self.anchors.get(&id).map(|anchored| anchored.size);
        let Some(size) = size.filter(|size| self.may_copy(size.values)) else {
            self.abandon(Fault {
                at: self.span(&bytes),
                reason: format!(
                    "the aliases of this file stand for more than {MAX_COPIES} values; write out what is meant"
                ),
            });
            return false;
        };
        if self.open.len() + size.levels > MAX_DEPTH {
            self.abandon(Fault {
                at: self.span(&bytes),
                reason: too_deep(),
            });
            return false;
        }
        let at = self.span(&bytes);
        if let Some(anchored) = self.anchors.get(&id) {
            let built = Built {
                node: used_at(&anchored.node, at),
                key: anchored.key.as_ref().map(|key| key.used_at(at)),
                bytes,
                // Every further copy also carries the places it came through.
                size: Size {
                    values: size.values.saturating_mul(2),
                    levels: size.levels,
                },
            };
            self.put(built);
        }
        true
    }

    fn unresolved(&mut self, reason: String, bytes: Range<usize>) {
        let at = self.span(&bytes);
        let unknown = Unknown {
            why: reason.clone(),
            ..Unknown::default()
        };
        self.tell(Fault { at, reason });
        let written = self.text.as_str().get(bytes.clone()).unwrap_or_default();
        self.put(Built {
            node: Node::new(Kind::unknown(unknown), at),
            key: Some(Text::verbatim(written, at)),
            bytes,
            size: Size {
                values: 1,
                levels: 0,
            },
        });
    }
}

/// The same value, used once more at `place`; no deeper than [`MAX_DEPTH`].
fn used_at(node: &Node, place: Span) -> Node {
    let kind = match &node.kind {
        Kind::Text(text) => return Node::text(text.used_at(place)),
        Kind::List(items) => Kind::List(items.iter().map(|item| used_at(item, place)).collect()),
        Kind::Map(entries) => Kind::Map(
            entries
                .iter()
                .map(|entry| Entry {
                    key: entry.key.used_at(place),
                    value: used_at(&entry.value, place),
                })
                .collect(),
        ),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => node.kind.clone(),
    };
    Node {
        origin: node.origin.used_at(place),
        kind,
    }
}
