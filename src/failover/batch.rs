//! The one thing that the executor can do to a zone: point every record at one site of the topology, in one atomic
//! change of UPSERTs that keeps each time to live.
//!
//! Route 53 applies a change batch whole or not at all, and an UPSERT needs no condition and can leave no name empty
//! (API reference, `ChangeResourceRecordSets`).

use std::net::IpAddr;

use crate::model::dns::RecordType;

use super::records::Standing;
use super::topology::{Record, SiteId, Topology};

/// A change toward one site. There is no way to build one with another address, with fewer records, or with a time to
/// live that was not read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Batch {
    to: SiteId,
    ttls: Vec<u32>,
}

/// One UPSERT of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upsert<'a> {
    /// The record.
    pub record: &'a Record,
    /// Its time to live, as last read.
    pub ttl: u32,
    /// The site's address.
    pub value: IpAddr,
}

impl Batch {
    /// The batch that points every record at `site`; `None` if `standing` did not say each record's time to live.
    #[must_use]
    pub fn toward(topology: &Topology, site: SiteId, standing: &Standing) -> Option<Self> {
        Self::with_ttls(topology, site, &standing.ttls)
    }

    /// As [`Batch::toward`], from the times to live alone.
    pub(super) fn with_ttls(topology: &Topology, site: SiteId, ttls: &[u32]) -> Option<Self> {
        let whole = ttls.len() == topology.records().len();
        (whole && topology.site(site).is_some()).then(|| Self {
            to: site,
            ttls: ttls.to_vec(),
        })
    }

    /// The site that it points at.
    #[must_use]
    pub fn to(&self) -> SiteId {
        self.to
    }

    /// Its changes, in the topology's order of records.
    #[must_use]
    pub fn changes<'a>(&self, topology: &'a Topology) -> Vec<Upsert<'a>> {
        let address = |kind: RecordType| topology.address(self.to, kind);
        let records = topology.records().iter().zip(&self.ttls);
        let change = |(record, ttl): (&'a Record, &u32)| {
            Some(Upsert {
                record,
                ttl: *ttl,
                value: address(record.kind)?,
            })
        };
        records.filter_map(change).collect()
    }
}
