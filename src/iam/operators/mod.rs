//! Condition operators, one family a file (IAM User Guide, "IAM JSON policy elements: Condition operators").
//!
//! Each family answers one question: does a value of the request match one of the values of the policy? Inversion, set
//! operators and `IfExists` are the condition's own.

mod arn;
mod binary;
mod boolean;
mod date;
mod ip;
mod numeric;
mod string;

use crate::model::policy::{BaseOperator, Family};

use super::Request;
use super::pattern::{Pattern, Syntax};

pub(super) use date::seconds_since_1970;
/// Whether `value`, as it stands in a policy, is of the shape that the operator compares; what is not equals nothing.
#[must_use]
pub fn is_readable(operator: BaseOperator, value: &str) -> bool {
    match operator.family() {
        Family::String => true,
        Family::Numeric => numeric::is_number(value),
        Family::Date => date::is_date(value),
        Family::Bool | Family::Null => boolean::is_word(value),
        Family::Binary => binary::is_base64(value),
        Family::Ip => ip::is_network(value),
        Family::Arn => arn::is_pattern(value),
    }
}

/// How an ordered family compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    fn of(operator: BaseOperator) -> Self {
        use BaseOperator as Op;
        if matches!(operator, Op::NumericLessThan | Op::DateLessThan) {
            Self::Less
        } else if matches!(operator, Op::NumericLessThanEquals | Op::DateLessThanEquals) {
            Self::LessOrEqual
        } else if matches!(operator, Op::NumericGreaterThan | Op::DateGreaterThan) {
            Self::Greater
        } else if matches!(
            operator,
            Op::NumericGreaterThanEquals | Op::DateGreaterThanEquals
        ) {
            Self::GreaterOrEqual
        } else {
            Self::Equal
        }
    }

    fn holds(self, found: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => found.is_eq(),
            Self::Less => found.is_lt(),
            Self::LessOrEqual => found.is_le(),
            Self::Greater => found.is_gt(),
            Self::GreaterOrEqual => found.is_ge(),
        }
    }
}

/// The values of a condition, compiled for its family.
#[derive(Debug, Clone)]
pub(super) enum Values {
    String(string::Strings),
    Numeric(numeric::Numbers),
    Date(date::Dates),
    Bool(boolean::Words),
    Binary(binary::Blobs),
    Ip(ip::Networks),
    Arn(arn::Arns),
    Null(boolean::Words),
}

impl Values {
    /// Compiles `values`; `variables` says whether the document's version fills variables in.
    pub(super) fn new<'a>(
        operator: BaseOperator,
        values: impl Iterator<Item = &'a str>,
        variables: bool,
    ) -> Self {
        match operator.family() {
            Family::String => Self::String(string::Strings::new(operator, values, variables)),
            Family::Numeric => Self::Numeric(numeric::Numbers::new(Order::of(operator), values)),
            Family::Date => Self::Date(date::Dates::new(Order::of(operator), values)),
            Family::Bool => Self::Bool(boolean::Words::new(values)),
            Family::Binary => Self::Binary(binary::Blobs::new(values)),
            Family::Ip => Self::Ip(ip::Networks::new(values)),
            Family::Arn => Self::Arn(arn::Arns::new(values, variables)),
            Family::Null => Self::Null(boolean::Words::new(values)),
        }
    }

    /// Whether `value` matches one of the policy's values, inversion aside. For `Null` the value is whether the key is absent.
    pub(super) fn match_one(&self, value: &str, request: &Request) -> bool {
        match self {
            Self::String(values) => values.match_one(value, request),
            Self::Numeric(values) => values.match_one(value),
            Self::Date(values) => values.match_one(value),
            Self::Bool(values) | Self::Null(values) => values.match_one(value),
            Self::Binary(values) => values.match_one(value),
            Self::Ip(values) => values.match_one(value),
            Self::Arn(values) => values.match_one(value, request),
        }
    }

    /// What is asked of a text.
    pub(super) fn texts(&self) -> Texts<'_> {
        match self {
            Self::String(values) => Texts::Strings(values.all()),
            Self::Arn(values) => Texts::Arns(values.all()),
            Self::Numeric(_)
            | Self::Date(_)
            | Self::Bool(_)
            | Self::Binary(_)
            | Self::Ip(_)
            | Self::Null(_) => Texts::None,
        }
    }

    /// The patterns with variables in them.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let (strings, arns) = match self {
            Self::String(values) => (Some(values.patterns()), None),
            Self::Arn(values) => (None, Some(values.patterns())),
            Self::Numeric(_)
            | Self::Date(_)
            | Self::Bool(_)
            | Self::Binary(_)
            | Self::Ip(_)
            | Self::Null(_) => (None, None),
        };
        strings
            .into_iter()
            .flatten()
            .chain(arns.into_iter().flatten())
    }
}

/// What a condition asks of a text.
pub(super) enum Texts<'a> {
    /// One of these.
    Strings(&'a [Pattern]),
    /// An ARN of these segments; `None` is any ARN.
    Arns(std::vec::IntoIter<Option<&'a [Pattern; 6]>>),
    /// Nothing: it is no condition on texts.
    None,
}

/// The syntax of values under `operator`.
pub(super) fn syntax(operator: BaseOperator, variables: bool) -> Syntax {
    let family = operator.family();
    Syntax {
        wildcards: operator.is_pattern(),
        variables: variables && matches!(family, Family::String | Family::Arn),
    }
}
