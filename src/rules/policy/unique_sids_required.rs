//! Two statements with the same `Sid`.

use crate::diag::Severity;
use std::collections::BTreeMap;

use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Text, quoted};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "unique-sids-required",
    aliases: &[],
    summary: "two statements with the same Sid",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("unique_sids_required.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    // Some services take repeated Sids in the policies of their resources.
    if matches!(policy.kind, PolicyKind::Resource | PolicyKind::Endpoint) {
        return;
    }
    let mut seen: BTreeMap<&str, &Text> = BTreeMap::new();
    // Of those that only may be there, perhaps one alone is.
    let certain = policy.statements.iter().filter(|one| !one.possible);
    for statement in certain {
        // AWS takes an empty Sid for none.
        let Some(sid) = statement
            .sid
            .as_ref()
            .filter(|sid| !sid.as_str().is_empty())
        else {
            continue;
        };
        let Some(first) = seen.get(sid.as_str()) else {
            seen.insert(sid.as_str(), sid);
            continue;
        };
        let message = format!("the Sid {} stands in two statements", quoted(sid.as_str()));
        sink.report(sid.span(), message)
            .pointer(format!("{}/Sid", statement.pointer))
            .related(first.span(), "it stands here first")
            .help("give each statement a Sid of its own, or none");
    }
}
