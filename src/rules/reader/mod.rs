//! Rules that are reported while files are read or suppressions applied: they have a page, but no check of their own.

use super::Rule;

mod suppression_unused;
mod suppression_without_reason;

pub use suppression_unused::RULE as SUPPRESSION_UNUSED;
pub use suppression_without_reason::RULE as SUPPRESSION_WITHOUT_REASON;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[&suppression_unused::RULE, &suppression_without_reason::RULE];
