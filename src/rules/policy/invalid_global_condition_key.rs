//! A key that begins with `aws:` and is no global condition key.

use crate::diag::Severity;
use crate::iam::catalog::{self, Key};
use crate::model::policy::{Condition, PolicyDocument};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{nearest, nearest_few, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-global-condition-key",
    aliases: &[],
    summary: "a global condition key that does not exist",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_global_condition_key.md"),
    check: Check::Policy(check),
};

/// Families of keys with the key of a tag in their name.
const TAGGED: [&str; 3] = ["aws:PrincipalTag", "aws:RequestTag", "aws:ResourceTag"];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for condition in policy.conditions() {
        let key = condition.key.as_str();
        let global = key
            .split_once(':')
            .is_some_and(|(prefix, _)| prefix.eq_ignore_ascii_case("aws"));
        if global && catalog::key(key).is_none() && catalog::replaced_by(key).is_none() {
            report(condition, sink);
        }
    }
}

fn report(condition: &Condition, sink: &mut Sink<'_>) {
    let key = condition.key.as_str();
    let bare = key.trim_end_matches('/');
    let tagged = TAGGED
        .into_iter()
        .find(|tagged| tagged.eq_ignore_ascii_case(bare));
    let (message, help) = if let Some(meant) = as_meant(key) {
        (
            format!(
                "there is no global condition key {}, so no request carries it",
                quoted(key)
            ),
            format!("write `{meant}`"),
        )
    } else if let Some(tagged) = tagged {
        (
            format!("{} names no tag", quoted(key)),
            format!("write `{tagged}/` and the key of the tag, such as `{tagged}/team`"),
        )
    } else {
        let near = nearest_few(key, catalog::global_keys().map(|key: Key| key.name));
        let shown: Vec<String> = near.iter().map(|near| format!("`{near}`")).collect();
        let help = if shown.is_empty() {
            "the User Guide lists the keys that begin with `aws:`".to_owned()
        } else {
            format!("did you mean {}?", shown.join(" or "))
        };
        (
            format!(
                "there is no global condition key {}, so no request carries it",
                quoted(key)
            ),
            help,
        )
    };
    sink.report(condition.key.span(), message)
        .pointer(condition.pointer.clone())
        .help(help);
}

/// A key with white space around it, with another sign than a slash before the key of a tag, or with its family misspelt.
fn as_meant(key: &str) -> Option<String> {
    let trimmed = key.trim();
    if trimmed != key && catalog::key(trimmed).is_some() {
        return Some(trimmed.to_owned());
    }
    let rest = trimmed.get("aws:".len()..)?;
    let at = rest.find(['/', ':', '.', '\\'])?;
    let (family, tag) = rest.split_at_checked(at)?;
    let tag = tag.get(1..).filter(|tag| !tag.is_empty())?;
    let family = nearest(&format!("aws:{family}"), TAGGED)?;
    Some(format!("{family}/{tag}"))
}
