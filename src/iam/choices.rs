//! The choices of this evaluator where AWS's texts are silent or disagree: all of them, in one place.

/// One choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// A short name.
    pub name: &'static str,
    /// What is not said.
    pub open: &'static str,
    /// What we do.
    pub chosen: &'static str,
}

const fn choice(name: &'static str, open: &'static str, chosen: &'static str) -> Choice {
    Choice { name, open, chosen }
}

/// Every choice, by name.
pub const CHOICES: [Choice; 16] = [
    choice(
        "arn-star",
        "what a pattern of fewer than six segments matches under an ARN operator",
        "`*` alone matches every ARN, any other pattern of fewer segments none",
    ),
    choice(
        "bool-case",
        "whether `True` is `true` under `Bool` and `Null`",
        "letter case does not count",
    ),
    choice(
        "bool-variables",
        "one page allows variables in `Bool`, another denies it",
        "they are not filled in, so such a value matches nothing",
    ),
    choice(
        "any-value-if-exists-missing",
        "two texts disagree on `ForAnyValue:…IfExists` when the key is absent",
        "`IfExists` wins: true",
    ),
    choice(
        "cidr-host-bits",
        "what a network with host bits set (`203.0.113.77/24`) means",
        "the host bits do not count",
    ),
    choice(
        "empty-values",
        "whether a list that holds only empty strings is a value",
        "it is the null data set: `ForAllValues` is true, `ForAnyValue` false, `Null` sees no value; an empty list is an absent key",
    ),
    choice(
        "fold",
        "how `IgnoreCase` folds letters outside ASCII",
        "by Unicode's lower case",
    ),
    choice(
        "line-break",
        "whether `*` and `?` match a line break",
        "they match every character",
    ),
    choice(
        "list-under-plain-operator",
        "what an operator without `ForAllValues:` or `ForAnyValue:` says of a multi-valued key",
        "it never matches, inverted or not",
    ),
    choice(
        "null-values",
        "what `Null` with both `true` and `false` says",
        "the values join by OR: it is always true",
    ),
    choice(
        "number-spelling",
        "whether `010` is `10`",
        "numbers are compared by value, exactly; an exponent is no number",
    ),
    choice(
        "operator-case",
        "whether `stringequals` is an operator",
        "letter case does not count in evaluation; the lint tells it",
    ),
    choice(
        "star-principal",
        "whether `Principal: \"*\"` in a resource policy bypasses boundary and session policy",
        "it does not; it does allow without an identity policy inside one account",
    ),
    choice(
        "unreadable-value",
        "what a value that is no number, date, address or ARN says under an operator for those",
        "it equals nothing: false, and true where inverted",
    ),
    choice(
        "variable-with-several-values",
        "what a variable of a multi-valued key stands for",
        "it has no value",
    ),
    choice(
        "broken-variable",
        "what `${` without its `}` says",
        "literal text; a name without a colon, such as `${var.zone}`, is a template that was not filled in, and undecided",
    ),
];
