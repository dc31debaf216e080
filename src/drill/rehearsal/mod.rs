//! The whole chain rehearsed: monitor, message, run, role, records, name servers, caches, visitors, on one clock. Everything
//! that decides is the real thing: the executor's own code over the real SDK, the evaluator with the committed policies, the
//! committed workflow and monitors. What stands around it is played, and keeps to what the real ones were seen to do.
//!
//! Pure parts: `watch` (a monitor), `declared` and `cast` (which monitors there are, and what for), `scene` and `fault` (scripts).
//! A script is lines: a `deed` is done to the world, a `condition` is waited for or must be so. The shell is `stage`: one queue,
//! one thing at a time; `kuma`, `jobs` and `visitors` are who acts on it, `summary` is what came of it.
//!
//! What is absent: Uptime Kuma's own program, GitHub's scheduler and its order of checks (nobody has measured it), signatures,
//! the time that a real network takes.

mod attack;
mod attack_token;
mod beside;
mod borrow;
mod caller;
mod cast;
mod command;
mod condition;
mod control;
mod declared;
mod deed;
mod facts;
mod fault;
mod given;
mod granted;
mod jobs;
mod judge;
mod known;
mod kuma;
mod links;
mod managed;
mod places;
mod resolver;
mod run;
mod scene;
mod script;
mod stage;
mod start;
mod steps;
mod summary;
mod time;
mod visitors;
mod watch;
mod world;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::adapters::{Detour, HttpsProber, Runtime, Skipped, TrustFault, World as Outside};
use crate::diag::Unread;
use crate::drill::{DispatchToken, DispatchedWorkflow, GitHub, TokenRight};
use crate::forecast::{Column, Settings};
use crate::model::spec::Spec;
use crate::ports::Cancelled;
use crate::report::drill::{AttackRow, EventRow, LinkRow, LinkState, Rehearsed};
use crate::rules::{Role, Workspace};
use crate::text::SourceMap;

use cast::Cast;
use declared::{Declared, TOKEN};
use facts::Facts;
use given::Given;
use jobs::{Jobs, dispatched, open_concurrency};
use judge::Judge;
use kuma::Kuma;
use links::{RECORDS, ROLE, WORKFLOW};
use places::place;
use scene::{Scene, whole};
use stage::{Pace, Queue, Stage};
use start::ZoneStart;
use steps::JobRules;
use time::Time;
use visitors::{VISITORS, Visitors};
use world::World;

pub use fault::{FAULTS, Fault};
pub use run::{BlackHoles, Executor, Job, Turn, TurnClock, TurnProber};
pub use world::Dying;

/// What is rehearsed.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The deployment.
    pub spec: &'a Spec,
    /// Where its spec is.
    pub spec_path: PathBuf,
    /// Its artefacts.
    pub workspace: &'a Workspace,
    /// Their texts.
    pub sources: &'a SourceMap,
    /// Files of them that could not be read.
    pub unread: &'a [Unread],
    /// The numbers that a forecast takes from them.
    pub settings: &'a Settings,
    /// What is forecast from these.
    pub forecast: &'a Column,
    /// A fault, or none.
    pub fault: Option<&'static Fault>,
    /// How home dies.
    pub dying: Dying,
    /// By how much waits are shortened; 1 for none.
    pub speed: f64,
}

/// Why there was no rehearsal.
#[derive(Debug, thiserror::Error)]
pub enum DrillFault {
    /// The system gives no port, thread or signal.
    #[error("the world of the rehearsal cannot be set up: {0}")]
    Setup(#[from] io::Error),
    /// Its own authority is not trusted.
    #[error("the world of the rehearsal cannot be set up: {0}")]
    Trust(#[from] TrustFault),
    /// The fault is about messages that nobody sends.
    #[error(
        "the fault `{0}` is about the messages of a monitor that watches home and starts the workflow, and none is declared"
    )]
    NoWatch(&'static str),
    /// Somebody ended it.
    #[error("the rehearsal was broken off")]
    Cancelled,
}

impl From<Cancelled> for DrillFault {
    fn from(Cancelled: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Rehearses it; `onlooker` hears what happens as it happens. When this comes back, no thread, socket or file of it is left.
///
/// # Errors
/// When the world cannot be set up, or somebody breaks it off.
pub fn rehearse(
    plan: &Plan<'_>,
    executor: Arc<dyn Executor>,
    outside: fn(Detour) -> Outside,
    onlooker: &mut dyn FnMut(&EventRow),
) -> Result<Rehearsed, DrillFault> {
    let spec = plan.spec;
    let monitors = plan
        .workspace
        .monitors
        .iter()
        .map(|artefact| &artefact.model);
    let declared = Declared::of(spec, monitors);
    let cast = Cast::of(spec, &declared);
    if let Some(fault) = plan
        .fault
        .filter(|fault| fault.needs_watch && cast.watch.is_none())
    {
        return Err(DrillFault::NoWatch(fault.name));
    }
    let left_out = declared.left_out.iter();
    let left_out = left_out.map(|it| format!("`{}` is not played: {}", it.path, it.why));
    let left_out = left_out.collect();
    let given = Given::of(plan, &declared, &cast);
    let mut stage = set_up(plan, declared, executor, outside, onlooker)?;
    stage.facts.notes = left_out;
    stage.facts.notes.extend(given.notes.iter().cloned());
    for missing in stage.judge.missing() {
        stage.facts.note(format!(
            "{missing}: given nowhere, so that nothing is allowed"
        ));
    }
    let scene = Scene {
        cast: &cast,
        dying: plan.dying,
        sites: spec.sites.len(),
    };
    let script = match plan.fault {
        Some(fault) => fault.script(&scene),
        None => whole(&scene),
    };
    stage.open(cast.watch.as_deref());
    stage.perform(script)?;
    // A run that heard the signal first has ended like any that fails, and nobody has waited since.
    stage.time.goes_on()?;
    let rehearsed = summed_up(plan, &mut stage, &cast, given);
    stage.time.goes_on()?;
    Ok(rehearsed)
}

/// Everything that was seen, after the attacks that end a rehearsal without a fault.
fn summed_up(plan: &Plan<'_>, stage: &mut Stage<'_>, cast: &Cast, given: Given) -> Rehearsed {
    let lasted = stage.now();
    if plan.fault.is_some() {
        stage.control();
    }
    let given = given.with(&mut stage.facts);
    let mut links = stage.links(cast);
    given.apply(&mut links);
    blame(plan, &stage.facts, &given, &mut links);
    for link in &mut links {
        link.at = place(plan, cast, link);
        if link.as_fault {
            link.told = format!("as the fault has it: {}", link.told);
        }
    }
    let attacks = if plan.fault.is_none() {
        stage.attacks()
    } else {
        Vec::new()
    };
    let took = lasted.saturating_sub(stage.time.skipped().so_far());
    Rehearsed {
        fault: plan
            .fault
            .map(|fault| (fault.name.to_owned(), fault.what.to_owned())),
        promise: plan.fault.map(|fault| fault.promise.to_owned()),
        death: plan.dying.word().to_owned(),
        sites: plan
            .spec
            .sites
            .iter()
            .map(|site| site.name.clone())
            .collect(),
        speed: plan.speed,
        lasted,
        took,
        links,
        defects: given.defects.into_iter().map(|(_, told)| told).collect(),
        open: open(given.doubts, &attacks),
        unread: given.unread.into_iter().map(|(_, told)| told).collect(),
        caveats: given.caveats,
        moves: stage.moves(plan.forecast),
        hosts: stage.visitors.views(lasted),
        visitors: VISITORS,
        attacks,
        dispatches: stage.facts.posted.len(),
        people: stage.facts.people.len(),
        runs: stage.run_rows(),
        expected: std::mem::take(&mut stage.facts.expected),
        events: std::mem::take(&mut stage.facts.events),
        decisions: std::mem::take(&mut stage.facts.decisions),
        notes: std::mem::take(&mut stage.facts.notes),
    }
}

/// What leaves a rehearsal undecided, in words.
fn open(doubts: Vec<(&'static str, String)>, attacks: &[AttackRow]) -> Vec<String> {
    let links = doubts
        .into_iter()
        .map(|(link, told)| format!("not rehearsed at the link `{link}`: {told}"));
    let attacks = attacks
        .iter()
        .filter(|attack| attack.open && attack.must_fail);
    let attacks = attacks.map(|attack| {
        let why = attack.why.join("; ");
        format!("not rehearsed: whether {} is refused: {why}", attack.what)
    });
    links.chain(attacks).collect()
}

/// What a fault breaks for its own cause is as it has it. Where something that was to be seen was not, and no link is broken
/// that tells why, the link that it belongs to is.
fn blame(plan: &Plan<'_>, facts: &Facts, given: &Given, links: &mut [LinkRow]) {
    let is_broken = |link: &LinkRow| link.state == LinkState::Broken;
    for link in links.iter_mut().filter(|link| is_broken(link)) {
        let is_defect = given.defects.iter().any(|(name, _)| *name == link.name);
        let excused = plan
            .fault
            .is_some_and(|fault| fault.excuses(plan.spec, link));
        link.as_fault = excused && !is_defect;
    }
    let is_open = |link: &LinkRow| matches!(link.state, LinkState::Unread | LinkState::NotDecided);
    if links.iter().any(|link| link.fails() || is_open(link)) {
        return;
    }
    let Some(missed) = facts.expected.iter().find(|expected| !expected.met) else {
        return;
    };
    let mut own = links.iter_mut().filter(|link| link.name == missed.link);
    if let Some(link) = own.next() {
        link.state = LinkState::Broken;
        link.as_fault = false;
        link.told = format!("{}: {}", missed.what, missed.found);
    }
}

/// The stage with everybody on it.
fn set_up<'a>(
    plan: &Plan<'a>,
    declared: Declared,
    executor: Arc<dyn Executor>,
    outside: fn(Detour) -> Outside,
    onlooker: &'a mut dyn FnMut(&EventRow),
) -> Result<Stage<'a>, DrillFault> {
    let spec = plan.spec;
    let skipped = Skipped::default();
    let runtime = Runtime::skipping(skipped.clone())?;
    let workflow = plan
        .workspace
        .workflows
        .iter()
        .find(|artefact| artefact.role == Some(Role::Workflow));
    let workflow = workflow.map(|artefact| &artefact.model);
    let rules = workflow.map_or_else(
        || JobRules::generated(spec),
        |workflow| JobRules::of(spec, plan.workspace, workflow),
    );
    let github = github(
        spec,
        workflow.map_or_else(|| generated(spec), |workflow| dispatched(spec, workflow)),
    );
    let judge = Judge::of(spec, plan.workspace, plan.sources);
    let pace = pace(plan.settings);
    let missing = plan
        .fault
        .is_some_and(|fault| fault.name == "origin-record-missing");
    let start = ZoneStart::of(spec, plan.workspace, missing);
    let sync = pace.sync.unwrap_or_default();
    let world = World::new(spec, &start, sync, &judge, github, &skipped)?;
    let prober = HttpsProber::new(runtime.clone(), outside(world.detour()))?;
    let mut facts = known_before(spec, &judge, &rules, &start, workflow.is_some());
    if let Some(open) = workflow.and_then(|workflow| open_concurrency(spec, workflow)) {
        facts.doubt(WORKFLOW, open);
    }
    Ok(Stage {
        spec,
        spec_path: plan.spec_path.clone(),
        time: Time::new(runtime, skipped, plan.speed),
        world,
        judge,
        kuma: Kuma::new(declared),
        jobs: Jobs::default(),
        rules,
        visitors: Visitors::new(spec, start.has_other_family(spec)),
        facts,
        queue: Queue::default(),
        pace,
        prober,
        executor,
        onlooker,
        start,
        accepted: 0,
        gives_up: plan.fault.is_none(),
    })
}

/// What is known of the deployment before anything is played.
fn known_before(
    spec: &Spec,
    judge: &Judge,
    rules: &JobRules,
    start: &ZoneStart,
    has_workflow: bool,
) -> Facts {
    let mut facts = Facts::default();
    for doubt in judge.own().doubts.clone() {
        facts.doubt(ROLE, doubt);
    }
    if let Some(told) = judge.own().differs(spec, rules) {
        facts.defect(ROLE, told);
    }
    for doubt in start.doubts.clone() {
        facts.doubt(RECORDS, doubt);
    }
    facts.caveats.extend(start.caveats.clone());
    if !has_workflow {
        facts.note(
            "no workflow is there, so that of `pointsman generate` was played for it".to_owned(),
        );
    }
    facts
}

/// What GitHub makes of the workflow that is generated.
fn generated(spec: &Spec) -> DispatchedWorkflow {
    DispatchedWorkflow {
        file: spec.github.workflow.clone(),
        dispatchable: true,
        group: Some("dns-failover".to_owned()),
        ..DispatchedWorkflow::default()
    }
}

/// GitHub with the deployment's repository, in which everything is well.
fn github(spec: &Spec, workflow: DispatchedWorkflow) -> GitHub {
    let own = &spec.github;
    let branches = [own.branch.clone(), "feature".to_owned()];
    let mut github = GitHub::new(&spec.repository(), own.repository_id, branches, workflow);
    let token = DispatchToken {
        right: TokenRight::Write,
        until: None,
    };
    github.tokens.insert(TOKEN.to_owned(), token);
    github
}

/// The middle of what a forecast draws.
fn pace(settings: &Settings) -> Pace {
    let seconds = |name: &str| Duration::from_secs_f64(settings.get(name).clamp(0.0, 86_400.0));
    Pace {
        runner: seconds("runner.median"),
        setup: (seconds("job.setup_least") + seconds("job.setup_most")) / 2,
        sync: Some(seconds("sync.median")),
    }
}
