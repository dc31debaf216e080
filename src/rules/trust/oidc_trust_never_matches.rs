//! Another condition, or a Deny, that keeps the job's own token out.

use crate::diag::Severity;
use crate::iam::trust::{
    Judge, open_surroundings, unknown_claim, unknown_claims, unknown_surrounding,
};
use crate::model::policy::PolicyDocument;
use crate::model::trust::{GitHubStatement, Repository, claim_keys, issuer_of};
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{allows, is_open, limits, place, plain, pointer, takes};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-trust-never-matches",
    aliases: &[],
    summary: "a condition or Deny that keeps the job's own token out",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("oidc_trust_never_matches.md"),
    check: Check::Trust(check),
};

/// The claims whose value follows from the repository.
const KNOWN: [&str; 7] = [
    "environment",
    "job_workflow_ref",
    "ref",
    "repository",
    "repository_id",
    "repository_owner_id",
    "workflow",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let Some(repository) = sink.repository().filter(|job| job.asked) else {
        return;
    };
    let judge = Judge::new(policy, repository);
    let answer = judge.asks_of_job(policy, repository);
    if answer.is_none() {
        for condition in open_surroundings(policy, repository) {
            sink.undecided(
                condition.span,
                "whether the job's own token is let in",
                unknown_surrounding(condition),
                vec![format!("`{}` of the job's call", condition.key.as_str())],
            );
        }
    }
    if answer.is_none() && judge.asks(&repository.claims()).is_some() {
        let by_id = allows(policy).any(|one| limits(one, "actor_id").next().is_some());
        // That a name is asked for is a fault of its own, and told as that.
        let open = unknown_claims(policy, repository).into_iter();
        for (claim, condition) in open.filter(|(claim, _)| *claim != "actor" || by_id) {
            sink.undecided(
                condition.span,
                "whether the job's own token is let in",
                unknown_claim(claim, condition),
                vec![format!("the claim `{claim}` of the job's token")],
            );
        }
    }
    if answer != Some(false) {
        return;
    }
    for one in allows(policy) {
        let told = KNOWN
            .iter()
            .filter(|claim| claims(one, claim, repository, sink))
            .count();
        let open = variables(one, sink);
        others(one, told > 0 || open, &judge, repository, sink);
    }
    if let Some(index) = judge.denied_by(&repository.claims()) {
        let mut denies = policy.statements.iter();
        if let Some(statement) = denies.find(|one| one.index == index) {
            let at = statement
                .effect
                .as_ref()
                .map_or(statement.span, |effect| effect.span());
            sink.report(at, "this Deny applies to the job's own token")
                .pointer(format!("{}/Effect", statement.pointer))
                .help(format!(
                    "the job's token carries the subject `{}`",
                    repository.subject()
                ));
        }
    }
}

/// A subject with a variable: the evaluator has found that nothing which such a request carries fills it in.
fn variables(one: GitHubStatement<'_>, sink: &mut Sink<'_>) -> bool {
    let mut told = false;
    for condition in limits(one, "sub").filter(|condition| !condition.incomplete) {
        let Some(value) = condition.values.iter().find(|value| plain(value).is_none()) else {
            continue;
        };
        let message = format!(
            "`{}` is filled in by nothing that a request with GitHub's token carries",
            value.text.as_str()
        );
        sink.report(value.text.span(), message)
            .pointer(value.pointer.clone())
            .help("write the subject itself");
        told = true;
    }
    told
}

/// Where nothing else says why: what the evaluator says of a statement whose subject, audience and provider are right.
fn others(
    one: GitHubStatement<'_>,
    told: bool,
    judge: &Judge,
    repository: &Repository,
    sink: &mut Sink<'_>,
) {
    let token = repository.claims();
    let right = ["sub", "aud"].into_iter().all(|claim| {
        let carried = token.get(claim).unwrap_or_default();
        limits(one, claim).all(|condition| {
            let mut values = condition.values.iter();
            is_open(condition) || values.any(|value| takes(condition, value, carried))
        })
    });
    let mut providers = one.providers();
    let named = providers.any(|principal| {
        let written = principal.value.text.as_str();
        issuer_of(written) == Some(repository.issuer.as_str())
            && repository
                .provider
                .as_deref()
                .is_none_or(|own| own == written)
    });
    // Of claims that no request carries another rule tells.
    let strange = one.claims().any(|(_, claim)| {
        let mut known = claim_keys().iter();
        !known.any(|known| known.eq_ignore_ascii_case(claim))
    });
    if told || strange || !right || !named || judge.denied_by(&token).is_some() {
        return;
    }
    sink.report(place(one), "a condition keeps the job's own token out")
        .pointer(pointer(one))
        .help(judge.denial(repository));
}

/// Whether it told of a condition that the job's token does not pass.
fn claims(
    one: GitHubStatement<'_>,
    claim: &str,
    repository: &Repository,
    sink: &mut Sink<'_>,
) -> bool {
    let token = repository.claims();
    let carried = token.get(claim);
    // Without ids, whether a condition on them holds cannot be said.
    if carried.is_none() && claim != "environment" {
        return false;
    }
    let mut told = false;
    if repository.unknown_claims().contains(&claim) {
        return false;
    }
    for condition in limits(one, claim).filter(|condition| !is_open(condition)) {
        let passes = carried.is_some_and(|text| {
            condition
                .values
                .iter()
                .any(|value| takes(condition, value, text))
        });
        if passes {
            continue;
        }
        told = true;
        let carries = carried.map_or_else(|| "none".to_owned(), |text| format!("`{text}`"));
        let listed: Vec<&str> = condition
            .values
            .iter()
            .map(|value| value.text.as_str())
            .collect();
        let message = format!(
            "the job's token does not carry `{}` in `{}`",
            listed.join("` or `"),
            condition.key.as_str()
        );
        sink.report(condition.span, message)
            .pointer(condition.pointer.clone())
            .help(format!("it carries {carries}"));
    }
    told
}
