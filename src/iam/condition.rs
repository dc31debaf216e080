//! One key under one operator, compiled: set operators, inversion, `IfExists`, absent keys
//! (IAM User Guide, "Condition operators" and "Multivalued context keys").

use crate::model::policy::{BaseOperator, Condition, Operator, Quantifier};

use super::operators::{Texts, Values, syntax};
use super::pattern::Pattern;
use super::statement::Truth;
use super::{ContextValue, Request};

/// A compiled condition.
#[derive(Debug, Clone)]
pub(super) struct ConditionTest {
    /// The key as the policy writes it.
    pub(super) key: Box<str>,
    /// The key in lower case.
    pub(super) folded_key: Box<str>,
    /// The operator.
    pub(super) operator: Operator,
    /// The values as the policy writes them, for explanations.
    pub(super) written: Box<[Box<str>]>,
    values: Values,
    /// Why some value is not known, if one is not.
    pub(super) doubt: Option<Box<str>>,
}

/// What a request has under a key, as far as operators tell it apart.
#[derive(Debug, Clone, Copy)]
enum Presence<'a> {
    Absent,
    /// Nothing but empty strings.
    Null(&'a ContextValue),
    Present(&'a ContextValue),
}

impl ConditionTest {
    /// Compiles `condition`, whose operator is `operator`.
    pub(super) fn new(condition: &Condition, operator: Operator, variables: bool) -> Self {
        let syntax = syntax(operator.base, variables);
        let mut doubt = condition
            .incomplete
            .then(|| format!("a value of `{}` is not known", condition.key.as_str()));
        let written = condition.values.iter().map(|value| value.text.as_str());
        let mut known = Vec::with_capacity(condition.values.len());
        for value in written.clone() {
            match Pattern::new(value, syntax).unfilled() {
                None => known.push(value),
                Some(name) => {
                    doubt = Some(format!(
                        "`${{{name}}}` is no policy variable; it looks like a template that was not filled in"
                    ));
                }
            }
        }
        Self {
            key: condition.key.as_str().into(),
            folded_key: condition.key.as_str().to_ascii_lowercase().into(),
            operator,
            values: Values::new(operator.base, known.into_iter(), variables),
            written: written.map(Into::into).collect(),
            doubt: doubt.map(String::into_boxed_str),
        }
    }

    /// Whether the condition holds. With values not known, more values could only add matches: so a positive operator
    /// that matches and an inverted one that fails stay what they are, the rest is open.
    pub(super) fn truth(&self, request: &Request) -> Truth {
        if request.is_open(&self.folded_key) {
            return self.truth_of_anything();
        }
        let presence = self.presence(request);
        let holds = self.holds(presence, request);
        let open = self.doubt.is_some() || self.open_variable(request).is_some();
        if !open || !self.looks_at_values(presence) {
            return Truth::from(holds);
        }
        if holds == self.operator.base.is_negated() {
            Truth::Maybe
        } else {
            Truth::from(holds)
        }
    }

    /// Whether it holds of a key that may be there or not, with any value.
    fn truth_of_anything(&self) -> Truth {
        match (self.operator.base, self.operator.quantifier) {
            (BaseOperator::Null, Some(Quantifier::ForAllValues)) => Truth::Yes,
            (BaseOperator::Null, Some(Quantifier::ForAnyValue)) => Truth::No,
            _ => Truth::Maybe,
        }
    }

    /// A variable in its values of which it is not known what the request has for it.
    fn open_variable(&self, request: &Request) -> Option<&str> {
        if !request.leaves_open() {
            return None;
        }
        let mut variables = self.patterns().flat_map(Pattern::variables);
        let found = variables.find(|variable| request.is_open(&variable.folded));
        found.map(|variable| &*variable.key)
    }

    /// Why it is open whether it holds, if that is for what is not known of the request.
    pub(super) fn open_for(&self, request: &Request) -> Option<String> {
        if request.is_open(&self.folded_key) {
            let listed: Vec<&str> = self.written.iter().map(|text| &**text).collect();
            return Some(format!(
                "it asks for `{}` in `{}`, and what the request has there is not known",
                listed.join("` or `"),
                self.key
            ));
        }
        let variable = self.open_variable(request)?;
        Some(format!("what `${{{variable}}}` stands for is not known"))
    }

    fn presence<'a>(&self, request: &'a Request) -> Presence<'a> {
        match request.value(&self.folded_key) {
            None => Presence::Absent,
            Some(value) if value.is_null() => Presence::Null(value),
            Some(value) => Presence::Present(value),
        }
    }

    fn holds(&self, presence: Presence<'_>, request: &Request) -> bool {
        let Operator {
            quantifier,
            base,
            if_exists,
        } = self.operator;
        if base == BaseOperator::Null {
            return self.null_holds(presence, request);
        }
        let hit = |value: &String| self.values.match_one(value, request) != base.is_negated();
        match (quantifier, presence) {
            (None, Presence::Absent) => base.is_negated() || if_exists,
            (None, Presence::Null(value) | Presence::Present(value)) => match value {
                ContextValue::Single(value) => hit(value),
                ContextValue::Multi(_) => false,
            },
            (Some(Quantifier::ForAllValues), Presence::Absent | Presence::Null(_)) => true,
            (Some(Quantifier::ForAllValues), Presence::Present(value)) => {
                value.values().iter().all(hit)
            }
            (Some(Quantifier::ForAnyValue), Presence::Absent) => if_exists,
            (Some(Quantifier::ForAnyValue), Presence::Null(_)) => false,
            (Some(Quantifier::ForAnyValue), Presence::Present(value)) => {
                value.values().iter().any(hit)
            }
        }
    }

    /// `Null` asks whether the key is absent; under a set operator it asks nothing (Access Analyzer,
    /// `NULL_WITH_QUALIFIER`).
    fn null_holds(&self, presence: Presence<'_>, request: &Request) -> bool {
        let absent = match presence {
            Presence::Absent | Presence::Null(_) => "true",
            Presence::Present(_) => "false",
        };
        match self.operator.quantifier {
            None => self.values.match_one(absent, request),
            Some(Quantifier::ForAllValues) => true,
            Some(Quantifier::ForAnyValue) => false,
        }
    }

    fn looks_at_values(&self, presence: Presence<'_>) -> bool {
        if self.operator.base == BaseOperator::Null {
            return self.operator.quantifier.is_none();
        }
        match (self.operator.quantifier, presence) {
            (_, Presence::Absent) => false,
            (None, Presence::Null(value) | Presence::Present(value)) => {
                matches!(value, ContextValue::Single(_))
            }
            (Some(_), Presence::Null(_)) => false,
            (Some(_), Presence::Present(_)) => true,
        }
    }

    /// Whether `value` alone passes: for explanations.
    pub(super) fn passes(&self, value: &str, request: &Request) -> bool {
        self.values.match_one(value, request) != self.operator.base.is_negated()
    }

    /// What it asks of a text.
    pub(super) fn texts(&self) -> Texts<'_> {
        self.values.texts()
    }

    /// The patterns of its values.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.values.patterns()
    }
}
