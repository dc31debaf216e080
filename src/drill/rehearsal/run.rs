//! A run of the executor on a thread of its own, which takes turns with the rest of the rehearsal: while it works everybody
//! waits for it, while it waits everybody else goes on. So several runs can be under way, and nothing races.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::adapters::{Detour, Skipped};
use crate::execution::report::RunReport;
use crate::failover::{Answer, Moment, NoAnswer, ProbeRules, Request};
use crate::ports::{Cancelled, Clock, Prober};

/// Runs the executor's own code once, in the world of a rehearsal.
pub trait Executor: Send + Sync {
    /// Runs it to its end.
    fn run(&self, job: Job) -> RunReport;
}

/// A job for the executor.
#[derive(Debug)]
pub struct Job {
    /// The spec's file.
    pub spec: PathBuf,
    /// The world.
    pub detour: Detour,
    /// The variables of the job.
    pub variables: BTreeMap<String, String>,
    /// What time is skipped by.
    pub skipped: Skipped,
    /// Sites that swallow what comes.
    pub black_holes: BlackHoles,
    /// How it waits.
    pub turn: Turn,
}

/// The addresses of sites that swallow what comes; clones share them.
#[derive(Debug, Clone, Default)]
pub struct BlackHoles(Arc<Mutex<BTreeSet<IpAddr>>>);

impl BlackHoles {
    /// Whether this address is one.
    #[must_use]
    pub fn has(&self, address: IpAddr) -> bool {
        self.all().contains(&address)
    }

    /// Makes these one, or not.
    pub fn set(&self, addresses: &[IpAddr], swallow: bool) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for address in addresses {
            if swallow {
                all.insert(*address);
            } else {
                all.remove(address);
            }
        }
    }

    fn all(&self) -> BTreeSet<IpAddr> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }
}

/// What a run says to the rehearsal.
#[derive(Debug)]
pub(super) enum Said {
    /// It wants to go on after this time.
    Waits(Duration),
    /// It is at its end.
    Ended(Box<RunReport>),
}

/// A run's end of the line.
#[derive(Debug)]
pub struct Turn {
    say: Sender<Said>,
    heard: Receiver<Result<(), Cancelled>>,
}

impl Turn {
    /// Lets everybody else go on for so long.
    ///
    /// # Errors
    /// When the run is being ended, or nobody is there any more.
    pub fn wait(&mut self, rest: Duration) -> Result<(), Cancelled> {
        let told = self.say.send(Said::Waits(rest));
        told.map_err(|_gone| Cancelled)?;
        self.heard.recv().unwrap_or(Err(Cancelled))
    }
}

/// The rehearsal's end of the line of one run.
#[derive(Debug)]
pub(super) struct Running {
    heard: Receiver<Said>,
    say: Option<Sender<Result<(), Cancelled>>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts `executor` with the job that `job` makes.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(
        executor: Arc<dyn Executor>,
        job: impl FnOnce(Turn) -> Job,
    ) -> io::Result<Self> {
        let (said, heard) = channel();
        let (say, told) = channel();
        let job = job(Turn {
            say: said.clone(),
            heard: told,
        });
        let thread = Builder::new().name("run".to_owned()).spawn(move || {
            let report = executor.run(job);
            // Where nobody listens, the rehearsal has ended.
            let _gone = said.send(Said::Ended(Box::new(report)));
        })?;
        Ok(Self {
            heard,
            say: Some(say),
            thread: Some(thread),
        })
    }

    /// Lets it go on, or ends it.
    pub(super) fn go_on(&self, how: Result<(), Cancelled>) {
        if let Some(say) = &self.say {
            let _gone = say.send(how);
        }
    }

    /// Waits until it waits, or is at its end; `None`: it broke.
    #[must_use]
    pub(super) fn hear(&self) -> Option<Said> {
        self.heard.recv().ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A run that is still under way hears that nobody is there, and ends.
        drop(self.say.take());
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// The clock of a run: what it waits for goes through its turn.
#[derive(Clone, Copy)]
pub struct TurnClock<'a> {
    /// The clock that says what time it is.
    pub clock: &'a dyn Clock,
    /// The turn.
    pub turn: &'a Mutex<Turn>,
}

impl fmt::Debug for TurnClock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnClock").finish_non_exhaustive()
    }
}

impl Clock for TurnClock<'_> {
    fn now(&self) -> Moment {
        self.clock.now()
    }

    fn wall_millis(&self) -> u64 {
        self.clock.wall_millis()
    }

    fn wait(&mut self, until: Moment) -> Result<(), Cancelled> {
        while self.now() < until {
            let rest = until.since(self.now());
            let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            turn.wait(rest)?;
        }
        Ok(())
    }
}

/// The longest that a request into a black hole waits in time that is not skipped. It is a real connection, which is really
/// swallowed; the rest of its time-out is waited for as everything else is.
const TOUCH: Duration = Duration::from_millis(40);

/// How long any other request may take at least: a machine under load is no dead site.
const SLOW: Duration = Duration::from_secs(10);

/// The prober of a run. It asks black holes apart: nobody has to sit through their time-outs.
pub struct TurnProber<'a> {
    /// The real one.
    pub prober: &'a mut dyn Prober,
    /// How the run waits.
    pub clock: TurnClock<'a>,
    /// Who swallows what comes.
    pub holes: BlackHoles,
}

impl fmt::Debug for TurnProber<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnProber").finish_non_exhaustive()
    }
}

impl Prober for TurnProber<'_> {
    fn ask(
        &mut self,
        requests: &[Request<'_>],
        rules: ProbeRules,
    ) -> Result<Vec<Answer>, Cancelled> {
        let until = self.clock.now().after(rules.timeout);
        let (answers, swallowed) = ask_apart(&mut *self.prober, &self.holes, requests, rules)?;
        if swallowed {
            self.clock.wait(until)?;
        }
        Ok(answers)
    }
}

/// Asks all, and says whether any was swallowed: its answer is that of a time-out, which then has still to pass.
///
/// # Errors
/// When the program is ended before all have answered.
pub(super) fn ask_apart(
    prober: &mut dyn Prober,
    holes: &BlackHoles,
    requests: &[Request<'_>],
    rules: ProbeRules,
) -> Result<(Vec<Answer>, bool), Cancelled> {
    let holes = holes.all();
    let is_hole = |request: &Request<'_>| {
        let address = request.address;
        address.is_some_and(|address| holes.contains(&address))
    };
    let within = |timeout| ProbeRules { timeout, ..rules };
    let part = |wanted: bool| -> Vec<Request<'_>> {
        let own = requests.iter().filter(|request| is_hole(request) == wanted);
        own.copied().collect()
    };
    let (open, swallowed) = (part(false), part(true));
    let mut answered = if open.is_empty() {
        Vec::new()
    } else {
        prober.ask(&open, within(rules.timeout.max(SLOW)))?
    }
    .into_iter();
    let mut lost = if swallowed.is_empty() {
        Vec::new()
    } else {
        prober.ask(&swallowed, within(TOUCH))?
    }
    .into_iter();
    let answers = requests.iter().map(|request| {
        let next = if is_hole(request) {
            lost.next()
        } else {
            answered.next()
        };
        next.unwrap_or(Answer::None(NoAnswer::Other))
    });
    Ok((answers.collect(), !swallowed.is_empty()))
}
