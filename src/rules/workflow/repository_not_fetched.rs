//! A job that runs what lies in the repository, and does not fetch it.

use crate::diag::Severity;
use crate::model::spec::{CHECKOUT, EXECUTOR};
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

use super::executor::{Act, acts};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "repository-not-fetched",
    aliases: &[],
    summary: "the failover job runs the executor, and no step before it fetches the repository that holds it",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("repository_not_fetched.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let named = spec.at("/github/workflow");
    for job in super::switching_jobs(workflow) {
        let acts = acts(job);
        let runs = |(act, _): &(Act, Span)| matches!(act, Act::Switch | Act::SwitchWithMore);
        let Some(run) = acts.iter().position(runs) else {
            continue;
        };
        let before = acts.get(..run).unwrap_or_default();
        // What a foreign step brings is not known, and that it is there is told.
        let fetches = |(act, _): &(Act, Span)| matches!(act, Act::Checkout | Act::Foreign);
        if before.iter().any(fetches) {
            continue;
        }
        let checks = |(act, _): &&(Act, Span)| *act == Act::Check;
        let first = before.iter().find(checks).or_else(|| acts.get(run));
        if let Some((_, at)) = first {
            sink.report(
                *at,
                format!("`{EXECUTOR}` lies in the repository, which no step before this one fetches"),
            )
            .related(named, "the spec says here which workflow it is")
            .help(format!("put a step `uses: {CHECKOUT}` before it, pinned to a commit, with `persist-credentials: false`"));
        }
    }
}
