//! Text in the making, byte for byte with its places: what readers and evaluators build strings with.

use std::ops::Range;

use super::{Origin, Piece, Span, Text};

/// Text in the making, byte for byte with its places.
#[derive(Debug, Clone, Default)]
pub struct TextBuilder {
    value: String,
    pieces: Vec<Piece>,
}

impl TextBuilder {
    /// Takes `plain`, which stands at `span` as it is.
    pub fn push_plain(&mut self, plain: &str, span: Span) {
        if plain.is_empty() {
            return;
        }
        let start = self.value.len();
        self.value.push_str(plain);
        let piece = Piece {
            value: start..self.value.len(),
            span,
        };
        self.push_piece(piece);
    }

    /// Takes what the escape or the inserted value at `span` stands for.
    pub fn push_escape(&mut self, meaning: &str, span: Span) {
        let start = self.value.len();
        self.value.push_str(meaning);
        self.pieces.push(Piece {
            value: start..self.value.len(),
            span,
        });
    }

    /// Joins bytes that follow one another in file and value to one piece.
    fn push_piece(&mut self, piece: Piece) {
        let plain = |piece: &Piece| piece.span.len() == piece.value.len();
        if let Some(last) = self.pieces.last_mut() {
            let adjacent = last.value.end == piece.value.start
                && last.span.file == piece.span.file
                && last.span.end == piece.span.start;
            if adjacent && plain(last) && plain(&piece) {
                last.value.end = piece.value.end;
                last.span = last.span.cover(piece.span);
                return;
            }
        }
        self.pieces.push(piece);
    }

    /// Takes all of `other`.
    pub fn append(&mut self, other: &Self) {
        let shift = self.value.len();
        self.value.push_str(&other.value);
        for piece in &other.pieces {
            self.push_piece(Piece {
                value: piece.value.start + shift..piece.value.end + shift,
                span: piece.span,
            });
        }
    }

    /// Takes the bytes `range` of a finished text, with their places.
    pub fn push_text(&mut self, text: &Text, range: Range<usize>) {
        let Some(part) = text.as_str().get(range.clone()) else {
            return;
        };
        let from = self.value.len();
        self.value.push_str(part);
        if text.pieces().is_empty() && !part.is_empty() {
            return self.push_piece(Piece {
                value: from..self.value.len(),
                span: text.span(),
            });
        }
        let first = text
            .pieces()
            .partition_point(|piece| piece.value.end <= range.start);
        for piece in text.pieces().iter().skip(first) {
            if piece.value.start >= range.end {
                break;
            }
            let start = piece.value.start.max(range.start);
            let end = piece.value.end.min(range.end);
            self.push_piece(Piece {
                value: from + start - range.start..from + end - range.start,
                span: text.span_of(start..end),
            });
        }
    }

    /// Takes a whole finished text, with its places.
    pub fn push_whole(&mut self, text: &Text) {
        self.push_text(text, 0..text.as_str().len());
    }

    /// Drops the first `bytes` bytes.
    pub fn cut_front(&mut self, bytes: usize) {
        let kept = self.value.get(bytes..).unwrap_or_default().to_owned();
        self.value = kept;
        self.pieces.retain_mut(|piece| {
            if piece.value.end <= bytes {
                return false;
            }
            if piece.value.start < bytes {
                let plain = piece.span.len() == piece.value.len();
                if plain {
                    let length = piece.span.len();
                    piece.span = piece.span.slice(bytes - piece.value.start, length);
                }
                piece.value.start = bytes;
            }
            piece.value = piece.value.start - bytes..piece.value.end - bytes;
            true
        });
    }

    /// Drops white space at the beginning (`~}`).
    pub fn trim_front(&mut self) {
        let bytes = self.value.len() - self.value.trim_start().len();
        self.cut_front(bytes);
    }

    /// Drops white space at the end (`${~`).
    pub fn trim_back(&mut self) {
        let length = self.value.trim_end().len();
        self.value.truncate(length);
        self.pieces.retain_mut(|piece| {
            if piece.value.start >= length {
                return false;
            }
            if piece.value.end > length {
                if piece.span.len() == piece.value.len() {
                    piece.span = piece.span.slice(0, length - piece.value.start);
                }
                piece.value.end = length;
            }
            true
        });
    }

    /// The bytes of the file it comes from; none when it is empty.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        let first = self.pieces.first()?.span;
        Some(
            self.pieces
                .last()
                .map_or(first, |last| first.cover(last.span)),
        )
    }

    /// What it holds so far.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// The finished text; `origin` is the whole token or expression that made it.
    #[must_use]
    pub fn finish(self, origin: Origin) -> Text {
        Text::pieced(self.value, origin, self.pieces)
    }
}
