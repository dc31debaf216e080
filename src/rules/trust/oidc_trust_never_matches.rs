//! Another condition, or a Deny, that keeps the job's own token out.

use crate::diag::Severity;
use crate::iam::trust::Judge;
use crate::model::policy::PolicyDocument;
use crate::model::trust::{GitHubStatement, Repository, github_statements};
use crate::rules::{Check, Rule, Sink, Tier};

use super::subjects::{allows, is_open, limits, plain, takes};

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
const KNOWN: [&str; 5] = [
    "environment",
    "ref",
    "repository",
    "repository_id",
    "repository_owner_id",
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let Some(repository) = sink.repository().filter(|job| job.asked) else {
        return;
    };
    let judge = Judge::new(policy, repository);
    if judge.asks(&repository.claims()) != Some(false) {
        return;
    }
    for one in allows(policy) {
        for claim in KNOWN {
            claims(one, claim, repository, sink);
        }
        variables(one, sink);
    }
    if let Some(index) = judge.denied_by(&repository.claims()) {
        let denies = github_statements(policy).filter(|one| one.statement.index == index);
        for one in denies {
            let statement = one.statement;
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
fn variables(one: GitHubStatement<'_>, sink: &mut Sink<'_>) {
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
    }
}

fn claims(one: GitHubStatement<'_>, claim: &str, repository: &Repository, sink: &mut Sink<'_>) {
    let token = repository.claims();
    let carried = token.get(claim);
    // Without ids, whether a condition on them holds cannot be said.
    if carried.is_none() && claim != "environment" {
        return;
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
}
