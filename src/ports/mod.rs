//! Floor 4: what the use cases need from outside, as traits. The adapters keep them, fakes keep them in tests.

mod files;

pub use files::{FileFault, FileKind, Files, MemoryFiles};
