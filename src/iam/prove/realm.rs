//! What real requests look like, as far as AWS documents it: which actions there are, on which resources, and which
//! condition keys come with them. Each is an assumption of a proof, and can be set aside.

use crate::model::policy::route53::{RECORD_KEYS, actions_carrying};
use crate::model::policy::{actions_of, find_action, is_multi_valued, is_single_valued};

/// How far requests are taken to be real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Realm {
    /// Requests as AWS documents them.
    Documented,
    /// Any request that the policy language can speak of.
    Anything,
}

/// Whether requests for an action carry a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// Each does, with at least one value.
    Always,
    /// Some may.
    Maybe,
    /// None does.
    Never,
}

impl Realm {
    /// The assumptions that go with it, in sentences.
    #[must_use]
    pub fn assumptions(self) -> &'static [&'static str] {
        match self {
            Self::Documented => &[
                "a resource is an ARN, or `*`; a resource of Route 53 is of a type that the action applies to",
                "every `route53:ChangeResourceRecordSets` carries the names, types and actions of its records, since a batch has at least one change; no other action carries them",
                "a key that AWS documents with one value never comes with several, nor one documented with several as a single one",
            ],
            Self::Anything => &["a resource is an ARN, or `*`"],
        }
    }

    pub(super) fn presence(self, action: &str, key: &str) -> Presence {
        if self == Self::Anything {
            return Presence::Maybe;
        }
        let Some(carrying) = actions_carrying(key) else {
            return Presence::Maybe;
        };
        let carries = carrying.iter().any(|one| one.eq_ignore_ascii_case(action));
        let record_key = RECORD_KEYS.iter().any(|one| one.eq_ignore_ascii_case(key));
        match (carries, record_key) {
            (true, true) => Presence::Always,
            (true, false) => Presence::Maybe,
            (false, _) => Presence::Never,
        }
    }

    /// Whether `key` may come with one value, and whether with several.
    pub(super) fn arity(self, key: &str) -> (bool, bool) {
        if self == Self::Anything {
            return (true, true);
        }
        if is_multi_valued(key) {
            (false, true)
        } else if is_single_valued(key) {
            (true, false)
        } else {
            (true, true)
        }
    }

    /// Patterns of the resources that `action` applies to; in the first five segments of an ARN `*` is one segment.
    pub(super) fn resources(self, action: &str) -> Vec<String> {
        if self == Self::Documented
            && let Some(known) = find_action(action)
            && action.to_ascii_lowercase().starts_with("route53:")
            && !known.on.is_empty()
        {
            return known
                .on
                .iter()
                .map(|kind| format!("arn:*:route53:::{kind}/*"))
                .collect();
        }
        vec!["arn:*:*:*:*:*".to_owned()]
    }

    /// Actions that exist and may be meant by `pattern`.
    pub(super) fn actions(pattern: &str) -> Vec<String> {
        if pattern.contains(['*', '?']) {
            let service = pattern.split_once(':').map_or("", |(service, _)| service);
            let known = actions_of(service).unwrap_or_default();
            return known
                .iter()
                .map(|action| format!("{service}:{}", action.name))
                .collect();
        }
        vec![pattern.to_owned()]
    }

    /// Whether `action` is one that AWS documents; `None` where that is not known here.
    pub(super) fn knows(action: &str) -> Option<bool> {
        let (service, _) = action.split_once(':')?;
        actions_of(service)?;
        Some(find_action(action).is_some())
    }
}
