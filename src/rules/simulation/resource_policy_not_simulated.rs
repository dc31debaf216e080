//! A trust policy given to AWS's simulator, which does not look at it.

use crate::diag::Severity;
use crate::iam::Simulation;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "resource-policy-not-simulated",
    aliases: &[],
    summary: "a trust policy given to AWS's simulator, which does not look at it",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("resource_policy_not_simulated.md"),
    check: Check::Simulation(check),
};

fn check(simulation: &Simulation, _: &Workspace, sink: &mut Sink<'_>) {
    let assumes = |action: &str| action.to_ascii_lowercase().starts_with("sts:assume");
    let mut requests = simulation.requests.iter();
    let asked = requests.find(|asked| assumes(asked.request.action()));
    if let (Some(at), Some(asked)) = (simulation.resource_policy, asked) {
        let action = asked.request.action();
        let message = format!(
            "`ResourcePolicy` is not looked at by AWS's simulator for `{action}`: its answer says nothing of the trust policy"
        );
        sink.report(at, message)
            .related(asked.at, "the action")
            .help("judge it with `pointsman validate trust` or `pointsman prove trust`");
    }
}
