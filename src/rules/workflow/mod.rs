//! Rules over GitHub workflows.

use super::Rule;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[];
