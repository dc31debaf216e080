//! Texts of a policy, compiled: literal, with wildcards, with variables (IAM User Guide, "Policy variables").

use std::borrow::Cow;

use crate::model::policy::{self, LONG, glyphs_match};

use super::{ContextValue, Request};

/// What is special in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Syntax {
    /// `*` and `?` are patterns.
    pub(super) wildcards: bool,
    /// `${…}` is filled in: only in documents of version 2012-10-17.
    pub(super) variables: bool,
}

/// A compiled text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    /// `*`.
    Anything,
    /// No wildcard, no variable.
    Exact(Box<str>),
    /// A text and `*`.
    Prefix(Box<str>),
    /// Wildcards, no variable.
    Glob(Box<[Glyph]>),
    /// Variables.
    Template(Box<[Token]>),
}

/// One character of a pattern.
pub(super) type Glyph = policy::Glyph;

/// A part of a text with variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A character or wildcard.
    Glyph(Glyph),
    /// A variable.
    Variable(Variable),
}

/// `${key}` or `${key, 'default'}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    /// The key as written.
    pub(super) key: Box<str>,
    /// The key in lower case.
    pub(super) folded: Box<str>,
    /// What stands for it when it has no value.
    pub(super) default: Option<Box<str>>,
}

impl Variable {
    fn value<'a>(&'a self, request: &'a Request) -> Option<&'a str> {
        match request.value(&self.folded) {
            Some(ContextValue::Single(value)) => Some(value),
            Some(ContextValue::Multi(_)) | None => self.default.as_deref(),
        }
    }

    /// Whether it is written as no policy variable is: every key has a colon. A template language has left it there.
    fn is_unfilled(&self) -> bool {
        !self.key.contains(':')
    }
}

impl Pattern {
    /// Compiles `text`.
    pub(super) fn new(text: &str, syntax: Syntax) -> Self {
        Self::from_tokens(tokens(text, syntax))
    }

    pub(super) fn from_tokens(tokens: Vec<Token>) -> Self {
        let mut glyphs = Vec::with_capacity(tokens.len());
        for token in &tokens {
            match token {
                Token::Glyph(glyph) => glyphs.push(*glyph),
                Token::Variable(_) => return Self::Template(tokens.into_boxed_slice()),
            }
        }
        Self::from_glyphs(glyphs)
    }

    fn from_glyphs(glyphs: Vec<Glyph>) -> Self {
        if glyphs.iter().all(|glyph| matches!(glyph, Glyph::Char(_))) {
            return Self::Exact(literal(&glyphs));
        }
        match glyphs.split_last() {
            Some((Glyph::Run, [])) => Self::Anything,
            Some((Glyph::Run, before))
                if before.iter().all(|glyph| matches!(glyph, Glyph::Char(_))) =>
            {
                Self::Prefix(literal(before))
            }
            _ => Self::Glob(glyphs.into_boxed_slice()),
        }
    }

    /// Whether it matches all of `text`. A variable without a value makes it match nothing.
    pub(super) fn matches(&self, text: &str, request: &Request) -> bool {
        match self {
            Self::Anything => true,
            Self::Exact(exact) => **exact == *text,
            Self::Prefix(prefix) => text.starts_with(&**prefix),
            Self::Glob(glyphs) => glob(glyphs, text),
            Self::Template(tokens) => {
                filled(tokens, request).is_some_and(|glyphs| glob(&glyphs, text))
            }
        }
    }

    /// The text of a pattern without wildcards; `None` when a variable has no value.
    pub(super) fn text<'a>(&'a self, request: &'a Request) -> Option<Cow<'a, str>> {
        match self {
            Self::Exact(exact) => Some(Cow::Borrowed(exact)),
            Self::Template(tokens) => {
                let glyphs = filled(tokens, request)?;
                Some(Cow::Owned(String::from(literal(&glyphs))))
            }
            Self::Anything | Self::Prefix(_) | Self::Glob(_) => None,
        }
    }

    /// Its characters and wildcards, variables filled in; `None` when a variable has no value.
    pub(super) fn glyphs(&self, request: &Request) -> Option<Vec<Glyph>> {
        let plain = |text: &str| text.chars().map(Glyph::Char).collect::<Vec<_>>();
        match self {
            Self::Anything => Some(vec![Glyph::Run]),
            Self::Exact(exact) => Some(plain(exact)),
            Self::Prefix(prefix) => Some([plain(prefix), vec![Glyph::Run]].concat()),
            Self::Glob(glyphs) => Some(glyphs.to_vec()),
            Self::Template(tokens) => filled(tokens, request),
        }
    }

    /// The variables in it.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Variable> {
        let tokens: &[Token] = match self {
            Self::Template(tokens) => tokens,
            Self::Anything | Self::Exact(_) | Self::Prefix(_) | Self::Glob(_) => &[],
        };
        tokens.iter().filter_map(|token| match token {
            Token::Variable(variable) => Some(variable),
            Token::Glyph(_) => None,
        })
    }

    /// Whether it has variables.
    pub(super) fn has_variables(&self) -> bool {
        self.variables().next().is_some()
    }

    /// Whether `other` matches whatever this one matches: the same text with the same variables, some of which have a
    /// default there and none here.
    pub(super) fn implies(&self, other: &Self) -> bool {
        let (Self::Template(own), Self::Template(others)) = (self, other) else {
            return false;
        };
        let pairs = own.iter().zip(others);
        let same = |(own, other): (&Token, &Token)| match (own, other) {
            (Token::Variable(own), Token::Variable(other)) => {
                let default = own.default.is_none() || own.default == other.default;
                own.folded == other.folded && default
            }
            (own, other) => own == other,
        };
        own.len() == others.len() && pairs.into_iter().all(same)
    }

    /// The pattern with `*` for each variable: it matches whatever this one matches, in any request.
    pub(super) fn hull(&self) -> Self {
        match self {
            Self::Template(tokens) => {
                let open = |token: &Token| match token {
                    Token::Variable(_) => Token::Glyph(Glyph::Run),
                    Token::Glyph(glyph) => Token::Glyph(*glyph),
                };
                Self::from_tokens(tokens.iter().map(open).collect())
            }
            Self::Anything | Self::Exact(_) | Self::Prefix(_) | Self::Glob(_) => self.clone(),
        }
    }

    /// The name of a variable that a template language has left unfilled.
    pub(super) fn unfilled(&self) -> Option<&str> {
        self.variables()
            .find(|variable| variable.is_unfilled())
            .map(|variable| &*variable.key)
    }
}

/// The characters of glyphs, wildcards as they are written.
pub(super) fn literal(glyphs: &[Glyph]) -> Box<str> {
    let text: String = glyphs
        .iter()
        .map(|glyph| match glyph {
            Glyph::Char(character) => *character,
            Glyph::One => '?',
            Glyph::Run => '*',
        })
        .collect();
    text.into_boxed_str()
}

/// The glyphs of `tokens`, with values in place of variables; a `*` in a value is a plain character.
fn filled(tokens: &[Token], request: &Request) -> Option<Vec<Glyph>> {
    let mut glyphs = Vec::with_capacity(tokens.len() + 32);
    for token in tokens {
        match token {
            Token::Glyph(glyph) => glyphs.push(*glyph),
            Token::Variable(variable) => {
                glyphs.extend(variable.value(request)?.chars().map(Glyph::Char));
            }
        }
    }
    Some(glyphs)
}

/// Takes `text` apart.
pub(super) fn tokens(text: &str, syntax: Syntax) -> Vec<Token> {
    taken_apart(text, syntax).0
}

/// The tokens of `text`, and how many of its bytes were looked at in search of where variables end.
fn taken_apart(text: &str, syntax: Syntax) -> (Vec<Token>, usize) {
    let mut tokens = Vec::with_capacity(text.len());
    let mut ends = Ends::of(text);
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if syntax.variables
            && character == '$'
            && let Some((token, end)) = variable(text, at, &mut ends)
        {
            tokens.push(token);
            at = end;
            continue;
        }
        tokens.push(Token::Glyph(match character {
            '*' if syntax.wildcards => Glyph::Run,
            '?' if syntax.wildcards => Glyph::One,
            other => Glyph::Char(other),
        }));
        at += character.len_utf8();
    }
    let looked = ends.brace.looked + ends.default.looked + ends.quote.looked;
    (tokens, looked)
}

/// What ends the parts of a variable, looked for once however many variables are begun before it.
struct Ends<'a> {
    /// The end of a variable without default.
    brace: Ahead<'a>,
    /// What stands between the key and its default.
    default: Ahead<'a>,
    /// The end of the default and of its variable.
    quote: Ahead<'a>,
}

/// The next place of a text at which `needle` stands.
struct Ahead<'a> {
    text: &'a str,
    needle: &'static str,
    /// Where it stands behind the last place that was asked for; `None` before the first.
    next: Option<usize>,
    looked: usize,
}

impl<'a> Ends<'a> {
    fn of(text: &'a str) -> Self {
        let ahead = |needle| Ahead {
            text,
            needle,
            next: None,
            looked: 0,
        };
        Self {
            brace: ahead("}"),
            default: ahead(", '"),
            quote: ahead("'}"),
        }
    }
}

impl Ahead<'_> {
    /// The first place at or behind `at`, which never goes back.
    fn from(&mut self, at: usize) -> Option<usize> {
        let end = self.text.len();
        let next = match self.next {
            Some(next) if next >= at => next,
            Some(_) | None => {
                let found = self.text.get(at..)?.find(self.needle);
                let found = found.map_or(end, |found| at + found);
                self.looked += found - at;
                found
            }
        };
        self.next = Some(next);
        (next < end).then_some(next)
    }
}

/// The variable that begins at byte `at` of `text`, and the byte behind it.
fn variable(text: &str, at: usize, ends: &mut Ends<'_>) -> Option<(Token, usize)> {
    let inside = text.get(at..)?.strip_prefix("${").map(|_| at + 2)?;
    let brace = ends.brace.from(inside)?;
    let default = ends.default.from(inside).filter(|at| at + 3 <= brace);
    let (content, end) = match default {
        Some(default) => {
            let quote = ends.quote.from(default + 3)?;
            let content = (text.get(inside..default)?, text.get(default + 3..quote));
            (content, quote + 2)
        }
        None => ((text.get(inside..brace)?, None), brace + 1),
    };
    let token = match content {
        ("", _) => return None,
        ("*", None) => Token::Glyph(Glyph::Char('*')),
        ("?", None) => Token::Glyph(Glyph::Char('?')),
        ("$", None) => Token::Glyph(Glyph::Char('$')),
        (key, default) => Token::Variable(Variable {
            key: key.into(),
            folded: key.to_ascii_lowercase().into_boxed_str(),
            default: default.map(Into::into),
        }),
    };
    Some((token, end))
}

/// Whether `glyphs` match all of `text`, where both are short: two places and the last star, which takes one character more at each mismatch.
fn glob(glyphs: &[Glyph], text: &str) -> bool {
    if glyphs.len().saturating_mul(text.len()) > LONG {
        return glyphs_match(glyphs, text);
    }
    let (mut at, mut rest) = (0, text.chars());
    let mut star: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        let mut ahead = rest.clone();
        let step = match (glyphs.get(at), ahead.next()) {
            (None, None) => return true,
            (Some(Glyph::Run), _) => {
                at += 1;
                star = Some((at, rest.clone()));
                continue;
            }
            (Some(Glyph::One), Some(_)) => true,
            (Some(Glyph::Char(wanted)), Some(found)) => *wanted == found,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if step {
            at += 1;
            rest = ahead;
            continue;
        }
        let Some((after, taken)) = &mut star else {
            return false;
        };
        if taken.next().is_none() {
            return false;
        }
        at = *after;
        rest = taken.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::policy::glob_matches;

    const ALL: Syntax = Syntax {
        wildcards: true,
        variables: true,
    };

    fn matches(pattern: &str, text: &str) -> bool {
        let request = Request::new("a:B", "*")
            .with("aws:username", ContextValue::Single("B*b".to_owned()))
            .with("k:list", ContextValue::Multi(vec!["x".to_owned()]));
        Pattern::new(pattern, ALL).matches(text, &request)
    }

    #[test]
    fn variables_are_filled_in_and_their_stars_are_plain() {
        assert!(matches("a/${AWS:UserName}/*", "a/B*b/x"));
        assert!(!matches("a/${aws:username}/*", "a/Bxb/x"));
        assert!(matches("${a:b, 'it''s'}", "it''s"));
        assert!(!matches("${a:b}", ""));
        assert!(!matches("${k:list}", "x"));
    }

    #[test]
    fn literal_escapes_and_broken_variables_are_text() {
        assert!(matches("${*}${?}${$}", "*?$"));
        assert!(matches("${", "${") && matches("${}", "${}") && matches("${a:b", "${a:b"));
        assert!(!matches("${*}", "x"));
    }

    #[test]
    fn a_name_without_colon_is_an_unfilled_template() {
        assert_eq!(
            Pattern::new("x${var.zone}", ALL).unfilled(),
            Some("var.zone")
        );
        assert_eq!(Pattern::new("${aws:username}", ALL).unfilled(), None);
    }

    #[test]
    fn each_byte_is_looked_at_a_few_times_however_many_variables_begin() {
        for part in ["${", "${a, 'b", "${a, 'b}", "${a:b", "$${}", "${a, '${b}"] {
            for tail in ["", "}", ", '", ", 'x}"] {
                let text = part.repeat(10_000) + tail;
                let looked = taken_apart(&text, ALL).1;
                assert!(looked <= 3 * text.len(), "{part} {tail}: {looked}");
            }
        }
    }

    /// The variable at the start of `rest` as it is defined, each end looked for by itself.
    fn plain_variable(rest: &str) -> Option<(&str, Option<&str>, usize)> {
        let inside = rest.strip_prefix("${")?;
        let plain = inside.split('}').next()?;
        let Some((key, _)) = plain.split_once(", '") else {
            let closed = plain.len() < inside.len() && !plain.is_empty();
            return closed.then_some((plain, None, plain.len() + 3));
        };
        let after = inside.get(key.len() + 3..)?;
        let end = after.find("'}")?;
        let length = 2 + key.len() + 3 + end + 2;
        (!key.is_empty()).then_some((key, Some(after.get(..end)?), length))
    }

    proptest::proptest! {
        #[test]
        fn variables_are_those_that_each_end_by_itself_gives(text in "[$a{}*,' :]{0,24}") {
            let mut at = 0;
            for token in tokens(&text, ALL) {
                let rest = text.get(at..).unwrap_or_default();
                let variable = plain_variable(rest);
                let length = variable.map_or_else(
                    || rest.chars().next().map_or(0, char::len_utf8),
                    |(.., length)| length,
                );
                if let Token::Variable(found) = token {
                    let same = Some((&*found.key, found.default.as_deref(), length));
                    proptest::prop_assert_eq!(same, variable);
                } else if let Some((key, default, _)) = variable {
                    proptest::prop_assert!(matches!(key, "*" | "?" | "$") && default.is_none());
                }
                at += length;
            }
            proptest::prop_assert_eq!(at, text.len());
        }

        #[test]
        fn compiled_globs_agree_with_the_plain_matcher(pattern in "[ab*?é]{0,8}", text in "[abé*?]{0,8}") {
            proptest::prop_assert_eq!(matches(&pattern, &text), glob_matches(&pattern, &text));
        }

        #[test]
        fn compiling_never_panics(pattern in "[$a-c{}*?,' :é]{0,16}", text in ".{0,8}") {
            let _ = matches(&pattern, &text);
        }
    }
}
