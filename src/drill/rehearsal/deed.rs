//! What a script does to the world.

use std::time::Duration;

use crate::drill::{DispatchToken, HostedZone, MessageTrouble, Sync, TokenRight, Trouble};

use super::declared::TOKEN;
use super::stage::Stage;
use super::world::{Dying, word};

/// Something that is done to the world.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    /// A site stops serving.
    Kill(usize, Dying),
    /// A site serves again.
    Revive(usize),
    /// A person starts the workflow.
    ByHand,
    /// This monitor sends one more message, whatever it sees.
    Message(String),
    /// So many calls of Uptime Kuma to GitHub hang.
    Hangs(u32),
    /// Uptime Kuma runs, or does not.
    Kuma(bool),
    /// The repository's variable pins a site, or nothing.
    Pin(Option<String>),
    /// Runners take so long to take a job.
    Runners(Duration),
    /// An action that the job uses is gone, or there again.
    ActionGone(bool),
    /// The repository's subjects are made in another way, or as before.
    SubjectChanged(bool),
    /// Something at GitHub.
    GitHub(GitHubDeed),
    /// Something at AWS.
    Aws(AwsDeed),
}

/// Something that is done at GitHub.
#[derive(Debug, Clone, Copy)]
pub(super) enum GitHubDeed {
    /// The token may do this until then.
    Token(TokenRight, Option<Duration>),
    /// The workflow is disabled, or enabled again.
    Disabled(bool),
    /// The repository gets another name.
    Renamed,
    /// The branch gets another name.
    BranchRenamed,
    /// What becomes of messages.
    Messages(Option<MessageTrouble>),
}

/// Something that is done at AWS.
#[derive(Debug, Clone)]
pub(super) enum AwsDeed {
    /// Calls fail.
    Fails(Trouble),
    /// Calls go well again.
    Calm,
    /// The name servers never hear of a change.
    NeverInSync,
    /// A record may not be changed.
    Protect,
}

impl Stage<'_> {
    /// Does it.
    pub(super) fn deed(&mut self, deed: Deed) {
        let told = self.done(deed);
        self.tell("script", told);
    }

    fn done(&mut self, deed: Deed) -> String {
        let now = self.now();
        match deed {
            Deed::Kill(site, dying) => {
                self.world.turn(site, Some(dying));
                self.facts.turned.push((now, site, false));
                format!("{} dies: {}", self.site_name(site), dying.word())
            }
            Deed::Revive(site) => {
                self.world.turn(site, None);
                self.facts.turned.push((now, site, true));
                format!("{} serves again", self.site_name(site))
            }
            Deed::ByHand => {
                let branch = self.spec.github.branch.clone();
                self.world
                    .github
                    .with(|github| github.start_by_hand(&branch, now));
                self.github_moved();
                "a person starts the workflow".to_owned()
            }
            Deed::Message(monitor) => {
                self.message_of(&monitor);
                format!("`{monitor}` has sent one more message")
            }
            Deed::Hangs(count) => {
                self.kuma.hangs = count;
                hangs(count)
            }
            Deed::Kuma(alive) => {
                self.kuma.alive = alive;
                format!("Uptime Kuma is {}", if alive { "alive" } else { "dead" })
            }
            Deed::Pin(pin) => {
                let word = pin.clone().unwrap_or_else(|| "taken away".to_owned());
                self.jobs.pin = pin;
                format!("{} is {word}", self.spec.github.variable)
            }
            Deed::Runners(wait) => {
                self.pace.runner = wait;
                format!("a job waits {} s for its runner", wait.as_secs())
            }
            Deed::ActionGone(gone) => {
                self.jobs.action_gone = gone;
                let word = if gone { "gone" } else { "there again" };
                format!("an action that the job uses is {word}")
            }
            Deed::SubjectChanged(changed) => {
                self.jobs.subject_changed = changed;
                let ways = ["as before", "in another way"];
                let word = ways.get(usize::from(changed)).copied().unwrap_or_default();
                format!("GitHub makes the repository's subjects {word}")
            }
            Deed::GitHub(deed) => self.done_at_github(deed),
            Deed::Aws(deed) => self.done_at_aws(deed),
        }
    }

    fn done_at_github(&mut self, deed: GitHubDeed) -> String {
        let repository = self.spec.repository();
        let branch = &self.spec.github.branch;
        self.world.github.with(|github| match deed {
            GitHubDeed::Token(right, until) => {
                let token = DispatchToken { right, until };
                github.tokens.insert(TOKEN.to_owned(), token);
                let told = match (right, until) {
                    (TokenRight::Write, None) => "is good",
                    (TokenRight::Write, Some(_)) => "has run out",
                    (TokenRight::Read, _) => "may only read",
                    (TokenRight::None, _) => "does not reach the repository",
                };
                format!("the dispatch token {told}")
            }
            GitHubDeed::Disabled(disabled) => {
                github.workflow.disabled = disabled;
                let word = if disabled { "disabled" } else { "enabled" };
                format!("the workflow is {word}")
            }
            GitHubDeed::Renamed => {
                let name = format!("{repository}-renamed");
                github.rename(&name);
                format!("the repository is renamed to {name}")
            }
            GitHubDeed::BranchRenamed => {
                github.keep_branches(["trunk".to_owned()]);
                format!("the branch {branch} is renamed to trunk")
            }
            GitHubDeed::Messages(trouble) => {
                github.trouble = trouble;
                told_of(trouble)
            }
        })
    }

    fn done_at_aws(&mut self, deed: AwsDeed) -> String {
        match deed {
            AwsDeed::Fails(trouble) => {
                let told = format!("AWS: {} fails", trouble.op);
                self.world.cloud.with(|cloud| cloud.trouble(trouble));
                told
            }
            AwsDeed::Calm => {
                self.world.cloud.with(|cloud| cloud.calm());
                "AWS: all is well again".to_owned()
            }
            AwsDeed::NeverInSync => {
                self.pace.sync = None;
                self.world.cloud.with(|cloud| cloud.sync(Sync::Never));
                "AWS: changes stay pending".to_owned()
            }
            AwsDeed::Protect => {
                let name = self.spec.records.names.last().cloned();
                let kind = self.spec.records.types.first().copied();
                if let Some((name, kind)) = name.zip(kind) {
                    let protect = |zone: &mut HostedZone| zone.protect(name, word(kind));
                    self.world.cloud.with(|cloud| protect(cloud.zone_mut()));
                }
                "AWS: a record is protected".to_owned()
            }
        }
    }
}

/// So many calls to GitHub hang, in words.
fn hangs(count: u32) -> String {
    match count {
        0 => "calls to GitHub are answered again".to_owned(),
        1 => "the next call to GitHub hangs".to_owned(),
        count => format!("{count} of the next calls to GitHub hang"),
    }
}

/// What becomes of messages, in words.
fn told_of(trouble: Option<MessageTrouble>) -> String {
    match trouble {
        None => "GitHub's API answers".to_owned(),
        Some(MessageTrouble::Down) => "GitHub's API is down".to_owned(),
        Some(MessageTrouble::Lost(0)) => "messages to GitHub get through".to_owned(),
        Some(MessageTrouble::Lost(1)) => "the next message to GitHub is lost".to_owned(),
        Some(MessageTrouble::Lost(count)) => {
            format!("{count} of the next messages to GitHub are lost")
        }
    }
}
