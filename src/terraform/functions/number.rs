//! Functions of numbers. What cannot be held exactly is not evaluated.

use std::cmp::Ordering;

use super::{Arguments, Signature, items, takes};
use crate::terraform::failure::fault;
use crate::terraform::types::to_number;
use crate::terraform::value::{Sequence, Value, ValueKind};
use crate::terraform::{Eval, Number};

const ANY: usize = usize::MAX;

/// Terraform's own limit on `range`.
const MAX_RANGE: usize = 1024;

pub(super) fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "abs" => takes(1, 1, |given| given.computed(Number::absolute)),
        "ceil" => takes(1, 1, |given| given.computed(Number::ceil)),
        "floor" => takes(1, 1, |given| given.computed(Number::floor)),
        "signum" => takes(1, 1, signum),
        "max" => takes(1, ANY, |given| given.extreme(Ordering::Greater)),
        "min" => takes(1, ANY, |given| given.extreme(Ordering::Less)),
        "sum" => takes(1, 1, sum),
        "pow" => takes(2, 2, |given| given.float(f64::powf)),
        "log" => takes(2, 2, |given| given.float(|a, base| a.ln() / base.ln())),
        "parseint" => takes(2, 2, parse_int),
        "range" => takes(1, 3, range),
        _ => return None,
    })
}

impl Arguments {
    /// The argument at `at` as a number; `None` when it cannot be held exactly.
    pub(super) fn number(&self, at: usize) -> Eval<Option<Number>> {
        let value = self.get(at)?;
        if value.is_null() {
            return Err(fault(
                value.span(),
                "null stands here, but a number is expected",
            ));
        }
        to_number(value)
    }

    /// The argument at `at` as a whole number.
    pub(super) fn whole(&self, at: usize) -> Eval<i128> {
        let number = self.number(at)?;
        number.and_then(Number::as_whole).ok_or_else(|| {
            fault(
                self.get(at).map_or(self.span, Value::span),
                "a whole number is expected here",
            )
        })
    }

    pub(super) fn number_result(&self, number: Option<Number>) -> Value {
        match number {
            Some(number) => self.result(ValueKind::Number(number)),
            None => self.not_evaluated("a number that is not held exactly"),
        }
    }

    fn computed(&self, compute: fn(Number) -> Option<Number>) -> Eval<Value> {
        Ok(self.number_result(self.number(0)?.and_then(compute)))
    }

    fn extreme(&self, wanted: Ordering) -> Eval<Value> {
        let mut best: Option<Number> = None;
        for at in 0..self.values.len() {
            let Some(next) = self.number(at)? else {
                return Ok(self.number_result(None));
            };
            let better = match best {
                Some(best) => next.compare(best),
                None => Some(wanted),
            };
            match better {
                Some(order) if order == wanted => best = Some(next),
                Some(_) => {}
                None => return Ok(self.number_result(None)),
            }
        }
        Ok(self.number_result(best))
    }

    /// Terraform computes these with floats of 64 bits; whole results of fewer than 53 bits are exact.
    fn float(&self, compute: fn(f64, f64) -> f64) -> Eval<Value> {
        let float = |number: Option<Number>| {
            number.and_then(|number| number.to_string().parse::<f64>().ok())
        };
        let (a, b) = (float(self.number(0)?), float(self.number(1)?));
        let result = a.zip(b).map(|(a, b)| compute(a, b));
        let whole = result.filter(|result| result.fract() == 0.0 && result.abs() < 9e15);
        Ok(self.number_result(whole.and_then(|whole| Number::parse(&format!("{whole:.0}")))))
    }
}

fn signum(given: &Arguments) -> Eval<Value> {
    let sign = given.whole(0)?.signum();
    Ok(given.number_result(Some(Number::from_whole(sign))))
}

fn sum(given: &Arguments) -> Eval<Value> {
    let all = items(given.get(0)?, "sum")?;
    if all.is_empty() {
        return Err(fault(given.span, "`sum` of an empty list"));
    }
    if let Some(unknown) = given.get(0)?.any_hole() {
        return Ok(given.result(ValueKind::Unknown(unknown)));
    }
    let mut sum = Some(Number::from_length(0));
    for item in all {
        if item.is_null() {
            return Err(fault(item.span(), "null cannot be added"));
        }
        let next = to_number(item)?;
        sum = sum.zip(next).and_then(|(sum, next)| sum.plus(next));
    }
    Ok(given.number_result(sum))
}

fn parse_int(given: &Arguments) -> Eval<Value> {
    let (text, base) = (given.text(0)?, given.whole(1)?);
    let base = u32::try_from(base)
        .ok()
        .filter(|base| (2..=62).contains(base));
    let base = base.ok_or_else(|| fault(given.span, "the base is a whole number from 2 to 62"))?;
    let written = text.as_str();
    let (negative, digits) = match written.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, written.strip_prefix('+').unwrap_or(written)),
    };
    let reason = || {
        fault(
            text.span(),
            format!("`{written}` is no whole number in base {base}"),
        )
    };
    if digits.is_empty() {
        return Err(reason());
    }
    let mut value: Option<i128> = Some(0);
    for digit in digits.chars() {
        let digit = digit_of(digit, base).ok_or_else(reason)?;
        value = value
            .and_then(|value| value.checked_mul(i128::from(base)))
            .and_then(|value| value.checked_add(i128::from(digit)));
    }
    let value = value.map(|value| if negative { -value } else { value });
    Ok(given.number_result(value.map(Number::from_whole)))
}

/// Up to base 36 the case does not count; beyond it lower-case letters come first.
fn digit_of(digit: char, base: u32) -> Option<u32> {
    let value = match digit {
        '0'..='9' => u32::from(digit) - u32::from('0'),
        'a'..='z' => u32::from(digit) - u32::from('a') + 10,
        'A'..='Z' if base <= 36 => u32::from(digit) - u32::from('A') + 10,
        'A'..='Z' => u32::from(digit) - u32::from('A') + 36,
        _ => return None,
    };
    (value < base).then_some(value)
}

fn range(given: &Arguments) -> Eval<Value> {
    let zero = Number::from_length(0);
    let one = Number::from_length(1);
    let all: Eval<Vec<Option<Number>>> =
        (0..given.values.len()).map(|at| given.number(at)).collect();
    let all: Option<Vec<Number>> = all?.into_iter().collect();
    let down = |start: Number, end: Number| end.compare(start) == Some(Ordering::Less);
    let (start, end, step) = match all.as_deref() {
        Some([end]) => (
            zero,
            *end,
            if down(zero, *end) { one.negated() } else { one },
        ),
        Some([start, end]) => (
            *start,
            *end,
            if down(*start, *end) {
                one.negated()
            } else {
                one
            },
        ),
        Some([start, end, step]) => (*start, *end, *step),
        _ => return Ok(given.number_result(None)),
    };
    let towards = step.compare(zero);
    if towards == Some(Ordering::Equal) && start.compare(end) != Some(Ordering::Equal) {
        return Err(fault(given.span, "the step of `range` is not zero"));
    }
    if down(start, end) != (towards == Some(Ordering::Less))
        && start.compare(end) != Some(Ordering::Equal)
    {
        return Err(fault(
            given.span,
            "the step of `range` leads away from its end",
        ));
    }
    let before_end = |at: Number| match towards {
        Some(Ordering::Greater) => at.compare(end) == Some(Ordering::Less),
        _ => at.compare(end) == Some(Ordering::Greater),
    };
    let mut numbers = Vec::new();
    let mut at = start;
    while before_end(at) {
        if numbers.len() == MAX_RANGE {
            return Err(fault(
                given.span,
                format!("`range` gives more than {MAX_RANGE} numbers"),
            ));
        }
        numbers.push(given.result(ValueKind::Number(at)));
        let Some(next) = at.plus(step) else {
            return Ok(given.number_result(None));
        };
        at = next;
    }
    Ok(given.result(ValueKind::Sequence(Sequence::List, numbers)))
}
