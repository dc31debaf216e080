//! Rules over IAM policies.

use super::Rule;

mod forallvalues_allow_without_null_guard;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[&forallvalues_allow_without_null_guard::RULE];
