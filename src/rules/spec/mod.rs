//! Rules about `pointsman.toml` itself. Their checks are `model::spec`, which reads it: a wrong spec stops the command with
//! status 2 before any artefact is looked at, so these rules have pages and no check of their own.

use super::Rule;

mod spec_address;
mod spec_address_missing;
mod spec_github;
mod spec_host_nowhere;
mod spec_missing_key;
mod spec_name;
mod spec_name_outside_zone;
mod spec_origin_switched;
mod spec_paths;
mod spec_repeated;
mod spec_site_unknown;
mod spec_site_without_host;
mod spec_syntax;
mod spec_times;
mod spec_unknown_key;
mod spec_value;
mod spec_wrong_type;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &spec_address::RULE,
    &spec_address_missing::RULE,
    &spec_github::RULE,
    &spec_host_nowhere::RULE,
    &spec_missing_key::RULE,
    &spec_name::RULE,
    &spec_name_outside_zone::RULE,
    &spec_origin_switched::RULE,
    &spec_paths::RULE,
    &spec_repeated::RULE,
    &spec_site_unknown::RULE,
    &spec_site_without_host::RULE,
    &spec_syntax::RULE,
    &spec_times::RULE,
    &spec_unknown_key::RULE,
    &spec_value::RULE,
    &spec_wrong_type::RULE,
];
