//! A plan that writes over a value that Terraform does not own.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Claim, PlanChange, Record, Standing, block_address};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "plan-writes-owned-record",
    aliases: &[],
    summary: "a saved plan that changes, replaces or deletes a record whose value somebody else writes",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("plan_writes_owned_record.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    for change in workspace.plans.iter().flat_map(|plan| &plan.changes) {
        let Some(record) = change.record().filter(|_| !change.is_nothing()) else {
            continue;
        };
        let Some((owner, place)) = owner(workspace, &record, change) else {
            continue;
        };
        let (before, after) = change.values();
        let shown = |values: Option<Vec<String>>| {
            values.map_or_else(
                || "what is not known".to_owned(),
                |values| format!("`{}`", values.join("`, `")),
            )
        };
        if change.before.is_none() || change.is("update") && before == after {
            continue;
        }
        let message = if change.is_replacement() {
            let why = match change.forced_by.first() {
                Some(name) => format!(", because of `{name}`"),
                None => String::new(),
            };
            format!(
                "the plan makes `{}` anew{why}: {} is written over {}, whatever is ignored",
                change.address,
                shown(after),
                shown(before)
            )
        } else if change.is("delete") {
            format!(
                "the plan deletes `{}`, whose value {owner} writes",
                change.address
            )
        } else {
            format!(
                "the plan writes {} over {} in `{}`, whose value {owner} writes",
                shown(after),
                shown(before),
                change.address
            )
        };
        let draft = sink
            .report(change.at, message)
            .help("do not apply it; plan again with what stands in Route 53 now, and leave `name` and `zone_id` as they are");
        if let Some(place) = place {
            draft.related(place, "somebody other than Terraform owns this value");
        }
    }
}

/// Who writes the value of the record, and where that is said; `None` where Terraform does.
fn owner(
    workspace: &Workspace,
    record: &Record,
    change: &PlanChange,
) -> Option<(String, Option<Span>)> {
    if let Some(spec) = &workspace.spec
        && let Standing::Switched(at, _) = record.standing(spec, false)
    {
        let label = spec.label(&format!("/records/names/{at}"));
        return Some(("the workflow".to_owned(), Some(label.at)));
    }
    for ownership in &workspace.owned {
        if let Claim::Owned(owned) = ownership.claim(record)
            && ownership.changes.iter().any(|name| name == "records")
        {
            let writer = ownership.writer.clone();
            return Some((
                writer.unwrap_or_else(|| "somebody else".to_owned()),
                Some(owned.at),
            ));
        }
    }
    let declared = workspace.modules.iter().flat_map(|module| &module.records);
    let ignoring = declared
        .filter(|declared| {
            declared.address == change.address
                || block_address(&declared.address) == block_address(&change.address)
        })
        .find(|declared| declared.ignore_changes.ignores("records"));
    ignoring.map(|declared| ("somebody else".to_owned(), declared.ignore_changes.span()))
}
