//! Rules over Uptime Kuma monitors and notifications.

use super::Rule;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[];
