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
pub const CHOICES: [Choice; 10] = [
    choice(
        "any-value-if-exists-missing",
        "two texts disagree on `ForAnyValue:…IfExists` when the key is absent",
        "`IfExists` wins: true",
    ),
    choice(
        "bool-variables",
        "one page allows variables in `Bool`, another denies it",
        "they are not filled in, so such a value matches nothing",
    ),
    choice(
        "empty-values",
        "whether a list that holds only empty strings is a value",
        "it is the null data set: `ForAllValues` is true, `ForAnyValue` false, `Null` sees no value; an empty list is an absent key",
    ),
    choice(
        "letter-case",
        "whether `stringequals` is an operator, `True` is `true`, and how letters outside ASCII fold under `IgnoreCase`",
        "letter case does not count there, by Unicode's lower case; the lint tells an operator that is written otherwise",
    ),
    choice(
        "list-under-plain-operator",
        "what an operator without `ForAllValues:` or `ForAnyValue:` says of a multi-valued key",
        "it never matches, inverted or not",
    ),
    choice(
        "not-principal",
        "whether a `NotPrincipal` spares whom it names when it does not name the account, or the role of a session, as well",
        "it does; an account or a role that is named spares nobody but itself",
    ),
    choice(
        "rcp-services",
        "in which services a resource control policy that is given has effect: the list of the Organizations User Guide (\"Resource control policies\") grows",
        "in every one: a Deny of it always denies",
    ),
    choice(
        "star-principal",
        "whether `Principal: \"*\"` in a resource policy bypasses boundary and session policy",
        "it does not; it does allow without an identity policy inside one account",
    ),
    choice(
        "unfilled-variable",
        "what a variable stands for that has several values, no `}`, or no colon in its name",
        "several values: none; without its `}` it is literal text; a name without a colon, such as `${var.zone}`, is a template that was not filled in, and undecided",
    ),
    choice(
        "values-by-meaning",
        "whether `010` is `10`, what a network with host bits is, and what a value says that is no number, date, address or ARN",
        "values are compared by what they mean: numbers exactly, host bits do not count, `*` alone is every ARN; what has not the operator's form (an exponent, an ARN of fewer segments) equals nothing: false, and true where inverted",
    ),
];
