//! A version comment that names another version than the commit is.

use crate::diag::{Edit, Severity};
use crate::model::spec::Action;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::comment::{CommentFault, fault};
use super::{Pin, pins};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-comment-mismatch",
    aliases: &[],
    summary: "the version comment of a pin is not the version of its commit",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("pin_comment_mismatch.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        let Some(CommentFault::Mismatch {
            named,
            commit,
            actual,
        }) = fault(&pin)
        else {
            continue;
        };
        let Some(comment) = pin.uses.any_comment() else {
            continue;
        };
        if is_told_by_the_spec(&pin, sink) {
            continue;
        }
        let (short, repository) = (pin.short(), &pin.repository);
        let is = match &actual {
            Some(tag) => format!("commit `{short}` is `{tag}`"),
            None => format!("commit `{short}` has no tag"),
        };
        let other = match &commit {
            Some(commit) => format!("`{named}` is `{}`", commit.get(..8).unwrap_or(commit)),
            None => format!("there is no tag `{named}`"),
        };
        let draft = sink
            .report(comment.span, format!("{is} of `{repository}`, and {other}"))
            .help(match (&actual, &commit) {
                (Some(tag), Some(commit)) => format!(
                    "if the commit is meant, write `# {tag}`; if `{named}` is, pin `{commit}`"
                ),
                (Some(tag), None) => format!("write `# {tag}`"),
                (None, Some(commit)) => format!(
                    "pin the commit of `{named}`, `{commit}`, or say in the comment what was pinned"
                ),
                (None, None) => {
                    "say in the comment what was pinned, or pin the commit of a release".to_owned()
                }
            });
        let word = pin.uses.version_comment().map(|comment| comment.word_at);
        if let (Some(tag), Some(at)) = (actual, word) {
            let edit = Edit { at, with: tag };
            draft.fix(
                "let the comment name the commit's own tag",
                false,
                vec![edit],
            );
        }
    }
}

/// Whether the spec has another commit of that action in this, its own, workflow: a rule of its own says so.
fn is_told_by_the_spec(pin: &Pin<'_>, sink: &Sink<'_>) -> bool {
    let Some(spec) = sink.spec() else {
        return false;
    };
    let at = pin.uses.text.span();
    let name = pin.uses.text.as_str().trim();
    let name = name.split('@').next().unwrap_or_default();
    let differs = |action: &Action| {
        action.uses.eq_ignore_ascii_case(name) && !action.commit.eq_ignore_ascii_case(&pin.commit)
    };
    sink.path(at) == spec.workflow_path() && spec.actions.iter().any(differs)
}
