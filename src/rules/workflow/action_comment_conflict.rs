//! One commit under two version comments, or one exact version at two commits: one of the two is wrong, and no network is needed to know it.

use crate::diag::Severity;
use crate::model::workflow::{RefClass, Uses};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

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

type Pin<'a> = (String, String, &'a str, &'a Uses);

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let mut pins: Vec<Pin<'_>> = workspace
        .workflows
        .iter()
        .flat_map(|artefact| artefact.model.uses())
        .filter(|(_, uses)| uses.ref_class() == Some(RefClass::Commit))
        .filter_map(|(_, uses)| {
            let repository = uses.repository()?.to_ascii_lowercase();
            let commit = uses.reference()?.to_ascii_lowercase();
            Some((repository, commit, uses.commented_version()?, uses))
        })
        .collect();
    pins.sort_by(|a, b| (&a.0, a.3.text.span()).cmp(&(&b.0, b.3.text.span())));
    for pin in &pins {
        let other = pins.iter().find(|other| contradict(pin, other));
        if let Some(other) = other {
            report(pin, other, sink);
        }
    }
}

fn contradict(pin: &Pin<'_>, other: &Pin<'_>) -> bool {
    if pin.0 != other.0 {
        return false;
    }
    if pin.1 == other.1 {
        !are_one_version(pin.2, other.2)
    } else {
        // A tag such as `v4` moves, an exact version does not.
        pin.2 == other.2 && pin.2.matches('.').count() >= 2
    }
}

/// `v4` and `v4.1.0` can be the same; so can `4.1.0` and `v4.1.0`.
fn are_one_version(one: &str, other: &str) -> bool {
    let bare = |version: &str| version.strip_prefix('v').unwrap_or(version).to_owned() + ".";
    let (one, other) = (bare(one), bare(other));
    one.starts_with(&other) || other.starts_with(&one)
}

fn report(pin: &Pin<'_>, other: &Pin<'_>, sink: &mut Sink<'_>) {
    let (repository, commit, version, uses) = pin;
    let Some(comment) = &uses.comment else {
        return;
    };
    let short: String = commit.chars().take(8).collect();
    let (message, label) = if pin.1 == other.1 {
        (
            format!(
                "commit `{short}` of `{repository}` is called `{version}` here and `{}` elsewhere",
                other.2
            ),
            format!("the same commit is called `{}` here", other.2),
        )
    } else {
        (
            format!("`{version}` of `{repository}` is commit `{short}` here and another elsewhere"),
            format!("`{version}` is another commit here"),
        )
    };
    let elsewhere = other
        .3
        .comment
        .as_ref()
        .map_or_else(|| other.3.text.span(), |comment| comment.span);
    sink.report(comment.span, message)
        .related(elsewhere, label)
        .help("look up which version the commit is, and write that in both places");
}
