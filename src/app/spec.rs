//! Finds and reads the spec.

use std::io::Write;
use std::string::FromUtf8Error;

use crate::check::{Checked, cards};
use crate::diag::Finding;
use crate::model::spec::{self, FILE, Settings, Spec};
use crate::ports::Files;
use crate::report::{Format, render};
use crate::text::{SourceMap, Span, byte_for_byte};

use super::exit::AppError;

/// Where the spec is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SpecChoice {
    /// `pointsman.toml` in the working directory, if it is there.
    #[default]
    Usual,
    /// This file.
    At(String),
}

impl SpecChoice {
    /// The folder of the spec, with its final `/`; empty for the working directory. The spec's paths are counted from it.
    pub(super) fn folder(&self) -> String {
        match self {
            Self::Usual => String::new(),
            Self::At(path) => path
                .rsplit_once('/')
                .map(|(folder, _)| format!("{folder}/"))
                .unwrap_or_default(),
        }
    }
}

/// A spec that was looked for.
#[derive(Debug)]
pub(super) enum Found {
    /// It is right.
    Read(Box<Spec>, SourceMap),
    /// It has settings of the lint alone, and no deployment.
    Settings(Settings, SourceMap),
    /// There is none.
    Absent,
    /// It is wrong; the findings are written already.
    Wrong,
}

/// Reads the spec. What is wrong with it is written to `out`, all of it.
///
/// # Errors
/// When a file that was named cannot be read, or `out` cannot be written to.
pub(super) fn find(
    choice: &SpecChoice,
    files: &dyn Files,
    format: Format,
    out: &mut dyn Write,
) -> Result<Found, AppError> {
    let path = match choice {
        SpecChoice::Usual if files.kind(FILE).is_none() => return Ok(Found::Absent),
        SpecChoice::Usual => FILE,
        SpecChoice::At(path) => path,
    };
    let unreadable = |reason: String| {
        let message = format!("the spec `{path}` cannot be read: {reason}");
        AppError::usage(
            message,
            "write one with `pointsman init`, or name another with `--spec FILE`",
        )
    };
    let bytes = files.read(path).map_err(|fault| unreadable(fault.reason))?;
    let mut checked = Checked::default();
    match String::from_utf8(bytes) {
        Ok(text) => {
            let file = checked.sources.add(path, text);
            let Some(text) = checked.sources.text(file) else {
                return Ok(Found::Absent);
            };
            checked.outcome.findings = match Settings::read(&text) {
                Some(Ok(settings)) => return Ok(Found::Settings(settings, checked.sources)),
                Some(Err(findings)) => findings,
                None => match Spec::read(&text) {
                    Ok(spec) => return Ok(Found::Read(Box::new(spec), checked.sources)),
                    Err(findings) => findings,
                },
            };
        }
        Err(error) => checked.outcome.findings = vec![not_text(path, &error, &mut checked.sources)],
    }
    checked.outcome.files = 1;
    checked.outcome.rules = cards(checked.outcome.findings.iter());
    render(format, &checked.outcome, &checked.sources, out)?;
    Ok(Found::Wrong)
}

/// The finding about a spec that is not UTF-8. What stands before the first wrong byte is shown as it is written, so the
/// finding has its place; each wrong byte is shown as `?`, so that places are those of the file.
fn not_text(path: &str, error: &FromUtf8Error, sources: &mut SourceMap) -> Finding {
    let at = error.utf8_error().valid_up_to();
    let file = sources.add(path, byte_for_byte(error.as_bytes()));
    spec::not_utf8(
        Span::new(file, at, at + 1),
        error.as_bytes().get(at..).unwrap_or_default(),
    )
}

/// Reads the spec where there must be one; `None` when it is wrong, which has been said.
///
/// # Errors
/// When there is none, or it cannot be read.
pub(super) fn require(
    choice: &SpecChoice,
    files: &dyn Files,
    format: Format,
    out: &mut dyn Write,
) -> Result<Option<Spec>, AppError> {
    match find(choice, files, format, out)? {
        Found::Read(spec, _) => Ok(Some(*spec)),
        Found::Wrong => Ok(None),
        Found::Settings(..) => Err(AppError::usage(
            "the spec has `[[allow]]` alone, and no deployment",
            "`pointsman init` in another folder shows what belongs to a deployment",
        )),
        Found::Absent => Err(AppError::usage(
            format!("there is no `{FILE}` in the working directory"),
            "write one with `pointsman init`, or name another with `--spec FILE`",
        )),
    }
}
