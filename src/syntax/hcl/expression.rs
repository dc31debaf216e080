//! The expression grammar.

use crate::text::Text;

use super::reader::{Read, Reader};
use super::tree::{
    Call, Conditional, Expression, For, Form, Item, Key, Operator, Sign, Step, StepKind,
};

/// Operators from the loosest binding to the tightest; longer spellings come first.
const LEVELS: [&[Operator]; 6] = [
    &[Operator::Or],
    &[Operator::And],
    &[Operator::Equal, Operator::NotEqual],
    &[
        Operator::LessOrEqual,
        Operator::GreaterOrEqual,
        Operator::Less,
        Operator::Greater,
    ],
    &[Operator::Add, Operator::Subtract],
    &[Operator::Multiply, Operator::Divide, Operator::Remainder],
];

/// The names of a `for` and what it goes through.
pub(super) struct ForHead {
    pub(super) key_name: Option<Text>,
    pub(super) value_name: Text,
    pub(super) collection: Expression,
}

impl Reader<'_> {
    /// An expression; stands behind its last byte afterwards.
    pub(super) fn expression(&mut self) -> Read<Expression> {
        self.blanks();
        self.conditional()
    }

    fn conditional(&mut self) -> Read<Expression> {
        let condition = self.operation(&LEVELS)?;
        let end = self.at;
        self.blanks();
        if self.peek() != Some(b'?') {
            self.at = end;
            return Ok(condition);
        }
        let mark = self.at;
        self.at += 1;
        let (yes, no) = self.nested(mark, |reader| {
            let yes = reader.expression()?;
            reader.expect(b':', "`:` and the value for false")?;
            Ok((yes, reader.expression()?))
        })?;
        let span = condition.span.cover(no.span);
        let inner = Conditional { condition, yes, no };
        Ok(Expression {
            span,
            form: Form::Conditional(Box::new(inner)),
        })
    }

    fn operation(&mut self, levels: &[&[Operator]]) -> Read<Expression> {
        let Some((level, tighter)) = levels.split_first() else {
            return self.signed();
        };
        let first = self.operation(tighter)?;
        let mut rest = Vec::new();
        loop {
            let end = self.at;
            self.blanks();
            let Some(operator) = self.operator(level) else {
                self.at = end;
                break;
            };
            self.blanks();
            rest.push((operator, self.operation(tighter)?));
        }
        let Some((_, last)) = rest.last() else {
            return Ok(first);
        };
        Ok(Expression {
            span: first.span.cover(last.span),
            form: Form::Operation(Box::new(first), rest),
        })
    }

    fn operator(&mut self, level: &[Operator]) -> Option<Operator> {
        let rest = self.rest();
        let found = level
            .iter()
            .find(|operator| rest.starts_with(operator.symbol()))?;
        // `=>` behind a `for` key and `//` never begin an operator.
        if rest.starts_with("//") || rest.starts_with("/*") {
            return None;
        }
        self.at += found.symbol().len();
        Some(*found)
    }

    fn signed(&mut self) -> Read<Expression> {
        let start = self.at;
        let sign = match self.peek() {
            Some(b'!') => Sign::Not,
            Some(b'-') => Sign::Minus,
            _ => return self.traversal(),
        };
        self.at += 1;
        self.blanks();
        let operand = self.nested(start, |reader| reader.signed())?;
        Ok(Expression {
            span: self.span(start, self.at),
            form: Form::Unary(sign, Box::new(operand)),
        })
    }

    fn traversal(&mut self) -> Read<Expression> {
        let start = self.at;
        let base = self.term()?;
        let mut steps = Vec::new();
        loop {
            let end = self.at;
            self.blanks();
            let read = match self.peek() {
                Some(b'.') if !self.rest().starts_with("...") => self.dot_steps(&mut steps)?,
                Some(b'[') => {
                    let step = self.index_step()?;
                    steps.push(step);
                    true
                }
                _ => false,
            };
            if !read {
                self.at = end;
                break;
            }
        }
        if steps.is_empty() {
            return Ok(base);
        }
        Ok(Expression {
            span: self.span(start, self.at),
            form: Form::Traversal(Box::new(base), steps),
        })
    }

    /// `.name`, `.*`, `.0` or `.0.1`.
    fn dot_steps(&mut self, steps: &mut Vec<Step>) -> Read<bool> {
        let start = self.at;
        self.at += 1;
        self.blanks();
        let kind = if self.peek() == Some(b'*') {
            self.at += 1;
            StepKind::AttributeSplat
        } else if let Some(name) = self.word() {
            StepKind::Attribute(name)
        } else {
            let digits = self.digits();
            if digits.is_empty() {
                return Err(self.unexpected(self.at, "an attribute name, an index or `*`"));
            }
            StepKind::OldIndex(digits)
        };
        steps.push(Step {
            span: self.span(start, self.at),
            kind,
        });
        Ok(true)
    }

    fn index_step(&mut self) -> Read<Step> {
        let start = self.at;
        self.at += 1;
        let kind = self.nested(start, |reader| {
            reader.breaks_are_blank = true;
            reader.blanks();
            if reader.peek() == Some(b'*') {
                reader.at += 1;
                reader.expect(b']', "`]`")?;
                return Ok(StepKind::Splat);
            }
            let index = reader.expression()?;
            reader.expect(b']', "`]` behind the index")?;
            Ok(StepKind::Index(index))
        })?;
        Ok(Step {
            span: self.span(start, self.at),
            kind,
        })
    }

    fn term(&mut self) -> Read<Expression> {
        let start = self.at;
        let form = match self.peek() {
            Some(b'"') => Form::Template(self.quoted()?),
            Some(b'<') if self.rest().starts_with("<<") => return self.heredoc(),
            Some(b'(') => self.parens()?,
            Some(b'[') => self.nested(start, |reader| reader.list(start))?,
            Some(b'{') => self.nested(start, |reader| reader.object(start))?,
            Some(b'0'..=b'9') => self.number()?,
            Some(b'\'') => {
                let reason = "a string stands in double quotes, not in single ones";
                return Err(self.fault(start, reason));
            }
            _ => match self.word() {
                Some(word) => self.name(word)?,
                None => return Err(self.unexpected(start, "an expression")),
            },
        };
        Ok(Expression {
            span: self.span(start, self.at),
            form,
        })
    }

    fn parens(&mut self) -> Read<Form> {
        let open = self.at;
        self.at += 1;
        let inner = self.nested(open, |reader| {
            reader.breaks_are_blank = true;
            let inner = reader.expression()?;
            reader.expect(b')', "`)`")?;
            Ok(inner)
        })?;
        Ok(Form::Parens(Box::new(inner)))
    }

    /// A keyword, a variable or a call.
    fn name(&mut self, word: Text) -> Read<Form> {
        let word = self.namespaced(word)?;
        let end = self.at;
        self.blanks();
        if self.peek() == Some(b'(') {
            let open = self.at;
            return self.nested(open, |reader| reader.call(word, open));
        }
        self.at = end;
        Ok(match word.as_str() {
            "null" => Form::Null,
            "true" => Form::Bool(true),
            "false" => Form::Bool(false),
            _ => Form::Variable(word),
        })
    }

    /// `provider::name::function`.
    fn namespaced(&mut self, word: Text) -> Read<Text> {
        let start = self.at - word.as_str().len();
        while self.rest().starts_with("::") {
            self.at += 2;
            if self.word().is_none() {
                return Err(self.unexpected(self.at, "the name of a function"));
            }
        }
        let whole = self.input.get(start..self.at).unwrap_or_default();
        if whole.len() == word.as_str().len() {
            return Ok(word);
        }
        Ok(Text::verbatim(whole, self.span(start, self.at)))
    }

    fn call(&mut self, name: Text, open: usize) -> Read<Form> {
        self.at += 1;
        self.breaks_are_blank = true;
        let mut call = Call {
            name,
            arguments: Vec::new(),
            expands: false,
        };
        loop {
            self.blanks();
            if self.closes(b')', open, "call")? {
                break;
            }
            call.arguments.push(self.expression()?);
            self.blanks();
            if self.rest().starts_with("...") {
                self.at += 3;
                call.expands = true;
                if self.peek_behind_blanks() == Some(b',') {
                    self.at += 1;
                }
                self.expect(b')', "`)`; only the last argument may be followed by `...`")?;
                break;
            }
            if !self.comma_or(b')', open, "call")? {
                break;
            }
        }
        Ok(Form::Call(Box::new(call)))
    }

    fn list(&mut self, open: usize) -> Read<Form> {
        self.at += 1;
        self.breaks_are_blank = true;
        self.blanks();
        if self.word_is("for") {
            return self.for_expression(open, b']');
        }
        let mut items = Vec::new();
        loop {
            self.blanks();
            if self.closes(b']', open, "list")? {
                break;
            }
            items.push(self.expression()?);
            if !self.comma_or(b']', open, "list")? {
                break;
            }
        }
        Ok(Form::List(items))
    }

    fn object(&mut self, open: usize) -> Read<Form> {
        self.at += 1;
        self.lines();
        if self.word_is("for") {
            self.breaks_are_blank = true;
            return self.for_expression(open, b'}');
        }
        self.breaks_are_blank = false;
        let mut items = Vec::new();
        loop {
            self.lines();
            if self.closes(b'}', open, "object")? {
                break;
            }
            items.push(self.object_item()?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {}
                None => return Err(self.never_closed(open, "object", '}')),
                Some(_) if self.at_line_break() => {}
                Some(_) => {
                    return Err(self.unexpected(self.at, "a comma, a new line or `}`"));
                }
            }
        }
        Ok(Form::Object(items))
    }

    fn object_item(&mut self) -> Read<Item> {
        let key = object_key(self.expression()?);
        self.blanks();
        match self.peek() {
            Some(b'=') if !self.rest().starts_with("==") => {}
            Some(b':') => {}
            _ => return Err(self.unexpected(self.at, "`=` or `:` behind the key")),
        }
        self.at += 1;
        let value = self.expression()?;
        Ok(Item { key, value })
    }

    fn for_expression(&mut self, open: usize, close: u8) -> Read<Form> {
        let head = self.for_head()?;
        self.expect(b':', "`:` behind what the `for` goes through")?;
        let mut value = self.expression()?;
        let mut key = None;
        let mut groups = false;
        self.blanks();
        if close == b'}' {
            if !self.rest().starts_with("=>") {
                return Err(self.unexpected(self.at, "`=>` behind the key"));
            }
            self.at += 2;
            key = Some(value);
            value = self.expression()?;
            self.blanks();
            if self.rest().starts_with("...") {
                groups = true;
                self.at += 3;
                self.blanks();
            }
        }
        let condition = if self.word_is("if") {
            self.at += 2;
            Some(self.expression()?)
        } else {
            None
        };
        self.blanks();
        let what = "`for` expression";
        if !self.closes(close, open, what)? {
            let expected = format!("`{}` or `if`", char::from(close));
            return Err(self.unexpected(self.at, &expected));
        }
        Ok(Form::For(Box::new(For {
            key_name: head.key_name,
            value_name: head.value_name,
            collection: head.collection,
            key,
            value,
            groups,
            condition,
        })))
    }

    /// `for key, value in collection`; stands at `for`.
    pub(super) fn for_head(&mut self) -> Read<ForHead> {
        self.at += "for".len();
        let first = self.for_name()?;
        let mut key_name = None;
        let mut value_name = first;
        if self.peek_behind_blanks() == Some(b',') {
            self.at += 1;
            key_name = Some(value_name);
            value_name = self.for_name()?;
        }
        self.blanks();
        if !self.word_is("in") {
            return Err(self.unexpected(self.at, "`in`"));
        }
        self.at += "in".len();
        let collection = self.expression()?;
        Ok(ForHead {
            key_name,
            value_name,
            collection,
        })
    }

    fn for_name(&mut self) -> Read<Text> {
        self.blanks();
        let at = self.at;
        self.word()
            .ok_or_else(|| self.unexpected(at, "a name for the element"))
    }

    fn number(&mut self) -> Read<Form> {
        let start = self.at;
        self.digits();
        let fraction = self.rest().strip_prefix('.');
        if fraction.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            let mark = self.at;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits().is_empty() {
                return Err(self.fault(mark, "digits are expected behind the exponent mark"));
            }
        }
        if self.word_starts() {
            return Err(self.unexpected(self.at, "an operator or the end of the number"));
        }
        let written = self.input.get(start..self.at).unwrap_or_default();
        Ok(Form::Number(written.to_owned()))
    }

    fn digits(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let digits = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += digits.len();
        digits.to_owned()
    }

    fn peek_behind_blanks(&mut self) -> Option<u8> {
        self.blanks();
        self.peek()
    }

    pub(super) fn expect(&mut self, byte: u8, expected: &str) -> Read<()> {
        self.blanks();
        if self.peek() != Some(byte) {
            return Err(self.unexpected(self.at, expected));
        }
        self.at += 1;
        Ok(())
    }

    /// Steps over `close`, if it stands here.
    fn closes(&mut self, close: u8, open: usize, what: &str) -> Read<bool> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            None => Err(self.never_closed(open, what, char::from(close))),
            Some(_) => Ok(false),
        }
    }

    /// Steps over a comma; or over `close`, and then it is false.
    fn comma_or(&mut self, close: u8, open: usize, what: &str) -> Read<bool> {
        self.blanks();
        if self.closes(close, open, what)? {
            return Ok(false);
        }
        if self.peek() == Some(b',') {
            self.at += 1;
            return Ok(true);
        }
        let expected = format!("a comma or `{}`", char::from(close));
        Err(self.unexpected(self.at, &expected))
    }
}

/// A bare word is its own name; keywords too. A bare reference (`providers = { aws.x = aws.y }`) is left as it is.
fn object_key(written: Expression) -> Key {
    let keyword = match &written.form {
        Form::Variable(name) => return Key::Name(name.clone()),
        Form::Null => Some("null"),
        Form::Bool(true) => Some("true"),
        Form::Bool(false) => Some("false"),
        Form::Number(_)
        | Form::Template(_)
        | Form::List(_)
        | Form::Object(_)
        | Form::Traversal(..)
        | Form::Call(_)
        | Form::Parens(_)
        | Form::Conditional(_)
        | Form::Unary(..)
        | Form::Operation(..)
        | Form::For(_) => None,
    };
    match keyword {
        Some(word) => Key::Name(Text::verbatim(word, written.span)),
        None => Key::Expression(written),
    }
}
