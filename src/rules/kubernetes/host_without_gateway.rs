//! A host that the spec has at a site where no gateway takes it over HTTPS: visitors who are moved there see a failed connection.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "host-without-gateway",
    aliases: &[],
    summary: "a host that no gateway takes over HTTPS at one of its sites",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("host_without_gateway.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let help = "add the host to a server with TLS of the gateway, or name the site in `absent_at` of the host";
    super::report(workspace, sink, |row| &row.gateway, help);
}
