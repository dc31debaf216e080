//! TOML (toml.io 1.0 and 1.1) into the one tree: the `toml` crate's recovering reader, with written order and the bytes
//! of every key, value and escape restored.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::text::{Origin, Piece, Span, Text};

use super::{Entry, Fault, Kind, Node, Parsed};

/// How many parts a dotted key may have. The `toml` crate limits nested brackets (to 80) but not these.
pub const MAX_KEY_PARTS: usize = 32;

/// Reads one TOML document. A byte order mark at the start is passed over. What stands around a fault is still read, so
/// there may be several faults and a tree. Comments are not kept: no language of ours in TOML takes suppressions.
#[must_use]
pub fn read(text: &Text) -> Parsed {
    let whole = text.as_str();
    let skipped = if whole.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let reader = Reader {
        text,
        input: whole.get(skipped..).unwrap_or_default(),
        skipped,
    };
    let mut parsed = Parsed::default();
    if let Some(at) = long_key(reader.input) {
        parsed.faults.push(Fault {
            at: reader.span(at, at + 1),
            reason: format!("a dotted key may have at most {MAX_KEY_PARTS} parts"),
        });
        return parsed;
    }
    let (table, errors) = DeTable::parse_recoverable(reader.input);
    parsed.faults = one_a_line(
        reader.input,
        errors.iter().map(|error| reader.fault(error)).collect(),
    );
    parsed.documents.push(Node::new(
        reader.map(table.get_ref()),
        reader.span(0, reader.input.len()),
    ));
    parsed
}

/// Of several faults on one line the first: the others are mostly what the reader stumbles over after it. A key that is
/// set twice is always a fault of its own.
fn one_a_line(input: &str, mut found: Vec<(usize, bool, Fault)>) -> Vec<Fault> {
    found.sort_by_key(|(start, ..)| *start);
    let mut kept = Vec::new();
    let (mut before, mut told) = (0, false);
    for (start, repeated, fault) in found {
        let between = input.get(before..start).unwrap_or_default();
        if between.contains('\n') {
            told = false;
        }
        before = start;
        if repeated || !told {
            kept.push(fault);
        }
        told = told || !repeated;
    }
    kept
}

struct Reader<'a> {
    text: &'a Text,
    /// The text behind a byte order mark.
    input: &'a str,
    skipped: usize,
}

impl Reader<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        let (start, end) = (start + self.skipped, end + self.skipped);
        if start >= end {
            self.text.place_of(start)
        } else {
            self.text.span_of(start..end)
        }
    }

    /// Where it starts, whether a key is set twice, and the fault.
    fn fault(&self, error: &toml::de::Error) -> (usize, bool, Fault) {
        let range = error.span().unwrap_or(self.input.len()..self.input.len());
        let start = border(self.input, range.start);
        let end = border(self.input, range.end).max(start);
        let written = self.input.get(start..end).unwrap_or_default();
        let message = error.message().replace(['\n', '\r'], " ");
        let reason = match message.as_str() {
            "duplicate key" => format!("`{written}` is set twice; keep one of the two"),
            "cannot recurse further; max recursion depth met" => {
                "brackets stand inside each other too deep".to_owned()
            }
            _ if message.contains("must be quoted") && is_number_and_more(written) => {
                format!("`{written}` begins as a number and goes on as something else")
            }
            _ => format!("this is not valid TOML: {message}"),
        };
        let at = self.span(start, end);
        (start, message == "duplicate key", Fault { at, reason })
    }

    fn map(&self, table: &DeTable<'_>) -> Kind {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| Entry {
            key: self.string(key),
            value: self.node(value),
        };
        Kind::Map(entries.into_iter().map(entry).collect())
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let span = value.span();
        let kind = match value.get_ref() {
            DeValue::String(string) => {
                return Node::text(self.pieced(string, span.start, span.end));
            }
            DeValue::Integer(number) => Kind::Number(
                i128::from_str_radix(number.as_str(), number.radix())
                    .map_or_else(|_| number.as_str().to_owned(), |number| number.to_string()),
            ),
            DeValue::Float(number) => Kind::Number(number.as_str().to_owned()),
            DeValue::Boolean(value) => Kind::Bool(*value),
            // TOML's only type that JSON has not; nothing of ours takes one, and as text it is named in the message.
            DeValue::Datetime(date) => {
                let whole = Origin::Source(self.span(span.start, span.end));
                return Node::text(Text::whole(date.to_string(), whole));
            }
            DeValue::Array(items) => Kind::List(items.iter().map(|item| self.node(item)).collect()),
            DeValue::Table(table) => self.map(table),
        };
        Node::new(kind, self.span(span.start, span.end))
    }

    fn string(&self, key: &Spanned<std::borrow::Cow<'_, str>>) -> Text {
        let span = key.span();
        self.pieced(key.get_ref(), span.start, span.end)
    }

    /// The string `value` that is written at `start..end`, with the bytes of each of its characters where they are found.
    fn pieced(&self, value: &str, start: usize, end: usize) -> Text {
        let written = self.input.get(start..end).unwrap_or_default();
        let origin = Origin::Source(self.span(start, end));
        let Some(pieces) = pieces(written, value) else {
            return Text::whole(value, origin);
        };
        let place = |(range, at, to): (std::ops::Range<usize>, usize, usize)| Piece {
            value: range,
            span: self.span(start + at, start + to),
        };
        Text::pieced(value, origin, pieces.into_iter().map(place).collect())
    }
}

/// Which bytes of the token `written` made which bytes of `value`; `None` where the token holds what this does not
/// follow (a line that is continued).
fn pieces(written: &str, value: &str) -> Option<Vec<(std::ops::Range<usize>, usize, usize)>> {
    let (open, escapes) = opening(written);
    let body = written.get(open.0..written.len().checked_sub(open.1)?)?;
    let mut made = String::new();
    let mut found: Vec<(std::ops::Range<usize>, usize, usize)> = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    let push = |made: &mut String, text: &str, from: usize, to: usize| {
        let start = made.len();
        made.push_str(text);
        (start..made.len(), open.0 + from, open.0 + to)
    };
    while let Some(character) = body.get(at..)?.chars().next() {
        if character != '\\' || !escapes {
            at += character.len_utf8();
            continue;
        }
        if plain < at {
            found.push(push(&mut made, body.get(plain..at)?, plain, at));
        }
        let (character, length) = escape(body.get(at..)?)?;
        found.push(push(&mut made, &character.to_string(), at, at + length));
        at += length;
        plain = at;
    }
    if plain < at {
        found.push(push(&mut made, body.get(plain..at)?, plain, at));
    }
    (made == value).then_some(found)
}

/// Length of the opening and closing mark of a token, and whether escapes are read in it.
fn opening(written: &str) -> ((usize, usize), bool) {
    let triple = |mark: &str| {
        written
            .strip_prefix(mark)
            .map(|rest| match rest.as_bytes() {
                [b'\r', b'\n', ..] => 5,
                [b'\n', ..] => 4,
                _ => 3,
            })
    };
    if let Some(open) = triple("\"\"\"") {
        ((open, 3), true)
    } else if let Some(open) = triple("'''") {
        ((open, 3), false)
    } else if written.starts_with('"') {
        ((1, 1), true)
    } else if written.starts_with('\'') {
        ((1, 1), false)
    } else {
        ((0, 0), false)
    }
}

/// The character that the escape at the start of `rest` makes, and the escape's length.
fn escape(rest: &str) -> Option<(char, usize)> {
    let hex = |digits: usize| {
        let code = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
        Some((char::from_u32(code)?, 2 + digits))
    };
    let character = match rest.as_bytes().get(1)? {
        b'b' => '\u{8}',
        b't' => '\t',
        b'n' => '\n',
        b'f' => '\u{c}',
        b'r' => '\r',
        b'e' => '\u{1b}',
        b'"' => '"',
        b'\\' => '\\',
        b'x' => return hex(2),
        b'u' => return hex(4),
        b'U' => return hex(8),
        _ => return None,
    };
    Some((character, 2))
}

/// The largest character border at or before `at`.
fn border(input: &str, at: usize) -> usize {
    let mut at = at.min(input.len());
    while !input.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Where a dotted key has more than [`MAX_KEY_PARTS`] parts. Each part is a table inside the one before, and the crate
/// would go as deep as the key is long.
fn long_key(input: &str) -> Option<usize> {
    let bytes = input.as_bytes();
    let mut dots = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'.' => {
                dots += 1;
                if dots >= MAX_KEY_PARTS {
                    return Some(at);
                }
            }
            b'#' => {
                at += bytes.get(at..)?.iter().take_while(|b| **b != b'\n').count();
                continue;
            }
            b'"' | b'\'' => {
                at += quoted(bytes.get(at..)?, *byte);
                continue;
            }
            b'\n' | b'=' | b',' | b'{' | b'}' | b'[' | b']' => dots = 0,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a value is digits with blanks or letters behind them: a number with a unit or a remark, and no address or date.
fn is_number_and_more(written: &str) -> bool {
    let behind = written.trim_start_matches(|letter: char| letter.is_ascii_digit());
    behind.len() < written.len() && behind.starts_with(|it: char| it == ' ' || it.is_alphabetic())
}

/// Length of the string token at the start of `rest`, up to the line's end where it is not closed.
fn quoted(rest: &[u8], mark: u8) -> usize {
    let triple = rest.starts_with(&[mark, mark, mark]);
    let width = if triple { 3 } else { 1 };
    let mut at = width;
    while let Some(byte) = rest.get(at) {
        let closes = if triple {
            rest.get(at..)
                .is_some_and(|rest| rest.starts_with(&[mark, mark, mark]))
        } else {
            *byte == mark
        };
        if closes {
            return at + width;
        }
        if *byte == b'\n' && !triple {
            return at;
        }
        at += if *byte == b'\\' && mark == b'"' { 2 } else { 1 };
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::super::pointer;
    use super::*;
    use crate::text::{FileId, SourceMap};
    use proptest::prelude::*;

    fn parse(input: &str) -> (SourceMap, FileId, Parsed) {
        let mut sources = SourceMap::default();
        let file = sources.add("x.toml", input);
        let text = sources
            .text(file)
            .unwrap_or_else(|| Text::verbatim("", Span::at(file, 0)));
        let parsed = read(&text);
        (sources, file, parsed)
    }

    #[test]
    fn keys_values_and_escapes_know_their_bytes_in_written_order() {
        let input = "z = 1\n[b]\n'한' = [0x1F, \"\\u0041\\\\052.x\"]\n[[a]]\nk = true\n[[a]]\n";
        let (sources, _, parsed) = parse(input);
        assert_eq!(parsed.faults, []);
        let root = parsed.documents.first().unwrap();
        let keys: Vec<_> = root
            .as_map()
            .unwrap()
            .iter()
            .map(|entry| entry.key.as_str())
            .collect();
        assert_eq!(keys, ["z", "b", "a"]);
        assert_eq!(
            pointer::find(root, "/b/한/0").unwrap().as_integer(),
            Some(31)
        );
        let text = pointer::find(root, "/b/한/1").unwrap().as_text().unwrap();
        assert_eq!(text.as_str(), "A\\052.x");
        assert_eq!(sources.slice(text.span_of(0..1)), "\\u0041");
        assert_eq!(sources.slice(text.span_of(1..5)), "\\\\052");
        assert_eq!(
            sources.slice(pointer::find(root, "/a/1").unwrap().span()),
            "[[a]]"
        );
        assert_eq!(
            sources.slice(pointer::find(root, "/b").unwrap().span()),
            "[b]"
        );
    }

    #[test]
    fn several_faults_are_told_at_once_and_the_rest_is_read() {
        let (sources, _, parsed) = parse("a = \nb = 1\nb = 2\nc = [1,\n");
        assert!(parsed.faults.len() >= 2, "{:?}", parsed.faults);
        let repeated = parsed
            .faults
            .iter()
            .find(|fault| fault.reason.contains("twice"))
            .unwrap();
        assert_eq!(sources.slice(repeated.at), "b");
        assert_eq!(
            parsed
                .documents
                .first()
                .unwrap()
                .get("b")
                .unwrap()
                .as_integer(),
            Some(1)
        );
    }

    #[test]
    fn a_hundred_thousand_brackets_or_key_parts_are_a_fault() {
        for input in [
            "[".repeat(100_000),
            format!("a = {}", "[".repeat(100_000)),
            format!("a{} = 1", ".a".repeat(100_000)),
            format!("[a{}]", ".a".repeat(100_000)),
            format!("a = {}", "{a=".repeat(100_000)),
        ] {
            let (_, _, parsed) = parse(&input);
            assert!(!parsed.faults.is_empty());
        }
    }

    #[test]
    fn dots_in_strings_comments_and_long_lists_are_no_key_parts() {
        let dots = ".".repeat(100);
        let (_, _, parsed) = parse(&format!(
            "# {dots}\na = \"{dots}\\\"{dots}\"\nb = '''{dots}\n{dots}'''\nc = [{}]",
            "1.5,".repeat(100)
        ));
        assert_eq!(parsed.faults, []);
    }

    #[test]
    fn a_byte_order_mark_moves_no_place() {
        let (sources, _, parsed) = parse("\u{feff}a = \"b\"\r\n");
        assert_eq!(parsed.faults, []);
        assert_eq!(
            sources.slice(parsed.documents.first().unwrap().get("a").unwrap().span()),
            "\"b\""
        );
    }

    /// TOML and almost-TOML.
    fn tomlish() -> impl Strategy<Value = String> {
        let token = prop::sample::select(vec![
            "a",
            "b",
            ".",
            "=",
            "[",
            "]",
            "[[",
            "]]",
            "{",
            "}",
            ",",
            " ",
            "\n",
            "\r\n",
            "\"",
            "\"\"\"",
            "'",
            "'''",
            "\\",
            "\\u00e9",
            "\\\n",
            "한",
            "1",
            "0x",
            "1979-05-27",
            "true",
            "#",
            "\t",
            "\u{feff}",
            "inf",
            "_",
        ]);
        prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
    }

    proptest! {
        #[test]
        fn any_text_gives_places_inside_the_file(input in prop_oneof![tomlish(), "\\PC*"]) {
            let (sources, file, parsed) = parse(&input);
            let inside = |span: Span| span.file == file && sources.get(file).is_some_and(|source| source.text().get(span.range()).is_some());
            for fault in &parsed.faults {
                prop_assert!(inside(fault.at), "{:?}", fault);
            }
            let mut open: Vec<&Node> = parsed.documents.iter().collect();
            while let Some(node) = open.pop() {
                prop_assert!(inside(node.span()));
                open.extend(node.as_list().unwrap_or(&[]));
                for entry in node.as_map().unwrap_or(&[]) {
                    prop_assert!(inside(entry.key.span()));
                    open.push(&entry.value);
                }
            }
        }

        #[test]
        fn faults_are_exactly_where_the_crate_refuses(input in tomlish()) {
            let (_, _, parsed) = parse(&input);
            let oracle = input.strip_prefix('\u{feff}').unwrap_or(&input).parse::<toml::Table>();
            prop_assert_eq!(parsed.faults.is_empty(), oracle.is_ok(), "{:?} {:?}", parsed.faults, oracle.err());
        }
    }
}
