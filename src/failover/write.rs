//! Between decision and change: nothing is written on old evidence, on records that were not read again, or to a target
//! that was not asked once more.
//!
//! The planner and the enactors of 2025-10-20 checked once, before a delay, and then wrote; here the check is the last thing
//! before the write, and the write itself carries the moment after which it must not be sent.

use super::batch::Batch;
use super::effect::{Ask, Effect, Hosts, Whom};
use super::fault::{Fault, FaultKind};
use super::moment::Moment;
use super::outcome::{Outcome, Unchanged, Unconfirmed};
use super::records::{RecordSet, Standing};
use super::state::{About, Calling, Goal, Phase, Plan, Sent, Survey};
use super::step::Run;
use super::topology::SiteId;

impl Run<'_> {
    /// The plan, while its evidence holds.
    fn fresh(&self) -> Option<Plan> {
        self.state.plan.filter(|plan| self.state.now <= plan.until)
    }

    /// A site has been chosen.
    pub(super) fn prepare(&mut self) {
        if self.fresh().is_some() {
            self.pursue(Goal::SecondRead, self.topology.limits().read);
        } else {
            self.decide_again();
        }
    }

    /// The records were read a second time, directly before the write.
    pub(super) fn read_again(&mut self, sets: &[RecordSet]) {
        let Some(Plan { to, .. }) = self.state.plan else {
            return self.out_of_order();
        };
        let standing = Standing::of(self.topology, sets);
        if standing.is_at(to) {
            return self.unchanged(Unchanged::AlreadyThere);
        }
        if let Some(refusal) = self.forbidden(&standing) {
            return self.refuse(refusal);
        }
        let known = self
            .state
            .seen
            .as_ref()
            .map(Standing::sites)
            .unwrap_or_default();
        // With two sites every other place is one that the same evidence decides alike; a third site is news.
        let news = !standing.sites().within(known.with(to)) && self.state.pinned.is_none();
        self.state.seen = Some(standing);
        if news || self.fresh().is_none() {
            self.decide_again();
        } else {
            self.begin_round(About::Target(to));
        }
    }

    /// The target answered directly before the write.
    pub(super) fn target_answers(&mut self, to: SiteId) {
        let Some(Plan { until, .. }) = self.fresh() else {
            return self.decide_again();
        };
        if !self.state.order.dry_run {
            return self.pursue_until(Goal::Send, until);
        }
        self.survey_or(Survey::Planned, to);
    }

    /// Asks the target's other hosts, to say what visitors miss; it holds nothing up.
    pub(super) fn survey_or(&mut self, survey: Survey, site: SiteId) {
        let ask = Ask {
            whom: Whom::Site(site),
            hosts: Hosts::Others,
        };
        if self.has_requests(ask) {
            self.want(Phase::Surveying(survey, site), Effect::Ask(ask));
        } else if survey == Survey::Planned {
            self.planned();
        } else {
            self.follow();
        }
    }

    fn batch(&self) -> Option<(Batch, Moment)> {
        let Plan { to, until } = self.state.plan?;
        let batch = match &self.state.sent {
            Some(sent) => sent.batch.clone(),
            None => Batch::toward(self.topology, to, self.state.seen.as_ref()?)?,
        };
        Some((batch, until))
    }

    pub(super) fn planned(&mut self) {
        match self.batch() {
            Some((batch, _)) => self.finish(Outcome::Planned(batch)),
            None => self.out_of_order(),
        }
    }

    /// Sends the batch, the same one each time.
    pub(super) fn write(&mut self, calling: Calling) {
        let Some((batch, until)) = self.batch() else {
            return self.out_of_order();
        };
        if self.state.now > until {
            return self.late();
        }
        let mut sync_until = self.state.now.after(self.topology.limits().sync);
        if let Some(ends) = self.state.ends {
            // Rather an end of its own, with its status, than one in the middle of a wait.
            sync_until = sync_until.min(ends);
        }
        let sent = self.state.sent.get_or_insert_with(|| Sent {
            batch: batch.clone(),
            tried: false,
            lost: false,
            murky: false,
            change: None,
            sync_until,
            blind: false,
        });
        sent.sync_until = sync_until;
        self.want(Phase::Calling(calling), Effect::Write(batch, until));
    }

    /// The batch was not sent, since its time had passed. Unless it was sent before, everything is asked once more.
    pub(super) fn late(&mut self) {
        let tried = self.state.sent.as_ref().is_some_and(|sent| sent.tried);
        if tried {
            // What the last try met is what a person needs to know.
            return match self.state.failure.take() {
                Some(fault) => self.not_written(fault),
                None => self.out_of_order(),
            };
        }
        self.state.sent = None;
        self.decide_again();
    }

    /// A request failed: what is known of it now.
    pub(super) fn send_failed(&mut self, fault: &Fault) {
        if let Some(sent) = &mut self.state.sent {
            sent.tried = true;
            sent.lost |= fault.kind == FaultKind::Lost;
            sent.murky |= fault.kind == FaultKind::Unavailable;
        }
        self.state.failure = Some(fault.clone());
    }

    /// No request was answered as accepted. A lost one may have been carried out; one on which the service failed hardly
    /// was, and the list can say.
    pub(super) fn not_written(&mut self, fault: Fault) {
        match &self.state.sent {
            None => self.decide_again(),
            Some(sent) if sent.lost => self.unconfirmed(Unconfirmed::Lost),
            Some(sent) if sent.murky => {
                self.state.failure = Some(fault);
                self.pursue(Goal::Aftermath, self.topology.limits().read);
            }
            Some(_) => self.finish(Outcome::WriteFailed(fault)),
        }
    }

    /// The list after a write on which the service failed: it contains changes that are still pending.
    pub(super) fn aftermath(&mut self, sets: &[RecordSet]) {
        let standing = Standing::of(self.topology, sets);
        let applied = self.state.plan.is_none_or(|plan| standing.is_at(plan.to));
        match self.state.failure.take() {
            Some(fault) if !applied => self.finish(Outcome::WriteFailed(fault)),
            _ => self.unconfirmed(Unconfirmed::Lost),
        }
    }

    pub(super) fn aftermath_unread(&mut self) {
        self.unconfirmed(Unconfirmed::Lost);
    }

    pub(super) fn unconfirmed(&mut self, why: Unconfirmed) {
        self.finish(Outcome::Unconfirmed(why));
    }
}
