//! A host that the spec has at a site whose cluster sends its requests nowhere: visitors who are moved there see a 404.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "host-unrouted",
    aliases: &[],
    summary: "a host without a route at one of its sites",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("host_unrouted.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let help = "add a `VirtualService`, an `HTTPRoute` or an `Ingress` for it, or name the site in `absent_at` of the host";
    super::report(workspace, sink, |row| &row.route, help);
}
