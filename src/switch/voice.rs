//! What the program says: lines on standard error, the result on standard output. Each is written by a thread of its own,
//! since a pipe that is full, and that nobody reads, must hold up neither a switch nor its end.

use std::io::{self, ErrorKind, Write as _};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::adapters::own_output;

/// How many lines may wait for a reader.
const WAITING: usize = 1000;

/// How long the end of a program waits for its last lines to be read.
const LAST: Duration = Duration::from_secs(1);

/// How long a result waits for its reader.
const RESULT: Duration = Duration::from_secs(5);

/// One line to whoever looks on. That nobody does is no fault.
pub(super) fn say(line: &str) {
    put(format!("{line}\n"));
}

/// Text for standard error. What finds no room among the lines that wait is dropped; the journal has it.
pub(super) fn put(text: String) {
    if let Some(line) = line() {
        drop(line.try_send(Said::Text(text)));
    }
}

/// Comes back when every line was written, or nobody reads them.
pub(super) fn told() {
    let (done, heard) = sync_channel(1);
    if line().is_some_and(|line| line.try_send(Said::End(done)).is_ok()) {
        let _nobody_reads = heard.recv_timeout(LAST);
    }
}

/// A result on its way to standard output.
#[derive(Debug)]
pub struct Given(Receiver<io::Result<()>>);

/// Gives a result to standard output, and does not wait until it is taken.
#[must_use]
pub fn give(result: Vec<u8>) -> Given {
    let (done, written) = sync_channel(1);
    let write = move || {
        let ended = own_output().and_then(|mut out| out.write_all(&result));
        done.try_send(ended).unwrap_or_default();
    };
    let thread = thread::Builder::new().name("result".to_owned());
    drop(thread.spawn(write));
    Given(written)
}

impl Given {
    /// Waits until it was taken, and not for ever.
    ///
    /// # Errors
    /// When it cannot be written, or nobody reads it.
    pub fn taken(self) -> io::Result<()> {
        let unread = |_still_waiting| {
            let waited = RESULT.as_secs();
            io::Error::new(
                ErrorKind::TimedOut,
                format!("nobody has read it for {waited} s"),
            )
        };
        self.0.recv_timeout(RESULT).map_err(unread)?
    }
}

/// What goes to the thread of standard error.
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
