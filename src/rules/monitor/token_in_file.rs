//! A token that everybody who reads the repository can use.

use crate::diag::Severity;
use crate::model::monitor::{Form, Monitor};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::syntax::{Kind, Node};
use crate::text::Text;
use std::ops::Range;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "token-in-file",
    aliases: &[],
    summary: "a token stands in a file as it is",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("token_in_file.md"),
    check: Check::Monitor(check),
};

fn check(monitor: &Monitor, _: &Workspace, sink: &mut Sink<'_>) {
    let help = match monitor.form {
        Form::Entity => {
            "revoke it, and let AutoKuma fill it in: `{{ get_env(name='AUTOKUMA__ENV__DISPATCH_TOKEN') }}`"
        }
        Form::Kuma | Form::Listed => {
            "revoke it, and keep exports with tokens out of the repository"
        }
    };
    for comment in &monitor.comments {
        look_at(comment, help, sink);
    }
    let mut open: Vec<&Node> = vec![&monitor.document];
    while let Some(node) = open.pop() {
        match &node.kind {
            Kind::Text(text) => look_at(text, help, sink),
            Kind::List(items) => open.extend(items),
            Kind::Map(entries) => open.extend(entries.iter().map(|entry| &entry.value)),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => {}
        }
    }
}

fn look_at(text: &Text, help: &str, sink: &mut Sink<'_>) {
    for range in tokens(text.as_str()) {
        let token = text.as_str().get(range.clone()).unwrap_or_default();
        let shown: String = token.chars().take(7).collect();
        let message =
            format!("the token `{shown}…` stands here for everybody who reads the repository");
        sink.report(text.span_of(range), message).help(help);
    }
}

/// How GitHub's tokens begin (GitHub Docs, "GitHub's token formats").
const PREFIXES: [&str; 6] = ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"];

/// Words that begin as a token does, or stand behind `Bearer`, and are long enough to be one.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut after_scheme = false;
    let mut at = 0;
    for word in text
        .split_inclusive(|letter: char| !(letter.is_ascii_alphanumeric() || "_-.".contains(letter)))
    {
        let bare = word.trim_end_matches(|letter: char| {
            !(letter.is_ascii_alphanumeric() || "_-.".contains(letter))
        });
        let named = PREFIXES
            .iter()
            .any(|prefix| bare.starts_with(prefix) && bare.len() >= prefix.len() + 20);
        let bearer =
            after_scheme && bare.len() >= 20 && bare.bytes().any(|byte| byte.is_ascii_digit());
        if named || bearer {
            found.push(at..at + bare.len());
        }
        if !bare.is_empty() {
            after_scheme = matches!(bare, "Bearer" | "bearer" | "token");
        } else if !word.trim().is_empty() {
            after_scheme = false;
        }
        at += word.len();
    }
    found
}
