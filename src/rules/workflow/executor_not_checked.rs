//! An executor that runs without having been compared with its SHA-256.

use crate::diag::Severity;
use crate::model::spec::{EXECUTOR, EXECUTOR_SUM};
use crate::model::workflow::Workflow;
use crate::rules::{Check, Rule, Sink, Tier};

use super::executor::{Act, acts};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "executor-not-checked",
    aliases: &[],
    summary: "the executor runs without having been compared with its SHA-256",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("executor_not_checked.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let Some(spec) = sink.spec().filter(|_| super::is_failover(workflow, sink)) else {
        return;
    };
    let named = spec.at("/github/workflow");
    for job in super::switching_jobs(workflow) {
        let mut checked = false;
        for (act, at) in acts(job) {
            match act {
                Act::Check => checked = true,
                // What is fetched afterwards lies in the place of what was compared.
                Act::Checkout => checked = false,
                Act::Switch | Act::SwitchWithMore if !checked => {
                    sink.report(
                        at,
                        format!("`{EXECUTOR}` runs with the right to change the records, and nothing has compared it with its SHA-256"),
                    )
                    .related(named, "the spec says here which workflow it is")
                    .help(format!("run `sha256sum --check --strict {EXECUTOR_SUM}` before it, behind the checkout"));
                    // One check is missing, however often the program runs.
                    break;
                }
                Act::Switch | Act::SwitchWithMore | Act::Credentials | Act::Foreign => {}
            }
        }
    }
}
