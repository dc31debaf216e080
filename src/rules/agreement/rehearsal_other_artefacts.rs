//! An artefact is not the one that the last rehearsal was made with.

use std::collections::BTreeSet;

use crate::diag::Severity;
use crate::model::rehearsal::Rehearsal;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::rehearsal_stale::newest_passed;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "rehearsal-other-artefacts",
    aliases: &[],
    summary: "an artefact changed since the last rehearsal that passed",
    severity: Severity::Warning,
    tier: Tier::Agreement,
    page: include_str!("rehearsal_other_artefacts.md"),
    check: Check::Whole(check),
};

/// How many are named in the message.
const NAMED: usize = 3;

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    // Without the day, the other rule says that nothing is known of any rehearsal.
    let Some(today) = workspace.today.filter(|_| workspace.whole) else {
        return;
    };
    let Some(newest) = newest_passed(&workspace.rehearsals, today) else {
        return;
    };
    let others = others(workspace, newest);
    let Some((first, _)) = others.first() else {
        return;
    };
    let at = newest.artefacts.get(*first);
    let at = at.map_or(newest.artefacts_at, |(_, at)| *at);
    let named: Vec<String> = others.iter().take(NAMED).map(told).collect();
    let more = match others.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "since the {} of `{}` {}{more}: what it showed is not what is here",
        newest.kind.word(),
        newest.finished.0,
        named.join(", ")
    );
    let mut draft = sink.report(at, message);
    for (path, _) in others.iter().skip(1).take(NAMED) {
        if let Some((_, at)) = newest.artefacts.get(*path) {
            draft = draft.related(*at, "another one");
        }
    }
    draft.help("rehearse again: `pointsman drill --ledger` takes less than a minute");
}

/// What became of an artefact.
#[derive(Clone, Copy)]
enum Fate {
    Changed,
    New,
    Gone,
}

fn told((path, fate): &(&str, Fate)) -> String {
    match fate {
        Fate::Changed => format!("`{path}` has changed"),
        Fate::New => format!("`{path}` has come"),
        Fate::Gone => format!("`{path}` has gone"),
    }
}

/// Every artefact that is another one, those first that the rehearsal knew. What could not be read is told as that.
fn others<'a>(workspace: &'a Workspace, newest: &'a Rehearsal) -> Vec<(&'a str, Fate)> {
    let known: BTreeSet<&str> = newest.artefacts.keys().map(String::as_str).collect();
    let now: BTreeSet<&str> = workspace.sums.keys().map(String::as_str).collect();
    let folder = workspace.spec.as_ref().map_or("", |spec| spec.folder());
    let unread = |path: &str| workspace.unread.contains(&format!("{folder}{path}"));
    let fate = |path: &&'a str| {
        let sum = workspace.sums.get(*path);
        let noted = newest.artefacts.get(*path).map(|(sum, _)| sum);
        match (noted, sum) {
            (Some(noted), Some(sum)) if noted == sum => None,
            (Some(_), Some(_)) => Some((*path, Fate::Changed)),
            (Some(_), None) if unread(path) => None,
            (Some(_), None) => Some((*path, Fate::Gone)),
            (None, _) => Some((*path, Fate::New)),
        }
    };
    let of_then = known.iter().filter_map(fate);
    of_then
        .chain(now.difference(&known).filter_map(fate))
        .collect()
}
