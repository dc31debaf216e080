//! One scenario run through, and what came of it in the words of the file.

use crate::failover::invariants::Law;
use crate::failover::journal::{self, Entry};
use crate::failover::{Effect, Outcome, RecordSet, Refusal, Topology};

use super::actor::Actor;
use super::scenario::{Expected, Scenario};
use super::world::{Anchor, Change, World};

/// What came of a scenario.
#[derive(Debug, Clone)]
pub struct Ran {
    /// Its id.
    pub id: String,
    /// The decision.
    pub decision: String,
    /// Every distinct batch sent or tried.
    pub batches: Vec<Vec<Change>>,
    /// The exit status.
    pub status: u8,
    /// Whether a person is notified.
    pub notify: bool,
    /// Why it ended so.
    pub why: String,
    /// What the run after a crash decides.
    pub next_decision: Option<String>,
    /// Milliseconds between the first and the last probe of home.
    pub span: u64,
    /// Laws of the executor that a run broke: none, or it is wrong.
    pub broken: Vec<Law>,
    /// Everything that happened in the first run.
    pub story: Vec<Entry>,
}

impl Ran {
    /// The journal of the first run; empty when its configuration is none.
    #[must_use]
    pub fn journal(&self, scenario: &Scenario) -> String {
        let Ok(topology) = &scenario.topology else {
            return String::new();
        };
        let mut text = journal::head(topology) + "\n";
        for entry in &self.story {
            text += &journal::line(topology, entry);
            text.push('\n');
        }
        text
    }

    /// What differs from what must come out.
    #[must_use]
    pub fn differs(&self, scenario: &Scenario) -> Vec<String> {
        let broken = self.broken.iter().map(|law| law.sentence().to_owned());
        let mut told: Vec<String> = broken.collect();
        if let Some(expected) = &scenario.expected {
            told.extend(self.against(expected, scenario.crashes));
        }
        if let Some((_, decision)) = &scenario.next_run {
            let next = self.next_decision.as_deref().unwrap_or("nothing");
            if next != decision {
                told.push(format!("the next run decides {next}, expected {decision}"));
            }
        }
        told
    }

    fn against(&self, expected: &Expected, dead: bool) -> Vec<String> {
        let mut told = Vec::new();
        if self.decision != expected.decision {
            told.push(format!("{}, expected {}", self.decision, expected.decision));
        }
        let batches = serde_json::to_value(&self.batches).unwrap_or_default();
        if batches != serde_json::Value::from(expected.batches.clone()) {
            told.push(format!("batches {batches}"));
        }
        // Nobody can exit with the status of a process that died.
        if self.status != expected.status && !dead {
            told.push(format!(
                "status {}, expected {}",
                self.status, expected.status
            ));
        }
        let exit = if self.status == 0 { "zero" } else { "nonzero" };
        if let Some(word) = &expected.exit
            && word != exit
            && !dead
        {
            told.push(format!("exit {exit}, expected {word}"));
        }
        if self.notify != expected.notify && !dead {
            told.push(format!(
                "notify {}, expected {}",
                self.notify, expected.notify
            ));
        }
        if self.span < expected.min_span_s * 1000 {
            told.push(format!(
                "{} ms between the first and the last probe, expected {} s",
                self.span, expected.min_span_s
            ));
        }
        told
    }
}

/// Runs a scenario through.
#[must_use]
pub fn run(scenario: &Scenario) -> Ran {
    let topology = match &scenario.topology {
        Ok(topology) => topology,
        Err(fault) => return unconfigured(scenario, fault),
    };
    // A fault that lasts for a time begins with the first write; if there is none, with the start.
    let ran = run_anchored(scenario, topology, Anchor::FirstWrite);
    if ran.batches.is_empty() {
        run_anchored(scenario, topology, Anchor::Start)
    } else {
        ran
    }
}

fn unconfigured(scenario: &Scenario, fault: &str) -> Ran {
    let outcome = Outcome::Refused(Refusal::Configuration(fault.to_owned()));
    Ran {
        id: scenario.id.clone(),
        decision: "REFUSE".to_owned(),
        batches: Vec::new(),
        status: outcome.status(),
        notify: outcome.notifies(),
        why: fault.to_owned(),
        next_decision: None,
        span: 0,
        broken: Vec::new(),
        story: Vec::new(),
    }
}

fn is_write(effect: &Effect) -> bool {
    matches!(effect, Effect::Write(..))
}

fn run_anchored(scenario: &Scenario, topology: &Topology, anchor: Anchor) -> Ran {
    let mut world = World::new(scenario, topology, scenario.zone.clone(), anchor);
    let mut actors: Vec<Actor> = (0..scenario.parallel)
        .map(|_| Actor::started(&world, scenario.order.clone()))
        .collect();
    if scenario.crashes || scenario.parallel > 1 {
        for actor in &mut actors {
            actor.go_on(&mut world, is_write);
        }
    }
    let crashes = scenario.crashes
        && actors
            .first()
            .is_some_and(|actor| actor.waiting().is_some());
    if crashes {
        for actor in &mut actors {
            drop(actor.perform(&mut world));
        }
    } else {
        for actor in &mut actors {
            actor.go_on(&mut world, |_| false);
        }
    }
    let next_decision = scenario.next_run.as_ref().map(|(zone, _)| {
        let mut world = World::new(scenario, topology, zone.clone(), anchor);
        let mut actor = Actor::started(&world, scenario.order.clone());
        actor.go_on(&mut world, |_| false);
        actor
            .outcome()
            .map_or_else(String::new, |outcome| outcome.decision(topology))
    });
    let broken = actors
        .iter()
        .flat_map(|actor| actor.broken.clone())
        .collect();
    let first = actors.swap_remove(0);
    let probes = usize::from(topology.failback().probes);
    let row = first.home_probed.get(..probes).unwrap_or_default();
    let span = match (row.first(), row.last()) {
        (Some(first), Some(last)) => last.millis() - first.millis(),
        _ => 0,
    };
    let outcome = first.outcome().cloned();
    Ran {
        id: scenario.id.clone(),
        decision: outcome.as_ref().map_or_else(
            || "UNKNOWN_OUTCOME".to_owned(),
            |outcome| outcome.decision(topology),
        ),
        batches: world.batches,
        status: outcome.as_ref().map_or(6, Outcome::status),
        notify: outcome.as_ref().is_some_and(Outcome::notifies),
        why: outcome.as_ref().map_or_else(
            || "the process died after its change was accepted".to_owned(),
            |outcome| outcome.describe(topology),
        ),
        next_decision,
        span,
        broken,
        story: first.story().to_vec(),
    }
}

/// Where a process is killed: at its effect of this number, before or after it is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kill {
    /// How many effects are carried out and answered before.
    pub effect: usize,
    /// Whether this one is carried out, without its answer being heard.
    pub performed: bool,
}

/// Runs a scenario `runs` times on one zone, each run with the scenario's answers and faults from the start; the process of
/// the first is killed. What each whole run came to, and what the zone holds in the end. `None` if the first run has ended
/// before, or its configuration is none.
#[must_use]
pub fn run_killed(
    scenario: &Scenario,
    kill: Option<Kill>,
    runs: usize,
) -> Option<(Vec<Outcome>, Vec<RecordSet>)> {
    let topology = scenario.topology.as_ref().ok()?;
    let mut zone = scenario.zone.clone();
    let mut outcomes = Vec::new();
    for run in 0..runs {
        let mut world = World::new(scenario, topology, zone, Anchor::FirstWrite);
        let mut actor = Actor::started(&world, scenario.order.clone());
        match kill.filter(|_| run == 0) {
            Some(kill) => killed(&mut actor, &mut world, kill)?,
            None => {
                actor.go_on(&mut world, |_| false);
                outcomes.push(actor.outcome()?.clone());
            }
        }
        zone = world.zone().to_vec();
    }
    Some((outcomes, zone))
}

fn killed(actor: &mut Actor, world: &mut World<'_>, kill: Kill) -> Option<()> {
    for _ in 0..kill.effect {
        let answer = actor.perform(world)?;
        actor.answer(world, answer);
    }
    actor.waiting()?;
    if kill.performed {
        drop(actor.perform(world));
    }
    Some(())
}
