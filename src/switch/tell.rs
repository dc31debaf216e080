//! What came of a run, told wherever somebody looks: standard output, annotations, the step's summary and its outputs. That
//! one of them cannot be written changes nothing of the run, nor of its exit status.

use std::io::Write;
use std::path::Path;

use crate::adapters::add_to_file;
use crate::report::run::{RunReport, annotations, human, json, outputs, step_summary};

use super::inputs::Inputs;
use super::progress::{put, say};

/// The form of the result on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For a person.
    Human,
    /// The stable JSON form.
    Json,
    /// Annotations of GitHub Actions.
    GitHub,
}

/// Tells the result.
pub(super) fn tell(report: &RunReport, form: Form, inputs: &Inputs, out: &mut dyn Write) {
    let told = match form {
        Form::Human => human(report, out),
        Form::Json => json(report, out),
        Form::GitHub => annotations(report, out),
    };
    if let Err(error) = told.and_then(|()| out.flush()) {
        say(&format!(
            "warning: the result could not be written: {error}"
        ));
    }
    if !inputs.in_job() {
        return;
    }
    if form != Form::GitHub {
        // Standard output has another form; the runner reads commands from standard error as well.
        let mut told = Vec::new();
        if annotations(report, &mut told).is_ok() {
            put(String::from_utf8_lossy(&told).into_owned());
        }
    }
    for (variable, text) in [
        ("GITHUB_STEP_SUMMARY", step_summary(report)),
        ("GITHUB_OUTPUT", outputs(report)),
    ] {
        let Some(path) = inputs.get(variable) else {
            continue;
        };
        if let Err(fault) = add_to_file(Path::new(&path), &text) {
            say(&format!("warning: {variable} cannot be written: {fault}"));
        }
    }
}
