//! Calls to AWS and GitHub, with the one layer of retries: a budget of time, capped exponential waits with full jitter.
//!
//! Credentials are fetched when they are first needed, again when they have run out, and again before the write when they
//! have aged: a token fetched before ten probes does not outlive them.

use std::time::Duration;

use super::effect::{Effect, Note};
use super::event::Happened;
use super::fault::{Fault, FaultKind};
use super::limits::Limits;
use super::moment::{Moment, millis};
use super::outcome::Refusal;
use super::state::{Call, Calling, Credentials, Goal, Phase};
use super::step::Run;

impl Run<'_> {
    /// Begins calls for `goal`, which may be repeated for as long as `budget`.
    pub(super) fn pursue(&mut self, goal: Goal, budget: Duration) {
        let until = self.state.now.after(budget);
        self.pursue_until(goal, until);
    }

    pub(super) fn pursue_until(&mut self, goal: Goal, until: Moment) {
        let now = self.state.now;
        let aged =
            |credentials: &Credentials| credentials.fresh_until.is_some_and(|until| now > until);
        let (call, until) = match &self.state.credentials {
            None => (Call::Token, until),
            // Only before the write is there time to renew; a change that was sent is followed with what there is. The
            // evidence ages meanwhile, so old credentials that live must come to their turn before it is too old.
            Some(credentials) if goal == Goal::SecondRead && aged(credentials) => {
                let spare = now.after(self.topology.limits().spare);
                let until = if lives_at(credentials, spare.after(self.topology.limits().fresh)) {
                    until.min(spare)
                } else {
                    until
                };
                (Call::Token, until)
            }
            Some(_) => (Call::Main, until),
        };
        self.call(Calling {
            call,
            goal,
            until,
            failed: 0,
        });
    }

    /// Makes the call.
    pub(super) fn call(&mut self, calling: Calling) {
        let effect = match calling.call {
            Call::Token => Effect::FetchToken,
            Call::Role => Effect::AssumeRole,
            Call::Main => match calling.goal {
                Goal::FirstRead | Goal::SecondRead | Goal::ReadBack | Goal::Aftermath => {
                    // A last try has time as well.
                    let least = self.state.now.after(self.topology.limits().spare);
                    Effect::ReadRecords(calling.until.max(least))
                }
                Goal::Send => return self.write(calling),
                Goal::Follow => match self
                    .state
                    .sent
                    .as_ref()
                    .and_then(|sent| sent.change.clone())
                {
                    Some(change) => Effect::AskChange(change),
                    None => return self.out_of_order(),
                },
                Goal::Servers => Effect::AskServers,
            },
        };
        self.want(Phase::Calling(calling), effect);
    }

    /// A call was answered.
    pub(super) fn answered(&mut self, calling: Calling, what: Happened) {
        match (calling.call, what) {
            (Call::Token, Happened::TokenFetched) => self.call(Calling {
                call: Call::Role,
                ..calling
            }),
            (Call::Role, Happened::RoleAssumed { lives }) => {
                let now = self.state.now;
                let limits = self.topology.limits();
                let age = limits.token;
                let until = match calling.goal {
                    Goal::SecondRead => calling.until.max(now.after(limits.spare)),
                    Goal::FirstRead
                    | Goal::Send
                    | Goal::Follow
                    | Goal::ReadBack
                    | Goal::Servers
                    | Goal::Aftermath => calling.until,
                };
                self.state.credentials = Some(Credentials {
                    fresh_until: age.map(|age| now.after(age)),
                    live_until: lives.map(|lives| now.after(lives)),
                });
                self.call(Calling {
                    call: Call::Main,
                    until,
                    ..calling
                });
            }
            (Call::Main, what) => self.main_answered(calling, what),
            (Call::Token | Call::Role, _) => self.out_of_order(),
        }
    }

    fn main_answered(&mut self, calling: Calling, what: Happened) {
        match (calling.goal, what) {
            (Goal::FirstRead, Happened::Records(sets)) => self.read_first(&sets),
            (Goal::SecondRead, Happened::Records(sets)) => self.read_again(&sets),
            (Goal::Send, Happened::Accepted(change)) => self.accepted(change),
            (Goal::Send, Happened::Late) => self.late(),
            (Goal::Follow, Happened::Change(status)) => self.followed(calling, status),
            (Goal::ReadBack, Happened::Records(sets)) => self.read_back(calling, &sets),
            (Goal::Servers, Happened::Servers(servers)) => self.served(calling, &servers),
            (Goal::Aftermath, Happened::Records(sets)) => self.aftermath(&sets),
            _ => self.out_of_order(),
        }
    }

    /// A call failed: it is made again, or given up.
    pub(super) fn failed(&mut self, calling: Calling, fault: Fault) {
        if calling.goal == Goal::Send && calling.call == Call::Main {
            self.send_failed(&fault);
        }
        if fault.kind == FaultKind::Expired && calling.call == Call::Main {
            self.state.credentials = None;
        }
        if !fault.kind.may_pass() || self.state.now >= calling.until {
            return self.give_up(calling, fault);
        }
        let wait = backoff(self.topology.limits(), self.state.order.jitter, calling);
        let until = self.state.now.after(wait).min(calling.until);
        // A token that has run out is of no use to the role, nor a session to the call.
        let call = match (fault.kind, calling.call) {
            (FaultKind::Expired, _) => Call::Token,
            (_, call) => call,
        };
        self.note(Note::Again(fault, until));
        let calling = Calling {
            call,
            failed: calling.failed.saturating_add(1),
            ..calling
        };
        self.rest(calling, until);
    }

    /// Waits before `calling`.
    pub(super) fn rest(&mut self, calling: Calling, until: Moment) {
        self.want(Phase::Resting(calling, until), Effect::Wait(until));
    }

    fn give_up(&mut self, calling: Calling, fault: Fault) {
        if calling.call != Call::Main && self.goes_on_with_old(calling, &fault) {
            return;
        }
        match calling.goal {
            Goal::FirstRead | Goal::SecondRead => self.refuse(Refusal::Unreadable(fault)),
            Goal::Send => self.not_written(fault),
            Goal::Follow => self.not_followed(calling, fault),
            Goal::ReadBack => self.not_read_back(fault),
            Goal::Servers => self.not_served(fault),
            Goal::Aftermath => self.aftermath_unread(),
        }
    }

    /// Credentials that only were to be renewed may still live long enough for the write.
    fn goes_on_with_old(&mut self, calling: Calling, fault: &Fault) -> bool {
        let needed = self.state.now.after(self.topology.limits().fresh);
        let live = self
            .state
            .credentials
            .is_some_and(|credentials| lives_at(&credentials, needed));
        if calling.goal != Goal::SecondRead || !live {
            return false;
        }
        self.note(Note::OldCredentials(fault.clone()));
        let until = self.state.now.after(self.topology.limits().read);
        self.call(Calling {
            call: Call::Main,
            until,
            failed: 0,
            ..calling
        });
        true
    }
}

/// Whether credentials live beyond `moment`.
fn lives_at(credentials: &Credentials, moment: Moment) -> bool {
    credentials.live_until.is_none_or(|until| until > moment)
}

/// The wait before a call is repeated: a random part of a time that doubles with each failure (AWS Architecture Blog,
/// "Exponential Backoff And Jitter", full jitter). The random part follows from the run's order alone, so that a journal
/// replays.
fn backoff(limits: &Limits, jitter: u64, calling: Calling) -> Duration {
    let doubled = 1_u32
        .checked_shl(u32::from(calling.failed))
        .unwrap_or(u32::MAX);
    let most = limits
        .backoff
        .saturating_mul(doubled)
        .min(limits.backoff_most);
    let (least, most) = (millis(limits.backoff_least), millis(most));
    let salt = u64::from(calling.failed) << 8 | calling.goal as u64;
    let span = most.saturating_sub(least).saturating_add(1);
    Duration::from_millis(least + scattered(jitter ^ salt) % span.max(1))
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood, 2014): equal inputs give equal outputs, near ones far ones.
fn scattered(seed: u64) -> u64 {
    let mut value = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_cap_and_are_never_nothing() {
        let limits = Limits::default();
        let waits = |failed: u8| {
            let calling = Calling {
                call: Call::Main,
                goal: Goal::Send,
                until: Moment::default(),
                failed,
            };
            (0..500).map(move |jitter| backoff(&Limits::default(), jitter, calling))
        };
        for failed in 0..40 {
            let cap = limits.backoff * 2_u32.pow(u32::from(failed.min(10)));
            assert!(waits(failed).all(|wait| wait >= limits.backoff_least));
            assert!(waits(failed).all(|wait| wait <= cap.min(limits.backoff_most)));
        }
        let longest = waits(3).max().unwrap();
        assert!(
            longest > Duration::from_secs(3),
            "the jitter is full: {longest:?}"
        );
    }
}
