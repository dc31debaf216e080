//! Regular expressions: RE2's syntax, as Go has it, for the crate `regex`, which differs from it in what `\d`, `\w`, `\s` and
//! `\b` mean (ASCII there, Unicode here) and in what needs an escape inside of brackets.

use regex::{Captures, Regex, RegexBuilder};

use super::{Arguments, Signature, takes};
use crate::terraform::Eval;
use crate::terraform::evaluate::text_at;
use crate::terraform::failure::fault;
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind};
use crate::text::{Text, TextBuilder, quoted};

/// The largest compiled expression, in bytes.
const MAX_SIZE: usize = 1 << 20;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "regex" => takes(2, 2, first_match),
        "regexall" => takes(2, 2, all_matches),
        _ => return None,
    })
}

/// What the crate calls `pattern`; `None` where it cannot be said in its language.
fn translated(pattern: &str) -> String {
    let mut out = String::new();
    let mut characters = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('d') => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') => out.push_str(if in_class {
                    "0-9A-Za-z_"
                } else {
                    "[0-9A-Za-z_]"
                }),
                Some('W') => out.push_str("[^0-9A-Za-z_]"),
                Some('s') => out.push_str(if in_class {
                    r"\t\n\f\r "
                } else {
                    r"[\t\n\f\r ]"
                }),
                Some('S') => out.push_str(r"[^\t\n\f\r ]"),
                Some('b') if !in_class => out.push_str(r"(?-u:\b)"),
                Some('B') if !in_class => out.push_str(r"(?-u:\B)"),
                Some('Q') => literal(&mut characters, &mut out),
                Some(mark @ ('p' | 'P')) => kind(mark, &mut characters, &mut out),
                Some(other) => {
                    out.push('\\');
                    out.push(other);
                }
                None => out.push('\\'),
            },
            '[' if in_class && characters.peek() == Some(&':') => out.push('['),
            '[' if in_class => out.push_str(r"\["),
            '[' => {
                in_class = true;
                out.push('[');
                if characters.peek() == Some(&'^') {
                    characters.next();
                    out.push('^');
                }
                if characters.peek() == Some(&']') {
                    characters.next();
                    out.push_str(r"\]");
                }
            }
            ']' if in_class => {
                // The end of a named class inside of brackets is followed by the end of the brackets.
                in_class =
                    out.ends_with(':') && out.matches("[:").count() > out.matches(":]").count();
                out.push(']');
            }
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(character);
            }
            '{' if !in_class && !opens_repetition(characters.clone()) => out.push_str(r"\{"),
            other => out.push(other),
        }
    }
    out
}

/// `\p{Greek}`, `\p{^L}`, `\pN`: characters of a general category or a script, by the exact name that Unicode gives it.
fn kind(mark: char, characters: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    if characters.peek() != Some(&'{') {
        out.push('\\');
        out.push(mark);
        out.extend(characters.next());
        return;
    }
    characters.next();
    let mut name: String = characters.by_ref().take_while(|c| *c != '}').collect();
    let mut negative = mark == 'P';
    if name.starts_with('^') {
        negative = !negative;
        name.remove(0);
    }
    let mark = if negative { 'P' } else { 'p' };
    let exact = name.split('_').all(|word| {
        let mut letters = word.chars();
        letters
            .next()
            .is_some_and(|first| first.is_ascii_uppercase())
            && letters.all(|letter| letter.is_ascii_lowercase())
    });
    match name.as_str() {
        // No string has a surrogate in it.
        "Cs" if negative => out.push_str(r"\p{Any}"),
        "Cs" => out.push_str(r"\P{Any}"),
        "Any" => out.push_str(&format!(r"\{mark}{{Any}}")),
        _ if exact && name.len() < 3 => out.push_str(&format!(r"\{mark}{{gc={name}}}")),
        _ if exact => out.push_str(&format!(r"\{mark}{{sc={name}}}")),
        // There is none of this name: what is left is no regular expression in either language.
        _ => out.push_str(r"\p{}"),
    }
}

/// `\Q…\E`: text as it stands.
fn literal(characters: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    while let Some(character) = characters.next() {
        if character == '\\' && characters.peek() == Some(&'E') {
            characters.next();
            return;
        }
        out.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
    }
}

/// Whether `{` is followed by `n}`, `n,}` or `n,m}`; else it stands for itself in Go.
fn opens_repetition(rest: impl Iterator<Item = char>) -> bool {
    let inner: String = rest.take_while(|c| *c != '}').take(20).collect();
    let (low, high) = inner.split_once(',').unwrap_or((&inner, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !low.is_empty() && digits(low) && digits(high)
}

impl Arguments {
    fn compiled(&self, pattern: &Text) -> Eval<Result<Regex, Value>> {
        let written = pattern.as_str();
        match RegexBuilder::new(&translated(written))
            .size_limit(MAX_SIZE)
            .build()
        {
            Ok(regex) => Ok(Ok(regex)),
            Err(regex::Error::CompiledTooBig(_)) => {
                Ok(Err(self.not_evaluated("a regular expression of this size")))
            }
            Err(_) => {
                let reason = format!("{} is no regular expression", quoted(written));
                Err(fault(pattern.span(), reason))
            }
        }
    }

    /// What was found: the text, or with groups each of them.
    fn found(&self, regex: &Regex, captures: &Captures<'_>, text: &Text) -> Value {
        let part = |at: usize| match captures.get(at) {
            Some(found) => Value::text(self.cut(text, found.start(), found.end())),
            None => self.result(ValueKind::Null),
        };
        if regex.captures_len() == 1 {
            return part(0);
        }
        let names: Vec<Option<&str>> = regex.capture_names().skip(1).collect();
        if names.iter().all(Option::is_none) {
            let items = (1..regex.captures_len()).map(part).collect();
            return self.result(ValueKind::Sequence(Sequence::Tuple, items));
        }
        let named = names.iter().enumerate().filter_map(|(at, name)| {
            let name = text_at((*name)?, self.span);
            Some((name, part(at + 1)))
        });
        self.result(ValueKind::Mapping(Mapping::Object, named.collect()))
    }

    fn mixes(&self, regex: &Regex) -> Eval<()> {
        let named = regex.capture_names().skip(1).flatten().count();
        if named > 0 && named + 1 < regex.captures_len() {
            let reason = "the groups of a regular expression have names, all of them or none";
            return Err(fault(self.span, reason));
        }
        Ok(())
    }

    /// `replace` with a pattern between slashes; `$1` and `${name}` in `with` stand for groups.
    pub(super) fn replaced(&self, text: &Text, pattern: &Text, with: &Text) -> Eval<Value> {
        let inner = pattern.as_str().len().saturating_sub(1);
        let pattern = self.cut(pattern, 1, inner);
        let regex = match self.compiled(&pattern)? {
            Ok(regex) => regex,
            Err(value) => return Ok(value),
        };
        let mut builder = TextBuilder::default();
        let mut from = 0;
        for captures in regex.captures_iter(text.as_str()) {
            let Some(found) = captures.get(0) else {
                continue;
            };
            builder.push_text(text, from..found.start());
            let mut inserted = String::new();
            captures.expand(with.as_str(), &mut inserted);
            if inserted == with.as_str() {
                builder.push_whole(with);
            } else {
                builder.push_escape(&inserted, text.span_of(found.range()));
            }
            from = found.end();
            self.afford(0, builder.as_str().len())?;
        }
        builder.push_text(text, from..text.as_str().len());
        Ok(self.built(builder))
    }
}

fn first_match(given: &Arguments) -> Eval<Value> {
    let (pattern, text) = (given.text(0)?, given.text(1)?);
    let regex = match given.compiled(&pattern)? {
        Ok(regex) => regex,
        Err(value) => return Ok(value),
    };
    given.mixes(&regex)?;
    match regex.captures(text.as_str()) {
        Some(captures) => Ok(given.found(&regex, &captures, &text)),
        None => {
            let reason = format!(
                "{} does not match {}",
                quoted(pattern.as_str()),
                quoted(text.as_str())
            );
            Err(fault(given.span, reason))
        }
    }
}

fn all_matches(given: &Arguments) -> Eval<Value> {
    let (pattern, text) = (given.text(0)?, given.text(1)?);
    let regex = match given.compiled(&pattern)? {
        Ok(regex) => regex,
        Err(value) => return Ok(value),
    };
    given.mixes(&regex)?;
    let mut all = Vec::new();
    for captures in regex.captures_iter(text.as_str()) {
        all.push(given.found(&regex, &captures, &text));
        given.afford(all.len().saturating_mul(regex.captures_len()), 0)?;
    }
    Ok(given.result(ValueKind::Sequence(Sequence::List, all)))
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn classes_of_go_are_those_of_ascii() {
        for (go, here) in [
            (r"\d+", "[0-9]+"),
            (r"[\w-]", "[0-9A-Za-z_-]"),
            ("[[:alpha:]x]y", "[[:alpha:]x]y"),
            ("[a[b]", r"[a\[b]"),
            ("[]a]", r"[\]a]"),
            ("[^]a]", r"[^\]a]"),
            ("a{,2}", r"a\{,2}"),
            ("a{1,2}", "a{1,2}"),
            (r"\Qa.b\E.", r"a\.b."),
        ] {
            assert_eq!(translated(go), here, "{go}");
        }
    }
}
