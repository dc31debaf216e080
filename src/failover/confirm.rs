//! After the write: the change is followed to INSYNC, the records are read back, the authoritative servers are asked.
//!
//! INSYNC alone is not believed (aws-cli issue 6640: reported, and the record unchanged), and without `GetChange` every
//! authoritative server must show the change.

use super::effect::Note;
use super::event::{ChangeStatus, ServerAnswer};
use super::fault::{Fault, FaultKind};
use super::outcome::{Outcome, Unconfirmed};
use super::records::{RecordSet, Standing};
use super::state::{Calling, Goal, Survey};
use super::step::Run;
use super::topology::SiteId;

impl Run<'_> {
    /// The batch was accepted. What visitors miss at the target is asked first: the change needs a minute anyway.
    pub(super) fn accepted(&mut self, change: String) {
        let Some(sent) = &mut self.state.sent else {
            return self.out_of_order();
        };
        sent.change = Some(change);
        let to = sent.batch.to();
        self.survey_or(Survey::Written, to);
    }

    /// Asks how far the change is.
    pub(super) fn follow(&mut self) {
        match &self.state.sent {
            Some(sent) => self.pursue_until(Goal::Follow, sent.sync_until),
            None => self.out_of_order(),
        }
    }

    pub(super) fn followed(&mut self, calling: Calling, status: ChangeStatus) {
        match status {
            ChangeStatus::InSync => self.pursue(Goal::ReadBack, self.topology.limits().read),
            ChangeStatus::Pending if self.state.now >= calling.until => {
                self.unconfirmed(Unconfirmed::Pending);
            }
            ChangeStatus::Pending => self.look_again(calling),
        }
    }

    /// Looks again after a while.
    fn look_again(&mut self, calling: Calling) {
        let wait = self.state.now.after(self.topology.limits().poll);
        let calling = Calling {
            failed: 0,
            ..calling
        };
        self.rest(calling, wait.min(calling.until));
    }

    /// The change cannot be followed. Without the permission the list and all servers can stand in for it.
    pub(super) fn not_followed(&mut self, calling: Calling, fault: Fault) {
        let Some(sent) = &mut self.state.sent else {
            return self.out_of_order();
        };
        if fault.kind != FaultKind::Denied {
            return self.unconfirmed(Unconfirmed::Unfollowed(fault));
        }
        sent.blind = true;
        self.note(Note::CannotFollow(fault));
        self.pursue_until(Goal::ReadBack, calling.until);
    }

    pub(super) fn read_back(&mut self, calling: Calling, sets: &[RecordSet]) {
        let Some(sent) = &self.state.sent else {
            return self.out_of_order();
        };
        if Standing::of(self.topology, sets).is_at(sent.batch.to()) {
            let until = if sent.blind {
                calling.until
            } else {
                // The change is in sync; the servers are a warning's worth, and get a little time for it.
                let spare = self.state.now.after(self.topology.limits().spare);
                spare.min(sent.sync_until)
            };
            self.pursue_until(Goal::Servers, until);
        } else if self.state.now >= calling.until {
            self.unconfirmed(Unconfirmed::ListDiffers);
        } else {
            self.look_again(calling);
        }
    }

    pub(super) fn not_read_back(&mut self, fault: Fault) {
        self.unconfirmed(Unconfirmed::Unread(fault));
    }

    /// The authoritative servers answered.
    pub(super) fn served(&mut self, calling: Calling, servers: &[ServerAnswer]) {
        let Some(sent) = &self.state.sent else {
            return self.out_of_order();
        };
        let (to, blind) = (sent.batch.to(), sent.blind);
        let lagging: Vec<&ServerAnswer> = servers
            .iter()
            .filter(|server| !self.shows(server, to))
            .collect();
        let all = lagging.is_empty() && !servers.is_empty();
        if blind && !all {
            return if self.state.now >= calling.until {
                self.unconfirmed(Unconfirmed::ServersDiffer);
            } else {
                self.look_again(calling);
            };
        }
        for server in lagging {
            let name = server.server.clone();
            self.note(match server.values {
                Some(_) => Note::Lags(name),
                None => Note::Silent(name),
            });
        }
        self.finish(Outcome::Moved(to));
    }

    /// The authoritative servers could not be asked. After `INSYNC` that is a warning; without it nobody has confirmed.
    pub(super) fn not_served(&mut self, fault: Fault) {
        let Some(sent) = &self.state.sent else {
            return self.out_of_order();
        };
        let (to, blind) = (sent.batch.to(), sent.blind);
        self.note(Note::Unasked(fault.clone()));
        self.finish(if blind {
            Outcome::Unconfirmed(Unconfirmed::Unfollowed(fault))
        } else {
            Outcome::Moved(to)
        });
    }

    /// Whether a server answers the site's addresses for every record.
    fn shows(&self, server: &ServerAnswer, to: SiteId) -> bool {
        let Some(values) = &server.values else {
            return false;
        };
        let records = self.topology.records();
        values.len() == records.len()
            && records.iter().zip(values).all(|(record, values)| {
                let address = self.topology.address(to, record.kind);
                let shown = values.iter().map(|value| value.parse().ok());
                !values.is_empty() && shown.into_iter().all(|shown| shown == address)
            })
    }
}
