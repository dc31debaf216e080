//! A pin that no reader can tell the version of.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::comment::{CommentFault, fault};
use super::pins;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-comment-missing",
    aliases: &[],
    summary: "a pin without a comment that says which version it is",
    severity: Severity::Note,
    tier: Tier::Specific,
    page: include_str!("pin_comment_missing.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        let Some(CommentFault::Missing { actual }) = fault(&pin) else {
            continue;
        };
        // Behind a value of several lines stands no comment.
        if sink.written(pin.uses.text.span()).contains('\n') {
            continue;
        }
        let (short, repository) = (pin.short(), &pin.repository);
        sink.report(
            pin.uses.reference_span(),
            format!("nothing says which version of `{repository}` commit `{short}` is"),
        )
        .help(match actual {
            Some(tag) => format!("add `# {tag}`"),
            None => "add the tag of the commit as a comment, such as `# v4.1.0`: reviewers read it, and update bots need it".to_owned(),
        });
    }
}
