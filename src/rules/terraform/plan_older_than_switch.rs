//! A saved plan that was made before the last switch that is known.

use std::cmp::Ordering;

use crate::diag::Severity;
use crate::model::calendar::Moment;
use crate::model::rehearsal::{Kind, Rehearsal};
use crate::model::spec::Spec;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::{Plan, PlanChange, Standing};
use crate::text::Span;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "plan-older-than-switch",
    aliases: &[],
    summary: "a saved plan that touches switched records, and was made before the last switch in the ledger",
    severity: Severity::Error,
    tier: Tier::General,
    page: include_str!("plan_older_than_switch.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let Some(spec) = &workspace.spec else { return };
    // A drill moves nothing that a plan knows.
    let exercises = workspace.rehearsals.iter();
    let exercises = exercises.filter(|rehearsal| rehearsal.kind == Kind::Exercise);
    let Some(last) = exercises.max_by_key(|rehearsal| rehearsal.ended) else {
        return;
    };
    for plan in &workspace.plans {
        let of_switch = |change: &&PlanChange| touches(change, spec);
        if let Some(change) = plan.changes.iter().find(of_switch) {
            judge(plan, change, last, sink);
        }
    }
}

/// Whether it does something to a record that the switch moves.
fn touches(change: &PlanChange, spec: &Spec) -> bool {
    let is_switched = |record| matches!(record, Standing::Switched(..));
    let records = change.records().into_iter().flatten();
    !change.is_nothing()
        && records
            .map(|record| record.standing(spec, false))
            .any(is_switched)
}

fn judge(plan: &Plan, change: &PlanChange, last: &Rehearsal, sink: &mut Sink<'_>) {
    let mut open = |at: Span, why: String| {
        let what = "whether the plan is older than the last switch";
        sink.undecided(at, what, why, Vec::new());
    };
    let Some(made) = &plan.made else {
        let why = "it has no `timestamp`, which Terraform writes since 1.5";
        return open(change.at, why.to_owned());
    };
    let at = made.span();
    let written = made.as_str().unwrap_or_default();
    let Some(moment) = Moment::parse(written) else {
        let why = format!(
            "its `timestamp` is no time of RFC 3339 such as `2026-11-30T12:00:00Z`, but `{written}`"
        );
        return open(at, why);
    };
    if moment.cmp(&last.ended) != Ordering::Less {
        return;
    }
    let message = format!(
        "the plan of `{written}` was made before the last switch ended, on `{}`, and touches `{}`: it knows the values of before",
        last.finished.0, change.address
    );
    sink.report(at, message)
        .related(last.finished.1, "the last switch that is known")
        .help("throw the plan away, and plan again");
}
