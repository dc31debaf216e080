//! Where a run stands. Every moment in it is a deadline, so that what has passed is all the same and equal states behave
//! equally.

use super::batch::Batch;
use super::event::Order;
use super::fault::Fault;
use super::moment::Moment;
use super::outcome::Outcome;
use super::records::Standing;
use super::topology::SiteId;

/// The state of one run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub(super) now: Moment,
    /// When the job is cut off.
    pub(super) ends: Option<Moment>,
    pub(super) order: Order,
    /// The site that the pin names, once it has been read as one.
    pub(super) pinned: Option<SiteId>,
    pub(super) credentials: Option<Credentials>,
    /// The last read.
    pub(super) seen: Option<Standing>,
    pub(super) plan: Option<Plan>,
    /// Whether everything has been asked a second time.
    pub(super) decided_again: bool,
    pub(super) sent: Option<Sent>,
    /// The last fault of a write that was given up.
    pub(super) failure: Option<Fault>,
    pub(super) phase: Phase,
}

/// What was borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Credentials {
    /// Until when they count as fresh.
    pub(super) fresh_until: Option<Moment>,
    /// Until when they work at all.
    pub(super) live_until: Option<Moment>,
}

/// Where the records shall go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Plan {
    pub(super) to: SiteId,
    /// Until when the evidence for it holds.
    pub(super) until: Moment,
}

/// A batch that was sent at least once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sent {
    pub(super) batch: Batch,
    /// Whether a request failed: it was sent, so no other batch may be.
    pub(super) tried: bool,
    /// Whether an answer was lost: it may have been carried out.
    pub(super) lost: bool,
    /// Whether the service failed on it: it was hardly carried out, and the list can say.
    pub(super) murky: bool,
    pub(super) change: Option<String>,
    /// Until when the change may be pending.
    pub(super) sync_until: Moment,
    /// Whether `GetChange` is not allowed.
    pub(super) blind: bool,
}

/// What the run waits for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// For its order.
    New,
    /// For the answer to a call.
    Calling(Calling),
    /// Before the call is made, or made again.
    Resting(Calling, Moment),
    /// For the answer of a site.
    Asking(Round),
    /// Before the site is asked again.
    Spacing(Round, Moment),
    /// For the answers of a site's other hosts.
    Surveying(Survey, SiteId),
    /// For nothing.
    Finished(Outcome),
}

/// A call, what it is for, and how long it may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Calling {
    pub(super) call: Call,
    pub(super) goal: Goal,
    pub(super) until: Moment,
    /// Calls that failed already.
    pub(super) failed: u8,
}

/// Which call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    /// For a token.
    Token,
    /// For the role.
    Role,
    /// The one that the goal is about.
    Main,
}

/// What calls are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Goal {
    /// The first look at the records.
    FirstRead,
    /// The look directly before the write.
    SecondRead,
    /// The write.
    Send,
    /// Following the change.
    Follow,
    /// The look at the records after it.
    ReadBack,
    /// The authoritative servers after it.
    Servers,
    /// The look at the records after a write on which the service failed.
    Aftermath,
}

/// Asking a site, perhaps several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Round {
    pub(super) about: About,
    /// Requests that failed already.
    pub(super) failed: u8,
    /// When the next request of this round may begin.
    pub(super) next: Moment,
}

/// Why a site is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// The control target, before anything is believed.
    Control,
    /// The site that the pin names.
    Pinned(SiteId),
    /// Home, where the records are.
    Home,
    /// A standby that visitors could be sent to.
    Standby(SiteId),
    /// Home while the records are elsewhere: the first probe of its row.
    Opening,
    /// A standby that the records point at.
    Serving(SiteId, HomeIs),
    /// Home again, after so many good answers in a row.
    Window(u8),
    /// The target directly before the write.
    Target(SiteId),
}

/// What is known of home while a standby is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HomeIs {
    /// It answered; its next probe is due then.
    Up(Moment),
    /// It did not answer.
    Down,
    /// It missed a probe of its row after so many good ones.
    Missed(u8),
}

/// Why a site's other hosts are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Survey {
    /// Whether home may have its visitors back.
    Return,
    /// What visitors miss after the write.
    Written,
    /// What visitors would miss after it.
    Planned,
}

impl State {
    /// A run that has not begun.
    #[must_use]
    pub fn new() -> Self {
        Self {
            now: Moment::default(),
            ends: None,
            order: Order {
                pin: None,
                dry_run: false,
                jitter: 0,
            },
            pinned: None,
            credentials: None,
            seen: None,
            plan: None,
            decided_again: false,
            sent: None,
            failure: None,
            phase: Phase::New,
        }
    }

    /// How it ended; `None` while it goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.phase {
            Phase::Finished(outcome) => Some(outcome),
            Phase::New
            | Phase::Calling(_)
            | Phase::Resting(..)
            | Phase::Asking(_)
            | Phase::Spacing(..)
            | Phase::Surveying(..) => None,
        }
    }

    /// The run's clock.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.now
    }

    /// The same state with its clock set back to one millisecond and every deadline with it. It behaves as this one does;
    /// states that differ only in how late it is become equal.
    #[must_use]
    pub fn rebased(mut self) -> Self {
        if matches!(self.phase, Phase::Finished(_)) {
            // Nothing follows from anything any more, whatever it remembers.
            let phase = self.phase;
            return Self {
                phase,
                ..Self::new()
            };
        }
        let now = self.now;
        let back = |moment: &mut Moment| *moment = moment.seen_from(now);
        let all = |moments: Option<&mut Moment>| {
            if let Some(moment) = moments {
                back(moment);
            }
        };
        all(self.ends.as_mut());
        if let Some(credentials) = &mut self.credentials {
            all(credentials.fresh_until.as_mut());
            all(credentials.live_until.as_mut());
        }
        all(self.plan.as_mut().map(|plan| &mut plan.until));
        all(self.sent.as_mut().map(|sent| &mut sent.sync_until));
        let round = |round: &mut Round| {
            back(&mut round.next);
            if let About::Serving(_, HomeIs::Up(next)) = &mut round.about {
                back(next);
            }
        };
        match &mut self.phase {
            Phase::New | Phase::Surveying(..) | Phase::Finished(_) => {}
            Phase::Calling(calling) => back(&mut calling.until),
            Phase::Resting(calling, until) => {
                back(&mut calling.until);
                back(until);
            }
            Phase::Asking(asked) => round(asked),
            Phase::Spacing(asked, until) => {
                round(asked);
                back(until);
            }
        }
        back(&mut self.now);
        self
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}
