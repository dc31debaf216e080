//! What happens in a run, told line by line to whoever looks on, on standard error.

use std::io::{self, Write as _};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::app::failover::Onlooker;
use crate::failover::journal::Entry;
use crate::failover::{Effect, Topology};
use crate::ports::FileFault;
use crate::report::run::Timeline;

/// Waits that are shorter are not worth a line.
const WORTH: Duration = Duration::from_secs(2);

/// Prints a run's time line as it comes about.
#[derive(Debug)]
pub(super) struct Progress<'a> {
    line: Timeline<'a>,
}

impl<'a> Progress<'a> {
    pub(super) fn of(topology: &'a Topology) -> Self {
        Self {
            line: Timeline::new(topology),
        }
    }
}

impl Onlooker for Progress<'_> {
    fn sees(&mut self, entry: &Entry) {
        if let Entry::Effect(at, Effect::Wait(until)) = entry
            && until.since(*at) >= WORTH
        {
            say(&format!("waits for {} s", until.since(*at).as_secs()));
        }
        if let Some(row) = self.line.row(entry) {
            say(&row.line());
        }
    }

    fn misses_journal(&mut self, fault: &FileFault) {
        say(&format!(
            "warning: the journal cannot be written: {fault}; the run goes on"
        ));
    }
}

/// How many lines may wait for a reader.
const WAITING: usize = 1000;

/// How long the end of a program waits for its last lines to be read.
const LAST: Duration = Duration::from_secs(1);

/// One line to whoever looks on. That nobody does is no fault.
pub(super) fn say(line: &str) {
    put(format!("{line}\n"));
}

/// Text for standard error. It is written by a thread of its own: a pipe that is full, and that nobody reads, must not hold
/// up a switch. What finds no room among the lines that wait is dropped; the journal has it.
pub(super) fn put(text: String) {
    if let Some(line) = line() {
        drop(line.try_send(Said::Text(text)));
    }
}

/// Comes back when everything was written, or nobody reads it.
pub(super) fn told() {
    let (done, heard) = sync_channel(1);
    if line().is_some_and(|line| line.try_send(Said::End(done)).is_ok()) {
        let _nobody_reads = heard.recv_timeout(LAST);
    }
}

/// What goes to the thread.
enum Said {
    Text(String),
    End(SyncSender<()>),
}

fn line() -> Option<&'static SyncSender<Said>> {
    static LINE: OnceLock<Option<SyncSender<Said>>> = OnceLock::new();
    LINE.get_or_init(|| {
        let (line, said) = sync_channel(WAITING);
        let thread = thread::Builder::new().name("progress".to_owned());
        thread.spawn(move || write(&said)).ok()?;
        Some(line)
    })
    .as_ref()
}

fn write(said: &Receiver<Said>) {
    for what in said {
        match what {
            // That nobody reads it is no fault.
            Said::Text(text) => io::stderr().write_all(text.as_bytes()).unwrap_or_default(),
            Said::End(done) => done.try_send(()).unwrap_or_default(),
        }
    }
}
