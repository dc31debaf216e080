//! Whether a condition is true in a run of which some facts are known.
//!
//! Source: GitHub Docs, "Evaluate expressions in workflows and actions": strings are compared without case, and empty
//! strings, zero and `null` are false.

use super::{Expression, Literal, Operation, embedded};

/// What is known of a context, by its path.
type Known<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Whether the condition of an `if` is true, where `known` says what the contexts are; `None` where it depends on others.
#[must_use]
pub fn condition_truth(condition: &str, known: &Known<'_>) -> Option<bool> {
    let parts = embedded(condition);
    let inner = match parts.as_slice() {
        [] => condition,
        [only] if only.whole == (0..condition.len()) && only.closed => {
            condition.get(only.inner.clone())?
        }
        _ => return Some(true),
    };
    truth(&Expression::read(inner)?, known)
}

fn truth(expression: &Expression, known: &Known<'_>) -> Option<bool> {
    match expression {
        Expression::Not(inner) => truth(inner, known).map(|it| !it),
        Expression::And(parts) => any(parts, false, known).map(|found| !found),
        Expression::Or(parts) => any(parts, true, known),
        Expression::Compare(left, operation, right) => {
            let same = equal(&value(left, known)?, &value(right, known)?)?;
            match operation {
                Operation::Equal => Some(same),
                Operation::NotEqual => Some(!same),
                Operation::Order => None,
            }
        }
        Expression::Call(name, arguments) => {
            call(name, arguments, known).or_else(|| value(expression, known).map(|it| is_true(&it)))
        }
        Expression::Reference(_) | Expression::Literal(_) => {
            value(expression, known).map(|it| is_true(&it))
        }
    }
}

/// Whether one of `parts` is `wanted`; not known as soon as one that is not known could be.
fn any(parts: &[Expression], wanted: bool, known: &Known<'_>) -> Option<bool> {
    let found: Vec<Option<bool>> = parts.iter().map(|part| truth(part, known)).collect();
    if found.contains(&Some(wanted)) {
        Some(true)
    } else if found.contains(&None) {
        None
    } else {
        Some(false)
    }
}

fn value(expression: &Expression, known: &Known<'_>) -> Option<Literal> {
    match expression {
        Expression::Literal(literal) => Some(literal.clone()),
        Expression::Reference(path) => known(path).map(Literal::Text),
        Expression::Call(name, arguments) if name == "format" => {
            let (pattern, parts) = arguments.split_first()?;
            let mut filled = text(pattern, known)?;
            for (index, part) in parts.iter().enumerate() {
                filled = filled.replace(&format!("{{{index}}}"), &text(part, known)?);
            }
            Some(Literal::Text(filled))
        }
        Expression::Compare(..) | Expression::Not(_) | Expression::Call(..) => {
            truth_of_call(expression, known).map(Literal::Bool)
        }
        // These give one of their parts, not a truth value.
        Expression::And(_) | Expression::Or(_) => None,
    }
}

fn truth_of_call(expression: &Expression, known: &Known<'_>) -> Option<bool> {
    match expression {
        Expression::Call(name, arguments) => call(name, arguments, known),
        Expression::Literal(_)
        | Expression::Reference(_)
        | Expression::Not(_)
        | Expression::And(_)
        | Expression::Or(_)
        | Expression::Compare(..) => truth(expression, known),
    }
}

fn text(expression: &Expression, known: &Known<'_>) -> Option<String> {
    match value(expression, known)? {
        Literal::Text(text) => Some(text),
        Literal::Null | Literal::Bool(_) | Literal::Number(_) => None,
    }
}

fn call(name: &str, arguments: &[Expression], known: &Known<'_>) -> Option<bool> {
    match name {
        // A run that is started anew has neither failed nor been cancelled.
        "success" | "always" => Some(true),
        "failure" | "cancelled" => Some(false),
        "startswith" | "endswith" | "contains" => {
            let [whole, part] = arguments else {
                return None;
            };
            let whole = text(whole, known)?.to_ascii_lowercase();
            let part = text(part, known)?.to_ascii_lowercase();
            Some(match name {
                "startswith" => whole.starts_with(&part),
                "endswith" => whole.ends_with(&part),
                _ => whole.contains(&part),
            })
        }
        _ => None,
    }
}

fn is_true(literal: &Literal) -> bool {
    match literal {
        Literal::Null => false,
        Literal::Bool(it) => *it,
        Literal::Number(written) => written.parse::<f64>() != Ok(0.0),
        Literal::Text(text) => !text.is_empty(),
    }
}

/// Values of two kinds are made numbers first, which is not followed here.
fn equal(left: &Literal, right: &Literal) -> Option<bool> {
    match (left, right) {
        (Literal::Text(left), Literal::Text(right)) => Some(left.eq_ignore_ascii_case(right)),
        (Literal::Bool(left), Literal::Bool(right)) => Some(left == right),
        (Literal::Null, Literal::Null) => Some(true),
        (Literal::Number(left), Literal::Number(right)) => {
            Some(left.parse::<f64>().ok()? == right.parse::<f64>().ok()?)
        }
        (Literal::Null | Literal::Bool(_) | Literal::Number(_) | Literal::Text(_), _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_true_false_or_not_known() {
        let known = |path: &str| match path {
            "github.ref" => Some("refs/heads/main".to_owned()),
            "github.event_name" => Some("workflow_dispatch".to_owned()),
            _ => None,
        };
        for (condition, wanted) in [
            ("github.ref == 'refs/heads/main'", Some(true)),
            ("${{ !(github.ref != 'refs/heads/MAIN') }}", Some(true)),
            ("github.ref == 'refs/heads/main' && always()", Some(true)),
            ("github.ref == 'refs/heads/main' && false", Some(false)),
            ("github.ref == 'refs/heads/main' && 0", Some(false)),
            ("github.event_name == 'push' && vars.X == 'y'", Some(false)),
            ("github.event_name != 'push' && vars.X == 'y'", None),
            ("vars.X || github.ref", Some(true)),
            ("github.ref == format('refs/{0}/main', 'heads')", Some(true)),
            ("startsWith(github.ref, 'refs/tags/')", Some(false)),
            ("github.ref == null", None),
            ("github.ref ==", None),
        ] {
            assert_eq!(condition_truth(condition, &known), wanted, "{condition}");
        }
    }
}
