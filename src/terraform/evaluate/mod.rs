//! The evaluator of expressions.

mod blocks;
mod configured;
mod frame;
mod instances;
mod loops;
mod nested;
mod operation;
mod reference;
mod template;
mod traversal;

pub(super) use blocks::Turn;
pub(super) use instances::Instances;
pub(super) use loops::text_at;
pub(super) use operation::equal;
pub(super) use traversal::hold_any;

use std::collections::{BTreeMap, BTreeSet};

use crate::syntax::hcl::{Conditional, Expression, Form, Item, Key};
use crate::syntax::{Fault, Node, Unknown};
use crate::text::{FileId, Span, Text};

use self::frame::Frame;
use super::declared::undeclared_in;
use super::failure::{fault, limit, settled};
use super::library::Library;
use super::policy_text::parts;
use super::types::{Type, convert, to_bool, to_text};
use super::value::{Mapping, Sequence, Value, ValueKind};
use super::{Eval, Known, Module, Number, functions};

/// How much work is done on one expression, with all that it refers to: one step is one value made or copied, or sixteen bytes of text.
pub const MAX_STEPS: usize = 500_000;

/// How much work is done on all expressions of one module together.
const MAX_TOTAL: usize = 6 * MAX_STEPS;

/// How deep the value of a local may nest: what is built from locals would nest deeper and deeper.
const MAX_NESTING: usize = 200;

/// How deep evaluation goes, through locals and brackets together.
const MAX_DEPTH: usize = 200;

/// Evaluates the expressions of one module.
#[derive(Debug)]
pub struct Evaluator<'m> {
    known: &'m Known,
    /// Other modules, and files that functions read.
    pub(super) library: Option<&'m Library>,
    /// The module that is applied.
    root: Frame<'m>,
    /// The modules that are called.
    frames: Vec<Frame<'m>>,
    /// Which of them is looked at: 0 is the one that is applied.
    at: usize,
    open: Vec<String>,
    scope: Vec<(String, Value)>,
    /// What is in scope in the instance that is looked at.
    base: Vec<(String, Value)>,
    /// Work on the expression that is evaluated.
    steps: usize,
    /// Work on those before.
    spent: usize,
    depth: usize,
    /// What is evaluated belongs to no block.
    at_console: bool,
    /// What is evaluated is a template that sees its own variables alone.
    sealed: bool,
    /// What is evaluated belongs to a block that is never made: what if it were?
    pub(super) supposed: bool,
    /// What the errors so far are about: addresses, until the next expression.
    faulty: Vec<String>,
    /// The files that were rendered as templates.
    pub(super) templates: BTreeSet<FileId>,
}

impl<'m> Evaluator<'m> {
    /// An evaluator for `module`; `known` decides what the module leaves open.
    #[must_use]
    pub fn new(module: &'m Module, known: &'m Known) -> Self {
        Self {
            known,
            library: None,
            frames: Vec::new(),
            root: Frame::new(module),
            at: 0,
            open: Vec::new(),
            scope: Vec::new(),
            base: Vec::new(),
            steps: 0,
            spent: 0,
            depth: 0,
            at_console: false,
            sealed: false,
            supposed: false,
            faulty: Vec::new(),
            templates: BTreeSet::new(),
        }
    }

    /// The same with other modules and files beside it.
    #[must_use]
    pub fn beside(mut self, library: &'m Library) -> Self {
        self.library = Some(library);
        self
    }

    /// What `expression` comes to.
    ///
    /// # Errors
    /// Place and reason of an error that Terraform reports too. What is stopped by a bound is not known.
    pub fn value(&mut self, expression: &Expression) -> Result<Value, Fault> {
        settled(self.attempted(expression))
    }

    fn attempted(&mut self, expression: &Expression) -> Eval<Value> {
        self.begin();
        self.scope.clone_from(&self.base);
        self.faulty.clear();
        self.eval(expression)
    }

    /// Another expression begins, with a budget of its own: one that takes too much must not hide the others.
    pub(super) fn begin(&mut self) {
        self.depth = 0;
        self.open.clear();
        self.spent = self.spent.saturating_add(self.steps);
        self.steps = 0;
    }

    /// Notes what would decide a value that is an error without it.
    pub(super) fn misses(&mut self, address: String) {
        self.faulty.push(address);
    }

    /// What was missing where the last expression came to an error: names that are declared nowhere and values that are
    /// errors themselves; `own` where the expression is the error.
    pub(super) fn missing_at(&self, own: &str) -> Vec<String> {
        let mut missing = self.faulty.clone();
        missing.sort();
        missing.dedup();
        if missing.is_empty() {
            missing.push(own.to_owned());
        }
        missing
    }

    /// What `expression` comes to at the console: there is no `each`, `count` and `self`.
    ///
    /// # Errors
    /// As [`Self::value`].
    pub fn console(&mut self, expression: &Expression) -> Result<Value, Fault> {
        if self.frame().whole
            && let Some(nothing) = undeclared_in(expression, self.module())
        {
            return Err(nothing.at_console());
        }
        self.at_console = true;
        let value = self.value(expression);
        self.at_console = false;
        value
    }

    /// As [`Self::value`], as a tree. An error is an unknown value at its place, with its reason; `own` is the address of
    /// what is evaluated.
    pub fn node(&mut self, expression: &Expression, own: &str) -> Node {
        match self.attempted(expression) {
            Ok(value) => value.to_node(),
            Err(failure) => failure.unknown(self.missing_at(own)).to_node(),
        }
    }

    /// How many steps are left.
    pub(super) fn room(&self) -> usize {
        let left = MAX_TOTAL.saturating_sub(self.spent);
        left.min(MAX_STEPS).saturating_sub(self.steps)
    }

    /// Counts work on so many bytes.
    pub(super) fn charge_bytes(&mut self, bytes: usize, at: Span) -> Eval<()> {
        self.charge(bytes / 16, at)
    }

    /// The folder of the module that is applied.
    pub(super) fn root_folder(&self) -> &'m str {
        self.root.folder()
    }

    /// `make` is done while these names alone are known: inside of a template of its own.
    pub(super) fn sealed<T>(
        &mut self,
        names: Vec<(String, Value)>,
        at: Span,
        make: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        if self.sealed {
            return Err(fault(at, "a template cannot read another template"));
        }
        let outer = std::mem::replace(&mut self.scope, names);
        self.sealed = true;
        let made = make(self);
        self.sealed = false;
        self.scope = outer;
        made
    }

    /// Counts work.
    fn charge(&mut self, steps: usize, at: Span) -> Eval<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS {
            let reason = format!("evaluating this takes more than {MAX_STEPS} steps");
            return Err(limit(at, reason));
        }
        if self.spent.saturating_add(self.steps) > MAX_TOTAL {
            let reason = format!("evaluating this module takes more than {MAX_TOTAL} steps");
            return Err(limit(at, reason));
        }
        Ok(())
    }

    fn eval(&mut self, expression: &Expression) -> Eval<Value> {
        self.charge(1, expression.span)?;
        self.deeper(expression.span)?;
        let value = self.eval_form(expression);
        self.depth -= 1;
        value
    }

    /// One level deeper, if there is one.
    fn deeper(&mut self, at: Span) -> Eval<()> {
        if self.depth == MAX_DEPTH {
            let reason = format!("evaluation goes deeper than {MAX_DEPTH} levels");
            return Err(limit(at, reason));
        }
        self.depth += 1;
        Ok(())
    }

    fn eval_form(&mut self, expression: &Expression) -> Eval<Value> {
        let span = expression.span;
        match &expression.form {
            Form::Null => Ok(Value::new(ValueKind::Null, span)),
            Form::Bool(flag) => Ok(Value::new(ValueKind::Bool(*flag), span)),
            Form::Number(written) => Ok(number(written, span)),
            Form::Template(template) => self.template(template, span),
            Form::List(items) => {
                let items: Eval<Vec<Value>> = items.iter().map(|item| self.eval(item)).collect();
                Ok(Value::new(
                    ValueKind::Sequence(Sequence::Tuple, items?),
                    span,
                ))
            }
            Form::Object(items) => self.object(items, span),
            Form::Variable(name) => self.reference(name, &[], span),
            Form::Traversal(base, steps) => {
                if let Form::Variable(name) = &base.form {
                    return self.reference(name, steps, span);
                }
                let value = self.eval(base)?;
                self.walk(value, steps)
            }
            Form::Call(call) => functions::call(self, call, span),
            Form::Parens(inner) => self.eval(inner),
            Form::Conditional(inner) => self.conditional(inner, span),
            Form::Unary(sign, operand) => {
                let value = self.eval(operand)?;
                operation::signed(*sign, &value, span)
            }
            Form::Operation(first, rest) => self.operation(first, rest, span),
            Form::For(inner) => self.for_expression(inner, span),
        }
    }

    /// For functions that decide themselves which of their arguments are evaluated.
    pub(super) fn argument(&mut self, expression: &Expression) -> Eval<Value> {
        self.eval(expression)
    }

    /// For functions, whose results are work too.
    pub(super) fn charge_for(&mut self, value: &Value) -> Eval<()> {
        self.charge(value.size(), value.span())
    }

    /// Of repeated keys the last counts, at the place of the first.
    fn object(&mut self, items: &[Item], span: Span) -> Eval<Value> {
        let mut entries: Vec<(Text, Value)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut hole = None;
        for item in items {
            let key = self.object_key(&item.key)?;
            let value = self.eval(&item.value)?;
            let key = match key {
                Ok(key) => key,
                Err(unknown) => {
                    hole = Some(unknown);
                    continue;
                }
            };
            match places.get(key.as_str()).and_then(|at| entries.get_mut(*at)) {
                Some(entry) => *entry = (key, value),
                None => {
                    places.insert(key.as_str().to_owned(), entries.len());
                    entries.push((key, value));
                }
            }
        }
        let kind = match hole {
            Some(unknown) => ValueKind::Unknown(unknown),
            None => ValueKind::Mapping(Mapping::Object, entries),
        };
        Ok(Value::new(kind, span))
    }

    fn object_key(&mut self, key: &Key) -> Eval<Result<Text, Unknown>> {
        let written = match key {
            Key::Name(name) => return Ok(Ok(name.clone())),
            Key::Expression(written) => written,
        };
        if let Form::Traversal(base, _) = &written.form
            && matches!(base.form, Form::Variable(_))
        {
            let reason = "a reference as a key is ambiguous; put it in parentheses, `(local.a)`, or the name in quotes";
            return Err(fault(written.span, reason));
        }
        let value = to_text(&self.eval(written)?)?;
        if value.is_null() {
            return Err(fault(written.span, "a key cannot be null"));
        }
        if let Some(unknown) = value.hole() {
            return Ok(Err(unknown));
        }
        value
            .as_text()
            .map(Ok)
            .ok_or_else(|| fault(written.span, "a key must be a string"))
    }

    /// Both arms are evaluated, for the result has the type that both convert to; an error counts in the chosen one alone.
    fn conditional(&mut self, inner: &Conditional, span: Span) -> Eval<Value> {
        let condition = self.eval(&inner.condition)?;
        if let Some(mut unknown) = condition.hole() {
            self.either(inner, &mut unknown);
            return Ok(Value::new(ValueKind::Unknown(unknown), span));
        }
        if condition.is_null() {
            return Err(fault(inner.condition.span, "a condition cannot be null"));
        }
        let yes = self.eval(&inner.yes);
        let no = self.eval(&inner.no);
        let (chosen, other) = if to_bool(&condition)? {
            (yes?, no)
        } else {
            (no?, yes)
        };
        let other = match other {
            Ok(other) => Some(other),
            Err(failure) if failure.is_caught() => None,
            Err(failure) => return Err(failure),
        };
        let Some(other) = other else {
            return Ok(chosen);
        };
        let wanted = Type::of(&chosen).unify(&Type::of(&other));
        match wanted {
            Some(wanted) => convert(&chosen, &wanted),
            None if is_listed(&chosen) == is_listed(&other)
                && is_collection(&chosen)
                && is_collection(&other) =>
            {
                let why = "the type that both sides of this condition convert to is not worked out";
                Ok(Value::unknown(why, Vec::new(), span))
            }
            None => {
                let reason = format!(
                    "the two sides of a condition must have one type; here stand {} and {}",
                    chosen.kind_name(),
                    other.kind_name()
                );
                Err(fault(span, reason))
            }
        }
    }
}

impl Evaluator<'_> {
    /// What both sides of a condition that is not known come to: one of them stands there.
    fn either(&mut self, inner: &Conditional, unknown: &mut Unknown) {
        let on = unknown.missing.join("`, `");
        for (side, holds) in [(&inner.yes, "holds"), (&inner.no, "does not hold")] {
            // A side that comes to no value may be the one that is not taken.
            let Ok(value) = self.eval(side) else { continue };
            let when = format!("where the condition on `{on}` {holds}");
            let parts = parts(&value).into_iter();
            unknown.hold(parts.map(|part| part.possible(Some(&when))).collect());
        }
    }
}

fn is_listed(value: &Value) -> bool {
    matches!(value.kind, ValueKind::Sequence(..))
}

fn is_collection(value: &Value) -> bool {
    matches!(value.kind, ValueKind::Sequence(..) | ValueKind::Mapping(..))
}

fn number(written: &str, span: Span) -> Value {
    match Number::parse(written) {
        Some(number) => Value::new(ValueKind::Number(number), span),
        None => {
            let why = format!("the number `{written}` is not held exactly");
            Value::unknown(why, Vec::new(), span)
        }
    }
}

#[cfg(test)]
mod tests;
