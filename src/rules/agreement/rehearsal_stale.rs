//! The newest rehearsal that passed is older than the spec's limit, one failed after it, or there is none in the ledger.

use crate::diag::Severity;
use crate::model::calendar::Day;
use crate::model::rehearsal::Rehearsal;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "rehearsal-stale",
    aliases: &[],
    summary: "no rehearsal has passed within the spec's limit, or a later one failed",
    severity: Severity::Warning,
    tier: Tier::Agreement,
    page: include_str!("rehearsal_stale.md"),
    check: Check::Whole(check),
};

/// A ledger that is not there is no fault: a deployment begins so.
fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = workspace.spec.as_ref().filter(|_| workspace.whole) else {
        return;
    };
    let Some(last) = latest(&workspace.rehearsals, |_| true) else {
        return;
    };
    let Some(today) = workspace.today else {
        let why = "this run does not know the day";
        let missing = vec!["today".to_owned()];
        sink.undecided(
            last.finished.1,
            "how old the last rehearsal is",
            why,
            missing,
        );
        return;
    };
    let limit = spec.rehearsals.limit_days;
    let label = spec.label("/rehearsals/limit_days");
    let (at, message) = match newest_passed(&workspace.rehearsals, today) {
        Some(newest) if age(newest, today) <= i64::from(limit) => {
            match failed_since(newest, last) {
                Some(told) => (last.passed.1, told),
                None => return,
            }
        }
        Some(newest) => (
            newest.finished.1,
            format!(
                "the last {} that passed is {} days old, of `{}`; at most {limit} are allowed",
                newest.kind.word(),
                age(newest, today),
                newest.finished.0
            ),
        ),
        None if last.finished.0 > tomorrow(today) => (
            last.finished.1,
            format!(
                "`{}` lies ahead of `{today}`, so that it proves nothing yet",
                last.finished.0
            ),
        ),
        None => (
            last.passed.1,
            format!(
                "no rehearsal has passed; the last {} failed",
                last.kind.word()
            ),
        ),
    };
    sink.report(at, message)
        .related(label.at, label.text)
        .help("run `pointsman drill --ledger`, or an exercise with `pointsman drill --live`, and commit what it writes");
}

/// What is told of the last rehearsal where it failed after the last one that passed.
fn failed_since(newest: &Rehearsal, last: &Rehearsal) -> Option<String> {
    let later = last.finished_minutes > newest.finished_minutes;
    (later && !last.passed.0).then(|| {
        format!(
            "the last {} failed, of `{}`; what passed before it, of `{}`, is no proof any more",
            last.kind.word(),
            last.finished.0,
            newest.finished.0
        )
    })
}

/// The last of those that passed, up to the day: clocks of two machines may be hours apart.
pub(super) fn newest_passed(rehearsals: &[Rehearsal], today: Day) -> Option<&Rehearsal> {
    latest(rehearsals, |it| {
        it.passed.0 && it.finished.0 <= tomorrow(today)
    })
}

fn tomorrow(today: Day) -> Day {
    Day(today.0.saturating_add(1))
}

fn latest(rehearsals: &[Rehearsal], counts: impl Fn(&Rehearsal) -> bool) -> Option<&Rehearsal> {
    let counted = rehearsals.iter().filter(|it| counts(it));
    counted.max_by_key(|it| (it.finished_minutes, &it.path))
}

fn age(rehearsal: &Rehearsal, today: Day) -> i64 {
    today.0.saturating_sub(rehearsal.finished.0.0).max(0)
}
