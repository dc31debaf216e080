//! Blocks of one kind inside a body, those that `dynamic` makes among them.

use crate::syntax::Unknown;
use crate::syntax::hcl::{Block, Body, Expression, Form};
use crate::text::{Span, Text};

use super::Evaluator;
use super::loops::{text_at, turns};
use crate::terraform::Eval;
use crate::terraform::value::{Mapping, Value, ValueKind};

/// One block, while the names that it may use are in scope.
#[derive(Debug)]
pub(in super::super) enum Turn<'m> {
    /// A block that is written out, or the `content` of a dynamic one.
    Block(&'m Block),
    /// Any number of blocks: what a dynamic one goes through is not known. What each of them says stands in `content`, if
    /// it has one.
    Unknown(Unknown, Span, Option<&'m Block>),
}

impl<'m> Evaluator<'m> {
    /// Gives every block of this kind in `body` to `take`, in the order in which they are written.
    pub(in super::super) fn each_block(
        &mut self,
        body: &'m Body,
        kind: &str,
        take: &mut dyn FnMut(&mut Self, Turn<'m>) -> Eval<()>,
    ) -> Eval<()> {
        for block in &body.blocks {
            if block.kind.as_str() == kind {
                self.charge(1, block.head)?;
                take(self, Turn::Block(block))?;
            } else if block.kind.as_str() == "dynamic" && block.label(0) == Some(kind) {
                self.dynamic(block, take)?;
            }
        }
        Ok(())
    }

    fn dynamic(
        &mut self,
        block: &'m Block,
        take: &mut dyn FnMut(&mut Self, Turn<'m>) -> Eval<()>,
    ) -> Eval<()> {
        let body = &block.body;
        let (Some(collection), Some(content)) =
            (body.attribute("for_each"), body.blocks_of("content").next())
        else {
            let unknown = Unknown {
                why: "this `dynamic` block has no `for_each` or no `content`".to_owned(),
                ..Unknown::default()
            };
            return take(self, Turn::Unknown(unknown, block.head, None));
        };
        let value = match self.eval(&collection.value) {
            Err(failure) if self.supposed => failure.unknown(Vec::new()),
            value => value?,
        };
        let name = match body.attribute("iterator").map(|named| &named.value) {
            Some(named) => bare_name(named).map(str::to_owned),
            None => block.label(0).map(str::to_owned),
        };
        if let Some(unknown) = value.hole() {
            let open = || Value::new(ValueKind::Unknown(unknown.clone()), block.head);
            let turn = pair(open(), open(), content.head);
            let some = Turn::Unknown(unknown.clone(), block.head, Some(content));
            let name = name.as_deref().unwrap_or_default();
            return self.within(name, turn, |evaluator| take(evaluator, some));
        }
        for (key, value) in turns(&value, collection.value.span)? {
            self.charge(1, content.head)?;
            let name = name.as_deref().unwrap_or_default();
            let turn = pair(key, value, content.head);
            self.within(name, turn, |evaluator| {
                take(evaluator, Turn::Block(content))
            })?;
        }
        Ok(())
    }

    /// `make` is done outside of every scope.
    pub(in super::super) fn outside<T>(
        &mut self,
        make: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        let outer = std::mem::take(&mut self.scope);
        let made = make(self);
        self.scope = outer;
        made
    }

    /// `make` is done while `name` stands for `value`.
    pub(in super::super) fn within<T>(
        &mut self,
        name: &str,
        value: Value,
        make: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        let before = self.scope.len();
        self.scope.push((name.to_owned(), value));
        let made = make(self);
        self.scope.truncate(before);
        made
    }
}

/// The name that `iterator` gives: a bare word.
fn bare_name(named: &Expression) -> Option<&str> {
    let Form::Variable(name) = &named.form else {
        return None;
    };
    Some(name.as_str())
}

/// What `each` and the names of dynamic blocks are: an object of `key` and `value`.
pub(in super::super) fn pair(key: Value, value: Value, at: Span) -> Value {
    object([("key", key), ("value", value)], at)
}

/// An object of these attributes.
pub(in super::super) fn object<const N: usize>(entries: [(&str, Value); N], at: Span) -> Value {
    let named = |(name, value): (&str, Value)| -> (Text, Value) { (text_at(name, at), value) };
    let entries = entries.into_iter().map(named).collect();
    Value::new(ValueKind::Mapping(Mapping::Object, entries), at)
}
