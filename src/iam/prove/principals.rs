//! Who may ask, where policies name principals: one of each kind that their `Principal` elements tell apart.
//!
//! An element names a principal by its own ARN or name, by the role of which it is a session, by its account, or as one of
//! all. So there are those that are named, a session of each role that is, the root and some user of each account, and
//! some stranger of each sort, who may also give no name at all.

use crate::model::policy::{Principal, Principals, Statement, has_wildcard};
use crate::text::Text;

use super::super::RequestPrincipal;
use super::Question;
use super::closed::Listed;

/// Whoever may ask. One is enough where no policy names principals, or where it is said who asks.
pub(super) fn askers(question: &Question<'_>) -> Vec<Option<RequestPrincipal>> {
    let sides = question.granted.iter().chain(&question.not_granted);
    let statements = sides
        .flat_map(|side| &side.policies)
        .flat_map(|policy| &policy.document.statements);
    let entries: Vec<(Option<&str>, &str)> = statements.flat_map(entries).collect();
    if question.principal.is_some() || entries.is_empty() {
        return vec![question.principal.clone()];
    }
    let stranger = account_beside(&entries);
    let mut all = vec![None];
    let mut add = |who: RequestPrincipal| {
        // Who is not read as what it is written as is nobody: a word that is no provider's name, for example.
        let is_real = RequestPrincipal::parse(who.as_str()) == who;
        if is_real && !all.contains(&Some(who.clone())) {
            all.push(Some(who));
        }
    };
    for (kind, value) in entries {
        match kind {
            // A wildcard names no provider and no service, whoever asks.
            Some("Federated" | "Service") if has_wildcard(value) => {}
            Some("Federated") => add(RequestPrincipal::Federated(value.to_owned())),
            Some("Service") => add(RequestPrincipal::Service(value.to_owned())),
            _ => of_aws(value).into_iter().for_each(&mut add),
        }
    }
    add(user_of(&stranger));
    add(RequestPrincipal::Service(
        "stranger.amazonaws.com".to_owned(),
    ));
    add(RequestPrincipal::Federated(
        "stranger.example.com".to_owned(),
    ));
    all
}

/// Whom an element names, each with its kind.
pub(super) fn named(principals: &Principals) -> Listed {
    let entry = |entry: &Principal| {
        let value = entry.value.text.as_str();
        entry.kind.as_ref().map_or_else(
            || value.to_owned(),
            |kind| format!("{} {value}", kind.as_str()),
        )
    };
    Listed {
        values: principals.entries.iter().map(entry).collect(),
        all_but: principals.negated,
    }
}

/// The issuers of tokens among those whom an element names: what stands behind `oidc-provider/` in a provider's ARN.
pub(super) fn issuers(principals: &Principals) -> impl Iterator<Item = &str> {
    let federated = principals.entries.iter().filter(|entry| {
        let kind = entry.kind.as_ref();
        kind.is_some_and(|kind| kind.as_str() == "Federated")
    });
    federated.filter_map(|entry| {
        let (_, issuer) = entry.value.text.as_str().split_once(":oidc-provider/")?;
        Some(issuer)
    })
}

fn entries(statement: &Statement) -> impl Iterator<Item = (Option<&str>, &str)> {
    let principals = statement.principals.iter();
    let entries = principals.flat_map(|principals| &principals.entries);
    entries.map(|entry| {
        let kind = entry.kind.as_ref().map(Text::as_str);
        (kind, entry.value.text.as_str())
    })
}

/// An account that none of `entries` speaks of.
fn account_beside(entries: &[(Option<&str>, &str)]) -> String {
    let accounts = (0..=entries.len()).map(|number| format!("9999{number:08}"));
    let is_free = |account: &String| !entries.iter().any(|(_, value)| value.contains(account));
    accounts.into_iter().find(is_free).unwrap_or_default()
}

fn user_of(account: &str) -> RequestPrincipal {
    RequestPrincipal::Arn(format!("arn:aws:iam::{account}:user/someone"))
}

/// Those whom an entry under `AWS` tells from others.
fn of_aws(value: &str) -> Vec<RequestPrincipal> {
    if value.len() == 12 && value.bytes().all(|digit| digit.is_ascii_digit()) {
        let root = RequestPrincipal::Arn(format!("arn:aws:iam::{value}:root"));
        return vec![root, user_of(value)];
    }
    let segments: Vec<&str> = value.splitn(6, ':').collect();
    let ["arn", partition, _, _, account, name] = segments.as_slice() else {
        return Vec::new();
    };
    let mut found = vec![RequestPrincipal::Arn(value.to_owned()), user_of(account)];
    if let Some(role) = name.strip_prefix("role/") {
        let role = role.rsplit('/').next().unwrap_or(role);
        found.push(RequestPrincipal::Arn(format!(
            "arn:{partition}:sts::{account}:assumed-role/{role}/session"
        )));
    }
    found
}
