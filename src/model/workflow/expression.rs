//! GitHub's expressions: where `${{ … }}` stands in a text, what it refers to, and its structure.
//!
//! Source: GitHub Docs, "Evaluate expressions in workflows and actions". Names know no case there.

use std::ops::Range;

/// One `${{ … }}` in a text; ranges are bytes of the text's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// With the marks.
    pub whole: Range<usize>,
    /// Between the marks.
    pub inner: Range<usize>,
    /// Whether `}}` is there.
    pub closed: bool,
}

/// Every `${{ … }}` of a text. `}}` inside a string in single quotes ends nothing.
#[must_use]
pub fn embedded(text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find("${{")) {
        let start = at + open;
        let inner = start + 3;
        let end = closing(text, inner);
        let whole = start..end.map_or(text.len(), |end| end + 2);
        at = whole.end;
        found.push(Embedded {
            whole,
            inner: inner..end.unwrap_or(text.len()),
            closed: end.is_some(),
        });
    }
    found
}

fn closing(text: &str, from: usize) -> Option<usize> {
    let mut quoted = false;
    let bytes = text.as_bytes().get(from..)?;
    bytes.windows(2).enumerate().find_map(|(at, pair)| {
        if pair.first() == Some(&b'\'') {
            quoted = !quoted;
        }
        (!quoted && pair == b"}}").then_some(from + at)
    })
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A literal.
    Literal(Literal),
    /// A context with its steps, in lower case and with dots: `github.event.inputs.site`; a step that is computed or a
    /// star is `*`.
    Reference(String),
    /// A call.
    Call(String, Vec<Self>),
    /// `!`.
    Not(Box<Self>),
    /// `&&`.
    And(Vec<Self>),
    /// `||`.
    Or(Vec<Self>),
    /// A comparison.
    Compare(Box<Self>, Operation, Box<Self>),
}

/// A literal of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string, its doubled quotes undone.
    Text(String),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `==`, which knows no case.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`, `<=`, `>`, `>=`.
    Order,
}

impl Expression {
    /// Reads what stands between `${{` and `}}`, or a bare `if`. `None` when it is no valid expression.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let tokens = tokens(text)?;
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            depth: 0,
        };
        let read = parser.or()?;
        (parser.at == tokens.len()).then_some(read)
    }

    /// The names of all functions it calls, in lower case.
    #[must_use]
    pub fn calls(&self) -> Vec<&str> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            match next {
                Self::Literal(_) | Self::Reference(_) => {}
                Self::Call(name, parts) => {
                    found.push(name.as_str());
                    open.extend(parts);
                }
                Self::And(parts) | Self::Or(parts) => open.extend(parts),
                Self::Not(inner) => open.push(inner),
                Self::Compare(left, _, right) => open.extend([&**left, &**right]),
            }
        }
        found
    }

    /// Every context it refers to.
    #[must_use]
    pub fn references(&self) -> Vec<&str> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            match next {
                Self::Literal(_) => {}
                Self::Reference(path) => found.push(path.as_str()),
                Self::Call(_, parts) | Self::And(parts) | Self::Or(parts) => {
                    open.extend(parts.iter().rev());
                }
                Self::Not(inner) => open.push(inner),
                Self::Compare(left, _, right) => open.extend([&**right, &**left]),
            }
        }
        found
    }
}

/// Every context that the expressions of a text refer to; `None` when one of them cannot be read.
#[must_use]
pub fn references(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for part in embedded(text) {
        let read = Expression::read(text.get(part.inner)?)?;
        found.extend(read.references().into_iter().map(str::to_owned));
    }
    Some(found)
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Literal(Literal),
    Sign(&'static str),
}

const SIGNS: [&str; 15] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", ",", "*",
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first == '\'' {
            string(rest)?
        } else if first.is_ascii_digit()
            || matches!(first, '+' | '-')
            || first == '.' && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
        {
            number(rest)
        } else if first.is_ascii_alphabetic() || first == '_' {
            word(rest)
        } else if first == '.' {
            (Token::Sign("."), 1)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            (Token::Sign(sign), sign.len())
        };
        found.push(token);
        rest = rest.get(length..)?.trim_start();
    }
    Some(found)
}

fn string(rest: &str) -> Option<(Token, usize)> {
    let mut value = String::new();
    let mut at = 1;
    loop {
        let behind = rest.get(at..)?;
        let quote = behind.find('\'')?;
        value.push_str(behind.get(..quote)?);
        at += quote + 1;
        if !rest.get(at..)?.starts_with('\'') {
            return Some((Token::Literal(Literal::Text(value)), at));
        }
        value.push('\'');
        at += 1;
    }
}

fn number(rest: &str) -> (Token, usize) {
    let is_part = |found: char| found.is_ascii_alphanumeric() || matches!(found, '.' | '+' | '-');
    let length = rest.find(|found| !is_part(found)).unwrap_or(rest.len());
    let digits = rest.get(..length).unwrap_or_default().to_owned();
    (Token::Literal(Literal::Number(digits)), length)
}

fn word(rest: &str) -> (Token, usize) {
    let is_part = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '-');
    let length = rest.find(|found| !is_part(found)).unwrap_or(rest.len());
    let written = rest.get(..length).unwrap_or_default();
    let token = match written {
        "true" => Token::Literal(Literal::Bool(true)),
        "false" => Token::Literal(Literal::Bool(false)),
        "null" => Token::Literal(Literal::Null),
        "NaN" | "Infinity" => Token::Literal(Literal::Number(written.to_owned())),
        _ => Token::Word(written.to_ascii_lowercase()),
    };
    (token, length)
}

/// How deep an expression may nest (GitHub's own limit is 50).
const MAX_DEPTH: usize = 50;

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn or(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut parts = vec![self.and()?];
        while self.sign("||") {
            parts.push(self.and()?);
        }
        self.depth -= 1;
        only_or(parts, Expression::Or)
    }

    fn and(&mut self) -> Option<Expression> {
        let mut parts = vec![self.equality()?];
        while self.sign("&&") {
            parts.push(self.equality()?);
        }
        only_or(parts, Expression::And)
    }

    fn equality(&mut self) -> Option<Expression> {
        self.comparison(
            &[("==", Operation::Equal), ("!=", Operation::NotEqual)],
            |parser| {
                let order = ["<", "<=", ">", ">="].map(|sign| (sign, Operation::Order));
                parser.comparison(&order, Self::unary)
            },
        )
    }

    fn comparison(
        &mut self,
        signs: &[(&str, Operation)],
        next: impl Fn(&mut Self) -> Option<Expression>,
    ) -> Option<Expression> {
        let mut left = next(self)?;
        while let Some((_, operation)) = signs.iter().find(|(sign, _)| self.sign(sign)) {
            let right = next(self)?;
            left = Expression::Compare(Box::new(left), *operation, Box::new(right));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expression> {
        let mut negations = 0;
        while self.sign("!") {
            negations += 1;
            if negations > MAX_DEPTH {
                return None;
            }
        }
        let inner = self.primary()?;
        Some((0..negations).fold(inner, |inner, _| Expression::Not(Box::new(inner))))
    }

    fn primary(&mut self) -> Option<Expression> {
        if self.sign("(") {
            let inner = self.or()?;
            return self.sign(")").then_some(inner);
        }
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        match token {
            Token::Literal(literal) => Some(Expression::Literal(literal)),
            Token::Word(name) if self.sign("(") => {
                let call = Expression::Call(name, self.arguments()?);
                self.steps(String::new()).map(|_| call)
            }
            Token::Word(name) => self.steps(name).map(Expression::Reference),
            Token::Sign(_) => None,
        }
    }

    fn arguments(&mut self) -> Option<Vec<Expression>> {
        let mut found = Vec::new();
        if self.sign(")") {
            return Some(found);
        }
        loop {
            found.push(self.or()?);
            if self.sign(")") {
                return Some(found);
            }
            if !self.sign(",") {
                return None;
            }
        }
    }

    /// `.name`, `.*`, `['name']` and `[index]` behind a context.
    fn steps(&mut self, mut path: String) -> Option<String> {
        loop {
            if self.sign(".") {
                let step = match self.tokens.get(self.at)? {
                    Token::Word(name) => name.clone(),
                    Token::Sign("*") => "*".to_owned(),
                    Token::Literal(Literal::Bool(value)) => value.to_string(),
                    Token::Literal(_) | Token::Sign(_) => return None,
                };
                self.at += 1;
                path.push('.');
                path.push_str(&step);
            } else if self.sign("[") {
                let step = if self.sign("*") {
                    "*".to_owned()
                } else {
                    if let Expression::Literal(Literal::Text(name)) = self.or()? {
                        name.to_ascii_lowercase()
                    } else {
                        "*".to_owned()
                    }
                };
                if !self.sign("]") {
                    return None;
                }
                path.push('.');
                path.push_str(&step);
            } else {
                return Some(path);
            }
        }
    }

    /// Steps over this sign, if it is next.
    fn sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }
}

fn only_or(
    mut parts: Vec<Expression>,
    many: impl Fn(Vec<Expression>) -> Expression,
) -> Option<Expression> {
    if parts.len() > 1 {
        Some(many(parts))
    } else {
        parts.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn closing_braces_inside_a_string_end_nothing() {
        let text = "a ${{ '}}' }} ${{ b }} ${{ c";
        let found: Vec<_> = embedded(text)
            .into_iter()
            .map(|part| (text.get(part.inner).unwrap_or_default(), part.closed))
            .collect();
        assert_eq!(found, [(" '}}' ", true), (" b ", true), (" c", false)]);
    }

    #[test]
    fn contexts_are_found_in_every_spelling() {
        let text = "${{ format('{0}', GitHub['Event'].issue.title) || !(vars.A == inputs[matrix.x].y) && a.*.b }}";
        let found = references(text).unwrap();
        assert_eq!(
            found,
            ["github.event.issue.title", "vars.a", "inputs.*.y", "a.*.b"]
        );
        assert_eq!(references("${{ a ' }}"), None);
        assert_eq!(references("none"), Some(Vec::new()));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z.'()!&|=<>*, \\[\\]0-9${}한]{0,60}") {
            let _read = Expression::read(&text);
            for part in embedded(&text) {
                prop_assert!(text.get(part.whole).is_some() && text.get(part.inner).is_some());
            }
        }
    }
}
