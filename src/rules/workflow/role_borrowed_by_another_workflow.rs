//! Another workflow of the folder that can borrow the role: the trust policy fixes the branch, not the file.

use crate::diag::Severity;
use crate::model::spec::{CREDENTIALS, Spec};
use crate::model::workflow::{
    Access, Grant, Job, Permissions, Step, Target, Uses, Workflow, variable,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Span, Text};

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
                    "`{}` may ask for the token that the role trusts, and any job on that branch that has it can borrow the role",
                    job.id.as_str()
                ),
            ),
            Some((found, None)) => {
                undecided(job, found.span, sink);
                continue;
            }
            Some((_, Some(Access::None | Access::Read))) | None => match borrowed(job, spec) {
                Some(found) => found,
                None => continue,
            },
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
fn is_beside(workflow: &Workflow, spec: &Spec) -> bool {
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

/// What borrows the role all the same: a call of the failover workflow, or a step that names the role.
fn borrowed(job: &Job, spec: &Spec) -> Option<(Span, String)> {
    if let Some(uses) = job.uses.as_ref().filter(|uses| calls_failover(uses, spec)) {
        let message = format!(
            "`{}` calls the failover workflow, so that something else than the fixed message starts a switch",
            job.id.as_str()
        );
        return Some((uses.value_span(), message));
    }
    let found = job.steps.iter().find_map(|step| role_of(step, spec))?;
    let message = format!(
        "`{}` borrows the role in `{}`",
        found.as_str(),
        job.id.as_str()
    );
    Some((found.span(), message))
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

/// The role of the spec, where a step asks for it.
fn role_of<'a>(step: &'a Step, spec: &Spec) -> Option<&'a Text> {
    let repository = step.uses.as_ref()?.repository()?;
    let role = variable(&step.with, "role-to-assume")?.value.as_ref()?;
    let is_own = repository.eq_ignore_ascii_case(CREDENTIALS) && role.as_str() == spec.role_arn();
    is_own.then_some(role)
}
