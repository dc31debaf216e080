//! `count` or `for_each` that makes none, or several, of what the spec needs once.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::rules::{Check, Role as Part, Rule, Sink, Tier, Workspace};
use crate::terraform::{Declarations, GrantKind, Repetition, Standing};

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
    for role in module
        .roles
        .iter()
        .filter(|role| module.is_role(spec, role))
    {
        judge(
            &role.address,
            role.repeated.as_ref(),
            true,
            "/aws/role",
            spec,
            sink,
        );
    }
    policies(workspace, spec, module, sink);
    for record in &module.records {
        let pointer = match record.standing(spec, true) {
            Standing::Switched(at, _) => format!("/records/names/{at}"),
            Standing::Origin(_) => "/origin/name".to_owned(),
            Standing::OtherType(_) | Standing::Other | Standing::Unknown(..) => continue,
        };
        // Each of several is a record of its own, and judged as such.
        judge(
            &record.address,
            record.repeated.as_ref(),
            false,
            &pointer,
            spec,
            sink,
        );
    }
}

fn policies(workspace: &Workspace, spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    for grant in &module.grants {
        let address = format!("{}.policy", grant.address);
        let needed = workspace.policies.iter().any(|artefact| {
            artefact.model.address.as_deref() == Some(address.as_str())
                && matches!(artefact.role, Some(Part::ChangeRecords | Part::ReadZone))
        });
        if grant.kind == GrantKind::Inline && needed && module.is_granted(spec, grant) {
            let repeated = grant.repeated.as_ref();
            judge(
                &grant.address,
                repeated,
                true,
                "/artefacts/terraform",
                spec,
                sink,
            );
        }
    }
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
        .help("take it out: the failover needs exactly one");
}
