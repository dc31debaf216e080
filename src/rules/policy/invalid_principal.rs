//! A principal in a form that AWS does not have, or that matches nobody.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, PolicyKind, Principal, Principals, Statement};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{nearest, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "invalid-principal",
    aliases: &[],
    summary: "a principal of no form that AWS has",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("invalid_principal.md"),
    check: Check::Policy(check),
};

/// Services of which it is certain that their principals end in `.amazonaws.com` (IAM User Guide, "AWS services that work
/// with IAM", and the trust policies of their own guides).
pub(super) const OF_AWS: [&str; 12] = [
    "apigateway",
    "cloudformation",
    "codebuild",
    "ec2",
    "ecs-tasks",
    "events",
    "lambda",
    "s3",
    "scheduler",
    "sns",
    "sqs",
    "states",
];

/// The kinds of principal.
const KINDS: [&str; 4] = ["AWS", "Federated", "Service", "CanonicalUser"];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for statement in &policy.statements {
        let Some(principals) = &statement.principals else {
            continue;
        };
        if policy.kind == PolicyKind::Trust && principals.negated {
            let help = "name under `Principal` who may assume the role";
            sink.report(
                principals.key.span(),
                "a trust policy has no `NotPrincipal`",
            )
            .pointer(format!("{}/NotPrincipal", statement.pointer))
            .help(help);
        }
        if principals.entries.is_empty() && !principals.incomplete {
            nobody(statement, principals, sink);
        }
        for principal in &principals.entries {
            if let Some((why, help)) = fault(policy.kind, principal) {
                let text = principal.value.text.as_str();
                let at = principal.value.text.span();
                // A key of no kind is told once, at the key.
                let at = principal
                    .kind
                    .as_ref()
                    .filter(|kind| !KINDS.contains(&kind.as_str()))
                    .map_or(at, |kind| kind.span());
                sink.report(at, format!("{} {why}", quoted(text)))
                    .pointer(principal.value.pointer.clone())
                    .help(help);
            }
        }
    }
}

fn nobody(statement: &Statement, principals: &Principals, sink: &mut Sink<'_>) {
    let key = principals.key.as_str();
    sink.report(principals.span, format!("`{key}` names nobody"))
        .pointer(format!("{}/{key}", statement.pointer))
        .help("name a principal, such as {\"AWS\": \"arn:aws:iam::123456789012:role/deploy\"}, or take the statement out");
}

/// What is wrong with a principal, and what to write.
fn fault(policy: PolicyKind, principal: &Principal) -> Option<(String, String)> {
    let text = principal.value.text.as_str();
    let kind = principal.kind.as_ref()?.as_str();
    if text.contains("${") || text.is_empty() {
        return None;
    }
    match kind {
        "AWS" => aws(text),
        "Federated" => federated(policy, text),
        "Service" => service(policy, text),
        "CanonicalUser" => canonical(text),
        _ => {
            let near = nearest(kind, KINDS).unwrap_or("AWS");
            let why = format!(
                "stands under {}, which is no kind of principal",
                quoted(kind)
            );
            Some((
                why,
                format!("write `{near}`; the kinds are {}", KINDS.join(", ")),
            ))
        }
    }
}

fn aws(text: &str) -> Option<(String, String)> {
    const FORM: &str = "write an account id, `arn:aws:iam::123456789012:root`, or the ARN of a role, a user or a session";
    if text == "*" || is_account(text) || is_unique_id(text) {
        return None;
    }
    let Some(rest) = text.strip_prefix("arn:") else {
        return Some(("is no principal of AWS".to_owned(), FORM.to_owned()));
    };
    if text.contains(['*', '?']) {
        let why = "has a wildcard, which AWS does not take for a part of a principal".to_owned();
        let help = "write `*` alone and limit it by a condition on `aws:PrincipalArn`, or name each principal";
        return Some((why, help.to_owned()));
    }
    let parts: Vec<&str> = rest.splitn(5, ':').collect();
    let &[_, service, region, account, resource] = parts.as_slice() else {
        return Some(("is an ARN with too few parts".to_owned(), FORM.to_owned()));
    };
    if service == "iam" && resource.starts_with("group/") {
        let why = "is a group, which is no principal".to_owned();
        return Some((
            why,
            "name its users, or a role that they may assume".to_owned(),
        ));
    }
    let known = matches!(service, "iam" | "sts") && region.is_empty() && !resource.is_empty();
    // Amazon's own accounts have names, as CloudFront's.
    let owner = is_account(account)
        || account
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            && !account.is_empty();
    (!known || !owner).then(|| ("is no ARN of a principal".to_owned(), FORM.to_owned()))
}

/// The id of an account by which S3 knows it (Amazon S3 User Guide, "canonical user ID").
fn canonical(text: &str) -> Option<(String, String)> {
    let fits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!fits && text != "*").then(|| {
        (
            "is no canonical user id".to_owned(),
            "write the 64 hexadecimal digits of the account's canonical user id, or its number under `AWS`".to_owned(),
        )
    })
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The id that stands in place of a role or a user that was deleted; a rule of its own speaks of it.
pub(super) fn is_unique_id(text: &str) -> bool {
    let prefixed = ["AROA", "AIDA", "AGPA", "ASIA"]
        .iter()
        .any(|prefix| text.starts_with(prefix));
    prefixed
        && text.len() >= 16
        && text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

fn federated(policy: PolicyKind, text: &str) -> Option<(String, String)> {
    let provider = text.starts_with("arn:")
        && (text.contains(":oidc-provider/") || text.contains(":saml-provider/"));
    let host =
        !text.starts_with("arn:") && text.contains('.') && !text.contains([' ', '*', '/', ':']);
    let fits = if policy == PolicyKind::Trust {
        provider || host
    } else {
        provider || host || text == "*"
    };
    (!fits).then(|| {
        (
            "is no identity provider".to_owned(),
            "write the ARN of an OIDC or SAML provider, or the host of one that AWS knows, such as `cognito-identity.amazonaws.com`".to_owned(),
        )
    })
}

/// Whether it stands under `Service` and is told as no principal of a service.
pub(super) fn is_no_service(text: &str) -> bool {
    service(PolicyKind::Resource, text).is_some()
}

fn service(policy: PolicyKind, text: &str) -> Option<(String, String)> {
    let letters = |letter: char| {
        letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '-' | '.' | '_')
    };
    let known = [
        ".amazonaws.com",
        ".amazonaws.com.cn",
        ".amazon.com",
        ".aws.internal",
        ".aws",
        ".api.aws",
        ".c2s.ic.gov",
    ];
    let fits = known
        .iter()
        .any(|end| text.ends_with(end) && text.len() > end.len())
        && text.chars().all(letters);
    // Services that AWS shares with Amazon have such names, those with an own prefix of actions do not.
    let at_amazon = text.strip_suffix(".amazon.com");
    if let Some(name) = at_amazon.filter(|name| OF_AWS.contains(name)) {
        let help = format!("write `{name}.amazonaws.com`");
        return Some(("is no principal of a service".to_owned(), help));
    }
    // A role is assumed by services that its trust policy names.
    let any = text == "*" && policy != PolicyKind::Trust;
    (!fits && !any).then(|| {
        (
            "is no principal of a service".to_owned(),
            "write the service's name in lower case with its domain, such as `cloudfront.amazonaws.com`".to_owned(),
        )
    })
}
