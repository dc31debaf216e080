//! Bodies, blocks, attributes, comments and recovery.

use std::collections::BTreeSet;

use crate::syntax::{Comment, Fault};
use crate::text::{Span, Text};

use super::tree::{Attribute, Block, Body, Expression, HclFile, Mistake, MistakeKind};
use super::{MAX_DEPTH, string};

/// How many faults of one file are told; behind them reading stops.
const MAX_FAULTS: usize = 20;

pub(super) type Read<T> = Result<T, Box<Fault>>;

pub(super) struct Reader<'a> {
    pub(super) text: &'a Text,
    pub(super) input: &'a str,
    pub(super) at: usize,
    depth: usize,
    /// Whether it gave up for depth: what follows is most likely the rest of the same nest.
    too_deep: bool,
    /// Whether a line break is a blank here: inside parentheses, brackets and `${…}`.
    pub(super) breaks_are_blank: bool,
    comments: Vec<Comment>,
    faults: Vec<Fault>,
    mistakes: Vec<Mistake>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a Text) -> Self {
        let input = text.as_str();
        Self {
            text,
            input,
            at: if input.starts_with('\u{feff}') {
                '\u{feff}'.len_utf8()
            } else {
                0
            },
            depth: 0,
            too_deep: false,
            breaks_are_blank: false,
            comments: Vec::new(),
            faults: Vec::new(),
            mistakes: Vec::new(),
        }
    }

    pub(super) fn file(mut self) -> HclFile {
        let mut body = Body {
            attributes: Vec::new(),
            blocks: Vec::new(),
            span: self.text.span(),
        };
        loop {
            self.lines();
            if self.at == self.input.len() {
                break;
            }
            let start = self.at;
            if let Err(fault) = self.item(&mut body) {
                self.faults.push(*fault);
                self.recover(start);
            }
            if self.too_deep || self.faults.len() >= MAX_FAULTS {
                break;
            }
        }
        self.repeated_attributes(&body);
        HclFile {
            body,
            comments: self.comments,
            faults: self.faults,
            mistakes: self.mistakes,
        }
    }

    pub(super) fn only_expression(mut self) -> Read<Expression> {
        self.breaks_are_blank = true;
        let expression = self.expression()?;
        self.blanks();
        if self.at < self.input.len() {
            return Err(self.unexpected(self.at, "the end of the expression"));
        }
        match self.first_mistake() {
            Some(mistake) => Err(mistake),
            None => Ok(expression),
        }
    }

    /// One attribute or block, with the line end behind it.
    fn item(&mut self, body: &mut Body) -> Read<()> {
        let start = self.at;
        self.breaks_are_blank = false;
        self.depth = 0;
        self.attribute_or_block(body, start)?;
        self.line_end()
    }

    fn attribute_or_block(&mut self, body: &mut Body, start: usize) -> Read<()> {
        let Some(name) = self.word() else {
            return Err(self.unexpected(start, "the name of an attribute or block"));
        };
        self.blanks();
        if self.peek() == Some(b'=') && !self.rest().starts_with("==") {
            self.at += 1;
            self.blanks();
            let value = self.expression()?;
            let span = self.span(start, self.at);
            body.attributes.push(Attribute { name, value, span });
            return Ok(());
        }
        let block = self.block(name, start)?;
        body.blocks.push(block);
        Ok(())
    }

    fn block(&mut self, kind: Text, start: usize) -> Read<Block> {
        let mut labels = Vec::new();
        let mut head = self.span(start, start + kind.as_str().len());
        loop {
            self.blanks();
            let from = self.at;
            let label = match self.peek() {
                Some(b'{') => break,
                Some(b'"') => self.label()?,
                _ if self.word_starts() => self.bare_label()?,
                _ => {
                    let expected = "`=`, a label in double quotes or `{`";
                    return Err(self.unexpected(from, expected));
                }
            };
            head = head.cover(label.span());
            labels.push(label);
        }
        let open = self.at;
        let body = self.nested(open, |reader| reader.block_body(open))?;
        Ok(Block {
            kind,
            labels,
            body,
            head,
            span: self.span(start, self.at),
        })
    }

    fn bare_label(&mut self) -> Read<Text> {
        let at = self.at;
        self.word()
            .ok_or_else(|| self.unexpected(at, "a label of the block"))
    }

    fn block_body(&mut self, open: usize) -> Read<Body> {
        self.at += 1;
        let mut body = Body {
            attributes: Vec::new(),
            blocks: Vec::new(),
            span: self.span(open + 1, open + 1),
        };
        self.blanks();
        let one_line = !self.at_line_break();
        loop {
            if one_line {
                self.blanks();
            } else {
                self.lines();
            }
            let start = self.at;
            match self.peek() {
                Some(b'}') => break,
                None => return Err(self.never_closed(open, "block", '}')),
                Some(_) if one_line && !body.attributes.is_empty() => {
                    return Err(self.unexpected(
                        start,
                        "`}`; a block in one line holds at most one attribute, break the line",
                    ));
                }
                Some(_) => {}
            }
            self.attribute_or_block(&mut body, start)?;
            self.blanks();
            if self.peek() != Some(b'}') || !one_line {
                self.line_end_in_block(open, one_line)?;
            }
        }
        body.span = self.span(open + 1, self.at);
        self.at += 1;
        self.repeated_attributes(&body);
        Ok(body)
    }

    fn line_end_in_block(&mut self, open: usize, one_line: bool) -> Read<()> {
        if self.at == self.input.len() {
            return Err(self.never_closed(open, "block", '}'));
        }
        if one_line && self.at_line_break() {
            return Err(self.unexpected(
                self.at,
                "`}`; the first attribute of a block that spans lines begins on its own line",
            ));
        }
        self.line_end()
    }

    /// Steps over the end of the line, which must follow.
    fn line_end(&mut self) -> Read<()> {
        self.blanks();
        if self.at == self.input.len() || self.at_line_break() {
            return Ok(());
        }
        Err(self.unexpected(self.at, "a new line"))
    }

    /// Terraform refuses a second attribute of the same name in one body.
    fn repeated_attributes(&mut self, body: &Body) {
        let mut seen = BTreeSet::new();
        for attribute in &body.attributes {
            if !seen.insert(attribute.name.as_str()) {
                self.faults.push(Fault {
                    at: attribute.name.span(),
                    reason: format!(
                        "`{}` is set a second time in this block; an attribute may be set once",
                        attribute.name.as_str()
                    ),
                });
            }
        }
    }

    /// Goes on at the next line behind `start` that looks like the head of a block in the first column.
    fn recover(&mut self, start: usize) {
        let mut at = start;
        while let Some(line) = self
            .input
            .get(at..)
            .and_then(|rest| rest.find('\n').map(|end| at + end + 1))
        {
            at = line;
            if self.input.get(at..).is_some_and(looks_like_block) {
                self.at = at;
                let resumed = self.span(at, at).start;
                self.comments.retain(|comment| comment.span.start < resumed);
                self.mistakes.retain(|mistake| mistake.at.start < resumed);
                return;
            }
        }
        self.at = self.input.len();
    }

    /// Notes what Terraform refuses from `start` to `end`, and is read as it is meant.
    pub(super) fn mistake(&mut self, kind: MistakeKind, start: usize, end: usize) {
        let written = self.input.get(start..end).unwrap_or_default().to_owned();
        let at = self.span(start, end);
        self.mistakes.push(Mistake { at, kind, written });
    }

    /// The first thing that Terraform refuses although it is read, as a fault.
    pub(super) fn first_mistake(&self) -> Option<Box<Fault>> {
        let first = self.mistakes.first()?;
        let written = &first.written;
        let reason = match first.kind {
            MistakeKind::PolicyVariable => {
                format!("`{written}` is no expression; write `${written}` for the text itself")
            }
            MistakeKind::OctalEscape => format!(
                "`{written}` is no escape of Terraform; write the backslash twice, `\\{written}`"
            ),
        };
        Some(Box::new(Fault {
            at: first.at,
            reason,
        }))
    }

    /// A word: a letter or `_`, then letters, digits, `_` and `-`.
    pub(super) fn word(&mut self) -> Option<Text> {
        let word: &str = self.input.get(self.at..).map(leading_word)?;
        if word.is_empty() {
            return None;
        }
        let span = self.span(self.at, self.at + word.len());
        self.at += word.len();
        Some(Text::verbatim(word, span))
    }

    pub(super) fn word_starts(&self) -> bool {
        !leading_word(self.rest()).is_empty()
    }

    /// Whether exactly the word `word` stands here.
    pub(super) fn word_is(&self, word: &str) -> bool {
        leading_word(self.rest()) == word
    }

    /// Runs `inner` one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        at: usize,
        inner: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        if self.depth == MAX_DEPTH {
            self.too_deep = true;
            return Err(self.fault(at, Fault::too_deep(MAX_DEPTH)));
        }
        self.depth += 1;
        let breaks_are_blank = self.breaks_are_blank;
        let read = inner(self);
        self.breaks_are_blank = breaks_are_blank;
        self.depth -= 1;
        read
    }

    /// Steps over blanks and comments, and over line breaks where they are blanks.
    pub(super) fn blanks(&mut self) {
        self.skip(self.breaks_are_blank);
    }

    /// Steps over blanks, comments and line breaks.
    pub(super) fn lines(&mut self) {
        self.skip(true);
    }

    fn skip(&mut self, breaks: bool) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\n') if breaks => self.at += 1,
                Some(b'\r') if self.rest().starts_with("\r\n") && breaks => self.at += 2,
                Some(b'#') => self.comment(1),
                Some(b'/') if self.rest().starts_with("//") => self.comment(2),
                Some(b'/') if self.rest().starts_with("/*") => {
                    if !self.block_comment() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// A comment to the end of the line, behind a mark of `mark` bytes.
    fn comment(&mut self, mark: usize) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        let line = self.rest().get(..length).unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let text = line.get(mark..).unwrap_or_default().to_owned();
        let span = self.span(self.at, self.at + line.len());
        self.at += line.len();
        self.comments.push(Comment { span, text });
    }

    /// A comment between `/*` and `*/`; false when it is never closed: then it stays, to be found as unexpected text.
    fn block_comment(&mut self) -> bool {
        let Some(length) = self.rest().get(2..).and_then(|rest| rest.find("*/")) else {
            return false;
        };
        let inner = self.rest().get(2..2 + length);
        let text = inner.unwrap_or_default().to_owned();
        let span = self.span(self.at, self.at + length + 4);
        self.at += length + 4;
        self.comments.push(Comment { span, text });
        true
    }

    pub(super) fn at_line_break(&self) -> bool {
        self.rest().starts_with('\n') || self.rest().starts_with("\r\n")
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.input.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'a str {
        self.input.get(self.at..).unwrap_or_default()
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        if start == end {
            return self.text.place_of(start);
        }
        self.text.span_of(start..end)
    }

    pub(super) fn never_closed(&self, open: usize, what: &str, close: char) -> Box<Fault> {
        self.fault(
            open,
            format!("this {what} is never closed; `{close}` is missing"),
        )
    }

    pub(super) fn unexpected(&self, at: usize, expected: &str) -> Box<Fault> {
        let rest = self.input.get(at..).unwrap_or_default();
        if rest.starts_with("/*") {
            return self.fault(at, "this comment is never closed; `*/` is missing");
        }
        if rest.starts_with('\n') || rest.starts_with("\r\n") {
            return self.fault(
                at,
                format!("the line ends here, but {expected} is expected"),
            );
        }
        let word = leading_word(rest);
        match rest.chars().next() {
            None => self.fault(
                at,
                format!("the file ends here, but {expected} is expected"),
            ),
            Some(_) if !word.is_empty() => {
                let shown: String = word.chars().take(60).collect();
                let reason = format!("`{shown}` stands here, but {expected} is expected");
                Box::new(Fault {
                    at: self.span(at, at + word.len()),
                    reason,
                })
            }
            Some(found) => {
                let found = string::shown(found);
                self.fault(
                    at,
                    format!("{found} stands here, but {expected} is expected"),
                )
            }
        }
    }

    /// A fault at the one character at `at`.
    pub(super) fn fault(&self, at: usize, reason: impl Into<String>) -> Box<Fault> {
        let next = self.input.get(at..).and_then(|rest| rest.chars().next());
        let width = next.map_or(0, char::len_utf8);
        self.fault_over(at, at + width, reason)
    }

    pub(super) fn fault_over(
        &self,
        start: usize,
        end: usize,
        reason: impl Into<String>,
    ) -> Box<Fault> {
        Box::new(Fault {
            at: self.span(start, end),
            reason: reason.into(),
        })
    }
}

/// The word at the beginning of `rest`; empty when none begins there.
fn leading_word(rest: &str) -> &str {
    let starts = |c: char| c == '_' || c.is_alphabetic();
    let goes_on = |c: char| starts(c) || c == '-' || c.is_numeric();
    if !rest.starts_with(starts) {
        return "";
    }
    let end = rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Whether a line is the head of a block: a word, labels, and an opening brace.
fn looks_like_block(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    let word = leading_word(line);
    let behind = line.get(word.len()..).unwrap_or_default();
    let label = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '.' | '/' | ' ' | '\t' | '{')
    };
    let Some(labels) = behind.split('{').next() else {
        return false;
    };
    !word.is_empty() && behind.contains('{') && labels.chars().all(label)
}
