//! Rules over scripts that people keep beside a failover: probes with curl, and calls of Route 53.

use crate::model::script::Command;

use super::Rule;

mod disabled_health_check_is_healthy;
mod host_header_probe;
mod probe_follows_redirects;
mod probe_ignores_certificate;
mod probe_pin_unused;
mod probe_without_time_limit;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &disabled_health_check_is_healthy::RULE,
    &host_header_probe::RULE,
    &probe_follows_redirects::RULE,
    &probe_ignores_certificate::RULE,
    &probe_pin_unused::RULE,
    &probe_without_time_limit::RULE,
];

/// Whether curl asks one site, whose address is pinned.
fn is_probe(command: &Command) -> bool {
    let pinned = ["--resolve", "--connect-to"];
    command.is("curl")
        && pinned
            .into_iter()
            .any(|option| !command.values(option, '\0').is_empty())
}
