//! Rules over artefacts side by side: what one says and another, or the spec, says otherwise.

use super::Rule;

mod origin_record_ignores_value;
mod origin_record_missing;
mod record_missing_in_terraform;
mod record_name_differs;
mod record_ttl_differs;
mod record_type_differs;
mod record_value_differs;
mod record_zone_differs;
mod role_name_differs;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &origin_record_ignores_value::RULE,
    &origin_record_missing::RULE,
    &record_missing_in_terraform::RULE,
    &record_name_differs::RULE,
    &record_ttl_differs::RULE,
    &record_type_differs::RULE,
    &record_value_differs::RULE,
    &record_zone_differs::RULE,
    &role_name_differs::RULE,
];
