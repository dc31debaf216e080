//! What a record is to the spec.

use crate::model::dns::RecordName;
use crate::model::spec::{RecordType, Spec};
use crate::syntax::{Node, Unknown};
use crate::text::Span;

use crate::terraform::block_address;

use super::{Declarations, Grant, GrantKind, Record, Role, RoleTrust};

/// What a record is to the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// One that the switch moves: its place in the spec's `records.names`, and its type.
    Switched(usize, RecordType),
    /// Named like one that the switch moves, but of an address type that it does not move.
    OtherType(usize),
    /// The origin record.
    Origin(RecordType),
    /// None of the spec's.
    Other,
    /// Its name, type or zone cannot be known, so neither can this.
    Unknown(Unknown, Span),
}

impl Record {
    /// What this record is to `spec`. A record of the same name in another zone is none of the spec's, unless
    /// `is_own` says that the module belongs to the spec: there the zone is what is wrong.
    #[must_use]
    pub fn standing(&self, spec: &Spec, is_own: bool) -> Standing {
        let zone = self.zone_id.as_ref().and_then(Node::as_str);
        let other_zone = zone.is_some_and(|zone| zone_of(zone) != spec.zone.id);
        if other_zone && !is_own {
            return Standing::Other;
        }
        if let Some(unknown) = unknown_of(self.name.as_ref()) {
            return unknown;
        }
        let Some(name) = self.full_name(&spec.zone.name.to_string()) else {
            return Standing::Other;
        };
        let Ok(name) = RecordName::parse(&name) else {
            return Standing::Other;
        };
        let switched = spec.record_names().iter().position(|known| *known == name);
        if switched.is_none() && name != spec.origin.name {
            return Standing::Other;
        }
        if let Some(unknown) = unknown_of(self.record_type.as_ref()) {
            return unknown;
        }
        let written = self.record_type.as_ref().and_then(Node::as_str);
        let record_type = spec
            .records
            .types
            .iter()
            .copied()
            .find(|known| written == Some(known.word()));
        match (switched, record_type) {
            (Some(at), Some(record_type)) => Standing::Switched(at, record_type),
            (None, Some(record_type)) => Standing::Origin(record_type),
            (Some(at), None) if matches!(written, Some("A" | "AAAA" | "CNAME")) => {
                Standing::OtherType(at)
            }
            (_, None) => Standing::Other,
        }
    }
}

/// A zone's id without the `/hostedzone/` that the provider takes off too.
#[must_use]
pub(super) fn zone_of(written: &str) -> &str {
    written.strip_prefix("/hostedzone/").unwrap_or(written)
}

fn unknown_of(node: Option<&Node>) -> Option<Standing> {
    let node = node?;
    let unknown = node.as_unknown()?;
    Some(Standing::Unknown(unknown.clone(), node.span()))
}

impl Record {
    /// The zone's id, without `/hostedzone/`, where it is known.
    #[must_use]
    pub fn zone(&self) -> Option<&str> {
        Some(zone_of(self.zone_id.as_ref()?.as_str()?))
    }
}

impl Declarations {
    /// The role that is the spec's: the one with its name, else the only one, else the only one that trusts GitHub's
    /// provider. `None` where there is none, or where that does not decide it.
    #[must_use]
    pub fn own_role(&self, spec: &Spec) -> Option<&Role> {
        let wanted = spec.aws.role.as_str();
        let is_named = |role: &&Role| role.name.as_ref().and_then(Node::as_str) == Some(wanted);
        if let Some(named) = self.roles.iter().find(is_named) {
            return Some(named);
        }
        // The one that is meant is written down; that it is never made is told there.
        if self.unmade.roles.iter().any(|role| is_named(&role)) {
            return None;
        }
        if let [only] = self.roles.as_slice() {
            return Some(only);
        }
        let may_trust = |role: &&Role| matches!(role.trust, RoleTrust::GitHub | RoleTrust::Unknown);
        let mut trusting = self.roles.iter().filter(may_trust);
        let first = trusting
            .next()
            .filter(|role| role.trust == RoleTrust::GitHub)?;
        trusting.next().is_none().then_some(first)
    }

    /// Whether `role` is the spec's.
    #[must_use]
    pub fn is_role(&self, spec: &Spec, role: &Role) -> bool {
        self.own_role(spec).is_some_and(|own| own.head == role.head)
    }

    /// Whether `address` is that of the spec's trust policy. Where it is not known which role is the spec's, that of every
    /// role that may trust GitHub's provider is.
    #[must_use]
    pub fn is_own_trust(&self, spec: &Spec, address: &str) -> bool {
        let block = block_address(address);
        let mut roles = self.roles.iter();
        let Some(role) = roles.find(|role| block == format!("{}.assume_role_policy", role.address))
        else {
            return false;
        };
        match self.own_role(spec) {
            Some(own) => own.head == role.head,
            None => role.trust == RoleTrust::GitHub,
        }
    }

    /// Whether `grant` is known to give rights to the spec's role.
    #[must_use]
    pub fn is_granted(&self, spec: &Spec, grant: &Grant) -> bool {
        let own = self.own_role(spec);
        let own = own.and_then(|role| role.name.as_ref()?.as_str());
        let names = [Some(spec.aws.role.as_str()), own];
        let mut given = grant.roles.iter().filter_map(Node::as_str);
        given.any(|name| names.contains(&Some(name)))
    }

    /// Whether the policy at `address`, such as `aws_iam_role_policy.x.policy`, is given to the spec's role; `None` where
    /// that is not known.
    #[must_use]
    pub fn gives(&self, spec: &Spec, address: &str) -> Option<bool> {
        let block = block_address(address);
        let address = block.as_str();
        let resource = address.strip_suffix(".policy").unwrap_or(address);
        if let Some((role, _)) = address.split_once(".inline_policy") {
            return self.own_role(spec).map(|own| own.address == role);
        }
        let mut answer = Some(false);
        for grant in &self.grants {
            let about = match grant.kind {
                GrantKind::Inline => Some(grant.address == resource),
                GrantKind::Attached => attaches(grant, resource),
            };
            let to_role = if self.is_granted(spec, grant) {
                Some(true)
            } else if grant.roles.iter().any(|role| role.as_unknown().is_some()) {
                None
            } else {
                Some(false)
            };
            match (about, to_role) {
                (Some(true), Some(true)) => return Some(true),
                (Some(false), _) | (_, Some(false)) => {}
                (None, _) | (_, None) => answer = None,
            }
        }
        answer
    }

    /// Why what is not declared here may be declared all the same, and where.
    #[must_use]
    pub fn beyond(&self) -> Option<(String, Vec<String>)> {
        if !self.whole {
            return Some((
                "a file of the module could not be read".to_owned(),
                Vec::new(),
            ));
        }
        let call = self.calls.first()?;
        let why = format!("`{}` may declare it, and is not here", call.address);
        Some((why, vec![call.address.clone()]))
    }

    /// Whether this is the module in the spec's own folder.
    #[must_use]
    pub fn is_of(&self, spec: &Spec) -> bool {
        self.folder == spec.artefacts.terraform
    }
}

/// Whether `grant` attaches the policy of the resource `aws_iam_policy.x`; `None` where that is not known.
fn attaches(grant: &Grant, resource: &str) -> Option<bool> {
    if !resource.starts_with("aws_iam_policy.") {
        return Some(false);
    }
    let policy = grant.policy.as_ref()?;
    let each = policy.as_list().unwrap_or(std::slice::from_ref(policy));
    let mut answer = Some(false);
    for one in each {
        let missing = one.as_unknown().map(|unknown| unknown.missing.as_slice());
        let is_it = |address: &String| {
            let rest = address.strip_prefix(resource);
            rest.is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let of_another = |address: &String| address.starts_with("aws_iam_policy.");
        match missing {
            Some(missing) if missing.iter().any(is_it) => return Some(true),
            Some(missing) if !missing.is_empty() && missing.iter().all(of_another) => {}
            // Policies of AWS itself are none of the module's.
            None if one
                .as_str()
                .is_some_and(|arn| arn.contains(":iam::aws:policy/")) => {}
            Some(_) | None => answer = None,
        }
    }
    answer
}

/// Where the records of a module and those of the spec do not meet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gap {
    /// What the spec has and the module has not: the place in `records.names`, and the type.
    pub missing: Vec<(usize, RecordType)>,
    /// Records (their place in the module) whose value is left to somebody else and that are none of the spec's. Empty
    /// when nothing is missing.
    pub strays: Vec<usize>,
    /// Records of which it is not known what they are, with the place.
    pub unknown: Vec<(Unknown, Span)>,
}

impl Declarations {
    /// Where the records of this module, the spec's own, and those of the spec do not meet.
    #[must_use]
    pub fn gap(&self, spec: &Spec) -> Gap {
        let mut gap = Gap::default();
        let names = 0..spec.record_names().len();
        let types = &spec.records.types;
        gap.missing
            .extend(names.flat_map(|at| types.iter().map(move |found| (at, *found))));
        for (place, record) in self.records.iter().enumerate() {
            match record.standing(spec, true) {
                Standing::Switched(at, found) => gap.missing.retain(|one| *one != (at, found)),
                Standing::Other if record.ignore_changes.ignores("records") => {
                    gap.strays.push(place);
                }
                Standing::Unknown(unknown, at) => gap.unknown.push((unknown, at)),
                Standing::Other | Standing::OtherType(_) | Standing::Origin(_) => {}
            }
        }
        if gap.missing.is_empty() {
            gap.strays.clear();
        }
        gap
    }
}
