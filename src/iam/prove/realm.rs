//! What real requests look like, as far as AWS documents it: which actions there are, on which resources, and which
//! condition keys come with them. Each is an assumption of a proof, and can be set aside.

use crate::iam::catalog::{self, KeyType};
use crate::model::dns::RECORD_TYPES;
use crate::model::policy::glob_matches_ignoring_case;
use crate::model::policy::route53::{
    ACTIONS_KEY, CHANGE_RECORDS, NAMES_KEY, RECORD_KEYS, TYPES_KEY,
};
use crate::model::trust::{ASSUME_WITH_WEB_IDENTITY, claim_of};

use super::super::RequestPrincipal;
use super::taken::{Assumption, Taken};

/// How far requests are taken to be real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Realm {
    /// Requests as AWS documents them, with names, types and kinds of change as Route 53 sends them.
    Sent,
    /// Requests as AWS documents them.
    Documented,
    /// Any request that the policy language can speak of.
    Anything,
}

/// Whether requests for an action carry a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Presence {
    /// Each does, with at least one value.
    Always,
    /// Some may.
    Maybe,
    /// None does.
    Never,
}

/// What a token of an OIDC provider is used for (IAM User Guide, "Pass session tags in AWS STS", "Monitor and control
/// actions taken with assumed roles").
const OIDC_CALLS: [&str; 3] = [
    ASSUME_WITH_WEB_IDENTITY,
    "sts:SetSourceIdentity",
    "sts:TagSession",
];

/// The same of an assertion of a SAML provider.
const SAML_CALLS: [&str; 3] = [
    "sts:AssumeRoleWithSAML",
    "sts:SetSourceIdentity",
    "sts:TagSession",
];

/// The partitions of AWS (Regions and Availability Zones guide, and the endpoints of its SDKs).
const PARTITIONS: [&str; 8] = [
    "aws",
    "aws-cn",
    "aws-us-gov",
    "aws-iso",
    "aws-iso-b",
    "aws-iso-e",
    "aws-iso-f",
    "aws-eusc",
];

/// The values that a service sends under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sends {
    /// Any text.
    Text,
    /// Names of records in normalised form.
    Names,
    /// Values of this type.
    Typed(KeyType),
    /// Subjects of GitHub's tokens.
    Subjects,
    /// These alone, the plainest first.
    One(&'static [&'static str]),
}

impl Realm {
    /// What is sent under `key`.
    pub(super) fn sends(self, key: &str) -> Sends {
        let is = |own: &str| key.eq_ignore_ascii_case(own);
        match self {
            Self::Sent if is(NAMES_KEY) => Sends::Names,
            Self::Sent if is(TYPES_KEY) => Sends::One(&RECORD_TYPES),
            Self::Sent if is(ACTIONS_KEY) => Sends::One(&["UPSERT", "CREATE", "DELETE"]),
            Self::Sent | Self::Documented => documented(key),
            Self::Anything => Sends::Text,
        }
    }

    /// The services of which there are no other actions than those of the catalog.
    pub(super) fn settled_services(self) -> impl Iterator<Item = &'static str> {
        let complete = catalog::services().filter(move |_| self != Self::Anything);
        complete
            .filter(|service| service.is_complete())
            .map(catalog::Service::name)
    }

    /// The action, where the catalog has all of its service.
    fn settled(self, action: &str) -> Option<catalog::Action> {
        catalog::settled(action).filter(|_| self != Self::Anything)
    }

    /// Whether there is such an action.
    pub(super) fn has(self, action: &str) -> bool {
        let service = action
            .split_once(':')
            .and_then(|(service, _)| catalog::service(service));
        let complete = service.is_some_and(catalog::Service::is_complete);
        self == Self::Anything || !complete || self.settled(action).is_some()
    }

    /// Whether `who` asks for `action`: with a token or an assertion, before there is a session, only for a role with it.
    pub(super) fn may_ask(
        self,
        who: Option<&RequestPrincipal>,
        action: &str,
        taken: &Taken,
    ) -> bool {
        let Some(RequestPrincipal::Federated(provider)) = who else {
            return true;
        };
        let is_sts = action
            .split_once(':')
            .is_some_and(|(service, _)| service.eq_ignore_ascii_case("sts"));
        let calls = if provider.contains(":saml-provider/") {
            SAML_CALLS
        } else {
            OIDC_CALLS
        };
        let asks = calls.iter().any(|own| own.eq_ignore_ascii_case(action));
        if self == Self::Anything || !is_sts || asks {
            return true;
        }
        !taken.take(Assumption::WebIdentity)
    }

    /// Whether requests for `action` by `principal` carry `key`. Every token has a subject and an audience (`OpenID` Connect
    /// Core, section 2).
    pub(super) fn presence(
        self,
        action: &str,
        key: &str,
        principal: Option<&RequestPrincipal>,
    ) -> Presence {
        let record_key = RECORD_KEYS.iter().any(|one| one.eq_ignore_ascii_case(key));
        if self == Self::Anything {
            return Presence::Maybe;
        }
        if record_key && action.eq_ignore_ascii_case(CHANGE_RECORDS) {
            return Presence::Always;
        }
        let issuer = match principal {
            Some(RequestPrincipal::Federated(provider)) => provider.split_once(":oidc-provider/"),
            Some(RequestPrincipal::Arn(_) | RequestPrincipal::Service(_)) | None => None,
        };
        let of_token = issuer.is_some_and(|(_, issuer)| {
            let claim = key
                .rsplit_once(':')
                .filter(|(host, _)| issuer.eq_ignore_ascii_case(host));
            claim.is_some_and(|(_, claim)| matches!(claim, "sub" | "aud"))
        });
        let with_token = OIDC_CALLS
            .iter()
            .any(|own| own.eq_ignore_ascii_case(action));
        if of_token && with_token || is_in_every_call(action, key) {
            return Presence::Always;
        }
        if catalog::never_carries(action, key) {
            Presence::Never
        } else {
            Presence::Maybe
        }
    }

    /// Whether `key` may come with one value, and whether with several.
    pub(super) fn arity(self, key: &str) -> (bool, bool) {
        if self == Self::Anything {
            return (true, true);
        }
        if catalog::is_multi_valued(key) {
            (false, true)
        } else if catalog::is_single_valued(key) {
            (true, false)
        } else {
            (true, true)
        }
    }

    /// Patterns of any resource of AWS, and that a request may name none.
    pub(super) fn any_resource() -> (Vec<String>, bool) {
        (vec!["arn:*:?*:*:*:*".to_owned()], true)
    }

    /// Patterns of the resources that `action` applies to, in the first five segments of which `*` is one segment and `?`
    /// a character, and
    /// whether a request may name none.
    pub(super) fn resources(self, action: &str) -> (Vec<String>, bool) {
        let any = || {
            if self == Self::Anything {
                (vec!["arn:*:*:*:*:*".to_owned()], true)
            } else {
                Self::any_resource()
            }
        };
        let Some(action) = self.settled(action) else {
            return any();
        };
        if action.has_open_types() {
            return any();
        }
        let shapes = action.resource_types().map(|kind| with_stars(kind.arn()));
        (shapes.collect(), !action.always_has_resource())
    }

    /// Names of partitions of which one of each kind is enough, where `patterns` tell resources apart; none where any text
    /// may stand there.
    pub(super) fn partitions<'a>(
        self,
        mut patterns: impl Iterator<Item = &'a str>,
    ) -> &'static [&'static str] {
        // Nothing tells another partition from China's where patterns name `aws`, or leave the whole segment open.
        let plain = |text: &str| {
            let open = ["arn:aws:", "arn:*:"]
                .iter()
                .any(|head| text.starts_with(head));
            open || text.bytes().all(|byte| byte == b'*')
        };
        if self == Self::Anything {
            &[]
        } else if patterns.all(plain) {
            PARTITIONS.get(..2).unwrap_or(&PARTITIONS)
        } else {
            &PARTITIONS
        }
    }

    /// What tells one action of the realm from another, beside the statements that it passes.
    pub(super) fn manner<'a>(
        self,
        action: &str,
        keys: impl Iterator<Item = &'a str>,
        principal: Option<&RequestPrincipal>,
    ) -> (Vec<String>, bool, Vec<Presence>) {
        let (shapes, none) = self.resources(action);
        let presence = keys
            .map(|key| self.presence(action, key, principal))
            .collect();
        (shapes, none, presence)
    }

    /// Actions that AWS documents and `pattern` may mean: those of the service that it names, and of every service of
    /// which the catalog has all.
    pub(super) fn actions(pattern: &str) -> Vec<String> {
        if !pattern.contains(['*', '?']) {
            return vec![pattern.to_owned()];
        }
        let (service, name) = pattern.split_once(':').unwrap_or((pattern, "*"));
        let looked_at =
            |one: &catalog::Service| one.is_complete() || one.name().eq_ignore_ascii_case(service);
        let meant = catalog::services()
            .filter(looked_at)
            .filter(|one| glob_matches_ignoring_case(service, one.name()));
        let of = |one: catalog::Service| {
            let actions = one.actions_like(name);
            actions.map(move |action| format!("{}:{}", one.name(), action.name()))
        };
        meant.flat_map(of).collect()
    }

    /// Whether `action` is one that AWS documents; `None` where that is not known here.
    pub(super) fn knows(action: &str) -> Option<bool> {
        let (service, _) = action.split_once(':')?;
        catalog::service(service)?;
        Some(catalog::action(action).is_some())
    }
}

/// Keys that are "always included in the request context" (IAM User Guide, "AWS global condition context keys").
const IN_EVERY_CALL: [&str; 6] = [
    "aws:CurrentTime",
    "aws:EpochTime",
    "aws:RequestedRegion",
    "aws:SecureTransport",
    "aws:UserAgent",
    "aws:ViaAWSService",
];

/// Whether every call for `action` carries `key`: also the session's name where a role is asked for, which is a required
/// parameter then (STS API Reference, `AssumeRole` and its kin).
pub(super) fn is_in_every_call(action: &str, key: &str) -> bool {
    let begins = |text: &str, start: &str| {
        let head = text.get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    let of_session =
        || begins(action, "sts:AssumeRole") && key.eq_ignore_ascii_case("sts:RoleSessionName");
    IN_EVERY_CALL
        .iter()
        .any(|own| own.eq_ignore_ascii_case(key))
        || of_session()
}

/// Whether `key` says that a call comes over TLS, as every call for `action` does: the endpoints of these services take no
/// other (AWS General Reference, "Service endpoints and quotas", the protocols of each).
pub(super) fn is_over_tls(action: &str, key: &str) -> bool {
    let service = action.split(':').next().unwrap_or_default();
    let only = ["iam", "route53", "sts"];
    key.eq_ignore_ascii_case("aws:SecureTransport")
        && only.iter().any(|own| own.eq_ignore_ascii_case(service))
}

/// What AWS documents of the values under `key`. `aws:EpochTime` is compared as a number and as a date.
fn documented(key: &str) -> Sends {
    if claim_of(key) == Some("sub") {
        return Sends::Subjects;
    }
    let known = catalog::key(key).filter(|known| {
        catalog::is_settled(key) && !known.name.eq_ignore_ascii_case("aws:EpochTime")
    });
    match known.map(|known| known.kind) {
        Some(KeyType::Bool) => Sends::One(&["true", "false"]),
        Some(kind @ (KeyType::Arn | KeyType::Numeric | KeyType::Date | KeyType::Ip)) => {
            Sends::Typed(kind)
        }
        Some(KeyType::Text | KeyType::Binary) | None => Sends::Text,
    }
}

/// An ARN's form with `*` in place of `${…}`.
fn with_stars(arn: &str) -> String {
    let mut pattern = String::new();
    let mut rest = arn;
    while let Some((before, after)) = rest.split_once("${") {
        pattern.push_str(before);
        pattern.push('*');
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    pattern + rest
}
