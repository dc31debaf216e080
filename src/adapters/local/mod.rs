//! What every command may use of this machine: the disk, the calendar, clones of repositories, a clock that only counts.

mod calendar;
mod fs;
mod git;
mod stopwatch;

pub use calendar::{now_millis, today};
pub use fs::DiskFiles;
pub use git::BareClones;
pub use stopwatch::SystemStopwatch;
