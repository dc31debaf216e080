//! A right to change records in every hosted zone of the account.

use crate::diag::Severity;
use crate::model::policy::{Elements, PolicyDocument, Value, glob_matches};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::{Span, quoted};

use super::grant;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "r53-zone-unrestricted",
    aliases: &[],
    summary: "a right to change records in every hosted zone",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("r53_zone_unrestricted.md"),
    check: Check::Policy(check),
};

/// Zones that have nothing in common but what all zones have. All ids begin with `Z`.
const ZONES: [[&str; 2]; 3] = [
    [
        "arn:aws:route53:::hostedzone/Z1A",
        "arn:aws:route53:::hostedzone/ZY90B",
    ],
    [
        "arn:aws-cn:route53:::hostedzone/Z1A",
        "arn:aws-cn:route53:::hostedzone/ZY90B",
    ],
    [
        "arn:aws-us-gov:route53:::hostedzone/Z1A",
        "arn:aws-us-gov:route53:::hostedzone/ZY90B",
    ],
];

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for grant in grant::of(policy).filter(grant::Grant::is_special) {
        let Some((at, pointer, shown)) = grant.statement.resources.as_ref().and_then(every_zone)
        else {
            continue;
        };
        let message = format!(
            "{} lets records of every hosted zone be changed: {shown}",
            grant.shown()
        );
        sink.report(at, message).pointer(pointer).help(
            "name the zone: \"Resource\": \"arn:aws:route53:::hostedzone/Z0123456789EXAMPLE\"; actions that need `*` go into a statement of their own",
        );
    }
}

/// What lets every zone in, if something does.
fn every_zone(resources: &Elements) -> Option<(Span, String, String)> {
    if resources.negated {
        let all_out = resources.incomplete || resources.values.iter().any(takes_every_zone);
        let why = "`NotResource` leaves them in".to_owned();
        return (!all_out).then(|| (resources.key.span(), resources.pointer.clone(), why));
    }
    let value = resources
        .values
        .iter()
        .find(|value| takes_every_zone(value))?;
    let why = format!("{} matches them all", quoted(value.text.as_str()));
    Some((value.text.span(), value.pointer.to_string(), why))
}

fn takes_every_zone(value: &Value) -> bool {
    let takes = |zone: &&str| glob_matches(value.text.as_str(), zone);
    ZONES.iter().any(|zones| zones.iter().all(takes))
}
