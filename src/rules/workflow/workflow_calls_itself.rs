//! A reusable workflow that calls itself, at once or by way of others.

use std::collections::BTreeSet;

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

use super::calls::calls;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "workflow-calls-itself",
    aliases: &[],
    summary: "a reusable workflow that calls itself",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("workflow_calls_itself.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let all = calls(workspace);
    for call in &all {
        let own = call.caller.path.as_str();
        let mut seen = BTreeSet::new();
        let mut open = vec![call.called.path.as_str()];
        while let Some(next) = open.pop() {
            if next == own {
                if let Some(uses) = &call.job.uses {
                    let way = if call.called.path == own {
                        ""
                    } else {
                        " by way of what it calls"
                    };
                    let message =
                        format!("`{own}` calls itself here{way}, so that GitHub refuses the run");
                    sink.report(uses.text.span(), message)
                        .help("call a workflow that does not lead back here");
                }
                break;
            }
            if seen.insert(next) {
                let further = all.iter().filter(|other| other.caller.path == next);
                open.extend(further.map(|other| other.called.path.as_str()));
            }
        }
    }
}
