//! `pointsman pins`: the lock of upstream refs, and the pins that it speaks of.

pub mod import;
pub mod list;
mod renew;
pub mod update;
pub mod verify;

use std::io::Write;

use serde_json::{Value, json};

use crate::app::AppError;
use crate::check::{self, Input, Loaded, Options, Standing};
use crate::model::pins::{LOCK_FILE, PinStanding, PinsLock};
use crate::model::workflow::{ActionFile, RefClass, StepFile, Uses, Workflow};
use crate::ports::{FileKind, Files};
use crate::report::Format;
use crate::rules::Subject;
use crate::text::SourceMap;

/// Everything below the working directory that has pins, and the lock there.
struct Tree {
    loaded: Loaded,
    lock: PinsLock,
    has_lock: bool,
}

/// What is said where there is no lock: without it nothing is known of any pin.
const NO_LOCK: &str = "there is no `pins.lock` here: `pointsman pins update --online` asks GitHub and writes one, `pointsman pins import FILE` takes refs that are at hand";

/// A pin, and where it stands.
struct Pin<'a> {
    uses: &'a Uses,
    path: &'a str,
    line: usize,
    repository: String,
    commit: String,
}

impl Tree {
    /// Reads the workflows and actions that git does not ignore, and the lock.
    fn read(files: &dyn Files) -> Result<Self, AppError> {
        let (paths, faults) = files.walk("", false);
        if let Some(fault) = faults.into_iter().next() {
            return Err(fault.into());
        }
        let wanted =
            |path: &String| Workflow::recognises_path(path) || ActionFile::recognises_path(path);
        let input = |path: String| Input {
            bytes: files.read(&path).map_err(|fault| fault.reason),
            path,
            standing: Standing::Found,
        };
        let inputs = paths.into_iter().filter(wanted).map(input).collect();
        let options = Options {
            subject: Some(Subject::Workflow),
            ..Options::default()
        };
        let mut loaded = check::load(SourceMap::default(), None, inputs, options);
        let lock = lock(files, &mut loaded.sources)?;
        let has_lock = files.kind(LOCK_FILE) == Some(FileKind::File);
        Ok(Self {
            loaded,
            lock,
            has_lock,
        })
    }

    /// The pins in the order of their places.
    fn pins(&self) -> Vec<Pin<'_>> {
        let files = self.loaded.workspace.step_files();
        let all = files.flat_map(|file| {
            let uses = file.uses().into_iter();
            uses.filter(|uses| uses.ref_class() == Some(RefClass::Commit))
                .filter_map(move |uses| {
                    let positions = self.loaded.sources.positions(uses.text.span());
                    Some(Pin {
                        uses,
                        path: file.path(),
                        line: positions?.0.line,
                        repository: uses.repository()?,
                        commit: uses.reference()?.to_ascii_lowercase(),
                    })
                })
        });
        all.collect()
    }

    /// What names a tag or a branch in place of a commit, as a line and as JSON, with the commit at which the lock saw it.
    fn unpinned(&self) -> Vec<(String, Value)> {
        let names = |uses: &&Uses| {
            matches!(
                uses.ref_class(),
                Some(RefClass::Version | RefClass::FullName | RefClass::Name)
            )
        };
        let files = self.loaded.workspace.step_files();
        let of_file = |file: StepFile<'_>| -> Vec<(String, Value)> {
            let uses = file.uses().into_iter().filter(names);
            uses.filter_map(|uses| self.unpinned_row(file.path(), uses))
                .collect()
        };
        files.flat_map(of_file).collect()
    }

    fn unpinned_row(&self, path: &str, uses: &Uses) -> Option<(String, Value)> {
        let line = self.loaded.sources.positions(uses.text.span())?.0.line;
        let (repository, reference) = (uses.repository()?, uses.reference()?);
        let upstream = self.lock.upstream(&repository);
        let tag = upstream.and_then(|upstream| upstream.tags.get(reference));
        let commit = tag.map(|tag| tag.commit.as_str());
        let known = commit.map_or_else(
            || "the lock does not know it".to_owned(),
            |commit| format!("the lock saw it at {commit}"),
        );
        Some((
            format!("{path}:{line}: {repository}@{reference}: no commit; {known}"),
            json!({
                "path": path,
                "line": line,
                "repository": repository,
                "reference": reference,
                "commit": commit,
                "standing": "unpinned",
            }),
        ))
    }

    fn standing(&self, pin: &Pin<'_>) -> Option<PinStanding<'_>> {
        self.lock.standing(&pin.repository, &pin.commit)
    }
}

/// The lock in the working directory; an empty one where there is none.
fn lock(files: &dyn Files, sources: &mut SourceMap) -> Result<PinsLock, AppError> {
    if files.kind(LOCK_FILE) != Some(FileKind::File) {
        return Ok(PinsLock {
            path: LOCK_FILE.to_owned(),
            ..PinsLock::default()
        });
    }
    lock_at(LOCK_FILE, files, sources)
}

/// The lock, or the refs in JSON, at `path`.
fn lock_at(path: &str, files: &dyn Files, sources: &mut SourceMap) -> Result<PinsLock, AppError> {
    let wrong = |reason: String| {
        let hint = "a lock is TOML as `pointsman pins` writes it, or JSON with `repos`";
        AppError::usage(format!("`{path}` cannot be read: {reason}"), hint)
    };
    let text = check::decoded(path, files.read(path)?, sources);
    let text = text.map_err(|(reason, _)| wrong(reason))?;
    let file = sources.add(path, text);
    let Some(text) = sources.text(file) else {
        return Err(wrong("it is empty".to_owned()));
    };
    let (lock, faults) = if path.ends_with(".json") {
        PinsLock::read_json(path, &text)
    } else {
        PinsLock::read_toml(path, &text)
    };
    match faults.first() {
        Some(fault) => {
            let line = sources
                .positions(fault.at)
                .map_or(0, |(start, _)| start.line);
            Err(wrong(format!("line {line}: {}", fault.reason)))
        }
        None => Ok(lock),
    }
}

/// What the lock says, in a word and in words.
fn in_words(standing: Option<&PinStanding<'_>>) -> (&'static str, String) {
    match standing {
        None => ("unlisted", "not in the lock".to_owned()),
        Some(PinStanding::Tagged(tags)) => ("tagged", tags.join(", ")),
        Some(PinStanding::TagObject { tag, .. }) => {
            ("tag-object", format!("the tag object of {tag}, no commit"))
        }
        Some(PinStanding::OnBranch) => ("on-branch", "on a branch, without a tag".to_owned()),
        Some(PinStanding::Former) => ("former", "no ref leads to it any more".to_owned()),
        Some(PinStanding::Absent { .. }) => {
            ("absent", "no branch and no tag leads to it".to_owned())
        }
        Some(PinStanding::Open) => ("open", "the lock does not know it".to_owned()),
    }
}

/// Writes rows: as a JSON object with the rows under `name`, or one line each.
fn write_pins(
    format: Format,
    has_lock: bool,
    rows: &[(String, Value)],
    out: &mut dyn Write,
) -> Result<(), AppError> {
    write_rows(format, "pins", rows, out)?;
    if !has_lock && format != Format::Json {
        writeln!(out, "note: {NO_LOCK}")?;
    }
    Ok(())
}

fn write_rows(
    format: Format,
    name: &str,
    rows: &[(String, Value)],
    out: &mut dyn Write,
) -> Result<(), AppError> {
    match format {
        Format::Json => {
            let values: Vec<&Value> = rows.iter().map(|(_, value)| value).collect();
            writeln!(out, "{:#}", json!({ "version": 1, name: values }))?;
        }
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            for (line, _) in rows {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}
