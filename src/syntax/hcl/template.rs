//! Strings in quotes, heredocs, and what is inserted into them.
//!
//! As in hashicorp/hcl (`hclsyntax/parser_template.go`), a heredoc is a row of one literal a line; the strip marks `~`
//! work on the literal next to them alone, and `<<-` takes away the smallest indentation of its lines.

use crate::syntax::Fault;
use crate::text::{Origin, Span, Text, TextBuilder};

use super::expression::ForHead;
use super::reader::{Read, Reader};
use super::string::policy_variable;
use super::tree::{Expression, ForPart, Form, IfPart, MistakeKind, Part, Quote, Template};

enum Token {
    Literal(TextBuilder),
    Interpolation(Expression),
    Directive(Directive, Span),
}

enum Directive {
    If(Expression),
    Else,
    EndIf,
    For(Box<ForHead>),
    EndFor,
}

/// What ended a row of parts.
enum End {
    Tokens,
    Else(Span),
    If(Span),
    For(Span),
}

type Tokens = std::iter::Peekable<std::vec::IntoIter<Token>>;

impl Reader<'_> {
    /// The label of a block in quotes: no insertions.
    pub(super) fn label(&mut self) -> Read<Text> {
        let open = self.at;
        let template = self.quoted()?;
        if let Some(text) = template.literal() {
            return Ok(text.clone());
        }
        let reason = "nothing can be inserted into the label of a block";
        Err(self.fault_over(open, self.at, reason))
    }

    /// A string in double quotes.
    pub(super) fn quoted(&mut self) -> Read<Template> {
        let open = self.at;
        self.at += 1;
        let mut tokens = Vec::new();
        let mut strip = false;
        loop {
            let mut literal = TextBuilder::default();
            let found = self.at;
            self.quoted_literal(open, &mut literal)?;
            if self.at > found {
                if strip {
                    literal.trim_front();
                }
                tokens.push(Token::Literal(literal));
            }
            if self.peek() == Some(b'"') {
                self.at += 1;
                break;
            }
            strip = self.insertion(&mut tokens)?;
        }
        let token = self.span(open, self.at);
        Ok(Template {
            quote: Quote::Double,
            parts: self.parts(tokens, open, token)?,
        })
    }

    /// Text up to the closing quote or an insertion.
    fn quoted_literal(&mut self, open: usize, literal: &mut TextBuilder) -> Read<()> {
        let mut plain = self.at;
        loop {
            let rest = self.rest();
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.take_plain(plain, literal);
                    self.escape(literal)?;
                    plain = self.at;
                }
                Some(b'$') if let Some(length) = policy_variable(rest) => self.variable(length),
                Some(b'$' | b'%') if opens(rest) => break,
                Some(b'$' | b'%') if doubles(rest) => {
                    self.take_plain(plain, literal);
                    self.doubled(literal);
                    plain = self.at;
                }
                None => return Err(self.never_closed(open, "string", '"')),
                Some(_) if self.at_line_break() => {
                    let reason = "this string is not closed on its line; `\"` is missing, or write `\\n` or a heredoc for a line break";
                    return Err(self.fault(open, reason));
                }
                Some(_) => self.at += 1,
            }
        }
        self.take_plain(plain, literal);
        Ok(())
    }

    /// `<<WORD` or `<<-WORD` to the line that holds the word alone.
    pub(super) fn heredoc(&mut self) -> Read<Expression> {
        let open = self.at;
        self.at += 2;
        let flush = self.peek() == Some(b'-');
        if flush {
            self.at += 1;
        }
        let Some(marker) = self.word() else {
            return Err(self.unexpected(self.at, "the word that ends the heredoc"));
        };
        if !self.at_line_break() {
            let expected = "the end of the line behind the heredoc's word";
            return Err(self.unexpected(self.at, expected));
        }
        self.at += if self.peek() == Some(b'\r') { 2 } else { 1 };
        let mut tokens = self.heredoc_tokens(open, marker.as_str())?;
        if flush {
            take_indentation(&mut tokens);
        }
        let span = self.span(open, self.at);
        let parts = self.parts(tokens, open, span)?;
        let quote = Quote::Heredoc;
        Ok(Expression {
            span,
            form: Form::Template(Template { quote, parts }),
        })
    }

    /// A whole text as a template, such as a file that `templatefile` reads: backslashes are backslashes.
    pub(super) fn whole_template(mut self) -> Read<Template> {
        let mut tokens = Vec::new();
        let mut strip = false;
        while self.at < self.input.len() {
            let found = self.at;
            let mut literal = TextBuilder::default();
            let line_ended = self.heredoc_literal(&mut literal);
            if self.at > found {
                if strip {
                    literal.trim_front();
                }
                strip = false;
                tokens.push(Token::Literal(literal));
            }
            if opens(self.rest()) && !line_ended {
                strip = self.insertion(&mut tokens)?;
            }
        }
        let token = self.span(0, self.at);
        if let Some(mistake) = self.first_mistake() {
            return Err(mistake);
        }
        let quote = Quote::Heredoc;
        let parts = self.parts(tokens, 0, token)?;
        Ok(Template { quote, parts })
    }

    fn heredoc_tokens(&mut self, open: usize, marker: &str) -> Read<Vec<Token>> {
        let mut tokens = Vec::new();
        let mut strip = false;
        let mut line_start = true;
        loop {
            if line_start {
                let line = self.rest().split('\n').next().unwrap_or_default();
                if line.trim() == marker {
                    let indent = line.len() - line.trim_start().len();
                    self.at += indent + marker.len();
                    return Ok(tokens);
                }
            }
            if self.at == self.input.len() {
                let reason =
                    format!("this heredoc is never closed; a line `{marker}` alone is missing");
                return Err(self.fault_over(open, open + 2, reason));
            }
            let found = self.at;
            let mut literal = TextBuilder::default();
            line_start = self.heredoc_literal(&mut literal);
            if self.at > found {
                if strip {
                    literal.trim_front();
                }
                strip = false;
                tokens.push(Token::Literal(literal));
            }
            if opens(self.rest()) && !line_start {
                strip = self.insertion(&mut tokens)?;
            }
        }
    }

    /// Text up to an insertion or to the end of the line, with its line break: then it is true.
    fn heredoc_literal(&mut self, literal: &mut TextBuilder) -> bool {
        let mut plain = self.at;
        let mut line_ended = false;
        while let Some(byte) = self.peek() {
            let rest = self.rest();
            if let Some(length) = policy_variable(rest) {
                self.variable(length);
                continue;
            }
            if opens(rest) {
                break;
            }
            if doubles(rest) {
                self.take_plain(plain, literal);
                self.doubled(literal);
                plain = self.at;
                continue;
            }
            self.at += 1;
            if byte == b'\n' {
                line_ended = true;
                break;
            }
        }
        self.take_plain(plain, literal);
        line_ended
    }

    /// Steps over a policy variable of IAM, which is text as it stands.
    fn variable(&mut self, length: usize) {
        let start = self.at;
        self.at += length;
        self.mistake(MistakeKind::PolicyVariable, start, self.at);
    }

    /// `${…}` or `%{…}`; whether `~` at its end strips what follows.
    fn insertion(&mut self, tokens: &mut Vec<Token>) -> Read<bool> {
        let start = self.at;
        let directive = self.peek() == Some(b'%');
        self.at += 2;
        if self.peek() == Some(b'~') {
            self.at += 1;
            if let Some(Token::Literal(before)) = tokens.last_mut() {
                before.trim_back();
            }
        }
        self.nested(start, |reader| {
            reader.breaks_are_blank = true;
            let inner = if directive {
                let inner = reader.directive()?;
                Token::Directive(inner, reader.span(start, start))
            } else {
                Token::Interpolation(reader.expression()?)
            };
            reader.blanks();
            let strip = reader.peek() == Some(b'~');
            if strip {
                reader.at += 1;
            }
            if reader.peek() != Some(b'}') {
                let expected = "`}` at the end of what is inserted";
                return Err(reader.unexpected(reader.at, expected));
            }
            reader.at += 1;
            let whole = reader.span(start, reader.at);
            tokens.push(match inner {
                Token::Directive(inner, _) => Token::Directive(inner, whole),
                other @ (Token::Literal(_) | Token::Interpolation(_)) => other,
            });
            Ok(strip)
        })
    }

    fn directive(&mut self) -> Read<Directive> {
        self.blanks();
        let at = self.at;
        if self.word_is("for") {
            return Ok(Directive::For(Box::new(self.for_head()?)));
        }
        let word = self.word();
        Ok(match word.as_ref().map(Text::as_str) {
            Some("if") => Directive::If(self.expression()?),
            Some("else") => Directive::Else,
            Some("endif") => Directive::EndIf,
            Some("endfor") => Directive::EndFor,
            _ => {
                let expected = "`if`, `else`, `endif`, `for` or `endfor`";
                return Err(self.unexpected(at, expected));
            }
        })
    }

    /// Puts the tokens of the template at `token` together; at least one part comes out.
    fn parts(&mut self, tokens: Vec<Token>, open: usize, token: Span) -> Read<Vec<Part>> {
        let wraps = tokens.len() == 1;
        let mut tokens = tokens.into_iter().peekable();
        let (mut parts, end) = self.row(&mut tokens, open)?;
        if let Some((word, at)) = end.stray() {
            let reason = format!("`{word}` has no directive that it belongs to");
            return Err(fault(at, reason));
        }
        let empty = || Part::Literal(TextBuilder::default().finish(Origin::Source(token)));
        match parts.as_mut_slice() {
            [] => parts.push(empty()),
            // With an emptied literal beside it, an insertion makes a string and is no longer passed through.
            [Part::Interpolation(_)] if !wraps => parts.push(empty()),
            [Part::Literal(text)] => {
                let pieces = text.pieces().to_vec();
                *text = Text::pieced(text.as_str(), Origin::Source(token), pieces);
            }
            _ => {}
        }
        Ok(parts)
    }

    fn row(&mut self, tokens: &mut Tokens, open: usize) -> Read<(Vec<Part>, End)> {
        let mut parts = Vec::new();
        let mut literal = TextBuilder::default();
        let end = loop {
            let next = tokens.next();
            if !matches!(next, Some(Token::Literal(_))) {
                flush_literal(&mut literal, &mut parts);
            }
            match next {
                None => break End::Tokens,
                Some(Token::Literal(more)) => literal.append(&more),
                Some(Token::Interpolation(inner)) => parts.push(Part::Interpolation(inner)),
                Some(Token::Directive(Directive::Else, span)) => break End::Else(span),
                Some(Token::Directive(Directive::EndIf, span)) => break End::If(span),
                Some(Token::Directive(Directive::EndFor, span)) => break End::For(span),
                Some(Token::Directive(Directive::If(condition), span)) => {
                    let part = self.nested(open, |r| r.if_part(tokens, open, condition, span))?;
                    parts.push(part);
                }
                Some(Token::Directive(Directive::For(head), span)) => {
                    let part = self.nested(open, |r| r.for_part(tokens, open, *head, span))?;
                    parts.push(part);
                }
            }
        };
        Ok((parts, end))
    }

    fn if_part(
        &mut self,
        tokens: &mut Tokens,
        open: usize,
        condition: Expression,
        start: Span,
    ) -> Read<Part> {
        let (yes, mut end) = self.row(tokens, open)?;
        let mut no = Vec::new();
        if matches!(end, End::Else(_)) {
            (no, end) = self.row(tokens, open)?;
        }
        let End::If(last) = end else {
            let reason = "this `if` is never closed; `%{ endif }` is missing";
            return Err(fault(start, reason));
        };
        let span = start.cover(last);
        Ok(Part::If(Box::new(IfPart {
            condition,
            yes,
            no,
            span,
        })))
    }

    fn for_part(
        &mut self,
        tokens: &mut Tokens,
        open: usize,
        head: ForHead,
        start: Span,
    ) -> Read<Part> {
        let (body, end) = self.row(tokens, open)?;
        let End::For(last) = end else {
            let reason = "this `for` is never closed; `%{ endfor }` is missing";
            return Err(fault(start, reason));
        };
        Ok(Part::For(Box::new(ForPart {
            key_name: head.key_name,
            value_name: head.value_name,
            collection: head.collection,
            body,
            span: start.cover(last),
        })))
    }
}

impl End {
    /// The directive that ended a whole template, which none may.
    fn stray(&self) -> Option<(&'static str, Span)> {
        match self {
            Self::Tokens => None,
            Self::Else(span) => Some(("else", *span)),
            Self::If(span) => Some(("endif", *span)),
            Self::For(span) => Some(("endfor", *span)),
        }
    }
}

fn flush_literal(literal: &mut TextBuilder, parts: &mut Vec<Part>) {
    let literal = std::mem::take(literal);
    if let Some(span) = literal.span() {
        parts.push(Part::Literal(literal.finish(Origin::Source(span))));
    }
}

/// Takes the smallest indentation of the lines from each of them. A blank line does not count and stays as it is.
fn take_indentation(tokens: &mut [Token]) {
    let mut smallest = usize::MAX;
    let mut lines = Vec::new();
    let mut line_start = true;
    for (at, token) in tokens.iter().enumerate() {
        let literal = match token {
            Token::Literal(literal) => Some(literal),
            Token::Interpolation(_) | Token::Directive(..) => None,
        };
        if line_start {
            line_start = false;
            match literal.map(|literal| literal.as_str()) {
                Some(text) if text.trim_start().is_empty() && text.ends_with('\n') => {}
                Some(text) => {
                    let spaces = text.chars().take_while(|c| c.is_whitespace()).count();
                    smallest = smallest.min(spaces);
                    lines.push(at);
                }
                None => smallest = 0,
            }
        }
        if literal.is_some_and(|literal| literal.as_str().ends_with('\n')) {
            line_start = true;
        }
    }
    for at in lines {
        if let Some(Token::Literal(literal)) = tokens.get_mut(at) {
            let indentation = literal.as_str().chars().take(smallest);
            let bytes = indentation.map(char::len_utf8).sum();
            literal.cut_front(bytes);
        }
    }
}

fn fault(at: Span, reason: impl Into<String>) -> Box<Fault> {
    Box::new(Fault {
        at,
        reason: reason.into(),
    })
}

/// Whether an insertion begins here.
fn opens(rest: &str) -> bool {
    rest.starts_with("${") || rest.starts_with("%{")
}

/// Whether a doubled mark stands here, which makes plain text of an insertion.
fn doubles(rest: &str) -> bool {
    rest.starts_with("$${") || rest.starts_with("%%{")
}
