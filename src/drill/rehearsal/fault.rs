//! Each fault by its name, with the outcome that is promised for it (where the survival matrix has a row, its own) and the
//! script that plays it.

use std::time::Duration;

use crate::drill::{MessageTrouble, Refusal, Times, TokenRight, Trouble, What};

use crate::model::spec::Spec;
use crate::report::drill::LinkRow;

use super::condition::Condition;
use super::deed::{AwsDeed, Deed, GitHubDeed};
use super::links::{CONFIRMATION, HEARTBEAT, MESSAGE, RECORDS, ROLE, SITES, WORKFLOW};
use super::scene::{HOME, LONG, MOVE, STANDBY, Scene, WHILE};
use super::script::Act;
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
    /// Whether it is about the messages of a watch, without which it cannot be played.
    pub(super) needs_watch: bool,
    /// The links that it breaks, each with words of the cause; `{branch}` stands for the branch of the spec.
    breaks: &'static [(&'static str, &'static str)],
    script: fn(&Scene<'_>) -> Vec<Act>,
}

/// All faults, by name.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "action-gone",
        what: "an action that the workflow pins is gone",
        promise: "each message starts a run that fails before the executor; once another commit is pinned a person starts the run",
        needs_watch: false,
        breaks: &[(WORKFLOW, "cannot be fetched")],
        script: action_gone,
    },
    Fault {
        name: "actions-queue",
        what: "runs wait for a runner for 25 minutes",
        promise: "nothing moves meanwhile; then the records move by the run that waited",
        needs_watch: false,
        breaks: &[],
        script: queue,
    },
    Fault {
        name: "branch-renamed",
        what: "the branch that the message names is renamed",
        promise: "GitHub answers 422 and no run begins; after the branch has its name again a person starts the run that moves the records",
        needs_watch: true,
        breaks: &[(MESSAGE, "No ref found for: {branch}")],
        script: branch_renamed,
    },
    Fault {
        name: "concurrency-evicted",
        what: "two more messages come while a run is under way",
        promise: "the older waiting run is cancelled (with `queue: max` it keeps its place), nobody is misled by it, and the move is no slower",
        needs_watch: true,
        breaks: &[],
        script: evicted,
    },
    Fault {
        name: "control-plane-down",
        what: "Route 53's control plane answers 503",
        promise: "the run ends with status 3 and changes nothing; once the plane is back the next message moves the records",
        needs_watch: false,
        breaks: &[(SITES, "ServiceUnavailable")],
        script: control_plane,
    },
    Fault {
        name: "gateway-up-app-down",
        what: "the application is dead behind a living gateway",
        promise: "a watch that takes 404 for life sees nothing; a run that a person starts moves the records",
        needs_watch: false,
        breaks: &[(HEARTBEAT, "never says DOWN")],
        script: app_down,
    },
    Fault {
        name: "github-down",
        what: "GitHub's API is down",
        promise: "no message gets through; once it is back the next repeated message moves the records",
        needs_watch: true,
        breaks: &[(MESSAGE, "gives no answer")],
        script: github_down,
    },
    Fault {
        name: "hub-app-down",
        what: "the standby answers 503 as well",
        promise: "the run refuses with status 5 and changes nothing; once the standby serves the next message moves the records",
        needs_watch: false,
        breaks: &[(SITES, "no site answers")],
        script: standby_app,
    },
    Fault {
        name: "hub-dead",
        what: "the standby is dead, and Uptime Kuma with it",
        promise: "nobody notices that home dies, and a run that a person starts refuses with status 5: there is nowhere to go",
        needs_watch: false,
        breaks: &[(HEARTBEAT, "never says DOWN"), (SITES, "no site answers")],
        script: standby_dead,
    },
    Fault {
        name: "insync-never",
        what: "the change never reaches the name servers",
        promise: "the run ends with status 6: written, not confirmed; a person is told",
        needs_watch: false,
        breaks: &[(CONFIRMATION, "status 6")],
        script: never_in_sync,
    },
    Fault {
        name: "kuma-dead",
        what: "Uptime Kuma is dead",
        promise: "nobody notices; a run that a person starts moves the records",
        needs_watch: false,
        breaks: &[(HEARTBEAT, "never says DOWN")],
        script: kuma_dead,
    },
    Fault {
        name: "origin-record-missing",
        what: "the origin has no record of its own, so the wildcard answers for it",
        promise: "after the move the watch sees the standby and says UP; the run that this starts asks home at its own address and stays",
        needs_watch: false,
        breaks: &[(HEARTBEAT, "says UP while home is dead")],
        script: origin_missing,
    },
    Fault {
        name: "pin-unknown",
        what: "the repository's variable names a site that there is none",
        promise: "every run refuses with status 5 until it is corrected",
        needs_watch: false,
        breaks: &[(SITES, "is `nowhere`")],
        script: pin_unknown,
    },
    Fault {
        name: "record-protected",
        what: "one of the records is protected from changes",
        promise: "the batch is refused whole: no record moves, the run ends with status 3",
        needs_watch: false,
        breaks: &[(RECORDS, "InvalidChangeBatch")],
        script: protected,
    },
    Fault {
        name: "repo-renamed",
        what: "the repository is renamed, and its subject with it",
        promise: "GitHub sends each message on to the repository's id (307), where it starts a run; the run may not borrow the role, and changes nothing; the token check, which is not sent on, tells people",
        needs_watch: true,
        breaks: &[(ROLE, "-renamed")],
        script: renamed,
    },
    Fault {
        name: "sts-down",
        what: "STS answers 503",
        promise: "the run cannot borrow the role and changes nothing; once STS is back the next message moves the records",
        needs_watch: false,
        breaks: &[(ROLE, "The service is unavailable")],
        script: sts_down,
    },
    Fault {
        name: "subject-changed",
        what: "somebody changes how GitHub makes the repository's subjects",
        promise: "the run may not borrow the role and changes nothing; once it is put back the next message moves the records",
        needs_watch: false,
        breaks: &[(ROLE, "repository:")],
        script: subject_changed,
    },
    Fault {
        name: "throttled",
        what: "Route 53 throttles the first calls",
        promise: "the executor tries again, and the move is made by the same run",
        needs_watch: false,
        breaks: &[],
        script: throttled,
    },
    Fault {
        name: "token-expired",
        what: "the dispatch token has run out",
        promise: "GitHub answers 401 and no run begins; the token check tells people, who make a new one and start the run",
        needs_watch: true,
        breaks: &[(MESSAGE, "401: Bad credentials")],
        script: token_expired,
    },
    Fault {
        name: "token-read-only",
        what: "the dispatch token may only read",
        promise: "GitHub answers 403 and no run begins; the token check sees nothing, a person starts the run",
        needs_watch: true,
        breaks: &[(MESSAGE, "403: Resource not accessible")],
        script: token_read_only,
    },
    Fault {
        name: "webhook-hangs",
        what: "the call to GitHub gets no answer and no end",
        promise: "the watch stands still, people are told by their own monitor, a person starts the run",
        needs_watch: true,
        breaks: &[(MESSAGE, "no answer and no end")],
        script: webhook_hangs,
    },
    Fault {
        name: "webhook-lost",
        what: "the message at home's death is lost",
        promise: "it is not sent again before the monitor repeats it; then the records move",
        needs_watch: true,
        breaks: &[(MESSAGE, "gives no answer")],
        script: webhook_lost,
    },
    Fault {
        name: "workflow-disabled",
        what: "somebody has disabled the workflow",
        promise: "GitHub answers 422 and no run begins; the token check sees nothing; a person enables it and starts the run",
        needs_watch: true,
        breaks: &[(MESSAGE, "on a disabled workflow")],
        script: disabled,
    },
];

impl Fault {
    /// The fault of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        FAULTS.iter().find(|fault| fault.name == name)
    }

    /// Whether a link that is broken for this reason is broken as the fault has it.
    #[must_use]
    pub(super) fn excuses(&self, spec: &Spec, link: &LinkRow) -> bool {
        let branch = spec.github.branch.as_str();
        let is_cause = |(name, words): &(&str, &str)| {
            *name == link.name && link.told.contains(&words.replace("{branch}", branch))
        };
        self.breaks.iter().any(is_cause)
    }

    /// Its script.
    #[must_use]
    pub(super) fn script(&self, scene: &Scene<'_>) -> Vec<Act> {
        (self.script)(scene)
    }
}

fn unavailable(op: &str) -> Deed {
    let refusal = Refusal::new(503, "ServiceUnavailable", "The service is unavailable.");
    Deed::Aws(AwsDeed::Fails(Trouble::new(
        op,
        Times::Always,
        What::Refused(refusal),
    )))
}

fn slow_down(op: &str, times: u32) -> Deed {
    let refusal = Refusal::new(400, "Throttling", "Rate exceeded");
    Deed::Aws(AwsDeed::Fails(Trouble::new(
        op,
        Times::First(times),
        What::Refused(refusal),
    )))
}

fn action_gone(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = vec![Act::Do(Deed::ActionGone(true))];
    acts.extend(scene.quiet());
    acts.extend(scene.dies());
    acts.extend(scene.by_hand_if_unwatched());
    acts.push(Act::Until(Condition::RunFailed, LONG));
    acts.extend(Scene::nothing_moved());
    acts.extend(scene.mended(Deed::ActionGone(false)));
    acts
}

fn queue(scene: &Scene<'_>) -> Vec<Act> {
    let wait = Duration::from_secs(25 * 60);
    let mut acts = vec![Act::Do(Deed::Runners(wait))];
    acts.extend(scene.quiet());
    acts.extend(scene.dies());
    acts.extend(scene.by_hand_if_unwatched());
    acts.push(Act::Wait(wait - WHILE));
    acts.extend(Scene::nothing_moved());
    // Whoever comes after this run finds runners as always.
    acts.push(Act::Do(Deed::Runners(Duration::from_secs(12))));
    acts.extend(scene.moved());
    acts.push(Act::See(Condition::Batches(1)));
    acts
}

fn subject_changed(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.run_fails(vec![Deed::SubjectChanged(true)], Condition::NotBorrowed);
    acts.extend(scene.well_again(Deed::SubjectChanged(false)));
    acts
}

fn webhook_lost(scene: &Scene<'_>) -> Vec<Act> {
    let lost = Deed::GitHub(GitHubDeed::Messages(Some(MessageTrouble::Lost(1))));
    let mut acts = vec![Act::Do(lost)];
    acts.extend(scene.quiet());
    acts.extend(scene.dies());
    acts.push(Act::Until(Condition::Answer(None), LONG));
    acts.extend(scene.people_hear());
    acts.extend(scene.repeats());
    match scene.cast.repeats {
        Some(repeats) => {
            acts.extend(scene.moved_within(repeats + MOVE));
            acts.push(Act::See(Condition::DetectedAfter(repeats)));
        }
        None => {
            acts.push(Act::Wait(MOVE));
            acts.extend(Scene::nothing_moved());
            acts.extend(scene.mended(Deed::GitHub(GitHubDeed::Messages(None))));
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
    let expired = Deed::GitHub(GitHubDeed::Token(TokenRight::Write, Some(Duration::ZERO)));
    let mut acts = scene.refused(expired, Some(401));
    acts.extend(scene.token_check_tells());
    acts.push(Act::See(Condition::Runs(0)));
    acts.extend(scene.mended(Deed::GitHub(GitHubDeed::Token(TokenRight::Write, None))));
    acts
}

fn token_read_only(scene: &Scene<'_>) -> Vec<Act> {
    let reader = Deed::GitHub(GitHubDeed::Token(TokenRight::Read, None));
    let mut acts = scene.refused(reader, Some(403));
    acts.extend(scene.mended(Deed::GitHub(GitHubDeed::Token(TokenRight::Write, None))));
    acts
}

fn disabled(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.refused(Deed::GitHub(GitHubDeed::Disabled(true)), Some(422));
    acts.extend(scene.mended(Deed::GitHub(GitHubDeed::Disabled(false))));
    acts
}

fn branch_renamed(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.refused(Deed::GitHub(GitHubDeed::BranchRenamed), Some(422));
    acts.push(Act::Do(Deed::ByHand));
    acts.extend(scene.moved());
    acts
}

fn renamed(scene: &Scene<'_>) -> Vec<Act> {
    let deed = Deed::GitHub(GitHubDeed::Renamed);
    let mut acts = scene.run_fails(vec![deed], Condition::NotBorrowed);
    acts.push(Act::See(Condition::Answer(Some(204))));
    acts.extend(scene.token_check_tells());
    acts.push(Act::See(Condition::NotBorrowed));
    acts.extend(Scene::nothing_moved());
    acts
}

fn github_down(scene: &Scene<'_>) -> Vec<Act> {
    let down = Deed::GitHub(GitHubDeed::Messages(Some(MessageTrouble::Down)));
    let mut acts = scene.refused(down, None);
    acts.extend(scene.people_hear());
    acts.extend(scene.well_again(Deed::GitHub(GitHubDeed::Messages(None))));
    acts
}

fn evicted(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    acts.extend(scene.dies());
    acts.push(Act::Until(Condition::ExecutorRuns, LONG));
    let watch = scene.cast.watch.clone().unwrap_or_default();
    acts.push(Act::Do(Deed::Message(watch.clone())));
    acts.push(Act::Do(Deed::Message(watch)));
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
    let mut acts = scene.run_fails(vec![unavailable("*")], Condition::LastStatus(3));
    acts.extend(scene.well_again(Deed::Aws(AwsDeed::Calm)));
    acts
}

fn sts_down(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.run_fails(
        vec![unavailable("AssumeRoleWithWebIdentity")],
        Condition::NotBorrowed,
    );
    acts.extend(scene.well_again(Deed::Aws(AwsDeed::Calm)));
    acts
}

fn protected(scene: &Scene<'_>) -> Vec<Act> {
    scene.run_fails(vec![Deed::Aws(AwsDeed::Protect)], Condition::LastStatus(3))
}

fn pin_unknown(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.run_fails(
        vec![Deed::Pin(Some("nowhere".to_owned()))],
        Condition::LastStatus(5),
    );
    acts.extend(scene.corrected(Deed::Pin(None)));
    acts
}

fn standby_app(scene: &Scene<'_>) -> Vec<Act> {
    let all = scene.standbys();
    let dying = all.map(|site| Deed::Kill(site, Dying::ServerError));
    let mut acts = scene.run_fails(dying.collect(), Condition::LastStatus(5));
    acts.extend(scene.well_again(Deed::Revive(STANDBY)));
    acts
}

fn standby_dead(scene: &Scene<'_>) -> Vec<Act> {
    let mut acts = scene.quiet();
    let all = scene.standbys();
    acts.extend(all.map(|site| Act::Do(Deed::Kill(site, scene.dying))));
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
    let mut acts = vec![Act::Do(Deed::Aws(AwsDeed::NeverInSync))];
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
