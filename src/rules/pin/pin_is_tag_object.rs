//! A pinned id that is a tag object, which points at the commit.

use crate::diag::{Edit, Severity};
use crate::model::pins::PinStanding;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::pins;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "pin-is-tag-object",
    aliases: &[],
    summary: "a pin to the id of a tag object instead of a commit",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("pin_is_tag_object.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for pin in pins(workspace) {
        let Some(PinStanding::TagObject { tag, commit }) = pin.standing() else {
            continue;
        };
        let at = pin.uses.reference_span();
        let edit = Edit {
            at,
            with: commit.to_owned(),
        };
        sink.report(
            at,
            format!(
                "`{}` is the tag object of `{tag}`, not a commit",
                pin.short()
            ),
        )
        .help(format!("pin the commit that it points at, `{commit}`"))
        .fix("pin the commit of the tag", true, vec![edit]);
    }
}
