//! Floor 4: what the use cases need from outside, as traits. The adapters keep them, fakes keep them in tests.

mod executor;
mod files;
mod name_servers;
#[cfg(feature = "lint")]
mod simulator;
#[cfg(feature = "lint")]
mod stopwatch;
mod upstream;
mod workflow_runs;

pub use executor::{
    AuthoritativeServers, Cancelled, Clock, Identity, JournalSink, Prober, Stop, Zone,
};
pub use files::{FileFault, FileKind, Files, MemoryFiles};
pub use name_servers::{Asked, NameServers, QueryType, Told};
#[cfg(feature = "lint")]
pub use simulator::{Endpoint, LocalSimulator, PolicySimulator, Respond, SimulatorFault};
#[cfg(feature = "lint")]
pub use stopwatch::Stopwatch;
pub use upstream::{Look, Seen, SeenTag, UpstreamRepositories};
pub use workflow_runs::{WorkflowRun, WorkflowRuns};
