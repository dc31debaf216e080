//! Floor 3: how long an outage lasts for visitors, before there is one. Phases are distributions, an outage is their sum,
//! and many outages are drawn with a fixed seed.
//!
//! Detection follows Uptime Kuma 2.5.3 as it was measured (a check that fails `retries + 1` times in a row, the gap
//! counted from the start of a check, a black hole as long as the time-out); the other phases follow the executor's own
//! numbers, Route 53's documentation, and assumptions that are said to be such.
//!
//! What is absent: files, clocks, a random source that is not seeded.

mod bounds;
mod compare;
mod declared;
mod detection;
mod distribution;
mod draw;
mod history;
mod messages;
mod random;
mod settings;
mod summary;
mod tornado;

pub use bounds::Bounds;
pub use compare::{Column, DRAWS_MOST, Forecast, Length, SEED, forecast, outages};
pub use declared::Unusable;
pub use detection::{Death, Watch, detection_bounds};
pub use distribution::Distribution;
pub use draw::{Direction, Outlook, PHASES};
pub use history::{History, HistoryFault};
pub use messages::{Messages, noticed};
pub use settings::{SETTINGS, Setting, SettingFault, Settings, Start, Working};
pub use summary::Summary;
pub use tornado::{Bar, tornado};
