//! Values that know where they were written.
//!
//! A policy may stand in a JSON file, in a YAML block or come out of evaluated HCL (a local, a template, a document
//! block). In all of them a finding must point at the very bytes that made the value, so a string value carries
//! [`Piece`]s: which of its bytes came from which bytes of which file.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::Span;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Written as such at this place.
    Source(Span),
    /// Made from several places: the best place to point at first, then those it came through (a reference to a
    /// local, the argument of a call). Never empty.
    Derived(Box<[Span]>),
}

impl Origin {
    /// The place to point at.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Source(span) => *span,
            Self::Derived(parts) => parts.first().copied().unwrap_or(Span {
                file: super::FileId(u32::MAX),
                start: 0,
                end: 0,
            }),
        }
    }

    /// The places the value came through on its way, nearest first; empty for a value that is written where it is used.
    #[must_use]
    pub fn through(&self) -> &[Span] {
        match self {
            Self::Source(_) => &[],
            Self::Derived(parts) => parts.get(1..).unwrap_or(&[]),
        }
    }

    /// The same value, used once more at `place` (a reference to it).
    #[must_use]
    pub fn used_at(&self, place: Span) -> Self {
        let mut parts = vec![self.span()];
        parts.extend_from_slice(self.through());
        parts.push(place);
        Self::Derived(parts.into_boxed_slice())
    }
}

/// A value with its origin. Equality, order and hash look at the value alone, so that a generated model equals one that was read.
#[derive(Debug, Clone)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> Located<T> {
    /// A value written at `span`.
    pub fn new(value: T, span: Span) -> Self {
        Self {
            value,
            origin: Origin::Source(span),
        }
    }

    /// The place to point at.
    pub fn span(&self) -> Span {
        self.origin.span()
    }
}

impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Located<T> {}

impl<T: PartialOrd> PartialOrd for Located<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<T: Ord> Ord for Located<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value)
    }
}

impl<T: std::hash::Hash> std::hash::Hash for Located<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

/// Some bytes of a string value and the bytes of the file that made them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Bytes of the value.
    pub value: Range<usize>,
    /// The bytes that made them. Of equal length: copied as they stand; else an escape or an inserted value, which is
    /// only ever pointed at as a whole.
    pub span: Span,
}

/// A string value that knows byte by byte where it was written. Equality and order look at the value alone. It is shared,
/// not copied, by all who hold it: the tree of a file and the models that are made of it. What stands in a file as it is,
/// is a part of the file's own text.
#[derive(Debug, Clone)]
pub struct Text {
    shared: Arc<Shared>,
    part: Part,
}

#[derive(Debug)]
struct Shared {
    value: Bytes,
    origin: Origin,
    pieces: Pieces,
}

/// Where the bytes of a shared value are.
#[derive(Debug)]
enum Bytes {
    Own(Box<str>),
    Of(Arc<Shared>),
}

impl Bytes {
    fn as_str(&self) -> &str {
        match self {
            Self::Own(value) => value,
            Self::Of(shared) => shared.value.as_str(),
        }
    }
}

/// Which bytes of a shared value are the text.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: u32,
    end: u32,
    /// The bytes of the file that are the text's token, with its quotes; [`Part::ALL`] where the text is the whole value.
    token: (u32, u32),
}

impl Part {
    /// No span ends before it begins.
    const ALL: (u32, u32) = (1, 0);
}

/// What made which bytes. Most texts are written as they are, and have one piece.
#[derive(Debug)]
enum Pieces {
    One(Piece),
    Several(Box<[Piece]>),
}

/// The pieces of a text.
#[derive(Debug)]
pub enum PiecesOf<'a> {
    /// One, made of the place of the text.
    One(Piece),
    /// As they are kept.
    Kept(&'a [Piece]),
}

impl std::ops::Deref for PiecesOf<'_> {
    type Target = [Piece];

    fn deref(&self) -> &[Piece] {
        match self {
            Self::One(piece) => std::slice::from_ref(piece),
            Self::Kept(pieces) => pieces,
        }
    }
}

impl Pieces {
    fn of(mut pieces: Vec<Piece>) -> Self {
        match (pieces.len(), pieces.pop()) {
            (1, Some(only)) => Self::One(only),
            (_, last) => {
                pieces.extend(last);
                Self::Several(pieces.into_boxed_slice())
            }
        }
    }
}

impl Text {
    fn new(value: impl Into<Box<str>>, origin: Origin, pieces: Pieces) -> Self {
        let value = value.into();
        let part = Part {
            start: 0,
            end: u32::try_from(value.len()).unwrap_or(u32::MAX),
            token: Part::ALL,
        };
        let shared = Arc::new(Shared {
            value: Bytes::Own(value),
            origin,
            pieces,
        });
        Self { shared, part }
    }

    /// A value of which only the whole place is known.
    #[must_use]
    pub fn whole(value: impl Into<String>, origin: Origin) -> Self {
        Self::new(value.into(), origin, Pieces::Several(Box::default()))
    }

    /// A value that stands at `span` exactly as it is, without quotes or escapes.
    #[must_use]
    pub fn verbatim(value: impl Into<String>, span: Span) -> Self {
        let value = value.into();
        let piece = Piece {
            value: 0..value.len(),
            span,
        };
        Self::new(value, Origin::Source(span), Pieces::One(piece))
    }

    /// A value put together from `pieces`, in ascending order of their value bytes; `origin` is the whole token, with its quotes.
    #[must_use]
    pub fn pieced(value: impl Into<String>, origin: Origin, pieces: Vec<Piece>) -> Self {
        Self::new(value.into(), origin, Pieces::of(pieces))
    }

    /// The bytes `range` of this text as a text of its own, where one piece made them as they stand; `token` is its
    /// whole token, in the same file.
    #[must_use]
    pub fn plain_part(&self, range: Range<usize>, token: Span) -> Option<Self> {
        let whole = self.as_it_stands()?;
        self.as_str().get(range.clone())?;
        let offset = |at: usize| Some(self.part.start + u32::try_from(at).ok()?);
        let part = Part {
            start: offset(range.start)?,
            end: offset(range.end)?,
            token: (token.start, token.end),
        };
        (whole.file == token.file).then(|| Self {
            shared: Arc::clone(&self.shared),
            part,
        })
    }

    /// The same text with a count of holders of its own. The parts of one text count their holders in one place, and two
    /// threads that work on parts of it would wait for one another there.
    #[must_use]
    pub fn held_apart(&self) -> Self {
        let Pieces::One(whole) = &self.shared.pieces else {
            return self.clone();
        };
        let bytes = match &self.shared.value {
            Bytes::Own(_) => &self.shared,
            Bytes::Of(shared) => shared,
        };
        Self {
            shared: Arc::new(Shared {
                value: Bytes::Of(Arc::clone(bytes)),
                origin: self.shared.origin.clone(),
                pieces: Pieces::One(whole.clone()),
            }),
            part: self.part,
        }
    }

    /// The bytes of the file, where the text stands in it just so.
    fn as_it_stands(&self) -> Option<Span> {
        let Pieces::One(whole) = &self.shared.pieces else {
            return None;
        };
        let copied = whole.span.len() == whole.value.len() && whole.value.start == 0;
        let (start, end) = (self.part.start as usize, self.part.end as usize);
        copied.then(|| whole.span.slice(start, end))
    }

    fn is_part(&self) -> bool {
        self.part.token != Part::ALL
    }

    /// The value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let range = self.part.start as usize..self.part.end as usize;
        self.shared.value.as_str().get(range).unwrap_or_default()
    }

    /// Where it comes from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        if self.is_part() {
            Origin::Source(self.span())
        } else {
            self.shared.origin.clone()
        }
    }

    /// The place to point at: the whole token, with its quotes.
    #[must_use]
    pub fn span(&self) -> Span {
        let whole = self.shared.origin.span();
        if self.is_part() {
            let file = self.as_it_stands().unwrap_or(whole).file;
            let (start, end) = self.part.token;
            return Span { file, start, end };
        }
        whole
    }

    /// What made which bytes; empty when only the whole place is known.
    #[must_use]
    pub fn pieces(&self) -> PiecesOf<'_> {
        if let Some(span) = self.as_it_stands().filter(|_| self.is_part()) {
            let value = 0..self.as_str().len();
            return PiecesOf::One(Piece { value, span });
        }
        PiecesOf::Kept(match &self.shared.pieces {
            Pieces::One(piece) => std::slice::from_ref(piece),
            Pieces::Several(pieces) => pieces,
        })
    }

    /// The same text, used once more at `place`.
    #[must_use]
    pub fn used_at(&self, place: Span) -> Self {
        Self::pieced(
            self.as_str(),
            self.origin().used_at(place),
            self.pieces().to_vec(),
        )
    }

    /// The bytes of the file that made the bytes `range` of the value: as narrow as is known. Where they were made from
    /// several files or from places out of order, the place of the first.
    #[must_use]
    pub fn span_of(&self, range: Range<usize>) -> Span {
        let length = (self.part.end - self.part.start) as usize;
        let inside = range.end <= length && range.start < length && range.start <= range.end;
        if let Some(written) = self.as_it_stands().filter(|_| inside) {
            return written.slice(range.start, range.end);
        }
        let mut found: Option<Span> = None;
        let pieces = self.pieces();
        let first = pieces.partition_point(|piece| piece.value.end < range.start);
        for piece in pieces.get(first..).unwrap_or(&[]) {
            if piece.value.start > range.end {
                break;
            }
            let Some(span) = narrowed(piece, &range) else {
                continue;
            };
            found = Some(match found {
                None => span,
                Some(before) if before.file == span.file && before.end <= span.start => {
                    before.cover(span)
                }
                Some(before) => before,
            });
        }
        found.unwrap_or_else(|| self.span())
    }

    /// The empty place just behind byte `at` of the value, or before it where nothing precedes.
    #[must_use]
    pub fn place_of(&self, at: usize) -> Span {
        let holds = |piece: &&Piece| piece.value.start <= at && at <= piece.value.end;
        let pieces = self.pieces();
        let Some(piece) = pieces.iter().find(holds) else {
            return self.span();
        };
        let inside = at - piece.value.start;
        if piece.span.len() == piece.value.len() {
            piece.span.slice(inside, inside)
        } else {
            piece.span
        }
    }
}

/// What of `piece` made `range`, if it made any of it.
fn narrowed(piece: &Piece, range: &Range<usize>) -> Option<Span> {
    let start = piece.value.start.max(range.start);
    let end = piece.value.end.min(range.end);
    let empty_inside =
        range.is_empty() && piece.value.start <= range.start && range.start < piece.value.end;
    if start >= end && !empty_inside {
        return None;
    }
    if piece.span.len() == piece.value.len() {
        Some(
            piece
                .span
                .slice(start - piece.value.start, end - piece.value.start),
        )
    } else {
        Some(piece.span)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::FileId;
    use super::*;

    const FILE: FileId = FileId(7);

    /// The JSON string `"\\052.a"`: nine bytes that make six.
    fn wildcard() -> Text {
        let pieces = vec![
            Piece {
                value: 0..1,
                span: Span::new(FILE, 11, 13),
            },
            Piece {
                value: 1..6,
                span: Span::new(FILE, 13, 18),
            },
        ];
        Text::pieced("\\052.a", Origin::Source(Span::new(FILE, 10, 19)), pieces)
    }

    #[test]
    fn a_text_that_is_held_apart_is_the_same_text() {
        let file = Text::verbatim("{\"a\": 1}", Span::new(FILE, 0, 8));
        for text in [file, wildcard()] {
            let apart = text.held_apart().held_apart();
            assert_eq!(apart, text);
            assert_eq!(apart.span(), text.span());
            assert_eq!(apart.pieces().to_vec(), text.pieces().to_vec());
        }
    }

    #[test]
    fn an_escape_is_pointed_at_as_a_whole() {
        assert_eq!(wildcard().span_of(0..1), Span::new(FILE, 11, 13));
        assert_eq!(wildcard().span_of(0..4), Span::new(FILE, 11, 16));
        assert_eq!(wildcard().span_of(4..6), Span::new(FILE, 16, 18));
    }

    #[test]
    fn a_text_without_pieces_points_at_its_token() {
        let text = Text::whole("abc", Origin::Source(Span::new(FILE, 1, 6)));
        assert_eq!(text.span_of(1..2), Span::new(FILE, 1, 6));
    }

    #[test]
    fn pieces_out_of_order_are_not_covered_in_one_span() {
        let pieces = vec![
            Piece {
                value: 0..2,
                span: Span::new(FILE, 50, 52),
            },
            Piece {
                value: 2..4,
                span: Span::new(FILE, 10, 12),
            },
        ];
        let text = Text::pieced("abcd", Origin::Source(Span::new(FILE, 60, 70)), pieces);
        assert_eq!(text.span_of(1..3), Span::new(FILE, 51, 52));
    }
}
