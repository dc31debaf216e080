//! Of what a statement writes, what some real request can be: which of its actions are asked for on which of its resources,
//! and which of its values Route 53 ever sends.

use crate::iam::catalog::{self, AskedOn};
use crate::model::policy::Quantifier;
use crate::model::policy::route53::RECORD_KEYS;

use super::super::explain::seen_as;
use super::closed::{Calls, Demand, Listed};

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
    let Some(records) = calls.records.as_mut().filter(|_| calls.never.is_none()) else {
        return vec![calls];
    };
    let mut vain = Vec::new();
    let mut none = false;
    for (place, (key, demands)) in RECORD_KEYS.into_iter().zip(records.iter_mut()).enumerate() {
        for demand in demands.iter_mut().filter(|one| lists(one)) {
            let (never, real): (Vec<String>, Vec<String>) = demand
                .values
                .drain(..)
                .partition(|value| seen_as(key, value).is_some());
            demand.values = real;
            let sent = never.iter().filter_map(|value| seen_as(key, value));
            let sent: Vec<String> = sent.map(|sent| format!("`{sent}`")).collect();
            if sent.is_empty() {
                continue;
            }
            none |= demand.values.is_empty();
            let why = format!("Route 53 sends {}, never what is written", sent.join(", "));
            let own = Demand {
                values: never,
                ..demand.clone()
            };
            vain.push((place, own, why));
        }
    }
    let whole = calls.clone();
    let apart = vain.into_iter().map(|(place, own, why)| {
        let mut apart = whole.clone();
        if let Some(demands) = apart.records.as_mut().and_then(|all| all.get_mut(place)) {
            *demands = vec![own];
        }
        apart.never = Some(why);
        apart
    });
    let real = (!none).then(|| whole.clone());
    real.into_iter().chain(apart).collect()
}

/// Whether a demand lists all that may be sent, each as it is.
fn lists(demand: &Demand) -> bool {
    demand.of == Quantifier::ForAllValues && !demand.others && !demand.patterns
}
