//! The composition root of both programs: the spec of this folder, the adapters of this world, one run of the shell.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::adapters::{JournalFile, NoJournal, Runtime, World, read_plain_file};
use crate::execution::report::RunReport;
use crate::execution::{Onlooker, Record};
use crate::execution::{Outside, run};
use crate::failover::journal::Entry;
use crate::failover::{
    Answer, Ask, Hosts, Limits, Order, Outcome, Refusal, Topology, TopologyDraft, TopologyFault,
    Unconfirmed, Whom,
};
use crate::model::spec::Spec;
use crate::ports::{Clock as _, FileFault, JournalSink};
use crate::text::SourceMap;

use super::caught::caught;
use super::inputs::Inputs;
use super::outside::{Adapters, Job, unavailable};
use super::progress::Progress;
use super::voice::say;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The spec.
    pub spec: PathBuf,
    /// Whether to stop before the write.
    pub dry_run: bool,
    /// Whether a journal is kept, and where.
    pub journal: Journal,
    /// Whether what is asked for is a plan: the sites are asked even where the records cannot be read, and a call that fails is
    /// given up sooner, since somebody waits.
    pub plan: bool,
    /// Whether credentials may also come from where the AWS CLI looks; only a build that can ask for them does.
    pub usual_credentials: bool,
}

/// Where a run's journal goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Journal {
    /// Into the runner's own folder or the working directory, under the run's name.
    Usual,
    /// Here.
    At(PathBuf),
    /// Nowhere: what is asked for is a look, and no run.
    None,
}

/// A run that had a topology.
#[derive(Debug)]
pub struct Performed {
    /// The spec.
    pub spec: Spec,
    /// What it says to the executor.
    pub topology: Topology,
    /// How the run ended.
    pub outcome: Outcome,
    /// Everything that happened.
    pub story: Vec<Entry>,
    /// What the sites answered where the run did not come to ask them; a plan alone has it.
    pub seen: Vec<(Ask, Vec<Answer>)>,
    journal: Option<String>,
    journal_fault: Option<FileFault>,
}

/// Why a run did not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hindrance {
    /// The spec is not there, or cannot be read.
    Unreadable,
    /// The spec is wrong.
    Wrong,
    /// The job was ended before.
    Cancelled,
}

/// A run that did not begin.
#[derive(Debug)]
pub struct NotBegun {
    /// Why.
    pub why: Hindrance,
    /// What is told of it.
    pub report: RunReport,
}

/// The most bytes of a spec; the reference deployment's has some three thousand.
const MOST: u64 = 1 << 20;

/// How long a plan asks for credentials and records.
const PLAN_READ: Duration = Duration::from_secs(10);

impl Performed {
    /// What came of it.
    #[must_use]
    pub fn report(&self) -> RunReport {
        let mut report = RunReport::of(&self.spec, &self.topology, &self.story, &self.outcome);
        report.journal.clone_from(&self.journal);
        if let Some(fault) = &self.journal_fault {
            report.warn(&format!("the journal is not whole: {fault}"));
        }
        report
    }
}

/// What signals from now on come to: they end the run, and not the process. The first thing that a program makes.
///
/// # Errors
/// When the system gives no event queue or no signals.
pub fn runtime() -> io::Result<Runtime> {
    Runtime::new()
}

/// Performs one run in `world`.
///
/// # Errors
/// Why it did not begin, with its report: its spec is missing or wrong, or the job was ended before.
pub fn perform(
    request: &Request,
    inputs: &Inputs,
    world: &World,
    runtime: io::Result<Runtime>,
) -> Result<Performed, Box<NotBegun>> {
    let begun = request.begin(runtime.as_ref().ok());
    let (spec, topology) = match (begun, &runtime) {
        (Ok(begun), _) => begun,
        (Err(_), Ok(runtime)) if runtime.is_over() => return Err(request.cancelled()),
        (Err(hindered), _) => return Err(hindered),
    };
    let mut progress = Progress::of(&topology);
    let within = &mut |outside: &mut Outside<'_>, run: Go<'_>| run(outside);
    let job = (request, inputs, world);
    Ok(perform_within(
        job,
        spec,
        &topology,
        runtime,
        &mut progress,
        within,
    ))
}

/// A run that has an outside and goes to its end.
pub(super) type Go<'a> = &'a mut dyn FnMut(&mut Outside<'_>) -> Outcome;

/// Lets a run go within an outside that may be another than what was put together.
pub(super) type Within<'a> = &'a mut dyn FnMut(&mut Outside<'_>, Go<'_>) -> Outcome;

/// The same run, with somebody else who looks on, and within whatever `within` makes of the outside.
pub(super) fn perform_within(
    (request, inputs, world): (&Request, &Inputs, &World),
    spec: Spec,
    topology: &Topology,
    runtime: io::Result<Runtime>,
    onlooker: &mut dyn Onlooker,
    within: Within<'_>,
) -> Performed {
    let order = Order {
        pin: inputs.pin(&spec.github.variable),
        dry_run: request.dry_run,
        jitter: RandomState::new().hash_one(0),
    };
    let wall = runtime.as_ref().map_or(0, Runtime::wall_millis);
    let name = Name::of(inputs, wall);
    let (mut sink, journal) = sink(request, inputs, &name);
    let job = Job {
        inputs,
        world,
        name: &name.shown,
        #[cfg(feature = "aws")]
        usual_credentials: request.usual_credentials,
    };
    let mut record = Record::begun(topology, &mut *sink, onlooker);
    let adapters = runtime
        .map_err(|error| unavailable("NoRuntime", error.to_string()))
        .and_then(|runtime| Adapters::of(&job, &spec, &runtime));
    let mut seen = Vec::new();
    let outcome = match adapters {
        Ok(mut adapters) => {
            let mut outside = adapters.outside();
            let outcome = performed(&mut record, &order, |record| {
                within(&mut outside, &mut |outside| {
                    run(topology, order.clone(), &name.shown, outside, record)
                })
            });
            if request.plan && matches!(outcome, Outcome::Refused(Refusal::Unreadable(_))) {
                seen = caught(|| looked(topology, &mut outside)).unwrap_or_default();
            }
            outcome
        }
        Err(fault) => record.broken(&order, fault),
    };
    let (story, journal_fault) = record.ended();
    Performed {
        spec,
        topology: topology.clone(),
        outcome,
        story,
        seen,
        journal,
        journal_fault,
    }
}

impl Request {
    /// Reads the spec, and waits for it no longer than the job goes on.
    fn begin(&self, runtime: Option<&Runtime>) -> Result<(Spec, Topology), Box<NotBegun>> {
        let path = self.spec.clone();
        let bytes = match runtime {
            None => bytes(&path),
            Some(runtime) => match runtime.aside(move || bytes(&path)) {
                Ok(read) => read.unwrap_or_else(|error| Err(error.to_string())),
                Err(_cancelled) => return Err(self.cancelled()),
            },
        };
        let refused = |why, told: &[String]| {
            Box::new(NotBegun {
                why,
                report: RunReport::unconfigured(told, self.dry_run),
            })
        };
        let bytes = bytes.map_err(|told| refused(Hindrance::Unreadable, &[told]))?;
        let wrong = |told: Vec<String>| refused(Hindrance::Wrong, &told);
        let spec = read(&self.spec, bytes).map_err(wrong)?;
        let topology = Topology::of(&spec).and_then(|topology| {
            if self.plan {
                for_a_plan(&topology)
            } else {
                Ok(topology)
            }
        });
        let topology = topology.map_err(|fault| wrong(vec![fault.to_string()]))?;
        Ok((spec, topology))
    }

    /// A run that was ended before it began.
    fn cancelled(&self) -> Box<NotBegun> {
        Box::new(NotBegun {
            why: Hindrance::Cancelled,
            report: RunReport::cancelled(self.dry_run),
        })
    }
}

/// The same world with less time for what a person waits for.
fn for_a_plan(topology: &Topology) -> Result<Topology, TopologyFault> {
    let draft = topology.draft().clone();
    Topology::new(TopologyDraft {
        limits: Limits {
            read: draft.limits.read.min(PLAN_READ),
            ..draft.limits
        },
        ..draft
    })
}

/// What each site answers now, where the run did not come to ask.
fn looked(topology: &Topology, outside: &mut Outside<'_>) -> Vec<(Ask, Vec<Answer>)> {
    let mut seen = Vec::new();
    for site in topology.ids() {
        let ask = Ask {
            whom: Whom::Site(site),
            hosts: Hosts::Probe,
        };
        let requests = ask.requests(topology);
        let Ok(answers) = outside.prober.ask(&requests, topology.probe()) else {
            break;
        };
        seen.push((ask, answers));
    }
    seen
}

/// A run that comes to an end whatever breaks in it: what panics is an event of the run, which says whether a change may be
/// under way.
fn performed(
    record: &mut Record<'_>,
    order: &Order,
    run: impl FnOnce(&mut Record<'_>) -> Outcome,
) -> Outcome {
    let fault = match caught(|| run(record)) {
        Ok(outcome) => return outcome,
        Err(fault) => fault,
    };
    caught(|| record.broken(order, fault.clone())).unwrap_or_else(|_again| {
        if record.has_sent() {
            Outcome::Unconfirmed(Unconfirmed::Broken(fault))
        } else {
            Outcome::Refused(Refusal::Broken(fault))
        }
    })
}

/// Reads the spec, or tells everything that is wrong with it.
#[cfg(feature = "drill")]
pub(super) fn spec(path: &Path) -> Result<Spec, Vec<String>> {
    read(path, bytes(path).map_err(|told| vec![told])?)
}

/// The bytes of the spec, or why there are none.
fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    read_plain_file(path, MOST).map_err(|fault| {
        let advice = if fault.missing {
            "run in the folder of `pointsman.toml`"
        } else {
            "a spec is a text file of at most 1 MiB that may be read"
        };
        format!("the spec cannot be read: {fault}; {advice}")
    })
}

/// Reads the bytes of a spec, or tells everything that is wrong with them.
fn read(path: &Path, bytes: Vec<u8>) -> Result<Spec, Vec<String>> {
    let shown = path.to_string_lossy().into_owned();
    let text = String::from_utf8(bytes)
        .map_err(|error| vec![format!("the spec `{shown}` is not UTF-8: {error}")])?;
    let mut sources = SourceMap::default();
    let file = sources.add(&shown, text);
    let text = sources
        .text(file)
        .ok_or_else(|| vec![format!("the spec `{shown}` is too large")])?;
    Spec::read(&text).map_err(|findings| {
        let told = findings.into_iter().map(|finding| {
            let place = sources.positions(finding.primary.at);
            let (line, column) = place.map_or((1, 1), |(start, _)| (start.line, start.column));
            let help = finding.help.map(|help| format!("; {help}"));
            format!(
                "{shown}:{line}:{column}: {}{}",
                finding.message,
                help.unwrap_or_default()
            )
        });
        told.collect()
    })
}

/// What a run is called.
struct Name {
    /// In the comment of a change.
    shown: String,
    /// In the name of its journal.
    file: String,
}

impl Name {
    fn of(inputs: &Inputs, wall: u64) -> Self {
        match inputs.run() {
            Some((id, attempt)) => Self {
                shown: format!("{id}/{attempt}"),
                file: format!("failover-{id}-{attempt}.jsonl"),
            },
            None => Self {
                shown: format!("by hand at {}", wall / 1000),
                file: format!("failover-by-hand-{}.jsonl", wall / 1000),
            },
        }
    }
}

/// Where the journal goes, and where that is. A run without a journal is better than no run.
fn sink(request: &Request, inputs: &Inputs, name: &Name) -> (Box<dyn JournalSink>, Option<String>) {
    let places = match &request.journal {
        Journal::None => return (Box::new(Unkept), None),
        Journal::At(path) => vec![path.clone()],
        Journal::Usual => {
            let temporary = inputs.get("RUNNER_TEMP").map(PathBuf::from);
            let here = PathBuf::new();
            let folders = temporary.into_iter().chain([here]);
            folders.map(|folder| folder.join(&name.file)).collect()
        }
    };
    let mut faults = Vec::new();
    for place in places {
        match JournalFile::begin(&place) {
            Ok(file) => {
                let path = file.path().to_string_lossy().into_owned();
                say(&format!("journal {path:?}"));
                return (Box::new(file), Some(path));
            }
            Err(fault) => faults.push(fault),
        }
    }
    let fault = faults.pop().unwrap_or(FileFault {
        path: name.file.clone(),
        reason: "there is no place for it".to_owned(),
        missing: true,
    });
    (Box::new(NoJournal(fault)), None)
}

/// The sink of a run that keeps no journal.
struct Unkept;

impl JournalSink for Unkept {
    fn append(&mut self, _: &str) -> Result<(), FileFault> {
        Ok(())
    }
}
