//! Files on disk, below one folder.
#![expect(clippy::disallowed_methods, reason = "this is the file-system adapter")]

use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::ports::{FileFault, FileKind, Files};
use crate::text::STDIN;

/// More bytes of standard input than any reader takes.
const MAX_INPUT: u64 = 64 * 1024 * 1024;

/// Files on disk, relative to one folder.
#[derive(Debug)]
pub struct DiskFiles {
    root: PathBuf,
}

impl DiskFiles {
    /// Files relative to `root`.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    fn full(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The path of a file below `root` as it is shown: `root` as it was given, and the steps from there.
    fn shown(&self, full: &Path, root: &str) -> String {
        let start = self.full(root);
        let inside = full.strip_prefix(&start).unwrap_or(full);
        let steps = inside
            .components()
            .map(|step| step.as_os_str().to_string_lossy());
        let mut shown: Vec<_> = steps.collect();
        if !root.is_empty() {
            shown.insert(0, root.trim_end_matches('/').into());
        }
        shown.join("/")
    }

    /// Goes through what lies below `root`.
    fn walker(&self, root: &str, ignored: bool) -> WalkBuilder {
        let mut walk = WalkBuilder::new(self.full(root));
        walk.hidden(false)
            .parents(!ignored)
            .git_ignore(!ignored)
            .git_exclude(!ignored)
            .require_git(false)
            .ignore(false)
            .git_global(false);
        walk.filter_entry(|entry| entry.file_name() != ".git" && !is_build_folder(entry.path()));
        walk
    }

    /// Why a folder could not be listed, at its own path.
    fn unlisted(&self, root: &str, error: &ignore::Error) -> FileFault {
        let mut path = root.to_owned();
        let mut inner = error;
        while let ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } = inner
        {
            if let ignore::Error::WithPath { path: at, .. } = inner {
                path = self.shown(at, root);
            }
            inner = err;
        }
        match inner.io_error() {
            Some(error) => told(&path, error),
            None => fault(&path, &inner.to_string(), false),
        }
    }
}

impl Files for DiskFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        if path == STDIN {
            return standard_input().map_err(|error| told(path, &error));
        }
        let full = self.full(path);
        if full.is_dir() {
            return Err(fault(path, "is a folder, not a file", false));
        }
        // A pipe without a writer, or a device, would be read for ever.
        if !is_handed_over(path) && full.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(fault(path, "is not a regular file", false));
        }
        std::fs::read(full).map_err(|error| told(path, &error))
    }

    fn write_atomically(&self, path: &str, bytes: &[u8]) -> Result<(), FileFault> {
        let full = self.full(path);
        write(&full, bytes).map_err(|error| told(path, &error))
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<bool, FileFault> {
        let full = self.full(path);
        let written = claim(&full).and_then(|claimed| {
            if !claimed {
                return Ok(false);
            }
            let written = write(&full, bytes);
            if written.is_err() {
                // Nobody is to find an empty file where nothing could be written.
                std::fs::remove_file(&full).unwrap_or_default();
            }
            written.map(|()| true)
        });
        written.map_err(|error| told(path, &error))
    }

    fn writable(&self, path: &str) -> Result<(), FileFault> {
        let full = self.full(path);
        if full.is_dir() {
            return Err(fault(path, "is a folder, not a file", false));
        }
        let folder = match full.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let reason = "cannot be written: its folder is not there";
            return Err(fault(path, reason, true));
        }
        let attempt = folder.join(format!(".pointsman.{}.part", std::process::id()));
        std::fs::File::create(&attempt).map_err(|error| told(path, &error))?;
        std::fs::remove_file(&attempt).map_err(|error| told(path, &error))
    }

    fn kind(&self, path: &str) -> Option<FileKind> {
        if path == STDIN {
            return Some(FileKind::Other);
        }
        let kind = std::fs::metadata(self.full(path)).ok()?.file_type();
        Some(if kind.is_file() {
            FileKind::File
        } else if kind.is_dir() {
            FileKind::Folder
        } else {
            FileKind::Other
        })
    }

    fn is_link(&self, path: &str) -> bool {
        std::fs::symlink_metadata(self.full(path)).is_ok_and(|found| found.is_symlink())
    }

    fn leads_outside(&self, path: &str) -> bool {
        let full = self.full(path);
        let below = Path::new(path).is_relative() && !path.starts_with("..");
        let inside = if below {
            Some(self.root.as_path())
        } else {
            full.parent()
        };
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        // A relative root that is empty is the working directory.
        let inside = inside.map(|path| {
            if path.as_os_str().is_empty() {
                Path::new(".")
            } else {
                path
            }
        });
        match (real(&full), inside.and_then(real)) {
            (Some(real), Some(inside)) => !real.starts_with(inside),
            _ => false,
        }
    }

    fn leads_out_of(&self, path: &str, folder: &str) -> bool {
        let real = |path: &str| {
            let full = self.full(path);
            let full = if full.as_os_str().is_empty() {
                PathBuf::from(".")
            } else {
                full
            };
            std::fs::canonicalize(full).ok()
        };
        match (real(path), real(folder)) {
            (Some(path), Some(folder)) => !path.starts_with(folder),
            (None, _) | (_, None) => true,
        }
    }

    fn linked_folders(&self, root: &str) -> Vec<String> {
        let entries = self.walker(root, true).build().filter_map(Result::ok);
        let links = entries.filter(|entry| entry.path_is_symlink() && entry.path().is_dir());
        let mut found: Vec<String> = links.map(|entry| self.shown(entry.path(), root)).collect();
        found.sort();
        found
    }

    fn walk(&self, root: &str, ignored: bool) -> (Vec<String>, Vec<FileFault>) {
        let walk = self.walker(root, ignored);
        let (mut found, mut faults) = (Vec::new(), Vec::new());
        for entry in walk.build() {
            match entry {
                // A link to a folder is not followed; what else there is, is told by whoever reads it.
                Ok(entry) if !entry.path().is_dir() => {
                    found.push(self.shown(entry.path(), root));
                }
                Ok(_) => {}
                Err(error) => faults.push(self.unlisted(root, &error)),
            }
        }
        found.sort();
        (found, faults)
    }
}

/// Whether the path stands for what the caller has opened, as `<(…)` of a shell does.
fn is_handed_over(path: &str) -> bool {
    ["/dev/fd/", "/dev/std", "/proc/self/fd/"]
        .iter()
        .any(|start| path.starts_with(start))
}

/// All that comes in at standard input. Far more than is ever read as a policy is not waited for.
fn standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_INPUT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Terraform's own working folder holds copies of modules and providers that nobody edits.
fn is_build_folder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".terraform")
}

fn fault(path: &str, reason: &str, missing: bool) -> FileFault {
    FileFault {
        path: path.to_owned(),
        reason: reason.to_owned(),
        missing,
    }
}

fn told(path: &str, error: &io::Error) -> FileFault {
    let missing = error.kind() == io::ErrorKind::NotFound;
    let reason = if missing {
        "there is no such file".to_owned()
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        "permission denied".to_owned()
    } else {
        error.to_string()
    };
    fault(path, &reason, missing)
}

/// Takes a name that nobody has: says whether it was free.
fn claim(full: &Path) -> io::Result<bool> {
    if let Some(folder) = full.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let made = std::fs::File::options()
        .write(true)
        .create_new(true)
        .open(full);
    match made {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Beside the target first, then in its place by a rename, which is atomic within a file system. Mode bits of a file
/// that is replaced stay as they are; where a link stands, what it leads to is replaced. A terminal or another device, and what
/// the caller has opened, is written to; a pipe or a socket that nobody may be reading is refused.
fn write(full: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Ok(old) = std::fs::metadata(full) {
        let handed_over = is_handed_over(&full.to_string_lossy());
        if handed_over || old.file_type().is_char_device() {
            return std::fs::File::options()
                .append(true)
                .open(full)?
                .write_all(bytes);
        }
        if !old.is_file() {
            return Err(io::Error::other(
                "is not a regular file, so it is not replaced",
            ));
        }
    }
    let target = std::fs::canonicalize(full).unwrap_or_else(|_| full.to_path_buf());
    let full = target.as_path();
    let folder = full.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let name = full
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let beside = folder.join(format!(".{name}.{}.part", std::process::id()));
    let written = (|| {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(bytes)?;
        if let Ok(old) = std::fs::metadata(full) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        std::fs::rename(&beside, full)
    })();
    if written.is_err() {
        // The error that matters is the first one; a part file that cannot be removed is overwritten next time.
        drop(std::fs::remove_file(&beside));
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_that_write_a_new_file_one_alone_does() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &'static str| {
            let path = folder.path().to_owned();
            std::thread::spawn(move || {
                DiskFiles::new(path).write_new("a/new.json", text.as_bytes())
            })
        };
        let all = ["one", "two", "three", "four"].map(|text| (text, write(text)));
        let won: Vec<&str> = all
            .into_iter()
            .filter_map(|(text, thread)| thread.join().unwrap().unwrap().then_some(text))
            .collect();
        assert_eq!(won.len(), 1, "{won:?}");
        let winner = won.first().unwrap();
        let files = DiskFiles::new(folder.path());
        assert_eq!(files.read("a/new.json").unwrap(), winner.as_bytes());
        assert_eq!(files.walk("", false).0, ["a/new.json"]);
        // A link that leads nowhere is a name that is taken.
        std::os::unix::fs::symlink("nowhere", folder.path().join("link.json")).unwrap();
        assert_eq!(files.write_new("link.json", b"x"), Ok(false));
    }

    #[test]
    fn a_file_is_replaced_whole_and_no_part_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let files = DiskFiles::new(folder.path());
        files.write_atomically("a/b.txt", b"one").unwrap();
        files.write_atomically("a/b.txt", b"two").unwrap();
        assert_eq!(files.read("a/b.txt").unwrap(), b"two");
        assert_eq!(files.walk("", false).0, ["a/b.txt"]);
        assert_eq!(files.kind("a"), Some(FileKind::Folder));
        assert_eq!(
            files.read("a").unwrap_err().reason,
            "is a folder, not a file"
        );
        assert!(files.read("c").unwrap_err().missing);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let files = DiskFiles::new(folder.path());
        files.write_atomically("real.txt", b"one").unwrap();
        std::os::unix::fs::symlink("real.txt", folder.path().join("link.txt")).unwrap();
        files.write_atomically("link.txt", b"two").unwrap();
        assert_eq!(files.read("real.txt").unwrap(), b"two");
        let link = std::fs::symlink_metadata(folder.path().join("link.txt")).unwrap();
        assert!(link.is_symlink());
    }

    #[test]
    fn what_is_no_regular_file_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let files = DiskFiles::new(folder.path());
        let socket = folder.path().join("socket");
        let _open = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let refused = files.write_atomically("socket", b"x").unwrap_err();
        assert_eq!(
            refused.reason,
            "is not a regular file, so it is not replaced"
        );
        let kind = std::fs::metadata(&socket).unwrap().file_type();
        assert!(kind.is_socket());
        files.write_atomically("/dev/null", b"x").unwrap();
        let kind = std::fs::metadata("/dev/null").unwrap().file_type();
        assert!(kind.is_char_device());
    }

    #[test]
    fn what_git_ignores_is_not_listed_and_hidden_folders_are() {
        let folder = tempfile::tempdir().unwrap();
        let files = DiskFiles::new(folder.path());
        for path in [
            ".gitignore",
            "out/x.json",
            ".github/workflows/w.yml",
            ".git/config",
            ".terraform/m.tf",
            "p.json",
        ] {
            files.write_atomically(path, b"out/\n").unwrap();
        }
        assert_eq!(
            files.walk("", false).0,
            [".github/workflows/w.yml", ".gitignore", "p.json"]
        );
        assert_eq!(files.walk(".github", false).0, [".github/workflows/w.yml"]);
    }
}
