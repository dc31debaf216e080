//! `count` or `for_each` that makes none, or several, of what the spec needs once.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::model::spec::Spec;
use crate::rules::{Artefact, Check, Role as Part, Rule, Sink, Tier, Workspace};
use crate::terraform::{Declarations, Grant, GrantKind, Repetition, Standing};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "needed-resource-not-once",
    aliases: &[],
    summary: "count or for_each that does not make exactly one of what the spec needs",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("needed_resource_not_once.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    unmade(workspace, spec, module, sink);
    let roles = module.roles.iter();
    for role in roles.filter(|role| module.is_role(spec, role)) {
        let repeated = role.repeated.as_ref();
        judge(&role.address, repeated, true, "/aws/role", spec, sink);
    }
    for grant in &module.grants {
        if is_needed(workspace, spec, module, grant) {
            let repeated = grant.repeated.as_ref();
            judge(&grant.address, repeated, true, POLICIES, spec, sink);
        }
    }
    for record in &module.records {
        if let Some(pointer) = pointer(&record.standing(spec, true)) {
            // Each of several is a record of its own, and judged as such.
            let repeated = record.repeated.as_ref();
            judge(&record.address, repeated, false, &pointer, spec, sink);
        }
    }
}

const POLICIES: &str = "/artefacts/terraform";

/// Where the spec says that a record is needed.
fn pointer(standing: &Standing) -> Option<String> {
    match standing {
        Standing::Switched(at, _) => Some(format!("/records/names/{at}")),
        Standing::Origin(_) => Some("/origin/name".to_owned()),
        Standing::OtherType(_) | Standing::Other | Standing::Unknown(..) => None,
    }
}

/// What is written down, but never made.
fn unmade(workspace: &Workspace, spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    if let Some(role) = module.unmade_role(spec) {
        let repeated = role.repeated.as_ref();
        judge(&role.address, repeated, true, "/aws/role", spec, sink);
    }
    let has = |part: Part| {
        workspace
            .policies
            .iter()
            .any(|artefact| artefact.role == Some(part) && in_module(artefact, module))
    };
    if !(has(Part::ChangeRecords) && has(Part::ReadZone)) {
        for grant in module.unmade_policies(spec) {
            let repeated = grant.repeated.as_ref();
            judge(&grant.address, repeated, true, POLICIES, spec, sink);
        }
    }
    for (record, standing) in module.unmade_records(spec) {
        if let Some(pointer) = pointer(&standing) {
            let repeated = record.repeated.as_ref();
            judge(&record.address, repeated, false, &pointer, spec, sink);
        }
    }
}

fn in_module(artefact: &Artefact<PolicyDocument>, module: &Declarations) -> bool {
    module.files.contains(&artefact.model.span().file)
}

/// Whether `grant` gives the spec's role one of its two policies.
fn is_needed(workspace: &Workspace, spec: &Spec, module: &Declarations, grant: &Grant) -> bool {
    let address = format!("{}.policy", grant.address);
    let needed = workspace
        .policies_at(&address)
        .any(|artefact| matches!(artefact.role, Some(Part::ChangeRecords | Part::ReadZone)));
    grant.kind == GrantKind::Inline && needed && module.is_granted(spec, grant)
}

fn judge(
    address: &str,
    repeated: Option<&Repetition>,
    once: bool,
    pointer: &str,
    spec: &Spec,
    sink: &mut Sink<'_>,
) {
    let Some(repeated) = repeated else {
        return;
    };
    let count = match &repeated.count {
        Ok(1) => return,
        Ok(count) => *count,
        Err(unknown) => {
            let what = format!("whether exactly one `{address}` is made");
            return sink.undecided(repeated.at, what, &unknown.why, unknown.missing.clone());
        }
    };
    let message = match count {
        0 => format!("no `{address}` is made, but the spec needs it"),
        _ if once => format!("{count} of `{address}` are made, but the spec has one"),
        _ => return,
    };
    let label = spec.label(pointer);
    sink.report(repeated.at, message)
        .related(label.at, label.text)
        .about(if once { "role" } else { "records" })
        .help("take it out: the failover needs exactly one");
}
