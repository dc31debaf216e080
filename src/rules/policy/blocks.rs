//! Conditions by the operator block that they stand in: a fault of the operator is one finding, whatever the number of
//! its keys.

use std::ops::Range;

use crate::diag::Edit;
use crate::model::policy::{BaseOperator, Condition, PolicyDocument, Quantifier, Statement, Value};
use crate::rules::{Draft, Sink};

use super::forallvalues_allow_without_null_guard::is_guard;
use super::mend;

/// The conditions grouped by block, in the order of the policy.
pub(super) fn by_block<'a>(
    conditions: impl Iterator<Item = &'a Condition>,
) -> Vec<Vec<&'a Condition>> {
    let mut blocks: Vec<Vec<&Condition>> = Vec::new();
    for condition in conditions {
        let open = blocks.last_mut().filter(|block| {
            block
                .first()
                .is_some_and(|first| first.block == condition.block)
        });
        match open {
            Some(block) => block.push(condition),
            None => blocks.push(vec![condition]),
        }
    }
    blocks
}

/// The faulty conditions of a block, at least one.
pub(super) struct FaultyBlock<'a> {
    pub(super) statement: &'a Statement,
    pub(super) first: &'a Condition,
    pub(super) conditions: Vec<&'a Condition>,
}

impl<'a> FaultyBlock<'a> {
    /// The operator as it is written.
    pub(super) fn operator(&self) -> &'a str {
        self.first.operator_text.as_str()
    }

    /// The keys, back-quoted, with commas between them.
    pub(super) fn keys(&self) -> String {
        let keys: Vec<String> = self
            .conditions
            .iter()
            .map(|condition| format!("`{}`", condition.key.as_str()))
            .collect();
        keys.join(", ")
    }

    /// Whether the statement has a block of this name already: a second one would be a repeated key.
    fn stands(&self, name: &str) -> bool {
        let mut others = self.statement.conditions.iter();
        others.any(|other| other.operator_text.as_str() == name)
    }

    /// The edit that writes the operator as `name`, unless a block of that name stands there.
    pub(super) fn renamed(&self, sink: &Sink<'_>, name: &str) -> Option<Edit> {
        if self.stands(name) {
            return None;
        }
        mend::replace(sink, &self.first.operator_text, name)
    }

    /// The edit that takes the bytes `range` out of the operator, unless a block of the name that is left stands there.
    pub(super) fn without(&self, sink: &Sink<'_>, range: Range<usize>) -> Vec<Option<Edit>> {
        let mut left = self.operator().to_owned();
        if left.get(range.clone()).is_some() {
            left.replace_range(range.clone(), "");
        }
        if self.stands(&left) {
            return Vec::new();
        }
        vec![mend::edit(sink, &self.first.operator_text, range, "")]
    }

    /// A finding at the operator.
    pub(super) fn report<'s>(&self, sink: &'s mut Sink<'_>, message: String) -> Draft<'s> {
        sink.report(self.first.operator_text.span(), message)
            .pointer(self.first.block_pointer.clone())
    }
}

/// The blocks of `policy` with at least one condition that is `faulty`.
pub(super) fn faulty_blocks<'a>(
    policy: &'a PolicyDocument,
    faulty: impl Fn(&Statement, &Condition) -> bool,
) -> Vec<FaultyBlock<'a>> {
    let mut found = Vec::new();
    for statement in &policy.statements {
        let conditions = statement
            .conditions
            .iter()
            .filter(|condition| faulty(statement, condition));
        for conditions in by_block(conditions) {
            found.extend(conditions.first().copied().map(|first| FaultyBlock {
                statement,
                first,
                conditions,
            }));
        }
    }
    found
}

/// Whether the condition lets through only requests that carry its key with one of some values.
pub(super) fn narrows(statement: &Statement, condition: &Condition) -> bool {
    let Some(operator) = condition.operator else {
        // What is misspelt shows what was meant; a rule of its own tells it.
        return true;
    };
    let absent = operator.if_exists || operator.quantifier == Some(Quantifier::ForAllValues);
    let guarded = || {
        statement
            .conditions_on(condition.key.as_str())
            .any(is_guard)
    };
    let everything = |value: &Value| {
        let text = value.text.as_str();
        operator.base.is_pattern() && !text.is_empty() && text.chars().all(|c| c == '*')
    };
    operator.base != BaseOperator::Null
        && !operator.base.is_negated()
        && (!absent || guarded())
        && !condition.values.iter().any(everything)
}

/// Whether the condition asks for the values of its key under this set operator.
pub(super) fn is_under(condition: &Condition, quantifier: Quantifier) -> bool {
    condition.operator.is_some_and(|operator| {
        operator.quantifier == Some(quantifier) && operator.base != BaseOperator::Null
    })
}
