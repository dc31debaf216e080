//! The executor in a rehearsal: the same composition and the same code as in a real run, in a world on loopback, with waits
//! that let the rest of the rehearsal go on. Only `pointsman drill` asks for it.

use std::sync::Mutex;

use crate::adapters::{Detour, Runtime, World};
use crate::drill::rehearsal::{BlackHoles, Executor, Job, Turn, TurnClock, TurnProber};
use crate::execution::Onlooker;
use crate::execution::Outside;
use crate::execution::report::RunReport;
use crate::failover::journal::Entry;
use crate::failover::{Outcome, Topology};
use crate::ports::FileFault;

use super::UNDONE;
use super::caught::caught;
use super::executor::{Go, Journal, Request, perform_within, spec};
use super::inputs::Inputs;

/// Leads everything to a world on loopback.
#[must_use]
pub fn rehearsal_world(detour: Detour) -> World {
    World::on_loopback(detour)
}

/// The executor's own code.
#[derive(Debug, Clone, Copy)]
pub struct RehearsedExecutor;

impl Executor for RehearsedExecutor {
    fn run(&self, job: Job) -> RunReport {
        caught(|| performed(job)).unwrap_or_else(|fault| RunReport {
            status: UNDONE,
            ..RunReport::unconfigured(&[fault.describe()], false)
        })
    }
}

fn performed(job: Job) -> RunReport {
    let request = Request {
        spec: job.spec,
        dry_run: false,
        plan: false,
        journal: Journal::None,
        usual_credentials: false,
    };
    let refused = |told: &[String]| RunReport::unconfigured(told, false);
    let spec = match spec(&request.spec) {
        Ok(spec) => spec,
        Err(told) => return refused(&told),
    };
    let topology = match Topology::of(&spec) {
        Ok(topology) => topology,
        Err(fault) => return refused(&[fault.to_string()]),
    };
    let inputs = Inputs::given(job.variables);
    let world = World::on_loopback(job.detour);
    let (turn, holes) = (Mutex::new(job.turn), job.black_holes);
    let within =
        &mut |outside: &mut Outside<'_>, go: Go<'_>| taking_turns(outside, &turn, &holes, go);
    let runtime = Runtime::skipping(job.skipped);
    let place = (&request, &inputs, &world);
    perform_within(place, spec, &topology, runtime, &mut Nobody, within).report()
}

/// The run goes with a clock and a prober that take turns; everything else is as it was put together.
fn taking_turns(
    outside: &mut Outside<'_>,
    turn: &Mutex<Turn>,
    holes: &BlackHoles,
    go: Go<'_>,
) -> Outcome {
    let clock = TurnClock {
        clock: &*outside.clock,
        turn,
    };
    let mut prober = TurnProber {
        prober: &mut *outside.prober,
        clock,
        holes: holes.clone(),
    };
    let mut own = clock;
    go(&mut Outside {
        clock: &mut own,
        identity: &mut *outside.identity,
        zone: &mut *outside.zone,
        prober: &mut prober,
        servers: &mut *outside.servers,
    })
}

/// Nobody looks on: what a run tells is in its report.
struct Nobody;

impl Onlooker for Nobody {
    fn sees(&mut self, _: &Entry) {}

    fn misses_journal(&mut self, _: &FileFault) {}
}
