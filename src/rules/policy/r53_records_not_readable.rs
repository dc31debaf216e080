//! A client of Route 53 that may change records and not read them.

use crate::diag::Severity;
use crate::model::policy::{PolicyDocument, Statement, route53};
use crate::rules::{Check, Rule, Sink, Tier};

use super::grant::{self, Grant};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-records-not-readable",
    aliases: &[],
    summary: "records that may be changed and not read, by a client that reads first",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_records_not_readable.md"),
    check: Check::Policy(check),
};

/// What clients do that look for their zone by its name and wait for their changes; all that are known read the records
/// before they write them.
const OF_CLIENTS: [&str; 2] = ["route53:ListHostedZonesByName", route53::GET_CHANGE];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    let allowed = |action: &str| {
        policy
            .statements
            .iter()
            .any(|statement: &Statement| statement.allows() && statement.covers_action(action))
    };
    let whole = policy.unknown.is_empty() && policy.malformed.is_empty();
    let client = whole && OF_CLIENTS.iter().all(|action| allowed(action));
    if !client || allowed(route53::LIST_RECORDS) {
        return;
    }
    if let Some(grant) = grant::of(policy).find(Grant::is_special) {
        let message = format!(
            "{} lets records be changed, and nothing here lets them be read",
            grant.shown()
        );
        sink.report(grant.span(), message)
            .pointer(grant.statement.pointer.clone())
            .help("allow `route53:ListResourceRecordSets` on the zone, in a statement without conditions on records: a client that looks for its zone by name reads the records before it writes them");
    }
}
