//! Literal text of strings and heredocs: escapes, and which bytes made which.

use crate::syntax::Fault;
use crate::text::{Origin, Piece, Span, Text};

use super::reader::{Read, Reader};

/// Text in the making, byte for byte with its places.
#[derive(Debug, Clone, Default)]
pub(super) struct Literal {
    pub(super) value: String,
    pieces: Vec<Piece>,
}

impl Literal {
    /// Takes `plain`, which stands at `span` as it is.
    pub(super) fn push_plain(&mut self, plain: &str, span: Span) {
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

    /// Takes what the escape at `span` stands for.
    fn push_escape(&mut self, meaning: &str, span: Span) {
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
    pub(super) fn append(&mut self, other: &Self) {
        let shift = self.value.len();
        self.value.push_str(&other.value);
        for piece in &other.pieces {
            self.push_piece(Piece {
                value: piece.value.start + shift..piece.value.end + shift,
                span: piece.span,
            });
        }
    }

    /// Drops the first `bytes` bytes.
    pub(super) fn cut_front(&mut self, bytes: usize) {
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
    pub(super) fn trim_front(&mut self) {
        let bytes = self.value.len() - self.value.trim_start().len();
        self.cut_front(bytes);
    }

    /// Drops white space at the end (`${~`).
    pub(super) fn trim_back(&mut self) {
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
    pub(super) fn span(&self) -> Option<Span> {
        let first = self.pieces.first()?.span;
        Some(
            self.pieces
                .last()
                .map_or(first, |last| first.cover(last.span)),
        )
    }

    pub(super) fn into_text(self, token: Span) -> Text {
        Text::pieced(self.value, Origin::Source(token), self.pieces)
    }
}

impl Reader<'_> {
    /// Takes the bytes from `start` to here as they are.
    pub(super) fn take_plain(&self, start: usize, literal: &mut Literal) {
        if start < self.at {
            let plain = self.input.get(start..self.at).unwrap_or_default();
            literal.push_plain(plain, self.span(start, self.at));
        }
    }

    /// Reads `$${` or `%%{`, which stand for `${` and `%{`.
    pub(super) fn doubled(&mut self, literal: &mut Literal) {
        let meaning = self.input.get(self.at + 1..self.at + 3);
        let span = self.span(self.at, self.at + 3);
        literal.push_escape(meaning.unwrap_or_default(), span);
        self.at += 3;
    }

    /// Reads the escape that begins here with a backslash.
    pub(super) fn escape(&mut self, literal: &mut Literal) -> Read<()> {
        let start = self.at;
        self.at += 1;
        let meaning = match self.peek() {
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'u') => self.code_point(start, 4)?,
            Some(b'U') => self.code_point(start, 8)?,
            _ => return Err(self.bad_escape(start)),
        };
        self.at += 1;
        let mut buffer = [0; 4];
        let span = self.span(start, self.at);
        literal.push_escape(meaning.encode_utf8(&mut buffer), span);
        Ok(())
    }

    /// Reads the digits behind `\u`; stands on the last one afterwards.
    fn code_point(&mut self, start: usize, digits: usize) -> Read<char> {
        let written = self.input.get(self.at + 1..self.at + 1 + digits);
        let written = written.filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(written) = written else {
            let mark = self.input.get(start..start + 2).unwrap_or_default();
            let reason = format!("{digits} hexadecimal digits are expected behind `{mark}`");
            return Err(self.fault_over(start, start + 2, reason));
        };
        self.at += digits;
        let code = u32::from_str_radix(written, 16).unwrap_or(u32::MAX);
        char::from_u32(code).ok_or_else(|| {
            let reason = format!("`{written}` is no Unicode character");
            self.fault_over(start, self.at + 1, reason)
        })
    }

    fn bad_escape(&self, start: usize) -> Box<Fault> {
        let rest = self.input.get(start + 1..).unwrap_or_default();
        let octal = rest
            .get(..3)
            .filter(|digits| digits.chars().all(|digit| digit.is_digit(8)));
        let allowed = r#"allowed are `\n`, `\r`, `\t`, `\"`, `\\`, `\uXXXX` and `\UXXXXXXXX`"#;
        if let Some(digits) = octal {
            let reason = format!(
                "`\\{digits}` is no escape of Terraform; write the backslash twice, `\\\\{digits}`; {allowed}"
            );
            return self.fault_over(start, start + 4, reason);
        }
        let Some(found) = rest.chars().next().filter(|found| !found.is_control()) else {
            return self.fault(start, format!("a backslash alone is no escape; {allowed}"));
        };
        let end = start + 1 + found.len_utf8();
        let reason = format!("`\\{found}` is no escape of Terraform; {allowed}");
        self.fault_over(start, end, reason)
    }
}

/// A character as it is shown in a message.
pub(super) fn shown(character: char) -> String {
    if character.is_control() || character.is_whitespace() && character != ' ' {
        format!("the character U+{:04X}", u32::from(character))
    } else {
        format!("`{character}`")
    }
}
