//! A name that a module declares twice.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::{Declarations, DeclaredTwice};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "name-declared-twice",
    aliases: &[],
    summary: "a resource, variable, local, output or module call that one module declares twice",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("name_declared_twice.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for DeclaredTwice {
        address,
        again,
        first,
    } in &module.declared_twice
    {
        let message =
            format!("`{address}` is declared here a second time: Terraform refuses the module");
        sink.report(*again, message)
            .related(*first, "it is declared here first")
            .help("give one of the two another name, or take it out");
    }
}
