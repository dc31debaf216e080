//! Functions of numbers.

use std::cmp::Ordering;

use num_bigint::BigInt;

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
        "pow" => takes(2, 2, |given| given.double(power)),
        "log" => takes(2, 2, |given| {
            given.double(|a, base| logarithm(a) / logarithm(base))
        }),
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
            if best.is_none_or(|best| next.compare(best) == wanted) {
                best = Some(next);
            }
        }
        Ok(self.number_result(best))
    }

    /// Terraform computes these with floats of 64 bits. What is infinite or no number ends Terraform's run.
    fn double(&self, compute: fn(f64, f64) -> f64) -> Eval<Value> {
        let (a, b) = (self.number(0)?, self.number(1)?);
        let result = a.zip(b).map(|(a, b)| compute(a.as_double(), b.as_double()));
        Ok(self.number_result(result.and_then(Number::from_double)))
    }
}

/// Powers as Go computes them (`math/pow.go`): by squares of the mantissa.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 0.0 || base == 1.0 {
        return 1.0;
    }
    if exponent == 1.0 {
        return base;
    }
    if base == 0.0 || base.is_nan() || exponent.is_nan() || exponent.abs() >= 2e9 {
        return base.powf(exponent);
    }
    if exponent == 0.5 {
        return base.sqrt();
    }
    if exponent == -0.5 {
        return 1.0 / base.sqrt();
    }
    if exponent.fract() != 0.0 {
        // Its last digits depend on the machine that Go runs on.
        return f64::NAN;
    }
    let (mut result, mut result_exponent) = (1.0, 0_i32);
    let (mut square, mut square_exponent) = parted(base);
    let mut turns: i64 = format!("{:.0}", exponent.abs()).parse().unwrap_or(0);
    while turns != 0 {
        if square_exponent.abs() > 1 << 12 {
            result_exponent = result_exponent.saturating_add(square_exponent);
            break;
        }
        if turns & 1 == 1 {
            result *= square;
            result_exponent = result_exponent.saturating_add(square_exponent);
        }
        square *= square;
        square_exponent <<= 1;
        if square < 0.5 {
            square += square;
            square_exponent -= 1;
        }
        turns >>= 1;
    }
    if exponent < 0.0 {
        result = 1.0 / result;
        result_exponent = -result_exponent;
    }
    raised(result, result_exponent)
}

/// The natural logarithm as Go computes it (`math/log.go`, after FreeBSD's `e_log.c`).
fn logarithm(number: f64) -> f64 {
    if !number.is_finite() || number <= 0.0 {
        return number.ln();
    }
    let (mut mantissa, mut exponent) = parted(number);
    if mantissa < std::f64::consts::FRAC_1_SQRT_2 {
        mantissa *= 2.0;
        exponent -= 1;
    }
    let (f, k) = (mantissa - 1.0, f64::from(exponent));
    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let odd = [
        1.479_819_860_511_658_6e-1,
        1.818_357_216_161_805e-1,
        2.857_142_874_366_239e-1,
        6.666_666_666_666_735e-1,
    ];
    let even = [
        1.531_383_769_920_937_3e-1,
        2.222_219_843_214_978_4e-1,
        3.999_999_999_940_942e-1,
    ];
    let sum = |factors: &[f64]| factors.iter().fold(0.0, |sum, factor| sum * s4 + factor);
    let rest = s2 * sum(&odd) + s4 * sum(&even);
    let half = 0.5 * f * f;
    let (high, low) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
    k * high - ((half - (s * (half + rest) + k * low)) - f)
}

/// A mantissa from a half up to one, and the power of two that it is multiplied by; the number is finite.
fn parted(number: f64) -> (f64, i32) {
    let (mut mantissa, mut exponent) = (number, 0);
    while mantissa.abs() >= 1.0 {
        mantissa /= 2.0;
        exponent += 1;
    }
    while mantissa != 0.0 && mantissa.abs() < 0.5 {
        mantissa *= 2.0;
        exponent -= 1;
    }
    (mantissa, exponent)
}

/// A number times a power of two, in steps that no double is too small for.
fn raised(mut number: f64, mut exponent: i32) -> f64 {
    while exponent > 0 && number.is_finite() {
        let step = exponent.min(1000);
        number *= 2_f64.powi(step);
        exponent -= step;
    }
    while exponent < 0 && number != 0.0 {
        let step = (-exponent).min(1000);
        number /= 2_f64.powi(step);
        exponent += step;
    }
    number
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
    if matches!(
        given.get(0)?.kind,
        ValueKind::Number(_) | ValueKind::Bool(_)
    ) {
        let reason = format!(
            "`parseint` takes a string, but {} stands here",
            given.get(0)?.kind_name()
        );
        return Err(fault(text.span(), reason));
    }
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
    given.afford(0, digits.len())?;
    let mut value = BigInt::ZERO;
    for (at, digit) in digits.chars().enumerate() {
        let digit = digit_of(digit, base).ok_or_else(reason)?;
        // More bits than these no number has.
        if at < MAX_DIGITS {
            value = value * base + digit;
        }
    }
    let value = if negative { -value } else { value };
    let fits = digits.len() <= MAX_DIGITS;
    let number = fits.then(|| Number::from_integer(&value)).flatten();
    Ok(given.number_result(number))
}

/// How many digits `parseint` reads: as many as 512 bits may have in base 2.
const MAX_DIGITS: usize = 512;

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
    let down = |start: Number, end: Number| end.compare(start) == Ordering::Less;
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
    if towards == Ordering::Equal && start != end {
        return Err(fault(given.span, "the step of `range` is not zero"));
    }
    if down(start, end) != (towards == Ordering::Less) && start != end {
        return Err(fault(
            given.span,
            "the step of `range` leads away from its end",
        ));
    }
    let before_end = |at: Number| match towards {
        Ordering::Greater => at.compare(end) == Ordering::Less,
        Ordering::Less | Ordering::Equal => at.compare(end) == Ordering::Greater,
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
