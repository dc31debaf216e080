//! An Allow with `NotAction`, which grants everything that is not named, also what AWS adds tomorrow.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::pointer;

use super::grant;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "allow-with-notaction",
    aliases: &[],
    summary: "an Allow of everything but what NotAction names",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("allow_with_notaction.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if !grant::gives_rights(policy.kind) {
        return;
    }
    for statement in policy
        .statements
        .iter()
        .filter(|statement| statement.allows())
    {
        if let Some(actions) = statement.actions.as_ref().filter(|actions| actions.negated) {
            // Beside `Action` it is told as a statement that AWS refuses.
            let beside = format!("{}/Action", statement.pointer);
            if pointer::find(&policy.root, &beside).is_some() {
                continue;
            }
            let named: Vec<&str> = actions.strings().take(3).collect();
            let more = if actions.values.len() > 3 {
                ", …"
            } else {
                ""
            };
            let message = format!(
                "this Allow grants every action of every service but {}{more}",
                named.join(", ")
            );
            sink.report(actions.key.span(), message)
                .pointer(actions.pointer.clone())
                .help("list what is needed under `Action`; to forbid something write a Deny");
        }
    }
}
