//! How a run ends: the decision's word, the exit status and whether a person is notified.
//!
//! | status | when |
//! |---|---|
//! | 0 | nothing to do; changed and confirmed; planned only |
//! | 3 | Route 53, STS or the token endpoint could not be read; the batch was rejected; cancelled |
//! | 5 | every other refusal; a change was needed and no target answers |
//! | 6 | written, or perhaps written, and not confirmed |

use crate::model::dns::RecordName;
use crate::text::cut;

use super::batch::Batch;
use super::fault::Fault;
use super::records::Foreign;
use super::topology::{SiteId, Topology};

/// How much of a pin that is no site's name is shown, in bytes.
const LONGEST_PIN: usize = 200;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing was sent.
    Unchanged(Unchanged),
    /// The change is at the servers.
    Moved(SiteId),
    /// A dry run that would have sent this.
    Planned(Batch),
    /// Nothing was sent, and a person is needed.
    Refused(Refusal),
    /// The batch was not accepted and nothing applied.
    WriteFailed(Fault),
    /// The batch was or may have been accepted, and is not confirmed.
    Unconfirmed(Unconfirmed),
    /// The job was ended from outside.
    Cancelled {
        /// Whether a batch had been sent.
        sent: bool,
    },
}

/// Why nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unchanged {
    /// The records are at home and home answers.
    HomeServes,
    /// The records are at a standby that answers, and home does not.
    StandbyServes,
    /// The records are where the pin wants them, and that site answers.
    PinnedServes,
    /// Home missed a probe of its row; the standby answers.
    Missed {
        /// Good answers before.
        good: u8,
    },
    /// Home answers, but this many of its hosts do not.
    HostsHoldBack(usize),
    /// Somebody else made the change meanwhile.
    AlreadyThere,
    /// A change is needed, and no site answers that it could go to.
    NobodyServes,
    /// The records are where the pin wants them, and that site does not answer.
    PinnedSilent,
    /// The target did not answer any more directly before the write.
    TargetSilent(SiteId),
}

/// Why the run refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The spec is wrong.
    Configuration(String),
    /// The program itself can do no more.
    Broken(Fault),
    /// Credentials were not to be had or the records not to be read.
    Unreadable(Fault),
    /// The pin is no site's name.
    Pin(String),
    /// A record, by its place in the topology, is not what the executor may change.
    Foreign(usize, Foreign),
    /// The control target does not answer: the runner's own network is in doubt.
    Control,
    /// An address answered as another site.
    Identity {
        /// The site that was asked.
        asked: SiteId,
        /// What the answer says.
        says: String,
    },
    /// The pinned site does not answer.
    PinnedTarget(SiteId),
    /// The evidence was too old a second time, or the records changed a second time.
    Unsteady,
    /// The shell answered what was not asked.
    OutOfOrder,
}

/// Why a change is not confirmed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unconfirmed {
    /// Every answer to the request was lost, or the service failed on it.
    Lost,
    /// It was pending to the limit.
    Pending,
    /// The change cannot be followed to its end.
    Unfollowed(Fault),
    /// The list does not show it.
    ListDiffers,
    /// The list could not be read.
    Unread(Fault),
    /// Not all authoritative servers show it, and `GetChange` is not allowed.
    ServersDiffer,
    /// The program itself can do no more.
    Broken(Fault),
    /// The shell answered what was not asked.
    OutOfOrder,
}

impl Unchanged {
    /// Whether a change was needed.
    #[must_use]
    pub fn was_needed(&self) -> bool {
        match self {
            Self::NobodyServes | Self::PinnedSilent | Self::TargetSilent(_) => true,
            Self::HomeServes
            | Self::StandbyServes
            | Self::PinnedServes
            | Self::Missed { .. }
            | Self::HostsHoldBack(_)
            | Self::AlreadyThere => false,
        }
    }

    fn describe(&self, topology: &Topology) -> String {
        match self {
            Self::HomeServes => "the records are at home, and home answers".to_owned(),
            Self::StandbyServes => {
                "the records are at a standby that answers; home does not".to_owned()
            }
            Self::PinnedServes => {
                format!(
                    "the records are where {} wants them",
                    topology.pin_variable()
                )
            }
            Self::Missed { good } => format!(
                "home missed a probe after {good} good ones in a row; the next run starts from zero"
            ),
            Self::HostsHoldBack(count) => {
                format!("home answers, but {count} of its hosts do not; no return")
            }
            Self::AlreadyThere => "the records were moved by somebody else meanwhile".to_owned(),
            Self::NobodyServes => format!(
                "a change is needed, but no site answers {} that it could go to",
                topology.probe().status
            ),
            Self::PinnedSilent => format!(
                "the records are where {} wants them, but that site does not answer {}",
                topology.pin_variable(),
                topology.probe().status
            ),
            Self::TargetSilent(site) => format!(
                "`{}` did not answer {} any more directly before the write",
                topology.name(*site),
                topology.probe().status
            ),
        }
    }
}

impl Refusal {
    fn describe(&self, topology: &Topology) -> String {
        match self {
            Self::Configuration(what) => what.clone(),
            Self::Broken(fault) => format!("the run cannot go on: {}", fault.describe()),
            Self::Unreadable(fault) => {
                format!("the records could not be read: {}", fault.describe())
            }
            Self::Pin(text) => {
                let names: Vec<String> = topology
                    .ids()
                    .map(|id| format!("`{}`", topology.name(id)))
                    .collect();
                format!(
                    "{} is `{}`; allowed are {} and nothing at all",
                    topology.pin_variable(),
                    cut(text, LONGEST_PIN).escape_debug(),
                    names.join(", ")
                )
            }
            Self::Foreign(index, foreign) => match topology.records().get(*index) {
                Some(record) => format!(
                    "`{} {}` {}",
                    record.name,
                    record.kind.word(),
                    foreign.describe()
                ),
                None => foreign.describe(),
            },
            Self::Control => format!(
                "the control host `{}` does not answer {}; no probe from here can be believed",
                topology.control().map(RecordName::dns).unwrap_or_default(),
                topology.probe().status
            ),
            Self::Identity { asked, says } => format!(
                "the address of `{}` answered as `{}`",
                topology.name(*asked),
                cut(says, LONGEST_PIN).escape_debug()
            ),
            Self::PinnedTarget(site) => {
                format!(
                    "{} wants `{}`, which does not answer {}",
                    topology.pin_variable(),
                    topology.name(*site),
                    topology.probe().status
                )
            }
            Self::Unsteady => "what the decision rested on no longer held, twice".to_owned(),
            Self::OutOfOrder => "the run was answered what it had not asked".to_owned(),
        }
    }
}

impl Unconfirmed {
    fn describe(&self) -> String {
        match self {
            Self::Lost => "every answer to the change was lost; it may be carried out".to_owned(),
            Self::Pending => {
                "Route 53 accepted the change and did not bring it to all servers in time"
                    .to_owned()
            }
            Self::Unfollowed(fault) => {
                format!("the change cannot be followed: {}", fault.describe())
            }
            Self::ListDiffers => {
                "the change was accepted, but the list does not show it".to_owned()
            }
            Self::Unread(fault) => format!(
                "the change was accepted, but the list could not be read: {}",
                fault.describe()
            ),
            Self::ServersDiffer => {
                "the change was accepted, but not all authoritative servers show it".to_owned()
            }
            Self::Broken(fault) => format!(
                "a change was sent and may be carried out; the run cannot go on: {}",
                fault.describe()
            ),
            Self::OutOfOrder => {
                "a change was sent, and then the run was answered what it had not asked".to_owned()
            }
        }
    }
}

impl Outcome {
    /// The decision in the words of the decision scenarios; a switch names its site.
    #[must_use]
    pub fn decision(&self, topology: &Topology) -> String {
        match self {
            Self::Unchanged(_) | Self::Cancelled { sent: false } => "NO_CHANGE".to_owned(),
            Self::Moved(site) => {
                let name = topology.name(*site).replace('-', "_");
                format!("SWITCH_TO_{}", name.to_ascii_uppercase())
            }
            Self::Planned(_) => "PLAN_ONLY".to_owned(),
            Self::Refused(_) => "REFUSE".to_owned(),
            Self::WriteFailed(_) => "WRITE_FAILED".to_owned(),
            Self::Unconfirmed(_) | Self::Cancelled { sent: true } => "UNKNOWN_OUTCOME".to_owned(),
        }
    }

    /// Whether it ended so since somebody who was asked did not answer as hoped.
    #[must_use]
    pub fn rests_on_answers(&self) -> bool {
        match self {
            Self::Unchanged(why) => why.was_needed(),
            Self::Refused(why) => matches!(why, Refusal::Control | Refusal::PinnedTarget(_)),
            Self::Moved(_)
            | Self::Planned(_)
            | Self::WriteFailed(_)
            | Self::Unconfirmed(_)
            | Self::Cancelled { .. } => false,
        }
    }

    /// The exit status: 0, 3, 5 or 6.
    #[must_use]
    pub fn status(&self) -> u8 {
        match self {
            Self::Unchanged(why) if why.was_needed() => 5,
            Self::Unchanged(_) | Self::Moved(_) | Self::Planned(_) => 0,
            Self::Refused(Refusal::Unreadable(_) | Refusal::Broken(_))
            | Self::WriteFailed(_)
            | Self::Cancelled { .. } => 3,
            Self::Refused(_) => 5,
            Self::Unconfirmed(_) => 6,
        }
    }

    /// Whether the process itself calls a person: after every write or try, and at every other status than 0 unless the
    /// job was cancelled.
    #[must_use]
    pub fn notifies(&self) -> bool {
        let cancelled = matches!(self, Self::Cancelled { .. });
        let wrote = matches!(self, Self::Moved(_));
        !cancelled && (wrote || self.status() != 0)
    }

    /// Why it ended so, in one line.
    #[must_use]
    pub fn describe(&self, topology: &Topology) -> String {
        match self {
            Self::Unchanged(why) => why.describe(topology),
            Self::Moved(site) => format!("visitors go to `{}`, confirmed", topology.name(*site)),
            Self::Planned(batch) => {
                format!(
                    "a run would send visitors to `{}`",
                    topology.name(batch.to())
                )
            }
            Self::Refused(why) => why.describe(topology),
            Self::WriteFailed(fault) if fault.kind.may_pass() => format!(
                "the change was not accepted while it could be sent: {}",
                fault.describe()
            ),
            Self::WriteFailed(fault) => format!("the change was rejected: {}", fault.describe()),
            Self::Unconfirmed(why) => why.describe(),
            Self::Cancelled { sent: false } => {
                "the job was cancelled before anything was sent".to_owned()
            }
            Self::Cancelled { sent: true } => {
                "the job was cancelled after the change was sent; it may be carried out".to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_its_status_and_says_whether_it_calls_a_person() {
        let fault = Fault::answered("AccessDenied", Some(403), "");
        let cases = [
            (Outcome::Unchanged(Unchanged::HomeServes), 0, false),
            (Outcome::Unchanged(Unchanged::HostsHoldBack(1)), 0, false),
            (Outcome::Unchanged(Unchanged::NobodyServes), 5, true),
            (Outcome::Unchanged(Unchanged::PinnedSilent), 5, true),
            (Outcome::Moved(SiteId::HOME), 0, true),
            (Outcome::Refused(Refusal::Control), 5, true),
            (Outcome::Refused(Refusal::Pin("x".to_owned())), 5, true),
            (
                Outcome::Refused(Refusal::Unreadable(fault.clone())),
                3,
                true,
            ),
            (Outcome::WriteFailed(fault), 3, true),
            (Outcome::Unconfirmed(Unconfirmed::Pending), 6, true),
            (Outcome::Cancelled { sent: false }, 3, false),
            (Outcome::Cancelled { sent: true }, 3, false),
        ];
        for (outcome, status, notifies) in cases {
            assert_eq!(
                (outcome.status(), outcome.notifies()),
                (status, notifies),
                "{outcome:?}"
            );
        }
    }
}
