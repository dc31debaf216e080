//! Standard output by a handle of its own.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;

/// Standard output, without the lock of the standard library's: a thread that waits for a reader would hold that lock for as
/// long as nobody reads, and with it the end of the program.
///
/// # Errors
/// When there is none, or no further handle.
pub fn own_output() -> io::Result<File> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok(File::from(output))
}
