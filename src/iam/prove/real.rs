//! Of what a statement writes, what some real request can be: which of its actions are asked for on which of its resources,
//! and which of its values Route 53 ever sends.

use crate::iam::catalog::{self, AskedOn};
use crate::model::policy::route53::{NAMES_KEY, RECORD_KEYS, TYPES_KEY};

use super::super::condition::ConditionTest;
use super::super::explain::seen_as;
use super::super::statement::Truth;
use super::super::{ContextValue, Request};
use super::closed::{Calls, Demand, Listed};
use super::realm::Realm;
use super::words::{Budget, Step, Wish, Word};
use super::{lists, values};

/// Actions, and those of the resources that they are asked for on.
pub(super) struct Part {
    pub(super) actions: Listed,
    pub(super) resources: Listed,
    /// Why no real request is one of them.
    pub(super) never: Option<String>,
}

/// The actions by what they are asked for on, and at the end what is written in vain.
pub(super) fn parts(actions: Vec<String>, all_but: bool, resources: &Listed) -> Vec<Part> {
    if actions.is_empty() && !all_but {
        return Vec::new();
    }
    if all_but || resources.all_but {
        return vec![part(actions, all_but, resources.clone(), None)];
    }
    let mut groups: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    let mut vain = Vec::new();
    for action in actions {
        let fits: Vec<String> = resources
            .values
            .iter()
            .filter(|resource| is_asked_on(&action, resource))
            .cloned()
            .collect();
        if fits.is_empty() {
            let never = Some(never(&action));
            vain.push(part(vec![action], false, resources.clone(), never));
            continue;
        }
        match groups.iter_mut().find(|(_, on)| *on == fits) {
            Some((actions, _)) => actions.push(action),
            None => groups.push((vec![action], fits)),
        }
    }
    let unmet = resources.values.iter();
    let unmet: Vec<String> = unmet
        .filter(|resource| !groups.iter().any(|(_, on)| on.contains(resource)))
        .cloned()
        .collect();
    if let Some((actions, _)) = groups.first().filter(|_| !unmet.is_empty()) {
        let actions = actions.clone();
        let never = Some("none of these calls is made on such a resource".to_owned());
        vain.push(part(actions, false, some(unmet), never));
    }
    let groups = groups.into_iter();
    let real = groups.map(|(actions, on)| part(actions, false, some(on), None));
    real.chain(vain).collect()
}

fn part(actions: Vec<String>, all_but: bool, resources: Listed, never: Option<String>) -> Part {
    let actions = Listed {
        values: actions,
        all_but,
    };
    Part {
        actions,
        resources,
        never,
    }
}

fn some(values: Vec<String>) -> Listed {
    Listed {
        values,
        all_but: false,
    }
}

/// Whether `action`, or one that it stands for, is asked for on such a resource.
fn is_asked_on(action: &str, resource: &str) -> bool {
    let all = catalog::actions_matching(action);
    all.map_or_else(
        || catalog::is_real(action) && catalog::may_be_on(action, resource),
        |all| all.iter().any(|one| catalog::may_be_on(one, resource)),
    )
}

/// Why no resource of the statement fits `action`.
fn never(action: &str) -> String {
    if !catalog::is_real(action) {
        let near = catalog::nearest_action(action);
        let meant = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        return format!("AWS has no action `{action}`{meant}");
    }
    match catalog::asked_on(action) {
        Some(AskedOn::Everything) => {
            format!("AWS asks for `{action}` on `*` alone")
        }
        Some(AskedOn::Of(forms, _)) => {
            let forms: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
            format!("AWS asks for `{action}` on {} alone", forms.join(" or "))
        }
        None => format!("no call that `{action}` stands for is made on such a resource"),
    }
}

/// Changes of records without the values that Route 53 never sends, and those apart.
pub(super) fn records(mut calls: Calls) -> Vec<Calls> {
    let whole = calls.clone();
    let Some(records) = calls.records.as_mut().filter(|_| whole.never.is_none()) else {
        return vec![whole];
    };
    let mut vain = Vec::new();
    let mut none = false;
    for (place, (key, demands)) in RECORD_KEYS.into_iter().zip(records.iter_mut()).enumerate() {
        for demand in demands.iter_mut().filter(|one| !one.others) {
            let like = demand.clone();
            let (real, never): (Vec<String>, Vec<String>) = demand
                .values
                .drain(..)
                .partition(|value| is_sent(key, value, &like));
            demand.values = real;
            if never.is_empty() {
                continue;
            }
            none |= demand.values.is_empty();
            let why = why_never(key, &never, &like);
            let own = Demand {
                values: never,
                ..like
            };
            vain.push((place, own, why));
        }
    }
    if none {
        let mut whys: Vec<String> = vain.into_iter().map(|(_, _, why)| why).collect();
        whys.dedup();
        let never = Some(whys.join("; "));
        return vec![Calls { never, ..whole }];
    }
    let real = calls.clone();
    let apart = vain.into_iter().map(|(place, own, why)| {
        let mut apart = calls.clone();
        if let Some(demands) = apart.records.as_mut().and_then(|all| all.get_mut(place)) {
            *demands = vec![own];
        }
        apart.never = Some(why);
        apart
    });
    std::iter::once(real).chain(apart).collect()
}

/// Whether Route 53 sends some value that matches `value`; what a variable stands for is not known.
fn is_sent(key: &str, value: &str, demand: &Demand) -> bool {
    if value.contains("${") {
        return true;
    }
    let step = |letter: char| match letter {
        '*' if demand.patterns => vec![Step::Run { colon: true }],
        '?' if demand.patterns => vec![Step::One { colon: true }],
        letter if demand.any_case => letter.to_lowercase().map(Step::Folded).collect(),
        letter => vec![Step::Char(letter)],
    };
    let word: Word = value.chars().flat_map(step).collect();
    values::is_sent(word, Realm::Sent.sends(key))
}

/// Why Route 53 sends none of `values`.
fn why_never(key: &str, values: &[String], demand: &Demand) -> String {
    let plain = |value: &&String| !demand.patterns || !value.contains(['*', '?']);
    let seen = values.iter().filter(plain);
    let seen: Vec<String> = seen
        .filter_map(|value| seen_as(key, value))
        .map(|sent| format!("`{sent}`"))
        .collect();
    if seen.len() == values.len() {
        return format!("Route 53 sends {}, never what is written", seen.join(", "));
    }
    if key == TYPES_KEY {
        "Route 53 has no such type of record".to_owned()
    } else if key == NAMES_KEY {
        "Route 53 sends no such name: names come in lower case, without a final dot, with `\\052` for `*`"
            .to_owned()
    } else {
        "Route 53 sends `CREATE`, `UPSERT` or `DELETE`".to_owned()
    }
}

/// Why nothing that Route 53 sends under `key` passes all of `tests` on it; `None` also where that is not known.
pub(super) fn never_sent(key: &str, tests: &[&ConditionTest]) -> Option<String> {
    let of_key = tests.iter().copied();
    let of_key: Vec<&ConditionTest> = of_key
        .filter(|test| key.eq_ignore_ascii_case(&test.folded_key))
        .collect();
    let open = |test: &&ConditionTest| {
        test.doubt.is_some() || test.patterns().any(|one| one.variables().next().is_some())
    };
    if of_key.is_empty() || of_key.iter().any(open) {
        return None;
    }
    let (base, budget) = (Request::new("", ""), Budget::new(WORK, WORK));
    let wished: Vec<(&ConditionTest, Wish)> = of_key.iter().map(|one| (*one, Wish::Any)).collect();
    let sends = Realm::Sent.sends(key);
    let found = values::kinds(&wished, sends, &[], &base, &budget).ok()?;
    let lists = lists::kinds(&of_key, found.values, &base, MOST_LISTS)?;
    let passes = |list: Vec<String>| {
        let request = base.clone().with(key, ContextValue::Multi(list));
        of_key.iter().all(|test| test.truth(&request) != Truth::No)
    };
    if lists.into_iter().any(passes) {
        return None;
    }
    let demanded: Vec<String> = of_key
        .iter()
        .map(|test| test.operator.to_string())
        .collect();
    Some(format!(
        "nothing that Route 53 sends under `{key}` passes {}",
        demanded.join(" and ")
    ))
}

/// Bounds on the work for one key.
const WORK: usize = 1_000_000;
const MOST_LISTS: usize = 2_000;
