//! `StringEquals`, `StringEqualsIgnoreCase`, `StringLike` and their inversions.

use crate::model::policy::BaseOperator;

use super::super::Request;
use super::super::pattern::Pattern;
use super::syntax;

/// The values of a string condition.
#[derive(Debug, Clone)]
pub(in crate::iam) struct Strings {
    ignore_case: bool,
    patterns: Box<[Pattern]>,
}

impl Strings {
    pub(super) fn new<'a>(
        operator: BaseOperator,
        values: impl Iterator<Item = &'a str>,
        variables: bool,
    ) -> Self {
        let syntax = syntax(operator, variables);
        Self {
            ignore_case: matches!(
                operator,
                BaseOperator::StringEqualsIgnoreCase | BaseOperator::StringNotEqualsIgnoreCase
            ),
            patterns: values.map(|value| Pattern::new(value, syntax)).collect(),
        }
    }

    pub(super) fn match_one(&self, value: &str, request: &Request) -> bool {
        if self.ignore_case {
            let same = |pattern: &Pattern| {
                let wanted = pattern.text(request);
                wanted.is_some_and(|wanted| folded(&wanted).eq(folded(value)))
            };
            return self.patterns.iter().any(same);
        }
        self.patterns
            .iter()
            .any(|pattern| pattern.matches(value, request))
    }

    pub(super) fn all(&self) -> &[Pattern] {
        &self.patterns
    }

    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter()
    }
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}
