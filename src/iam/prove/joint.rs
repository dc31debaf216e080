//! The dimension of subject and tied claims of a token in one form.

use super::super::condition::ConditionTest;
use super::super::operators::Texts;
use super::super::{ContextValue, Request};
use super::dimension::{Dimension, Scope};
use super::mask::Mask;
use super::realm::Presence;
use super::tokens::{Form, Tokens, told};
use super::values::word;
use super::words::{Shape, Word, Words, examples};
use crate::model::policy::{BaseOperator, Family};

/// Keys with their values.
pub(super) type Settings = Vec<(String, ContextValue)>;

/// The claims, beside the audience, that statements of `alive` ask of `tokens`.
pub(super) fn asked(scope: &Scope<'_>, tokens: &Tokens<'_>, alive: &Mask) -> Vec<&'static str> {
    let mut asked = Vec::new();
    for (_, statement) in scope.living(alive) {
        for test in &statement.conditions {
            let claim = tokens.claim(&test.folded_key);
            let claim = claim.filter(|claim| *claim != "aud" && !asked.contains(claim));
            asked.extend(claim);
        }
    }
    asked
}

/// Subjects of `form` of every kind, each with the claims of `asked` that go with it.
pub(super) fn choices(
    scope: &Scope<'_>,
    tokens: &Tokens<'_>,
    form: &Form,
    alive: &Mask,
    asked: &[&'static str],
) -> Dimension<Settings> {
    let is_here = |test: &ConditionTest| {
        let claim = tokens.claim(&test.folded_key);
        claim.is_some_and(|claim| form.settles(claim))
    };
    let mut words = Words::default();
    let mut own = Vec::new();
    let mut open = None;
    for (place, statement) in scope.living(alive) {
        for test in statement.conditions.iter().filter(|test| is_here(test)) {
            let wish = scope.goal.wish(place, test.operator.base.is_negated());
            match patterns(test, tokens, form, scope.base) {
                // What the Allow in question demands is no choice.
                Some(found) if place == scope.goal.target && demands(test, tokens) => {
                    own.extend((!is_known(test, tokens, form)).then_some(found));
                }
                Some(found) => found.into_iter().for_each(|word| words.add(word, wish)),
                None => open = Some(format!("`{}` is not asked as a text", test.key)),
            }
        }
    }
    let required = form.required.iter().chain(&own);
    let required: Vec<&[Word]> = required.map(Vec::as_slice).collect();
    let shape = Shape {
        required: &required,
        never: &form.never,
    };
    let Ok(subjects) = examples(&words, shape, scope.budget) else {
        let open =
            Some("subjects of tokens fall into too many kinds to try one of each".to_owned());
        return Dimension {
            choices: Vec::new(),
            open,
        };
    };
    let subjects = subjects.into_iter();
    let values = subjects.flat_map(|subject| settings(subject, tokens, form, asked));
    let choices = scope.distinct(alive, values, |settings, one| {
        let request = with(scope.base, settings);
        let mut own = one.statement.conditions.iter().filter(|test| is_here(test));
        own.all(|test| one.passes(test.truth(&request)))
    });
    Dimension { choices, open }
}

/// Whether one of the values of the condition must come.
fn demands(test: &ConditionTest, tokens: &Tokens<'_>) -> bool {
    let base = test.operator.base;
    let is_text = base.family() == Family::String && !base.is_negated() && test.doubt.is_none();
    is_text && (tokens.has_claim_keys || tokens.claim(&test.folded_key) == Some("sub"))
}

/// Whether the claim that the condition asks for does not stand in the subject.
fn is_known(test: &ConditionTest, tokens: &Tokens<'_>, form: &Form) -> bool {
    let claim = tokens.claim(&test.folded_key);
    let places = |claim: &str| form.places.iter().any(|place| place.claim == claim);
    claim.is_some_and(|claim| claim != "sub" && !places(claim))
}

/// The subject with the claims that go with it; where AWS is not known to hand those on, also without.
fn settings(
    subject: String,
    tokens: &Tokens<'_>,
    form: &Form,
    asked: &[&'static str],
) -> Vec<Settings> {
    let told = told(&subject);
    let told = told.into_iter().chain(form.fixed.clone());
    let told = told.filter(|(claim, _)| asked.contains(claim) && form.settles(claim));
    let mut settings = vec![(tokens.key("sub"), ContextValue::Single(subject))];
    let mut values = Vec::new();
    if !tokens.has_claim_keys {
        values.push(settings.clone());
    }
    for (claim, value) in told {
        let key = tokens.key(claim);
        let known = settings.iter().any(|(own, _)| *own == key);
        let value = value.filter(|_| !known).map(ContextValue::Single);
        settings.extend(value.map(|value| (key, value)));
    }
    values.push(settings);
    values
}

/// The request with these keys too.
fn with(base: &Request, settings: &Settings) -> Request {
    let mut request = base.clone();
    for (key, value) in settings {
        request.set(key, value.clone());
    }
    request
}

/// What the condition looks for, as patterns of the subject; `None` where it does not look at texts.
fn patterns(
    test: &ConditionTest,
    tokens: &Tokens<'_>,
    form: &Form,
    base: &Request,
) -> Option<Vec<Word>> {
    if test.operator.base.family() == Family::Null {
        return Some(Vec::new());
    }
    let fold = matches!(
        test.operator.base,
        BaseOperator::StringEqualsIgnoreCase | BaseOperator::StringNotEqualsIgnoreCase
    );
    let Texts::Strings(patterns) = test.texts() else {
        return None;
    };
    let claim = tokens.claim(&test.folded_key)?;
    let is_subject = claim == "sub";
    let own = patterns
        .iter()
        .filter_map(|one| word(one, base, fold, is_subject));
    if is_subject {
        return Some(own.collect());
    }
    let places = form.places.iter().filter(|place| place.claim == claim);
    let own: Vec<Word> = own.collect();
    Some(
        places
            .flat_map(|place| own.iter().flat_map(|pattern| place.words(pattern)))
            .collect(),
    )
}

/// Whether requests for `action` come with a token whose claims go together.
pub(super) fn concerns(scope: &Scope<'_>, tokens: &Tokens<'_>, action: &str) -> bool {
    scope.presence(action, &tokens.key("sub")) == Presence::Always
}
