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
    let own = is_of_the_spec(policy, sink);
    grant::report_unlimited(
        policy,
        sink,
        route53::ACTIONS_KEY,
        "records be changed by any action, DELETE among them",
        |grant, draft| finish(grant, draft, own),
    );
}

/// Whether the policy is one of the spec's, whose program upserts and does nothing else.
fn is_of_the_spec(policy: &PolicyDocument, sink: &Sink<'_>) -> bool {
    let path = sink.path(policy.span());
    sink.spec().is_some_and(|spec| {
        let within = |folder: &str| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        path == spec.change_policy_path() || within(&spec.artefacts.terraform)
    })
}

fn finish(grant: &Grant<'_>, draft: Draft<'_>, own: bool) {
    let draft = if is_for_challenges(grant.statement) {
        draft.severity(Severity::Note)
    } else {
        draft
    };
    let help = if own {
        "list the actions: \"ForAllValues:StringEquals\": {\"route53:ChangeResourceRecordSetsActions\": [\"UPSERT\"]}, with a Null guard"
    } else {
        "under \"ForAllValues:StringEquals\", with a Null guard, list in `route53:ChangeResourceRecordSetsActions` the actions that the program sends, of CREATE, UPSERT and DELETE"
    };
    draft.help(help);
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
