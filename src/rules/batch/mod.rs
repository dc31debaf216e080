//! Rules over changes of records and health checks in Route 53's own JSON.

use super::Rule;

mod batch_alias_with_ttl;
mod change_incomplete;
mod change_repeated;
mod change_value_invalid;
mod health_check_disabled;
mod record_name_invalid;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &batch_alias_with_ttl::RULE,
    &change_incomplete::RULE,
    &change_repeated::RULE,
    &change_value_invalid::RULE,
    &health_check_disabled::RULE,
    &record_name_invalid::RULE,
];
