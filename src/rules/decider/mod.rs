//! Rules over who decides about a switch, and from where.

use super::Rule;

mod decider_inside_a_site;
mod single_observer;
mod threshold_of_one;
mod watched_from_inside;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &decider_inside_a_site::RULE,
    &single_observer::RULE,
    &threshold_of_one::RULE,
    &watched_from_inside::RULE,
];
