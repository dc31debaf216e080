//! An Allow that a Deny of the same policy wholly takes back.

use crate::diag::Severity;
use crate::model::policy::{Effect, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};

use super::cover::Compared;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "deny-overrides-allow",
    aliases: &[],
    summary: "an Allow that a Deny takes back wholly",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("deny_overrides_allow.md"),
    check: Check::Policy(check),
};

/// How many pairs of statements are compared.
const MOST: usize = 10_000;

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let of = |wanted: Effect| {
        let statements = policy.statements.iter();
        let meant = statements.filter(move |statement| {
            let effect = statement.effect.as_ref();
            effect.is_some_and(|effect| effect.value == wanted)
        });
        meant.map(Compared::new)
    };
    let denials: Vec<Compared<'_>> = of(Effect::Deny).collect();
    let pairs = denials.len().saturating_mul(policy.statements.len());
    if denials.is_empty() || pairs > MOST {
        return;
    }
    for allow in of(Effect::Allow) {
        let Some(deny) = denials.iter().find(|deny| deny.takes_in(&allow)) else {
            continue;
        };
        let (allow, deny) = (allow.statement, deny.statement);
        let number = deny.index;
        sink.report(
            allow.span.slice(0, 1),
            format!("statement {number} denies all that this one allows"),
        )
        .pointer(allow.pointer.clone())
        .related(deny.span.slice(0, 1), "a Deny wins, wherever it stands")
        .help("take one of the two out, or give the Deny a condition or a narrower resource");
    }
}
