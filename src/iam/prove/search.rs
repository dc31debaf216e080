//! The walk over all sets of statements that some request lets pass, an action at a time.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::model::policy::Effect;

use super::super::compile::{PolicyTest, Slot};
use super::super::evaluate::World;
use super::super::statement::StatementTest;
use super::super::{ContextValue, Request};
use super::dimension::{self, Asked, Care, Choice, Dimension};
use super::mask::Mask;
use super::realm::Realm;
use super::{Answer, Bounds, Question, Side, Witness};

pub(super) fn answer(question: &Question<'_>, bounds: Bounds) -> Answer {
    let granted: Vec<Compiled> = question.granted.iter().map(Compiled::new).collect();
    let others: Vec<Compiled> = question.not_granted.iter().map(Compiled::new).collect();
    let mut asked = Vec::new();
    let mut sides = Vec::new();
    for (side, world) in granted
        .iter()
        .map(|side| (side, World::Careful))
        .chain(others.iter().map(|side| (side, World::Hopeful)))
    {
        let from = asked.len();
        asked.extend(
            side.statements()
                .map(|(_, statement)| Asked { statement, world }),
        );
        sides.push(from..asked.len());
    }
    let goal = Goal::new(&asked, &sides, granted.len());
    let mut search = Search {
        base: base(&asked, question),
        asked,
        goal,
        realm: question.realm,
        bounds,
        granted: &granted,
        others: &others,
        found: Answer {
            witnesses: Vec::new(),
            open: Vec::new(),
            kinds: 0,
        },
    };
    search.walk();
    search.found
}

/// The policies of a side, compiled.
struct Compiled {
    policies: Vec<PolicyTest>,
}

impl Compiled {
    fn new(side: &Side<'_>) -> Self {
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

    fn statements(&self) -> impl Iterator<Item = (&PolicyTest, &StatementTest)> {
        self.policies.iter().flat_map(|policy| {
            let statements = policy.statements.iter();
            statements.map(move |statement| (policy, statement))
        })
    }

    /// Whether the side allows, as the evaluator says.
    fn allows(&self, request: &Request, world: World) -> bool {
        self.policies
            .iter()
            .any(|policy| policy.allows(request, world))
            && !self
                .policies
                .iter()
                .any(|policy| policy.denies(request, world))
    }
}

/// Which sets of statements answer the question.
struct Goal {
    /// Of each granting side: Allows that could be news, and Denies.
    granted: Vec<(Mask, Mask)>,
    /// Of each other side: Allows and Denies.
    others: Vec<(Mask, Mask)>,
    /// Statements of which more can only help: the granting sides' Allows, the others' Denies.
    helping: Mask,
    /// Statements of which fewer can only help.
    hindering: Mask,
}

impl Goal {
    fn new(asked: &[Asked<'_>], sides: &[Range<usize>], granted: usize) -> Self {
        let masks = |side: &Range<usize>| {
            let allows = dimension::with_effect(asked, Effect::Allow, side);
            (allows, dimension::with_effect(asked, Effect::Deny, side))
        };
        let (granting, other) = sides.split_at_checked(granted).unwrap_or((sides, &[]));
        let news = |side: &Range<usize>| {
            let (allows, denies) = masks(side);
            let old = |place: usize| other.iter().any(|other| is_old(asked, place, side, other));
            let news = Mask::of(asked.len(), |place| allows.has(place) && !old(place));
            (news, denies)
        };
        let granted: Vec<(Mask, Mask)> = granting.iter().map(news).collect();
        let others: Vec<(Mask, Mask)> = other.iter().map(masks).collect();
        let none = || Mask::none(asked.len());
        let all = |of: &mut dyn Iterator<Item = &Mask>| of.fold(none(), |all, one| all.or(one));
        let helping = all(&mut granted
            .iter()
            .map(|(allows, _)| allows)
            .chain(others.iter().map(|(_, denies)| denies)));
        let hindering = all(&mut granted
            .iter()
            .map(|(_, denies)| denies)
            .chain(others.iter().map(|(allows, _)| allows)));
        Self {
            granted,
            others,
            helping,
            hindering,
        }
    }

    /// Whether whatever `other` can still become an answer with, `one` can too: of the statements that help it has as
    /// many, of those that hinder no more. Taking the same statements away from both leaves it so.
    fn is_as_good(&self, one: &Mask, other: &Mask) -> bool {
        other.is_within(one, &self.helping) && one.is_within(other, &self.hindering)
    }

    /// Whether a part of `alive` could be an answer.
    fn is_reachable(&self, alive: &Mask) -> bool {
        self.granted.iter().all(|(allows, _)| allows.meets(alive))
    }

    fn is_met(&self, alive: &Mask) -> bool {
        let allows = |(allows, denies): &(Mask, Mask)| allows.meets(alive) && !denies.meets(alive);
        self.granted.iter().all(allows) && !self.others.iter().any(allows)
    }
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

/// The request before anything is chosen: who asks, and one value for each variable.
fn base(asked: &[Asked<'_>], question: &Question<'_>) -> Request {
    let mut base = Request::new("", "");
    base.principal.clone_from(&question.principal);
    let names: BTreeSet<&str> = asked
        .iter()
        .flat_map(|one| one.statement.variables())
        .collect();
    for (number, name) in names.into_iter().enumerate() {
        base.set(name, ContextValue::Single(format!("opaque{number}")));
    }
    base
}

struct Search<'a> {
    asked: Vec<Asked<'a>>,
    goal: Goal,
    base: Request,
    realm: Realm,
    bounds: Bounds,
    granted: &'a [Compiled],
    others: &'a [Compiled],
    found: Answer,
}

/// Sets of statements that are alive, each with the choices that led to it.
type Frontier = Vec<(Mask, Vec<usize>)>;

impl Search<'_> {
    fn walk(&mut self) {
        let start = dimension::named(&self.asked, &self.base);
        if !self.goal.is_reachable(&start) {
            return;
        }
        let actions = dimension::actions(&self.asked, self.realm, self.bounds);
        self.found.open.extend(actions.open);
        for action in actions.choices {
            let alive = start.and(&action.passes);
            if !self.goal.is_reachable(&alive) {
                continue;
            }
            if !self.one_action(&action.value, &alive, Care::Quick) {
                self.one_action(&action.value, &alive, Care::Full);
            }
        }
    }

    /// Looks for a request for `action`; with full care, that there is none is told as well.
    fn one_action(&mut self, action: &str, alive: &Mask, care: Care) -> bool {
        let mut open = self.doubts(alive);
        let resources = dimension::resources(
            &self.asked,
            alive,
            action,
            (self.realm, care),
            &self.base,
            self.bounds,
        );
        let all: Frontier = vec![(alive.clone(), Vec::new())];
        let mut narrowed = self.narrowed(all, &resources, &mut open);
        let mut contexts: Vec<(String, Dimension<Option<ContextValue>>)> = Vec::new();
        for (key, written) in dimension::keys(&self.asked, alive) {
            let dimension = dimension::contexts(
                &self.asked,
                alive,
                action,
                &key,
                self.realm,
                &self.base,
                self.bounds,
            );
            narrowed = narrowed.and_then(|alive| self.narrowed(alive, &dimension, &mut open));
            contexts.push((written, dimension));
        }
        let Some(last) = narrowed else {
            let many = format!("`{action}`: requests fall into too many kinds to try one of each");
            if care == Care::Full {
                self.found.open.push(many);
            }
            return false;
        };
        let mut met: Vec<&Vec<usize>> = last
            .iter()
            .filter(|(alive, _)| self.goal.is_met(alive))
            .map(|(_, trail)| trail)
            .collect();
        met.sort_by_key(|trail| (trail.iter().sum::<usize>(), (*trail).clone()));
        let requests = met
            .into_iter()
            .map(|trail| self.request(action, &resources, &contexts, trail));
        let found = requests.into_iter().next();
        let is_found = found.is_some();
        if is_found || care == Care::Full {
            self.found.kinds += last.len();
        }
        match found {
            Some(request) => self.tell(request),
            None if care == Care::Full => self.found.open.extend(open),
            None => {}
        }
        is_found
    }

    fn narrowed<T>(
        &self,
        frontier: Frontier,
        dimension: &Dimension<T>,
        open: &mut Vec<String>,
    ) -> Option<Frontier> {
        open.extend(dimension.open.clone());
        self.products(frontier, &dimension.choices)
    }

    /// Every set that a set of `frontier` and a choice leave, without those than which another is as good.
    fn products<T>(&self, frontier: Frontier, choices: &[Choice<T>]) -> Option<Frontier> {
        let mut next: Frontier = Vec::new();
        let mut worth: Vec<(usize, &Mask)> = Vec::new();
        for (number, choice) in choices.iter().enumerate() {
            let beaten = |(_, other): &(usize, &Mask)| self.goal.is_as_good(other, &choice.passes);
            if !worth.iter().any(beaten) {
                worth.retain(|(_, other)| !self.goal.is_as_good(&choice.passes, other));
                worth.push((number, &choice.passes));
            }
        }
        for (alive, trail) in frontier {
            for (number, passes) in &worth {
                let alive = alive.and(passes);
                let beaten = |(other, _): &(Mask, Vec<usize>)| self.goal.is_as_good(other, &alive);
                if !self.goal.is_reachable(&alive) || next.iter().any(beaten) {
                    continue;
                }
                next.retain(|(other, _)| !self.goal.is_as_good(&alive, other));
                let trail = trail.iter().copied().chain([*number]).collect();
                next.push((alive, trail));
            }
            if next.len() > self.bounds.sets {
                return None;
            }
        }
        Some(next)
    }

    fn request(
        &self,
        action: &str,
        resources: &Dimension<String>,
        contexts: &[(String, Dimension<Option<ContextValue>>)],
        trail: &[usize],
    ) -> Request {
        let mut chosen = trail.iter();
        let resource = chosen
            .next()
            .and_then(|number| resources.choices.get(*number));
        let mut request = Request::new(action, resource.map_or("*", |choice| &choice.value));
        request.principal.clone_from(&self.base.principal);
        for (key, value) in self.base.keys() {
            request.set(key, value.clone());
        }
        for ((key, dimension), number) in contexts.iter().zip(chosen) {
            if let Some(value) = dimension
                .choices
                .get(*number)
                .and_then(|choice| choice.value.clone())
            {
                request.set(key, value);
            }
        }
        request
    }

    /// Asks the evaluator once more, about the whole request.
    fn tell(&mut self, request: Request) {
        let allowed = self
            .granted
            .iter()
            .all(|side| side.allows(&request, World::Careful));
        let known = self
            .others
            .iter()
            .any(|side| side.allows(&request, World::Hopeful));
        if !allowed || known {
            self.found.open.push(format!(
                "`{}`: a request was found that the evaluator does not confirm",
                request.action()
            ));
            return;
        }
        let mut allowed_by = Vec::new();
        for (number, side) in self.granted.iter().enumerate() {
            for (policy, statement) in side.statements() {
                if statement.effect == Effect::Allow
                    && World::Careful.takes(statement.applies(&request).0, Effect::Allow)
                {
                    allowed_by.push((number, policy.name.to_string(), statement.index));
                }
            }
        }
        self.found.witnesses.push(Witness {
            known_action: Realm::knows(request.action()),
            request,
            allowed_by,
        });
    }

    /// What of the statements in `alive` is not known.
    fn doubts(&self, alive: &Mask) -> Vec<String> {
        let mut doubts = Vec::new();
        let living = self
            .asked
            .iter()
            .enumerate()
            .filter(|(place, _)| alive.has(*place));
        for (_, one) in living {
            if one.statement.is_doubtful() {
                doubts.push(format!(
                    "a part of statement {} is not known",
                    one.statement.index
                ));
            }
            for variable in one.statement.variables() {
                doubts.push(format!(
                    "`${{{variable}}}` in statement {} was taken for a value that no policy names",
                    one.statement.index
                ));
            }
        }
        doubts.sort();
        doubts.dedup();
        doubts
    }
}
