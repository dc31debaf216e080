//! An ARN without the Region that every ARN of its kind has.

use crate::diag::Severity;
use crate::iam::catalog;
use crate::model::policy::{PolicyDocument, Value, has_wildcard};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::quoted;

use super::resource_placeholder::placeholder;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "missing-arn-region",
    aliases: &[],
    summary: "an ARN without the Region that its resources have",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("missing_arn_region.md"),
    check: Check::Policy(check),
};

/// A part of an ARN by its place between the colons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The Region.
    Region = 3,
    /// The account.
    Account = 4,
}

/// The parts of an ARN that is written out up to its service, so that no wildcard before shifts what stands behind.
pub(super) struct Arn<'a> {
    pub(super) text: &'a str,
    pub(super) partition: &'a str,
    pub(super) service: &'a str,
    pub(super) region: &'a str,
    pub(super) account: &'a str,
    pub(super) id: &'a str,
}

fn check(policy: &PolicyDocument, sink: &mut Sink<'_>) {
    for value in resources(policy) {
        let Some(arn) = Arn::of(value.text.as_str()).filter(|arn| arn.region.is_empty()) else {
            continue;
        };
        // These have none, and are most of what has none; what has one in S3 has an account, too.
        let global = matches!(arn.service, "iam" | "route53")
            || arn.service == "s3" && arn.account.is_empty();
        if global || !arn.lacks(Part::Region) {
            continue;
        }
        let also = if arn.account.is_empty() && arn.lacks(Part::Account) {
            " and no account"
        } else {
            ""
        };
        let account = if also.is_empty() { arn.account } else { "*" };
        let message = format!(
            "{} names no Region{also}, and every such resource of {} has one: it matches nothing",
            quoted(arn.text),
            quoted(arn.service)
        );
        sink.report(value.text.span(), message)
            .pointer(value.pointer.clone())
            .help(format!(
                "write the Region, or `*` for any: {}",
                quoted(&format!(
                    "arn:{}:{}:*:{account}:{}",
                    arn.partition, arn.service, arn.id
                ))
            ));
    }
}

/// What stands under `Resource` and `NotResource`.
pub(super) fn resources(policy: &PolicyDocument) -> impl Iterator<Item = &Value> {
    let lists = policy.statements.iter();
    lists
        .filter_map(|statement| statement.resources.as_ref())
        .flat_map(|resources| &resources.values)
}

impl<'a> Arn<'a> {
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let mut parts = text.splitn(6, ':');
        let mut part = || parts.next();
        let (prefix, partition, service) = (part()?, part()?, part()?);
        let (region, account, id) = (part()?, part()?, part()?);
        let open = |part: &str| part.contains("${") || part.is_empty();
        let written = prefix == "arn"
            && !has_wildcard(partition)
            && !has_wildcard(service)
            && ![partition, service, id].into_iter().any(open)
            && !region.contains("${")
            && !account.contains("${");
        (written && placeholder(text).is_none()).then_some(Self {
            text,
            partition,
            service,
            region,
            account,
            id,
        })
    }

    /// Whether there are types of resource that it would be but for this part, and all have it.
    pub(super) fn lacks(&self, part: Part) -> bool {
        let has = |arn: &str| {
            let written = arn.split(':').nth(part as usize);
            written.is_some_and(|written| !written.is_empty())
        };
        let resource = catalog::Resource::of(self.text);
        let mut fitting = catalog::types_in_arns(self.service)
            .filter(|kind| kind.may_be(&resource))
            .peekable();
        fitting.peek().is_some() && fitting.all(|kind| has(kind.arn()))
    }
}
