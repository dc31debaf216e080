//! Another workflow of the folder that can borrow the role: the trust policy fixes the branch, not the file.

use crate::diag::Severity;
use crate::model::spec::{CREDENTIALS, Spec};
use crate::model::workflow::{Access, Grant, Job, Permissions, Target, Uses, Workflow, variable};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "role-borrowed-by-another-workflow",
    aliases: &[],
    summary: "a workflow beside the failover workflow can borrow the role",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("role_borrowed_by_another_workflow.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|spec| is_beside(workflow, spec)) else {
        return;
    };
    let mut told: Vec<Span> = Vec::new();
    for job in &workflow.jobs {
        let permissions = workflow.permissions_of(job);
        let token = permissions.map(|found| (found, found.access("id-token")));
        let (at, message) = match token {
            Some((found, Some(Access::Write))) => (
                granted_at(found),
                format!(
                    "`{}` may ask for tokens of this repository, and with one for the branch that the role trusts it borrows the role: the trust policy does not tell workflows apart",
                    job.id.as_str()
                ),
            ),
            Some((found, None)) => {
                undecided(job, found.span, sink);
                continue;
            }
            Some((_, Some(Access::None | Access::Read))) | None => {
                match borrowed(workflow, job, spec) {
                    Some(found) => found,
                    None => {
                        named_elsewhere(workflow, job, spec, sink);
                        continue;
                    }
                }
            }
        };
        // What stands at the top counts for several jobs, and is one fault.
        if told.contains(&at) {
            continue;
        }
        told.push(at);
        let label = spec.label("/github/workflow");
        sink.report(at, message)
            .related(label.at, "this workflow alone may borrow the role")
            .help("take it out, or let that workflow run from another repository");
    }
}

/// Whether it lies beside the spec's workflow, where GitHub runs it.
pub(super) fn is_beside(workflow: &Workflow, spec: &Spec) -> bool {
    let own = spec.workflow_path();
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    workflow.path != own && folder(&workflow.path) == folder(&own)
}

fn granted_at(permissions: &Permissions) -> Span {
    match &permissions.grant {
        Grant::ReadAll(word) | Grant::WriteAll(word) => word.span(),
        Grant::Scopes(scopes) => {
            let mut named = scopes.iter().rev();
            let named = named.find(|scope| scope.name.as_str() == "id-token");
            named.map_or(permissions.span, |scope| scope.written.span())
        }
        Grant::Unknown => permissions.span,
    }
}

fn undecided(job: &Job, at: Span, sink: &mut Sink<'_>) {
    sink.undecided(
        at,
        format!("whether `{}` can borrow the role", job.id.as_str()),
        "what the token of this job may do is known only when a run starts",
        Vec::new(),
    );
}

/// What borrows the role all the same: a call of the failover workflow, or a text that names the role, wherever it is
/// handed on to.
fn borrowed(workflow: &Workflow, job: &Job, spec: &Spec) -> Option<(Span, String)> {
    if let Some(uses) = job.uses.as_ref().filter(|uses| calls_failover(uses, spec)) {
        let message = format!(
            "`{}` calls the failover workflow, so that something else than the fixed message starts a switch",
            job.id.as_str()
        );
        return Some((uses.value_span(), message));
    }
    let role = spec.role_arn();
    let of_top = workflow.env.iter().filter_map(|one| one.value.as_ref());
    let (text, range) = job.texts().chain(of_top).find_map(|text| {
        let start = place_of(text.as_str(), &role)?;
        Some((text, start..start + role.len()))
    })?;
    let message = format!("`{role}` is borrowed or handed on in `{}`", job.id.as_str());
    Some((text.span_of(range), message))
}

/// Where a text names the role, and not one whose name only begins with its name.
fn place_of(text: &str, role: &str) -> Option<usize> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+=,.@_-/".contains(letter);
    text.match_indices(role).map(|(at, _)| at).find(|at| {
        let behind = text.get(at + role.len()..).unwrap_or_default();
        !behind.starts_with(is_part)
    })
}

/// A role that is named outside of the file: nobody can say here that it is another one.
fn named_elsewhere(workflow: &Workflow, job: &Job, spec: &Spec, sink: &mut Sink<'_>) {
    for step in &job.steps {
        let repository = step.uses.as_ref().and_then(Uses::repository);
        let is_it = repository.is_some_and(|name| name.eq_ignore_ascii_case(CREDENTIALS));
        let role = variable(&step.with, "role-to-assume").and_then(|role| role.value.as_ref());
        let Some(role) = role.filter(|_| is_it) else {
            continue;
        };
        let said = job.through_env(workflow, step, role);
        if said.as_str().contains("${{") {
            let what = format!(
                "whether `{}` borrows the role `{}`",
                job.id.as_str(),
                spec.aws.role
            );
            let why = format!("`{}` is known only when a run starts", said.as_str().trim());
            sink.undecided(said.span(), what, why, Vec::new());
        }
    }
}

fn calls_failover(uses: &Uses, spec: &Spec) -> bool {
    let file = format!("/{}", spec.github.workflow);
    let path = uses.text.as_str().split('@').next().unwrap_or_default();
    let is_own = match &uses.target {
        Target::Local | Target::LocalWithRef | Target::SelfRepository => true,
        Target::Repository { .. } => uses
            .repository()
            .is_some_and(|name| name.eq_ignore_ascii_case(&spec.repository())),
        Target::Docker { .. } | Target::Expression | Target::Invalid => false,
    };
    is_own && path.ends_with(&file)
}
