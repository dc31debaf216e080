//! What is sent of a body that is a template.
//!
//! Uptime Kuma renders a custom body with Liquid (`server/notification-providers/notification-provider.js`); before that
//! `AutoKuma` fills every value of an entity with Tera (`autokuma/src/util.rs`). Here both are evaluated where everything is
//! plain: literals, assignments, comments, raw blocks, conditions over them, filters that change letters. What depends on a message
//! or on an environment is left open, with its place; what the two engines refuse is never sent.

mod expression;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::text::{Span, Text, TextBuilder};

use expression::{Value, condition, output};

/// Who fills the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    /// Liquid, in Uptime Kuma.
    Liquid,
    /// Tera, in `AutoKuma`.
    Tera,
}

/// A body as it is sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The text; where a part is not known, [`STAND_IN`] stands for it.
    pub text: Text,
    /// The first part that is not known, and why.
    pub open: Option<(Span, String)>,
    /// What the engine refuses: then nothing is sent.
    pub refused: Option<(Span, String)>,
}

/// Stands for what is filled in when the message is sent.
pub const STAND_IN: char = '\u{fffc}';

/// What is sent of a body. In an entity `AutoKuma` fills it first.
pub(super) fn sent(template: &Text, in_entity: bool) -> Sent {
    if !in_entity {
        return rendered(template, Engine::Liquid);
    }
    let filled = rendered(template, Engine::Tera);
    if filled.refused.is_some() {
        return filled;
    }
    let then = rendered(&filled.text, Engine::Liquid);
    Sent {
        open: filled.open.or(then.open),
        ..then
    }
}

/// A value of an entity as `AutoKuma` hands it on; `None` where it refuses it.
pub(super) fn filled(value: &Text) -> Option<Text> {
    let filled = rendered(value, Engine::Tera);
    filled.refused.is_none().then_some(filled.text)
}

/// What `AutoKuma` refuses of a value of an entity, and with it the entity.
pub(super) fn refused(value: &Text) -> Option<(Span, String)> {
    let source = value.as_str();
    if !["{{", "{%", "{#"].iter().any(|mark| source.contains(mark)) {
        return None;
    }
    rendered(value, Engine::Tera).refused
}

fn rendered(template: &Text, engine: Engine) -> Sent {
    let mut run = Run {
        template,
        engine,
        values: BTreeMap::new(),
        blocks: Vec::new(),
        out: TextBuilder::default(),
        open: None,
        refused: None,
    };
    run.go();
    let origin = template.origin();
    Sent {
        text: run.out.finish(origin),
        open: run.open,
        refused: run.refused,
    }
}

/// A condition whose end has not come.
struct Block {
    at: Range<usize>,
    end: &'static str,
    /// Whether what stands here now is sent.
    now: bool,
    /// Whether one of the branches was the right one.
    taken: bool,
}

struct Run<'a> {
    template: &'a Text,
    engine: Engine,
    values: BTreeMap<String, Value>,
    blocks: Vec<Block>,
    out: TextBuilder,
    open: Option<(Span, String)>,
    refused: Option<(Span, String)>,
}

/// One piece of a template.
enum Piece<'a> {
    Plain,
    Output(&'a str),
    Tag(&'a str),
    Comment,
}

impl Run<'_> {
    fn go(&mut self) {
        let template = self.template;
        let source = template.as_str();
        let mut at = 0;
        while at < source.len() && self.refused.is_none() {
            let Some((piece, end)) = next(source, at, self.engine) else {
                let rest = source.get(at..).unwrap_or_default();
                let word: String = rest.chars().take(2).collect();
                return self.refuse(at..source.len(), &format!("`{word}` is not closed"));
            };
            let here = at..end;
            at = match piece {
                Piece::Plain => {
                    self.push(here);
                    end
                }
                Piece::Comment => end,
                Piece::Output(inner) => {
                    self.output(inner, here);
                    end
                }
                Piece::Tag(inner) => self.tag(inner, here),
            };
        }
        if let Some(block) = self.blocks.pop().filter(|_| self.refused.is_none()) {
            self.refuse(block.at, &format!("`{}` does not come", block.end));
        }
    }

    fn is_silent(&self) -> bool {
        self.blocks.iter().any(|block| !block.now)
    }

    fn push(&mut self, range: Range<usize>) {
        if !self.is_silent() {
            self.out.push_text(self.template, range);
        }
    }

    fn refuse(&mut self, at: Range<usize>, why: &str) {
        let who = match self.engine {
            Engine::Liquid => "Uptime Kuma renders the body with Liquid and then sends nothing",
            Engine::Tera => "AutoKuma fills it in with Tera, and then leaves the whole entity out",
        };
        let at = self.template.span_of(at);
        self.refused.get_or_insert((at, format!("{why}; {who}")));
    }

    fn leave_open(&mut self, at: Range<usize>, stand_in: &str) {
        let written = self.template.as_str().get(at.clone()).unwrap_or_default();
        let span = self.template.span_of(at);
        let why = format!("`{written}` is filled in when the message is sent");
        self.open.get_or_insert((span, why));
        self.out.push_escape(stand_in, span);
    }

    fn output(&mut self, inner: &str, here: Range<usize>) {
        if self.is_quoted_twice(&here) {
            return self.refuse(here, DOUBLE);
        }
        if self.is_silent() {
            return;
        }
        match output(inner, &self.values, self.engine) {
            Ok(Value::Open { json }) => {
                let quotes = if json { "\"" } else { "" };
                self.leave_open(here, &format!("{quotes}{STAND_IN}{quotes}"));
            }
            Ok(value) => {
                let at = self.template.span_of(here);
                self.out.push_escape(&value.written(), at);
            }
            Err(why) => self.refuse(here, &why),
        }
    }

    /// `AutoKuma` meets the value inside a double-quoted string of TOML, in which these quotation marks are escaped, and ends
    /// of lines with them; a value that has such marks itself at both ends stands there as it is.
    fn is_quoted_twice(&self, here: &Range<usize>) -> bool {
        let whole = self.template.as_str();
        let inner = whole.get(here.clone()).unwrap_or_default();
        let has_own = whole.len() > 1 && whole.starts_with('"') && whole.ends_with('"');
        self.engine == Engine::Tera && !has_own && inner.contains(['"', '\\', '\n', '\t'])
    }

    /// Where the template goes on behind a tag.
    fn tag(&mut self, inner: &str, here: Range<usize>) -> usize {
        let (word, rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        let end = here.end;
        if self.is_quoted_twice(&here) {
            self.refuse(here, DOUBLE);
            return end;
        }
        match (word, self.engine) {
            ("comment", Engine::Liquid) | ("raw", _) => return self.whole(word, here),
            ("assign", Engine::Liquid) | ("set", Engine::Tera) => self.assign(rest, here),
            ("if", _) | ("unless", Engine::Liquid) => self.begin(word, rest, here),
            ("elsif", Engine::Liquid) | ("elif", Engine::Tera) => self.branch(Some(rest), here),
            ("else", _) => self.branch(None, here),
            ("endif", _) | ("endunless", Engine::Liquid) => self.end(word, here),
            ("#", Engine::Liquid) => {}
            _ if word.starts_with('#') && self.engine == Engine::Liquid => {}
            _ if known(self.engine).contains(&word) => {
                // Loops and the like: what comes out is not worked out here.
                self.leave_open(here, &STAND_IN.to_string());
                return self.template.as_str().len();
            }
            _ => self.refuse(here, &format!("`{word}` is no tag that is known there")),
        }
        end
    }

    /// A comment, or what is taken as it stands, up to its end.
    fn whole(&mut self, word: &str, here: Range<usize>) -> usize {
        let source = self.template.as_str();
        let wanted = format!("end{word}");
        let mut from = here.end;
        while let Some(open) = source.get(from..).and_then(|rest| rest.find("{%")) {
            let start = from + open;
            let Some(close) = source.get(start..).and_then(|rest| rest.find("%}")) else {
                break;
            };
            let end = start + close + 2;
            let inner = source.get(start + 2..end - 2).unwrap_or_default();
            if inner.trim_matches('-').trim() == wanted {
                if word == "raw" {
                    self.push(here.end..start);
                }
                return end;
            }
            from = end;
        }
        self.refuse(here, &format!("`{wanted}` does not come"));
        source.len()
    }

    fn assign(&mut self, rest: &str, here: Range<usize>) {
        if self.is_silent() {
            return;
        }
        let Some((name, value)) = rest.split_once('=') else {
            return self.refuse(here, "nothing is assigned");
        };
        match output(value, &self.values, self.engine) {
            Ok(value) => {
                self.values.insert(name.trim().to_owned(), value);
            }
            Err(why) => self.refuse(here, &why),
        }
    }

    /// Whether a condition holds; one that is not known leaves the rest of the body open.
    fn holds(&mut self, written: &str, here: &Range<usize>) -> bool {
        let found = condition(written, &self.values, self.engine);
        if let Ok(Some(holds)) = found {
            return holds;
        }
        match found {
            Err(why) => self.refuse(here.clone(), &why),
            Ok(_) => self.leave_open(here.clone(), &STAND_IN.to_string()),
        }
        false
    }

    fn begin(&mut self, word: &str, rest: &str, here: Range<usize>) {
        let silent = self.is_silent();
        let holds = !silent && (self.holds(rest, &here) == (word == "if"));
        self.blocks.push(Block {
            at: here,
            end: if word == "if" { "endif" } else { "endunless" },
            now: holds,
            taken: holds || silent,
        });
    }

    fn branch(&mut self, written: Option<&str>, here: Range<usize>) {
        let Some(mut block) = self.blocks.pop() else {
            return self.refuse(here, "no condition has begun");
        };
        let holds = !block.taken && written.is_none_or(|written| self.holds(written, &here));
        block.now = holds;
        block.taken |= holds;
        self.blocks.push(block);
    }

    fn end(&mut self, word: &str, here: Range<usize>) {
        let fits = self.blocks.pop().is_some_and(|block| block.end == word);
        if !fits {
            self.refuse(here, &format!("`{word}` ends nothing"));
        }
    }
}

const DOUBLE: &str =
    "double quotation marks and ends of lines are escaped there, single marks are not";

/// Tags that the engine knows, and that are not worked out here.
fn known(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::Liquid => &[
            "for",
            "case",
            "capture",
            "cycle",
            "decrement",
            "increment",
            "include",
            "render",
            "layout",
            "block",
            "tablerow",
            "echo",
            "liquid",
            "break",
            "continue",
        ],
        Engine::Tera => &[
            "for",
            "filter",
            "macro",
            "import",
            "include",
            "block",
            "extends",
            "set_global",
            "break",
            "continue",
        ],
    }
}

/// The next piece and where it ends; `None` where it is not closed. Spaces that a hyphen takes away change no JSON.
fn next(source: &str, at: usize, engine: Engine) -> Option<(Piece<'_>, usize)> {
    let rest = source.get(at..)?;
    let closed = |close: &str| {
        let end = rest.get(2..)?.find(close)? + 2;
        let inner = rest.get(2..end)?;
        Some((inner.trim_matches('-').trim(), at + end + 2))
    };
    if rest.starts_with("{{") {
        let (inner, end) = closed("}}")?;
        return Some((Piece::Output(inner), end));
    }
    if rest.starts_with("{%") {
        let (inner, end) = closed("%}")?;
        return Some((Piece::Tag(inner), end));
    }
    let is_tera = engine == Engine::Tera;
    if is_tera && rest.starts_with("{#") {
        return Some((Piece::Comment, closed("#}")?.1));
    }
    let marks = ["{{", "{%", "{#"];
    let marks = if is_tera { &marks[..] } else { marks.get(..2)? };
    let ends = marks.iter().filter_map(|mark| rest.find(mark));
    Some((Piece::Plain, at + ends.min().unwrap_or(rest.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;

    fn of(source: &str, in_entity: bool) -> Sent {
        let mut sources = SourceMap::default();
        let file = sources.add("body", source);
        sent(&sources.text(file).unwrap(), in_entity)
    }

    #[test]
    fn what_is_plain_is_worked_out() {
        // Each as liquidjs 10 renders it.
        for (template, text) in [
            (r#"{"ref":"{{ "main" }}"}"#, r#"{"ref":"main"}"#),
            (r#"{"ref":{{ "main" | json }}}"#, r#"{"ref":"main"}"#),
            (r#"{"ref":"{{ 'MAIN' | downcase }}"}"#, r#"{"ref":"main"}"#),
            (
                r#"{"ref":"{{ 'ma' | append: 'in' }}"}"#,
                r#"{"ref":"main"}"#,
            ),
            (
                r#"{%- assign b = "main" -%}{"ref":"{{ b }}"}"#,
                r#"{"ref":"main"}"#,
            ),
            (
                r#"{"ref":"main"}{% comment %}"x{% endcomment %}"#,
                r#"{"ref":"main"}"#,
            ),
            (
                r#"{"ref":"{% if true %}main{% else %}old{% endif %}"}"#,
                r#"{"ref":"main"}"#,
            ),
            (
                r#"{"ref":"{% if 1 == 2 %}old{% elsif 'a' == 'a' %}main{% endif %}"}"#,
                r#"{"ref":"main"}"#,
            ),
            (
                r#"{"ref":"{% unless true %}old{% endunless %}"}"#,
                r#"{"ref":""}"#,
            ),
            (
                r#"{"ref":"{% raw %}{{ x }}{% endraw %}"}"#,
                r#"{"ref":"{{ x }}"}"#,
            ),
            // A name that nobody knows is nothing.
            (r#"{"ref":"{{ branch }}"}"#, r#"{"ref":""}"#),
        ] {
            let sent = of(template, false);
            assert!(
                sent.open.is_none() && sent.refused.is_none(),
                "{template}: {sent:?}"
            );
            assert_eq!(sent.text.as_str(), text, "{template}");
        }
    }

    #[test]
    fn what_depends_on_the_message_is_open() {
        for template in [
            r#"{"ref":"{{ name }}"}"#,
            r#"{"ref":"{{ "main" | where_from }}"}"#,
            r#"{"ref":"{% if status == "up" %}main{% endif %}"}"#,
            r#"{% for i in list %}{"ref":"main"}{% endfor %}"#,
        ] {
            let sent = of(template, false);
            assert!(sent.open.is_some() && sent.refused.is_none(), "{template}");
        }
    }

    #[test]
    fn tera_fills_in_any_value_and_refuses_what_it_does_not_know() {
        let found = |source: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("value", source);
            refused(&sources.text(file).unwrap()).is_some()
        };
        // Each as Tera 1.20.1 takes it, with an empty context and AutoKuma's `get_env`.
        for good in [
            "plain { text } 100%",
            "{{ get_env(name='AUTOKUMA__ENV__A') }}",
            "{{ get_env(name='AUTOKUMA__ENV__A', default='x') | upper }}",
            "{{ now() }}",
            "{% set a = 'x' %}{{ a }}",
            "{% if a %}x{% endif %}",
            "{{ a | default(value='x') }}",
            "{# a comment #}",
            "{% if not a %}x{% endif %}",
            "{% if a and true %}y{% endif %}",
            "{% if x is defined %}a{% endif %}",
            "{% for x in [1,2] %}{{ x }}{% endfor %}",
            "{% set a = 1 %}{% set b = a + 1 %}{{ b }}",
            "{{ 1 + 2 }}{{ 'a' ~ 'b' }}{{ `x` }}{{ true }}",
            "{{ 'x' | replace(from='a', to='b') }}",
            "{{ __tera_context }}",
            "{%- raw -%} {{ x }} {%- endraw -%}",
            "{% raw %}{{ msg | json }}{% endraw %}",
            "\"{{ get_env(name=\"AUTOKUMA__ENV__A\") }}\"",
        ] {
            assert!(!found(good), "{good}");
        }
        for bad in [
            "{{ host }}",
            "{{ msg }}",
            "{{ 'x' | json }}",
            "{{ env(name='AUTOKUMA__ENV__A') }}",
            "{{ get_env(name='HOME') }}",
            "{{ get_env() }}",
            "{{ get_env(name=\"AUTOKUMA__ENV__A\") }}",
            "{{ host",
            "{% x",
            "{% if a == 'x' %}y{% endif %}",
            "{{ a.b }}",
            "{{ loop.index }}",
            "{{\nget_env(name='AUTOKUMA__ENV__A') }}",
            "{% elif x %}",
            "{# x",
            "{% endif %}",
        ] {
            assert!(found(bad), "{bad}");
        }
    }

    #[test]
    fn what_an_engine_refuses_is_never_sent() {
        for template in [
            r#"{"ref":"{{ "main" }"}"#,
            r#"{"ref":"{% if true %}main"}"#,
            r#"{"ref":"{% nonsense %}main"}"#,
            r#"{"ref":"main"}{% endif %}"#,
        ] {
            assert!(of(template, false).refused.is_some(), "{template}");
        }
        // Tera knows no such tag, and no such name.
        let comment = r#"{"ref":"main"}{% comment %}x{% endcomment %}"#;
        assert!(of(comment, true).refused.is_some());
        assert!(of(r#"{"ref":"{{ branch }}"}"#, true).refused.is_some());
        let raw = of(r#"{"ref":"{% raw %}{{ "main" }}{% endraw %}"}"#, true);
        assert_eq!(raw.text.as_str(), r#"{"ref":"main"}"#);
    }
}
