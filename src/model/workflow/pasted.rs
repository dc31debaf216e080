//! What of an expression can become part of the text that it stands in.
//!
//! Source: GitHub Docs, "Evaluate expressions in workflows and actions": comparisons and tests give booleans, `&&` and `||`
//! give one of their sides, and `toJSON` gives everything that its argument holds.

use super::Expression;

/// A context whose text can become part of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pasted<'a> {
    /// The context with its steps, as [`Expression::Reference`] has it.
    pub path: &'a str,
    /// Whether all that it holds becomes text, by `toJSON`.
    pub whole: bool,
}

/// Functions that give a boolean or a digest, whatever they are given.
const NO_TEXT: [&str; 8] = [
    "always",
    "cancelled",
    "contains",
    "endswith",
    "failure",
    "hashfiles",
    "startswith",
    "success",
];

impl Expression {
    /// Every context whose text can become part of the result: not what is merely compared or tested.
    #[must_use]
    pub fn pasted(&self) -> Vec<Pasted<'_>> {
        let mut found = Vec::new();
        let mut open = vec![(self, false)];
        while let Some((next, whole)) = open.pop() {
            match next {
                Self::Literal(_) | Self::Not(_) | Self::Compare(..) => {}
                Self::Reference(path) => found.push(Pasted { path, whole }),
                Self::Call(name, _) if NO_TEXT.contains(&name.as_str()) => {}
                Self::Call(name, parts) => {
                    let whole = whole || name == "tojson";
                    open.extend(parts.iter().rev().map(|part| (part, whole)));
                }
                // A side that is not the last is the result only where it is empty.
                Self::And(parts) => open.extend(parts.last().map(|part| (part, whole))),
                Self::Or(parts) => open.extend(parts.iter().rev().map(|part| (part, whole))),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_or_tested_becomes_no_text() {
        for (text, wanted) in [
            ("github.head_ref == 'x'", ""),
            ("contains(github.head_ref, 'x') || 'b'", ""),
            ("github.head_ref && 'a' || 'b'", ""),
            ("!github.head_ref", ""),
            (
                "github.event.x && github.head_ref || vars.b",
                "github.head_ref vars.b",
            ),
            ("format('{0}', github.head_ref)", "github.head_ref"),
            ("fromJSON(toJSON(github.event))", "github.event*"),
        ] {
            let read = Expression::read(text).unwrap();
            let words: Vec<String> = read
                .pasted()
                .iter()
                .map(|one| format!("{}{}", one.path, if one.whole { "*" } else { "" }))
                .collect();
            assert_eq!(words.join(" "), wanted, "{text}");
        }
    }
}
