//! What policies allow, over all requests: proved, or refuted by a request.
//!
//! A question asks for a request that every *granting* side allows and no *other* side does. "No new access" asks it of the
//! new policy against the old one; equivalence asks it both ways; "access not granted" asks for a request that both the
//! policy and the unwanted access allow.
//!
//! **Method.** A request has an action, a resource, a principal and context keys. A statement applies when each of its
//! elements and each of its conditions does, and each of these looks at one of the four alone. The search takes one Allow of
//! the first granting side after another, without those that stand word for word in another side, and looks for a request
//! that this one lets through. For each dimension the values fall into kinds that no part of any statement tells apart
//! (`words`, `values`, `lists`, `principals`); one value of each kind is put before the *evaluator's own* tests, which gives
//! the set of statements that let it pass. The sets of a whole request are the intersections; `search` walks all that can
//! matter, an action at a time.
//!
//! **Why nothing is missed.**
//!
//! 1. Kinds of texts: every set of patterns that some string matches together has an example.
//! 2. Kinds of numbers, dates and addresses: the ends of all intervals and a value in each gap.
//! 3. Of a key with several values a set operator sees only whether some value passes, or whether all do; lists are grown
//!    until no value adds a kind.
//! 4. Who asks is named by itself, by its role, by its account or as one of all, and one of each is tried.
//! 5. What is left out is worse than what is kept. Of a statement more passing can only help (the Allow in question, the
//!    other sides' Denies) or only hinder (the granting sides' Denies, the other sides' Allows). So of two kinds, or of two
//!    sets, the one with no fewer of the former and no more of the latter is kept, since every later intersection leaves it
//!    so; `words` does the same with the states of its walk.
//! 6. What is found is decided again by the evaluator, as a whole request, so that a counterexample is never an artefact.
//!
//! Texts with variables are first taken to match as they like (`free`): what is ruled out so is ruled out whatever variables
//! stand for. Else the keys that they stand for are given values, an action at a time (`variables`): those that conditions on
//! the key tell apart, parts of what policies write, none, and one that no policy names. These are not all.
//!
//! What breaks one of these is told, and then the answer is *undecided* unless a counterexample is found: variables that
//! could stand for more than was tried; a key that is compared both as text and as a number; unknown or malformed
//! parts; more work than [`Bounds`] allow. What real requests are taken to look like is in [`Realm`]. Keys of the caller,
//! such as `aws:PrincipalArn`, are not tied to who asks, nor keys of the resource to what it is called: that finds
//! requests that may not come, and misses none.

mod automaton;
mod closed;
mod dimension;
mod ends;
mod free;
mod goal;
mod joint;
mod letters;
mod lists;
mod mask;
mod plausible;
mod principals;
mod real;
mod realm;
mod search;
mod taken;
mod texts;
mod tokens;
mod typed;
mod values;
mod variables;
mod words;

use std::collections::BTreeMap;

use crate::model::trust::Repository;

use super::{NamedPolicy, Request};

pub use closed::{Calls, Demand, Grant, Listed, closed_form};
pub use realm::Realm;
pub use taken::Assumption;

/// Policies whose Allows add up and whose Denies hold for all of them.
#[derive(Debug, Clone, Default)]
pub struct Side<'a> {
    /// The policies.
    pub policies: Vec<NamedPolicy<'a>>,
}

/// Is there a request that every side of `granted` allows, and none of `not_granted`?
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// At least one side.
    pub granted: Vec<Side<'a>>,
    /// Any number.
    pub not_granted: Vec<Side<'a>>,
    /// What requests look like.
    pub realm: Realm,
    /// Who asks, where the policies name principals; `None`: anyone.
    pub principal: Option<super::RequestPrincipal>,
    /// Of which repository more is known than its tokens say.
    pub home: Option<&'a Repository>,
    /// What may not be assumed of requests.
    pub aside: Vec<Assumption>,
}

/// A request that answers a question with yes.
#[derive(Debug, Clone)]
pub struct Witness {
    /// The request.
    pub request: Request,
    /// Whether AWS documents its action; `None` where that is not known here.
    pub known_action: Option<bool>,
    /// The statements that allow it.
    pub allowed_by: Vec<AllowedBy>,
    /// Its keys as the policies write them, by their name in lower case.
    pub written: BTreeMap<String, String>,
}

/// A statement that allows a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedBy {
    /// The side of `granted`.
    pub side: usize,
    /// The name of the policy.
    pub policy: String,
    /// The statement's place in it.
    pub statement: usize,
    /// Its `Sid`.
    pub sid: Option<String>,
}

/// The answer to a question.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Requests as asked for, at most one for each kind of action.
    pub witnesses: Vec<Witness>,
    /// Why there could be another one; empty when there is none beside those.
    pub open: Vec<String>,
    /// Kinds of requests that were told apart.
    pub kinds: usize,
    /// What was taken for granted so that there is no other request; nothing where one was found.
    pub taken: Vec<Assumption>,
}

impl Answer {
    /// Whether it is shown that there is no such request.
    #[must_use]
    pub fn is_never(&self) -> bool {
        self.witnesses.is_empty() && self.open.is_empty()
    }
}

/// Bounds on the work of one question.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Steps of one walk over texts.
    pub walk: usize,
    /// Steps of all walks together.
    pub work: usize,
    /// Lists of values of one key.
    pub values: usize,
    /// Sets of statements that are alive at once.
    pub sets: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            walk: 5_000_000,
            work: 100_000_000,
            values: 20_000,
            sets: 5_000,
        }
    }
}

/// Answers `question`.
#[must_use]
pub fn ask(question: &Question<'_>, bounds: Bounds) -> Answer {
    let mut all = Answer::default();
    for principal in principals::askers(question) {
        let question = Question {
            principal,
            ..question.clone()
        };
        let answer = search::answer(&question, bounds);
        all.witnesses.extend(answer.witnesses);
        all.kinds += answer.kinds;
        let taken = answer.taken.into_iter();
        let new: Vec<Assumption> = taken.filter(|one| !all.taken.contains(one)).collect();
        all.taken.extend(new);
        for why in answer.open {
            if !all.open.contains(&why) {
                all.open.push(why);
            }
        }
    }
    if !all.witnesses.is_empty() {
        all.taken.clear();
    }
    all
}

/// The assumptions without which `answer`, that there is no such request, could not be given. Each is set aside, and left
/// aside where the answer stays.
#[must_use]
pub fn needed(question: &Question<'_>, answer: &Answer, bounds: Bounds) -> Vec<Assumption> {
    let mut taken = answer.taken.clone();
    if !answer.is_never() {
        return taken;
    }
    let mut question = question.clone();
    for assumption in answer.taken.iter().rev() {
        if *assumption == Assumption::AnyArns {
            continue;
        }
        question.aside.push(*assumption);
        let without = ask(&question, bounds);
        if without.is_never() {
            taken = without.taken;
        } else {
            question.aside.pop();
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::super::ContextValue;
    use super::*;
    use crate::model::policy::{PolicyDocument, PolicyKind};
    use crate::syntax::json;
    use crate::text::SourceMap;

    fn document(text: &str) -> PolicyDocument {
        let mut sources = SourceMap::default();
        let file = sources.add("p.json", text.to_owned());
        let root = json::read(&sources.text(file).unwrap())
            .documents
            .pop()
            .unwrap();
        PolicyDocument::read(root, Some(PolicyKind::Identity), None)
    }

    fn side<'a>(documents: &'a [PolicyDocument]) -> Side<'a> {
        let named = |document| NamedPolicy {
            name: "p",
            document,
        };
        Side {
            policies: documents.iter().map(named).collect(),
        }
    }

    fn more(new: &str, old: &str, realm: Realm) -> Answer {
        let (new, old) = ([document(new)], [document(old)]);
        ask(
            &Question {
                granted: vec![side(&new)],
                not_granted: vec![side(&old)],
                realm,
                principal: None,
                home: None,
                aside: Vec::new(),
            },
            Bounds::default(),
        )
    }

    fn policy(statement: &str) -> String {
        format!(r#"{{"Version":"2012-10-17","Statement":[{statement}]}}"#)
    }

    const CHANGE: &str = r#"{"Effect":"Allow","Action":"route53:ChangeResourceRecordSets",
        "Resource":"arn:aws:route53:::hostedzone/Z1","Condition":{
        "ForAllValues:StringEquals":{"route53:ChangeResourceRecordSetsNormalizedRecordNames":["example.com","\\052.example.com"],
            "route53:ChangeResourceRecordSetsRecordTypes":["A"],"route53:ChangeResourceRecordSetsActions":["UPSERT"]},
        "Null":{"route53:ChangeResourceRecordSetsNormalizedRecordNames":"false",
            "route53:ChangeResourceRecordSetsRecordTypes":"false","route53:ChangeResourceRecordSetsActions":"false"}}}"#;

    #[test]
    fn a_policy_allows_no_more_than_itself_however_it_is_written() {
        let whole = policy(CHANGE);
        let other = whole
            .replace("StringEquals", "StringLike")
            .replace("\"A\"", "\"A\",\"A\"");
        for realm in [Realm::Documented, Realm::Anything] {
            let answer = more(&whole, &other, realm);
            assert!(answer.is_never(), "{answer:?}");
        }
    }

    #[test]
    fn other_actions_never_pass_a_guard_for_keys_that_they_do_not_carry() {
        let whole = policy(CHANGE);
        let wide = whole.replace("\"route53:ChangeResourceRecordSets\"", "\"route53:*\"");
        assert!(more(&wide, &whole, Realm::Documented).is_never());
        assert_eq!(more(&wide, &whole, Realm::Anything).witnesses.len(), 1);
    }

    #[test]
    fn a_guard_matters_only_where_the_key_could_be_absent() {
        let whole = policy(CHANGE);
        let bare = whole.replace(
            r#""route53:ChangeResourceRecordSetsActions":"false""#,
            r#""aws:userid":"false""#,
        );
        let unguarded = whole.replace(
            r#",
        "Null""#,
            r#", "Unused""#,
        );
        assert_ne!(unguarded, whole);
        let answer = more(&bare, &whole, Realm::Documented);
        assert!(answer.is_never(), "{answer:?}");
        let answer = more(&bare, &whole, Realm::Anything);
        let witness = answer.witnesses.first().unwrap();
        assert!(
            witness
                .request
                .context("route53:ChangeResourceRecordSetsActions")
                .is_none_or(ContextValue::is_null)
        );
    }

    #[test]
    fn what_is_weakened_is_shown_by_a_request() {
        let whole = policy(CHANGE);
        let cases = [
            ("\"UPSERT\"", "\"UPSERT\",\"DELETE\"", "DELETE"),
            ("[\"A\"]", "[\"A\",\"TXT\"]", "TXT"),
            ("ForAllValues", "ForAnyValue", ""),
            ("hostedzone/Z1", "hostedzone/*", ""),
            ("\"Resource\"", "\"NotResource\"", ""),
        ];
        for (from, to, told) in cases {
            let weak = whole.replace(from, to);
            assert_ne!(weak, whole);
            let answer = more(&weak, &whole, Realm::Documented);
            let witness = answer.witnesses.first();
            let witness = witness.unwrap_or_else(|| panic!("{from} -> {to}: {answer:?}"));
            assert!(
                format!("{:?}", witness.request).contains(told),
                "{witness:?}"
            );
            assert_eq!(
                more(&whole, &weak, Realm::Documented).witnesses.len(),
                usize::from(from.contains("NotResource") || to.contains("Not"))
            );
        }
    }
}
