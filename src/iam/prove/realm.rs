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

const ARNS: &str =
    "a resource is an ARN in a partition of AWS, or `*` for an action that may name none";
const CATALOG: &str = "of Route 53, STS, IAM, S3 and DynamoDB there are the actions, resources and keys of the catalog, no others";
const RECORDS: &str = "every `route53:ChangeResourceRecordSets` carries the names, types and actions of its records, since a batch has at least one change";
const ARITY: &str = "a key that AWS documents with one value never comes with several, nor one documented with several as a single one; values are of the type that AWS documents";

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

    /// The assumptions that go with it, in sentences.
    #[must_use]
    pub fn assumptions(self) -> &'static [&'static str] {
        match self {
            Self::Sent => &[
                ARNS,
                CATALOG,
                RECORDS,
                "Route 53 sends names in lower case, without a final dot and with `\\052` for `*`; types and kinds of change are those of its API",
                ARITY,
            ],
            Self::Documented => &[ARNS, CATALOG, RECORDS, ARITY],
            Self::Anything => &["a resource is an ARN, or `*`"],
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
        if of_token && action.eq_ignore_ascii_case(ASSUME_WITH_WEB_IDENTITY) {
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

    /// Patterns of the resources that `action` applies to, in the first five segments of which `*` is one segment and `?`
    /// a character, and
    /// whether a request may name none.
    pub(super) fn resources(self, action: &str) -> (Vec<String>, bool) {
        let service = if self == Self::Anything { "*" } else { "?*" };
        let any = || (vec![format!("arn:*:{service}:*:*:*")], true);
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
