//! The scripts: the whole rehearsal without a fault, and each fault by its name with the outcome that is promised for it,
//! in the words of the survival matrix where that has a row for it.

use std::time::Duration;

use crate::drill::{MessageTrouble, Refusal, Times, TokenRight, Trouble, What};

use super::cast::Cast;
use super::script::{Act, Condition, Deed};
use super::world::Dying;

/// A fault that can be played.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Its name.
    pub name: &'static str,
    /// What fails.
    pub what: &'static str,
    /// What is promised.
    pub promise: &'static str,
    script: fn(&Scene<'_>) -> Vec<Act>,
}

/// What a script depends on.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// Who plays which part.
    pub cast: &'a Cast,
    /// How home dies.
    pub dying: Dying,
    /// The name of the standby.
    pub standby: &'a str,
}

const HOME: usize = 0;
const STANDBY: usize = 1;

/// A move with everything in it, generously.
const MOVE: Duration = Duration::from_secs(45 * 60);
/// What must not happen is looked for so long.
const LONG: Duration = Duration::from_secs(15 * 60);
/// A short while.
const WHILE: Duration = Duration::from_secs(60);

/// All faults, by name.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "branch-renamed",
        what: "the branch that the message names is renamed",
        promise: "GitHub answers 422 and no run begins; after the branch has its name again a person starts the run that moves the records",
        script: branch_renamed,
    },
    Fault {
        name: "concurrency-evicted",
        what: "two more messages come while a run is under way",
        promise: "the older waiting run is cancelled, nobody is misled by it, and the move is no slower",
        script: evicted,
    },
    Fault {
        name: "control-plane-down",
        what: "Route 53's control plane answers 503",
        promise: "the run ends with status 3 and changes nothing; once the plane is back the next message moves the records",
        script: control_plane,
    },
    Fault {
        name: "gateway-up-app-down",
        what: "the application is dead behind a living gateway",
        promise: "a watch that takes 404 for life sees nothing; a run that a person starts moves the records",
        script: app_down,
    },
    Fault {
        name: "github-down",
        what: "GitHub's API is down",
        promise: "no message gets through; once it is back the next repeated message moves the records",
        script: github_down,
    },
    Fault {
        name: "hub-app-down",
        what: "the standby answers 503 as well",
        promise: "the run refuses with status 5 and changes nothing; once the standby serves the next message moves the records",
        script: standby_app,
    },
    Fault {
        name: "hub-dead",
        what: "the standby is dead, and Uptime Kuma with it",
        promise: "nobody notices that home dies, and a run that a person starts refuses with status 5: there is nowhere to go",
        script: standby_dead,
    },
    Fault {
        name: "insync-never",
        what: "the change never reaches the name servers",
        promise: "the run ends with status 6: written, not confirmed; a person is told",
        script: never_in_sync,
    },
    Fault {
        name: "kuma-dead",
        what: "Uptime Kuma is dead",
        promise: "nobody notices; a run that a person starts moves the records",
        script: kuma_dead,
    },
    Fault {
        name: "origin-record-missing",
        what: "the origin has no record of its own, so the wildcard answers for it",
        promise: "after the move the watch sees the standby and says UP; the run that this starts asks home at its own address and stays",
        script: origin_missing,
    },
    Fault {
        name: "pin-unknown",
        what: "the repository's variable names a site that there is none",
        promise: "every run refuses with status 5 until it is corrected",
        script: pin_unknown,
    },
    Fault {
        name: "record-protected",
        what: "one of the records is protected from changes",
        promise: "the batch is refused whole: no record moves, the run ends with status 3",
        script: protected,
    },
    Fault {
        name: "repo-renamed",
        what: "the repository is renamed, and its subject with it",
        promise: "GitHub answers 301 and no message starts a run; a run that a person starts may not borrow the role, and ends with status 3",
        script: renamed,
    },
    Fault {
        name: "sts-down",
        what: "STS answers 503",
        promise: "the run ends with status 3 and changes nothing; once STS is back the next message moves the records",
        script: sts_down,
    },
    Fault {
        name: "throttled",
        what: "Route 53 throttles the first calls",
        promise: "the executor tries again, and the move is made by the same run",
        script: throttled,
    },
    Fault {
        name: "token-expired",
        what: "the dispatch token has run out",
        promise: "GitHub answers 401 and no run begins; the token check tells people, who make a new one and start the run",
        script: token_expired,
    },
    Fault {
        name: "token-read-only",
        what: "the dispatch token may only read",
        promise: "GitHub answers 403 and no run begins; the token check sees nothing, a person starts the run",
        script: token_read_only,
    },
    Fault {
        name: "webhook-hangs",
        what: "the call to GitHub gets no answer and no end",
        promise: "the watch stands still, people are told by their own monitor, a person starts the run",
        script: webhook_hangs,
    },
    Fault {
        name: "webhook-lost",
        what: "the message at home's death is lost",
        promise: "it is not sent again before the monitor repeats it; then the records move",
        script: webhook_lost,
    },
    Fault {
        name: "workflow-disabled",
        what: "somebody has disabled the workflow",
        promise: "GitHub answers 422 and no run begins; the token check sees nothing; a person enables it and starts the run",
        script: disabled,
    },
];

impl Fault {
    /// The fault of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        FAULTS.iter().find(|fault| fault.name == name)
    }

    /// Its script.
    #[must_use]
    pub fn script(&self, scene: &Scene<'_>) -> Vec<Act> {
        (self.script)(scene)
    }
}

/// The whole rehearsal without a fault.
#[must_use]
pub(super) fn whole(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    acts.extend(scene.dies());
    acts.extend(scene.by_hand_if_unwatched());
    acts.extend(scene.moved());
    acts.push(Act::Wait(WHILE));
    acts.push(Act::Do(Deed::Revive(HOME)));
    acts.extend(scene.by_hand_if_unwatched());
    acts.extend(scene.returned());
    acts.push(Act::See(Condition::Batches(2)));
    if let Some(watch) = &scene.cast.watch {
        acts.push(Act::See(Condition::NoFalseUp(watch.clone())));
    }
    acts
}

impl Scene<'_> {
    /// Nothing happens, until home dies in the middle between two checks: the mean of all moments.
    fn quiet(&self) -> Vec<Act> {
        vec![
            Act::Wait(self.cast.interval * 5 / 2),
            Act::See(Condition::VisitorsAt(HOME)),
            Act::See(Condition::Runs(0)),
        ]
    }

    fn dies(&self) -> Vec<Act> {
        vec![Act::Do(Deed::Kill(HOME, self.dying))]
    }

    fn by_hand_if_unwatched(&self) -> Vec<Act> {
        let unwatched = self.cast.watch.is_none();
        unwatched
            .then_some(Act::Do(Deed::ByHand))
            .into_iter()
            .collect()
    }

    fn moved(&self) -> Vec<Act> {
        self.moved_within(MOVE)
    }

    fn moved_within(&self, time: Duration) -> Vec<Act> {
        vec![
            Act::Until(Condition::VisitorsAt(STANDBY), time),
            Act::Until(Condition::Idle, LONG),
            Act::See(Condition::RecordsAt(STANDBY)),
            Act::See(Condition::HostsAsTheSpecSays(STANDBY)),
            Act::See(Condition::NoWriteToTheDead),
        ]
    }

    fn returned(&self) -> Vec<Act> {
        let retry = self.cast.retry.unwrap_or_default();
        vec![
            Act::Until(Condition::VisitorsAt(HOME), MOVE + retry),
            Act::Until(Condition::Idle, LONG),
            Act::See(Condition::RecordsAt(HOME)),
            Act::See(Condition::HostsAsTheSpecSays(HOME)),
            Act::See(Condition::NoWriteToTheDead),
        ]
    }

    /// The records stay at home, and no batch was made.
    fn nothing_moved() -> Vec<Act> {
        vec![
            Act::See(Condition::RecordsAt(HOME)),
            Act::See(Condition::Batches(0)),
        ]
    }

    /// Messages are sent and answered so; nothing begins, nothing moves.
    fn refused(&self, setup: Deed, answer: Option<u16>) -> Vec<Act> {
        let mut acts = vec![Act::Do(setup)];
        acts.extend(self.quiet());
        acts.extend(self.dies());
        acts.push(Act::Until(Condition::Answer(answer), LONG));
        acts.push(Act::Wait(WHILE));
        acts.push(Act::See(Condition::Runs(0)));
        acts.extend(Self::nothing_moved());
        acts
    }

    /// A person mends it and starts the run.
    fn mended(&self, deed: Deed) -> Vec<Act> {
        let mut acts = vec![Act::Do(deed), Act::Do(Deed::ByHand)];
        acts.extend(self.moved());
        acts
    }

    /// A run ends so, and nothing moves.
    fn run_fails(&self, setup: Vec<Deed>, status: u8) -> Vec<Act> {
        let mut acts: Vec<Act> = setup.into_iter().map(Act::Do).collect();
        acts.extend(self.quiet());
        acts.extend(self.dies());
        acts.extend(self.by_hand_if_unwatched());
        acts.push(Act::Until(Condition::LastStatus(status), MOVE));
        acts.extend(Self::nothing_moved());
        acts
    }

    /// It is well again, and the next message, or a person where none is repeated, moves the records.
    fn well_again(&self, deed: Deed) -> Vec<Act> {
        let mut acts = vec![Act::Do(deed)];
        match self.cast.repeats {
            Some(repeats) => acts.extend(self.moved_within(repeats + MOVE)),
            None => {
                acts.push(Act::Do(Deed::ByHand));
                acts.extend(self.moved());
            }
        }
        acts
    }

    fn people_hear(&self) -> Vec<Act> {
        let monitor = self.cast.notice.clone();
        let heard = monitor.map(|id| Act::See(Condition::PeopleHeard(id)));
        heard.into_iter().collect()
    }
}

fn unavailable(op: &str) -> Deed {
    let refusal = Refusal::new(503, "ServiceUnavailable", "The service is unavailable.");
    Deed::Aws(Trouble::new(op, Times::Always, What::Refused(refusal)))
}

fn slow_down(op: &str, times: u32) -> Deed {
    let refusal = Refusal::new(400, "Throttling", "Rate exceeded");
    Deed::Aws(Trouble::new(
        op,
        Times::First(times),
        What::Refused(refusal),
    ))
}

fn webhook_lost(scene: &Scene<'_>) -> Vec<Act> {
    let lost = Deed::Messages(Some(MessageTrouble::Lost(1)));
    let mut acts = vec![Act::Do(lost)];
    acts.extend(scene.quiet());
    acts.extend(scene.dies());
    acts.push(Act::Until(Condition::Answer(None), LONG));
    acts.extend(scene.people_hear());
    match scene.cast.repeats {
        Some(repeats) => {
            acts.extend(scene.moved_within(repeats + MOVE));
            acts.push(Act::See(Condition::DetectedAfter(repeats)));
        }
        None => {
            acts.push(Act::Wait(MOVE));
            acts.extend(Scene::nothing_moved());
            acts.extend(scene.mended(Deed::Messages(None)));
        }
    }
    acts
}

fn webhook_hangs(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = vec![Act::Do(Deed::Hangs(1))];
    acts.extend(scene.quiet());
    acts.extend(scene.dies());
    let repeats = scene.cast.repeats.unwrap_or_default();
    acts.push(Act::Wait(repeats + LONG));
    acts.push(Act::See(Condition::Accepted(0)));
    acts.extend(scene.people_hear());
    acts.extend(Scene::nothing_moved());
    acts.extend(scene.mended(Deed::Hangs(0)));
    acts
}

fn token_expired(scene: &Scene<'_>) -> Vec<Act> {
    let expired = Deed::Token(TokenRight::Write, Some(Duration::ZERO));
    let mut acts = scene.refused(expired, Some(401));
    if let Some((id, within)) = &scene.cast.token_check {
        let heard = Condition::PeopleHeard(id.clone());
        acts.push(Act::Until(heard, *within + WHILE));
    }
    acts.push(Act::See(Condition::Runs(0)));
    acts.extend(scene.mended(Deed::Token(TokenRight::Write, None)));
    acts
}

fn token_read_only(scene: &Scene<'_>) -> Vec<Act> {
    let reader = Deed::Token(TokenRight::Read, None);
    let mut acts = scene.refused(reader, Some(403));
    acts.extend(scene.mended(Deed::Token(TokenRight::Write, None)));
    acts
}

fn disabled(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.refused(Deed::Disabled(true), Some(422));
    acts.extend(scene.mended(Deed::Disabled(false)));
    acts
}

fn branch_renamed(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.refused(Deed::BranchRenamed, Some(422));
    acts.push(Act::Do(Deed::ByHand));
    acts.extend(scene.moved());
    acts
}

fn renamed(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.refused(Deed::Renamed, Some(301));
    acts.push(Act::Do(Deed::ByHand));
    acts.push(Act::Until(Condition::LastStatus(3), LONG));
    acts.extend(Scene::nothing_moved());
    acts
}

fn github_down(scene: &Scene<'_>) -> Vec<Act> {
    let down = Deed::Messages(Some(MessageTrouble::Down));
    let mut acts = scene.refused(down, None);
    acts.extend(scene.people_hear());
    acts.extend(scene.well_again(Deed::Messages(None)));
    acts
}

fn evicted(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    acts.extend(scene.dies());
    acts.extend(scene.by_hand_if_unwatched());
    acts.push(Act::Until(Condition::ExecutorRuns, LONG));
    acts.push(Act::Do(Deed::ByHand));
    acts.push(Act::Do(Deed::ByHand));
    acts.push(Act::See(Condition::Evicted(1)));
    acts.extend(scene.moved());
    acts.push(Act::See(Condition::LastStatus(0)));
    acts.push(Act::See(Condition::Batches(1)));
    acts
}

fn throttled(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = vec![
        Act::Do(slow_down("ListResourceRecordSets", 2)),
        Act::Do(slow_down("ChangeResourceRecordSets", 3)),
    ];
    acts.extend(scene.quiet());
    acts.extend(scene.dies());
    acts.extend(scene.by_hand_if_unwatched());
    acts.extend(scene.moved());
    acts.push(Act::See(Condition::GotThrough("Throttling".to_owned())));
    acts.push(Act::See(Condition::Batches(1)));
    acts
}

fn control_plane(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.run_fails(vec![unavailable("*")], 3);
    acts.extend(scene.well_again(Deed::Calm));
    acts
}

fn sts_down(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.run_fails(vec![unavailable("AssumeRoleWithWebIdentity")], 3);
    acts.extend(scene.well_again(Deed::Calm));
    acts
}

fn protected(scene: &Scene<'_>) -> Vec<Act> {
    scene.run_fails(vec![Deed::Protect], 3)
}

fn pin_unknown(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.run_fails(vec![Deed::Pin(Some("nowhere".to_owned()))], 5);
    acts.extend(scene.well_again(Deed::Pin(None)));
    acts
}

fn standby_app(scene: &Scene<'_>) -> Vec<Act> {
    let kill = Deed::Kill(STANDBY, Dying::ServerError);
    let mut acts = scene.run_fails(vec![kill], 5);
    acts.extend(scene.well_again(Deed::Revive(STANDBY)));
    acts
}

fn standby_dead(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    acts.push(Act::Do(Deed::Kill(STANDBY, scene.dying)));
    acts.push(Act::Do(Deed::Kuma(false)));
    acts.push(Act::Wait(WHILE));
    acts.extend(scene.dies());
    acts.push(Act::Wait(LONG));
    acts.push(Act::See(Condition::Accepted(0)));
    acts.push(Act::Do(Deed::ByHand));
    acts.push(Act::Until(Condition::LastStatus(5), LONG));
    acts.extend(Scene::nothing_moved());
    acts
}

fn kuma_dead(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    acts.push(Act::Do(Deed::Kuma(false)));
    acts.extend(scene.dies());
    acts.push(Act::Wait(LONG));
    acts.push(Act::See(Condition::Accepted(0)));
    acts.extend(Scene::nothing_moved());
    acts.push(Act::Do(Deed::ByHand));
    acts.extend(scene.moved());
    acts
}

fn never_in_sync(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = vec![Act::Do(Deed::NeverInSync)];
    acts.extend(scene.quiet());
    acts.extend(scene.dies());
    acts.extend(scene.by_hand_if_unwatched());
    acts.push(Act::Until(Condition::LastStatus(6), MOVE));
    acts.push(Act::See(Condition::RecordsAt(STANDBY)));
    acts.push(Act::See(Condition::VisitorsAt(HOME)));
    acts.push(Act::See(Condition::PeopleHeard("run 1".to_owned())));
    acts
}

fn app_down(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    acts.push(Act::Do(Deed::Kill(HOME, Dying::Application)));
    match &scene.cast.watch {
        Some(watch) if scene.cast.takes_404 => {
            acts.push(Act::Wait(LONG));
            acts.push(Act::See(Condition::WatchIsNotDown(watch.clone())));
            acts.push(Act::See(Condition::Accepted(0)));
            acts.extend(Scene::nothing_moved());
            acts.push(Act::Do(Deed::ByHand));
        }
        Some(_) => {}
        None => acts.push(Act::Do(Deed::ByHand)),
    }
    acts.extend(scene.moved());
    acts
}

fn origin_missing(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    acts.extend(scene.dies());
    acts.extend(scene.by_hand_if_unwatched());
    acts.extend(scene.moved());
    if let Some(watch) = &scene.cast.watch {
        acts.push(Act::Until(Condition::FalseUp(watch.clone()), LONG));
    }
    acts.push(Act::Wait(LONG));
    acts.push(Act::See(Condition::RecordsAt(STANDBY)));
    acts.push(Act::See(Condition::Batches(1)));
    acts.push(Act::See(Condition::NoWriteToTheDead));
    acts.push(Act::Do(Deed::Revive(HOME)));
    acts.push(Act::Do(Deed::ByHand));
    acts.extend(scene.returned());
    acts
}
