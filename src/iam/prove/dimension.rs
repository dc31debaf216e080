//! The kinds of one dimension: a value of each, with the statements that it lets pass.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::policy::has_wildcard;
use crate::model::policy::route53::RECORD_KEYS;

use super::super::condition::ConditionTest;
use super::super::pattern::Pattern;
use super::super::statement::{ElementTest, StatementTest, Truth};
use super::super::{ContextValue, Request};
use super::Bounds;
use super::goal::{Asked, Goal};
use super::joint::Settings;
use super::lists;
use super::mask::Mask;
use super::realm::{Presence, Realm, Sends, is_in_every_call, is_over_tls};
use super::taken::{Assumption, Taken};
use super::texts::{Texts, arn_shape, in_partitions, pair};
use super::tokens::Tokens;
use super::values::{kinds, word};
use super::words::{Budget, Shape, Wish, Word, Words, glob};

/// One value and what it lets pass.
pub(super) struct Choice<T> {
    pub(super) value: T,
    pub(super) passes: Mask,
}

/// The choices of a dimension, one for each set of statements.
pub(super) struct Dimension<T> {
    pub(super) choices: Vec<Choice<T>>,
    /// Why one could be missing.
    pub(super) open: Option<String>,
}

/// What the kinds are asked for.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) asked: &'a [Asked<'a>],
    pub(super) goal: &'a Goal,
    pub(super) realm: Realm,
    /// A request before anything is chosen.
    pub(super) base: &'a Request,
    /// Keys, in lower case, that have in every request what they have in `base`: a value, or none.
    pub(super) pinned: &'a BTreeSet<String>,
    /// Whether texts with variables match as they like, and are left out here (`free`).
    pub(super) free: bool,
    /// The tokens that whoever asks brings, where their claims go together.
    pub(super) tokens: Option<&'a Tokens<'a>>,
    /// Keys, in lower case, with a value that none has.
    pub(super) barred: &'a [(String, String)],
    /// The assumptions that were made.
    pub(super) taken: &'a Taken,
    pub(super) bounds: Bounds,
    pub(super) budget: &'a Budget,
}

fn is_record_key(key: &str) -> bool {
    RECORD_KEYS.iter().any(|own| own.eq_ignore_ascii_case(key))
}

fn too_many(what: &str) -> Option<String> {
    Some(format!(
        "{what} fall into too many kinds to try one of each"
    ))
}

/// Which part of a statement is meant.
type Part = fn(&StatementTest) -> Option<&ElementTest>;

impl Scope<'_> {
    /// Whether the condition is left out here.
    fn is_free(&self, test: &ConditionTest) -> bool {
        self.free && test.patterns().any(Pattern::has_variables)
    }

    fn mask(&self, mut passes: impl FnMut(&Asked<'_>) -> bool) -> Mask {
        Mask::of(self.asked.len(), |place| {
            self.goal.concerns(place) && self.asked.get(place).is_some_and(&mut passes)
        })
    }

    /// One choice for each set of statements in `alive`, the first of each.
    pub(super) fn distinct<T>(
        &self,
        alive: &Mask,
        values: impl IntoIterator<Item = T>,
        passes: impl Fn(&T, &Asked<'_>) -> bool,
    ) -> Vec<Choice<T>> {
        let mut met = BTreeSet::new();
        let mut choices = Vec::new();
        for value in values {
            let passes = Mask::of(self.asked.len(), |place| {
                alive.has(place) && self.asked.get(place).is_some_and(|one| passes(&value, one))
            });
            if met.insert(passes.clone()) {
                choices.push(Choice { value, passes });
            }
        }
        choices
    }

    pub(super) fn living<'b>(
        &'b self,
        alive: &'b Mask,
    ) -> impl Iterator<Item = (usize, &'b StatementTest)> {
        let all = self.asked.iter().enumerate();
        all.filter(|(place, _)| alive.has(*place))
            .map(|(place, one)| (place, one.statement))
    }

    /// Whether requests for `action` by whoever asks carry `key`.
    pub(super) fn presence(&self, action: &str, key: &str) -> Presence {
        let who = self.base.principal.as_ref();
        let presence = self.realm.presence(action, key, who);
        let assumed = match presence {
            Presence::Maybe => return presence,
            Presence::Always if is_record_key(key) => Assumption::Records,
            Presence::Always if is_in_every_call(action, key) => Assumption::EveryCall,
            Presence::Always => Assumption::WholeTokens,
            Presence::Never if is_record_key(key) => Assumption::RecordKeys,
            Presence::Never => Assumption::Catalog,
        };
        if self.taken.take(assumed) {
            presence
        } else {
            Presence::Maybe
        }
    }

    /// What is sent under `key`, as far as it may be assumed.
    fn sends(&self, action: &str, key: &str) -> Sends {
        let sends = self.realm.sends(key);
        let over_tls = self.realm != Realm::Anything && is_over_tls(action, key);
        if over_tls && self.taken.take(Assumption::EveryCall) {
            return Sends::One(&["true"]);
        }
        let assumed = match sends {
            Sends::Text => return sends,
            Sends::Names => Assumption::SentNames,
            Sends::One(_) if is_record_key(key) => Assumption::SentNames,
            Sends::One(_) | Sends::Typed(_) => Assumption::Arity,
            Sends::Subjects => Assumption::Subjects,
        };
        if self.taken.take(assumed) {
            sends
        } else {
            Sends::Text
        }
    }

    /// Whether `key` may come with one value, and whether with several, as far as it may be assumed.
    fn arity(&self, key: &str) -> (bool, bool) {
        let arity = self.realm.arity(key);
        if arity == (true, true) || self.taken.take(Assumption::Arity) {
            arity
        } else {
            (true, true)
        }
    }

    fn target(&self) -> Option<&StatementTest> {
        self.asked.get(self.goal.target).map(|one| one.statement)
    }

    /// Those that may concern whoever asks; `at_best`, taking what is open as would be best.
    pub(super) fn named(&self, at_best: bool) -> Mask {
        self.mask(|one| {
            let truth = one.statement.certainty(self.base);
            if at_best {
                one.passes_at_best(truth)
            } else {
                one.passes(truth)
            }
        })
    }

    /// Those of them that cover `action`.
    pub(super) fn covering(&self, action: &str, at_best: bool) -> Mask {
        let request = Request::new(action, "");
        self.mask(|one| {
            let truth = one.statement.covers_action(&request);
            if at_best {
                one.passes_at_best(truth)
            } else {
                one.passes(truth)
            }
        })
    }

    /// Those that cover `action`, or could.
    pub(super) fn touched_by(&self, action: &str) -> Mask {
        let request = Request::new(action, "");
        self.mask(|one| one.statement.covers_action(&request) != Truth::No)
    }

    /// The patterns of all in `alive` but the target, where its own part must match anyhow.
    fn words(&self, alive: &Mask, part: Part) -> Words {
        let mut words = Words::default();
        for (place, statement) in self.living(alive) {
            let Some(element) = part(statement) else {
                continue;
            };
            if place == self.goal.target && !element.negated {
                continue;
            }
            let wish = self.goal.wish(place, element.negated);
            for pattern in &element.patterns {
                let is_free = self.free && pattern.has_variables();
                let wish = if is_free { Wish::Any } else { wish };
                if let Some(word) = self.word(pattern) {
                    words.add(word, wish);
                }
            }
        }
        words
    }

    /// The places of an element's pattern; `None` when a variable has no value.
    fn word(&self, pattern: &Pattern) -> Option<Word> {
        if self.free {
            word(&pattern.hull(), self.base, false, true)
        } else {
            word(pattern, self.base, false, true)
        }
    }

    /// Strings of every kind within the target's part and within `shapes`.
    fn texts(&self, alive: &Mask, part: Part, shapes: &[Word], never: &[Word]) -> Texts {
        let words = self.words(alive, part);
        let own = self
            .target()
            .and_then(part)
            .filter(|element| !element.negated);
        let mut texts = Texts::default();
        let Some(own) = own else {
            let shape = Shape {
                required: &[shapes],
                never,
            };
            texts.add(&words, shape, self.budget);
            return texts;
        };
        for pattern in &own.patterns {
            if let Some(word) = self.word(pattern) {
                let shape = Shape {
                    required: &[shapes, &[word]],
                    never,
                };
                texts.add(&words, shape, self.budget);
            }
        }
        texts
    }

    /// The actions that the target covers: one for each set of statements, and where the realm tells them apart, for
    /// each manner of requests.
    pub(super) fn actions(&self) -> Dimension<String> {
        let all = self.mask(|_| true);
        let own = self.target().and_then(|target| target.actions.as_ref());
        let catalog = self.looks_up(own);
        let settled = self.realm.settled_services().filter(|_| catalog);
        let never: Vec<Word> = settled
            .map(|service| glob(&format!("{service}:*"), true))
            .collect();
        let texts = self.texts(&all, |one| one.actions.as_ref(), &[pair()], &never);
        let known: BTreeSet<String> = match own {
            Some(element) if !element.negated => element
                .written
                .iter()
                .flat_map(|text| Realm::actions(text))
                .collect(),
            _ => Realm::actions("*").into_iter().collect(),
        };
        let who = self.base.principal.as_ref();
        let real = known
            .into_iter()
            .chain(texts.found)
            .filter(|action| !catalog || self.realm.has(action))
            .filter(|action| self.realm.may_ask(who, action, self.taken));
        let keys: BTreeSet<&str> = self
            .living(&all)
            .flat_map(|(_, statement)| {
                let asked = statement.conditions.iter();
                let asked = asked.map(|condition| &*condition.folded_key);
                asked.chain(statement.variables())
            })
            .collect();
        let mut met = BTreeSet::new();
        let mut choices = Vec::new();
        for value in real {
            let passes = self.covering(&value, false);
            let manner =
                self.realm
                    .manner(&value, keys.iter().copied(), self.base.principal.as_ref());
            if met.insert((passes.clone(), manner)) {
                choices.push(Choice { value, passes });
            }
        }
        let open = texts.tangled.then(|| too_many("actions")).flatten();
        Dimension { choices, open }
    }

    /// Whether the catalog says which actions there are; where the target lists actions that there are, it makes no
    /// difference.
    fn looks_up(&self, own: Option<&ElementTest>) -> bool {
        let lists = |element: &ElementTest| {
            let mut written = element.written.iter();
            !element.negated && written.all(|one| !has_wildcard(one) && self.realm.has(one))
        };
        self.realm != Realm::Anything
            && (own.is_some_and(lists) || self.taken.take(Assumption::Catalog))
    }

    /// Patterns of the resources of `action`, and whether a request may name none, as far as it may be assumed.
    fn resource_shapes(&self, alive: &Mask, action: &str) -> (Vec<String>, bool) {
        if !self.living(alive).any(|(_, one)| one.resources.is_some()) {
            return self.realm.resources(action);
        }
        if self.realm == Realm::Anything || !self.taken.take(Assumption::Arns) {
            self.taken.take(Assumption::AnyArns);
            return Realm::Anything.resources(action);
        }
        let shapes = self.realm.resources(action);
        let open = Realm::any_resource();
        if shapes == open || self.taken.take(Assumption::Catalog) {
            shapes
        } else {
            open
        }
    }

    /// Strings of every kind among the resources of `action` that the target covers.
    pub(super) fn resource_texts(&self, alive: &Mask, action: &str) -> Texts {
        let (shapes, none) = self.resource_shapes(alive, action);
        let patterns = self
            .living(alive)
            .filter_map(|(_, one)| one.resources.as_ref());
        let patterns = patterns.flat_map(|one| one.written.iter().map(|text| &**text));
        let realm = if self.taken.allows(Assumption::Arns) {
            self.realm
        } else {
            Realm::Anything
        };
        let partitions = realm.partitions(patterns);
        let shapes = shapes
            .iter()
            .flat_map(|shape| in_partitions(shape, partitions));
        let shapes: Vec<Word> = shapes.map(|shape| arn_shape(&shape)).collect();
        let mut texts = Texts::default();
        if !shapes.is_empty() {
            texts = self.texts(alive, |one| one.resources.as_ref(), &shapes, &[]);
        }
        if none || texts.found.is_empty() {
            texts.found.push("*".to_owned());
        }
        texts
    }

    /// The resources of `action` that the target covers.
    pub(super) fn resources(&self, alive: &Mask, action: &str) -> Dimension<String> {
        let texts = self.resource_texts(alive, action);
        let choices = self.distinct(alive, texts.found, |resource, one| {
            let mut request = self.base.clone();
            request.resource.clone_from(resource);
            one.passes(one.statement.covers_resource(&request))
        });
        let open = texts.tangled.then(|| too_many("resources")).flatten();
        Dimension { choices, open }
    }

    /// The keys that statements of `alive` ask for, in lower case, each with its name as it is written first.
    pub(super) fn keys(&self, alive: &Mask) -> BTreeMap<String, String> {
        let mut keys = BTreeMap::new();
        for (_, statement) in self.living(alive) {
            for condition in &statement.conditions {
                let written = condition.key.to_string();
                keys.entry(condition.folded_key.to_string())
                    .or_insert(written);
            }
        }
        keys
    }

    /// The keys of conditions and variables in lower case, each as it is written first.
    pub(super) fn written(&self) -> BTreeMap<String, String> {
        let mut keys = BTreeMap::new();
        for one in self.asked {
            let conditions = one.statement.conditions.iter();
            let conditions = conditions.map(|test| (&*test.folded_key, &*test.key));
            let variables = one.statement.variable_names();
            for (folded, written) in conditions.chain(variables) {
                keys.entry(folded.to_owned())
                    .or_insert_with(|| written.to_owned());
            }
        }
        keys
    }

    /// What a request for `action` may have under the key.
    pub(super) fn contexts(
        &self,
        alive: &Mask,
        action: &str,
        key: &str,
    ) -> Dimension<Option<ContextValue>> {
        let mut tests = Vec::new();
        for (place, statement) in self.living(alive) {
            let of_key = statement
                .conditions
                .iter()
                .filter(|test| *test.folded_key == *key && !self.is_free(test));
            tests.extend(of_key.map(|test| {
                let wish = self.goal.wish(place, test.operator.base.is_negated());
                (test, wish)
            }));
        }
        let (values, open) = if self.pinned.contains(key) {
            (vec![self.base.context(key).cloned()], None)
        } else {
            self.values(&tests, action, key)
        };
        let choices = self.distinct(alive, values, |value, one| {
            let mut request = self.base.clone();
            if let Some(value) = value {
                request.set(key, value.clone());
            }
            let mut tests = one.statement.conditions.iter();
            tests.all(|test| {
                *test.folded_key != *key || self.is_free(test) || one.passes(test.truth(&request))
            })
        });
        Dimension { choices, open }
    }

    /// The same, each as what is set.
    pub(super) fn settings(
        &self,
        alive: &Mask,
        action: &str,
        key: &str,
        written: &str,
    ) -> Dimension<Settings> {
        let one = self.contexts(alive, action, key);
        let choices = one.choices.into_iter().map(|choice| Choice {
            value: choice
                .value
                .map(|value| (written.to_owned(), value))
                .into_iter()
                .collect(),
            passes: choice.passes,
        });
        Dimension {
            choices: choices.collect(),
            open: one.open,
        }
    }

    /// The values of every kind that `tests` tell apart, and why one could be missing.
    pub(super) fn values(
        &self,
        tests: &[(&ConditionTest, Wish)],
        action: &str,
        key: &str,
    ) -> (Vec<Option<ContextValue>>, Option<String>) {
        let mut values = Vec::new();
        let presence = self.presence(action, key);
        if presence != Presence::Always {
            values.push(None);
        }
        if presence == Presence::Never {
            return (values, None);
        }
        let sends = self.sends(action, key);
        let barred = self.barred.iter().filter(|(own, _)| own == key);
        let never: Vec<Word> = barred.map(|(_, value)| glob(value, true)).collect();
        let Ok(found) = kinds(tests, sends, &never, self.base, self.budget) else {
            return (values, too_many(&format!("values of `{key}`")));
        };
        let open = found.open.map(|why| format!("`{key}`: {why}"));
        // What has a type is never empty.
        let null = presence != Presence::Always && sends == Sends::Text;
        let (single, multi) = self.arity(key);
        if single {
            let singles = found.values.iter().cloned();
            values.extend(singles.map(|value| Some(ContextValue::Single(value))));
        }
        if single && null {
            values.push(Some(ContextValue::Single(String::new())));
        }
        if !multi {
            return (values, open);
        }
        if null {
            values.push(Some(ContextValue::Multi(vec![String::new()])));
        }
        let tests: Vec<&ConditionTest> = tests.iter().map(|(test, _)| *test).collect();
        let mut all = found.values;
        if sends == Sends::Text {
            // An empty text beside another is a value like any other.
            all.push(String::new());
        }
        match lists::kinds(&tests, all, self.base, self.bounds.values) {
            Some(lists) => {
                values.extend(
                    lists
                        .into_iter()
                        .map(|list| Some(ContextValue::Multi(list))),
                );
                (values, open)
            }
            None => (values, too_many(&format!("lists of values of `{key}`"))),
        }
    }
}
