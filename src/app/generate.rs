//! `pointsman generate`: the spec as files, or with `--check` the difference between the two.
//!
//! A file that pointsman did not write, or that was changed since, is never overwritten unless that is asked for; if
//! there is one, nothing is written at all. Nothing is ever removed.

use std::io::{self, Write};

use similar::TextDiff;

use crate::generate::{Artefact, GenerateError, LOCK_FILE, Lock, all, kuma_json};
use crate::model::pins;
use crate::model::spec::{EXECUTOR, Spec};
use crate::ports::Files;
use crate::report::Format;

use super::exit::{AppError, Exit};
use super::spec::{SpecChoice, require};

/// What to do.
#[derive(Debug, Clone)]
pub struct Request {
    /// The spec.
    pub spec: SpecChoice,
    /// Compare only; write nothing.
    pub check: bool,
    /// Overwrite files that pointsman did not write.
    pub force: bool,
    /// How faults of the spec are told.
    pub format: Format,
}

/// Writes the files, or compares them. Exit status: 0 written or equal, 1 different, 2 a wrong spec or a file that is
/// not pointsman's.
///
/// # Errors
/// When there is no spec, a file cannot be read or written, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let Some(spec) = require(&request.spec, files, request.format, out)? else {
        return Ok(Exit::Usage);
    };
    let folder = request.spec.folder();
    let state = State::read(&spec, &folder, files)?;
    if request.check {
        state.compare(out)
    } else {
        state.write(request.force, files, out)
    }
}

/// Writes the monitors to `out` in Kuma's own JSON.
///
/// # Errors
/// When there is no spec, or `out` cannot be written to.
pub fn kuma(
    spec: &SpecChoice,
    format: Format,
    files: &dyn Files,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let Some(spec) = require(spec, files, format, out)? else {
        return Ok(Exit::Usage);
    };
    out.write_all(kuma_json(&spec).as_bytes())?;
    Ok(Exit::Clean)
}

/// A generated file beside what stands in its place.
struct Place {
    made: Artefact,
    found: Option<Vec<u8>>,
}

impl Place {
    fn is_same(&self) -> bool {
        self.found.as_deref() == Some(self.made.text.as_bytes())
    }
}

/// What should be there, and what is.
struct State {
    folder: String,
    places: Vec<Place>,
    lock: Lock,
    /// Files that were generated once, are still there, and no longer follow from the spec; each with whether it is
    /// still as it was written.
    left: Vec<(String, bool)>,
    /// Whether the program that the workflow runs is there.
    has_executor: bool,
    /// What no file can do, said when the files are written for the first time.
    by_hand: Vec<String>,
}

impl State {
    fn read(spec: &Spec, folder: &str, files: &dyn Files) -> Result<Self, AppError> {
        let made = all(spec).map_err(|error| refused(&error))?;
        let found = |path: &str| -> Result<Option<Vec<u8>>, AppError> {
            match files.read(&format!("{folder}{path}")) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(fault) if fault.missing => Ok(None),
                Err(fault) => Err(fault.into()),
            }
        };
        let lock = found(LOCK_FILE)?.unwrap_or_default();
        let lock = Lock::read(&String::from_utf8_lossy(&lock));
        let mut places = Vec::new();
        for made in made {
            let found = found(&made.path)?;
            places.push(Place { made, found });
        }
        let mut left = Vec::new();
        for path in lock.paths() {
            let is_made = places.iter().any(|place| place.made.path == path);
            if let Some(bytes) = if is_made { None } else { found(path)? } {
                left.push((path.to_owned(), lock.wrote(path, &bytes)));
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            places,
            lock,
            left,
            by_hand: by_hand(spec, folder, files),
            has_executor: files.kind(&format!("{folder}{EXECUTOR}")).is_some(),
        })
    }

    /// The list as it is once everything is written.
    fn new_lock(&self) -> Lock {
        let mut lock = self.lock.clone();
        let gone: Vec<String> = lock
            .paths()
            .filter(|path| !self.left.iter().any(|(left, _)| left == path))
            .map(str::to_owned)
            .collect();
        for path in gone {
            lock.forget(&path);
        }
        for place in &self.places {
            lock.note(&place.made.path, place.made.text.as_bytes());
        }
        lock
    }

    /// The files in the way that pointsman did not write, or that were changed since.
    fn foreign(&self) -> Vec<&str> {
        let in_the_way = |place: &&Place| {
            let ours = |bytes: &Vec<u8>| self.lock.wrote(&place.made.path, bytes);
            !place.is_same() && place.found.as_ref().is_some_and(|bytes| !ours(bytes))
        };
        let foreign = self.places.iter().filter(in_the_way);
        foreign.map(|place| place.made.path.as_str()).collect()
    }

    fn write(&self, force: bool, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
        let foreign = self.foreign();
        if !foreign.is_empty() && !force {
            return Err(not_ours(&self.folder, &foreign));
        }
        let mut written = 0;
        for place in self.places.iter().filter(|place| !place.is_same()) {
            let path = format!("{}{}", self.folder, place.made.path);
            files.write_atomically(&path, place.made.text.as_bytes())?;
            writeln!(out, "wrote {path}")?;
            written += 1;
        }
        let lock = self.new_lock();
        if lock != self.lock || self.lock.paths().next().is_none() {
            files.write_atomically(
                &format!("{}{LOCK_FILE}", self.folder),
                lock.text().as_bytes(),
            )?;
        }
        self.tell_left(out)?;
        let same = self.places.len() - written;
        writeln!(out, "{written} written, {same} unchanged")?;
        if self.lock.paths().next().is_none() {
            writeln!(out, "left to do by hand:")?;
            for line in &self.by_hand {
                writeln!(out, "- {line}")?;
            }
        }
        if !self.has_executor {
            writeln!(out, "{}", without_executor(&self.folder))?;
        }
        Ok(Exit::Clean)
    }

    fn tell_left(&self, out: &mut dyn Write) -> io::Result<()> {
        for (path, untouched) in &self.left {
            let path = format!("{}{path}", self.folder);
            let what = if *untouched {
                "it can be removed"
            } else {
                "it was changed since; look at it before you remove it"
            };
            writeln!(out, "{path} no longer follows from the spec: {what}")?;
        }
        Ok(())
    }

    fn compare(&self, out: &mut dyn Write) -> Result<Exit, AppError> {
        let mut different = 0;
        for place in self.places.iter().filter(|place| !place.is_same()) {
            difference(&format!("{}{}", self.folder, place.made.path), place, out)?;
            different += 1;
        }
        self.tell_left(out)?;
        different += self.left.len();
        if different == 0 && self.new_lock() != self.lock {
            writeln!(
                out,
                "{}{LOCK_FILE} does not list these files as they are",
                self.folder
            )?;
            different = 1;
        }
        if different == 0 {
            writeln!(out, "{} files are what the spec says", self.places.len())?;
            return Ok(Exit::Clean);
        }
        let forced = if self.foreign().is_empty() {
            ""
        } else {
            " --force"
        };
        writeln!(
            out,
            "{different} of {} files differ; `pointsman generate{forced}` writes what the spec says",
            self.places.len()
        )?;
        Ok(Exit::Findings)
    }
}

/// The unified difference from the file to what the spec says.
fn difference(path: &str, place: &Place, out: &mut dyn Write) -> io::Result<()> {
    let Some(found) = &place.found else {
        writeln!(out, "{path} is missing")?;
        let diff = TextDiff::from_lines("", place.made.text.as_str());
        return write!(out, "{}", diff.unified_diff().header("/dev/null", path));
    };
    let Ok(found) = std::str::from_utf8(found) else {
        return writeln!(out, "{path} is not UTF-8, so it is not what was generated");
    };
    let diff = TextDiff::from_lines(found, place.made.text.as_str());
    let header = format!("{path} (generated)");
    write!(out, "{}", diff.unified_diff().header(path, &header))
}

/// What the deployment needs besides its files, a line each.
fn by_hand(spec: &Spec, folder: &str, files: &dyn Files) -> Vec<String> {
    let monitors = &spec.monitors;
    let repository = format!("{}/{}", spec.github.owner, spec.github.repository);
    let mut lines = vec![
        format!(
            "Uptime Kuma: declare the notification `{}`, which reaches people",
            monitors.people
        ),
        format!(
            "GitHub: a fine-grained token with `Actions: write` on `{repository}` alone, for AutoKuma's variable `{}`",
            monitors.token_env
        ),
        format!(
            "AWS: the OIDC provider of GitHub in account {}, if it is not there; Terraform looks it up",
            spec.aws.account
        ),
    ];
    if files
        .kind(&format!("{folder}{}", pins::LOCK_FILE))
        .is_none()
    {
        let lock = pins::LOCK_FILE;
        lines.push(format!(
            "pins: `pointsman pins update --online` writes `{lock}`, by which pins are checked offline"
        ));
    }
    lines
}

/// What is said where the program that the workflow runs is not there yet.
pub(super) fn without_executor(folder: &str) -> String {
    format!(
        "the workflow runs {folder}{EXECUTOR}, which is not written but built and committed with its sum: see `pointsman explain executor-not-committed`"
    )
}

fn not_ours(folder: &str, foreign: &[&str]) -> AppError {
    let list: Vec<String> = foreign
        .iter()
        .map(|path| format!("`{folder}{path}`"))
        .collect();
    let (were, they) = if foreign.len() == 1 {
        ("was", "it")
    } else {
        ("were", "them")
    };
    AppError::usage(
        format!(
            "{} {were} not written by pointsman, or changed since; nothing has been written",
            list.join(", ")
        ),
        format!("`pointsman generate --check` shows the difference; `--force` overwrites {they}"),
    )
}

fn refused(error: &GenerateError) -> AppError {
    AppError::usage(
        error.to_string(),
        "change the spec; nothing has been written",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MemoryFiles;

    const ROOT: &str = include_str!("../../pointsman.toml");

    fn request(check: bool, force: bool) -> Request {
        Request {
            spec: SpecChoice::Usual,
            check,
            force,
            format: Format::Human { colour: false },
        }
    }

    fn ran(request: &Request, files: &MemoryFiles) -> (Result<Exit, String>, String) {
        let mut out = Vec::new();
        let exit = run(request, files, &mut out).map_err(|error| {
            assert_eq!(error.exit(), Exit::Usage);
            error.to_string()
        });
        (exit, String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn what_was_written_is_found_equal_and_written_again_only_when_the_spec_changes() {
        let files = MemoryFiles::new([("pointsman.toml", ROOT)]);
        let (exit, out) = ran(&request(true, false), &files);
        assert_eq!(exit, Ok(Exit::Findings));
        assert!(
            out.contains("policies/trust.json is missing\n--- /dev/null\n"),
            "{out}"
        );
        assert_eq!(files.paths(), ["pointsman.toml"]);
        let (exit, out) = ran(&request(false, false), &files);
        assert_eq!(exit, Ok(Exit::Clean));
        assert!(
            out.contains("14 written, 0 unchanged\nleft to do by hand:\n- Uptime Kuma: declare the notification `people`"),
            "{out}"
        );
        assert_eq!(ran(&request(true, false), &files).0, Ok(Exit::Clean));
        assert!(
            ran(&request(false, false), &files)
                .1
                .contains("0 written, 14 unchanged\n")
        );
        files.put("pointsman.toml", ROOT.replacen("ttl = 300", "ttl = 60", 1));
        let (exit, out) = ran(&request(true, false), &files);
        assert_eq!(exit, Ok(Exit::Findings));
        assert!(out.contains("-  ttl     = 300\n+  ttl     = 60\n"), "{out}");
        let (_, out) = ran(&request(false, false), &files);
        assert!(!out.contains("left to do by hand"), "{out}");
        assert!(
            out.starts_with(
                "wrote policies/cases.toml\nwrote terraform/records.tf\n2 written, 12 unchanged\n"
            ),
            "{out}"
        );
    }

    #[test]
    fn a_file_of_a_person_is_overwritten_only_by_force_and_nothing_is_written_otherwise() {
        let files = MemoryFiles::new([("pointsman.toml", ROOT), ("policies/trust.json", "{}\n")]);
        let (exit, _) = ran(&request(false, false), &files);
        assert!(
            exit.unwrap_err()
                .starts_with("`policies/trust.json` was not written")
        );
        assert_eq!(files.paths(), ["pointsman.toml", "policies/trust.json"]);
        assert_eq!(ran(&request(false, true), &files).0, Ok(Exit::Clean));
        files.put("policies/trust.json", "{ }\n");
        files.put("pointsman.toml", ROOT.replacen("ttl = 300", "ttl = 60", 1));
        assert!(ran(&request(false, false), &files).0.is_err());
        assert!(
            files
                .text("terraform/records.tf")
                .unwrap()
                .contains("= 300")
        );
    }

    #[test]
    fn an_equal_file_is_taken_over_without_force() {
        let files = MemoryFiles::new([
            ("pointsman.toml", ROOT),
            (
                "policies/trust.json",
                include_str!("../../policies/trust.json"),
            ),
        ]);
        assert_eq!(ran(&request(false, false), &files).0, Ok(Exit::Clean));
        assert!(
            files
                .text(LOCK_FILE)
                .unwrap()
                .contains("policies/trust.json")
        );
    }

    #[test]
    fn a_file_that_no_longer_follows_is_told_and_stays() {
        let files = MemoryFiles::new([("pointsman.toml", ROOT)]);
        assert_eq!(ran(&request(false, false), &files).0, Ok(Exit::Clean));
        let renamed = ROOT.replacen("branch =", "workflow = \"switch.yml\"\nbranch =", 1);
        files.put("pointsman.toml", renamed);
        let (exit, out) = ran(&request(false, false), &files);
        assert_eq!(exit, Ok(Exit::Clean));
        let told =
            ".github/workflows/dns-failover.yml no longer follows from the spec: it can be removed";
        assert!(out.contains(told), "{out}");
        assert!(files.text(".github/workflows/dns-failover.yml").is_some());
        let (exit, out) = ran(&request(true, false), &files);
        assert_eq!(exit, Ok(Exit::Findings));
        assert!(out.contains(told), "{out}");
    }

    #[test]
    fn a_spec_elsewhere_has_its_files_beside_it() {
        let files = MemoryFiles::new([("deep/er/spec.toml", ROOT)]);
        let request = Request {
            spec: SpecChoice::At("deep/er/spec.toml".to_owned()),
            ..request(false, false)
        };
        assert_eq!(ran(&request, &files).0, Ok(Exit::Clean));
        assert!(files.text("deep/er/terraform/iam.tf").is_some());
        assert!(files.text("deep/er/pointsman.lock").is_some());
    }

    #[test]
    fn a_wrong_spec_writes_nothing_and_is_told() {
        let files = MemoryFiles::new([("pointsman.toml", "[zone]\n")]);
        let (exit, out) = ran(&request(false, false), &files);
        assert_eq!(exit, Ok(Exit::Usage));
        assert!(out.contains("spec-missing-key"), "{out}");
        assert_eq!(files.paths(), ["pointsman.toml"]);
    }
}
