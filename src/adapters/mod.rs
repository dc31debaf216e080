//! Floor 5: the outside world. Only here are files, clocks and sockets known.

mod fs;

pub use fs::DiskFiles;
