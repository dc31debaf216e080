//! A deployment environment that the trust policy does not know: it changes the subject of the token.

use crate::diag::Severity;
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "job-environment-differs-from-spec",
    aliases: &[],
    summary: "the environment of the failover job is not the one of the spec",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("job_environment_differs_from_spec.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let wanted = spec.github.environment.as_deref();
    let label = spec.label("/github/environment");
    for job in super::switching_jobs(workflow) {
        let found = job.environment.as_ref();
        if found.is_some_and(|found| found.as_str().contains("${{")) {
            sink.undecided(
                job.environment
                    .as_ref()
                    .map_or_else(|| job.id.span(), Text::span),
                format!(
                    "whether the token of `{}` has the subject of the spec",
                    job.id.as_str()
                ),
                "the environment is known only when a run starts",
                Vec::new(),
            );
            continue;
        }
        // Names of environments know no case.
        let same = match (found, wanted) {
            (Some(found), Some(wanted)) => found.as_str().eq_ignore_ascii_case(wanted),
            (None, None) => true,
            _ => false,
        };
        if same {
            continue;
        }
        let at = found.map_or_else(|| job.id.span(), Text::span);
        let message = match (found, wanted) {
            (Some(found), None) => format!(
                "the environment `{}` stands in the token's subject, where the spec has the branch",
                found.as_str()
            ),
            (Some(found), Some(wanted)) => format!(
                "the environment is `{}`, but the spec says `{wanted}`",
                found.as_str()
            ),
            (None, _) => format!(
                "`{}` runs without the environment `{}` of the spec",
                job.id.as_str(),
                wanted.unwrap_or_default()
            ),
        };
        sink.report(at, message)
            .related(label.at, label.text.clone())
            .help(format!("the trust policy takes `{}` and nothing else: change the job, or the spec and what is generated from it", spec.subject()));
    }
}
