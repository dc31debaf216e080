//! `pointsman inspect workflow`: triggers, actions, images, permissions, concurrency and environments of one file.

use std::io::Write;

use serde_json::{Map, Value, json};

use crate::app::{AppError, Exit};
use crate::check::decoded;
use crate::model::workflow::{
    ActionFile, Concurrency, Grant, Image, Job, Permissions, StepFile, Trigger, Uses, Workflow,
    second_document,
};
use crate::ports::Files;
use crate::report::Format;
use crate::syntax::yaml;
use crate::text::{Position, SourceMap, Span, Text};

use super::sentences::sentences;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The workflow, or the `action.yml` of an action.
    pub path: String,
    /// The form of the output.
    pub format: Format,
}

/// Writes what is seen in the file to `out`; what could not be read is said there, and is exit status 4.
///
/// # Errors
/// When the file does not exist, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    let bytes = files.read(&request.path)?;
    let mut sources = SourceMap::default();
    let (seen, unread) = match decoded(&request.path, bytes, &mut sources) {
        Ok(text) => seen_in_text(&request.path, text, &mut sources),
        Err((reason, at)) => (SeenFile::default(), vec![(reason, at)]),
    };
    let SeenFile { mut value, told } = seen;
    let exit = if unread.is_empty() {
        Exit::Clean
    } else {
        Exit::Unread
    };
    let unread = unread.into_iter().map(|(reason, at)| {
        let line = at.map(|at| place(at, &sources).line);
        json!({ "path": request.path, "reason": reason, "line": line })
    });
    let unread: Vec<Value> = unread.collect();
    value.insert("unread".to_owned(), json!(unread));
    match request.format {
        Format::Json => writeln!(out, "{:#}", Value::Object(value))?,
        Format::Human { .. } | Format::GitHub | Format::Sarif | Format::JUnit { .. } => {
            write_human(&told, &unread, out)?;
        }
    }
    Ok(exit)
}

/// What is seen of a file, as JSON and in sentences.
#[derive(Default)]
struct SeenFile {
    value: Map<String, Value>,
    told: Vec<String>,
}

impl SeenFile {
    fn of(file: StepFile<'_>, sources: &SourceMap) -> Self {
        Self {
            value: seen_in(file, sources),
            told: sentences(file, sources),
        }
    }
}

/// What is not read of a file, and where.
type Gap = (String, Option<Span>);

/// What is seen of the first document, also where something else of the file could not be read.
fn seen_in_text(path: &str, text: String, sources: &mut SourceMap) -> (SeenFile, Vec<Gap>) {
    let file = sources.add(path, text);
    let text = sources
        .text(file)
        .unwrap_or_else(|| Text::verbatim("", Span::at(file, 0)));
    let parsed = yaml::read(&text);
    let faults = parsed.faults.into_iter();
    let mut unread: Vec<Gap> = faults.map(|fault| (fault.reason, Some(fault.at))).collect();
    let mut documents = parsed.documents.into_iter();
    let first = documents.next();
    let root = first.filter(|root| root.as_map().is_some());
    let is_workflow = root
        .as_ref()
        .is_some_and(|root| Workflow::recognises(path, root) || root.get("jobs").is_some());
    if let Some(second) = documents.next() {
        let is_action = !is_workflow && ActionFile::recognises_path(path);
        unread.push((second_document(is_action), Some(second.span())));
    }
    let Some(root) = root else {
        if unread.is_empty() {
            let reason = "neither a workflow, with `on` and `jobs`, nor an action, with `runs`";
            unread.push((reason.to_owned(), None));
        }
        return (SeenFile::default(), unread);
    };
    let (source, comments) = (text.as_str(), &parsed.comments);
    let value = if is_workflow {
        let workflow = Workflow::read(path, source, root, comments);
        SeenFile::of(StepFile::Workflow(&workflow), sources)
    } else if ActionFile::recognises(path, &root) {
        let action = ActionFile::read(path, source, root, comments);
        SeenFile::of(StepFile::Action(&action), sources)
    } else {
        let reason = "neither a workflow, with `on` and `jobs`, nor an action, with `runs`";
        unread.push((reason.to_owned(), None));
        SeenFile::default()
    };
    (value, unread)
}

pub(super) fn place(at: Span, sources: &SourceMap) -> Position {
    let positions = sources.positions(at);
    positions.map_or(
        Position {
            line: 0,
            column: 0,
            offset: 0,
        },
        |(start, _)| start,
    )
}

fn seen_in(file: StepFile<'_>, sources: &SourceMap) -> Map<String, Value> {
    let uses: Vec<Value> = file
        .uses()
        .into_iter()
        .map(|uses| uses_seen(uses, sources))
        .collect();
    let images: Vec<Value> = file
        .images()
        .into_iter()
        .map(|image| image_seen(image, sources))
        .collect();
    let mut value = Map::new();
    value.insert("version".to_owned(), json!(1));
    value.insert("path".to_owned(), json!(file.path()));
    match file {
        StepFile::Workflow(workflow) => {
            value.insert("kind".to_owned(), json!("workflow"));
            value.insert("name".to_owned(), json!(written(workflow.name.as_ref())));
            value.insert(
                "triggers".to_owned(),
                workflow.triggers.iter().map(trigger).collect(),
            );
            value.insert(
                "permissions".to_owned(),
                permissions(workflow.permissions.as_ref()),
            );
            value.insert(
                "concurrency".to_owned(),
                concurrency(workflow.concurrency.as_ref()),
            );
            value.insert("uses".to_owned(), Value::Array(uses));
            value.insert("images".to_owned(), Value::Array(images));
            let jobs = workflow
                .jobs
                .iter()
                .map(|job| job_seen(workflow, job, sources));
            value.insert("jobs".to_owned(), jobs.collect());
        }
        StepFile::Action(action) => {
            value.insert("kind".to_owned(), json!("action"));
            value.insert("name".to_owned(), json!(written(action.name.as_ref())));
            value.insert("using".to_owned(), json!(written(action.using.as_ref())));
            value.insert(
                "inputs".to_owned(),
                action.inputs.iter().map(Text::as_str).collect(),
            );
            value.insert("uses".to_owned(), Value::Array(uses));
            value.insert("images".to_owned(), Value::Array(images));
        }
    }
    value
}

fn written(text: Option<&Text>) -> Option<&str> {
    text.map(Text::as_str)
}

fn uses_seen(uses: &Uses, sources: &SourceMap) -> Value {
    let Position { line, column, .. } = place(with_properties(uses.text.span(), sources), sources);
    let comment = uses.comment.as_ref().map(|comment| comment.text.trim());
    json!({ "line": line, "column": column, "class": uses.class(), "value": uses.text.as_str(), "comment": comment })
}

/// The place of a value with the anchor and the tag before it on its line: a node begins with its properties (YAML 1.2.2,
/// 6.9).
fn with_properties(at: Span, sources: &SourceMap) -> Span {
    let text = sources.get(at.file).map_or("", |source| source.text());
    let before = text.get(..at.start as usize).unwrap_or_default();
    let mut start = before.len();
    loop {
        let rest = before.get(..start).unwrap_or_default();
        let trimmed = rest.trim_end_matches([' ', '\t']);
        let word = trimmed.rsplit([' ', '\t', '\n', ',', '[', '{']).next();
        let is_property = |word: &&str| word.starts_with(['&', '!']);
        match word.filter(is_property).filter(|_| trimmed != rest) {
            Some(word) => start = trimmed.len() - word.len(),
            None => break,
        }
    }
    Span {
        start: u32::try_from(start).unwrap_or(at.start),
        ..at
    }
}

fn image_seen(image: &Image, sources: &SourceMap) -> Value {
    let Position { line, column, .. } = place(image.text.span(), sources);
    json!({ "line": line, "column": column, "value": image.text.as_str() })
}

fn trigger(trigger: &Trigger) -> Value {
    let inputs = trigger.inputs().iter().map(|input| input.key.as_str());
    json!({ "name": trigger.name.as_str(), "inputs": inputs.collect::<Vec<_>>() })
}

/// Scope by scope; a word that names all; null where nothing is said and the repository's default counts.
fn permissions(permissions: Option<&Permissions>) -> Value {
    let Some(permissions) = permissions else {
        return Value::Null;
    };
    match &permissions.grant {
        Grant::ReadAll(word) | Grant::WriteAll(word) => json!(word.as_str()),
        Grant::Unknown => json!("unknown"),
        Grant::Scopes(scopes) => scopes
            .iter()
            .map(|scope| {
                (
                    scope.name.as_str().to_owned(),
                    json!(scope.written.as_str()),
                )
            })
            .collect(),
    }
}

fn concurrency(concurrency: Option<&Concurrency>) -> Value {
    let Some(concurrency) = concurrency else {
        return Value::Null;
    };
    json!({
        "group": written(concurrency.group.as_ref()),
        "cancel-in-progress": written(concurrency.cancel.as_ref()),
        "queue": written(concurrency.queue.as_ref()),
    })
}

fn job_seen(workflow: &Workflow, job: &Job, sources: &SourceMap) -> Value {
    let labels: Vec<&str> = job.runs_on.iter().map(Text::as_str).collect();
    json!({
        "id": job.id.as_str(),
        "line": place(job.id.span(), sources).line,
        "if": written(job.condition.as_ref()),
        "runs-on": labels,
        "environment": written(job.environment.as_ref()),
        "uses": job.uses.as_ref().map(|uses| uses.text.as_str()),
        "permissions": permissions(workflow.permissions_of(job)),
        "concurrency": concurrency(job.concurrency.as_ref()),
    })
}

fn write_human(told: &[String], unread: &[Value], out: &mut dyn Write) -> Result<(), AppError> {
    for sentence in told {
        writeln!(out, "{sentence}")?;
    }
    for gap in unread {
        let reason = gap["reason"].as_str().unwrap_or_default();
        match gap["line"].as_u64() {
            Some(line) => writeln!(out, "not read, line {line}: {reason}")?,
            None => writeln!(out, "not read: {reason}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MemoryFiles;

    #[test]
    fn the_permissions_of_a_job_are_those_it_runs_with() {
        let workflow = "on: {workflow_dispatch: {inputs: {site: {}}}}\npermissions: {contents: read}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    environment: {name: production}\n    steps:\n      - uses: \"a/b@v1\" # v1\n  b:\n    permissions: {id-token: write}\n    uses: ./x.yml\n";
        let files = MemoryFiles::new([(".github/workflows/x.yml", workflow)]);
        let request = Request {
            path: ".github/workflows/x.yml".to_owned(),
            format: Format::Json,
        };
        let mut out = Vec::new();
        let exit = run(&request, &files, &mut out).unwrap();
        let seen: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(exit, Exit::Clean);
        assert_eq!(seen["jobs"][0]["permissions"], json!({"contents": "read"}));
        assert_eq!(seen["jobs"][1]["permissions"], json!({"id-token": "write"}));
        assert_eq!(seen["jobs"][0]["environment"], "production");
        assert_eq!(seen["triggers"][0]["inputs"], json!(["site"]));
        assert_eq!(
            seen["uses"][0],
            json!({"line": 8, "column": 15, "class": "version-like", "value": "a/b@v1", "comment": "v1"})
        );
    }

    #[test]
    fn a_person_is_told_in_sentences() {
        let workflow = "name: ship\non:\n  push: {branches: [main]}\nconcurrency: ship\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    permissions: {contents: read, id-token: write}\n    steps:\n      - uses: aws-actions/configure-aws-credentials@v6\n        with: {role-to-assume: \"arn:aws:iam::123456789012:role/ship\", aws-region: eu-west-1}\n      - run: ./ship\n        env: {KEY: \"${{ secrets.KEY }}\"}\n";
        let files = MemoryFiles::new([(".github/workflows/x.yml", workflow)]);
        let request = Request {
            path: ".github/workflows/x.yml".to_owned(),
            format: Format::Human { colour: false },
        };
        let mut out = Vec::new();
        run(&request, &files, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "`.github/workflows/x.yml` is the workflow `ship`.\n\
             It starts when commits or tags are pushed (branches `main`).\n\
             Of the runs of the group `ship` one runs at a time: the one that runs is never cancelled; one waits, and a newer one takes its place.\n\
             \n\
             The job `a` (line 6) runs on `ubuntu-24.04`, for 5 minutes at most.\n  \
             Its token may read `contents`, and it may ask for a token to borrow roles (`id-token: write`).\n  \
             It borrows the role `arn:aws:iam::123456789012:role/ship` in `eu-west-1`.\n  \
             It uses `aws-actions/configure-aws-credentials` at `v6`, which can move.\n  \
             It runs one script of its own.\n  \
             It reads the secrets `KEY`.\n"
        );
    }

    #[test]
    fn what_is_no_workflow_is_unread() {
        let files = MemoryFiles::new([("x.yml", "a: 1\n")]);
        let request = Request {
            path: "x.yml".to_owned(),
            format: Format::Human { colour: false },
        };
        let mut out = Vec::new();
        assert_eq!(run(&request, &files, &mut out).unwrap(), Exit::Unread);
        assert!(
            String::from_utf8(out)
                .unwrap()
                .contains("neither a workflow")
        );
    }
}
