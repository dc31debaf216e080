//! An access key of AWS in a secret, where a role can be borrowed over OIDC.

use crate::diag::Severity;
use crate::model::workflow::{StepFile, Variable, references, variable};
use crate::rules::{Check, Rule, Sink, Tier};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "aws-key-in-secret",
    aliases: &[],
    summary: "a long-lived AWS key where a role can be borrowed",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("aws_key_in_secret.md"),
    check: Check::Steps(check),
};

fn check(file: StepFile<'_>, sink: &mut Sink<'_>) {
    let workflow = match file {
        StepFile::Workflow(workflow) => Some(workflow),
        StepFile::Action(_) => None,
    };
    let of_workflow = workflow.map(|workflow| &workflow.env);
    let jobs = workflow.into_iter().flat_map(|workflow| &workflow.jobs);
    let of_jobs = jobs.map(|job| &job.env);
    let steps = file.steps();
    let of_steps = steps.iter().flat_map(|step| [&step.env, &step.with]);
    for variables in of_workflow.into_iter().chain(of_jobs).chain(of_steps) {
        if let Some(key) = key(variables) {
            let name = key.name.as_str();
            sink.report(
                key.name.span(),
                format!("`{name}` is a key that lasts until somebody changes it, for whoever reads the secret"),
            )
            .help("borrow a role instead: `id-token: write`, and `role-to-assume` of `aws-actions/configure-aws-credentials`; then delete the key");
        }
    }
}

/// The access key, else the secret key, where a secret gives it. Other services that speak S3 have keys of the same names.
fn key(variables: &[Variable]) -> Option<&Variable> {
    let says = |part: &str| {
        let mut names = variables
            .iter()
            .map(|it| it.name.as_str().to_ascii_lowercase());
        names.any(|name| name.contains(part))
    };
    if says("endpoint") {
        return None;
    }
    let names = [
        "aws-access-key-id",
        "AWS_ACCESS_KEY_ID",
        "aws-secret-access-key",
        "AWS_SECRET_ACCESS_KEY",
    ];
    let found = names
        .into_iter()
        .find_map(|name| variable(variables, name))?;
    let value = found.value.as_ref()?;
    let references = references(value.as_str()).unwrap_or_default();
    let mut references = references.iter();
    references
        .any(|path| path.starts_with("secrets."))
        .then_some(found)
}
