//! A local, resource or data source that needs itself.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::terraform::Declarations;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "value-depends-on-itself",
    aliases: &[],
    summary: "a local, resource or data source that needs itself, through others or directly",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("value_depends_on_itself.md"),
    check: Check::Terraform(check),
};

/// How many steps of a long way are shown.
const SHOWN: usize = 12;

fn check(module: &Declarations, sink: &mut Sink<'_>) {
    for circle in &module.circles {
        let Some(first) = circle.way.first() else {
            continue;
        };
        let mut way: Vec<&str> = circle.way.iter().take(SHOWN).map(String::as_str).collect();
        if circle.way.len() > SHOWN {
            way.push("…");
        }
        let way = way.join(" -> ");
        let message =
            format!("`{first}` depends on itself, {way} -> {first}: Terraform refuses the module");
        sink.report(circle.at, message)
            .help("write one of these values without the next");
    }
}
