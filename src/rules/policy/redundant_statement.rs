//! A statement that another takes in, or that stands twice.

use crate::diag::Severity;
use std::collections::BTreeMap;

use crate::model::policy::{Effect, PolicyDocument, Statement};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::syntax::{Kind, Node, pointer};

use super::cover::Compared;

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
    let all: Vec<Compared<'_>> = policy.statements.iter().map(Compared::new).collect();
    for inner in &all {
        let Some(effect) = effect(inner.statement) else {
            continue;
        };
        // Of two that say the same, the earlier stays.
        let takes_in = |outer: &&Compared<'_>| {
            let (place, other) = (inner.statement.index, outer.statement.index);
            other != place
                && self::effect(outer.statement) == Some(effect)
                && outer.takes_in(inner)
                && (other < place || !inner.takes_in(outer))
        };
        if let Some(outer) = all.iter().find(takes_in) {
            report(outer.statement, inner.statement, sink);
        }
    }
}

fn effect(statement: &Statement) -> Option<Effect> {
    statement.effect.as_ref().map(|effect| effect.value)
}

/// In a policy of very many statements, those alone that say the same.
fn repeated(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let mut seen: BTreeMap<String, &Statement> = BTreeMap::new();
    for statement in &policy.statements {
        let node = pointer::find(&policy.root, &statement.pointer);
        let mut said = String::new();
        if statement.incomplete || !node.is_some_and(|node| say(node, &mut said)) {
            continue;
        }
        match seen.get(&said) {
            Some(first) => report(first, statement, sink),
            None => {
                seen.insert(said, statement);
            }
        }
    }
}

/// The value of `node` as a text that no other value has; one `for` makes many values out of the same bytes. Whether all of
/// it is known.
fn say(node: &Node, said: &mut String) -> bool {
    match &node.kind {
        Kind::Null => said.push('n'),
        Kind::Bool(value) => said.push_str(if *value { "t" } else { "f" }),
        Kind::Number(digits) => {
            said.push('#');
            said.push_str(digits);
            said.push(';');
        }
        Kind::Text(text) => said.push_str(&format!("{:?}", text.as_str())),
        Kind::List(items) => {
            said.push('[');
            let known = items.iter().all(|item| say(item, said));
            said.push(']');
            return known;
        }
        Kind::Map(entries) => {
            said.push('{');
            let known = entries.iter().all(|entry| {
                said.push_str(&format!("{:?}:", entry.key.as_str()));
                say(&entry.value, said)
            });
            said.push('}');
            return known;
        }
        Kind::Unknown(_) => return false,
    }
    true
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
