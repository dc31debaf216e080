//! Whether a condition lets a job run on one branch alone.

use super::{Expression, Literal, Operation, embedded};

/// What a condition says of the ref that a run was started on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// Always true: text stands beside the `${{ … }}`, so that the whole is a string that is never empty.
    AlwaysTrue,
    /// Nothing.
    Absent,
    /// It asks for another branch or tag.
    OtherRef,
    /// It asks for the name alone, which a tag can have too.
    TagToo,
    /// It asks something of the ref that is not known here.
    Undecided,
    /// It is true on the branch alone.
    Holds,
}

/// What the condition of an `if` says of the ref, where runs of `branch` alone are wanted.
#[must_use]
pub fn ref_guard(condition: &str, branch: &str) -> Guard {
    let parts = embedded(condition);
    let inner = match parts.as_slice() {
        [] => condition,
        [only] if only.whole == (0..condition.len()) && only.closed => {
            condition.get(only.inner.clone()).unwrap_or_default()
        }
        _ => return Guard::AlwaysTrue,
    };
    match Expression::read(inner) {
        Some(expression) => judge(&expression, true, branch),
        None => Guard::Undecided,
    }
}

/// What `expression` says where it is true (`wanted`) or false.
fn judge(expression: &Expression, wanted: bool, branch: &str) -> Guard {
    match expression {
        Expression::Not(inner) => judge(inner, !wanted, branch),
        Expression::And(parts) if wanted => all_hold(parts, wanted, branch),
        Expression::Or(parts) if !wanted => all_hold(parts, wanted, branch),
        Expression::And(parts) | Expression::Or(parts) => {
            let weakest = parts.iter().map(|part| judge(part, wanted, branch)).min();
            weakest.unwrap_or(Guard::Absent)
        }
        Expression::Compare(left, operation, right) => {
            let is_equality = match operation {
                Operation::Equal => wanted,
                Operation::NotEqual => !wanted,
                Operation::Order => false,
            };
            if is_equality {
                equality(left, right, branch)
            } else {
                Guard::Absent
            }
        }
        Expression::Call(name, arguments) => call(name, arguments),
        Expression::Reference(path) if path == "github.ref_protected" => Guard::Undecided,
        Expression::Reference(_) | Expression::Literal(_) => Guard::Absent,
    }
}

/// All of `parts` hold at once: the strongest counts, and the name together with the type is as good as the ref.
fn all_hold(parts: &[Expression], wanted: bool, branch: &str) -> Guard {
    let strongest = parts.iter().map(|part| judge(part, wanted, branch)).max();
    let strongest = strongest.unwrap_or(Guard::Absent);
    if strongest == Guard::TagToo && parts.iter().any(|part| asks_for_a_branch(part, wanted)) {
        Guard::Holds
    } else {
        strongest
    }
}

fn asks_for_a_branch(part: &Expression, wanted: bool) -> bool {
    let Expression::Compare(left, operation, right) = part else {
        return false;
    };
    let is_equality = match operation {
        Operation::Equal => wanted,
        Operation::NotEqual => !wanted,
        Operation::Order => false,
    };
    is_equality
        && pair(left, right).is_some_and(|(path, value)| {
            path == "github.ref_type" && value.eq_ignore_ascii_case("branch")
        })
}

fn equality(left: &Expression, right: &Expression, branch: &str) -> Guard {
    let Some((path, value)) = pair(left, right) else {
        let asks = [left, right]
            .iter()
            .any(|side| matches!(side, Expression::Reference(path) if is_ref(path)));
        return if asks {
            Guard::Undecided
        } else {
            Guard::Absent
        };
    };
    let full = format!("refs/heads/{branch}");
    let same = |wanted: &str| value.eq_ignore_ascii_case(wanted);
    match path {
        "github.ref" if same(&full) => Guard::Holds,
        "github.workflow_ref"
            if value
                .to_ascii_lowercase()
                .ends_with(&format!("@{full}").to_ascii_lowercase()) =>
        {
            Guard::Holds
        }
        "github.ref_name" if same(branch) => Guard::TagToo,
        "github.ref" | "github.ref_name" | "github.workflow_ref" => Guard::OtherRef,
        _ => Guard::Absent,
    }
}

fn is_ref(path: &str) -> bool {
    matches!(
        path,
        "github.ref" | "github.ref_name" | "github.workflow_ref"
    )
}

/// A context and the literal it is compared with, in either order.
fn pair<'a>(left: &'a Expression, right: &'a Expression) -> Option<(&'a str, String)> {
    match (left, right) {
        (Expression::Reference(path), other) | (other, Expression::Reference(path)) => {
            Some((path, literal(other)?))
        }
        _ => None,
    }
}

fn literal(expression: &Expression) -> Option<String> {
    if let Expression::Literal(Literal::Text(text)) = expression {
        return Some(text.clone());
    }
    let Expression::Call(name, arguments) = expression else {
        return None;
    };
    let (pattern, parts) = arguments.split_first().filter(|_| name == "format")?;
    let mut text = literal(pattern)?;
    for (index, part) in parts.iter().enumerate() {
        text = text.replace(&format!("{{{index}}}"), &literal(part)?);
    }
    Some(text)
}

/// `startsWith`, `endsWith` and `contains` of the ref let other refs run too; what other calls make of it is not known.
fn call(name: &str, arguments: &[Expression]) -> Guard {
    let is_part = matches!(name, "startswith" | "endswith" | "contains");
    let of_ref = arguments
        .first()
        .is_some_and(|first| matches!(first, Expression::Reference(path) if is_ref(path)));
    let mentions = arguments
        .iter()
        .any(|argument| argument.references().into_iter().any(is_ref));
    if mentions && !(is_part && of_ref) {
        Guard::Undecided
    } else {
        Guard::Absent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_spellings_of_the_guard_hold() {
        for condition in [
            "github.ref == 'refs/heads/main'",
            "${{ github.ref == 'refs/heads/main' }}",
            "'refs/heads/main' == GITHUB['ref'] && always()",
            "!(github.ref != 'refs/heads/main')",
            "!(github.ref != 'refs/heads/main' || cancelled())",
            "github.ref == format('refs/heads/{0}', 'main')",
            "github.ref_type == 'branch' && github.ref_name == 'main'",
            "github.workflow_ref == 'a/b/.github/workflows/x.yml@refs/heads/main'",
        ] {
            assert_eq!(ref_guard(condition, "main"), Guard::Holds, "{condition}");
        }
    }

    #[test]
    fn what_lets_another_ref_run_is_no_guard() {
        for (condition, guard) in [
            ("success()", Guard::Absent),
            ("github.ref != 'refs/heads/main'", Guard::Absent),
            ("github.ref == 'refs/heads/main' || always()", Guard::Absent),
            ("startsWith(github.ref, 'refs/heads/main')", Guard::Absent),
            ("github.ref == 'refs/heads/mainline'", Guard::OtherRef),
            ("github.ref_name == 'main'", Guard::TagToo),
            ("${{ github.ref == 'refs/heads/main' }} ", Guard::AlwaysTrue),
            (
                "${{ github.ref == 'refs/heads/main' }}\n",
                Guard::AlwaysTrue,
            ),
            ("${{ github.ref }} == 'refs/heads/main'", Guard::AlwaysTrue),
            ("github.ref == vars.BRANCH", Guard::Undecided),
            (
                "contains(fromJSON('[\"refs/heads/main\"]'), github.ref)",
                Guard::Undecided,
            ),
        ] {
            assert_eq!(ref_guard(condition, "main"), guard, "{condition}");
        }
    }
}
