//! The parts of the ARNs of a policy, and those that lack one which all their kind have.

use crate::iam::catalog;
use crate::model::policy::{PolicyDocument, Value, has_wildcard};
use crate::text::cut_at_colon;

use super::resource_placeholder::placeholder;

/// A part of an ARN by its place between the colons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The Region.
    Region = 3,
    /// The account.
    Account = 4,
}

/// The parts of an ARN that is written out up to its service, so that no wildcard before shifts what stands behind.
#[derive(Debug)]
pub(super) struct Arn<'a> {
    pub(super) text: &'a str,
    pub(super) partition: &'a str,
    pub(super) service: &'a str,
    pub(super) region: &'a str,
    pub(super) account: &'a str,
    pub(super) id: &'a str,
}

/// What stands under `Resource` and `NotResource` without this part, where every such resource of its service has it; of
/// services that `may_lack` names, none.
pub(super) fn lacking(
    policy: &PolicyDocument,
    part: Part,
    may_lack: fn(&Arn<'_>) -> bool,
) -> impl Iterator<Item = (&Value, Arn<'_>)> {
    let lists = policy.statements.iter();
    let values = lists
        .filter_map(|statement| statement.resources.as_ref())
        .flat_map(|resources| &resources.values);
    values.filter_map(move |value| {
        let arn = Arn::of(value.text.as_str())?;
        let absent = arn.part(part).is_empty();
        (absent && !may_lack(&arn) && arn.lacks(part)).then_some((value, arn))
    })
}

impl<'a> Arn<'a> {
    fn part(&self, part: Part) -> &'a str {
        match part {
            Part::Region => self.region,
            Part::Account => self.account,
        }
    }

    fn of(text: &'a str) -> Option<Self> {
        let (prefix, rest) = cut_at_colon(text)?;
        let (partition, rest) = cut_at_colon(rest)?;
        let (service, rest) = cut_at_colon(rest)?;
        let (region, rest) = cut_at_colon(rest)?;
        let (account, id) = cut_at_colon(rest)?;
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
