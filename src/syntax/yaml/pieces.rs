//! Which bytes of a scalar's value were made by which bytes of the file.
//!
//! The value is granit-parser's; here it is made once more from the source, piece by piece, and the pieces are used
//! only when the two agree. Else the value is known as a whole only: never a wrong place.

use std::ops::Range;

use granit_parser::ScalarStyle;

use crate::text::{Origin, Piece, Span, Text};

/// The scalar as a text, and the bytes of the input that it is written with.
pub(super) fn text(
    source: &Text,
    value: &str,
    style: ScalarStyle,
    bytes: Range<usize>,
) -> (Text, Range<usize>) {
    let input = source.as_str();
    let written = input.get(bytes.clone()).unwrap_or_default();
    let mut maker = Maker {
        source,
        value: String::new(),
        pieces: Vec::new(),
    };
    let bytes = match style {
        ScalarStyle::Plain => {
            maker.flow(written, bytes.start, Quote::None);
            bytes
        }
        ScalarStyle::SingleQuoted => {
            maker.flow(inside(written), bytes.start + 1, Quote::Single);
            bytes
        }
        ScalarStyle::DoubleQuoted => {
            maker.flow(inside(written), bytes.start + 1, Quote::Double);
            bytes
        }
        ScalarStyle::Literal | ScalarStyle::Folded => {
            let start = first_line(input, bytes.start);
            let block = input.get(start..bytes.end).unwrap_or_default();
            if style == ScalarStyle::Literal {
                maker.literal(value, block, start);
            } else {
                maker.folded(value, block, start);
            }
            header(input, start)..content_end(written, bytes.start)
        }
    };
    let bytes = bytes.start..bytes.end.max(bytes.start);
    let at = if bytes.is_empty() {
        source.place_of(bytes.start)
    } else {
        source.span_of(bytes.clone())
    };
    let text = if maker.value == value {
        Text::pieced(maker.value, Origin::Source(at), maker.pieces)
    } else {
        Text::whole(value, Origin::Source(at))
    };
    (text, bytes)
}

/// What stands between the quotes.
fn inside(written: &str) -> &str {
    written
        .get(1..written.len().saturating_sub(1))
        .unwrap_or_default()
}

/// Where the first line behind the header of a block scalar begins.
fn first_line(input: &str, start: usize) -> usize {
    let before = input.get(..start).unwrap_or_default();
    let header = before.trim_end_matches(BLANKS).len();
    let gap = input.get(header..start).unwrap_or_default();
    match lines(gap).next() {
        Some((bare, length)) if length > bare.len() => header + length,
        _ => start,
    }
}

/// The lines of a text: each without its line break (`\n`, `\r\n` or `\r`), and its length with it.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let bare = rest
            .split(['\r', '\n'])
            .next()
            .filter(|_| !rest.is_empty())?;
        let behind = rest.get(bare.len()..).unwrap_or_default();
        let line_break = if behind.starts_with("\r\n") {
            2
        } else {
            behind.len().min(1)
        };
        rest = behind.get(line_break..).unwrap_or_default();
        Some((bare, bare.len() + line_break))
    })
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Where the `|` or `>` of a block scalar stands, whose first line begins at `first_line`.
fn header(input: &str, first_line: usize) -> usize {
    let before = input.get(..first_line).unwrap_or_default();
    let end = before.trim_end_matches(['\r', '\n']).len();
    let before = before.get(..end).unwrap_or_default();
    let line = before.rfind(['\r', '\n']).map_or(0, |at| at + 1);
    let written = before.get(line..).unwrap_or_default();
    let is_header = |rest: &str| {
        let behind = rest.trim_start_matches(|mark: char| "|>+-0123456789".contains(mark));
        let behind = behind.trim_start_matches([' ', '\t']);
        behind.is_empty() || behind.starts_with('#')
    };
    written
        .match_indices(['|', '>'])
        .find(|(at, _)| written.get(*at..).is_some_and(is_header))
        .map_or(first_line, |(at, _)| line + at)
}

/// Where a block scalar ends, without the blanks behind it.
fn content_end(written: &str, start: usize) -> usize {
    start + written.trim_end_matches(BLANKS).len()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

struct Maker<'a> {
    source: &'a Text,
    value: String,
    pieces: Vec<Piece>,
}

impl Maker<'_> {
    /// Bytes that stand in the value as they stand in the file.
    fn copy(&mut self, text: &str, at: usize) {
        if text.is_empty() {
            return;
        }
        let span = self.source.span_of(at..at + text.len());
        if span.len() == text.len() {
            self.piece(text, span);
            return;
        }
        // Text that is itself put together (YAML inside a block scalar): one piece for each of its pieces.
        let pieces = self.source.pieces();
        let first = pieces.partition_point(|part| part.value.end <= at);
        for part in pieces.get(first..).unwrap_or_default() {
            if part.value.start >= at + text.len() {
                break;
            }
            let from = part.value.start.max(at);
            let to = part.value.end.min(at + text.len());
            if let Some(part) = text
                .get(from.saturating_sub(at)..to.saturating_sub(at))
                .filter(|_| from < to)
            {
                self.piece(part, self.source.span_of(from..to));
            }
        }
    }

    /// Bytes that were made by other bytes: an escape, a folded line break.
    fn made(&mut self, text: &str, from: Range<usize>) {
        if !text.is_empty() {
            self.piece(text, self.source.span_of(from));
        }
    }

    fn piece(&mut self, text: &str, span: Span) {
        let start = self.value.len();
        self.value.push_str(text);
        self.pieces.push(Piece {
            value: start..self.value.len(),
            span,
        });
    }

    /// A literal block: each line of the value is the end of a line of the file.
    fn literal(&mut self, value: &str, block: &str, start: usize) {
        let mut at = start;
        let mut source = lines(block);
        for wanted in value.split_inclusive('\n') {
            let (bare, length) = source.next().unwrap_or_default();
            let (content, ended) = match wanted.strip_suffix('\n') {
                Some(content) => (content, true),
                None => (wanted, false),
            };
            if !bare.ends_with(content) {
                return;
            }
            self.copy(content, at + bare.len() - content.len());
            if ended {
                self.line_end(at + bare.len()..at + length);
            }
            at += length;
        }
    }

    /// A line break; the last one of a file need not be there.
    fn line_end(&mut self, from: Range<usize>) {
        if from.is_empty() {
            self.piece("\n", self.source.place_of(from.start));
        } else {
            self.made("\n", from);
        }
    }

    /// A folded block: the text of each line stands in the value, with spaces and line breaks between that were made
    /// by the line breaks and the indentation.
    fn folded(&mut self, value: &str, block: &str, start: usize) {
        let mut line_start = start;
        let mut gap = start;
        let mut rest = value;
        for (bare, length) in lines(block) {
            let content = bare.trim_start_matches([' ', '\t']);
            if !content.is_empty() {
                let at = line_start + bare.len() - content.len();
                let skipped = rest.len() - rest.trim_start_matches([' ', '\t', '\n']).len();
                let Some((between, found)) = rest.split_at_checked(skipped) else {
                    return;
                };
                let Some(behind) = found.strip_prefix(content) else {
                    return;
                };
                self.made(between, gap..at);
                self.copy(content, at);
                rest = behind;
                gap = at + content.len();
            }
            line_start += length;
        }
        if gap < line_start {
            self.made(rest, gap..line_start);
        } else if !rest.is_empty() {
            self.piece(rest, self.source.place_of(gap));
        }
    }

    /// A plain or quoted scalar, over one line or several.
    fn flow(&mut self, written: &str, start: usize, quote: Quote) {
        let mut at = 0;
        while at < written.len() {
            let rest = written.get(at..).unwrap_or_default();
            let from = start + at;
            let step = if quote == Quote::Single && rest.starts_with("''") {
                self.made("'", from..from + 2);
                2
            } else if quote == Quote::Double && rest.starts_with('\\') {
                self.escape(rest, from)
            } else if let Some((made, length)) = fold(rest) {
                self.made(&made, from..from + length);
                length
            } else {
                let length = plain(rest, quote);
                self.copy(rest.get(..length).unwrap_or_default(), from);
                length
            };
            at += step.max(1);
        }
    }

    /// One escape of a double-quoted scalar (YAML 1.2.2, section 5.7); the number of bytes it takes.
    fn escape(&mut self, rest: &str, start: usize) -> usize {
        let Some(letter) = rest.chars().nth(1) else {
            return 1;
        };
        if matches!(letter, '\r' | '\n') {
            // An escaped line break: gone, with the indentation of the next line.
            let behind = rest.get(1..).unwrap_or_default();
            let (made, length) = fold(behind).unwrap_or((String::new(), 1));
            let breaks = if made == " " { String::new() } else { made };
            self.made(&breaks, start..start + 1 + length);
            return 1 + length;
        }
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let length = 1 + letter.len_utf8() + digits;
        let code = || u32::from_str_radix(rest.get(2..length)?, 16).ok();
        let character = match letter {
            '0' => Some('\0'),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            't' | '\t' => Some('\t'),
            'n' => Some('\n'),
            'v' => Some('\u{b}'),
            'f' => Some('\u{c}'),
            'r' => Some('\r'),
            'e' => Some('\u{1b}'),
            'N' => Some('\u{85}'),
            '_' => Some('\u{a0}'),
            'L' => Some('\u{2028}'),
            'P' => Some('\u{2029}'),
            'x' | 'u' | 'U' => code().and_then(char::from_u32),
            other => Some(other),
        };
        if let Some(character) = character {
            self.made(
                character.encode_utf8(&mut [0; 4]),
                start..start + length.min(rest.len()),
            );
        }
        length
    }
}

/// A line break at the start of `rest`, with the blanks around it: what it becomes, and its length.
fn fold(rest: &str) -> Option<(String, usize)> {
    let blanks = rest.trim_start_matches([' ', '\t']);
    if !blanks.starts_with(['\r', '\n']) {
        return None;
    }
    let behind = rest.trim_start_matches(BLANKS);
    let length = rest.len() - behind.len();
    let gap = rest.get(..length).unwrap_or_default();
    let breaks = gap.matches('\n').count() + gap.replace("\r\n", "").matches('\r').count();
    let made = if breaks <= 1 {
        " ".to_owned()
    } else {
        "\n".repeat(breaks - 1)
    };
    Some((made, length))
}

/// How many bytes from the start of `rest` are copied as they stand: to the next escape, or to the blanks before a
/// line break.
fn plain(rest: &str, quote: Quote) -> usize {
    let stop = rest.find(|found| match found {
        '\r' | '\n' => true,
        '\'' => quote == Quote::Single,
        '\\' => quote == Quote::Double,
        _ => false,
    });
    let end = stop.unwrap_or(rest.len());
    let taken = rest.get(..end).unwrap_or_default();
    let at_line_end = rest
        .get(end..)
        .is_some_and(|behind| behind.starts_with(['\r', '\n']));
    if at_line_end {
        taken.trim_end_matches([' ', '\t']).len()
    } else {
        taken.len()
    }
}
