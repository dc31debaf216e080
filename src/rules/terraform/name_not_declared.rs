//! A variable, local, resource or data source that is used and not declared in the module.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "name-not-declared",
    aliases: &[],
    summary: "a variable, local, resource or data source that is used and not declared in the module",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("name_not_declared.md"),
    check: Check::Terraform(check),
};

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for one in &module.undeclared {
        let address = &one.address;
        let message =
            format!("`{address}` is not declared in the module: Terraform refuses the module");
        let meant = one.near.as_ref();
        let meant = meant.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let block = one.block();
        sink.report(one.at, message).help(format!(
            "{meant}write the name of what is there, or declare it in {block}"
        ));
    }
}
