//! Counterexamples as real requests look: of all requests that show the same, one with a record type that exists, a name
//! that a zone can hold, the branch `main`. Each value is exchanged alone, and only where the evaluator still confirms it.

use crate::iam::catalog::{self, AskedOn};
use crate::model::dns::canonical_record_type;
use crate::model::policy::{has_wildcard, route53};
use crate::model::spec::IssuerKind;

use super::super::statement::StatementTest;
use super::super::{ContextValue, Request, RequestPrincipal};

const SUBJECT: &str = "repo:someone-else/fork:ref:refs/heads/main";
/// Subjects of repositories that nobody in question owns.
const FOREIGN: [&str; 2] = [
    SUBJECT,
    "repo:someone-else@700007/fork@800008:ref:refs/heads/main",
];

/// Account, region and ids that stand for any.
const ACCOUNT: &str = "123456789012";
const REGION: &str = "us-east-1";
const IDS: [&str; 2] = ["0123456789EXAMPLE", "1111111111EXAMPLE"];

/// The request with a plausible value in the place of each that is merely the shortest.
pub(super) fn plausible<'a>(
    mut request: Request,
    statements: &(impl Iterator<Item = &'a StatementTest> + Clone),
    confirm: impl Fn(&Request) -> bool,
) -> Request {
    let statements = || statements.clone();
    for candidate in resources(&request, statements()) {
        let mut tried = request.clone();
        tried.resource = candidate;
        if confirm(&tried) {
            request = tried;
            break;
        }
    }
    let keys: Vec<(String, ContextValue)> = request
        .entries()
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect();
    for (key, value) in keys {
        let written: Vec<&str> = statements()
            .flat_map(|statement| &statement.conditions)
            .filter(|test| *test.folded_key == *key)
            .flat_map(|test| test.written.iter().map(|value| &**value))
            .collect();
        let mut values = value.values().to_vec();
        for place in 0..values.len() {
            let Some(present) = values.get(place).cloned() else {
                break;
            };
            if is_plausible(&key, &present, &written) {
                continue;
            }
            for candidate in candidates(&key, &written) {
                if values.contains(&candidate) {
                    continue;
                }
                let mut tried = values.clone();
                if let Some(value) = tried.get_mut(place) {
                    *value = candidate;
                }
                let changed = like(&value, &tried).map(|value| request.clone().with(&key, value));
                if let Some(changed) = changed.filter(&confirm) {
                    (request, values) = (changed, tried);
                    break;
                }
            }
        }
    }
    whole_token(request, &confirm)
}

/// A request with a token has its subject and its audience, asked for or not.
fn whole_token(mut request: Request, confirm: impl Fn(&Request) -> bool) -> Request {
    let issuer = match &request.principal {
        Some(RequestPrincipal::Federated(provider)) => provider
            .split_once(":oidc-provider/")
            .map(|(_, issuer)| issuer.to_owned()),
        Some(RequestPrincipal::Arn(_) | RequestPrincipal::Service(_)) | None => None,
    };
    let issuer = issuer.filter(|issuer| IssuerKind::of(issuer).is_some());
    for (claim, value) in [("aud", "sts.amazonaws.com"), ("sub", SUBJECT)] {
        let key = issuer.as_ref().map(|issuer| format!("{issuer}:{claim}"));
        let Some(key) = key.filter(|key| request.context(key).is_none()) else {
            continue;
        };
        let fuller = request
            .clone()
            .with(&key, ContextValue::Single(value.to_owned()));
        if confirm(&fuller) {
            request = fuller;
        }
    }
    request
}

/// `values` in the manner of `value`: one, or a list.
fn like(value: &ContextValue, values: &[String]) -> Option<ContextValue> {
    match value {
        ContextValue::Single(_) => values.first().cloned().map(ContextValue::Single),
        ContextValue::Multi(_) => Some(ContextValue::Multi(values.to_vec())),
    }
}

/// Whether a value can stay: it is written in a policy, empty on purpose, or a real one.
fn is_plausible(key: &str, value: &str, written: &[&str]) -> bool {
    let is = |own: &str| key.eq_ignore_ascii_case(own);
    value.is_empty()
        || value.starts_with("some")
        || written
            .iter()
            .any(|one| *one == value && !has_wildcard(one))
        || is(route53::TYPES_KEY) && canonical_record_type(value) == Some(value)
        || is(route53::ACTIONS_KEY) && matches!(value, "CREATE" | "UPSERT" | "DELETE")
        || !value.is_ascii() && !is(route53::NAMES_KEY)
}

/// Values to try under a key, the plainest first.
fn candidates(key: &str, written: &[&str]) -> Vec<String> {
    let is = |own: &str| key.eq_ignore_ascii_case(own);
    let known: &[&str] = if is(route53::TYPES_KEY) {
        &["A", "AAAA", "CNAME", "TXT", "MX", "NS", "SOA", "SRV", "CAA"]
    } else if is(route53::ACTIONS_KEY) {
        &["UPSERT", "CREATE", "DELETE"]
    } else if is(route53::NAMES_KEY) {
        &[
            "www.example.com",
            "example.net",
            "_acme-challenge.example.com",
        ]
    } else if key.ends_with("githubusercontent.com:sub") {
        &FOREIGN
    } else if key.ends_with(":sub") {
        &["system:serviceaccount:default:default", "someone-else"]
    } else if key.ends_with(":aud") {
        &["sts.amazonaws.com", "https://audience.example.com"]
    } else if key.ends_with("account") {
        &[ACCOUNT, "210987654321"]
    } else if is("aws:PrincipalArn") {
        &[
            "arn:aws:iam::123456789012:role/example",
            "arn:aws:iam::210987654321:user/example",
        ]
    } else {
        &["example"]
    };
    let fillers: &[&str] = if is(route53::NAMES_KEY) {
        &["www", "example.com", "www.example.com"]
    } else if key.ends_with(":sub") {
        &[
            "main",
            "ref:refs/heads/main",
            "environment:production",
            "fork:ref:refs/heads/main",
            "someone-else/fork:ref:refs/heads/main",
            "release",
            "ref:refs/heads/release",
            "refs/heads/main",
            "pull_request",
        ]
    } else {
        &["main", "example"]
    };
    let patterns = written
        .iter()
        .filter(|one| has_wildcard(one) && !one.contains("${"));
    let filled = patterns.flat_map(|pattern| {
        let of_arns = pattern.starts_with("arn:").then_some(IDS).into_iter();
        let of_arns = of_arns.flatten().filter_map(|id| arn(pattern, id));
        of_arns.chain(fillers.iter().map(|filler| fill(pattern, filler)))
    });
    let filled = filled.filter(|value| fits(key, value));
    if is(route53::TYPES_KEY) || is(route53::ACTIONS_KEY) {
        return known.iter().map(ToString::to_string).collect();
    }
    filled
        .chain(known.iter().map(ToString::to_string))
        .collect()
}

/// Whether a filled pattern is a value of its kind: a name has no empty labels, a subject of GitHub no doubled prefix.
fn fits(key: &str, value: &str) -> bool {
    if key.eq_ignore_ascii_case(route53::NAMES_KEY) {
        return value.contains('.') && value.split('.').all(|label| !label.is_empty());
    }
    if key.ends_with("githubusercontent.com:sub") {
        let mut parts = value.splitn(3, ':');
        let (kind, repository, rest) = (parts.next(), parts.next(), parts.next());
        let named = repository.is_some_and(|one| one.split('/').count() == 2);
        let job = rest.is_some_and(|rest| {
            let branch = rest.strip_prefix("ref:refs/heads/");
            let environment = rest.strip_prefix("environment:");
            let name = branch.or(environment);
            rest == "pull_request"
                || name.is_some_and(|name| !name.contains(':') && !name.contains("refs/"))
        });
        return kind == Some("repo") && named && job;
    }
    true
}

/// The pattern with `filler` for each `*`, and `x` for each `?`.
fn fill(pattern: &str, filler: &str) -> String {
    pattern.replace('*', filler).replace('?', "x")
}

/// Resources to try: what the policies write, and what the catalog says of the action, with ids for what is open. None
/// where the present one is written as it is.
fn resources<'a>(
    request: &Request,
    statements: impl Iterator<Item = &'a StatementTest>,
) -> Vec<String> {
    let written: Vec<&str> = statements
        .filter_map(|statement| statement.resources.as_ref())
        .flat_map(|list| list.written.iter().map(|one| &**one))
        .collect();
    let present = request.resource.as_str();
    if present == "*" || written.contains(&present) {
        return Vec::new();
    }
    let forms = match catalog::asked_on(request.action()) {
        Some(AskedOn::Of(forms, _)) => forms,
        Some(AskedOn::Everything) | None => Vec::new(),
    };
    let patterns = written.iter().map(ToString::to_string).chain(forms);
    let patterns = patterns.filter(|one| has_wildcard(one) && one.starts_with("arn:"));
    let filled = patterns.flat_map(|pattern| IDS.map(|id| arn(&pattern, id)));
    let filled = filled.flatten();
    let fits = |one: &String| !has_wildcard(one) && catalog::may_be_on(request.action(), one);
    filled.filter(fits).collect()
}

/// The ARN's pattern with account, region and an id for its wildcards.
fn arn(pattern: &str, id: &str) -> Option<String> {
    let parts: Vec<&str> = pattern.splitn(6, ':').collect();
    let [arn, partition, service, region, account, name] = parts.as_slice() else {
        return None;
    };
    let id = match (*service, name.split('/').next()) {
        ("route53", Some("hostedzone")) => format!("Z{id}"),
        ("route53", Some("change")) => format!("C{id}"),
        _ => "example".to_owned(),
    };
    let or = |part: &str, open: &str| fill(part, open);
    Some(format!(
        "{arn}:{}:{service}:{}:{}:{}",
        or(partition, "aws"),
        or(region, REGION),
        or(account, ACCOUNT),
        or(name, &id)
    ))
}
