//! The hosted zone over the SDK.
//!
//! API reference: `ListResourceRecordSets` (300 sets a page; the three `Next` fields begin the next one),
//! `ChangeResourceRecordSets` (a batch is applied whole or not at all), `GetChange`.

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use aws_sdk_route53::error::BuildError;
use aws_sdk_route53::types::{
    Change, ChangeAction, ChangeBatch, ChangeStatus as Status, ResourceRecord, ResourceRecordSet,
    RrType,
};

use crate::failover::{ChangeStatus, Fault, FaultKind, Record, RecordSet, Upsert};
use crate::model::dns::{RecordName, RecordType};
use crate::ports::{Stop, Zone};

use super::client::{Aws, ZoneId};
use super::fault;
use super::page::{self, MOST_PAGES, Start};
use super::wire::CONNECT;

/// The most characters of a batch's comment (API reference, `ChangeBatch`).
const COMMENT: usize = 256;

/// The hosted zone; clones share what was seen on the way.
#[derive(Debug, Clone)]
pub struct AwsZone {
    aws: Aws,
    zone: ZoneId,
    /// The zone's name servers, once a page had them.
    servers: Rc<RefCell<Option<Vec<String>>>>,
}

impl AwsZone {
    pub(super) fn new(aws: Aws, zone: ZoneId) -> Self {
        Self {
            aws,
            zone,
            servers: Rc::default(),
        }
    }

    /// The zone's authoritative name servers, by its own NS record: as last read, or asked for now.
    ///
    /// # Errors
    /// A fault of Route 53, or the end of the job.
    pub fn name_servers(&self) -> Result<Vec<String>, Stop> {
        if let Some(servers) = self.servers.borrow().clone() {
            return Ok(servers);
        }
        let start = Start {
            name: Some(written(&self.zone.name)),
            kind: Some("NS".to_owned()),
            identifier: None,
        };
        self.aws.runtime.run(self.page(&start, Some(1)))??;
        let servers = self.servers.borrow().clone();
        let none = || Fault {
            kind: FaultKind::Rejected,
            code: "NoNameServers".to_owned(),
            message: format!("`{}` has no NS record in this zone", self.zone.name),
        };
        servers.ok_or_else(|| Stop::Failed(none()))
    }

    /// One page, and where the next one begins.
    async fn page(
        &self,
        start: &Start,
        most: Option<i32>,
    ) -> Result<(Vec<ResourceRecordSet>, Option<Start>), Fault> {
        let client = self.aws.route53(CONNECT)?;
        let call = client
            .list_resource_record_sets()
            .hosted_zone_id(&self.zone.id)
            .set_start_record_name(start.name.clone())
            .set_start_record_type(start.kind.as_deref().map(RrType::from))
            .set_start_record_identifier(start.identifier.clone())
            .set_max_items(most);
        let answer = call
            .send()
            .await
            .map_err(|error| fault::of("ListResourceRecordSets", &error))?;
        let sets = answer.resource_record_sets;
        let own = |set| page::name_servers(set, &self.zone.name);
        if let Some(servers) = sets.iter().find_map(own) {
            *self.servers.borrow_mut() = Some(servers);
        }
        let next = answer.is_truncated.then_some(Start {
            name: answer.next_record_name,
            kind: answer.next_record_type.map(|kind| kind.as_str().to_owned()),
            identifier: answer.next_record_identifier,
        });
        Ok((sets, next))
    }

    async fn every_page(&self, records: &[Record]) -> Result<Vec<RecordSet>, Fault> {
        let mut start = Start {
            name: page::first_name(records).as_ref().map(written),
            ..Start::default()
        };
        let mut found = Vec::new();
        for _ in 0..MOST_PAGES {
            let (sets, next) = self.page(&start, None).await?;
            let wanted = sets.iter().filter(|set| page::is_wanted(set, records));
            found.extend(wanted.map(page::read));
            let Some(next) = next else {
                return Ok(found);
            };
            match &next.name {
                Some(name) if page::is_past(name, records) => return Ok(found),
                Some(_) if next != start => start = next,
                _ => return Err(endless("the list is cut off and does not go on")),
            }
        }
        Err(endless(&format!(
            "{MOST_PAGES} pages were read and the list goes on, now at `{}`; a zone has some 34 pages",
            start.name.unwrap_or_default()
        )))
    }

    async fn send(
        &self,
        upserts: &[Upsert<'_>],
        comment: &str,
        within: Duration,
    ) -> Result<String, Fault> {
        if within.is_zero() {
            return Err(Fault {
                kind: FaultKind::Unavailable,
                code: "TooLate".to_owned(),
                message: "the time within which it was to be sent has passed".to_owned(),
            });
        }
        // The request goes out as soon as the connection is there.
        let client = self.aws.route53(within.min(CONNECT))?;
        let batch = batch(upserts, comment).map_err(|error| Fault {
            kind: FaultKind::Rejected,
            code: "RequestNotBuilt".to_owned(),
            message: error.to_string(),
        })?;
        let call = client
            .change_resource_record_sets()
            .hosted_zone_id(&self.zone.id)
            .change_batch(batch);
        let answer = call
            .send()
            .await
            .map_err(|error| fault::of("ChangeResourceRecordSets", &error))?;
        let id = answer.change_info.map(|info| bare(&info.id).to_owned());
        id.filter(|id| !id.is_empty())
            .ok_or_else(|| fault::unreadable("it names no change"))
    }

    async fn status(&self, change: &str) -> Result<ChangeStatus, Fault> {
        let client = self.aws.route53(CONNECT)?;
        let call = client.get_change().id(bare(change));
        let answer = call
            .send()
            .await
            .map_err(|error| fault::of("GetChange", &error))?;
        match answer.change_info.map(|info| info.status) {
            Some(Status::Pending) => Ok(ChangeStatus::Pending),
            Some(Status::Insync) => Ok(ChangeStatus::InSync),
            Some(other) => Err(fault::unreadable(&format!(
                "`{}` is no status of a change",
                other.as_str()
            ))),
            None => Err(fault::unreadable("it has no status")),
        }
    }
}

impl Zone for AwsZone {
    fn list(&mut self, records: &[Record], within: Duration) -> Result<Vec<RecordSet>, Stop> {
        let slow = |_elapsed| Fault {
            kind: FaultKind::Unavailable,
            code: "ListTimeout".to_owned(),
            message: format!("the list was not whole within {} ms", within.as_millis()),
        };
        let reading = async {
            let read = tokio::time::timeout(within, self.every_page(records)).await;
            read.map_err(slow)?
        };
        Ok(self.aws.runtime.run(reading)??)
    }

    fn change(
        &mut self,
        upserts: &[Upsert<'_>],
        comment: &str,
        within: Duration,
    ) -> Result<String, Stop> {
        Ok(self
            .aws
            .runtime
            .run(self.send(upserts, comment, within))??)
    }

    fn change_status(&mut self, change: &str) -> Result<ChangeStatus, Stop> {
        Ok(self.aws.runtime.run(self.status(change))??)
    }
}

fn batch(upserts: &[Upsert<'_>], comment: &str) -> Result<ChangeBatch, BuildError> {
    let mut batch =
        ChangeBatch::builder().comment(comment.chars().take(COMMENT).collect::<String>());
    for upsert in upserts {
        batch = batch.changes(change(
            &upsert.record.name,
            upsert.record.kind,
            upsert.ttl,
            upsert.value,
        )?);
    }
    batch.build()
}

fn change(
    name: &RecordName,
    kind: RecordType,
    ttl: u32,
    value: IpAddr,
) -> Result<Change, BuildError> {
    let value = ResourceRecord::builder().value(value.to_string()).build()?;
    let set = ResourceRecordSet::builder()
        .name(written(name))
        .r#type(RrType::from(kind.word()))
        .ttl(i64::from(ttl))
        .resource_records(value)
        .build()?;
    Change::builder()
        .action(ChangeAction::Upsert)
        .resource_record_set(set)
        .build()
}

/// A name as it is sent. AWS takes a wildcard's star and its escape alike; the star is what everybody sends, and what
/// emulators know.
fn written(name: &RecordName) -> String {
    name.dns() + "."
}

/// The id of a change without the path that the API may put before it.
fn bare(change: &str) -> &str {
    change.strip_prefix("/change/").unwrap_or(change)
}

/// Asking again would read as many pages again.
fn endless(why: &str) -> Fault {
    Fault {
        kind: FaultKind::Rejected,
        code: "EndlessList".to_owned(),
        message: why.to_owned(),
    }
}
