//! The walk over all sets of statements that some request lets pass: an Allow at a time, and an action at a time.

use std::collections::BTreeSet;

use crate::model::policy::Effect;

use super::super::evaluate::World;
use super::super::statement::Truth;
use super::super::{ContextValue, Request};
use super::dimension::{Choice, Dimension, Scope};
use super::goal::{Goal, Ground, Sides};
use super::mask::Mask;
use super::plausible::plausible;
use super::realm::Realm;
use super::words::Budget;
use super::{AllowedBy, Answer, Bounds, Question, Witness, free, variables};

pub(super) fn answer(question: &Question<'_>, bounds: Bounds) -> Answer {
    let sides = Sides::new(question);
    let ground = Ground::new(&sides);
    let mut base = Request::new("", "");
    base.principal.clone_from(&question.principal);
    let pinned = BTreeSet::new();
    let budget = Budget::new(bounds.walk, bounds.work);
    let mut found = Found::default();
    for goal in ground.goals() {
        let search = Search {
            sides: &sides,
            scope: Scope {
                asked: &ground.asked,
                goal: &goal,
                realm: question.realm,
                base: &base,
                pinned: &pinned,
                free: false,
                bounds,
                budget: &budget,
            },
        };
        search.walk(&mut found);
        if budget.is_spent() {
            found.doubt("the bound on work was reached: the rest was not looked at".to_owned());
            break;
        }
    }
    Answer {
        witnesses: found.witnesses,
        open: found.open,
        kinds: found.kinds,
    }
}

/// Whether what variables stand for could still matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variables {
    Open,
    Settled,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    witnesses: Vec<Witness>,
    /// The actions of the witnesses.
    shown: BTreeSet<String>,
    open: Vec<String>,
    kinds: usize,
}

impl Found {
    fn doubt(&mut self, why: String) {
        if !self.open.contains(&why) {
            self.open.push(why);
        }
    }
}

/// The search for requests that one Allow lets through.
pub(super) struct Search<'a> {
    pub(super) sides: &'a Sides,
    pub(super) scope: Scope<'a>,
}

/// The kinds that are chosen from after the action.
struct Kinds {
    resources: Dimension<String>,
    contexts: Vec<(String, Dimension<Option<ContextValue>>)>,
}

/// A set of statements that are alive, with the choices that led to it.
pub(super) type Path = (Mask, Vec<usize>);

impl Search<'_> {
    fn goal(&self) -> &Goal {
        self.scope.goal
    }

    fn walk(&self, found: &mut Found) {
        let best = self.scope.named(true);
        if !self.goal().is_reachable(&best) {
            return;
        }
        let sure = self.scope.named(false);
        if !self.goal().is_reachable(&sure) {
            found.doubts_of(self, &best, Variables::Open);
            return;
        }
        let actions = self.scope.actions();
        let target = self.scope.asked.get(self.goal().target);
        if target.is_some_and(|one| one.statement.is_doubtful()) {
            found.doubts_of(
                self,
                &Mask::of(self.scope.asked.len(), |place| place == self.goal().target),
                Variables::Settled,
            );
        }
        if let Some(open) = actions.open {
            found.doubt(open);
        }
        for action in actions.choices {
            let alive = sure.and(&action.passes);
            let best = best.and(&self.scope.covering(&action.value, true));
            if found.shown.contains(&action.value) || !self.goal().is_reachable(&best) {
                continue;
            }
            let mut variables = Variables::Open;
            let is_found = self.goal().is_reachable(&alive)
                && self.one_action(&action.value, &alive, found, &mut variables);
            if !is_found {
                found.doubts_of(self, &self.scope.touched_by(&action.value), variables);
            }
            if self.scope.budget.is_spent() {
                return;
            }
        }
    }

    /// Looks for a request for `action`: where variables stand for keys, with one set of values of those keys after
    /// another.
    fn one_action(
        &self,
        action: &str,
        alive: &Mask,
        found: &mut Found,
        variables: &mut Variables,
    ) -> bool {
        let pinned = variables::keys(&self.scope, alive);
        if pinned.is_empty() {
            return self.one_base(action, alive, found);
        }
        if free::is_ruled_out(self, action, alive) {
            *variables = Variables::Settled;
            return false;
        }
        let bases = variables::bases(&self.scope, alive, action, &pinned);
        bases.iter().any(|base| {
            let search = Search {
                sides: self.sides,
                scope: Scope {
                    base,
                    pinned: &pinned,
                    ..self.scope
                },
            };
            search.one_base(action, alive, found)
        })
    }

    /// Looks for a request for `action`, as far as it is not said already what it is like.
    fn one_base(&self, action: &str, alive: &Mask, found: &mut Found) -> bool {
        let mut kinds = Kinds {
            resources: self.scope.resources(alive, action),
            contexts: Vec::new(),
        };
        let mut open: Vec<String> = kinds.resources.open.iter().cloned().collect();
        let mut paths = self.products(vec![(alive.clone(), Vec::new())], &kinds.resources.choices);
        for (key, written) in self.scope.keys(alive) {
            if paths.as_ref().is_none_or(Vec::is_empty) {
                break;
            }
            let dimension = self.scope.contexts(alive, action, &key);
            open.extend(dimension.open.clone());
            paths = paths.and_then(|paths| self.products(paths, &dimension.choices));
            kinds.contexts.push((written, dimension));
        }
        let Some(paths) = paths else {
            found.doubt(format!(
                "`{action}`: requests fall into too many kinds to try one of each"
            ));
            return false;
        };
        found.kinds += paths.len();
        let met = paths
            .iter()
            .filter(|(alive, _)| self.goal().is_met(alive))
            .map(|(_, trail)| trail);
        match met.min_by_key(|trail| (trail.iter().sum::<usize>(), (*trail).clone())) {
            Some(trail) => self.tell(self.request(action, &kinds, trail), found),
            None => {
                for why in open {
                    found.doubt(format!("`{action}`: {why}"));
                }
                false
            }
        }
    }

    /// Every set that a set of `paths` and a choice leave, without those than which another is as good.
    pub(super) fn products<T>(&self, paths: Vec<Path>, choices: &[Choice<T>]) -> Option<Vec<Path>> {
        let mut next: Vec<Path> = Vec::new();
        let mut worth: Vec<(usize, &Mask)> = Vec::new();
        for (number, choice) in choices.iter().enumerate() {
            self.scope.budget.spend(worth.len() + 1).ok()?;
            let beaten =
                |(_, other): &(usize, &Mask)| self.goal().is_as_good(other, &choice.passes);
            if !worth.iter().any(beaten) {
                worth.retain(|(_, other)| !self.goal().is_as_good(&choice.passes, other));
                worth.push((number, &choice.passes));
            }
        }
        for (alive, trail) in paths {
            for (number, passes) in &worth {
                self.scope.budget.spend(next.len() + 1).ok()?;
                let alive = alive.and(passes);
                let beaten = |(other, _): &Path| self.goal().is_as_good(other, &alive);
                if !self.goal().is_reachable(&alive) || next.iter().any(beaten) {
                    continue;
                }
                next.retain(|(other, _)| !self.goal().is_as_good(&alive, other));
                let trail = trail.iter().copied().chain([*number]).collect();
                next.push((alive, trail));
            }
            if next.len() > self.scope.bounds.sets {
                return None;
            }
        }
        Some(next)
    }

    fn request(&self, action: &str, kinds: &Kinds, trail: &[usize]) -> Request {
        let mut chosen = trail.iter();
        let resource = chosen
            .next()
            .and_then(|number| kinds.resources.choices.get(*number));
        let mut request = Request::new(action, resource.map_or("*", |choice| &choice.value));
        request.principal.clone_from(&self.scope.base.principal);
        for (key, value) in self.scope.base.keys() {
            request.set(key, value.clone());
        }
        for ((key, dimension), number) in kinds.contexts.iter().zip(chosen) {
            let choice = dimension.choices.get(*number);
            if let Some(value) = choice.and_then(|choice| choice.value.clone()) {
                request.set(key, value);
            }
        }
        request
    }

    /// Asks the evaluator once more, about the whole request.
    fn tell(&self, request: Request, found: &mut Found) -> bool {
        if !self.sides.confirm(&request) {
            found.doubt(format!(
                "`{}`: a request was found that the evaluator does not confirm",
                request.action()
            ));
            return false;
        }
        let statements = self.scope.asked.iter().map(|one| one.statement);
        let request = plausible(request, &statements, |one| self.sides.confirm(one));
        let mut allowed_by = Vec::new();
        for (number, side) in self.sides.granted.iter().enumerate() {
            for (policy, statement) in side.statements() {
                if statement.effect == Effect::Allow
                    && World::Careful.takes(statement.applies(&request).0, Effect::Allow)
                {
                    allowed_by.push(AllowedBy {
                        side: number,
                        policy: policy.to_owned(),
                        statement: statement.index,
                        sid: statement.sid.as_deref().map(str::to_owned),
                    });
                }
            }
        }
        found.shown.insert(request.action().to_owned());
        found.witnesses.push(Witness {
            known_action: Realm::knows(request.action()),
            written: self.scope.written(),
            request,
            allowed_by,
        });
        true
    }
}

impl Found {
    /// Takes in what of the statements among `places` is not known.
    fn doubts_of(&mut self, search: &Search<'_>, places: &Mask, variables: Variables) {
        let all = search.scope.asked.iter().enumerate();
        let concerned =
            all.filter(|(place, _)| places.has(*place) && search.goal().concerns(*place));
        for (_, one) in concerned {
            let which = format!("statement {} of {}", one.statement.index, one.policy);
            if one.statement.certainty(search.scope.base) == Truth::No {
                continue;
            }
            if one.statement.is_doubtful() {
                let why = one.statement.doubt.as_deref();
                self.doubt(match why {
                    Some(why) => format!("{which} is not known: {why}"),
                    None => format!("a part of {which} is not known"),
                });
            }
            let open = one.statement.variables();
            for variable in open.filter(|_| variables == Variables::Open) {
                self.doubt(format!(
                    "`${{{variable}}}` in {which} can stand for more values than were tried"
                ));
            }
        }
    }
}
