//! Rules over Terraform modules.

use super::Rule;

mod alias_name_uppercase;
mod alias_wildcard_target;
mod alias_with_ttl;
mod duplicate_record_set;
mod exclusive_policies_over_grant;
mod exclusive_policy_attachment;
mod exclusive_records_over_ignored_value;
mod granted_names;
mod granted_record_not_ignored;
mod ignore_changes_missing;
mod ignore_changes_not_static;
mod ignore_changes_of_everything;
mod ignore_changes_on_wrong_attribute;
mod ignore_changes_quoted;
mod ignored_record_not_granted;
mod ignored_record_numbered;
mod import_of_other_record;
mod module_refused;
mod name_declared_twice;
mod name_not_declared;
mod object_key_repeated;
mod octal_escape_in_string;
mod oidc_provider_as_resource;
mod plan_differs_from_reference;
mod plan_older_than_switch;
mod plan_policy_drift;
mod plan_record_drift;
mod plan_writes_owned_record;
mod policy_text_not_json;
mod record_name_spelling;
mod record_name_uppercase;
mod record_removed;
mod role_policies_owned_twice;
mod role_session_length;
mod routing_policy_incomplete;
mod unescaped_iam_variable;
mod value_depends_on_itself;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &alias_name_uppercase::RULE,
    &alias_wildcard_target::RULE,
    &alias_with_ttl::RULE,
    &duplicate_record_set::RULE,
    &exclusive_policies_over_grant::RULE,
    &exclusive_policy_attachment::RULE,
    &exclusive_records_over_ignored_value::RULE,
    &granted_record_not_ignored::RULE,
    &ignore_changes_missing::RULE,
    &ignore_changes_not_static::RULE,
    &ignore_changes_of_everything::RULE,
    &ignore_changes_on_wrong_attribute::RULE,
    &ignore_changes_quoted::RULE,
    &ignored_record_not_granted::RULE,
    &ignored_record_numbered::RULE,
    &import_of_other_record::RULE,
    &module_refused::RULE,
    &name_declared_twice::RULE,
    &name_not_declared::RULE,
    &object_key_repeated::RULE,
    &octal_escape_in_string::RULE,
    &oidc_provider_as_resource::RULE,
    &plan_differs_from_reference::RULE,
    &plan_older_than_switch::RULE,
    &plan_policy_drift::RULE,
    &plan_record_drift::RULE,
    &plan_writes_owned_record::RULE,
    &policy_text_not_json::RULE,
    &record_name_spelling::RULE,
    &record_name_uppercase::RULE,
    &record_removed::RULE,
    &role_policies_owned_twice::RULE,
    &role_session_length::RULE,
    &routing_policy_incomplete::RULE,
    &unescaped_iam_variable::RULE,
    &value_depends_on_itself::RULE,
];
