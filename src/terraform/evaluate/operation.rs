//! Operators, with Terraform's conversions.

use std::cmp::Ordering;

use crate::syntax::hcl::{Expression, Operator, Sign};
use crate::text::{Span, Text};

use super::Evaluator;
use crate::terraform::failure::fault;
use crate::terraform::types::{Type, to_bool, to_number};
use crate::terraform::value::{Mapping, Value, ValueKind, merged, sorted};
use crate::terraform::{Eval, Number};

impl Evaluator<'_> {
    pub(super) fn operation(
        &mut self,
        first: &Expression,
        rest: &[(Operator, Expression)],
        span: Span,
    ) -> Eval<Value> {
        let mut left = self.eval(first)?;
        for (operator, operand) in rest {
            let right = self.eval(operand)?;
            left = apply(*operator, &left, &right, span)?;
        }
        Ok(left)
    }
}

/// `!x` and `-x`.
pub(super) fn signed(sign: Sign, value: &Value, span: Span) -> Eval<Value> {
    if let Some(unknown) = value.hole() {
        return Ok(Value::new(ValueKind::Unknown(unknown), span));
    }
    not_null(value)?;
    let kind = match sign {
        Sign::Not => ValueKind::Bool(!to_bool(value)?),
        Sign::Minus => match to_number(value)? {
            Some(number) => ValueKind::Number(number.negated()),
            None => return Ok(inexact(span)),
        },
    };
    Ok(Value::new(kind, span))
}

fn not_null(value: &Value) -> Eval<()> {
    if value.is_null() {
        return Err(fault(value.span(), "null cannot be computed with"));
    }
    Ok(())
}

fn inexact(span: Span) -> Value {
    let why = "the result of this computation is not held exactly";
    Value::unknown(why, Vec::new(), span)
}

fn apply(operator: Operator, left: &Value, right: &Value, span: Span) -> Eval<Value> {
    if matches!(operator, Operator::Equal | Operator::NotEqual) {
        let unknown = merged([left, right].into_iter().filter_map(|side| side.any_hole()));
        return Ok(match (unknown, equal(left, right)) {
            (Some(unknown), _) => Value::new(ValueKind::Unknown(unknown), span),
            (None, Some(equal)) => {
                let kind = ValueKind::Bool(equal == (operator == Operator::Equal));
                Value::new(kind, span)
            }
            (None, None) => {
                let why = "whether these two are equal is not worked out";
                Value::unknown(why, Vec::new(), span)
            }
        });
    }
    if let Some(unknown) = merged([left, right].into_iter().filter_map(Value::hole)) {
        return Ok(Value::new(ValueKind::Unknown(unknown), span));
    }
    not_null(left)?;
    not_null(right)?;
    let kind = match operator {
        Operator::Or => Some(ValueKind::Bool(to_bool(left)? | to_bool(right)?)),
        Operator::And => Some(ValueKind::Bool(to_bool(left)? & to_bool(right)?)),
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessOrEqual
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::Add
        | Operator::Subtract
        | Operator::Multiply
        | Operator::Divide
        | Operator::Remainder => match (to_number(left)?, to_number(right)?) {
            (Some(a), Some(b)) => arithmetic(operator, a, b),
            _ => None,
        },
    };
    Ok(kind.map_or_else(|| inexact(span), |kind| Value::new(kind, span)))
}

fn arithmetic(operator: Operator, a: Number, b: Number) -> Option<ValueKind> {
    let order = |wanted: fn(Ordering) -> bool| Some(ValueKind::Bool(wanted(a.compare(b))));
    match operator {
        Operator::Less => order(Ordering::is_lt),
        Operator::LessOrEqual => order(Ordering::is_le),
        Operator::Greater => order(Ordering::is_gt),
        Operator::GreaterOrEqual => order(Ordering::is_ge),
        Operator::Add => a.plus(b).map(ValueKind::Number),
        Operator::Subtract => a.plus(b.negated()).map(ValueKind::Number),
        Operator::Multiply => a.times(b).map(ValueKind::Number),
        Operator::Divide => a.divided_by(b).map(ValueKind::Number),
        Operator::Remainder => a.remainder(b).map(ValueKind::Number),
        Operator::Or | Operator::And | Operator::Equal | Operator::NotEqual => None,
    }
}

/// Whether two known values are equal; values of different types never are. `None` where it is not worked out.
pub(in super::super) fn equal(left: &Value, right: &Value) -> Option<bool> {
    match (&left.kind, &right.kind) {
        (ValueKind::Null, ValueKind::Null) => Some(true),
        (ValueKind::Null, _) | (_, ValueKind::Null) => Some(false),
        (ValueKind::Bool(a), ValueKind::Bool(b)) => Some(a == b),
        (ValueKind::Number(a), ValueKind::Number(b)) => Some(a.compare(*b) == Ordering::Equal),
        (ValueKind::Sequence(a, items), ValueKind::Sequence(b, others)) => {
            if a != b {
                return Some(false);
            }
            if Type::of(left) != Type::of(right) && !(items.is_empty() || others.is_empty()) {
                return None;
            }
            if items.len() != others.len() {
                return Some(false);
            }
            all(items.iter().zip(others).map(|(a, b)| equal(a, b)))
        }
        (ValueKind::Mapping(a, entries), ValueKind::Mapping(b, others)) => {
            if a != b {
                return Some(false);
            }
            let (entries, others) = (sorted(entries), sorted(others));
            let keys = |side: &[&(Text, Value)]| -> Vec<String> {
                side.iter()
                    .map(|(key, _)| key.as_str().to_owned())
                    .collect()
            };
            if keys(&entries) != keys(&others) {
                return Some(false);
            }
            if *a == Mapping::Map && Type::of(left) != Type::of(right) {
                return None;
            }
            all(entries
                .iter()
                .zip(others)
                .map(|((_, a), (_, b))| equal(a, b)))
        }
        _ => match (left.as_text(), right.as_text()) {
            (Some(a), Some(b)) => Some(a == b),
            _ => Some(false),
        },
    }
}

fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for answer in answers {
        match answer {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}
