//! A statement that another takes in, or that stands twice.

use crate::diag::Severity;
use std::collections::BTreeMap;

use crate::model::policy::{Effect, PolicyDocument, Statement};
use crate::rules::{Check, Rule, Sink, Tier};

use super::cover;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "redundant-statement",
    aliases: &[],
    summary: "a statement that another makes needless",
    severity: Severity::Note,
    tier: Tier::General,
    page: include_str!("redundant_statement.md"),
    check: Check::Policy(check),
};

/// How many statements a policy may have before they are no longer compared with each other.
const MOST: usize = 200;

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.statements.len() > MOST {
        return repeated(policy, sink);
    }
    for inner in &policy.statements {
        let Some(effect) = effect(inner) else {
            continue;
        };
        // Of two that say the same, the earlier stays.
        let takes_in = |outer: &&Statement| {
            outer.index != inner.index
                && self::effect(outer) == Some(effect)
                && cover::statement(outer, inner)
                && (outer.index < inner.index || !cover::statement(inner, outer))
        };
        if let Some(outer) = policy.statements.iter().find(takes_in) {
            report(outer, inner, sink);
        }
    }
}

fn effect(statement: &Statement) -> Option<Effect> {
    statement.effect.as_ref().map(|effect| effect.value)
}

/// In a policy of very many statements, those alone that are written the same.
fn repeated(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let mut seen: BTreeMap<&str, &Statement> = BTreeMap::new();
    for statement in &policy.statements {
        let written = sink.written(statement.span);
        match seen.get(written) {
            Some(first) => report(first, statement, sink),
            None => {
                seen.insert(written, statement);
            }
        }
    }
}

fn report(outer: &Statement, inner: &Statement, sink: &mut Sink<'_>) {
    let number = outer.index;
    let message = format!("statement {number} already says all that this one says");
    sink.report(inner.span.slice(0, 1), message)
        .pointer(inner.pointer.clone())
        .related(outer.span.slice(0, 1), "takes it in")
        .help(format!(
            "take this statement out, or narrow statement {number} if it is broader than meant"
        ));
}
