//! A request that leaves out a key which a condition asks for, so that its decision is that of no real call.

use crate::diag::Severity;
use crate::iam::{Answered, Asked, Simulation};
use crate::model::policy::{Condition, PolicyDocument, Quantifier, Statement, route53};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::{covers_resource, is_null, plans_absence, policies};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "context-key-not-supplied",
    aliases: &[],
    summary: "a simulated request without a key that a condition asks for",
    severity: Severity::Warning,
    tier: Tier::General,
    page: include_str!("context_key_not_supplied.md"),
    check: Check::Simulation(check),
};

/// Keys that are in every request (IAM User Guide, "AWS global condition context keys").
const ALWAYS_SENT: [&str; 5] = [
    "aws:CurrentTime",
    "aws:EpochTime",
    "aws:PrincipalType",
    "aws:RequestedRegion",
    "aws:SecureTransport",
];

fn check(simulation: &Simulation, workspace: &Workspace, sink: &mut Sink<'_>) {
    let policies = policies(simulation, workspace, sink);
    for policy in &policies {
        for statement in &policy.statements {
            for condition in &statement.conditions {
                unsupplied(simulation, statement, condition, sink);
            }
        }
    }
    for answer in &simulation.answers {
        unanswered(answer, &policies, sink);
    }
}

/// The requests that a condition could decide otherwise, had they its key.
fn unsupplied(
    simulation: &Simulation,
    statement: &Statement,
    condition: &Condition,
    sink: &mut Sink<'_>,
) {
    let key = condition.key.as_str();
    if !needs_its_key(condition) || plans_absence(statement, key) {
        return;
    }
    let concerned: Vec<&Asked> = simulation
        .requests
        .iter()
        .filter(|asked| concerns(statement, asked))
        .collect();
    let lacks = |asked: &&&Asked| asked.request.context(key).is_none();
    let lacking: Vec<&Asked> = concerned.iter().filter(lacks).copied().collect();
    let by_none = lacking.len() == concerned.len();
    let always = |asked: &&&Asked| is_always_sent(key, asked.request.action());
    let sent_always = lacking.iter().find(always);
    let told = if simulation.is_for_aws || by_none {
        lacking.first()
    } else {
        sent_always
    };
    let Some(asked) = told else {
        return;
    };
    let (name, file) = (&asked.name, &simulation.path);
    let known = if sent_always.is_some() {
        "every real request carries it"
    } else {
        "a real request may carry it"
    };
    let message = format!(
        "the request `{name}` of `{file}` does not give `{key}`, which this condition asks for: {known}, so the decision says nothing of one"
    );
    sink.report(condition.key.span(), message)
        .pointer(&condition.pointer)
        .related(asked.at, "not given here")
        .help(help(key, asked.request.action()));
}

fn help(key: &str, action: &str) -> String {
    let of_route53 = action.to_ascii_lowercase().starts_with("route53:");
    if of_route53 && key.eq_ignore_ascii_case("aws:RequestedRegion") {
        return format!("give `{key}`: Route 53 is global, and its requests are for `us-east-1`");
    }
    format!("give `{key}` the value that the real request has")
}

fn concerns(statement: &Statement, asked: &Asked) -> bool {
    let request = &asked.request;
    statement.covers_action(request.action()) && covers_resource(statement, &request.resource)
}

/// Whether an absent key decides: `Null` asks for it, `…IfExists` and `ForAllValues` are true without it.
fn needs_its_key(condition: &Condition) -> bool {
    condition.operator.is_some_and(|operator| {
        !is_null(condition)
            && !operator.if_exists
            && operator.quantifier != Some(Quantifier::ForAllValues)
    })
}

fn is_always_sent(key: &str, action: &str) -> bool {
    let any = |keys: &[&str]| keys.iter().any(|known| known.eq_ignore_ascii_case(key));
    any(&ALWAYS_SENT)
        || action.eq_ignore_ascii_case(route53::CHANGE_RECORDS) && any(&route53::RECORD_KEYS)
}

/// The keys that AWS missed, as far as a statement for the action asks for them: AWS lists those of all statements.
fn unanswered(answer: &Answered, policies: &[&PolicyDocument], sink: &mut Sink<'_>) {
    let action = answer.action.as_str();
    for key in &answer.missing {
        let asks = |statement: &Statement| {
            statement.covers_action(action) && mentions(statement, key.as_str())
        };
        let mut statements = policies.iter().flat_map(|policy| &policy.statements);
        if !policies.is_empty() && !statements.any(asks) {
            continue;
        }
        let (name, word) = (key.as_str(), answer.decision.as_str());
        let message = format!(
            "`{word}` for `{action}` was answered without `{name}`, which a statement for this action asks for: whether it is allowed is undecided"
        );
        sink.report(key.span(), message).help(help(name, action));
    }
}

/// Whether a key stands in a condition of a statement, or in a variable.
fn mentions(statement: &Statement, key: &str) -> bool {
    let variable = format!("${{{}", key.to_ascii_lowercase());
    let in_text = |text: &str| text.to_ascii_lowercase().contains(&variable);
    let resources = statement.resources.iter().flat_map(|list| list.strings());
    let values = statement.conditions.iter().flat_map(|one| &one.values);
    statement.conditions_on(key).next().is_some()
        || resources
            .chain(values.map(|value| value.text.as_str()))
            .any(in_text)
}
