//! An action that no service has, or that has no service before it.

use crate::diag::Severity;
use crate::model::policy::{
    PolicyDocument, Value, actions_of, find_action, glob_matches_ignoring_case, has_wildcard,
};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{nearest, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-action",
    aliases: &[],
    summary: "an action that does not exist",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_action.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let actions = policy
        .statements
        .iter()
        .filter_map(|statement| statement.actions.as_ref());
    for action in actions.flat_map(|actions| &actions.values) {
        judge(action, sink);
    }
}

fn judge(action: &Value, sink: &mut Sink<'_>) {
    let text = action.text.as_str();
    if text == "*" || text.contains("${") {
        return;
    }
    match text.split_once(':') {
        Some((service, name)) if !name.contains(':') && is_service(service) => {
            judge_name(action, service, name, sink);
        }
        parts => {
            let why = match parts {
                Some((_, name)) if name.contains(':') => "has more than one colon",
                Some(_) => "names no service that could be",
                None => "names no service",
            };
            let form = "an action is written `service:Name`, such as `route53:GetChange`";
            report(
                action,
                0,
                format!("{} {why}", quoted(text)),
                form.to_owned(),
                sink,
            );
        }
    }
}

fn is_service(text: &str) -> bool {
    let allowed = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '-' | '.' | '_' | '*' | '?')
    };
    !text.is_empty() && text.chars().all(allowed)
}

/// Looks the name up, if the actions of the service are known here.
fn judge_name(action: &Value, service: &str, name: &str, sink: &mut Sink<'_>) {
    let Some(known) = actions_of(service) else {
        return;
    };
    let names = known.iter().map(|action| action.name);
    let start = service.len() + 1;
    let text = action.text.as_str();
    if has_wildcard(name) {
        if !names
            .clone()
            .any(|known| glob_matches_ignoring_case(name, known))
        {
            let message = format!("{} matches no action of `{service}`", quoted(text));
            report(
                action,
                start,
                message,
                "name the actions that are meant".to_owned(),
                sink,
            );
        }
    } else if find_action(text).is_none() {
        let help = nearest(name, names).map_or_else(
            || format!("the Service Authorization Reference lists the actions of `{service}`"),
            |near| format!("did you mean `{service}:{near}`?"),
        );
        let message = format!("`{service}` has no action {}", quoted(name));
        report(action, start, message, help, sink);
    }
}

/// A finding at the action from byte `start` on.
fn report(action: &Value, start: usize, message: String, help: String, sink: &mut Sink<'_>) {
    let end = action.text.as_str().len();
    let at = if start == 0 || start == end {
        action.text.span()
    } else {
        action.text.span_of(start..end)
    };
    sink.report(at, message)
        .pointer(action.pointer.clone())
        .help(help);
}
