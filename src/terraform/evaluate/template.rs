//! Templates: what is inserted becomes part of the string, byte by byte with its own places.

use crate::syntax::Unknown;
use crate::syntax::hcl::{Part, Template};
use crate::text::{Origin, Span, TextBuilder};

use super::Evaluator;
use super::loops::turns;
use crate::terraform::Eval;
use crate::terraform::failure::fault;
use crate::terraform::policy_text::{parts, pieces};
use crate::terraform::types::{to_bool, to_text};
use crate::terraform::value::{Chunk, Value, ValueKind};

/// A string in the making, with holes.
#[derive(Default)]
struct Weave {
    chunks: Vec<Chunk>,
    known: TextBuilder,
}

impl Weave {
    fn cut(&mut self) {
        let known = std::mem::take(&mut self.known);
        if let Some(span) = known.span() {
            let text = known.finish(Origin::Source(span));
            self.chunks.push(Chunk::Known(text));
        }
    }

    fn hole(&mut self, unknown: Unknown, at: Span) {
        self.cut();
        self.chunks.push(Chunk::Hole(unknown, at));
    }

    fn finish(mut self, span: Span) -> Value {
        if self.chunks.is_empty() {
            return Value::text(self.known.finish(Origin::Source(span)));
        }
        self.cut();
        Value::new(ValueKind::Partial(self.chunks), span)
    }
}

impl Evaluator<'_> {
    pub(super) fn template(&mut self, template: &Template, span: Span) -> Eval<Value> {
        if let [Part::Interpolation(inner)] = template.parts.as_slice() {
            // `"${x}"` is x itself, of its own type.
            return self.eval(inner);
        }
        if let Some(text) = template.literal() {
            self.charge(text.as_str().len() / 16, span)?;
            return Ok(Value::text(text.clone()));
        }
        let mut weave = Weave::default();
        self.parts(&template.parts, &mut weave)?;
        Ok(weave.finish(span))
    }

    fn parts(&mut self, parts: &[Part], weave: &mut Weave) -> Eval<()> {
        for part in parts {
            match part {
                Part::Literal(text) => {
                    self.charge(text.as_str().len() / 16, text.span())?;
                    weave.known.push_whole(text);
                }
                Part::Interpolation(inner) => {
                    let value = self.eval(inner)?;
                    self.insert(&value, inner.span, weave)?;
                }
                Part::If(inner) => {
                    let condition = self.eval(&inner.condition)?;
                    match condition.hole() {
                        Some(mut unknown) => {
                            let arms = [(&inner.yes, "holds"), (&inner.no, "does not hold")];
                            for (arm, holds) in arms {
                                self.hold_arm(arm, holds, inner.span, &mut unknown);
                            }
                            weave.hole(unknown, inner.span);
                        }
                        None if to_bool(&condition)? => self.parts(&inner.yes, weave)?,
                        None => self.parts(&inner.no, weave)?,
                    }
                }
                Part::For(inner) => {
                    let collection = self.eval(&inner.collection)?;
                    if let Some(unknown) = collection.hole() {
                        weave.hole(unknown, inner.span);
                        continue;
                    }
                    for (key, value) in turns(&collection, inner.collection.span)? {
                        let names =
                            self.enter(inner.key_name.as_ref(), &inner.value_name, key, value);
                        let done = self.parts(&inner.body, weave);
                        self.leave(names);
                        done?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Holds what one side of a condition that is not known comes to, where that is a policy or a part of one.
    fn hold_arm(&mut self, arm: &[Part], holds: &str, at: Span, unknown: &mut Unknown) {
        let mut weave = Weave::default();
        if self.parts(arm, &mut weave).is_err() {
            return;
        }
        let on = unknown.missing.join("`, `");
        let when = format!("where the condition on `{on}` {holds}");
        let parts = pieces(&weave.finish(at)).into_iter();
        unknown.hold(parts.map(|part| part.possible(Some(&when))).collect());
    }

    fn insert(&mut self, value: &Value, at: Span, weave: &mut Weave) -> Eval<()> {
        if value.is_null() {
            let reason = "null cannot be inserted into a string";
            return Err(fault(at, reason));
        }
        let value = to_text(value)?;
        self.charge(value.size(), at)?;
        if let Some(text) = value.as_text() {
            weave.known.push_whole(&text);
        } else if let ValueKind::Partial(chunks) = value.kind {
            for chunk in chunks {
                match chunk {
                    Chunk::Known(text) => weave.known.push_whole(&text),
                    Chunk::Hole(unknown, span) => weave.hole(unknown, span),
                }
            }
        } else if let Some(mut unknown) = value.hole() {
            match &value.kind {
                ValueKind::Encoded(inner, _) => unknown.hold(parts(inner)),
                ValueKind::Unknown(whole) => unknown.hold(whole.parts.clone()),
                ValueKind::Null
                | ValueKind::Bool(_)
                | ValueKind::Number(_)
                | ValueKind::Text(_)
                | ValueKind::Sequence(..)
                | ValueKind::Mapping(..)
                | ValueKind::Partial(_) => {}
            }
            weave.hole(unknown, at);
        }
        Ok(())
    }
}
