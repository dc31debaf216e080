//! A comment that names the right version in a form that update bots do not follow.

use crate::diag::{Edit, Severity};
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::comment::{CommentFault, fault};
use super::pins;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-comment-style",
    aliases: &[],
    summary: "a version comment that update bots do not follow",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("pin_comment_style.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        let Some(CommentFault::Style { plain, at, why }) = fault(&pin) else {
            continue;
        };
        let whole = pin.uses.any_comment().map_or(at, |comment| comment.span);
        let edit = Edit {
            at,
            with: plain.clone(),
        };
        sink.report(
            whole,
            format!("update bots do not follow this comment: {why}"),
        )
        .help(format!("write the tag alone: `# {plain}`"))
        .fix("write the tag alone", true, vec![edit]);
    }
}
