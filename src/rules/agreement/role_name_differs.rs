//! A role that the workflow cannot borrow, for it has another name.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::Node;

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
    let (Some(spec), Some(module)) = (&workspace.spec, workspace.own_module()) else {
        return;
    };
    let wanted = &spec.aws.role;
    let is_wanted = |name: &Node| name.as_str() == Some(wanted);
    let mut names = module.roles.iter().filter_map(|role| role.name.as_ref());
    if names.any(is_wanted) {
        return;
    }
    // With several roles it is not known which one is meant.
    let [role] = module.roles.as_slice() else {
        return;
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
