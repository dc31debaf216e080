//! A role, region or session length other than the spec says.

use crate::diag::Severity;
use crate::model::spec::CREDENTIALS;
use crate::model::workflow::{Uses, Workflow, variable};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "credentials-differ-from-spec",
    aliases: &[],
    summary: "the workflow borrows another role, or elsewhere, than the spec says",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("credentials_differ_from_spec.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let borrowed = workflow.uses().any(|(_, uses)| names_credentials(uses));
    if let Some(job) = workflow.jobs.first().filter(|_| !borrowed) {
        let label = spec.label("/aws/role");
        sink.report(
            job.id.span(),
            format!("no step borrows the role `{}`, so that nothing can be changed", spec.role_arn()),
        )
        .related(label.at, label.text)
        .help(format!("add a step that uses `{CREDENTIALS}`; `pointsman generate` writes the workflow from the spec"));
    }
    for step in workflow.jobs.iter().flat_map(|job| &job.steps) {
        let Some(uses) = step.uses.as_ref().filter(|uses| names_credentials(uses)) else {
            continue;
        };
        let inputs = [
            ("role-to-assume", spec.role_arn(), "/aws/role", true),
            (
                "aws-region",
                spec.aws.sts_region.clone(),
                "/aws/sts_region",
                true,
            ),
            (
                "role-duration-seconds",
                spec.aws.session_seconds.to_string(),
                "/aws/session_seconds",
                spec.aws.session_seconds != DEFAULT_SECONDS,
            ),
        ];
        for (input, wanted, pointer, needed) in inputs {
            let found = variable(&step.with, input).and_then(|variable| variable.value.as_ref());
            compare(uses, input, found, (&wanted, pointer, needed), sink);
        }
    }
}

fn names_credentials(uses: &Uses) -> bool {
    uses.repository()
        .is_some_and(|name| name.eq_ignore_ascii_case(CREDENTIALS))
}

/// What the action takes when nothing is said (aws-actions/configure-aws-credentials, README).
const DEFAULT_SECONDS: u32 = 3600;

fn compare(
    uses: &Uses,
    input: &str,
    found: Option<&Text>,
    (wanted, pointer, needed): (&str, &str, bool),
    sink: &mut Sink<'_>,
) {
    let Some(label) = sink.spec().map(|spec| spec.label(pointer)) else {
        return;
    };
    let (at, message) = match found {
        Some(found) if found.as_str() == wanted => return,
        Some(found) if found.as_str().contains("${{") => {
            sink.undecided(
                found.span(),
                format!("whether `{input}` is `{wanted}`"),
                format!("`{}` is known only when a run starts", found.as_str()),
                Vec::new(),
            );
            return;
        }
        Some(found) => (
            found.span(),
            format!(
                "`{input}` is `{}`, but the spec says `{wanted}`",
                found.as_str()
            ),
        ),
        None if needed => (
            uses.value_span(),
            format!("`{input}` is not given; the spec says `{wanted}`"),
        ),
        None => return,
    };
    sink.report(at, message)
        .related(label.at, label.text)
        .help(format!(
            "write `{input}: {wanted}`, or change the spec and generate anew"
        ));
}
