//! Rules that hold the artefacts against the spec: the same names, numbers and places everywhere, or a finding with
//! both places.

use super::Rule;

mod artefact_missing;
mod executor_not_committed;
mod host_outside_the_switch;
mod ignore_changes_beyond_value;
mod needed_resource_not_once;
mod origin_record_ignores_value;
mod origin_record_missing;
mod policy_actions_differ;
mod policy_allows_less_than_the_spec;
mod policy_allows_more_than_the_spec;
mod policy_difference;
mod policy_differs_from_spec;
mod policy_names_differ;
mod policy_types_differ;
mod policy_zone_differs;
mod proof;
mod record_attribute_missing;
mod record_declared_twice;
mod record_key;
mod record_missing_in_terraform;
mod record_name_differs;
mod record_overwritten;
mod record_ttl_differs;
mod record_type_differs;
mod record_value_differs;
mod record_with_routing_policy;
mod record_zone_differs;
mod records_exclusive;
mod rehearsal_other_artefacts;
mod rehearsal_stale;
mod role_boundary_unexpected;
mod role_name_differs;
mod role_rights_beyond_spec;
mod role_without_trust;
mod second_role_for_job;
mod switched_record_replaced;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &artefact_missing::RULE,
    &executor_not_committed::RULE,
    &host_outside_the_switch::RULE,
    &ignore_changes_beyond_value::RULE,
    &needed_resource_not_once::RULE,
    &origin_record_ignores_value::RULE,
    &origin_record_missing::RULE,
    &policy_actions_differ::RULE,
    &policy_allows_less_than_the_spec::RULE,
    &policy_allows_more_than_the_spec::RULE,
    &policy_differs_from_spec::RULE,
    &policy_names_differ::RULE,
    &policy_types_differ::RULE,
    &policy_zone_differs::RULE,
    &record_attribute_missing::RULE,
    &record_declared_twice::RULE,
    &record_missing_in_terraform::RULE,
    &record_name_differs::RULE,
    &record_overwritten::RULE,
    &record_ttl_differs::RULE,
    &record_type_differs::RULE,
    &record_value_differs::RULE,
    &record_with_routing_policy::RULE,
    &record_zone_differs::RULE,
    &records_exclusive::RULE,
    &rehearsal_other_artefacts::RULE,
    &rehearsal_stale::RULE,
    &role_boundary_unexpected::RULE,
    &role_name_differs::RULE,
    &role_rights_beyond_spec::RULE,
    &role_without_trust::RULE,
    &second_role_for_job::RULE,
    &switched_record_replaced::RULE,
];
