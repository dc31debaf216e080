//! The sides of a question, and which sets of statements answer it.

use std::ops::Range;

use crate::model::policy::Effect;

use super::super::Request;
use super::super::compile::{PolicyTest, Slot};
use super::super::evaluate::World;
use super::super::statement::{StatementTest, Truth};
use super::mask::Mask;
use super::words::Wish;
use super::{Question, Side};

/// The policies of a side, compiled.
pub(super) struct Compiled {
    policies: Vec<PolicyTest>,
}

impl Compiled {
    pub(super) fn new(side: &Side<'_>) -> Self {
        let compile = |policy: &super::NamedPolicy<'_>| {
            let has_principals = policy
                .document
                .statements
                .iter()
                .any(|one| one.principals.is_some());
            let slot = if has_principals {
                Slot::Resource
            } else {
                Slot::Identity
            };
            PolicyTest::new(*policy, slot)
        };
        Self {
            policies: side.policies.iter().map(compile).collect(),
        }
    }

    /// Its statements, each with the name of its policy.
    pub(super) fn statements(&self) -> impl Iterator<Item = (&str, &StatementTest)> {
        self.policies.iter().flat_map(|policy| {
            let statements = policy.statements.iter();
            statements.map(move |statement| (&*policy.name, statement))
        })
    }

    /// Whether the side allows, as the evaluator says.
    fn allows(&self, request: &Request, world: World) -> bool {
        let any = |denies: fn(&PolicyTest, &Request, World) -> bool| {
            self.policies
                .iter()
                .any(|policy| denies(policy, request, world))
        };
        any(PolicyTest::allows) && !any(PolicyTest::denies)
    }
}

/// The sides of a question.
pub(super) struct Sides {
    pub(super) granted: Vec<Compiled>,
    others: Vec<Compiled>,
}

impl Sides {
    pub(super) fn new(question: &Question<'_>) -> Self {
        Self {
            granted: question.granted.iter().map(Compiled::new).collect(),
            others: question.not_granted.iter().map(Compiled::new).collect(),
        }
    }

    /// Whether the evaluator says that `request` answers the question, however the open parts are.
    pub(super) fn confirm(&self, request: &Request) -> bool {
        let allows = |side: &Compiled| side.allows(request, World::Careful);
        let may_allow = |side: &Compiled| side.allows(request, World::Hopeful);
        self.granted.iter().all(allows) && !self.others.iter().any(may_allow)
    }
}

/// A statement in question.
pub(super) struct Asked<'a> {
    pub(super) statement: &'a StatementTest,
    /// The name of its policy.
    pub(super) policy: &'a str,
    /// How its open parts are taken, so that what is found is found in any case.
    world: World,
}

impl Asked<'_> {
    /// Whether it applies in any case where that helps, or could where it hinders.
    pub(super) fn passes(&self, truth: Truth) -> bool {
        self.world.takes(truth, self.statement.effect)
    }

    /// The same with the open parts as they would be best.
    pub(super) fn passes_at_best(&self, truth: Truth) -> bool {
        let world = match self.world {
            World::Careful => World::Hopeful,
            World::Hopeful => World::Careful,
        };
        world.takes(truth, self.statement.effect)
    }
}

/// All statements of all sides, and what they are to the question.
pub(super) struct Ground<'a> {
    pub(super) asked: Vec<Asked<'a>>,
    /// Of each granting side: Allows and Denies.
    granted: Vec<(Mask, Mask)>,
    /// Of each other side: Allows and Denies.
    others: Vec<(Mask, Mask)>,
    /// Allows of the first granting side that could be news.
    targets: Vec<usize>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(sides: &'a Sides) -> Self {
        let mut asked = Vec::new();
        let mut add = |side: &'a Compiled, world| {
            let from = asked.len();
            asked.extend(side.statements().map(|(policy, statement)| Asked {
                statement,
                policy,
                world,
            }));
            from..asked.len()
        };
        let granted: Vec<Range<usize>> = sides
            .granted
            .iter()
            .map(|side| add(side, World::Careful))
            .collect();
        let others: Vec<Range<usize>> = sides
            .others
            .iter()
            .map(|side| add(side, World::Hopeful))
            .collect();
        let targets = targets(&asked, &granted, &others);
        let masks = |side: &Range<usize>| {
            let allows = with_effect(&asked, Effect::Allow, side);
            (allows, with_effect(&asked, Effect::Deny, side))
        };
        Self {
            granted: granted.iter().map(masks).collect(),
            others: others.iter().map(masks).collect(),
            targets,
            asked,
        }
    }

    /// One goal for each Allow that could be news: a request that it allows.
    pub(super) fn goals(&self) -> impl Iterator<Item = Goal> {
        self.targets.iter().map(|target| self.goal(*target))
    }

    fn goal(&self, target: usize) -> Goal {
        let count = self.asked.len();
        let all = |of: &mut dyn Iterator<Item = &Mask>| {
            of.fold(Mask::none(count), |all, one| all.or(one))
        };
        let mut granted = self.granted.clone();
        if let Some((allows, _)) = granted.first_mut() {
            *allows = Mask::of(count, |place| place == target);
        }
        let helping = all(&mut granted
            .iter()
            .map(|(allows, _)| allows)
            .chain(self.others.iter().map(|(_, denies)| denies)));
        let hindering = all(&mut granted
            .iter()
            .map(|(_, denies)| denies)
            .chain(self.others.iter().map(|(allows, _)| allows)));
        Goal {
            target,
            granted,
            others: self.others.clone(),
            helping,
            hindering,
        }
    }
}

/// Which sets of statements answer a question by one Allow.
pub(super) struct Goal {
    /// The Allow.
    pub(super) target: usize,
    granted: Vec<(Mask, Mask)>,
    others: Vec<(Mask, Mask)>,
    /// Statements of which more can only help: the granting sides' Allows, the others' Denies.
    helping: Mask,
    /// Statements of which fewer can only help.
    hindering: Mask,
}

impl Goal {
    /// Whether the statement at `place` makes any difference.
    pub(super) fn concerns(&self, place: usize) -> bool {
        self.helping.has(place) || self.hindering.has(place)
    }

    /// What is better for a pattern of the statement at `place`, which applies where the pattern does not match if it is
    /// `negated`.
    pub(super) fn wish(&self, place: usize, negated: bool) -> Wish {
        if self.hindering.has(place) == negated {
            Wish::Any
        } else {
            Wish::Unmatched
        }
    }

    /// Whether whatever `other` can still become an answer with, `one` can too: of the statements that help it has as
    /// many, of those that hinder no more. Taking the same statements away from both leaves it so.
    pub(super) fn is_as_good(&self, one: &Mask, other: &Mask) -> bool {
        other.is_within(one, &self.helping) && one.is_within(other, &self.hindering)
    }

    /// Whether a part of `alive` could be an answer.
    pub(super) fn is_reachable(&self, alive: &Mask) -> bool {
        self.granted.iter().all(|(allows, _)| allows.meets(alive))
    }

    pub(super) fn is_met(&self, alive: &Mask) -> bool {
        let allows = |(allows, denies): &(Mask, Mask)| allows.meets(alive) && !denies.meets(alive);
        self.granted.iter().all(allows) && !self.others.iter().any(allows)
    }
}

/// The Allows of the first granting side, without those that stand in another side as well where whatever they allow is
/// allowed.
fn targets(asked: &[Asked<'_>], granted: &[Range<usize>], others: &[Range<usize>]) -> Vec<usize> {
    let Some(side) = granted.first() else {
        return Vec::new();
    };
    let is_allow = |place: &usize| {
        asked
            .get(*place)
            .is_some_and(|one| one.statement.effect == Effect::Allow)
    };
    let is_news = |place: &usize| {
        !others
            .iter()
            .any(|other| is_old(asked, *place, side, other))
    };
    side.clone().filter(is_allow).filter(is_news).collect()
}

/// Whether the Allow at `place` stands in `other` as well, and all Denies of `other` stand in its own side: then whatever
/// it allows is allowed there.
fn is_old(asked: &[Asked<'_>], place: usize, side: &Range<usize>, other: &Range<usize>) -> bool {
    let of = |range: &Range<usize>| asked.get(range.clone()).unwrap_or_default();
    let Some(own) = asked.get(place) else {
        return false;
    };
    let in_other = of(other)
        .iter()
        .any(|one| one.statement.says_the_same(own.statement));
    let is_deny = |one: &&Asked<'_>| one.statement.effect == Effect::Deny;
    in_other
        && of(other).iter().filter(is_deny).all(|deny| {
            of(side)
                .iter()
                .any(|one| one.statement.says_the_same(deny.statement))
        })
}

/// Those of `asked` with this effect among `places`.
fn with_effect(asked: &[Asked<'_>], effect: Effect, places: &Range<usize>) -> Mask {
    Mask::of(asked.len(), |place| {
        places.contains(&place)
            && asked
                .get(place)
                .is_some_and(|one| one.statement.effect == effect)
    })
}
