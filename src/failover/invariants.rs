//! What always holds, whatever happens to a run: the interlocking. It looks at events and effects alone and never into the
//! state, so that a mistake in the decision cannot hide itself.
//!
//! Documents, tests and the loops that perform effects share these laws. [`Watch`] holds a run to its own, [`zone_laws`] what
//! stands in the zone.

use super::batch::Batch;
use super::effect::{Ask, Effect, Hosts, Whom};
use super::event::{Event, Happened};
use super::moment::Moment;
use super::records::{Place, RecordSet, Standing};
use super::topology::{SiteId, Sites, Topology};

/// More steps than any run has: every repeat waits at least for the shortest wait, and every budget of repeats is bounded.
pub const MOST_STEPS: usize = 10_000;

/// Something that always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// Every batch changes every record, each to the address of one and the same site.
    WholeBatch,
    /// A write rests on a good answer from its target that is not too old at the last moment at which it may be sent.
    FreshEvidence,
    /// A write follows a read of the records that no decision came after, and keeps each time to live of that read.
    ReadBefore,
    /// A run sends at most one distinct batch.
    OneBatch,
    /// Nobody returns home by himself before the row of good answers is full, unless the standby does not answer.
    NoEarlyReturn,
    /// A dry run writes nothing.
    DryRun,
    /// Each step wants exactly one answer, or ends the run; after its end nothing follows.
    OneQuestion,
    /// No record is ever empty.
    NeverEmpty,
    /// Every record holds a site's address.
    OnlySites,
}

impl Law {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::WholeBatch,
        Self::FreshEvidence,
        Self::ReadBefore,
        Self::OneBatch,
        Self::NoEarlyReturn,
        Self::DryRun,
        Self::OneQuestion,
        Self::NeverEmpty,
        Self::OnlySites,
    ];

    /// It, as a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::WholeBatch => "every batch points every record at one and the same site",
            Self::FreshEvidence => {
                "no write without a good answer from its target within the freshness limit"
            }
            Self::ReadBefore => {
                "no write without a read of the records before it, whose times to live it keeps"
            }
            Self::OneBatch => "at most one distinct batch is sent in a run",
            Self::NoEarlyReturn => {
                "no automatic return before the row is full while the standby answers"
            }
            Self::DryRun => "a dry run writes nothing",
            Self::OneQuestion => "each step wants one answer or ends the run",
            Self::NeverEmpty => "no record is ever empty",
            Self::OnlySites => "every record holds a site's address",
        }
    }
}

/// Looks at one run from outside. Its moments are deadlines, as those of the state are.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Watch {
    pinned: bool,
    dry_run: bool,
    asked: Option<(Ask, Moment)>,
    /// By site: until when its last good answer counts.
    good_until: Vec<Option<Moment>>,
    /// By site: bad answers since its last good one.
    silent: Vec<u8>,
    /// Home's good answers in a row, far enough apart.
    row: u8,
    row_next: Moment,
    read: Option<Standing>,
    /// Whether the target may be written to: it was asked after the last read.
    asked_since_read: Sites,
    writing: Option<Batch>,
    sent: Option<Batch>,
    accepted: bool,
    ended: bool,
}

impl Watch {
    /// Sees one step, and says which laws it breaks.
    pub fn sees(&mut self, topology: &Topology, event: &Event, effects: &[Effect]) -> Vec<Law> {
        let mut broken = Vec::new();
        if self.ended {
            if !effects.is_empty() {
                broken.push(Law::OneQuestion);
            }
            return broken;
        }
        self.hears(topology, event);
        let wanting = effects
            .iter()
            .filter(|effect| !matches!(effect, Effect::Note(_)));
        let last = effects.last();
        if wanting.count() != 1 || matches!(last, None | Some(Effect::Note(_))) {
            broken.push(Law::OneQuestion);
        }
        for effect in effects {
            match effect {
                Effect::Write(batch, until) => broken.extend(self.breaks(topology, batch, *until)),
                Effect::Ask(ask) => self.asked = Some((*ask, event.at)),
                Effect::Finish(_) => self.ended = true,
                Effect::FetchToken
                | Effect::AssumeRole
                | Effect::ReadRecords(_)
                | Effect::Wait(_)
                | Effect::AskChange(_)
                | Effect::AskServers
                | Effect::Note(_) => {}
            }
            if let Effect::Write(batch, _) = effect {
                self.writing = Some(batch.clone());
            }
        }
        broken
    }

    fn hears(&mut self, topology: &Topology, event: &Event) {
        match &event.what {
            Happened::Started(order) => {
                self.dry_run = order.dry_run;
                let pin = order.pin.as_deref().unwrap_or_default();
                self.pinned = topology.named(pin).is_some();
                self.good_until = topology.ids().map(|_| None).collect();
                self.silent = topology.ids().map(|_| 0).collect();
            }
            Happened::Accepted(_) => {
                self.accepted = true;
                self.read = None;
            }
            // What is read after the write is there to confirm it.
            Happened::Records(_) if self.accepted => {}
            Happened::Records(sets) => {
                self.read = Some(Standing::of(topology, sets));
                self.asked_since_read = Sites::default();
            }
            Happened::Answered(answers) => {
                let status = topology.probe().status;
                let ok = answers.iter().all(|answer| answer.is(status));
                if let Some((ask, began)) = self.asked.take()
                    && let (Whom::Site(site), Hosts::Probe) = (ask.whom, ask.hosts)
                    && !answers.is_empty()
                {
                    self.heard(topology, site, ok, began, event.at);
                }
            }
            Happened::Late => self.writing = None,
            Happened::TokenFetched
            | Happened::RoleAssumed { .. }
            | Happened::Woke
            | Happened::Change(_)
            | Happened::Servers(_)
            | Happened::Failed(_)
            | Happened::Cancelled
            | Happened::Broken(_) => {}
        }
        if let Some(batch) = self.writing.take() {
            self.sent = Some(batch);
        }
    }

    fn heard(&mut self, topology: &Topology, site: SiteId, ok: bool, began: Moment, now: Moment) {
        if let Some(silent) = self.silent.get_mut(site.index()) {
            *silent = if ok { 0 } else { silent.saturating_add(1) };
        }
        if ok {
            if let Some(until) = self.good_until.get_mut(site.index()) {
                *until = Some(now.after(topology.limits().fresh));
            }
            self.asked_since_read = self.asked_since_read.with(site);
        }
        if site == SiteId::HOME {
            self.counts(topology, ok, began);
        }
    }

    /// Home's row. A miss ends it; once it is full, home is asked with several tries again, and only all of them together
    /// say that it is down.
    fn counts(&mut self, topology: &Topology, ok: bool, began: Moment) {
        let full = self.row >= topology.failback().probes;
        let down = self
            .silent
            .first()
            .is_some_and(|bad| *bad >= topology.probe().tries);
        if !ok && (!full || down) {
            self.row = 0;
        } else if ok && !full && (self.row == 0 || began >= self.row_next) {
            self.row = self.row.saturating_add(1);
            self.row_next = began.after(topology.failback().interval);
        }
    }

    fn breaks(&self, topology: &Topology, batch: &Batch, until: Moment) -> Vec<Law> {
        let to = batch.to();
        let changes = batch.changes(topology);
        let whole = changes.len() == topology.records().len()
            && changes
                .iter()
                .zip(topology.records())
                .all(|(change, record)| {
                    change.record == record
                        && topology.address(to, record.kind) == Some(change.value)
                });
        let good_until = self.good_until.get(to.index()).copied().flatten();
        let kept = changes.iter().map(|change| change.ttl);
        let read = self.read.as_ref().is_some_and(|read| {
            kept.eq(read.ttls.iter().copied()) && self.asked_since_read.has(to) && !read.is_at(to)
        });
        let laws = [
            (Law::WholeBatch, whole),
            (
                Law::FreshEvidence,
                good_until.is_some_and(|good| good >= until),
            ),
            (Law::ReadBefore, read),
            (
                Law::OneBatch,
                self.sent.as_ref().is_none_or(|sent| sent == batch),
            ),
            (
                Law::NoEarlyReturn,
                to != SiteId::HOME || self.pinned || self.may_return(topology),
            ),
            (Law::DryRun, !self.dry_run),
        ];
        laws.into_iter()
            .filter(|(_, holds)| !holds)
            .map(|(law, _)| law)
            .collect()
    }

    /// Whether the row is full, or every standby that a record points at was silent for every try.
    fn may_return(&self, topology: &Topology) -> bool {
        let full = self.row >= topology.failback().probes;
        let tries = topology.probe().tries;
        let silent = |site: SiteId| {
            self.silent
                .get(site.index())
                .is_some_and(|bad| *bad >= tries)
        };
        let at = self.read.as_ref().map(Standing::sites).unwrap_or_default();
        let serving = |site: &SiteId| at.has(*site);
        full || topology.standbys().filter(serving).all(silent)
    }

    /// The same watch on a clock set back, as [`State::rebased`](super::State::rebased).
    #[must_use]
    pub fn rebased(mut self, now: Moment) -> Self {
        let back = |moment: &mut Moment| *moment = moment.seen_from(now);
        self.good_until.iter_mut().flatten().for_each(back);
        back(&mut self.row_next);
        if let Some((_, began)) = &mut self.asked {
            back(began);
        }
        self
    }
}

/// The laws that what stands in a zone breaks. `hands_off` is false after somebody else has edited it: then nobody promises
/// whose addresses stand there.
#[must_use]
pub fn zone_laws(topology: &Topology, sets: &[RecordSet], hands_off: bool) -> Vec<Law> {
    let standing = Standing::of(topology, sets);
    let mut broken = Vec::new();
    let empty = |set: &RecordSet| set.values.is_empty() && set.alias.is_none();
    if sets.iter().any(empty) || standing.ttls.len() < topology.records().len() {
        broken.push(Law::NeverEmpty);
    }
    if hands_off && matches!(standing.place, Place::Foreign(..)) {
        broken.push(Law::OnlySites);
    }
    broken
}
