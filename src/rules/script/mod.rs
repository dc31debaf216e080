//! Rules over scripts that people keep beside a failover: probes with curl, and calls of Route 53.

use super::Rule;

mod disabled_health_check_is_healthy;
mod host_header_probe;
mod probe_follows_redirects;
mod probe_pin_unused;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &disabled_health_check_is_healthy::RULE,
    &host_header_probe::RULE,
    &probe_follows_redirects::RULE,
    &probe_pin_unused::RULE,
];
