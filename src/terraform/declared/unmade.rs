//! Blocks of which no instance is made: `count = 0`, or a `for_each` over nothing.

use crate::model::spec::Spec;

use super::{AttachedPolicy, Declarations, Grant, GrantKind, Record, Role, Standing};
use crate::syntax::Node;

/// What a module writes down and never makes. Nothing of it is judged; what a spec needs is missed there. The values are
/// those of somebody who sets other variables: what hangs on their number is not known.
#[derive(Debug, Clone, Default)]
pub struct Unmade {
    /// `aws_route53_record` resources.
    pub records: Vec<Record>,
    /// `aws_iam_role` resources.
    pub roles: Vec<Role>,
    /// Attributes that hold policies.
    pub policies: Vec<AttachedPolicy>,
    /// Resources that would give rights to roles.
    pub grants: Vec<Grant>,
}

impl Declarations {
    /// Records that `spec` needs and that are written, but not made, here or by another block.
    pub fn unmade_records<'a>(
        &'a self,
        spec: &'a Spec,
    ) -> impl Iterator<Item = (&'a Record, Standing)> {
        let needed = |record: &'a Record| {
            let standing = record.standing(spec, true);
            matches!(standing, Standing::Switched(..) | Standing::Origin(_))
                .then_some((record, standing))
        };
        let made = |standing: &Standing| {
            let mut records = self.records.iter();
            records.any(|record| record.standing(spec, true) == *standing)
        };
        let unmade = self.unmade.records.iter().filter_map(needed);
        unmade.filter(move |(_, standing)| !made(standing))
    }

    /// The role that `spec` needs, where it is written and neither it nor another one in its place is made.
    #[must_use]
    pub fn unmade_role(&self, spec: &Spec) -> Option<&Role> {
        if self.own_role(spec).is_some() {
            return None;
        }
        let wanted = spec.aws.role.as_str();
        let is_named = |role: &&Role| role.name.as_ref().and_then(Node::as_str) == Some(wanted);
        let roles = &self.unmade.roles;
        let only = || roles.first().filter(|_| self.roles.is_empty());
        roles.iter().find(is_named).or_else(only)
    }

    /// Policies of the spec's role that are written, but not made.
    pub fn unmade_policies<'a>(&'a self, spec: &'a Spec) -> impl Iterator<Item = &'a Grant> {
        let grants = self.unmade.grants.iter();
        grants.filter(|grant| grant.kind == GrantKind::Inline && self.is_granted(spec, grant))
    }
}
