//! An action that no service has, or that has no service before it.

use crate::diag::Severity;
use crate::iam::catalog::{Action, Service, Services};
use crate::model::policy::{PolicyDocument, Value, glob_matches_ignoring_case, has_wildcard};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Span, cut_at_colon, nearest_few, quoted};

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
    let mut guesses = GUESSES;
    let mut services = Services::default();
    for action in policy.actions() {
        judge(action, &mut services, &mut guesses, sink);
    }
}

/// How many unknown names of a policy are compared with those that are known: more are no slips.
const GUESSES: usize = 200;

fn judge<'a>(
    action: &'a Value,
    services: &mut Services<'a>,
    guesses: &mut usize,
    sink: &mut Sink<'_>,
) {
    let text = action.text.as_str();
    if text == "*" || text.contains("${") {
        return;
    }
    let why = match cut_at_colon(text) {
        None => "names no service",
        Some((_, name)) if name.contains(':') => "has more than one colon",
        Some((prefix, _)) if is_prefix(prefix) => {
            if let Some(service) = services.find(prefix) {
                judge_name(action, service, prefix.len() + 1, guesses, sink);
            }
            return;
        }
        Some(_) => "names no service that could be",
    };
    let form = "an action is written `service:Name`, such as `route53:GetChange`";
    sink.report(action.text.span(), format!("{} {why}", quoted(text)))
        .pointer(action.pointer.clone())
        .help(form);
}

fn is_prefix(text: &str) -> bool {
    let allowed = |letter: u8| {
        letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'.' | b'_' | b'*' | b'?')
    };
    !text.is_empty() && text.bytes().all(allowed)
}

/// Looks the name up in the service, whose data may not be complete: then it is a warning.
fn judge_name(
    action: &Value,
    service: Service,
    start: usize,
    guesses: &mut usize,
    sink: &mut Sink<'_>,
) {
    let name = action.text.as_str().get(start..).unwrap_or_default();
    let prefix = service.name();
    let (message, help) = if has_wildcard(name) {
        let pattern = with_single_stars(name);
        // No name is as long as this.
        let long = pattern.len() > 256;
        let matches = |action: Action| !long && glob_matches_ignoring_case(&pattern, action.name());
        // Patterns usually end in a star; then the names that begin so lie beside each other.
        if service.actions_like(name).any(matches) {
            return;
        }
        (
            format!(
                "{} matches no action of `{prefix}`",
                quoted(action.text.as_str())
            ),
            near(service, &name.replace(['*', '?'], ""), guesses)
                .unwrap_or_else(|| "name the actions that are meant".to_owned()),
        )
    } else if service.action(name).is_none() {
        (
            format!("`{prefix}` has no action {}", quoted(name)),
            near(service, name, guesses).unwrap_or_else(|| {
                format!("the Service Authorization Reference lists the actions of `{prefix}`")
            }),
        )
    } else {
        return;
    };
    let draft = sink
        .report(from(action, start), message)
        .pointer(action.pointer.clone())
        .help(help);
    if !service.is_complete() {
        draft.severity(Severity::Warning);
    }
}

/// The pattern with one star for several beside each other, which mean the same.
fn with_single_stars(pattern: &str) -> String {
    let mut short = String::with_capacity(pattern.len());
    for letter in pattern.chars() {
        if letter != '*' || !short.ends_with('*') {
            short.push(letter);
        }
    }
    short
}

/// The names that were probably meant, at most three.
fn near(service: Service, name: &str, guesses: &mut usize) -> Option<String> {
    *guesses = guesses.checked_sub(1)?;
    let found = nearest_few(name, service.actions().map(Action::name));
    let shown: Vec<String> = found
        .iter()
        .map(|near| format!("`{}:{near}`", service.name()))
        .collect();
    (!shown.is_empty()).then(|| format!("did you mean {}?", shown.join(" or ")))
}

/// The place of an action from byte `start` on.
fn from(action: &Value, start: usize) -> Span {
    let end = action.text.as_str().len();
    if start == end {
        action.text.span()
    } else {
        action.text.span_of(start..end)
    }
}
