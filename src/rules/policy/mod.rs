//! Rules over IAM policies.

use super::Rule;

mod blocks;
mod grant;
mod insertion;
pub(super) mod mend;
mod record_keys;

mod action_wildcard;
mod allow_with_notaction;
mod duplicate_json_key;
mod duplicate_keys_with_different_case;
mod forallvalues_allow_without_null_guard;
mod forallvalues_with_single_valued_key;
mod foranyvalue_allow;
mod id_in_identity_policy;
mod ifexists_allow;
mod invalid_action;
mod invalid_character;
mod invalid_condition_operator;
mod invalid_service_condition_key;
mod malformed_policy;
mod missing_qualifier;
mod missing_version;
mod null_guard_inverted;
mod null_with_if_exists;
mod null_with_qualifier;
mod old_version;
mod r53_action_invalid;
mod r53_actions_unrestricted;
mod r53_name_bad_escape;
mod r53_name_empty_label;
mod r53_name_like_broad;
mod r53_name_like_no_label_boundary;
mod r53_name_needless_escape;
mod r53_name_non_ascii;
mod r53_name_star_not_wildcard;
mod r53_name_suspect_escape;
mod r53_name_too_long;
mod r53_name_trailing_dot;
mod r53_name_unescaped_character;
mod r53_name_unescaped_wildcard;
mod r53_name_uppercase;
mod r53_names_unrestricted;
mod r53_type_invalid;
mod r53_type_sensitive;
mod r53_types_unrestricted;
mod r53_zone_unrestricted;
mod resource_mismatch;
mod resource_placeholder;
mod unique_sids_required;
mod unsupported_action_for_condition_key;
mod unsupported_principal;
mod unsupported_sid;
mod variable_unsupported_in_version;
mod wildcard_without_like_operator;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &action_wildcard::RULE,
    &allow_with_notaction::RULE,
    &duplicate_json_key::RULE,
    &duplicate_keys_with_different_case::RULE,
    &forallvalues_allow_without_null_guard::RULE,
    &forallvalues_with_single_valued_key::RULE,
    &foranyvalue_allow::RULE,
    &id_in_identity_policy::RULE,
    &ifexists_allow::RULE,
    &invalid_action::RULE,
    &invalid_character::RULE,
    &invalid_condition_operator::RULE,
    &invalid_service_condition_key::RULE,
    &malformed_policy::RULE,
    &missing_qualifier::RULE,
    &missing_version::RULE,
    &null_guard_inverted::RULE,
    &null_with_if_exists::RULE,
    &null_with_qualifier::RULE,
    &old_version::RULE,
    &r53_action_invalid::RULE,
    &r53_actions_unrestricted::RULE,
    &r53_name_bad_escape::RULE,
    &r53_name_empty_label::RULE,
    &r53_name_like_broad::RULE,
    &r53_name_like_no_label_boundary::RULE,
    &r53_name_needless_escape::RULE,
    &r53_name_non_ascii::RULE,
    &r53_name_star_not_wildcard::RULE,
    &r53_name_suspect_escape::RULE,
    &r53_name_too_long::RULE,
    &r53_name_trailing_dot::RULE,
    &r53_name_unescaped_character::RULE,
    &r53_name_unescaped_wildcard::RULE,
    &r53_name_uppercase::RULE,
    &r53_names_unrestricted::RULE,
    &r53_type_invalid::RULE,
    &r53_type_sensitive::RULE,
    &r53_types_unrestricted::RULE,
    &r53_zone_unrestricted::RULE,
    &resource_mismatch::RULE,
    &resource_placeholder::RULE,
    &unique_sids_required::RULE,
    &unsupported_action_for_condition_key::RULE,
    &unsupported_principal::RULE,
    &unsupported_sid::RULE,
    &variable_unsupported_in_version::RULE,
    &wildcard_without_like_operator::RULE,
];
