//! An action that another value of the same list takes in.

use crate::diag::Severity;
use crate::rules::{Check, Rule, Tier};

use super::cover::Case;
use super::covered_values;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "redundant-action",
    aliases: &[],
    summary: "an action that another in the list takes in",
    severity: Severity::Note,
    tier: Tier::General,
    page: include_str!("redundant_action.md"),
    check: Check::Policy(|policy, sink| {
        covered_values::tell(
            policy,
            |statement| statement.actions.as_ref(),
            Case::Folded,
            sink,
        );
    }),
};
