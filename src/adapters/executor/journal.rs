//! A journal on disk, one line at a time; and the other files of a job that the executor reads and adds to.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the adapter of the executor's files"
)]

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use crate::ports::{FileFault, JournalSink};

/// How many journals may already have the name of a new one.
const NAMES: usize = 100;

/// A journal that nobody wrote before.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: File,
    /// How many of its bytes are whole lines.
    whole: u64,
}

impl JournalFile {
    /// Begins a journal at `path`, or beside it with a number in its name when there is a file already: no journal is ever
    /// written over.
    ///
    /// # Errors
    /// When no file can be made there, or something else than a file is there: a folder, a device.
    pub fn begin(path: &Path) -> Result<Self, FileFault> {
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            let what =
                "it is a folder or a device; a journal is a file, give the name of a new one";
            return Err(fault(path, &io::Error::other(what)));
        }
        for number in 1..=NAMES {
            let path = numbered(path, number);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    return Ok(Self {
                        path,
                        file,
                        whole: 0,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fault(&path, &error)),
            }
        }
        let taken = io::Error::other(format!("{NAMES} journals have its name"));
        Err(fault(path, &taken))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn add(&mut self, line: &str) -> io::Result<()> {
        // In one piece, so that no other fault than a full disk can cut it.
        let bytes = format!("{line}\n");
        self.file.write_all(bytes.as_bytes())?;
        self.file.sync_data()?;
        self.whole += bytes.len() as u64;
        Ok(())
    }
}

impl JournalSink for JournalFile {
    fn append(&mut self, line: &str) -> Result<(), FileFault> {
        self.add(line).map_err(|error| {
            // Half a line would stand in the middle once the disk takes the next one; what cannot be cut off stays.
            drop(self.file.set_len(self.whole));
            drop(io::Seek::seek(
                &mut self.file,
                io::SeekFrom::Start(self.whole),
            ));
            fault(&self.path, &error)
        })
    }
}

/// A journal that cannot be kept.
#[derive(Debug)]
pub struct NoJournal(pub FileFault);

impl JournalSink for NoJournal {
    fn append(&mut self, _: &str) -> Result<(), FileFault> {
        Err(self.0.clone())
    }
}

/// `run.jsonl`, `run-2.jsonl`, and so on.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let part = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let ending = match part(path.extension()) {
        ending if ending.is_empty() => ending,
        ending => format!(".{ending}"),
    };
    path.with_file_name(format!("{}-{number}{ending}", part(path.file_stem())))
}

/// The whole of a file.
///
/// # Errors
/// When it cannot be read.
pub fn read_file(path: &Path) -> Result<Vec<u8>, FileFault> {
    std::fs::read(path).map_err(|error| fault(path, &error))
}

/// The whole of a file that a person wrote: it has at most `most` bytes, and its reading waits for nobody.
///
/// # Errors
/// When it cannot be read, is larger, or is a folder, a pipe or a device.
pub fn read_plain_file(path: &Path, most: u64) -> Result<Vec<u8>, FileFault> {
    let refused = |why: String| fault(path, &io::Error::other(why));
    let there = path.metadata().map_err(|error| fault(path, &error))?;
    if there.is_dir() {
        return Err(refused("it is a folder, not a file".to_owned()));
    }
    if !there.is_file() {
        return Err(refused("it is a pipe or a device, not a file".to_owned()));
    }
    let file = File::open(path).map_err(|error| fault(path, &error))?;
    let mut bytes = Vec::new();
    let mut part = io::Read::take(file, most.saturating_add(1));
    io::Read::read_to_end(&mut part, &mut bytes).map_err(|error| fault(path, &error))?;
    if bytes.len() as u64 > most {
        return Err(refused(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Adds to a file that belongs to the job: its summary, its outputs.
///
/// # Errors
/// When it cannot be written. A pipe is not written to: it would be waited for until somebody reads it.
pub fn add_to_file(path: &Path, text: &str) -> Result<(), FileFault> {
    if path
        .metadata()
        .is_ok_and(|there| there.file_type().is_fifo())
    {
        return Err(fault(path, &io::Error::other("it is a pipe, not a file")));
    }
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| fault(path, &error))
}

fn fault(path: &Path, error: &io::Error) -> FileFault {
    FileFault {
        path: path.to_string_lossy().into_owned(),
        reason: if error.kind() == ErrorKind::NotFound {
            "there is no such file or folder".to_owned()
        } else if error.kind() == ErrorKind::PermissionDenied {
            "permission denied".to_owned()
        } else {
            error.to_string()
        },
        missing: error.kind() == ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_journal_is_written_over_and_each_line_is_there_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("failover-7-1.jsonl");
        let mut first = JournalFile::begin(&path).unwrap();
        first.append("{\"at\":0}").unwrap();
        let mut second = JournalFile::begin(&path).unwrap();
        second.append("{\"at\":1}").unwrap();
        first.append("{\"at\":2}").unwrap();
        assert!(second.path().ends_with("failover-7-1-2.jsonl"));
        let text = |file: &JournalFile| String::from_utf8(read_file(file.path()).unwrap()).unwrap();
        assert_eq!(text(&first), "{\"at\":0}\n{\"at\":2}\n");
        assert_eq!(text(&second), "{\"at\":1}\n");
    }

    #[test]
    fn a_folder_that_is_not_there_is_told_by_its_path() {
        let fault = JournalFile::begin(Path::new("no/such/folder/run.jsonl")).unwrap_err();
        assert!(fault.missing, "{fault:?}");
        assert!(NoJournal(fault).append("x").is_err());
        assert!(add_to_file(Path::new("no/such/file"), "x").is_err());
    }

    #[test]
    fn a_folder_or_a_device_is_no_journal() {
        let folder = tempfile::tempdir().unwrap();
        for path in [Path::new("/dev/null"), folder.path()] {
            let fault = JournalFile::begin(path).unwrap_err();
            assert!(fault.reason.contains("a journal is a file"), "{fault}");
        }
        assert!(!Path::new("/dev/null-2").exists());
    }

    #[test]
    fn a_file_of_a_person_is_no_pipe_no_folder_and_no_flood() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec");
        add_to_file(&path, "123").unwrap();
        assert_eq!(read_plain_file(&path, 3).unwrap(), b"123");
        for (path, most, why) in [
            (&*path, 2, "more than 2 bytes"),
            (folder.path(), 9, "a folder"),
            (Path::new("/dev/zero"), 9, "a device"),
        ] {
            let fault = read_plain_file(path, most).unwrap_err();
            assert!(fault.reason.contains(why), "{fault}");
        }
        assert!(
            read_plain_file(Path::new("no/such"), 9)
                .unwrap_err()
                .missing
        );
    }

    #[test]
    fn what_a_job_has_is_added_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary");
        add_to_file(&path, "one\n").unwrap();
        add_to_file(&path, "two\n").unwrap();
        assert_eq!(read_file(&path).unwrap(), b"one\ntwo\n");
    }
}
