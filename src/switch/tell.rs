//! What came of a run, told wherever somebody looks: standard output, annotations, the step's summary and its outputs. That
//! one of them cannot be written changes nothing of the run, nor of its exit status.

use std::path::Path;

use crate::adapters::add_to_file;
use crate::execution::report::{RunReport, annotations, human, json, outputs, step_summary};
use crate::failover::journal::in_log;

use super::inputs::Inputs;
use super::voice::{give, put, say};

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
pub(super) fn tell(report: &RunReport, form: Form, inputs: &Inputs) {
    let mut result = Vec::new();
    let written = match form {
        Form::Human => human(report, &mut result),
        Form::Json => json(report, &mut result),
        Form::GitHub => annotations(report, &mut result),
    };
    let given = give(result);
    if inputs.in_job() {
        tell_job(report, form, inputs);
    }
    if let Err(error) = written.and_then(|()| given.taken()) {
        say(&format!(
            "warning: the result could not be written: {error}"
        ));
    }
}

/// Tells the job of GitHub Actions: annotations, the step's summary and its outputs.
fn tell_job(report: &RunReport, form: Form, inputs: &Inputs) {
    if form != Form::GitHub {
        // Standard output has another form; the runner reads commands from standard error as well.
        let mut told = Vec::new();
        if annotations(report, &mut told).is_ok() {
            put(String::from_utf8_lossy(&told).into_owned());
        }
    }
    // The log alone can be read from outside later on: `drill --live` takes the journal from there.
    if !report.lines.is_empty() {
        put(in_log(&report.lines));
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
