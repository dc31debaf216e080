//! One commit under two version comments, or one exact version at two commits: one of the two is wrong, and no network is needed to know it.

use std::collections::BTreeMap;

use crate::diag::Severity;
use crate::model::workflow::{RefClass, Uses};
use crate::rules::pin::is_decided_by_lock;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "action-comment-conflict",
    aliases: &[],
    summary: "the same action pinned under contradicting version comments",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("action_comment_conflict.md"),
    check: Check::Whole(check),
};

/// A pin with what its comment says.
struct Pin {
    repository: String,
    commit: String,
    version: String,
    comment: Span,
}

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let pins: Vec<Pin> = workspace
        .step_files()
        .flat_map(|file| {
            // What the lock knows is judged by it.
            let open = move |uses: &&Uses| !is_decided_by_lock(uses, workspace, file.path());
            file.uses().into_iter().filter(open).filter_map(pin)
        })
        .collect();
    let mut by_commit = BTreeMap::<_, Vec<&Pin>>::new();
    let mut by_version = BTreeMap::<_, Vec<&Pin>>::new();
    for pin in &pins {
        let of_commit = by_commit.entry((&pin.repository, &pin.commit));
        of_commit.or_default().push(pin);
        // A tag such as `v4` moves, an exact version does not.
        if pin.version.matches('.').count() >= 2 {
            let of_version = by_version.entry((&pin.repository, &pin.version));
            of_version.or_default().push(pin);
        }
    }
    for pins in by_commit.into_values() {
        contradictions(
            &pins,
            |one, other| are_one_version(&one.version, &other.version),
            sink,
        );
    }
    for pins in by_version.into_values() {
        contradictions(&pins, |one, other| one.commit == other.commit, sink);
    }
}

fn pin(uses: &Uses) -> Option<Pin> {
    if uses.ref_class() != Some(RefClass::Commit) {
        return None;
    }
    Some(Pin {
        repository: uses.repository()?.to_ascii_lowercase(),
        commit: uses.reference()?.to_ascii_lowercase(),
        version: uses.commented_version()?,
        comment: uses.any_comment()?.span,
    })
}

/// Reports every pin that others contradict, unless more stand with it than against it: then the others are told.
fn contradictions(pins: &[&Pin], agree: impl Fn(&Pin, &Pin) -> bool, sink: &mut Sink<'_>) {
    // Few distinct forms, however many pins: each is compared with the first of each form.
    let mut forms = BTreeMap::<(&str, &str), (usize, &Pin)>::new();
    for pin in pins {
        let form = forms.entry((pin.version.as_str(), pin.commit.as_str()));
        form.or_insert((0, *pin)).0 += 1;
    }
    for pin in pins {
        let (with, against): (Vec<_>, Vec<_>) =
            forms.values().partition(|(_, other)| agree(pin, other));
        let count = |forms: &[&(usize, &Pin)]| forms.iter().map(|(count, _)| count).sum::<usize>();
        if let Some((_, other)) = against.first().filter(|_| count(&with) <= count(&against)) {
            report(pin, other, sink);
        }
    }
}

/// `v4` and `v4.1.0` can be the same; so can `4.1.0` and `v4.1.0`, and the tags of two parts of a repository.
fn are_one_version(one: &str, other: &str) -> bool {
    let part = |version: &str| version.rsplit_once('/').map(|(part, _)| part.to_owned());
    if part(one) != part(other) {
        return true;
    }
    let bare = |version: &str| version.strip_prefix('v').unwrap_or(version).to_owned() + ".";
    let (one, other) = (bare(one), bare(other));
    one.starts_with(&other) || other.starts_with(&one)
}

fn report(pin: &Pin, other: &Pin, sink: &mut Sink<'_>) {
    let Pin {
        repository,
        commit,
        version,
        comment,
    } = pin;
    let short: String = commit.chars().take(8).collect();
    let elsewhere = &other.version;
    let (message, label) = if pin.commit == other.commit {
        (
            format!(
                "commit `{short}` of `{repository}` is called `{version}` here and `{elsewhere}` elsewhere"
            ),
            format!("the same commit is called `{elsewhere}` here"),
        )
    } else {
        (
            format!("`{version}` of `{repository}` is commit `{short}` here and another elsewhere"),
            format!("`{version}` is another commit here"),
        )
    };
    sink.report(*comment, message)
        .related(other.comment, label)
        .help("look up which version the commit is, and write that in both places");
}
