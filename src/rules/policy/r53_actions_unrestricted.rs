//! A right to change records that no condition limits to create, upsert or delete.

use crate::diag::Severity;
use crate::model::policy::{Family, PolicyDocument, Statement, route53};
use crate::rules::{Check, Draft, Rule, Sink, Tier};

use super::grant::{self, Grant};

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-actions-unrestricted",
    aliases: &[],
    summary: "a right to create, change and delete records alike",
    severity: Severity::Warning,
    tier: Tier::Specific,
    page: include_str!("r53_actions_unrestricted.md"),
    check: Check::Policy(check),
};

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    grant::report_unlimited(
        policy,
        sink,
        route53::ACTIONS_KEY,
        "records be changed by any action, DELETE among them",
        finish,
    );
}

fn finish(grant: &Grant<'_>, draft: Draft<'_>) {
    let draft = if is_for_challenges(grant.statement) {
        draft.severity(Severity::Note)
    } else {
        draft
    };
    draft.help(
        "list the actions: \"ForAllValues:StringEquals\": {\"route53:ChangeResourceRecordSetsActions\": [\"UPSERT\"]}, with a Null guard",
    );
}

/// Whether only TXT records can be changed: whoever answers challenges with them creates and deletes them too.
fn is_for_challenges(statement: &Statement) -> bool {
    let mut types = statement
        .conditions_on(route53::TYPES_KEY)
        .filter(|condition| {
            condition.operator.is_some_and(|operator| {
                !operator.base.is_negated() && operator.base.family() == Family::String
            })
        })
        .flat_map(|condition| &condition.values)
        .peekable();
    types.peek().is_some() && types.all(|value| value.text.as_str() == "TXT")
}
