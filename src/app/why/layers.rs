//! The other layers of a case, around the policy that is explained: they take part in the decision, and are not edited.

use crate::iam::cases::{self, CasePolicies, PolicySource};
use crate::iam::{Compiled, NamedPolicy};
use crate::model::policy::PolicyKind;
use crate::ports::Files;
use crate::syntax::Node;

use super::super::exit::AppError;
use super::super::simulate::{Layers, Loader};

/// Where the explained policy stands among the others.
#[derive(Debug, Clone, Copy)]
enum Place {
    Identity(usize),
    Resource,
    Boundary(usize),
    Scp(usize, usize),
    Rcp(usize, usize),
    Session,
}

/// The layers of a case.
pub(super) struct Around {
    layers: Layers,
    place: Place,
    /// The identity policies of the case whose place it takes, where that is more than one.
    pub(super) replaced: usize,
}

impl Around {
    /// The layers of the case at `node` of `table`; `None` where it gives no policies.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(super) fn of(
        node: &Node,
        table: &str,
        policy: (&str, PolicyKind),
        files: &dyn Files,
    ) -> Result<Option<Self>, AppError> {
        let hint = "the case has its policies under `policies`, layer by layer";
        let given = cases::lone_policies(node);
        let given = given.map_err(|fault| AppError::usage(fault.reason, hint))?;
        let Some(mut given) = given else {
            return Ok(None);
        };
        let mut loader = Loader::new(files);
        let mut replaced = 0;
        let named = place(&given, |source| match source {
            PolicySource::Path(written) => is_same(loader.place(written, table), policy.0),
            PolicySource::Inline(_) => false,
        });
        let place = named.unwrap_or_else(|| {
            if is_of_resource(policy.1) {
                given.resource = None;
                return Place::Resource;
            }
            replaced = given.identity.len();
            given.identity.clear();
            Place::Identity(0)
        });
        let Some(layers) = loader.layers(&given, table) else {
            let unread = loader.unread.into_iter().next();
            let why =
                unread.map_or_else(String::new, |one| format!("{}: {}", one.path, one.reason));
            let message = format!("a policy of the case cannot be read: {why}");
            return Err(AppError::usage(message, hint));
        };
        Ok(Some(Self {
            layers,
            place,
            replaced: if replaced > 1 { replaced } else { 0 },
        }))
    }

    /// What the policy is, by the layer in which the case names it.
    pub(super) fn kind(&self, kind: PolicyKind) -> PolicyKind {
        match self.place {
            Place::Identity(_) | Place::Resource => kind,
            Place::Boundary(_) => PolicyKind::Boundary,
            Place::Scp(..) => PolicyKind::Scp,
            Place::Rcp(..) => PolicyKind::Rcp,
            Place::Session => PolicyKind::Session,
        }
    }

    /// All layers, with this policy in its place.
    pub(super) fn compiled(&self, policy: NamedPolicy<'_>) -> Compiled {
        let mut policies = self.layers.policies();
        let slot = match self.place {
            Place::Identity(index) => policies.identity.get_mut(index),
            Place::Boundary(index) => policies
                .permissions_boundary
                .as_mut()
                .and_then(|list| list.get_mut(index)),
            Place::Scp(level, index) => at(&mut policies.scps, level, index),
            Place::Rcp(level, index) => at(&mut policies.rcps, level, index),
            Place::Resource => {
                policies.resource = Some(policy);
                return Compiled::new(&policies);
            }
            Place::Session => {
                policies.session = Some(policy);
                return Compiled::new(&policies);
            }
        };
        match slot {
            Some(slot) => *slot = policy,
            None => policies.identity.push(policy),
        }
        Compiled::new(&policies)
    }
}

fn at<T>(levels: &mut [Vec<T>], level: usize, index: usize) -> Option<&mut T> {
    levels.get_mut(level)?.get_mut(index)
}

/// Whether a policy says for itself who may.
pub(super) fn is_of_resource(kind: PolicyKind) -> bool {
    matches!(
        kind,
        PolicyKind::Resource | PolicyKind::Trust | PolicyKind::Rcp | PolicyKind::Endpoint
    )
}

fn is_same(found: Option<String>, policy: &str) -> bool {
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    found.is_some_and(|found| plain(&found) == plain(policy))
}

/// The first place whose source is the one that is looked for.
fn place(policies: &CasePolicies, is: impl Fn(&PolicySource) -> bool) -> Option<Place> {
    let one = |source: &Option<PolicySource>| source.as_ref().is_some_and(&is);
    let in_list = |list: &[PolicySource]| list.iter().position(&is);
    let in_levels = |levels: &[Vec<PolicySource>]| {
        let mut levels = levels.iter().enumerate();
        levels.find_map(|(level, list)| Some((level, in_list(list)?)))
    };
    let boundary = policies.permissions_boundary.as_deref();
    in_list(&policies.identity)
        .map(Place::Identity)
        .or(one(&policies.resource).then_some(Place::Resource))
        .or(boundary.and_then(in_list).map(Place::Boundary))
        .or(in_levels(&policies.scps).map(|(level, index)| Place::Scp(level, index)))
        .or(in_levels(&policies.rcps).map(|(level, index)| Place::Rcp(level, index)))
        .or(one(&policies.session).then_some(Place::Session))
}
