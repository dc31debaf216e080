//! Floor 4: sources to workspace, workspace to outcome.
//!
//! [`load()`] recognises files and builds the models; [`run()`] asks every rule, applies suppressions and severities, and
//! sorts. Both are pure: files come in as bytes.

mod decided;
mod load;
mod load_beside;
mod load_executor;
mod load_facts;
mod load_json;
mod load_kubernetes;
mod load_monitors;
mod load_rehearsals;
mod load_terraform;
mod load_yaml;
mod roles;
mod run;
mod suppress;
mod trust;

pub use load::{Input, Loaded, Options, Standing, decoded, is_candidate, load};
pub use load_executor::executor_paths;
pub use load_rehearsals::ledger;
pub use load_terraform::known;
pub use run::{Checked, cards, run};
pub use suppress::Suppression;
