//! One statement, compiled.

use crate::model::policy::Effect;

use super::Request;
use super::condition::ConditionTest;
use super::pattern::Pattern;
use super::principal::{Naming, PrincipalTest};

/// Yes, no, or open because a part of the policy is not known. In this order, the least of several is their conjunction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Truth {
    No,
    Maybe,
    Yes,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

impl Truth {
    fn inverted_if(self, negated: bool) -> Self {
        match (self, negated) {
            (Self::Yes, true) => Self::No,
            (Self::No, true) => Self::Yes,
            (truth, _) => truth,
        }
    }
}

/// `Action` or `Resource`, or their `Not…` forms, compiled.
#[derive(Debug, Clone)]
pub(super) struct ElementTest {
    pub(super) negated: bool,
    /// Whether some element is not known.
    pub(super) incomplete: bool,
    pub(super) patterns: Box<[Pattern]>,
    /// As the policy writes them.
    pub(super) written: Box<[Box<str>]>,
}

impl ElementTest {
    pub(super) fn truth(&self, text: &str, request: &Request) -> Truth {
        if !request.leaves_open() {
            return self.truth_by(|pattern| pattern.matches(text, request));
        }
        let is_open = |pattern: &&Pattern| open_variable(pattern, request).is_some();
        let (open, known): (Vec<&Pattern>, Vec<&Pattern>) = self.patterns.iter().partition(is_open);
        let listed = known.iter().any(|pattern| pattern.matches(text, request));
        // A variable may stand for anything.
        let may = open
            .iter()
            .any(|pattern| pattern.hull().matches(text, request));
        self.truth_in(listed, self.incomplete || may)
    }

    /// The same, with somebody else to say what a pattern matches.
    pub(super) fn truth_by(&self, matches: impl Fn(&Pattern) -> bool) -> Truth {
        self.truth_in(self.patterns.iter().any(matches), self.incomplete)
    }

    fn truth_in(&self, listed: bool, incomplete: bool) -> Truth {
        let listed = match (listed, incomplete) {
            (false, true) => Truth::Maybe,
            (listed, _) => Truth::from(listed),
        };
        listed.inverted_if(self.negated)
    }

    /// A variable of which it is not known what the request has for it.
    pub(super) fn open_variable(&self, request: &Request) -> Option<&str> {
        let mut patterns = self.patterns.iter();
        patterns.find_map(|pattern| open_variable(pattern, request))
    }
}

/// A variable of a pattern of which it is not known what the request has for it.
fn open_variable<'a>(pattern: &'a Pattern, request: &Request) -> Option<&'a str> {
    let mut variables = pattern.variables();
    let found = variables.find(|variable| request.is_open(&variable.folded));
    found.map(|variable| &*variable.key)
}

/// A compiled statement.
#[derive(Debug, Clone)]
pub(super) struct StatementTest {
    pub(super) index: usize,
    pub(super) sid: Option<Box<str>>,
    pub(super) effect: Effect,
    /// `None` covers everything: only where the statement itself is in doubt.
    pub(super) actions: Option<ElementTest>,
    /// `None` covers everything: trust and some resource policies have no `Resource`.
    pub(super) resources: Option<ElementTest>,
    /// `None` in policies without principals.
    pub(super) principals: Option<PrincipalTest>,
    pub(super) conditions: Box<[ConditionTest]>,
    /// Why the statement may mean something else than what was compiled.
    pub(super) doubt: Option<Box<str>>,
}

impl StatementTest {
    /// Whether the statement applies, and how it names the principal.
    pub(super) fn applies(&self, request: &Request) -> (Truth, Naming) {
        let mut truth = self.covers_action(request);
        if truth == Truth::No {
            return (truth, Naming::Everyone);
        }
        let (named, naming) = self.names_principal(request);
        truth = truth.min(named);
        if truth != Truth::No {
            truth = truth.min(self.covers_resource(request));
        }
        for condition in &self.conditions {
            if truth == Truth::No {
                return (truth, naming);
            }
            truth = truth.min(condition.truth(request));
        }
        if self.doubt.is_some() {
            truth = truth.min(Truth::Maybe);
        }
        (truth, naming)
    }

    /// Whether it stands for a whole document that cannot be relied on.
    pub(super) fn is_whole(&self) -> bool {
        let named = self.actions.is_some() || self.resources.is_some() || self.principals.is_some();
        self.doubt.is_some() && !named
    }

    pub(super) fn covers_action(&self, request: &Request) -> Truth {
        self.actions.as_ref().map_or(Truth::Yes, |actions| {
            actions.truth(request.folded_action(), request)
        })
    }

    pub(super) fn covers_resource(&self, request: &Request) -> Truth {
        self.resources.as_ref().map_or(Truth::Yes, |resources| {
            resources.truth(&request.resource, request)
        })
    }

    pub(super) fn names_principal(&self, request: &Request) -> (Truth, Naming) {
        let Some(test) = &self.principals else {
            return (Truth::Yes, Naming::Everyone);
        };
        if test.negated && self.effect == Effect::Deny {
            let spared = test.spares(request.principal.as_ref());
            let denied = match (spared, test.incomplete && !test.bounded) {
                (false, true) => Truth::Maybe,
                (spared, _) => Truth::from(!spared),
            };
            return (denied, Naming::Everyone);
        }
        let naming = test.naming(request.principal.as_ref());
        let named = match (naming, test.incomplete) {
            (None, true) => Truth::Maybe,
            (naming, _) => Truth::from(naming.is_some()),
        };
        let naming = naming.filter(|_| !test.negated).unwrap_or(Naming::Everyone);
        (named.inverted_if(test.negated), naming)
    }

    /// Whether it means what it says, and concerns whoever asks.
    pub(super) fn certainty(&self, request: &Request) -> Truth {
        let (named, _) = self.names_principal(request);
        if self.doubt.is_some() {
            named.min(Truth::Maybe)
        } else {
            named
        }
    }

    /// The keys of its variables, in lower case.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.variable_names().map(|(folded, _)| folded)
    }

    /// The same, each with its name as it is written.
    pub(super) fn variable_names(&self) -> impl Iterator<Item = (&str, &str)> {
        let resources = self.resources.iter().flat_map(|test| test.patterns.iter());
        let values = self.conditions.iter().flat_map(ConditionTest::patterns);
        let variables = resources.chain(values).flat_map(Pattern::variables);
        variables.map(|variable| (&*variable.folded, &*variable.key))
    }

    /// Whether it means what `other` means word for word, its `Sid` aside, and nothing of it is in doubt. What is written
    /// alike means something else in a document of another `Version`, so the compiled patterns are compared.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let elements = |one: &Option<ElementTest>| {
            one.as_ref()
                .map(|test| (test.negated, test.patterns.clone()))
        };
        let conditions = |one: &Self| {
            let parts = |test: &ConditionTest| {
                let patterns: Vec<Pattern> = test.patterns().cloned().collect();
                (
                    test.folded_key.clone(),
                    test.operator,
                    test.written.clone(),
                    patterns,
                )
            };
            one.conditions.iter().map(parts).collect::<Vec<_>>()
        };
        let plain = |one: &Self| !one.is_doubtful() && one.principals.is_none();
        plain(self)
            && plain(other)
            && self.effect == other.effect
            && elements(&self.actions) == elements(&other.actions)
            && elements(&self.resources) == elements(&other.resources)
            && conditions(self) == conditions(other)
    }

    /// Whether any part of it is not known.
    pub(super) fn is_doubtful(&self) -> bool {
        let open = |test: &Option<ElementTest>| test.as_ref().is_some_and(|test| test.incomplete);
        self.doubt.is_some()
            || open(&self.actions)
            || open(&self.resources)
            || self.principals.as_ref().is_some_and(|test| test.incomplete)
            || self
                .conditions
                .iter()
                .any(|condition| condition.doubt.is_some())
    }
}
