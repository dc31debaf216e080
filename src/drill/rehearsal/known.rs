//! What is known of a call to AWS: the keys that it carries with their values, those that it cannot carry, and those of which
//! a rehearsal knows neither. What turns on the last is not decided.
//!
//! Source: IAM User Guide, "AWS global condition context keys" (the paragraph "Availability" of each key), "Available keys
//! for AWS OIDC federation", "IAM and AWS STS condition context keys"; STS hands on a claim only as `ISSUER:CLAIM`.

#![expect(
    clippy::disallowed_methods,
    reason = "AWS says the moment of a call to the policies"
)]

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::iam::{ContextValue, Request, RequestPrincipal};
use crate::model::calendar::moment;
use crate::model::trust::{ASSUME_WITH_WEB_IDENTITY, claim_keys};

/// How an identity of AWS's own borrows a role.
pub(super) const ASSUME_ROLE: &str = "sts:AssumeRole";

/// Global keys that no call of a runner carries: they come with calls that a service makes for somebody, with tags that are
/// written, with users, with machines of AWS. In lower case; one that ends with a slash stands for all tags.
const ABSENT: [&str; 22] = [
    "aws:assumedroot",
    "aws:calledvia",
    "aws:calledviaawsmcp",
    "aws:calledviafirst",
    "aws:calledvialast",
    "aws:chatbotsourcearn",
    "aws:ec2instancesourceprivateipv4",
    "aws:ec2instancesourcevpc",
    "aws:ismcpserviceaction",
    "aws:multifactorauthage",
    "aws:principalservicename",
    "aws:principalservicenameslist",
    "aws:referer",
    "aws:requesttag/",
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:sourceidentity",
    "aws:sourceorgid",
    "aws:sourceorgpaths",
    "aws:sourceowner",
    "aws:tagkeys",
    "aws:username",
];

/// Claims of a run's token whose values are known to GitHub alone: who started it, and whose enterprise it is.
const CLAIMS: [&str; 3] = ["actor", "actor_id", "enterprise_id"];

/// An organization that is nobody's here.
const STRANGERS: &str = "o-0strangers";

/// Whether a key of a call with a session may be there, with any value.
fn open_of_session(key: &str) -> bool {
    // Some claims stay with the session; which of them, and how long, differs by the issuer.
    let claim = key.split_once(':').is_some_and(|(of, _)| of.contains('.'));
    claim || open_everywhere(key)
}

/// The same of a call that borrows a role with a token.
fn open_of_token(key: &str) -> bool {
    let claim = key.rsplit_once(':').filter(|(of, _)| of.contains('.'));
    claim.is_some_and(|(_, claim)| CLAIMS.contains(&claim)) || open_of_unmapped(key)
}

/// The same with a token of an issuer whose claims, `aud` and `sub` aside, AWS hands on to nobody. Such a call carries no
/// keys of AWS, so that nobody gave them out.
fn open_of_unmapped(key: &str) -> bool {
    key != "aws:tokenissuetime" && open_everywhere(key)
}

fn open_everywhere(key: &str) -> bool {
    let is_absent = |absent: &&str| match absent.strip_suffix('/') {
        Some(family) => key.split('/').next() == Some(family),
        None => **absent == *key,
    };
    let global = key.starts_with("aws:") || key.starts_with("iam:resourcetag/");
    global && !ABSENT.iter().any(is_absent)
}

/// What every call carries, whoever makes it and however.
fn carried(request: &mut Request) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since.map_or(0, |since| since.as_secs());
    let moment = moment(i64::try_from(now).unwrap_or_default());
    set(request, "aws:CurrentTime", &moment);
    set(request, "aws:EpochTime", &now.to_string());
    set(request, "aws:SecureTransport", "true");
    set(request, "aws:ViaAWSService", "false");
    set(request, "aws:PrincipalIsAWSService", "false");
    moment
}

fn set(request: &mut Request, key: &str, value: &str) {
    request.set(key, ContextValue::Single(value.to_owned()));
}

/// The account of an ARN.
fn account(arn: &str) -> &str {
    arn.split(':').nth(4).unwrap_or_default()
}

/// A call with the role's session, which a token of this provider borrowed a moment ago; web identities have no second
/// factor.
pub(super) fn of_session(
    (action, resource): (&str, &str),
    role: Option<&str>,
    provider: &str,
    context: &[(&'static str, Vec<String>)],
) -> Request {
    let mut request = Request::new(action, resource).leaving_open(open_of_session);
    let moment = carried(&mut request);
    if let Some(role) = role {
        set(&mut request, "aws:PrincipalArn", role);
        set(&mut request, "aws:PrincipalAccount", account(role));
        set(&mut request, "aws:ResourceAccount", account(role));
    }
    set(&mut request, "aws:PrincipalType", "AssumedRole");
    set(&mut request, "aws:FederatedProvider", provider);
    set(&mut request, "aws:MultiFactorAuthPresent", "false");
    set(&mut request, "aws:TokenIssueTime", &moment);
    // The only Region in which Route 53 can be asked.
    set(&mut request, "aws:RequestedRegion", "us-east-1");
    for (key, values) in context {
        request.set(key, ContextValue::Multi(values.clone()));
    }
    request
}

/// How a role is borrowed, beside who does it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loan<'a> {
    /// The role's ARN.
    pub role: &'a str,
    /// What the session is called.
    pub session: &'a str,
    /// The Region of STS.
    pub region: &'a str,
}

/// A call that borrows the role with a token of this provider, whose claims AWS hands on if `mapped` says so.
pub(super) fn of_token(
    claims: &Map<String, Value>,
    (provider, issuer): (&str, &str),
    mapped: bool,
    loan: Loan<'_>,
) -> Request {
    let open = if mapped {
        open_of_token
    } else {
        open_of_unmapped
    };
    let principal = RequestPrincipal::Federated(provider.to_owned());
    let request = Request::new(ASSUME_WITH_WEB_IDENTITY, "*").by(principal);
    let mut request = request.leaving_open(open);
    borrowing(&mut request, loan);
    let known = |claim: &&str| mapped || ["aud", "sub"].contains(claim);
    for claim in claim_keys().iter().copied().filter(known) {
        if let Some(value) = claims.get(claim).and_then(Value::as_str) {
            set(&mut request, &format!("{issuer}:{claim}"), value);
        }
    }
    request
}

/// A call that borrows the role with an identity of AWS's own.
pub(super) fn of_arn(arn: &str, loan: Loan<'_>) -> Request {
    let request = Request::new(ASSUME_ROLE, "*").by(RequestPrincipal::Arn(arn.to_owned()));
    let mut request = request.leaving_open(open_everywhere);
    borrowing(&mut request, loan);
    set(&mut request, "aws:PrincipalArn", arn);
    set(&mut request, "aws:PrincipalAccount", account(arn));
    if account(arn) != account(loan.role) {
        // A stranger belongs to an organization of strangers.
        set(&mut request, "aws:PrincipalOrgID", STRANGERS);
    }
    request
}

fn borrowing(request: &mut Request, loan: Loan<'_>) {
    carried(request);
    set(request, "aws:RequestedRegion", loan.region);
    set(request, "aws:ResourceAccount", account(loan.role));
    set(request, "sts:RoleSessionName", loan.session);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_runner_cannot_know_is_open_and_what_it_never_sends_is_not() {
        for key in [
            "aws:sourceip",
            "aws:vpcsourceip",
            "aws:principalorgid",
            "aws:principaltag/team",
            "aws:useragent",
            "token.actions.githubusercontent.com:sub",
        ] {
            assert!(open_of_session(key), "{key}");
        }
        for key in [
            "aws:sourcearn",
            "aws:requesttag/team",
            "aws:calledvia",
            "route53:changeresourcerecordsetsactions",
        ] {
            assert!(!open_of_session(key), "{key}");
        }
        let issuer = "token.actions.githubusercontent.com";
        assert!(open_of_token(&format!("{issuer}:actor")));
        assert!(!open_of_token(&format!("{issuer}:repository_owner")));
        assert!(!open_of_token(&format!("{issuer}:sub")));
        assert!(!open_of_unmapped(&format!("{issuer}:actor")));
    }
}
