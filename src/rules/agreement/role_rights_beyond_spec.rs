//! A role of the spec with rights that the spec does not give it.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::rules::{Check, Role as Part, Rule, Sink, Tier, Workspace};
use crate::syntax::{Kind, Node};
use crate::terraform::{Declarations, Grant, GrantKind, Role};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "role-rights-beyond-spec",
    aliases: &[],
    summary: "the spec's role gets rights beside its change policy and its read policy",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("role_rights_beyond_spec.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for module in workspace.own_declared() {
        of_module(workspace, spec, module, sink);
    }
}

fn of_module(workspace: &Workspace, spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    for role in module
        .roles
        .iter()
        .filter(|role| module.is_role(spec, role))
    {
        of_role(role, spec, sink);
    }
    let inline = |grant: &&Grant| grant.kind == GrantKind::Inline && module.is_granted(spec, grant);
    let several = module.grants.iter().filter(inline).count() > 2;
    for grant in &module.grants {
        if module.is_granted(spec, grant) {
            of_grant(grant, several, workspace, spec, sink);
        } else if let Some(unknown) = grant.roles.iter().find_map(Node::as_unknown) {
            let what = format!(
                "whether `{}` gives rights to the role `{}`",
                grant.address, spec.aws.role
            );
            sink.undecided(grant.head, what, &unknown.why, unknown.missing.clone());
        }
    }
    for call in &module.calls {
        let address = &call.address;
        let what = format!("whether `{address}` declares records, or gives rights to the role");
        sink.undecided(call.head, what, &call.unknown.why, vec![address.clone()]);
    }
}

/// What the block of the role itself gives it.
fn of_role(role: &Role, spec: &Spec, sink: &mut Sink<'_>) {
    if let Some(managed) = &role.managed {
        let what = format!("whether `{}` has managed policies", role.address);
        match &managed.kind {
            Kind::Unknown(unknown) => {
                sink.undecided(managed.span(), what, &unknown.why, unknown.missing.clone());
            }
            Kind::List(items) if items.is_empty() => {}
            Kind::Null
            | Kind::Bool(_)
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::List(_)
            | Kind::Map(_) => {
                let message = format!(
                    "`{}` has the managed policy {}",
                    role.address,
                    shown(managed)
                );
                tell(managed.span(), message, spec, sink);
            }
        }
    }
    for head in &role.inline {
        let message = format!(
            "`{}` has an `inline_policy` block, which removes every inline policy that stands elsewhere",
            role.address
        );
        tell(*head, message, spec, sink);
    }
}

fn of_grant(grant: &Grant, several: bool, workspace: &Workspace, spec: &Spec, sink: &mut Sink<'_>) {
    let role = &spec.aws.role;
    if grant.kind == GrantKind::Attached {
        if grant
            .policy
            .as_ref()
            .and_then(Node::as_list)
            .is_some_and(<[Node]>::is_empty)
        {
            return;
        }
        let policy = grant.policy.as_ref().map_or_else(String::new, shown);
        let message = format!(
            "`{}` gives the role `{role}` the policy {policy}",
            grant.address
        );
        return tell(grant.head, message, spec, sink);
    }
    let address = format!("{}.policy", grant.address);
    let Some(artefact) = workspace.policies_at(&address).next() else {
        return;
    };
    if artefact.role != Some(Part::Other) {
        return;
    }
    let message = format!(
        "`{}` gives the role `{role}` a policy beside the change policy and the read policy",
        grant.address
    );
    // Where it may be one of the two with a fault in it, the fault is what is told.
    let covers = if several {
        grant.head
    } else {
        artefact.model.span()
    };
    let label = spec.label("/aws/role");
    sink.report(grant.head, message)
        .related(label.at, label.text)
        .covers(covers)
        .help(HELP);
}

const HELP: &str = "the role has two inline policies, the change policy and the read policy, and nothing else; remove this, or give the rights to another role";

fn tell(at: Span, message: String, spec: &Spec, sink: &mut Sink<'_>) {
    let label = spec.label("/aws/role");
    sink.report(at, message)
        .related(label.at, label.text)
        .help(HELP);
}

/// The ARNs of policies, or what is missing to know them.
fn shown(policies: &Node) -> String {
    let each = policies.as_list().unwrap_or(std::slice::from_ref(policies));
    let shown = each
        .iter()
        .map(|policy| match (policy.as_str(), policy.as_unknown()) {
            (Some(arn), _) => format!("`{arn}`"),
            (None, Some(unknown)) => format!("`{}`", unknown.missing.join("`, `")),
            (None, None) => policy.kind_name().to_owned(),
        });
    shown.collect::<Vec<_>>().join(", ")
}
