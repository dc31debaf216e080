//! The decision, in the order of a run: pin, record state, control target, then the sites.
//!
//! A site serves when one of three tries within 30 s answers 200; in the row of probes that precedes a return home one miss
//! ends the run.

use super::effect::{Ask, Effect, Hosts, Note, Whom, Why};
use super::event::Answer;
use super::moment::Moment;
use super::outcome::{Outcome, Refusal, Unchanged};
use super::records::{Place, RecordSet, Standing, left_behind};
use super::state::{About, Goal, HomeIs, Phase, Plan, Round, Survey};
use super::step::Run;
use super::topology::{SiteId, Sites};

impl Run<'_> {
    pub(super) fn first_read(&mut self) {
        self.pursue(Goal::FirstRead, self.topology.limits().read);
    }

    /// The records are read: the pin is judged, then they are.
    pub(super) fn read_first(&mut self, sets: &[RecordSet]) {
        if let Some(text) = self.state.order.pin.clone().filter(|text| !text.is_empty()) {
            let Some(site) = self.topology.named(&text) else {
                return self.refuse(Refusal::Pin(text));
            };
            self.state.pinned = Some(site);
        }
        for (name, kind) in left_behind(self.topology, sets) {
            self.note(Note::LeftBehind(name, kind));
        }
        let standing = Standing::of(self.topology, sets);
        if let Some(refusal) = self.forbidden(&standing) {
            return self.refuse(refusal);
        }
        self.state.seen = Some(standing);
        if self.topology.control().is_some() {
            self.begin_round(About::Control);
        } else {
            self.decide();
        }
    }

    /// Why these records may not be changed, if they may not: a valid pin overrules one other address, nothing else.
    pub(super) fn forbidden(&self, standing: &Standing) -> Option<Refusal> {
        match &standing.place {
            Place::Foreign(_, foreign)
                if foreign.may_be_pinned() && self.state.pinned.is_some() =>
            {
                None
            }
            Place::Foreign(index, foreign) => Some(Refusal::Foreign(*index, foreign.clone())),
            Place::At(_) | Place::Half(_) => None,
        }
    }

    fn decide(&mut self) {
        let at_home = self.is_at(SiteId::HOME);
        let about = match self.state.pinned {
            Some(site) => About::Pinned(site),
            None if at_home => About::Home,
            None => About::Opening,
        };
        self.begin_round(about);
    }

    /// The evidence no longer holds: everything is asked once more, and a second time not.
    pub(super) fn decide_again(&mut self) {
        if self.state.decided_again {
            return self.refuse(Refusal::Unsteady);
        }
        self.state.decided_again = true;
        self.state.plan = None;
        self.note(Note::DecidesAgain);
        self.decide();
    }

    fn is_at(&self, site: SiteId) -> bool {
        self.state
            .seen
            .as_ref()
            .is_some_and(|seen| seen.is_at(site))
    }

    pub(super) fn begin_round(&mut self, about: About) {
        let next = self.state.now;
        self.ask(Round {
            about,
            failed: 0,
            next,
        });
    }

    /// Asks the round's site.
    pub(super) fn ask(&mut self, round: Round) {
        let missed = matches!(round.about, About::Window(_))
            && self.state.ends.is_some_and(|ends| self.state.now > ends);
        if missed {
            return self.judged(round, false);
        }
        let gap = match round.about {
            About::Opening | About::Window(_) => self.topology.failback().interval,
            About::Control
            | About::Pinned(_)
            | About::Home
            | About::Standby(_)
            | About::Serving(..)
            | About::Target(_) => self.topology.probe().gap(),
        };
        let next = self.state.now.after(gap);
        let ask = whom(round.about);
        self.want(Phase::Asking(Round { next, ..round }), Effect::Ask(ask));
    }

    /// A site answered, or did not.
    pub(super) fn heard(&mut self, round: Round, answers: &[Answer]) {
        let ask = whom(round.about);
        if answers.len() != ask.requests(self.topology).len() {
            return self.out_of_order();
        }
        if let Whom::Site(asked) = ask.whom
            && let Some(says) = self.stranger(asked, answers)
        {
            return self.refuse(Refusal::Identity { asked, says });
        }
        let status = self.topology.probe().status;
        let ok = answers.iter().all(|answer| answer.is(status));
        let failed = round.failed.saturating_add(1);
        let once = matches!(round.about, About::Opening | About::Window(_));
        if ok || once || failed >= self.topology.probe().tries {
            return self.judged(round, ok);
        }
        let round = Round { failed, ..round };
        if self.state.now >= round.next {
            self.ask(round);
        } else {
            self.want(Phase::Spacing(round, round.next), Effect::Wait(round.next));
        }
    }

    /// The other site that an answer names, if the topology wants that looked at.
    fn stranger(&self, asked: SiteId, answers: &[Answer]) -> Option<String> {
        let own = self.topology.name(asked);
        let named = answers.iter().find_map(|answer| match answer {
            Answer::Status {
                site: Some(site), ..
            } if site != own => Some(site.clone()),
            Answer::Status { .. } | Answer::None(_) => None,
        });
        named.filter(|_| self.topology.checks_identity())
    }

    /// A round is over.
    fn judged(&mut self, round: Round, ok: bool) {
        match (round.about, ok) {
            (About::Control, true) => self.decide(),
            (About::Control, false) => self.refuse(Refusal::Control),
            (About::Pinned(site), ok) => self.pinned(site, ok),
            (About::Home, true) => self.unchanged(Unchanged::HomeServes),
            (About::Home, false) => self.ask_standby_after(None),
            (About::Standby(site), true) => self.plan(site, Why::HomeIsDown),
            (About::Standby(site), false) => self.ask_standby_after(Some(site)),
            (About::Opening, ok) => {
                let home = if ok {
                    HomeIs::Up(round.next)
                } else {
                    HomeIs::Down
                };
                self.ask_serving_after(None, home);
            }
            (About::Serving(site, home), true) => self.serves(site, home),
            (About::Serving(site, home), false) => self.ask_serving_after(Some(site), home),
            (About::Window(good), true) => self.in_a_row(good.saturating_add(1), round.next),
            (About::Window(good), false) => self.ask_serving_after(None, HomeIs::Missed(good)),
            (About::Target(site), true) => self.target_answers(site),
            (About::Target(site), false) if self.state.pinned.is_some() => {
                self.refuse(Refusal::PinnedTarget(site));
            }
            (About::Target(site), false) => self.unchanged(Unchanged::TargetSilent(site)),
        }
    }

    fn pinned(&mut self, site: SiteId, ok: bool) {
        match (self.is_at(site), ok) {
            (true, true) => self.unchanged(Unchanged::PinnedServes),
            (true, false) => self.unchanged(Unchanged::PinnedSilent),
            (false, true) => self.plan(site, Why::Pinned),
            (false, false) => self.refuse(Refusal::PinnedTarget(site)),
        }
    }

    /// Home does not answer: the standbys are asked in order, but those that a record points at, which were asked.
    fn ask_standby_after(&mut self, before: Option<SiteId>) {
        let at = self.pointed_at();
        match self.standbys_after(before).find(|site| !at.has(*site)) {
            Some(site) => self.begin_round(About::Standby(site)),
            None => self.unchanged(Unchanged::NobodyServes),
        }
    }

    /// The standbys that a record points at are asked whether they serve.
    fn ask_serving_after(&mut self, before: Option<SiteId>, home: HomeIs) {
        let at = self.pointed_at();
        let next = self.standbys_after(before).find(|site| at.has(*site));
        match (next, home) {
            (Some(site), _) => self.begin_round(About::Serving(site, home)),
            (None, HomeIs::Up(_)) => self.plan(SiteId::HOME, Why::QuickReturn),
            (None, HomeIs::Down) => self.ask_standby_after(None),
            (None, HomeIs::Missed(_)) => self.unchanged(Unchanged::NobodyServes),
        }
    }

    fn pointed_at(&self) -> Sites {
        self.state
            .seen
            .as_ref()
            .map(Standing::sites)
            .unwrap_or_default()
    }

    fn standbys_after(&self, before: Option<SiteId>) -> impl Iterator<Item = SiteId> + use<> {
        let standbys = self.topology.standbys();
        standbys.filter(move |site| before.is_none_or(|before| *site > before))
    }

    fn serves(&mut self, site: SiteId, home: HomeIs) {
        match home {
            HomeIs::Up(next) => self.in_a_row(1, next),
            HomeIs::Down if self.is_at(site) => self.unchanged(Unchanged::StandbyServes),
            HomeIs::Down => self.plan(site, Why::Half),
            HomeIs::Missed(good) => self.unchanged(Unchanged::Missed { good }),
        }
    }

    /// Home has answered so often in a row, and may be asked again at `next`.
    fn in_a_row(&mut self, good: u8, next: Moment) {
        if good >= self.topology.failback().probes {
            let hosts = Ask {
                whom: Whom::Site(SiteId::HOME),
                hosts: Hosts::Others,
            };
            return if self.has_requests(hosts) {
                self.want(
                    Phase::Surveying(Survey::Return, SiteId::HOME),
                    Effect::Ask(hosts),
                );
            } else {
                self.plan(SiteId::HOME, Why::HomeIsBack);
            };
        }
        let round = Round {
            about: About::Window(good),
            failed: 0,
            next,
        };
        if self.state.now >= next {
            self.ask(round);
        } else {
            self.want(Phase::Spacing(round, next), Effect::Wait(next));
        }
    }

    /// A site's other hosts answered, or did not.
    pub(super) fn surveyed(&mut self, survey: Survey, site: SiteId, answers: &[Answer]) {
        let ask = Ask {
            whom: Whom::Site(site),
            hosts: Hosts::Others,
        };
        let requests = ask.requests(self.topology);
        if answers.len() != requests.len() {
            return self.out_of_order();
        }
        if survey == Survey::Return
            && let Some(says) = self.stranger(site, answers)
        {
            return self.refuse(Refusal::Identity { asked: site, says });
        }
        let status = self.topology.probe().status;
        let answered = requests.iter().zip(answers);
        let silent: Vec<_> = answered.filter(|(_, answer)| !answer.is(status)).collect();
        for (request, answer) in &silent {
            self.note(Note::Host(site, request.host.clone(), answer.describe()));
        }
        match survey {
            Survey::Return if silent.is_empty() => self.plan(SiteId::HOME, Why::HomeIsBack),
            Survey::Return => self.unchanged(Unchanged::HostsHoldBack(silent.len())),
            Survey::Written => self.follow(),
            Survey::Planned => self.planned(),
        }
    }

    pub(super) fn unchanged(&mut self, why: Unchanged) {
        self.finish(Outcome::Unchanged(why));
    }

    fn plan(&mut self, to: SiteId, why: Why) {
        let until = self.state.now.after(self.topology.limits().fresh);
        self.state.plan = Some(Plan { to, until });
        self.note(Note::Decided(to, why));
        self.prepare();
    }
}

fn whom(about: About) -> Ask {
    match about {
        About::Control => Ask {
            whom: Whom::Control,
            hosts: Hosts::Probe,
        },
        About::Home | About::Opening | About::Window(_) => Ask::probe(SiteId::HOME),
        About::Pinned(site)
        | About::Standby(site)
        | About::Serving(site, _)
        | About::Target(site) => Ask::probe(site),
    }
}
