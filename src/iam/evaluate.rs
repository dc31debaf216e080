//! The decision, layer by layer (IAM User Guide, "Policy evaluation logic"): a Deny anywhere wins; then SCPs, resource
//! policy, identity policies, permissions boundary and session policy must allow, each as the guide joins them.

use crate::model::policy::Effect;

use super::compile::{NamedPolicy, Policies, PolicyTest, Slot};
use super::principal::Naming;
use super::statement::{StatementTest, Truth};
use super::{Request, RequestPrincipal, explain};

/// The three words of IAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// Something allows and nothing denies.
    Allowed,
    /// Nothing allows, or a layer that must allow does not.
    ImplicitDeny,
    /// A Deny applies.
    ExplicitDeny,
}

impl Word {
    /// The words as `SimulateCustomPolicy` writes them.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("allowed", Self::Allowed),
        ("implicitDeny", Self::ImplicitDeny),
        ("explicitDeny", Self::ExplicitDeny),
    ];

    /// As `SimulateCustomPolicy` writes it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::ImplicitDeny => "implicitDeny",
            Self::ExplicitDeny => "explicitDeny",
        }
    }

    /// Reads it.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::WORDS
            .iter()
            .find(|(known, _)| *known == word)
            .map(|(_, word)| *word)
    }
}

/// A statement that made the decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// The policy's name.
    pub policy: String,
    /// The statement, from 0.
    pub statement: usize,
    /// Its `Sid`.
    pub sid: Option<String>,
    /// What it does.
    pub effect: Effect,
}

/// A decision with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The word. Where the decision is open, the more careful one.
    pub word: Word,
    /// The statements that made it: the Denies, else the Allows; none for an implicit deny.
    pub matched: Vec<Matched>,
    /// Why, in sentences, down to the failing value.
    pub why: Vec<String>,
    /// Keys that statements for this action ask for and the request does not carry, as the policies write them.
    pub missing_context: Vec<String>,
    /// What an Allow does not speak of: a policy that has to allow as well and was not given.
    pub not_given: Option<String>,
    /// Why the policies, or what is not known of the request, leave the decision open; empty when they do not.
    pub undecided: Vec<String>,
}

/// Policies, compiled.
#[derive(Debug, Clone)]
pub struct Compiled {
    pub(super) identity: Box<[PolicyTest]>,
    pub(super) resource: Option<PolicyTest>,
    pub(super) boundary: Option<Box<[PolicyTest]>>,
    pub(super) scps: Box<[Box<[PolicyTest]>]>,
    pub(super) rcps: Box<[Box<[PolicyTest]>]>,
    pub(super) session: Option<PolicyTest>,
    doubtful: bool,
    /// Whether there is a Deny at all.
    denies: bool,
}

/// How open parts are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum World {
    /// An open Deny denies, an open Allow does not allow.
    Careful,
    /// The other way round.
    Hopeful,
}

impl World {
    pub(super) fn takes(self, truth: Truth, effect: Effect) -> bool {
        match truth {
            Truth::Yes => true,
            Truth::No => false,
            Truth::Maybe => (effect == Effect::Deny) == (self == Self::Careful),
        }
    }
}

impl Compiled {
    /// Compiles `policies`.
    #[must_use]
    pub fn new(policies: &Policies<'_>) -> Self {
        let list = |policies: &[NamedPolicy<'_>], slot| -> Box<[PolicyTest]> {
            let compile = |policy: &NamedPolicy<'_>| PolicyTest::new(*policy, slot);
            policies.iter().map(compile).collect()
        };
        let levels = |levels: &[Vec<NamedPolicy<'_>>], slot| -> Box<[Box<[PolicyTest]>]> {
            levels.iter().map(|level| list(level, slot)).collect()
        };
        let mut compiled = Self {
            identity: list(&policies.identity, Slot::Identity),
            resource: policies
                .resource
                .map(|policy| PolicyTest::new(policy, Slot::Resource)),
            boundary: policies
                .permissions_boundary
                .as_deref()
                .map(|boundary| list(boundary, Slot::Identity)),
            scps: levels(&policies.scps, Slot::Identity),
            rcps: levels(&policies.rcps, Slot::Resource),
            session: policies
                .session
                .map(|policy| PolicyTest::new(policy, Slot::Identity)),
            doubtful: false,
            denies: false,
        };
        if compiled.boundary.is_some() {
            compiled
                .resource
                .iter_mut()
                .for_each(PolicyTest::meet_boundary);
        }
        let statements = || {
            let policies = compiled.policies();
            policies.flat_map(|policy| policy.statements.iter())
        };
        let doubtful = statements().any(StatementTest::is_doubtful);
        let denies = statements().any(|statement| statement.effect == Effect::Deny);
        compiled.doubtful = doubtful;
        compiled.denies = denies;
        compiled
    }

    /// The word alone; `None` when an unknown or malformed part, of the policies or of the request, could change it.
    #[must_use]
    pub fn decide(&self, request: &Request) -> Option<Word> {
        let word = self.word(request, World::Careful);
        let open = self.doubtful || request.leaves_open();
        if open && self.word(request, World::Hopeful) != word {
            return None;
        }
        Some(word)
    }

    /// Whether it may be allowed: where the decision is open, whether it could be.
    #[must_use]
    pub fn may_allow(&self, request: &Request) -> bool {
        self.word(request, World::Hopeful) == Word::Allowed
    }

    /// The word with its reasons.
    #[must_use]
    pub fn evaluate(&self, request: &Request) -> Decision {
        explain::decision(self, request)
    }

    /// Whether the service control policies allow, each level of them; `None` without any.
    pub(super) fn organizations_allow(&self, request: &Request) -> Option<bool> {
        let world = World::Careful;
        let mut all = self.scps.iter().flat_map(|level| level.iter());
        let denied = all.any(|policy| policy.denies(request, world));
        let allowed = self.scps.iter().all(|level| allow(level, request, world));
        (!self.scps.is_empty()).then_some(allowed && !denied)
    }

    /// Whether the permissions boundary allows; `None` without one.
    pub(super) fn boundary_allows(&self, request: &Request) -> Option<bool> {
        let world = World::Careful;
        let boundary = self.boundary.as_ref()?;
        let denied = boundary.iter().any(|policy| policy.denies(request, world));
        Some(allow(boundary, request, world) && !denied)
    }

    /// Every policy of every layer.
    pub(super) fn policies(&self) -> impl Iterator<Item = &PolicyTest> {
        let levels = self.scps.iter().chain(self.rcps.iter());
        self.identity
            .iter()
            .chain(self.resource.iter())
            .chain(self.boundary.iter().flat_map(|list| list.iter()))
            .chain(levels.flat_map(|list| list.iter()))
            .chain(self.session.iter())
    }

    /// The policies that concern whoever asks.
    pub(super) fn policies_for(&self, request: &Request) -> impl Iterator<Item = &PolicyTest> {
        let scps = self.scps.iter();
        let scps = scps.filter(|_| !self.spared_by_scps(request));
        let rcps = self.rcps.iter();
        let rcps = rcps.filter(|_| !self.spared_by_rcps(request));
        let levels = scps.chain(rcps);
        self.identity
            .iter()
            .chain(self.resource.iter())
            .chain(self.boundary.iter().flat_map(|list| list.iter()))
            .chain(levels.flat_map(|list| list.iter()))
            .chain(self.session.iter())
    }

    /// Whether the service control policies do not concern whoever asks.
    pub(super) fn spared_by_scps(&self, request: &Request) -> bool {
        let principal = request.principal.as_ref();
        !self.scps.is_empty() && principal.is_some_and(RequestPrincipal::is_spared_by_scps)
    }

    /// Whether the resource control policies do not concern whoever asks: a service-linked role alone (Organizations User
    /// Guide, "Resource control policies (RCPs)").
    pub(super) fn spared_by_rcps(&self, request: &Request) -> bool {
        let principal = request.principal.as_ref();
        !self.rcps.is_empty() && principal.is_some_and(RequestPrincipal::is_service_linked)
    }

    pub(super) fn word(&self, request: &Request, world: World) -> Word {
        let mut applying = self.policies_for(request);
        if self.denies && applying.any(|policy| policy.denies(request, world)) {
            return Word::ExplicitDeny;
        }
        if self.grants(request, world) {
            Word::Allowed
        } else {
            Word::ImplicitDeny
        }
    }

    /// Whether every layer that must allow does, Denies aside.
    fn grants(&self, request: &Request, world: World) -> bool {
        let spared = self.spared_by_scps(request);
        if !spared && !self.scps.iter().all(|level| allow(level, request, world)) {
            return false;
        }
        let naming = self.resource_naming(request, world);
        let identity = || is_root(request) || allow(&self.identity, request, world);
        if is_other_account(request) {
            return naming.is_some() && identity() && self.limits_allow(request, world);
        }
        match naming {
            Some(Naming::Itself) => true,
            Some(Naming::Role | Naming::Everyone) => self.limits_allow(request, world),
            Some(Naming::Account) => identity() && self.limits_allow(request, world),
            None => {
                !self.needs_resource_policy(request)
                    && identity()
                    && self.limits_allow(request, world)
            }
        }
    }

    /// How an Allow of the resource policy names the principal, at best.
    pub(super) fn resource_naming(&self, request: &Request, world: World) -> Option<Naming> {
        let statements = self.resource.as_ref()?.statements.iter();
        statements
            .filter(|statement| statement.effect == Effect::Allow)
            .filter_map(|statement| {
                let (truth, naming) = statement.applies(request);
                world.takes(truth, Effect::Allow).then_some(naming)
            })
            .max()
    }

    /// Whether boundary and session policy allow, where there are any.
    fn limits_allow(&self, request: &Request, world: World) -> bool {
        let boundary = self.boundary.as_ref();
        let session = self.session.as_ref();
        boundary.is_none_or(|list| allow(list, request, world))
            && session.is_none_or(|policy| allow(std::slice::from_ref(policy), request, world))
    }

    /// A role's trust policy and a key's policy must allow by themselves, wherever they are given.
    pub(super) fn needs_resource_policy(&self, request: &Request) -> bool {
        let action = request.folded_action();
        self.resource.is_some()
            && (action.starts_with("sts:assumerole") || action.starts_with("kms:"))
    }
}

/// Whether the resource is in another account than the principal, so that both sides must allow. Providers and services
/// have no identity policies: for them the resource policy alone speaks.
pub(super) fn is_other_account(request: &Request) -> bool {
    let own = request
        .principal
        .as_ref()
        .and_then(RequestPrincipal::account);
    match (own, request.resource_account.as_deref()) {
        (Some(own), Some(other)) => own != other,
        _ => false,
    }
}

/// Whether the account's root user asks: it may do everything in its account without an identity policy (IAM User Guide,
/// "AWS account root user").
pub(super) fn is_root(request: &Request) -> bool {
    let principal = request.principal.as_ref();
    principal.is_some_and(RequestPrincipal::is_root)
}

/// Whether one of `policies` allows.
pub(super) fn allow(policies: &[PolicyTest], request: &Request, world: World) -> bool {
    policies.iter().any(|policy| policy.allows(request, world))
}

impl PolicyTest {
    pub(super) fn allows(&self, request: &Request, world: World) -> bool {
        self.any(Effect::Allow, request, world)
    }

    pub(super) fn denies(&self, request: &Request, world: World) -> bool {
        self.any(Effect::Deny, request, world)
    }

    fn any(&self, effect: Effect, request: &Request, world: World) -> bool {
        self.statements.iter().any(|statement| {
            statement.effect == effect && world.takes(statement.applies(request).0, effect)
        })
    }
}
