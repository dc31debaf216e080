//! Rules over IAM policies.

use super::Rule;

mod blocks;
mod cover;
mod covered_values;
mod everyone;
mod grant;
mod insertion;
pub(super) mod mend;
mod networks;
mod record_keys;
mod role_right;

mod action_wildcard;
mod allow_with_notaction;
mod allow_with_notprincipal;
mod arn_parts;
mod bare_statement;
mod conditions_contradict;
mod create_slr_unrestricted;
mod deny_overrides_allow;
mod deprecated_global_condition_key;
mod duplicate_json_key;
mod duplicate_keys_with_different_case;
mod empty_condition;
mod empty_sid;
mod forallvalues_allow_without_null_guard;
mod forallvalues_deny;
mod forallvalues_with_single_valued_key;
mod foranyvalue_allow;
mod id_in_identity_policy;
mod ifexists_allow;
mod invalid_action;
mod invalid_arn;
mod invalid_character;
mod invalid_condition_key_format;
mod invalid_condition_operator;
mod invalid_condition_value;
mod invalid_global_condition_key;
mod invalid_principal;
mod invalid_service_condition_key;
mod invalid_service_in_action;
mod invalid_service_principal;
mod invalid_variable;
mod invalid_vpc_id;
mod malformed_policy;
mod mfa_not_demanded;
mod missing_arn_account;
mod missing_arn_region;
mod missing_paired_condition_key;
mod missing_qualifier;
mod missing_version;
mod network_host_bits;
mod network_of_all_addresses;
mod null_guard_inverted;
mod null_with_if_exists;
mod null_with_qualifier;
mod oidc_condition_missing;
mod old_version;
mod operator_type_mismatch;
mod pass_role_unrestricted;
mod policy_too_large;
mod principal_is_unique_id;
mod r53_action_invalid;
mod r53_actions_unrestricted;
mod r53_name_bad_escape;
mod r53_name_empty_label;
mod r53_name_like_broad;
mod r53_name_like_no_label_boundary;
mod r53_name_needless_escape;
mod r53_name_non_ascii;
mod r53_name_not_a_name;
mod r53_name_star_not_wildcard;
mod r53_name_suspect_escape;
mod r53_name_too_long;
mod r53_name_trailing_dot;
mod r53_name_unescaped_character;
mod r53_name_unescaped_wildcard;
mod r53_name_uppercase;
mod r53_names_unrestricted;
mod r53_records_not_readable;
mod r53_type_invalid;
mod r53_type_sensitive;
mod r53_types_unrestricted;
mod r53_zone_unrestricted;
mod rcp_syntax;
mod redundant_action;
mod redundant_condition_value;
mod redundant_principal;
mod redundant_resource;
mod redundant_statement;
mod resource_mismatch;
mod resource_placeholder;
mod resource_principal_unrestricted;
mod resource_without_action;
mod service_principal_unknown;
mod service_principal_unrestricted;
mod source_address_private;
mod statement_never_applies;
mod trust_action_mismatch;
mod trust_principal_unrestricted;
mod unique_sids_required;
mod unsupported_action_for_condition_key;
mod unsupported_principal;
mod unsupported_sid;
mod unsupported_tag_condition_key;
mod variable_in_arn_head;
mod variable_unsupported_in_version;
mod wildcard_in_service_name;
mod wildcard_without_like_operator;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &action_wildcard::RULE,
    &allow_with_notaction::RULE,
    &allow_with_notprincipal::RULE,
    &bare_statement::RULE,
    &conditions_contradict::RULE,
    &create_slr_unrestricted::RULE,
    &deny_overrides_allow::RULE,
    &deprecated_global_condition_key::RULE,
    &duplicate_json_key::RULE,
    &duplicate_keys_with_different_case::RULE,
    &empty_condition::RULE,
    &empty_sid::RULE,
    &forallvalues_allow_without_null_guard::RULE,
    &forallvalues_deny::RULE,
    &forallvalues_with_single_valued_key::RULE,
    &foranyvalue_allow::RULE,
    &id_in_identity_policy::RULE,
    &ifexists_allow::RULE,
    &invalid_action::RULE,
    &invalid_arn::RULE,
    &invalid_character::RULE,
    &invalid_condition_key_format::RULE,
    &invalid_condition_operator::RULE,
    &invalid_condition_value::RULE,
    &invalid_global_condition_key::RULE,
    &invalid_principal::RULE,
    &invalid_service_condition_key::RULE,
    &invalid_service_in_action::RULE,
    &invalid_service_principal::RULE,
    &invalid_variable::RULE,
    &invalid_vpc_id::RULE,
    &malformed_policy::RULE,
    &mfa_not_demanded::RULE,
    &missing_arn_account::RULE,
    &missing_arn_region::RULE,
    &missing_paired_condition_key::RULE,
    &missing_qualifier::RULE,
    &missing_version::RULE,
    &network_host_bits::RULE,
    &network_of_all_addresses::RULE,
    &null_guard_inverted::RULE,
    &null_with_if_exists::RULE,
    &null_with_qualifier::RULE,
    &oidc_condition_missing::RULE,
    &old_version::RULE,
    &operator_type_mismatch::RULE,
    &pass_role_unrestricted::RULE,
    &policy_too_large::RULE,
    &principal_is_unique_id::RULE,
    &r53_action_invalid::RULE,
    &r53_actions_unrestricted::RULE,
    &r53_name_bad_escape::RULE,
    &r53_name_empty_label::RULE,
    &r53_name_like_broad::RULE,
    &r53_name_like_no_label_boundary::RULE,
    &r53_name_needless_escape::RULE,
    &r53_name_non_ascii::RULE,
    &r53_name_not_a_name::RULE,
    &r53_name_star_not_wildcard::RULE,
    &r53_name_suspect_escape::RULE,
    &r53_name_too_long::RULE,
    &r53_name_trailing_dot::RULE,
    &r53_name_unescaped_character::RULE,
    &r53_name_unescaped_wildcard::RULE,
    &r53_name_uppercase::RULE,
    &r53_names_unrestricted::RULE,
    &r53_records_not_readable::RULE,
    &r53_type_invalid::RULE,
    &r53_type_sensitive::RULE,
    &r53_types_unrestricted::RULE,
    &r53_zone_unrestricted::RULE,
    &rcp_syntax::RULE,
    &redundant_action::RULE,
    &redundant_condition_value::RULE,
    &redundant_principal::RULE,
    &redundant_resource::RULE,
    &redundant_statement::RULE,
    &resource_mismatch::RULE,
    &resource_placeholder::RULE,
    &resource_principal_unrestricted::RULE,
    &resource_without_action::RULE,
    &service_principal_unknown::RULE,
    &service_principal_unrestricted::RULE,
    &source_address_private::RULE,
    &statement_never_applies::RULE,
    &trust_action_mismatch::RULE,
    &trust_principal_unrestricted::RULE,
    &unique_sids_required::RULE,
    &unsupported_action_for_condition_key::RULE,
    &unsupported_principal::RULE,
    &unsupported_sid::RULE,
    &unsupported_tag_condition_key::RULE,
    &variable_in_arn_head::RULE,
    &variable_unsupported_in_version::RULE,
    &wildcard_in_service_name::RULE,
    &wildcard_without_like_operator::RULE,
];
