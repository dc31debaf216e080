//! One rehearsed run: performs the effects of the executor's mind on a world, and keeps what happened.

use std::time::Duration;

use crate::failover::invariants::{Law, MOST_STEPS, Watch};
use crate::failover::journal::Entry;
use crate::failover::{
    Answer, Ask, Effect, Event, Happened, Hosts, Moment, NoAnswer, Order, Outcome, SiteId, State,
    Whom, step,
};

use super::reply::Reply;
use super::world::{Asked, World};

/// A run and its clock.
#[derive(Debug, Clone)]
pub struct Actor {
    state: State,
    now: Moment,
    asked: Asked,
    waiting: Option<Effect>,
    reads: usize,
    lost_time: bool,
    story: Vec<Entry>,
    watch: Watch,
    /// Laws that the run broke.
    pub(super) broken: Vec<Law>,
    /// When home was probed.
    pub(super) home_probed: Vec<Moment>,
}

impl Actor {
    /// A run with this order.
    pub(super) fn started(world: &World<'_>, order: Order) -> Self {
        let mut actor = Self {
            state: State::new(),
            now: Moment::default(),
            asked: Asked::default(),
            waiting: None,
            reads: 0,
            lost_time: false,
            story: Vec::new(),
            watch: Watch::default(),
            broken: Vec::new(),
            home_probed: Vec::new(),
        };
        actor.happened(world, Happened::Started(order));
        actor
    }

    /// How it ended.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.state.outcome()
    }

    /// Everything that happened, in order.
    #[must_use]
    pub fn story(&self) -> &[Entry] {
        &self.story
    }

    /// What it wants done next.
    pub(super) fn waiting(&self) -> Option<&Effect> {
        self.waiting.as_ref()
    }

    fn happened(&mut self, world: &World<'_>, what: Happened) {
        let event = Event { at: self.now, what };
        self.story.push(Entry::Event(event.clone()));
        let state = std::mem::take(&mut self.state);
        let (state, effects) = step(world.topology, state, event.clone());
        self.broken
            .extend(self.watch.sees(world.topology, &event, &effects));
        self.state = state;
        let told = effects.iter().cloned();
        self.story
            .extend(told.map(|effect| Entry::Effect(self.now, effect)));
        self.waiting = effects.into_iter().find(Effect::is_answered);
    }

    /// Performs what is wanted. The answer is not yet told to the run: a process may die in between.
    pub(super) fn perform(&mut self, world: &mut World<'_>) -> Option<Happened> {
        let effect = self.waiting.take()?;
        Some(match effect {
            Effect::FetchToken => world.plain("oidc_token", self.now, Happened::TokenFetched),
            Effect::AssumeRole => {
                let lives = Some(Duration::from_secs(3600));
                let well = Happened::RoleAssumed { lives };
                world.plain("AssumeRoleWithWebIdentity", self.now, well)
            }
            Effect::ReadRecords(_) => {
                let answer = world.list(self.now, self.reads > 0);
                self.reads += usize::from(matches!(answer, Happened::Records(_)));
                answer
            }
            Effect::Ask(ask) => self.ask(world, ask),
            Effect::Wait(until) => {
                self.now = self.now.max(until);
                Happened::Woke
            }
            Effect::Write(batch, until) => {
                if !self.lost_time {
                    self.lost_time = true;
                    let lost = Duration::from_secs(world.scenario.lost_seconds);
                    self.now = self.now.after(lost);
                }
                if self.now > until {
                    Happened::Late
                } else {
                    world.write(self.now, &batch.changes(world.topology))
                }
            }
            Effect::AskChange(_) => world.change(self.now),
            Effect::AskServers => world.servers(self.now),
            Effect::Note(_) | Effect::Finish(_) => return None,
        })
    }

    /// Tells the run an answer.
    pub(super) fn answer(&mut self, world: &World<'_>, what: Happened) {
        self.happened(world, what);
    }

    /// Goes on until the run has ended, or `stop` says so of what it wants done.
    pub(super) fn go_on(&mut self, world: &mut World<'_>, stop: impl Fn(&Effect) -> bool) {
        for _ in 0..MOST_STEPS {
            if self.waiting().is_none_or(&stop) {
                return;
            }
            if let Some(answer) = self.perform(world) {
                self.answer(world, answer);
            }
        }
    }

    fn ask(&mut self, world: &World<'_>, ask: Ask) -> Happened {
        let (scenario, topology) = (world.scenario, world.topology);
        let site = match ask.whom {
            Whom::Site(site) => topology.name(site),
            Whom::Control => "",
        };
        if ask == Ask::probe(SiteId::HOME) {
            self.home_probed.push(self.now);
        }
        let mut answers = Vec::new();
        let mut longest = Duration::ZERO;
        for request in ask.requests(topology) {
            let reply = match ask.hosts {
                Hosts::Probe => self.asked.next(scenario, site),
                Hosts::Others => {
                    let key = (site.to_owned(), request.host.clone());
                    let reply = scenario.hosts.get(&key).cloned();
                    reply.unwrap_or(Reply::Answer(Answer::status(200)))
                }
            };
            let Reply::Answer(answer) = reply else {
                return Happened::Cancelled;
            };
            let slow = matches!(answer, Answer::None(NoAnswer::Timeout | NoAnswer::SlowBody));
            if slow {
                longest = topology.probe().timeout;
            }
            answers.push(answer);
        }
        self.now = self.now.after(longest);
        Happened::Answered(answers)
    }
}
