//! A date in the comment of a pin that something took for a version and counted on.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::comment::{CommentFault, fault};
use super::pins;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-comment-malformed",
    aliases: &[],
    summary: "a date in a version comment that was taken for a version",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("pin_comment_malformed.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        let Some(CommentFault::Malformed { word, at }) = fault(&pin) else {
            continue;
        };
        let whole = pin.uses.any_comment().map_or(at, |comment| comment.span);
        sink.report(
            whole,
            format!(
                "`{word}` is neither a date nor a version: an update bot took the date for one"
            ),
        )
        .help("write the tag of the commit alone, such as `# v4.1.0`");
    }
}
