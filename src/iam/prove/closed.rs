//! What each statement grants or takes away, in closed form: which calls, on what, and for changes of records which names,
//! types and kinds of change.
//!
//! Over requests as AWS documents them: a change of records carries the three Route 53 keys, and no other call does. So a
//! condition on one of them is a limit of the changes, and it decides once and for all whether the other calls of the
//! statement are granted.

use crate::model::policy::route53::{CHANGE_RECORDS, RECORD_KEYS};
use crate::model::policy::{BaseOperator, Effect, Principals, Quantifier};

use super::super::Request;
use super::super::condition::ConditionTest;
use super::super::statement::{ElementTest, StatementTest, Truth};
use super::goal::Compiled;
use super::{Assumption, Side, principals, real};

/// What a statement grants, or takes away.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The name of the policy.
    pub policy: String,
    /// The statement's place in it.
    pub statement: usize,
    /// Its `Sid`.
    pub sid: Option<String>,
    /// Whether it takes away.
    pub denies: bool,
    /// Whom it names, where it names somebody: the kind and who.
    pub principals: Option<Listed>,
    /// Issuers of tokens that get in whatever their subject is.
    pub any_subject: Vec<String>,
    /// Which calls, those that change records apart.
    pub calls: Vec<Calls>,
    /// Why it may be another.
    pub open: Vec<String>,
}

impl Grant {
    /// Whether it may be another than is told.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// What is taken for granted in it: of real requests where it speaks of changes of records, or of what matches none.
    #[must_use]
    pub fn takes_for_granted(&self) -> Vec<Assumption> {
        let mut taken = Vec::new();
        let all = || self.calls.iter();
        if all().any(|calls| calls.records.is_some()) {
            taken.extend([Assumption::Records, Assumption::RecordKeys]);
        }
        if all().any(|calls| calls.records.is_some() && calls.never.is_some()) {
            taken.push(Assumption::SentNames);
        }
        if all().any(|calls| calls.records.is_none() && calls.never.is_some()) {
            taken.push(Assumption::Catalog);
        }
        taken
    }
}

/// A list of patterns, or all but those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The patterns as they are written.
    pub values: Vec<String>,
    /// Whether they are what is left out.
    pub all_but: bool,
}

impl Listed {
    /// Whether it is everything.
    #[must_use]
    pub fn is_all(&self) -> bool {
        !self.all_but && self.values.iter().any(|value| value == "*")
    }
}

/// Calls that are granted on the same conditions.
#[derive(Debug, Clone)]
pub struct Calls {
    /// The actions.
    pub actions: Listed,
    /// What they are granted on.
    pub resources: Listed,
    /// For changes of records, what is changed: names, types, kinds of change. `None` for other calls.
    pub records: Option<[Vec<Demand>; 3]>,
    /// The other conditions, as they are written.
    pub conditions: Vec<(String, Vec<String>)>,
    /// Why no request meets them.
    pub never: Option<String>,
}

/// What is demanded of the values of a key with several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// Of whom.
    pub of: Quantifier,
    /// Whether the values must be others.
    pub others: bool,
    /// Whether `*` and `?` stand for other characters.
    pub patterns: bool,
    /// Whether letter case does not count.
    pub any_case: bool,
    /// The values.
    pub values: Vec<String>,
}

/// What the statements of `side` grant or take away.
#[must_use]
pub fn closed_form(side: &Side<'_>) -> Vec<Grant> {
    let compiled = Compiled::new(side);
    let grant = |(policy, statement): (&str, &StatementTest)| {
        let documents = side.policies.iter().filter(|one| one.name == policy);
        let mut written = documents.flat_map(|one| &one.document.statements);
        let written = written.find(|one| one.index == statement.index);
        let who = written.and_then(|one| one.principals.as_ref());
        let mut open = open(statement);
        if who.is_some_and(|who| who.incomplete) {
            open.push("a part of `Principal` is not known".to_owned());
        }
        Grant {
            policy: policy.to_owned(),
            statement: statement.index,
            sid: statement.sid.as_deref().map(str::to_owned),
            denies: statement.effect == Effect::Deny,
            principals: who.map(principals::named),
            any_subject: who.map_or_else(Vec::new, |who| any_subject(who, statement)),
            calls: calls(statement),
            open,
        }
    };
    compiled.statements().map(grant).collect()
}

/// The issuers among `who` whose subjects no condition of the statement looks at.
fn any_subject(who: &Principals, statement: &StatementTest) -> Vec<String> {
    let lets_in = statement.effect == Effect::Allow && !who.negated;
    let issuers = principals::issuers(who).filter(|_| lets_in);
    let any = issuers.filter(|issuer| {
        let key = format!("{}:sub", issuer.to_ascii_lowercase());
        !statement
            .conditions
            .iter()
            .any(|test| *test.folded_key == *key)
    });
    any.map(str::to_owned).collect()
}

fn calls(statement: &StatementTest) -> Vec<Calls> {
    let actions = listed(statement.actions.as_ref());
    let resources = listed(statement.resources.as_ref());
    let (of_records, conditions): (Vec<&ConditionTest>, Vec<&ConditionTest>) = statement
        .conditions
        .iter()
        .partition(|test| is_of_records(test));
    let conditions: Vec<(String, Vec<String>)> = conditions.into_iter().map(written).collect();
    let mut calls = Vec::new();
    let change = Request::new(CHANGE_RECORDS, "");
    if statement.covers_action(&change) != Truth::No {
        let records = RECORD_KEYS.map(|key| demands(key, &of_records));
        let never = of_records.iter().find_map(|test| never_met(test));
        let unsent = RECORD_KEYS
            .iter()
            .find_map(|key| real::never_sent(key, &of_records));
        let change = vec![CHANGE_RECORDS.to_owned()];
        for part in real::parts(change, false, &resources) {
            let whole = Calls {
                actions: part.actions,
                resources: part.resources,
                records: Some(records.clone()),
                conditions: conditions.clone(),
                never: part.never.or_else(|| never.clone()),
            };
            calls.extend(real::records(whole).into_iter().map(|mut part| {
                part.never = part.never.or_else(|| unsent.clone());
                part
            }));
        }
    }
    let others = actions
        .values
        .into_iter()
        .filter(|action| actions.all_but || !action.eq_ignore_ascii_case(CHANGE_RECORDS))
        .collect();
    let without = Request::new("", "");
    let failing = of_records
        .iter()
        .find(|test| test.truth(&without) == Truth::No);
    let never = failing.map(|test| {
        never_at_all(test).unwrap_or_else(|| {
            format!(
                "`{}` comes with changes of records alone, and {} demands it",
                test.key, test.operator
            )
        })
    });
    let parts = real::parts(others, actions.all_but, &resources);
    calls.extend(parts.into_iter().map(|part| Calls {
        actions: part.actions,
        resources: part.resources,
        records: None,
        conditions: conditions.clone(),
        never: part.never.or_else(|| never.clone()),
    }));
    calls
}

fn listed(element: Option<&ElementTest>) -> Listed {
    let Some(element) = element else {
        return Listed {
            values: vec!["*".to_owned()],
            all_but: false,
        };
    };
    Listed {
        values: element.written.iter().map(ToString::to_string).collect(),
        all_but: element.negated,
    }
}

fn written(test: &ConditionTest) -> (String, Vec<String>) {
    (
        format!("{} {}", test.key, test.operator),
        test.written.iter().map(ToString::to_string).collect(),
    )
}

fn is_of_records(test: &ConditionTest) -> bool {
    RECORD_KEYS
        .iter()
        .any(|key| key.eq_ignore_ascii_case(&test.folded_key))
}

/// What a change of records must have under `key`.
fn demands(key: &str, tests: &[&ConditionTest]) -> Vec<Demand> {
    let of_key = tests
        .iter()
        .filter(|test| key.eq_ignore_ascii_case(&test.folded_key))
        .filter(|test| test.operator.base != BaseOperator::Null);
    let mut demands = Vec::new();
    for test in of_key {
        if let Some(of) = test.operator.quantifier {
            let demand = Demand {
                of,
                others: test.operator.base.is_negated(),
                patterns: test.operator.base.is_pattern(),
                any_case: test.operator.base.ignores_case(),
                values: test.written.iter().map(ToString::to_string).collect(),
            };
            if !demands.contains(&demand) {
                demands.push(demand);
            }
        }
    }
    demands
}

/// Why no change of records meets the condition.
fn never_met(test: &ConditionTest) -> Option<String> {
    if let Some(why) = never_at_all(test) {
        return Some(why);
    }
    let name = test.operator.to_string();
    let key = &test.key;
    if test.operator.base == BaseOperator::Null {
        let mut present = Request::new("", "");
        present.set(key, super::super::ContextValue::Multi(vec!["x".to_owned()]));
        let fails = test.truth(&present) == Truth::No;
        return fails.then(|| {
            format!("every change of records carries `{key}`, and {name} demands that it is absent")
        });
    }
    match test.operator.quantifier {
        None => Some(format!(
            "`{key}` comes with several values, and {name} without a set operator matches none of those"
        )),
        Some(_) if test.written.is_empty() && !test.operator.base.is_negated() => {
            Some(format!("{name} allows no value of `{key}`"))
        }
        Some(_) => None,
    }
}

/// Why no request at all meets the condition.
fn never_at_all(test: &ConditionTest) -> Option<String> {
    let is_any_null = test.operator.base == BaseOperator::Null
        && test.operator.quantifier == Some(Quantifier::ForAnyValue);
    is_any_null.then(|| format!("{} is false whatever a request carries", test.operator))
}

/// What of the statement is not known.
fn open(statement: &StatementTest) -> Vec<String> {
    let mut open: Vec<String> = statement.doubt.iter().map(ToString::to_string).collect();
    let elements = [
        ("Action", statement.actions.as_ref()),
        ("Resource", statement.resources.as_ref()),
    ];
    for (name, element) in elements {
        if element.is_some_and(|element| element.incomplete) {
            open.push(format!("a part of `{name}` is not known"));
        }
    }
    let doubts = statement
        .conditions
        .iter()
        .filter_map(|test| test.doubt.as_ref());
    open.extend(doubts.map(ToString::to_string));
    open
}
