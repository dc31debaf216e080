//! What follows from what somebody wrote down of a failover: thresholds and observations, probes and who decides, the times of
//! runs. It is said beside the findings, and is none itself.

use crate::diag::Decided;
use crate::model::decider::Deciders;
use crate::model::facts::Runs;
use crate::model::observed::{Observed, Seen, View};
use crate::rules::Workspace;
use crate::syntax::Node;
use crate::text::SourceMap;

/// Everything that follows, in the order of the files.
pub(super) fn decided(workspace: &Workspace, sources: &SourceMap) -> Vec<Decided> {
    let mut found: Vec<Decided> = workspace
        .runs
        .iter()
        .filter_map(|runs| gaps(runs, sources))
        .collect();
    for observed in &workspace.observed {
        let folder = observed.folder.as_str();
        let beside = workspace.deciders.iter().filter(|deciders| {
            let path = sources.path(deciders.root.span().file);
            path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder
        });
        let path = sources.path(observed.at.file);
        for deciders in beside {
            found.extend(of_observations(observed, deciders, path));
        }
    }
    found
}

fn gaps(runs: &Runs, sources: &SourceMap) -> Option<Decided> {
    let path = sources.path(runs.at.first()?.file).to_owned();
    let between = |pair: &[i64]| match pair {
        [one, next] => Some((next - one).to_string()),
        _ => None,
    };
    let gaps: Vec<String> = runs.minutes.windows(2).filter_map(between).collect();
    (!gaps.is_empty()).then(|| Decided {
        policy: path.rsplit('/').next().unwrap_or_default().to_owned(),
        path,
        decision: format!("gaps {} min", gaps.join(",")),
        why: "differences of the times, one after the other".to_owned(),
    })
}

fn of_observations(observed: &Observed, deciders: &Deciders, path: &str) -> Vec<Decided> {
    let made = |(policy, decision, why): (String, String, String)| Decided {
        path: path.to_owned(),
        policy,
        decision,
        why,
    };
    let root = &deciders.root;
    match &observed.seen {
        Seen::Answers(answers) => thresholds(answers, root).map(made).into_iter().collect(),
        Seen::Views(views) => match views.as_slice() {
            [(place, sites)] if place.is_empty() => {
                moved(sites, root).map(made).into_iter().collect()
            }
            _ => seen_from(views, deciders).into_iter().map(made).collect(),
        },
    }
}

type Said = (String, String, String);

/// A site goes down after `fall` bad answers in a row, and up after `rise` good ones; each opposite answer begins anew.
fn thresholds(answers: &[bool], root: &Node) -> Option<Said> {
    let number = |key: &str| usize::try_from(root.get(key)?.as_integer()?).ok();
    let (fall, rise) = (number("fall")?, number("rise")?);
    let (mut is_up, mut row) = (true, 0);
    let mut turns = Vec::new();
    for (at, good) in (1..).zip(answers) {
        row = if *good == is_up { 0 } else { row + 1 };
        let needed = if is_up { fall } else { rise };
        if row > 0 && row >= needed {
            is_up = !is_up;
            row = 0;
            turns.push(format!("{} at {at}", if is_up { "up" } else { "down" }));
        }
    }
    let decision = if turns.is_empty() {
        "up throughout".to_owned()
    } else {
        turns.join(", ")
    };
    let why = "counted in a row: each opposite answer begins anew".to_owned();
    Some((format!("fall={fall}, rise={rise}"), decision, why))
}

/// What a run does that finds the records at `current`: it goes nowhere but to a site that answers.
fn moved(sites: &[(String, bool)], root: &Node) -> Option<Said> {
    let current = root.get("current").and_then(Node::as_str)?;
    let address = |site: &str| root.get(site).and_then(Node::as_str);
    let is_current = |site: &str| site == current || address(site) == Some(current);
    let (here, good) = sites.iter().find(|(site, _)| is_current(site))?;
    let other = sites.iter().find(|(site, good)| *good && site != here);
    let said =
        |policy: &str, decision: String, why: String| Some((policy.to_owned(), decision, why));
    match other {
        _ if *good => {
            let why = format!("`{here}` answers, and one look alone moves nobody back");
            said("the current site answers", format!("stay on {here}"), why)
        }
        Some((target, _)) => {
            let why = format!("`{here}` fails, and `{target}` answers");
            let policy = "the current site fails, another one answers";
            said(policy, format!("switch to {target}"), why)
        }
        None => said(
            "no healthy target",
            "no change, exit with an alarm".to_owned(),
            "a run never goes to a site that did not answer with 200".to_owned(),
        ),
    }
}

/// What each place would decide that sees the sites as it does. A place that is a site itself sees a cut between the sites
/// as the death of the other.
fn seen_from(views: &[View], deciders: &Deciders) -> Vec<Said> {
    let sites = deciders.sites();
    let Some(home) = sites.first() else {
        return Vec::new();
    };
    let state = |view: &[(String, bool)], site: &str| {
        view.iter()
            .find(|(name, _)| name == site)
            .map(|(_, good)| *good)
    };
    let outside = views
        .iter()
        .find(|(place, _)| !sites.contains(&place.as_str()));
    let lives = outside.and_then(|(_, view)| state(view, home));
    let one = |(place, view): &View| {
        let other = || view.iter().find(|(site, good)| *good && site != home);
        let inside = sites.contains(&place.as_str());
        let (decision, why) = match (state(view, home)?, other()) {
            (true, _) => (format!("stay on {home}"), format!("{place} sees {home} ok")),
            (false, None) => (
                "no change, exit with an alarm".to_owned(),
                format!("{place} sees no site that answers"),
            ),
            (false, Some(_)) if inside && lives == Some(true) => (
                "would switch wrongly".to_owned(),
                format!("{home} answers from outside; {place} sees only its own side"),
            ),
            (false, Some((target, _))) => (
                format!("switch to {target}"),
                format!("{place} sees {home} fail and {target} ok"),
            ),
        };
        Some((format!("decider {place}"), decision, why))
    };
    views.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::json;

    fn tree(source: &str) -> Node {
        let mut sources = SourceMap::default();
        let file = sources.add("failover.json", source);
        let parsed = json::read(&sources.text(file).unwrap());
        parsed.documents.into_iter().next().unwrap()
    }

    #[test]
    fn an_opposite_answer_begins_the_count_anew() {
        let answers = |text: &str| text.chars().map(|it| it == '+').collect::<Vec<bool>>();
        let of = |text: &str, rule: &str| thresholds(&answers(text), &tree(rule)).unwrap().1;
        let three = r#"{"fall": 3, "rise": 3}"#;
        assert_eq!(of("--+---++-+++", three), "down at 6, up at 12");
        assert_eq!(of("--+--+", three), "up throughout");
        assert_eq!(
            of("-+-", r#"{"fall": 1, "rise": 1}"#),
            "down at 1, up at 2, down at 3"
        );
    }

    #[test]
    fn a_run_goes_nowhere_but_to_a_site_that_answers() {
        let root =
            tree(r#"{"edge": "198.51.100.10", "hub": "203.0.113.20", "current": "198.51.100.10"}"#);
        let of = |edge, hub| {
            let sites = [("edge".to_owned(), edge), ("hub".to_owned(), hub)];
            moved(&sites, &root).unwrap().1
        };
        assert_eq!(of(false, false), "no change, exit with an alarm");
        assert_eq!(of(false, true), "switch to hub");
        assert_eq!(of(true, false), "stay on edge");
    }
}
