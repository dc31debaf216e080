//! Two engines for a case: the local evaluator, and AWS's `SimulateCustomPolicy`; and what they say differently.

use std::collections::BTreeSet;

use crate::iam::cases::Case;
use crate::iam::simulator::{ActionResult, Query, Verdict, express, interpret};
use crate::iam::{Compiled, Decision, Matched, Policies};
use crate::ports::{PolicySimulator, SimulatorFault};

use super::super::exit::AppError;

/// How many pages an answer has at most; more is an endpoint that never ends.
const MAX_PAGES: usize = 100;

/// What AWS says of a case.
pub(super) struct Asked {
    /// The decision, with why it is open where it is; the word is then the local one.
    pub(super) decision: Decision,
    /// What AWS and the local evaluator say differently.
    pub(super) differences: Vec<String>,
}

/// Asks AWS about a case that `local` has decided already.
///
/// # Errors
/// When nothing can be asked.
pub(super) fn ask(
    case: &Case,
    policies: &Policies<'_>,
    local: &Decision,
    simulator: &mut dyn PolicySimulator,
) -> Result<Asked, AppError> {
    let question = match express(policies, &case.request) {
        Ok(question) => question,
        Err(reasons) => return Ok(open(local, reasons)),
    };
    let results = match every_page(&question.query, simulator) {
        Ok(results) => results,
        Err(SimulatorFault::Refused(refusal)) => {
            let (code, message) = (refusal.code, refusal.message);
            return Ok(open(
                local,
                vec![format!("AWS refuses the request: {code}: {message}")],
            ));
        }
        Err(fault @ SimulatorFault::NotRecorded) => {
            return Ok(open(local, vec![fault.to_string()]));
        }
        Err(fault @ SimulatorFault::Unreachable(_)) => return Err(fault.into()),
    };
    let verdict = interpret(&question, &results);
    let mut reasons = verdict.faults.clone();
    reasons.extend(unplanned(case, policies, local, &verdict.missing));
    let Some(word) = verdict.word.filter(|_| reasons.is_empty()) else {
        return Ok(open(local, reasons));
    };
    let differences = differences(policies, local, &verdict);
    Ok(Asked {
        decision: Decision {
            word,
            why: why(local, &verdict),
            matched: verdict.matched,
            missing_context: local.missing_context.clone(),
            not_given: local.not_given.clone(),
            undecided: Vec::new(),
        },
        differences,
    })
}

fn open(local: &Decision, undecided: Vec<String>) -> Asked {
    Asked {
        decision: Decision {
            matched: Vec::new(),
            not_given: None,
            undecided,
            ..local.clone()
        },
        differences: Vec::new(),
    }
}

fn every_page(
    query: &Query,
    simulator: &mut dyn PolicySimulator,
) -> Result<Vec<ActionResult>, SimulatorFault> {
    let mut page = query.clone();
    let mut results = Vec::new();
    for _ in 0..MAX_PAGES {
        let answer = simulator.simulate(&page)?;
        results.extend(answer.evaluation_results);
        if answer.marker.is_none() {
            return Ok(results);
        }
        page.marker = answer.marker;
    }
    Err(SimulatorFault::Unreachable(format!(
        "its answer has more than {MAX_PAGES} pages"
    )))
}

/// The keys without which AWS's decision is not to be relied on: those that AWS misses, that a statement for this action
/// asks for, and that the case did not plan to leave out. AWS lists the keys of all statements, also of those for other
/// actions (boto/boto3#3111); those of service control policies it does not list (aws/aws-cli#10525), so they are added.
fn unplanned(
    case: &Case,
    policies: &Policies<'_>,
    local: &Decision,
    missing: &[String],
) -> Vec<String> {
    let is_in = |list: &[String], key: &str| list.iter().any(|one| one.eq_ignore_ascii_case(key));
    let mut reasons = Vec::new();
    let mut told = BTreeSet::new();
    let of_scps = Compiled::new(&Policies {
        scps: policies.scps.clone(),
        ..Policies::default()
    })
    .evaluate(&case.request)
    .missing_context;
    for key in missing.iter().chain(&of_scps) {
        let planned = case.gives_context || is_in(&case.absent, key);
        if !told.insert(key.to_ascii_lowercase()) {
            continue;
        }
        if case.request.context(key).is_some() {
            reasons.push(format!(
                "AWS says that `{key}` is missing, though the case gives it"
            ));
        } else if !planned && is_in(&local.missing_context, key) {
            reasons.push(format!(
                "AWS decides without `{key}`, which the policies ask for and the case does not give; give it, or name it in `absent`"
            ));
        }
    }
    reasons
}

fn why(local: &Decision, verdict: &Verdict) -> Vec<String> {
    let mut why = verdict.notes.clone();
    why.extend_from_slice(&verdict.strangers);
    if verdict.word == Some(local.word) {
        why.extend_from_slice(&local.why);
    } else {
        why.push(format!(
            "AWS gives no reason; the local evaluator says {}",
            local.word.word()
        ));
    }
    why
}

/// What the two say differently. The statements of boundary and service control policies are left aside: AWS names those
/// of identity and resource policies alone.
fn differences(policies: &Policies<'_>, local: &Decision, verdict: &Verdict) -> Vec<String> {
    let mut differences = Vec::new();
    if !local.undecided.is_empty() {
        let word = verdict.word.map_or("nothing", |word| word.word());
        differences.push(format!(
            "decision: local is undecided ({}), AWS says {word}",
            local.undecided.join("; ")
        ));
        return differences;
    }
    if let Some(word) = verdict.word
        && word != local.word
    {
        differences.push(format!(
            "decision: local says {}, AWS {}",
            local.word.word(),
            word.word()
        ));
    }
    if !verdict.strangers.is_empty() {
        differences.extend_from_slice(&verdict.strangers);
        return differences;
    }
    let named: BTreeSet<&str> = policies
        .identity
        .iter()
        .chain(policies.resource.iter())
        .map(|policy| policy.name)
        .collect();
    let ours = places(
        local
            .matched
            .iter()
            .filter(|one| named.contains(one.policy.as_str())),
    );
    let theirs = places(verdict.matched.iter());
    if ours != theirs {
        differences.push(format!(
            "statements: local names {}, AWS {}",
            listed(&ours),
            listed(&theirs)
        ));
    }
    differences
}

fn places<'a>(matched: impl Iterator<Item = &'a Matched>) -> BTreeSet<(&'a str, usize)> {
    matched
        .map(|one| (one.policy.as_str(), one.statement))
        .collect()
}

fn listed(places: &BTreeSet<(&str, usize)>) -> String {
    if places.is_empty() {
        return "none".to_owned();
    }
    let each = |(policy, statement): &(&str, usize)| format!("statement {statement} of `{policy}`");
    let all: Vec<String> = places.iter().map(each).collect();
    all.join(", ")
}
