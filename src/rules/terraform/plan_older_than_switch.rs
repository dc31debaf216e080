//! A saved plan that was made before the last switch that is known.

use crate::diag::Severity;
use crate::model::facts::minutes;
use crate::model::rehearsal::Kind;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};
use crate::terraform::Standing;

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
    let Some(last) = exercises.max_by_key(|rehearsal| rehearsal.finished_minutes) else {
        return;
    };
    for plan in &workspace.plans {
        let Some(made) = &plan.made else { continue };
        let switched = plan
            .changes
            .iter()
            .filter(|change| !change.is_nothing())
            .find(|change| {
                let record = change.record();
                record.is_some_and(|record| {
                    matches!(record.standing(spec, false), Standing::Switched(..))
                })
            });
        let Some(change) = switched else { continue };
        let at = made.origin().span();
        match minutes(made.as_str()) {
            None => sink.undecided(
                at,
                "whether the plan is older than the last switch",
                format!("`{}` is no RFC 3339 time", made.as_str()),
                Vec::new(),
            ),
            Some(minutes) if minutes < last.finished_minutes => {
                let message = format!(
                    "the plan of `{}` was made before the last switch ended, on `{}`, and touches `{}`: it knows the values of before",
                    made.as_str(),
                    last.finished.0,
                    change.address
                );
                sink.report(at, message)
                    .related(last.finished.1, "the last switch that is known")
                    .help("throw the plan away, and plan again");
            }
            Some(_) => {}
        }
    }
}
