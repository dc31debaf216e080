//! Runs the program as a user does, in a folder of its own and with nothing of the caller's environment.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program on real files"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Files of the reference deployment, relative to the repository.
pub(crate) const DEPLOYMENT: [&str; 7] = [
    "pointsman.toml",
    "pins.lock",
    "pointsman.lock",
    "policies",
    "terraform",
    "monitors",
    ".github/workflows",
];

/// A folder with files in it.
pub(crate) struct Folder {
    folder: TempDir,
}

impl Folder {
    /// An empty one.
    pub(crate) fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A copy of the reference deployment.
    pub(crate) fn of_the_reference_deployment() -> Self {
        let copy = Self::empty();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for name in DEPLOYMENT {
            copy_into(&root.join(name), &copy.path().join(name));
        }
        copy
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let full = self.path().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// The bytes of a file.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path().join(path)).unwrap()
    }

    /// Every file, with its bytes.
    pub(crate) fn all(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        found
    }

    pub(crate) fn remove(&self, path: &str) {
        let full = self.path().join(path);
        if full.is_dir() {
            fs::remove_dir_all(full).unwrap();
        } else {
            fs::remove_file(full).unwrap();
        }
    }

    /// Runs `pointsman` here.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pointsman"));
        command.args(arguments).current_dir(self.path()).env_clear();
        Ran {
            output: command.output().unwrap(),
        }
    }

    /// Runs `pointsman` in a folder of this one.
    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pointsman"));
        command
            .args(arguments)
            .current_dir(self.path().join(folder))
            .env_clear();
        Ran {
            output: command.output().unwrap(),
        }
    }

    /// Runs `pointsman` here with `input` at its standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pointsman"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read its input is no failure.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        Ran {
            output: child.wait_with_output().unwrap(),
        }
    }

    /// Runs `pointsman` here as in a job of GitHub Actions.
    pub(crate) fn run_in_job(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pointsman"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("GITHUB_ACTIONS", "true");
        Ran {
            output: command.output().unwrap(),
        }
    }
}

/// What a run gave.
pub(crate) struct Ran {
    output: Output,
}

impl Ran {
    pub(crate) fn status(&self) -> i32 {
        self.output.status.code().unwrap_or(-1)
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.output.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout(), self.stderr()))
    }
}

fn copy_into(from: &Path, to: &PathBuf) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy_into(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}
