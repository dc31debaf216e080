//! Floor 0: the text of files, byte spans in them, and values that know where they were written.
//!
//! Invariant: nothing here knows a language, a file system or a rule.

mod builder;
#[cfg(any(feature = "lint", feature = "switch"))]
pub(crate) mod command;
mod cut;
mod line_index;
mod nearest;
mod origin;
mod quoted;
mod source;
mod span;
mod two_parts;

pub use builder::TextBuilder;
pub use cut::cut;
pub use line_index::{LineIndex, Position};
pub use nearest::{is_slip_of, nearest, nearest_few};
pub use origin::{Located, Origin, Piece, Text};
pub use quoted::quoted;
pub use source::{STDIN, Source, SourceMap, byte_for_byte};
pub use span::{FileId, Span};
pub use two_parts::cut_at_colon;
