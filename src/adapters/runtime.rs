//! One thread's runtime for everything that waits for the network, and the signals that end a job. Every wait goes through
//! [`Runtime::run`], so a signal breaks off whatever is waited for.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the adapter of clocks and signals, and the system says in a file which it ignores"
)]

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failover::Moment;
use crate::ports::{Cancelled, Clock};

/// How much time was skipped, in a rehearsal whose waits are shorter than they are said to be; clones share it. In every
/// other run it stays at nothing.
#[derive(Debug, Clone, Default)]
pub struct Skipped(Arc<AtomicU64>);

impl Skipped {
    /// All that was skipped so far.
    #[must_use]
    pub fn so_far(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }

    /// Skips so much more.
    #[cfg(feature = "drill")]
    pub fn more(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0.fetch_add(micros, Ordering::Relaxed);
    }
}

/// The runtime; clones share it.
#[derive(Debug, Clone)]
pub struct Runtime {
    shared: Rc<Shared>,
}

#[derive(Debug)]
struct Shared {
    tokio: tokio::runtime::Runtime,
    signals: RefCell<Signals>,
    cancelled: Cell<bool>,
    began: Instant,
    skipped: Skipped,
    /// What had been skipped when the time began.
    skipped_before: Duration,
}

/// How long work aside may still take once a signal came.
const GRACE: Duration = Duration::from_secs(1);

/// SIGXFSZ on Linux and macOS, for which tokio has no name: a file has reached the limit of its size (`setrlimit(2)`).
const FILE_SIZE: i32 = 25;

/// The signals that end a run.
#[derive(Debug)]
struct Signals {
    /// SIGTERM, which GitHub sends after SIGINT when it cancels a job.
    terminate: Signal,
    /// SIGINT, which a person sends.
    interrupt: Signal,
    /// SIGHUP, when their terminal goes away; none where whoever began the program has it ignored, as `nohup` does.
    hangup: Option<Signal>,
}

impl Signals {
    /// Comes back when one of them comes.
    async fn come(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            () = hangup => {}
        }
    }
}

/// The signal, unless the process was begun with it ignored.
fn taken_unless_ignored(kind: SignalKind) -> io::Result<Option<Signal>> {
    if is_ignored(kind.as_raw_value()) {
        return Ok(None);
    }
    signal(kind).map(Some)
}

/// Whether the process ignores a signal (`proc(5)`, `SigIgn`: bit 0 is signal 1). Where there is no such file, it does not.
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let bit = u32::try_from(number.saturating_sub(1)).ok();
    let bit = bit.and_then(|bit| 1_u64.checked_shl(bit));
    mask.zip(bit).is_some_and(|(mask, bit)| mask & bit != 0)
}

impl Runtime {
    /// A runtime whose time begins now. From here on the signals end no process; they break off what is waited for.
    ///
    /// # Errors
    /// When the system gives no event queue or no signals.
    pub fn new() -> io::Result<Self> {
        Self::skipping(Skipped::default())
    }

    /// The same, for a world in which time is skipped.
    ///
    /// # Errors
    /// When the system gives no event queue or no signals.
    pub fn skipping(skipped: Skipped) -> io::Result<Self> {
        let tokio = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let signals = {
            let _entered = tokio.enter();
            // Once taken it stays taken: a write beyond a limit is from here on a fault of that write alone.
            drop(signal(SignalKind::from_raw(FILE_SIZE))?);
            Signals {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
                hangup: taken_unless_ignored(SignalKind::hangup())?,
            }
        };
        Ok(Self {
            shared: Rc::new(Shared {
                tokio,
                signals: RefCell::new(signals),
                cancelled: Cell::new(false),
                began: Instant::now(),
                skipped_before: skipped.so_far(),
                skipped,
            }),
        })
    }

    /// Waits for `work`. What it waits with (timers, sockets) must be made inside of it.
    ///
    /// # Errors
    /// When a signal came before it was done, or earlier.
    pub fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, Cancelled> {
        if self.shared.cancelled.get() {
            return Err(Cancelled);
        }
        let mut signals = self.shared.signals.borrow_mut();
        let done = self.shared.tokio.block_on(async {
            tokio::select! {
                biased;
                () = signals.come() => None,
                done = work => Some(done),
            }
        });
        self.shared.cancelled.set(done.is_none());
        done.ok_or(Cancelled)
    }
}

impl Runtime {
    /// Does `work` on a thread of its own, so that a signal ends the wait for it: a file may lie on a disk that does not answer.
    /// What is done within a moment after the signal is given all the same; whatever comes next is broken off.
    ///
    /// # Errors
    /// When a signal came before it was done; within, when there is no further thread, or the work broke off.
    pub fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<io::Result<T>, Cancelled> {
        let (give, given) = std::sync::mpsc::sync_channel(1);
        let (done, heard) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new().name("aside".to_owned());
        let work = move || {
            // Nobody waits any more where a signal came.
            drop(give.send(work()));
            done.send(()).unwrap_or_default();
        };
        if let Err(error) = thread.spawn(work) {
            return Ok(Err(error));
        }
        let waited = self.run(async { drop(heard.await) });
        match (given.recv_timeout(GRACE), waited) {
            (Ok(made), _) => Ok(Ok(made)),
            (Err(_), Err(cancelled)) => Err(cancelled),
            (Err(error), Ok(())) => Ok(Err(io::Error::other(error))),
        }
    }

    /// Whether a signal has come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let turned = self.run(async {
            // The first turn reads what the system has, the second sees it.
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
        });
        turned.is_err()
    }
}

impl Clock for Runtime {
    fn now(&self) -> Moment {
        let skipped = self.shared.skipped.so_far();
        let skipped = skipped.saturating_sub(self.shared.skipped_before);
        Moment::default().after(self.shared.began.elapsed().saturating_add(skipped))
    }

    fn wall_millis(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            let since = since.saturating_add(self.shared.skipped.so_far());
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }

    fn wait(&mut self, until: Moment) -> Result<(), Cancelled> {
        let rest: Duration = until.since(self.now());
        self.run(async move { tokio::time::sleep(rest).await })?;
        // A timer may wake within the millisecond before.
        while self.now() < until {
            self.run(async { tokio::time::sleep(Duration::from_millis(1)).await })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_aside_gives_its_result_and_may_break_off() {
        let runtime = Runtime::new().unwrap();
        assert!(!runtime.is_over());
        assert_eq!(runtime.aside(|| 5).unwrap().unwrap(), 5);
        let broken = runtime.aside(|| std::panic::resume_unwind(Box::new(5)));
        let broken: io::Result<()> = broken.unwrap();
        assert!(broken.is_err());
    }

    #[test]
    fn a_wait_ends_no_sooner_than_it_should() {
        let mut runtime = Runtime::new().unwrap();
        let until = runtime.now().after(Duration::from_millis(5));
        runtime.wait(until).unwrap();
        assert!(runtime.now() >= until);
        assert_eq!(runtime.wait(Moment::default()), Ok(()));
    }
}
