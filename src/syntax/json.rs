//! A strict JSON reader (RFC 8259) that keeps what a linter needs: the span of every key and value, of every escape
//! inside a string, and repeated keys. It reads from a [`Text`], so JSON inside a heredoc or a YAML block is read with
//! the places of the file it stands in.

use crate::text::{Origin, Span, Text, TextBuilder, quoted};

use super::{Entry, Fault, Kind, Node, Parsed};

/// How deep lists and objects may nest.
pub const MAX_DEPTH: usize = 128;

/// Reads one JSON document. A byte order mark at the start is passed over. Comments are a fault, and what stands between
/// them is read all the same.
#[must_use]
pub fn read(text: &Text) -> Parsed {
    let mut reader = Reader::new(text);
    let mut parsed = Parsed::default();
    match reader.document() {
        Ok(node) => parsed.documents.push(node),
        Err(fault) => parsed.faults.push(*fault),
    }
    parsed.faults.extend(reader.commented());
    parsed
}

/// Reads JSON documents that stand one behind another, with or without white space between them: JSON lines, or what
/// several commands have printed. At the first fault that is not a comment reading goes on with the next line that
/// begins a document.
#[must_use]
pub fn read_all(text: &Text) -> Parsed {
    read_halves(text, middle(text))
}

/// The same, where what begins at `middle`, if it is given, is read on the chance that a document begins there.
fn read_halves(text: &Text, middle: Option<usize>) -> Parsed {
    let length = text.as_str().len();
    let mut reader = Reader::new(text);
    let mut parsed = Parsed::default();
    reader.blanks();
    if reader.peek().is_none() && reader.comments.is_empty() {
        parsed.faults.push(*reader.empty());
    }
    let ahead = middle.and_then(|middle| {
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| {
                let mut behind = Reader::new(text);
                behind.at = middle;
                let parsed = behind.documents(length);
                (parsed, behind.comments)
            });
            parsed = reader.documents(middle);
            ahead.join().ok().filter(|_| reader.at == middle)
        })
    });
    let (more, comments) = match ahead {
        Some(ahead) => ahead,
        None => (reader.documents(length), Vec::new()),
    };
    reader.comments.extend(comments);
    parsed.documents.extend(more.documents);
    parsed.faults.extend(more.faults);
    parsed.faults.extend(reader.commented());
    parsed
}

/// Bytes of a file from which on its halves are read side by side.
const LARGE: usize = 256 * 1024;

/// Where a line begins with a bracket, in the middle of a large file.
fn middle(text: &Text) -> Option<usize> {
    let input = text.as_str();
    let half = (input.len() >= LARGE).then_some(input.len() / 2)?;
    let rest = input.as_bytes().get(half..)?;
    let begins = |pair: &[u8]| matches!(pair, [b'\n', b'{' | b'[']);
    Some(half + 1 + rest.windows(2).position(begins)?)
}

/// Bytes of a string that are looked at together.
const MANY: usize = 16;

type Read<T> = Result<T, Box<Fault>>;

struct Reader<'a> {
    /// The text, held by the document that is being read.
    text: Text,
    input: &'a str,
    at: usize,
    depth: usize,
    comments: Vec<Span>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a Text) -> Self {
        let input = text.as_str();
        let mark = '\u{feff}';
        Self {
            text: text.clone(),
            input,
            at: if input.starts_with(mark) {
                mark.len_utf8()
            } else {
                0
            },
            depth: 0,
            comments: Vec::new(),
        }
    }

    fn document(&mut self) -> Read<Node> {
        self.blanks();
        if self.at == self.input.len() {
            return Err(self.empty());
        }
        let node = self.value()?;
        self.blanks();
        if self.at < self.input.len() {
            return Err(self.fault(
                self.at,
                "only one JSON document is allowed, but more text follows",
            ));
        }
        Ok(node)
    }

    /// The documents that begin before byte `until`, each with the blanks behind it.
    fn documents(&mut self, until: usize) -> Parsed {
        let mut parsed = Parsed::default();
        while self.at < until {
            self.text = self.text.held_apart();
            match self.value() {
                Ok(node) => parsed.documents.push(node),
                Err(fault) => {
                    parsed.faults.push(*fault);
                    self.next_document();
                }
            }
            self.blanks();
        }
        parsed
    }

    fn value(&mut self) -> Read<Node> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::list),
            Some(b'"') => self.string().map(Node::text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Kind::Bool(true)),
            Some(b'f') => self.word("false", Kind::Bool(false)),
            Some(b'n') => self.word("null", Kind::Null),
            None => Err(self.fault(start, "the file ends here, but a value is expected")),
            Some(_) => Err(self.unexpected(start, "a value")),
        }
    }

    fn nested(&mut self, inner: fn(&mut Self) -> Read<Kind>) -> Read<Node> {
        let start = self.at;
        if self.depth == MAX_DEPTH {
            return Err(self.fault(start, Fault::too_deep(MAX_DEPTH)));
        }
        self.depth += 1;
        self.at += 1;
        let kind = inner(self)?;
        self.depth -= 1;
        Ok(Node::new(kind, self.span(start, self.at)))
    }

    fn object(&mut self) -> Read<Kind> {
        let mut entries = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b'}') if entries.is_empty() => break,
                Some(b'"') => {}
                Some(b'}') => {
                    return Err(self.trailing_comma("}"));
                }
                None => {
                    return Err(
                        self.fault(self.at, "the file ends inside an object; `}` is missing")
                    );
                }
                Some(_) => return Err(self.unexpected(self.at, "a key in double quotes")),
            }
            let key = self.string()?;
            self.blanks();
            if self.peek() != Some(b':') {
                return Err(self.unexpected(self.at, "`:` behind the key"));
            }
            self.at += 1;
            self.blanks();
            let value = self.value()?;
            entries.push(Entry { key, value });
            self.blanks();
            if !self.comma_or(b'}', "`,` or `}`")? {
                break;
            }
        }
        self.at += 1;
        entries.shrink_to_fit();
        Ok(Kind::Map(entries))
    }

    fn list(&mut self) -> Read<Kind> {
        let mut items = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b']') if items.is_empty() => break,
                Some(b']') => {
                    return Err(self.trailing_comma("]"));
                }
                None => {
                    return Err(self.fault(self.at, "the file ends inside a list; `]` is missing"));
                }
                Some(_) => {}
            }
            items.push(self.value()?);
            self.blanks();
            if !self.comma_or(b']', "`,` or `]`")? {
                break;
            }
        }
        self.at += 1;
        items.shrink_to_fit();
        Ok(Kind::List(items))
    }

    /// Steps over a comma; false when `close` stands there instead.
    fn comma_or(&mut self, close: u8, expected: &str) -> Read<bool> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == close => Ok(false),
            None => Err(self.fault(
                self.at,
                format!("the file ends here, but {expected} is expected"),
            )),
            Some(_) => Err(self.unexpected(self.at, expected)),
        }
    }

    /// The comma before the bracket at which the reader stands.
    fn trailing_comma(&self, close: &str) -> Box<Fault> {
        let before = self.input.get(..self.at).unwrap_or_default();
        let comma = before.rfind(',').unwrap_or(self.at);
        self.fault(
            comma,
            format!("a trailing comma is not allowed before `{close}`"),
        )
    }

    fn word(&mut self, word: &str, kind: Kind) -> Read<Node> {
        let start = self.at;
        if !self.rest().starts_with(word) {
            return Err(self.unexpected(start, "a value"));
        }
        self.at += word.len();
        Ok(Node::new(kind, self.span(start, self.at)))
    }

    fn number(&mut self) -> Read<Node> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected(self.at, "a digit")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.some_digits()?;
        }
        let written = self
            .input
            .get(start..self.at)
            .unwrap_or_default()
            .to_owned();
        Ok(Node::new(Kind::Number(written), self.span(start, self.at)))
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Read<()> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected(self.at, "a digit"));
        }
        self.digits();
        Ok(())
    }

    fn string(&mut self) -> Read<Text> {
        let open = self.at;
        self.at += 1;
        let mut value = TextBuilder::default();
        loop {
            let plain = self.at;
            self.plain();
            if plain == open + 1 && self.peek() == Some(b'"') {
                let token = self.span(open, self.at + 1);
                if let Some(text) = self.text.plain_part(plain..self.at, token) {
                    self.at += 1;
                    return Ok(text);
                }
            }
            value.push_text(&self.text, plain..self.at);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let start = self.at;
                    let character = self.escape()?;
                    let span = self.span(start, self.at);
                    value.push_escape(character.encode_utf8(&mut [0; 4]), span);
                }
                None => {
                    return Err(self.fault(open, "this string is never closed; `\"` is missing"));
                }
                Some(byte) => {
                    let reason =
                        format!("a control character (U+{byte:04X}) must be written as an escape");
                    return Err(self.fault(self.at, reason));
                }
            }
        }
        self.at += 1;
        Ok(value.finish(Origin::Source(self.span(open, self.at))))
    }

    /// Steps over what stands for itself in a string.
    fn plain(&mut self) {
        let rest = self.input.as_bytes().get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\');
        // Many bytes at once, as far as none of them ends it.
        let plain = |many: &&[u8]| !many.iter().fold(false, |end, byte| end | ends(byte));
        self.at += MANY * rest.chunks_exact(MANY).take_while(plain).count();
        let rest = self.input.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(self.bad_escape(start)),
        };
        self.at += 1;
        Ok(character)
    }

    fn bad_escape(&self, start: usize) -> Box<Fault> {
        let written: String = self
            .input
            .get(start..)
            .unwrap_or_default()
            .chars()
            .take(4)
            .collect();
        let octal = written.len() == 4 && written.chars().skip(1).all(|digit| digit.is_digit(8));
        let reason = if octal {
            format!(
                "`{written}` is no JSON escape; a backslash in JSON is written twice: `\\{written}`"
            )
        } else {
            let written: String = written.chars().take(2).collect();
            format!(
                "`{written}` is no JSON escape; allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"
            )
        };
        self.fault(start, reason)
    }

    fn unicode_escape(&mut self, start: usize) -> Read<char> {
        let first = self.hex_escape(start)?;
        if !(0xD800..0xE000).contains(&first) {
            return char::from_u32(first).ok_or_else(|| self.fault(start, "no Unicode character"));
        }
        let lone = "a lone surrogate is no character; a pair \\uD8xx\\uDCxx is expected";
        if first >= 0xDC00 || !self.rest().starts_with("\\u") {
            return Err(self.fault(start, lone));
        }
        self.at += 1;
        let second = self.hex_escape(start)?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(self.fault(start, lone));
        }
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        char::from_u32(code).ok_or_else(|| self.fault(start, lone))
    }

    /// Reads `uXXXX`.
    fn hex_escape(&mut self, start: usize) -> Read<u32> {
        let digits = self.input.get(self.at + 1..self.at + 5);
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(code) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.fault(start, "four hexadecimal digits are expected behind `\\u`"));
        };
        self.at += 5;
        Ok(code)
    }

    fn empty(&self) -> Box<Fault> {
        self.fault(self.at, "the file is empty; a JSON document is expected")
    }

    /// White space, and comments, which are remembered.
    fn blanks(&mut self) {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            let Some(length) = comment(self.rest()) else {
                return;
            };
            self.comments.push(self.span(self.at, self.at + length));
            self.at += length;
        }
    }

    /// The fault of all comments, at the first.
    fn commented(&self) -> Option<Fault> {
        let (first, others) = self.comments.split_first()?;
        let remove = match others.len() {
            0 => "remove it".to_owned(),
            more => format!("remove it and the {more} after it"),
        };
        Some(Fault {
            at: *first,
            reason: format!("this is a comment, and JSON has no comments; {remove}"),
        })
    }

    /// Goes on behind a fault: to the next line that begins with a bracket.
    fn next_document(&mut self) {
        self.depth = 0;
        let rest = self.rest();
        let begins = rest.match_indices('\n').map(|(at, _)| at + 1).find(|at| {
            rest.get(*at..)
                .is_some_and(|rest| rest.starts_with(['{', '[']))
        });
        self.at += begins.unwrap_or(rest.len());
    }

    fn peek(&self) -> Option<u8> {
        self.input.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.input.get(self.at..).unwrap_or_default()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        self.text.span_of(start..end)
    }

    fn unexpected(&self, at: usize, expected: &str) -> Box<Fault> {
        match self.input.get(at..).and_then(|rest| rest.chars().next()) {
            Some(found) => self.fault(
                at,
                format!(
                    "{} stands here, but {expected} is expected",
                    quoted(found.encode_utf8(&mut [0; 4]))
                ),
            ),
            None => self.fault(
                at,
                format!("the file ends here, but {expected} is expected"),
            ),
        }
    }

    fn fault(&self, at: usize, reason: impl Into<String>) -> Box<Fault> {
        let width = self
            .input
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
        let span = if width == 0 {
            self.text.place_of(at)
        } else {
            self.text.span_of(at..at + width)
        };
        Box::new(Fault {
            at: span,
            reason: reason.into(),
        })
    }
}

/// The length of the comment that `rest` begins with, if it does: to the end of the line, or of the block.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("/*") {
        let end = rest.find("*/").map(|at| at + 2);
        return Some(end.unwrap_or(rest.len()));
    }
    (rest.starts_with("//") || rest.starts_with('#'))
        .then(|| rest.find(['\n', '\r']).unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::super::pointer;
    use super::*;
    use crate::text::{FileId, SourceMap};
    use proptest::prelude::*;

    fn parse(input: &str) -> (SourceMap, FileId, Parsed) {
        let mut sources = SourceMap::default();
        let file = sources.add("x.json", input);
        let parsed = read(&sources.text(file).unwrap());
        (sources, file, parsed)
    }

    #[test]
    fn keys_values_and_escapes_know_their_bytes() {
        let input = "{\"한\": [1, \"\\\\052.example.com\"], \"k\": null}";
        let (sources, _, parsed) = parse(input);
        let root = parsed.documents.first().unwrap();
        let name = pointer::find(root, "/한/1").unwrap().as_text().unwrap();
        assert_eq!(name.as_str(), "\\052.example.com");
        assert_eq!(sources.slice(name.span_of(0..4)), "\\\\052");
        assert_eq!(sources.slice(name.span_of(5..12)), "example");
        assert_eq!(sources.slice(name.span()), "\"\\\\052.example.com\"");
        assert_eq!(sources.slice(root.get("k").unwrap().span()), "null");
    }

    proptest! {
        #[test]
        fn halves_give_what_the_whole_gives(
            parts in prop::collection::vec("(\\{\"a\":\n\\{\\}\\}|\\[1,\n\\[\\]\\]|\\{\\}|\\{|#x|//\\{|\n|\n\n| |1)\n?", 0..8),
            pick in 0_usize..8,
        ) {
            let mut sources = SourceMap::default();
            let file = sources.add("x.jsonl", parts.concat());
            let text = sources.text(file).unwrap();
            let input = text.as_str().to_owned();
            let lines: Vec<usize> = input.match_indices('\n').map(|(at, _)| at + 1).collect();
            let middle = lines.get(pick).copied().filter(|at| input.get(*at..).is_some_and(|rest| rest.starts_with(['{', '['])));
            let (whole, halves) = (read_halves(&text, None), read_halves(&text, middle));
            prop_assert_eq!(&whole.documents, &halves.documents);
            prop_assert_eq!(&whole.faults, &halves.faults);
            let spans = |parsed: &Parsed| parsed.documents.iter().map(Node::span).collect::<Vec<_>>();
            prop_assert_eq!(spans(&whole), spans(&halves));
        }
    }

    #[test]
    fn a_repeated_key_is_kept_twice() {
        let (sources, _, parsed) = parse("{\"a\":1,\"b\":{\"x\":1,\"x\":2},\"a\":3}");
        let repeats = parsed.documents.first().unwrap().repeats();
        let places: Vec<_> = repeats
            .iter()
            .map(|r| (r.pointer.as_str(), r.again.as_str(), r.again.span().start))
            .collect();
        assert_eq!(places, [("/b", "x", 18), ("", "a", 25)]);
        assert_eq!(sources.len(), 1);
    }

    #[test]
    fn octal_written_with_one_backslash_is_told_how_to_write_it() {
        let (_, file, parsed) = parse("[\"\\052.example.com\"]");
        let fault = parsed.faults.first().unwrap();
        assert_eq!(fault.at, Span::new(file, 2, 3));
        assert!(fault.reason.contains("`\\\\052`"), "{}", fault.reason);
    }

    #[test]
    fn a_hundred_thousand_brackets_are_refused_with_their_place() {
        let (_, file, parsed) = parse(&"[".repeat(100_000));
        assert_eq!(
            parsed.faults.first().unwrap().at,
            Span::new(file, MAX_DEPTH, MAX_DEPTH + 1)
        );
    }

    #[test]
    fn comments_are_told_once_and_the_rest_is_read() {
        let (sources, _, parsed) = parse("// a\n{\"a\": /* b */ [1, # c\n \"x//y\"]} // d");
        let fault = parsed.faults.first().unwrap();
        assert_eq!(sources.slice(fault.at), "// a");
        assert!(fault.reason.ends_with("remove it and the 3 after it"));
        let list = parsed.documents.first().unwrap().get("a").unwrap();
        assert_eq!(list.as_list().unwrap().len(), 2);
        assert_eq!(parsed.faults.len(), 1);
        assert_eq!(parse("{} /* open").2.documents.len(), 1);
        assert_eq!(parse("// only").2.documents.len(), 0);
    }

    #[test]
    fn documents_behind_one_another_are_all_read_and_a_broken_one_does_not_hide_the_next() {
        let mut sources = SourceMap::default();
        let file = sources.add("x", "{\"a\":1}\n{\"a\":2} [3]\n{\"a\":\n{\"b\":4}\n");
        let parsed = read_all(&sources.text(file).unwrap());
        let shown: Vec<&str> = parsed
            .documents
            .iter()
            .map(|node| sources.slice(node.span()))
            .collect();
        assert_eq!(shown, ["{\"a\":1}", "{\"a\":2}", "[3]"]);
        assert_eq!(parsed.faults.len(), 1);
        let empty = sources.add("y", " ");
        assert_eq!(read_all(&sources.text(empty).unwrap()).faults.len(), 1);
    }

    #[test]
    fn json_inside_another_text_points_into_the_outer_file() {
        let mut sources = SourceMap::default();
        let file = sources.add("main.tf", "policy = <<E\n{\"a\": \"b\"}\nE\n");
        let inner = Text::verbatim("{\"a\": \"b\"}", Span::new(file, 13, 23));
        let parsed = read(&inner);
        let value = parsed.documents.first().unwrap().get("a").unwrap();
        assert_eq!(value.span(), Span::new(file, 19, 22));
        assert_eq!(sources.slice(value.span()), "\"b\"");
    }

    /// JSON and almost-JSON.
    fn jsonish() -> impl Strategy<Value = String> {
        let token = prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just(","),
            Just(":"),
            Just(" "),
            Just("\n"),
            Just("\"a\""),
            Just("\"\\u00e9\""),
            Just("\"\\ud83d\\ude00\""),
            Just("\"\\ud83d\""),
            Just("\"한\""),
            Just("1"),
            Just("-0.5e+3"),
            Just("01"),
            Just("true"),
            Just("null"),
            Just("nul"),
            Just("\"\t\""),
            Just("\\"),
            Just("\""),
            Just("\u{feff}"),
        ];
        prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat())
    }

    #[test]
    fn what_stands_in_the_wrong_place_is_shown_as_it_is() {
        let reason = |input: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("a.json", input);
            let parsed = read(&sources.text(file)?);
            parsed.faults.first().map(|fault| fault.reason.clone())
        };
        assert!(
            reason(r#"{"a" "b"}"#)
                .unwrap()
                .starts_with("`\"` stands here")
        );
        assert!(
            reason("[1 \u{1}]")
                .unwrap()
                .starts_with("`\\u{1}` stands here")
        );
    }

    proptest! {
        #[test]
        fn accepts_exactly_what_serde_json_accepts(input in jsonish()) {
            let (_, _, parsed) = parse(&input);
            let oracle = serde_json::from_str::<serde_json::Value>(input.strip_prefix('\u{feff}').unwrap_or(&input));
            prop_assert_eq!(parsed.faults.is_empty(), oracle.is_ok(), "{:?} {:?}", parsed.faults, oracle.err());
        }

        #[test]
        fn a_stream_is_what_serde_json_reads_as_one(input in jsonish()) {
            let mut sources = SourceMap::default();
            let file = sources.add("x", input.as_str());
            let parsed = read_all(&sources.text(file).unwrap());
            let stripped = input.strip_prefix('\u{feff}').unwrap_or(&input);
            let stream = serde_json::Deserializer::from_str(stripped).into_iter::<serde_json::Value>();
            let oracle: Vec<_> = stream.collect();
            let nothing = oracle.is_empty();
            // serde_json wants white space between numbers and words; brackets and quotes end by themselves.
            if oracle.iter().all(Result::is_ok) {
                prop_assert_eq!(parsed.documents.len(), oracle.len());
                prop_assert_eq!(parsed.faults.is_empty(), !nothing);
            }
        }

        #[test]
        fn any_text_gives_a_tree_or_a_fault_inside_the_file(input in "\\PC*") {
            let (sources, file, parsed) = parse(&input);
            prop_assert!(parsed.documents.len() == 1 || !parsed.faults.is_empty());
            for fault in &parsed.faults {
                prop_assert_eq!(fault.at.file, file);
                prop_assert!(sources.get(file).unwrap().text().get(fault.at.range()).is_some());
            }
        }
    }
}
