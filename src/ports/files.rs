//! Files, as far as the use cases need them. Paths are relative to the working directory, with `/` between their steps
//! and without `./`; an absolute path is taken as it is.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// Reads, writes and lists files.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// When there is none, it is a directory, or it cannot be read.
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault>;

    /// Writes a whole file: afterwards the old bytes are there or the new ones, never a part. Missing folders are made.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write_atomically(&self, path: &str, bytes: &[u8]) -> Result<(), FileFault>;

    /// The same for a file that must not be there yet: says whether it was not, and is now. Of several that write it at once one
    /// alone does.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<bool, FileFault> {
        if self.kind(path).is_some() {
            return Ok(false);
        }
        self.write_atomically(path, bytes).map(|()| true)
    }

    /// Whether a file can be written at `path`, in a folder that is there. Nothing is left of the try.
    ///
    /// # Errors
    /// When it cannot.
    fn writable(&self, _path: &str) -> Result<(), FileFault> {
        Ok(())
    }

    /// What is at `path`; `None` for nothing.
    fn kind(&self, path: &str) -> Option<FileKind>;

    /// Whether a symbolic link stands at `path`.
    fn is_link(&self, _path: &str) -> bool {
        false
    }

    /// Whether `path`, by links, leads out of the working directory; where it is no path below that, out of its own folder.
    fn leads_outside(&self, _path: &str) -> bool {
        false
    }

    /// Whether `path`, by links, leads out of `folder`; also where it leads nowhere.
    fn leads_out_of(&self, _path: &str, _folder: &str) -> bool {
        false
    }

    /// The links to folders below `root`, sorted: [`Self::walk`] passes them over.
    fn linked_folders(&self, _root: &str) -> Vec<String> {
        Vec::new()
    }

    /// The bytes of a file that nobody named, but that was found. A link is not followed out of the working directory, and
    /// what is no file, such as a device or a pipe, is not waited for.
    ///
    /// # Errors
    /// As [`Self::read`], and where it is such a one.
    fn read_found(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        let refused = |reason: &str| {
            Err(FileFault {
                path: path.to_owned(),
                reason: reason.to_owned(),
                missing: false,
            })
        };
        let link = self.is_link(path);
        match self.kind(path) {
            Some(FileKind::Other) => refused("is not a regular file"),
            None if link => refused("is a symbolic link that leads nowhere"),
            _ if link && self.leads_outside(path) => {
                refused("is a symbolic link that leads out of the folder, which is not followed")
            }
            None | Some(FileKind::File | FileKind::Folder) => self.read(path),
        }
    }

    /// All files below the folder `root` (`""` is the working directory), sorted: those that git does not ignore, or with
    /// `ignored` all of them. Folders named `.git` or `.terraform` are passed over, other hidden ones are not. What could
    /// not be listed is in the second list. Links, pipes and devices are among them; links to folders are not.
    fn walk(&self, root: &str, ignored: bool) -> (Vec<String>, Vec<FileFault>);
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A device, a socket or the like.
    Other,
}

/// Why a file could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {reason}")]
pub struct FileFault {
    /// The path.
    pub path: String,
    /// Why, in the system's words or ours.
    pub reason: String,
    /// Whether nothing is there.
    pub missing: bool,
}

/// Files in memory: a fake for tests, and for callers that have their files elsewhere.
#[derive(Debug, Default)]
pub struct MemoryFiles {
    files: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl MemoryFiles {
    /// Files with these paths and texts.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let owned = |(path, text): (&str, &str)| (path.to_owned(), text.as_bytes().to_vec());
        Self {
            files: RefCell::new(files.into_iter().map(owned).collect()),
        }
    }

    /// Puts a file in place.
    pub fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files
            .borrow_mut()
            .insert(path.to_owned(), bytes.into());
    }

    /// The text of a file, if it is there and is UTF-8.
    pub fn text(&self, path: &str) -> Option<String> {
        self.files
            .borrow()
            .get(path)
            .and_then(|bytes| String::from_utf8(bytes.clone()).ok())
    }

    /// All paths, sorted.
    pub fn paths(&self) -> Vec<String> {
        self.files.borrow().keys().cloned().collect()
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        let fault = |reason: &str, missing| FileFault {
            path: path.to_owned(),
            reason: reason.to_owned(),
            missing,
        };
        if let Some(bytes) = self.files.borrow().get(path) {
            return Ok(bytes.clone());
        }
        match self.kind(path) {
            Some(_) => Err(fault("is a folder, not a file", false)),
            None => Err(fault("there is no such file", true)),
        }
    }

    fn write_atomically(&self, path: &str, bytes: &[u8]) -> Result<(), FileFault> {
        self.put(path, bytes);
        Ok(())
    }

    fn kind(&self, path: &str) -> Option<FileKind> {
        let files = self.files.borrow();
        if files.contains_key(path) {
            return Some(FileKind::File);
        }
        let folder = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        files
            .keys()
            .any(|key| key.starts_with(&folder))
            .then_some(FileKind::Folder)
    }

    fn walk(&self, root: &str, _ignored: bool) -> (Vec<String>, Vec<FileFault>) {
        let folder = if root.is_empty() {
            String::new()
        } else {
            format!("{root}/")
        };
        let files = self.files.borrow();
        (
            files
                .keys()
                .filter(|path| path.starts_with(&folder))
                .cloned()
                .collect(),
            Vec::new(),
        )
    }
}
