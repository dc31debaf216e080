//! Reading record sets page by page: where to begin, when everything that can matter has come by, and what a set says.

use aws_sdk_route53::types::ResourceRecordSet;

use crate::failover::{Record, RecordSet};
use crate::model::dns::RecordName;

/// The most pages that one reading may take, and those of 300 sets: a zone has at most 10,000 sets, on 34 pages, unless AWS
/// raises that quota.
pub(super) const MOST_PAGES: usize = 200;

/// Where a page begins; Route 53 wants the type with the name, and the identifier with both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) name: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) identifier: Option<String>,
}

/// The name nearest to `records` that is above all of them, or one of them: every one of them is listed at it or after.
pub(super) fn first_name(records: &[Record]) -> Option<RecordName> {
    let mut first = records.first()?.name.clone();
    while !records.iter().all(|record| record.name.is_within(&first)) {
        first = first.parent()?;
    }
    Some(first)
}

/// Whether no set of `records` can be listed at `next` or after it. AWS does not say whether a star is sorted as it is or
/// as `\052`, so it must be past in both orders.
pub(super) fn is_past(next: &str, records: &[Record]) -> bool {
    let Ok(next) = RecordName::parse(next) else {
        return false;
    };
    records.iter().all(|Record { name, .. }| {
        next.listing_order() > name.listing_order() && escaped(&next) > escaped(name)
    })
}

fn escaped(name: &RecordName) -> String {
    let name = name.iam();
    let labels = name.rsplit('.');
    labels.map(|label| format!("{label}.")).collect()
}

/// Whether the set bears one of the names of `records`, whatever its type.
pub(super) fn is_wanted(set: &ResourceRecordSet, records: &[Record]) -> bool {
    let name = RecordName::parse(&set.name);
    name.is_ok_and(|name| records.iter().any(|record| record.name == name))
}

/// The set, as the executor judges it.
pub(super) fn read(set: &ResourceRecordSet) -> RecordSet {
    let values = set.resource_records.iter().flatten();
    RecordSet {
        name: set.name.clone(),
        kind: set.r#type.as_str().to_owned(),
        ttl: set.ttl.and_then(|ttl| u32::try_from(ttl).ok()),
        values: values.map(|record| record.value.clone()).collect(),
        alias: set
            .alias_target
            .as_ref()
            .map(|target| target.dns_name.clone()),
        set_identifier: set.set_identifier.clone(),
    }
}

/// The name servers that the set names, if it is that of the zone itself.
pub(super) fn name_servers(set: &ResourceRecordSet, zone: &RecordName) -> Option<Vec<String>> {
    let own = set.r#type.as_str() == "NS" && RecordName::parse(&set.name).as_ref() == Ok(zone);
    own.then(|| read(set).values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::dns::RecordType;

    fn records(names: &[&str]) -> Vec<Record> {
        let names = names.iter().filter_map(|name| RecordName::parse(name).ok());
        let record = |name| Record {
            name,
            kind: RecordType::A,
        };
        names.map(record).collect()
    }

    #[test]
    fn reading_begins_above_every_record() {
        let first = |names: &[&str]| first_name(&records(names)).map(|name| name.dns());
        assert_eq!(
            first(&["example.com", "*.example.com"]).as_deref(),
            Some("example.com")
        );
        assert_eq!(
            first(&["*.a.example.com", "1.b.example.com"]).as_deref(),
            Some("example.com")
        );
        assert_eq!(
            first(&["*.a.example.com"]).as_deref(),
            Some("*.a.example.com")
        );
        assert_eq!(first(&[]), None);
    }

    #[test]
    fn reading_ends_where_no_record_can_follow_in_either_order() {
        let records = records(&["example.com", "*.example.com"]);
        let past = |next: &str| is_past(next, &records);
        assert!(past("a.example.com.") && past("_acme-challenge.example.com."));
        // `1` comes after `*` and before `\052`.
        assert!(!past("1.example.com.") && !past("!.example.com."));
        assert!(!past("example.com.") && !past("\\052.example.com."));
        assert!(!past("\\999.example.com."));
    }
}
