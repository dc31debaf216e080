//! Whether one pattern, list or statement takes in all that another does. "No" may also mean that it is not seen.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::model::policy::{
    Elements, Principal, Principals, Statement, Value, glob_matches, glob_matches_ignoring_case,
};
use crate::text::cut_at_colon;

/// Whether letter case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Counts,
    Folded,
}

/// Whether everything that `inner` matches is matched by `outer` too.
pub(super) fn pattern(outer: &str, inner: &str, case: Case) -> bool {
    if !ends_fit(outer, inner, case) {
        return false;
    }
    match outer.bytes().position(is_open) {
        // As it is written, and nothing else.
        None => return outer.len() == inner.len(),
        // One star at the end, as in most patterns: what stands before it is the same.
        Some(fixed)
            if fixed + 1 == outer.len() && outer.ends_with('*') && !is_long(outer, inner) =>
        {
            return fixed <= inner.len();
        }
        Some(_) => {}
    }
    // `${` stands for what a request carries, or for a character that is no wildcard: nothing but stars is certain to take
    // it in, and of itself it takes in only what is written the same.
    if outer.contains("${") {
        return outer == inner;
    }
    if let Some(start) = inner.find("${") {
        return around_variable(outer, inner, start, case);
    }
    let fixed = outer.bytes().take_while(|byte| !is_wild(*byte)).count();
    if fixed == outer.len() {
        return Folded(outer, case) == Folded(inner, case);
    }
    if fixed > inner.len() {
        return false;
    }
    // A star of the inner pattern is more than one character, so a question mark takes it in only as itself.
    if outer.contains('?') && inner.contains('*') {
        return outer == inner;
    }
    if is_long(outer, inner) {
        return outer == inner;
    }
    // What stands for a variable is not known, unless a star stands for it.
    match case {
        Case::Counts => glob_matches(outer, inner),
        Case::Folded => glob_matches_ignoring_case(outer, inner),
    }
}

/// Whether `outer` takes in all of `inner`, whose first variable begins at `start`: what stands before it must be taken in
/// by a pattern that ends in a star, which then takes in the rest.
fn around_variable(outer: &str, inner: &str, start: usize, case: Case) -> bool {
    let before = inner.get(..start).unwrap_or_default();
    outer == inner || outer.ends_with('*') && pattern(outer, before, case)
}

/// How many values a list may have before they are no longer compared pair by pair: those of AWS's own policies are.
const MOST: usize = 200;

/// The product of the lengths of two patterns above which only their texts are compared.
const LONGEST: usize = 40_000;

fn is_long(outer: &str, inner: &str) -> bool {
    outer.len().saturating_mul(inner.len()) > LONGEST
}

/// Bytes of a policy above which its lists are not compared: no kind of policy may be so long.
pub(super) const LARGEST: usize = 256 * 1024;

/// For each value of a list the first other one that takes it in: one written the same that stands before it, or one that
/// takes in more wherever it stands.
pub(super) fn coverings(values: &[Value], case: Case) -> Vec<Option<&Value>> {
    if values.len() < 2 || values.len() > MOST {
        return vec![None; values.len()];
    }
    let text = |at: usize| values.get(at).map_or("", |value| value.text.as_str());
    let mut first: BTreeMap<Folded<'_>, usize> = BTreeMap::new();
    let patterns: Vec<usize> = (0..values.len())
        .filter(|at| is_pattern(text(*at)))
        .collect();
    let covering = |at: usize| {
        let inner = Folded(text(at), case);
        let before = *first.entry(inner).or_insert(at);
        let takes = |outer: &usize| {
            let outer_text = text(*outer);
            *outer != at && Folded(outer_text, case) != inner && pattern(outer_text, inner.0, case)
        };
        let broader = patterns.iter().copied().find(takes);
        let same = Some(before).filter(|before| *before != at);
        let found = [same, broader].into_iter().flatten().min()?;
        values.get(found)
    };
    (0..values.len()).map(covering).collect()
}

/// Whether what stands before the first and behind the last wildcard or variable of `outer` stands there in `inner`, too:
/// what takes nothing in mostly fails here, variables or not.
fn ends_fit(outer: &str, inner: &str, case: Case) -> bool {
    let (back, other) = (outer.bytes().rev(), inner.bytes().rev());
    up_to_open(back.zip(other), case) && up_to_open(outer.bytes().zip(inner.bytes()), case)
}

/// Whether the bytes of a pattern and of another text are the same up to the first that others may stand for.
fn up_to_open(mut pairs: impl Iterator<Item = (u8, u8)>, case: Case) -> bool {
    let parts = |(outer, inner): &(u8, u8)| match case {
        _ if is_open(*outer) => true,
        Case::Counts => outer != inner,
        Case::Folded => !outer.eq_ignore_ascii_case(inner),
    };
    pairs.find(parts).is_none_or(|(outer, _)| is_open(outer))
}

/// Whether other bytes than this one may stand where it stands in a pattern, or behind it.
fn is_open(byte: u8) -> bool {
    is_wild(byte) || byte == b'$'
}

fn is_pattern(text: &str) -> bool {
    text.bytes().any(is_wild)
}

fn is_wild(byte: u8) -> bool {
    matches!(byte, b'*' | b'?')
}

/// A text that is compared in this case.
#[derive(Debug, Clone, Copy)]
struct Folded<'a>(&'a str, Case);

impl Ord for Folded<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.1 {
            Case::Counts => by_end(self.0.bytes(), other.0.bytes()),
            Case::Folded => {
                let lower = |byte: u8| byte.to_ascii_lowercase();
                by_end(self.0.bytes().map(lower), other.0.bytes().map(lower))
            }
        }
    }
}

/// An order in which texts that begin alike, as ARNs and actions do, are soon told apart.
fn by_end<I>(one: I, other: I) -> Ordering
where
    I: ExactSizeIterator<Item = u8> + DoubleEndedIterator,
{
    let lengths = one.len().cmp(&other.len());
    lengths.then_with(|| one.rev().cmp(other.rev()))
}

impl PartialOrd for Folded<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Folded<'_> {
    fn eq(&self, other: &Self) -> bool {
        match self.1 {
            Case::Counts => self.0 == other.0,
            Case::Folded => self.0.eq_ignore_ascii_case(other.0),
        }
    }
}

impl Eq for Folded<'_> {}

/// A statement that is compared with many others.
pub(super) struct Compared<'a> {
    /// The statement.
    pub(super) statement: &'a Statement,
    /// A bit for each service that its actions name, and all bits where one of them may be of any service.
    services: u64,
    /// A bit for each service of its actions that must be named by whatever takes the statement in.
    needed: u64,
}

impl<'a> Compared<'a> {
    /// The statement, with what is asked of it again and again looked up once.
    pub(super) fn new(statement: &'a Statement) -> Self {
        let (mut services, mut needed) = (0, 0);
        match statement.actions.as_ref().filter(|list| !list.negated) {
            Some(actions) => {
                for action in actions.strings() {
                    match bit(action) {
                        Some(bit) => {
                            services |= bit;
                            needed |= bit;
                        }
                        None => services = u64::MAX,
                    }
                }
            }
            None => services = u64::MAX,
        }
        Self {
            statement,
            services,
            needed,
        }
    }

    /// Whether it applies wherever `inner` does, effects aside.
    pub(super) fn takes_in(&self, inner: &Self) -> bool {
        inner.needed & !self.services == 0 && statement(self.statement, inner.statement)
    }
}

/// The bit of the service of an action, one of 64 by the letters of its name; `None` where it may be of any service.
fn bit(action: &str) -> Option<u64> {
    let prefix = cut_at_colon(action).map(|(prefix, _)| prefix)?;
    let mix = |sum: u32, byte: u8| sum.wrapping_mul(31) ^ u32::from(byte.to_ascii_lowercase());
    let plain = !prefix.bytes().any(is_open);
    plain.then(|| 1 << (prefix.bytes().fold(7, mix) % 64))
}

/// Whether the outer statement applies wherever the inner one does, effects aside.
fn statement(outer: &Statement, inner: &Statement) -> bool {
    let counts = outer.conditions.is_empty() || outer.conditions.len() == inner.conditions.len();
    counts
        && !outer.incomplete
        && !inner.incomplete
        && list(
            outer.resources.as_ref(),
            inner.resources.as_ref(),
            Case::Counts,
        )
        && list(outer.actions.as_ref(), inner.actions.as_ref(), Case::Folded)
        && principals(outer.principals.as_ref(), inner.principals.as_ref())
        && (outer.conditions.is_empty() || same_conditions(outer, inner))
}

fn list(outer: Option<&Elements>, inner: Option<&Elements>, case: Case) -> bool {
    match (outer, inner) {
        (None, None) => true,
        (Some(outer), Some(inner)) if !outer.negated && !inner.negated => {
            let taken = |value: &Value| {
                outer
                    .strings()
                    .any(|pattern_of| pattern(pattern_of, value.text.as_str(), case))
            };
            !inner.values.is_empty() && inner.values.iter().all(taken)
        }
        (Some(outer), Some(inner)) if outer.negated && inner.negated => {
            outer.strings().eq(inner.strings())
        }
        (Some(outer), Some(inner)) if outer.negated && !inner.negated => {
            let spared = |value: &Value| {
                let mut listed = outer.strings();
                listed.any(|listed| !apart(listed, value.text.as_str(), case))
            };
            !inner.values.is_empty() && !inner.values.iter().any(spared)
        }
        // Everything takes in what a `Not…` leaves.
        (Some(outer), Some(_)) => !outer.negated && outer.strings().any(|text| text == "*"),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Whether nothing that one pattern takes in is taken in by the other, as far as what stands before their wildcards says.
fn apart(one: &str, other: &str, case: Case) -> bool {
    let variable = |text: &str| text.bytes().any(|byte| byte == b'$') && text.contains("${");
    if variable(one) || variable(other) {
        return false;
    }
    let mut pairs = one.bytes().zip(other.bytes());
    let fixed = |(a, b): &(u8, u8)| !is_wild(*a) && !is_wild(*b);
    let differ = |(a, b): (u8, u8)| match case {
        Case::Counts => a != b,
        Case::Folded => !a.eq_ignore_ascii_case(&b),
    };
    pairs.by_ref().take_while(fixed).any(differ)
        || !is_pattern(other) && !pattern(one, other, case)
        || !is_pattern(one) && !pattern(other, one, case)
}

fn principals(outer: Option<&Principals>, inner: Option<&Principals>) -> bool {
    match (outer, inner) {
        (None, None) => true,
        (Some(outer), Some(inner)) => {
            let words = |principals: &Principals| -> Vec<(Option<String>, String)> {
                let word = |entry: &Principal| {
                    let kind = entry.kind.as_ref().map(|kind| kind.as_str().to_owned());
                    (kind, entry.value.text.as_str().to_owned())
                };
                principals.entries.iter().map(word).collect()
            };
            let (outer_words, inner_words) = (words(outer), words(inner));
            outer.negated == inner.negated
                && (outer_words == inner_words
                    || !outer.negated && inner_words.iter().all(|word| outer_words.contains(word)))
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn same_conditions(one: &Statement, other: &Statement) -> bool {
    type Said<'a> = (&'a str, String, Vec<&'a str>);
    fn said(statement: &Statement) -> Vec<Said<'_>> {
        let mut all: Vec<Said<'_>> = statement
            .conditions
            .iter()
            .map(|condition| {
                let mut values: Vec<&str> = condition
                    .values
                    .iter()
                    .map(|value| value.text.as_str())
                    .collect();
                values.sort_unstable();
                let key = condition.key.as_str().to_ascii_lowercase();
                (condition.operator_text.as_str(), key, values)
            })
            .collect();
        all.sort();
        all
    }
    one.conditions.len() == other.conditions.len() && said(one) == said(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_variable_is_no_text_that_a_pattern_takes_in() {
        let taken = |outer: &str, inner: &str| pattern(outer, inner, Case::Counts);
        assert!(!taken("b/$*", "b/${aws:username}/*"));
        assert!(!taken("b/?*", "b/${*}"));
        assert!(!taken("b/${*}", "b/${*}x") && !taken("b/${*}*", "b/${aws:username}/x"));
        assert!(taken("b/*", "b/${aws:username}/*") && taken("*", "${*}"));
        assert!(taken("b/${*}", "b/${*}"));
    }

    /// The definition, without a look at what is quick.
    fn by_definition(outer: &str, inner: &str, case: Case) -> bool {
        let before = inner.find("${").and_then(|start| inner.get(..start));
        match before {
            _ if outer == inner => true,
            _ if outer.contains("${") => false,
            Some(before) => outer.ends_with('*') && by_definition(outer, before, case),
            None if outer.contains('?') && inner.contains('*') => false,
            None if case == Case::Counts => glob_matches(outer, inner),
            None => glob_matches_ignoring_case(outer, inner),
        }
    }

    #[test]
    fn only_a_statement_without_the_service_is_told_apart_by_it() {
        for (outer, inner, apart) in [
            ("s3:*", "S3:GetObject", false),
            ("*", "s3:GetObject", false),
            ("s*:GetObject", "s3:GetObject", false),
            ("s3:*", "s*:GetObject", false),
            ("sqs:*", "s3:GetObject", true),
        ] {
            let differ = match (bit(outer), bit(inner)) {
                (Some(one), Some(other)) => one != other,
                (None, _) | (_, None) => false,
            };
            assert_eq!(differ, apart, "{outer} {inner}");
            assert!(!differ || !pattern(outer, inner, Case::Folded));
        }
    }

    proptest! {
        #[test]
        fn a_quick_answer_is_the_one_of_the_definition(
            outer in "([abA*?$]|\\$\\{a\\}){0,5}", inner in "([abA*?$]|\\$\\{a\\}){0,5}"
        ) {
            for case in [Case::Counts, Case::Folded] {
                prop_assert_eq!(pattern(&outer, &inner, case), by_definition(&outer, &inner, case));
            }
        }

        #[test]
        fn what_is_taken_in_matches_nothing_else(
            outer in "[ab*?]{0,5}", inner in "[ab*?]{0,5}", text in "[ab]{0,5}"
        ) {
            if pattern(&outer, &inner, Case::Counts) && glob_matches(&inner, &text) {
                prop_assert!(glob_matches(&outer, &text));
            }
        }
    }
}
