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
    let form = "an action is written `service:Name`, such as `route53:GetChange`";
    let Some((service, name)) = text.split_once(':') else {
        return report(
            action,
            0,
            format!("{} names no service", quoted(text)),
            form.to_owned(),
            sink,
        );
    };
    if name.contains(':') {
        return report(
            action,
            0,
            format!("{} has more than one colon", quoted(text)),
            form.to_owned(),
            sink,
        );
    }
    let plain = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '-' | '.' | '_' | '*' | '?')
    };
    if service.is_empty() || !service.chars().all(plain) {
        return report(
            action,
            0,
            format!("{} names no service that could be", quoted(text)),
            form.to_owned(),
            sink,
        );
    }
    // The actions of other services are not known here.
    let Some(known) = actions_of(service) else {
        return;
    };
    let names = known.iter().map(|action| action.name);
    let start = service.len() + 1;
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
