//! An action that another value of the same list takes in.

use crate::diag::Severity;
use crate::model::policy::PolicyDocument;
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::cover::{self, Case};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "redundant-action",
    aliases: &[],
    summary: "an action that another in the list takes in",
    severity: Severity::Note,
    tier: Tier::General,
    page: include_str!("redundant_action.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    if policy.span().len() > cover::LARGEST {
        return;
    }
    let lists = policy
        .statements
        .iter()
        .filter_map(|statement| statement.actions.as_ref());
    for list in lists {
        let outers = cover::coverings(&list.values, Case::Folded);
        for (value, outer) in list.values.iter().zip(outers) {
            let Some(outer) = outer else {
                continue;
            };
            let message = format!(
                "{} is already in {}",
                quoted(value.text.as_str()),
                quoted(outer.text.as_str())
            );
            sink.report(value.text.span(), message)
                .pointer(value.pointer.clone())
                .related(outer.text.span(), "takes it in")
                .help("take it out, or the broader one if that is more than is meant");
        }
    }
}
