//! A role that the workflow cannot borrow, for it has another name.

use crate::diag::Severity;
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;
use crate::terraform::{Declarations, Role};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "role-name-differs",
    aliases: &[],
    summary: "the role of the spec's module has another name than the spec's",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("role_name_differs.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    for module in workspace.own_declared() {
        of_module(spec, module, sink);
    }
}

fn of_module(spec: &Spec, module: &Declarations, sink: &mut Sink<'_>) {
    let wanted = &spec.aws.role;
    let is_wanted = |role: &&Role| role.name.as_ref().and_then(Node::as_str) == Some(wanted);
    let mut named = module.roles.iter().filter(is_wanted).peekable();
    if named.peek().is_some() {
        return named.for_each(|role| at_another_path(role, spec, sink));
    }
    let Some(role) = module.own_role(spec) else {
        return none_of_several(module, spec, sink);
    };
    let label = spec.label("/aws/role");
    let unknown = role.name.as_ref().and_then(Node::as_unknown);
    if let Some(unknown) = unknown {
        let what = format!("whether `{}` is called `{wanted}`", role.address);
        return sink.undecided(role.head, what, &unknown.why, unknown.missing.clone());
    }
    let written = role.name.as_ref().and_then(Node::as_str);
    let message = match written {
        Some(written) => format!(
            "`{}` is called `{written}`, but the workflow borrows `{wanted}`",
            role.address
        ),
        None => format!(
            "`{}` has no name of its own, but the workflow borrows `{wanted}`",
            role.address
        ),
    };
    let at = role.name.as_ref().map_or(role.head, Node::span);
    sink.report(at, message)
        .related(label.at, label.text)
        .help(format!("write `name = \"{wanted}\"`, or change the spec"));
}

/// With several roles it is not known which one is meant, but that none is called so is.
fn none_of_several(module: &Declarations, spec: &Spec, sink: &mut Sink<'_>) {
    let Some(first) = module.roles.first() else {
        return;
    };
    // That the one that is meant is never made is told where it is written.
    if module.unmade_role(spec).is_some() {
        return;
    }
    let wanted = &spec.aws.role;
    let what = format!("whether a role is called `{wanted}`");
    let names = module.roles.iter().filter_map(|role| role.name.as_ref());
    if let Some(unknown) = names.filter_map(Node::as_unknown).next() {
        return sink.undecided(first.head, what, &unknown.why, unknown.missing.clone());
    }
    if let Some((why, missing)) = module.beyond() {
        return sink.undecided(first.head, what, why, missing);
    }
    let count = module.roles.len();
    let message =
        format!("none of the {count} roles is called `{wanted}`, which the workflow borrows");
    let label = spec.label("/aws/role");
    sink.report(first.head, message)
        .related(label.at, label.text)
        .help("declare the role that the spec names; `pointsman generate` writes it");
}

/// The path stands before the name in the ARN that the workflow borrows.
fn at_another_path(role: &Role, spec: &Spec, sink: &mut Sink<'_>) {
    let Some(path) = &role.path else {
        return;
    };
    if let Some(unknown) = path.as_unknown() {
        let what = format!("whether `{}` lies at the path `/`", role.address);
        return sink.undecided(path.span(), what, &unknown.why, unknown.missing.clone());
    }
    let written = path.as_str().unwrap_or("/");
    if written != "/" {
        let message = format!(
            "`{}` lies at the path `{written}`, which is part of its ARN; the workflow borrows `role/{}`",
            role.address, spec.aws.role
        );
        let label = spec.label("/aws/role");
        sink.report(path.span(), message)
            .related(label.at, label.text)
            .help("remove `path`");
    }
}
