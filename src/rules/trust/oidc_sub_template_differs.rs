//! A subject in another form than the repository's custom template gives it.

use crate::diag::Severity;
use crate::model::policy::{PolicyKind, glob_matches};
use crate::model::trust::Subject;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::subjects::{allows, is_pattern, limits, plain};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "oidc-sub-template-differs",
    aliases: &[],
    summary: "a subject that the repository's custom template never writes",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("oidc_sub_template_differs.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(template) = &workspace.subject_template else {
        return;
    };
    let shape = shape(&template.keys);
    let policies = workspace.policies.iter().map(|artefact| &artefact.model);
    for policy in policies.filter(|policy| policy.kind == PolicyKind::Trust) {
        for one in allows(policy) {
            for condition in limits(one, "sub") {
                for value in &condition.values {
                    let Some(text) = plain(value) else {
                        continue;
                    };
                    let is_default = !matches!(Subject::parse(text), Ok(Subject::Custom(_)));
                    let (fits, made) = if template.keys.is_empty() {
                        (
                            is_default,
                            "this repository writes the default subject".to_owned(),
                        )
                    } else {
                        let keys = template.keys.join("`, `");
                        let made = format!("this repository makes its subjects of `{keys}`");
                        (glob_matches(&shape, text), made)
                    };
                    if is_pattern(condition, value) || fits {
                        continue;
                    }
                    sink.report(
                        value.text.span(),
                        format!("`{text}` is never written: {made}"),
                    )
                    .pointer(value.pointer.clone())
                    .related(template.at, "it is said here")
                    .help(format!("write the subject in the form `{shape}`, with a value for each star; `%3A` stands for a colon in a value"));
                }
            }
        }
    }
}

/// The form of the subjects that a template writes, with stars for values (GitHub Docs, "OpenID Connect reference",
/// "Customizing the subject claims"): `repo` and `context` are written as in the default.
fn shape(keys: &[String]) -> String {
    if keys.is_empty() {
        return "repo:*:*".to_owned();
    }
    let parts = keys.iter().map(|key| match key.as_str() {
        "context" => "*".to_owned(),
        key => format!("{key}:*"),
    });
    parts.collect::<Vec<_>>().join(":")
}
