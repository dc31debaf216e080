//! A comment that names a major tag, which has moved on since the commit was pinned.

use crate::diag::{Edit, Severity};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::comment::{CommentFault, fault};
use super::pins;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-comment-moving-tag",
    aliases: &[],
    summary: "a version comment that names a tag that moves",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("pin_comment_moving_tag.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        let Some(CommentFault::Moving {
            named,
            moved,
            exact,
        }) = fault(&pin)
        else {
            continue;
        };
        let Some(comment) = pin.uses.version_comment() else {
            continue;
        };
        let whole = pin.uses.any_comment().map(|comment| comment.span);
        let message = if moved {
            format!("`{named}` has moved on since: the commit is `{exact}`")
        } else {
            format!(
                "`{named}` is no tag of `{}`: the commit is `{exact}`",
                pin.repository
            )
        };
        let edit = Edit {
            at: comment.word_at,
            with: exact.clone(),
        };
        sink.report(whole.unwrap_or(comment.word_at), message)
            .help(format!(
                "the pin is sound; let the comment name the exact version, `# {exact}`"
            ))
            .fix("name the exact version", true, vec![edit]);
    }
}
