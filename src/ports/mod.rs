//! Floor 4: what the use cases need from outside, as traits. The adapters keep them, fakes keep them in tests.

mod executor;
mod files;
#[cfg(feature = "lint")]
mod simulator;

pub use executor::{
    AuthoritativeServers, Cancelled, Clock, Identity, JournalSink, Prober, Stop, Zone,
};
pub use files::{FileFault, FileKind, Files, MemoryFiles};
#[cfg(feature = "lint")]
pub use simulator::{Answers, Endpoint, LocalSimulator, PolicySimulator, SimulatorFault};
