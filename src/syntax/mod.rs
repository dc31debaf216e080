//! Floor 1: bytes to trees. Readers for each language, one tree type, in which every key and every value knows its bytes.
//!
//! Invariants: a reader never fails and never panics: what it could not read is a [`Fault`] with its place, and what it
//! had read until then is kept. Repeated keys are kept, both of them. Nothing here knows AWS, Terraform or GitHub.

#[cfg(feature = "lint")]
pub mod hcl;
pub mod json;
mod json_text;
pub mod percent;
pub mod pointer;
pub mod toml;
mod tree;
#[cfg(feature = "lint")]
pub mod yaml;

pub use tree::{Comment, Entry, Fault, Kind, Node, Parsed, Part, Repeat, Standing, Step, Unknown};
