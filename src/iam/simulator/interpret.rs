//! An answer of `SimulateCustomPolicy` read for one action and one resource. Since 2026 the decision for a resource stands
//! in `ResourceSpecificResults` alone; `EvalResourceName` of the result itself is the form of an ARN.

use crate::model::policy::Effect;

use super::super::{Matched, Word};
use super::exchange::{ActionResult, MatchedStatement};
use super::express::{Question, RESOURCE_POLICY};

/// What an answer says of a question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// The decision; `None` when the answer has none for the question.
    pub word: Option<Word>,
    /// The statements that decided, as far as they are ours.
    pub matched: Vec<Matched>,
    /// Keys that AWS misses, for whatever action.
    pub missing: Vec<String>,
    /// What else AWS says: of boundary and organisation.
    pub notes: Vec<String>,
    /// Statements that AWS names and that are not known here.
    pub strangers: Vec<String>,
    /// What in the answer cannot be understood, so that there is no decision.
    pub faults: Vec<String>,
}

/// Reads the results, of all pages, for `question`.
#[must_use]
pub fn interpret(question: &Question, results: &[ActionResult]) -> Verdict {
    let query = &question.query;
    let action = query.action_names.first().map_or("", String::as_str);
    let mut verdict = Verdict::default();
    let mut of_action = results
        .iter()
        .filter(|result| result.eval_action_name.eq_ignore_ascii_case(action));
    let Some(result) = of_action.next() else {
        verdict
            .faults
            .push(format!("AWS's answer has no result for `{action}`"));
        return verdict;
    };
    if of_action.next().is_some() {
        verdict.faults.push(format!(
            "AWS's answer has several results for `{action}`; since 2026 it has one an action"
        ));
        return verdict;
    }
    let (word, matched) = match query.resource_arns.first() {
        None => {
            verdict.missing.clone_from(&result.missing_context_values);
            (&result.eval_decision, &result.matched_statements)
        }
        Some(resource) => {
            let mut own = result.resource_specific_results.iter();
            let Some(own) = own.find(|own| own.eval_resource_name == *resource) else {
                verdict
                    .faults
                    .push(format!("AWS's answer has no result for `{resource}`"));
                return verdict;
            };
            verdict.missing.clone_from(&own.missing_context_values);
            (&own.eval_resource_decision, &own.matched_statements)
        }
    };
    verdict.word = Word::parse(word);
    if verdict.word.is_none() {
        verdict
            .faults
            .push(format!("AWS answers `{word}`, which is no decision"));
    }
    verdict.notes = notes(result);
    let effect = match verdict.word {
        Some(Word::ExplicitDeny) => Effect::Deny,
        Some(Word::Allowed | Word::ImplicitDeny) | None => Effect::Allow,
    };
    for statement in matched {
        match own_statement(question, statement, effect) {
            Ok(found) => verdict.matched.push(found),
            Err(stranger) => verdict.strangers.push(stranger),
        }
    }
    verdict
}

fn notes(result: &ActionResult) -> Vec<String> {
    let mut notes = Vec::new();
    if result.allowed_by_organizations == Some(false) {
        notes.push("AWS: the service control policies do not allow it".to_owned());
    }
    if result.allowed_by_permissions_boundary == Some(false) {
        notes.push("AWS: the permissions boundary does not allow it".to_owned());
    }
    notes
}

/// The statement of ours that AWS means: by its policy and by where it ends.
fn own_statement(
    question: &Question,
    statement: &MatchedStatement,
    effect: Effect,
) -> Result<Matched, String> {
    let id = statement.source_policy_id.as_str();
    let of_resource = statement
        .source_policy_type
        .as_deref()
        .is_some_and(|kind| kind.to_ascii_lowercase().contains("resource"));
    let id = if of_resource { RESOURCE_POLICY } else { id };
    let policy = question
        .sources
        .iter()
        .find(|source| source.id == id)
        .ok_or_else(|| format!("AWS names a statement of `{id}`, which was not sent"))?;
    let end = statement.end_position;
    let found = policy
        .statements
        .iter()
        .find(|(_, _, place)| Some(*place) == end);
    let (index, sid, _) = found.ok_or_else(|| {
        let place = end.map_or_else(
            || "nowhere".to_owned(),
            |end| format!("at {}:{}", end.line, end.column),
        );
        format!(
            "AWS names a statement of `{}` that ends {place}, where none does",
            policy.name
        )
    })?;
    Ok(Matched {
        policy: policy.name.clone(),
        statement: *index,
        sid: sid.clone(),
        effect,
    })
}
