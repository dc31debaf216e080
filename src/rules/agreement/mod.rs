//! Rules that hold the artefacts against the spec: the same names, numbers and places everywhere, or a finding with
//! both places.

use super::Rule;

mod artefact_missing;
mod change_actions_differ;
mod policy_differs_from_spec;
mod record_key;
mod record_names_differ;
mod record_types_differ;
mod zone_differs;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &artefact_missing::RULE,
    &change_actions_differ::RULE,
    &policy_differs_from_spec::RULE,
    &record_names_differ::RULE,
    &record_types_differ::RULE,
    &zone_differs::RULE,
];
