//! Statements that grant the right to change records, and what they leave open.

use crate::model::policy::{
    Condition, Effect, Elements, Family, PolicyDocument, PolicyKind, Statement, Value,
    glob_matches_ignoring_case, has_wildcard, route53, route53_types,
};
use crate::rules::{Draft, Sink};
use crate::text::{Span, quoted};

/// An Allow that lets `route53:ChangeResourceRecordSets` through.
pub(super) struct Grant<'a> {
    pub(super) statement: &'a Statement,
    /// The value of `Action` that covers it; `None` when `NotAction` leaves it in.
    pub(super) action: Option<&'a Value>,
    element: &'a Elements,
    /// Whether it has nothing to do with Route 53: every action of every service, as an administrator's policy has it.
    pub(super) general: bool,
}

/// Whether policies of this kind give rights by themselves. Boundaries, session, control and endpoint policies only
/// limit what others give, and are broad by design.
pub(super) fn gives_rights(kind: PolicyKind) -> bool {
    matches!(kind, PolicyKind::Identity | PolicyKind::ManagedIdentity)
}

/// Whether the policy belongs to an identity or narrows one, so that it names no principals.
pub(super) fn is_for_identities(kind: PolicyKind) -> bool {
    gives_rights(kind)
        || matches!(
            kind,
            PolicyKind::Boundary | PolicyKind::Session | PolicyKind::Scp
        )
}

/// The statements of `policy` that grant the right.
pub(super) fn of(policy: &PolicyDocument) -> impl Iterator<Item = Grant<'_>> {
    let statements: &[Statement] = if gives_rights(policy.kind) {
        &policy.statements
    } else {
        &[]
    };
    statements.iter().filter_map(Grant::of)
}

impl<'a> Grant<'a> {
    fn of(statement: &'a Statement) -> Option<Self> {
        let effect = statement.effect.as_ref()?.value;
        let element = statement.actions.as_ref()?;
        // What an unknown element of NotAction takes out is not known.
        let open = element.negated && element.incomplete;
        if effect != Effect::Allow || open || !statement.covers_action(route53::CHANGE_RECORDS) {
            return None;
        }
        if !statement.resources.as_ref().is_some_and(may_be_a_zone) {
            return None;
        }
        let covers = |value: &&Value| covers(value.text.as_str());
        let named = |value: &&Value| covers(value) && !has_wildcard(value.text.as_str());
        let action = (!element.negated)
            .then(|| {
                let values = &element.values;
                values
                    .iter()
                    .find(named)
                    .or_else(|| values.iter().find(covers))
            })
            .flatten();
        let general = action.is_some_and(|action| names_no_service(action.text.as_str()))
            && !names_route53(statement);
        Some(Self {
            statement,
            action,
            element,
            general,
        })
    }

    /// Whether it is about Route 53.
    pub(super) fn is_special(&self) -> bool {
        !self.general
    }

    /// What gives the right, as a person would underline it.
    pub(super) fn span(&self) -> Span {
        self.action
            .map_or_else(|| self.element.key.span(), |action| action.text.span())
    }

    /// What gives the right, in words.
    pub(super) fn shown(&self) -> String {
        self.action.map_or_else(
            || "this `NotAction`, which leaves `route53:ChangeResourceRecordSets` in,".to_owned(),
            |action| quoted(action.text.as_str()),
        )
    }
}

/// Whether the pattern of an action is for all services alike.
fn names_no_service(pattern: &str) -> bool {
    pattern
        .chars()
        .all(|character| matches!(character, '*' | '?' | ':'))
}

/// Whether a statement that names no service speaks of Route 53 all the same, in its resources or conditions.
fn names_route53(statement: &Statement) -> bool {
    let of_service = |text: &str| {
        text.get(..8)
            .is_some_and(|start| start.eq_ignore_ascii_case("route53:"))
    };
    let resources = statement.resources.iter().flat_map(|list| &list.values);
    let in_resources = resources
        .map(|value| value.text.as_str())
        .any(|arn| arn.contains(":route53:"));
    in_resources
        || statement
            .conditions
            .iter()
            .any(|condition| of_service(condition.key.as_str()))
}

/// Whether the resources can match a hosted zone. An ARN with a fault counts: it shows what was meant.
fn may_be_a_zone(resources: &Elements) -> bool {
    let takes_all = |value: &Value| value.text.as_str() == "*";
    let zone = |value: &Value| {
        route53_types(value.text.as_str()).map_or(true, |types| types.contains(&"hostedzone"))
    };
    if resources.negated {
        !resources.values.iter().any(takes_all)
    } else {
        resources.incomplete || resources.values.iter().any(zone)
    }
}

/// Whether the pattern of an action covers the change of records.
pub(super) fn covers(pattern: &str) -> bool {
    glob_matches_ignoring_case(pattern, route53::CHANGE_RECORDS)
}

/// How a statement limits a record key.
pub(super) enum Limit<'a> {
    /// No condition names the key.
    Missing,
    /// A condition names it, and lets every value through.
    Open(&'a Value),
    /// Conditions name it only to shut some values out.
    ShutOut(&'a Condition),
    /// It is limited, rightly or not, or that is not known.
    Some,
}

/// How the statement limits `key`. A misspelt operator counts as a limit: it shows what was meant, and is told by its own rule.
pub(super) fn limit<'a>(statement: &'a Statement, key: &'a str) -> Limit<'a> {
    if statement.open_conditions {
        return Limit::Some;
    }
    let is_null = |condition: &Condition| {
        condition
            .operator
            .is_some_and(|operator| operator.base.family() == Family::Null)
    };
    let mut limits = statement
        .conditions_on(key)
        .filter(|condition| !is_null(condition))
        .peekable();
    if limits.peek().is_none() {
        return Limit::Missing;
    }
    let mut open = None;
    let mut shut_out = None;
    for condition in limits {
        if shuts_out(condition) {
            shut_out = Some(condition);
            continue;
        }
        match condition
            .values
            .iter()
            .find(|value| passes_all(condition, value))
        {
            Some(value) => open = Some(value),
            None => return Limit::Some,
        }
    }
    let open = open.map(Limit::Open);
    let shut_out = shut_out.map(Limit::ShutOut);
    open.or(shut_out).unwrap_or(Limit::Some)
}

/// Whether the condition lets through all but what it lists. One that shuts every value out limits.
fn shuts_out(condition: &Condition) -> bool {
    let Some(base) = condition.operator.map(|operator| operator.base) else {
        return false;
    };
    let star = |value: &Value| base.is_pattern() && value.text.as_str().chars().all(|c| c == '*');
    base.is_negated()
        && base.family() == Family::String
        && !condition.incomplete
        && !condition.values.iter().any(star)
}

fn passes_all(condition: &Condition, value: &Value) -> bool {
    let text = value.text.as_str();
    let pattern = condition
        .operator
        .is_some_and(|operator| operator.base.is_pattern() && !operator.base.is_negated());
    pattern && !text.is_empty() && text.chars().all(|character| character == '*')
}

/// Reports every grant that does not limit `key`, one by `NotAction` too: what a statement grants counts, however it is
/// said. At what gives the right, or at the value that lets everything through.
pub(super) fn report_unlimited(
    policy: &PolicyDocument,
    sink: &mut Sink<'_>,
    key: &str,
    open: &str,
    finish: impl Fn(&Grant<'_>, Draft<'_>),
) {
    for grant in of(policy).filter(Grant::is_special) {
        let (at, message, pointer) = match limit(grant.statement, key) {
            Limit::Some => continue,
            Limit::Missing => (
                grant.span(),
                format!("{} lets {open}: no condition limits `{key}`", grant.shown()),
                grant.statement.pointer.clone(),
            ),
            Limit::Open(value) => (
                value.text.span(),
                format!(
                    "{} lets {open}: `*` matches every value of `{key}`",
                    grant.shown()
                ),
                value.pointer.to_string(),
            ),
            Limit::ShutOut(condition) => (
                condition.operator_text.span(),
                format!(
                    "{} lets {open} but those listed: {} shuts some values of `{key}` out and lets all others through",
                    grant.shown(),
                    quoted(condition.operator_text.as_str())
                ),
                condition.pointer.clone(),
            ),
        };
        finish(&grant, sink.report(at, message).pointer(pointer));
    }
}
