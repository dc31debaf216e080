//! The walk over all sets of statements that some request lets pass: an Allow at a time, and an action at a time.

use std::collections::BTreeSet;

use crate::model::policy::Effect;

use super::super::Request;
use super::super::evaluate::World;
use super::super::statement::Truth;
use super::dimension::{Choice, Dimension, Scope};
use super::goal::{Goal, Ground, Sides};
use super::joint::{self, Settings};
use super::mask::Mask;
use super::plausible::plausible;
use super::realm::Realm;
use super::taken::{Assumption, Taken};
use super::tokens::{Form, Tokens};
use super::words::Budget;
use super::{AllowedBy, Answer, Bounds, Question, Witness, free, variables};

pub(super) fn answer(question: &Question<'_>, bounds: Bounds) -> Answer {
    let sides = Sides::new(question);
    let ground = Ground::new(&sides);
    let mut base = Request::new("", "");
    base.principal.clone_from(&question.principal);
    let pinned = BTreeSet::new();
    let budget = Budget::new(bounds.walk, bounds.work);
    let taken = Taken::without(&question.aside);
    let home = question
        .home
        .filter(|_| taken.allows(Assumption::OwnTokens));
    let ties = question.realm != Realm::Anything && taken.allows(Assumption::TiedClaims);
    let tokens = Tokens::of(question.principal.as_ref(), home).filter(|_| ties);
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
                tokens: tokens.as_ref(),
                barred: &[],
                taken: &taken,
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
        taken: taken.all(),
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
    contexts: Vec<Dimension<Settings>>,
}

/// A form of tokens, and the claims that are asked for.
struct Token<'a> {
    tokens: &'a Tokens<'a>,
    form: &'a Form,
    asked: &'a [&'static str],
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

    /// Looks for a request for `action`, as far as it is not said already what it is like: in one form of tokens after
    /// another, where their claims matter.
    fn one_base(&self, action: &str, alive: &Mask, found: &mut Found) -> bool {
        let tokens = self.scope.tokens;
        let tokens = tokens.filter(|_| self.scope.taken.allows(Assumption::Subjects));
        let Some(tokens) = tokens.filter(|one| joint::concerns(&self.scope, one, action)) else {
            return self.one_form(action, alive, None, found);
        };
        let asked = joint::asked(&self.scope, tokens, alive);
        if asked.is_empty() {
            return self.one_form(action, alive, None, found);
        }
        self.scope.taken.take(Assumption::Subjects);
        self.scope.taken.take(Assumption::TiedClaims);
        if tokens.has_home() {
            self.scope.taken.take(Assumption::OwnTokens);
        }
        tokens.forms(&asked).iter().any(|form| {
            let barred: Vec<(String, String)> = form
                .barred
                .iter()
                .map(|(claim, value)| (tokens.key(claim), value.clone()))
                .collect();
            let search = Search {
                sides: self.sides,
                scope: Scope {
                    barred: &barred,
                    ..self.scope
                },
            };
            let token = Token {
                tokens,
                form,
                asked: &asked,
            };
            search.one_form(action, alive, Some(&token), found)
        })
    }

    fn one_form(
        &self,
        action: &str,
        alive: &Mask,
        token: Option<&Token<'_>>,
        found: &mut Found,
    ) -> bool {
        let mut kinds = Kinds {
            resources: self.scope.resources(alive, action),
            contexts: Vec::new(),
        };
        let mut open: Vec<String> = kinds.resources.open.iter().cloned().collect();
        let mut paths = self.products(vec![(alive.clone(), Vec::new())], &kinds.resources.choices);
        let joined = token
            .map(|token| joint::choices(&self.scope, token.tokens, token.form, alive, token.asked));
        let settled = |key: &str| {
            token.is_some_and(|token| {
                let claim = token.tokens.claim(key);
                claim.is_some_and(|claim| token.form.settles(claim))
            })
        };
        let keys = self.scope.keys(alive).into_iter();
        let keys = keys.filter(|(key, _)| !settled(key));
        let single = keys.map(|(key, written)| self.scope.settings(alive, action, &key, &written));
        for dimension in joined.into_iter().chain(single) {
            if paths.as_ref().is_none_or(Vec::is_empty) {
                break;
            }
            open.extend(dimension.open.clone());
            paths = paths.and_then(|paths| self.products(paths, &dimension.choices));
            kinds.contexts.push(dimension);
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
        for (dimension, number) in kinds.contexts.iter().zip(chosen) {
            let choice = dimension.choices.get(*number);
            for (key, value) in choice.iter().flat_map(|choice| &choice.value) {
                request.set(key, value.clone());
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
        let may_be = |one: &Request| self.scope.tokens.is_none_or(|all| all.may_be(one));
        if !may_be(&request) {
            found.doubt(format!(
                "`{}`: claims were found that do not come in one token",
                request.action()
            ));
            return false;
        }
        let request = plausible(request, &statements, |one| {
            may_be(one) && self.sides.confirm(one)
        });
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
