//! A host that the spec has at a site whose cluster has no certificate for it: visitors who are moved there see a warning.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Sink, Tier, Workspace};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "host-uncertified",
    aliases: &[],
    summary: "a host without a good certificate at one of its sites",
    severity: Severity::Error,
    tier: Tier::Agreement,
    page: include_str!("host_uncertified.md"),
    check: Check::Whole(check),
};

fn check(workspace: &Workspace, sink: &mut Sink<'_>) {
    let help = "add the name to `dnsNames` of the certificate that the gateway shows, from an issuer that proves over DNS-01";
    super::report(workspace, sink, |row| &row.certificate, help);
}
