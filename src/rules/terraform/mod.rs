//! Rules over Terraform modules.

use super::Rule;

mod ignore_changes_missing;
mod ignore_changes_not_static;
mod ignore_changes_of_everything;
mod ignore_changes_on_wrong_attribute;
mod ignore_changes_quoted;
mod object_key_repeated;
mod oidc_provider_as_resource;
mod policy_text_not_json;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &ignore_changes_missing::RULE,
    &ignore_changes_not_static::RULE,
    &ignore_changes_of_everything::RULE,
    &ignore_changes_on_wrong_attribute::RULE,
    &ignore_changes_quoted::RULE,
    &object_key_repeated::RULE,
    &oidc_provider_as_resource::RULE,
    &policy_text_not_json::RULE,
];
