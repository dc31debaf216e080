//! `pointsman validate`: the pre-merge lint.

use std::io::Write;

use crate::check::{self, Checked, Input, Loaded, Options, Standing, Suppression};
use crate::diag::{Finding, Outcome, Severity, Unread};
use crate::generate;
use crate::model::calendar::Day;
use crate::model::facts::{REPOSITORY_FILE, SUBJECT_FILE};
use crate::model::git_index::{self, Tracked};
use crate::model::pins::LOCK_FILE;
use crate::model::policy::PolicyKind;
use crate::model::rehearsal::is_journal;
use crate::model::spec::Spec;
use crate::model::trust::Repository;
use crate::ports::{FileFault, FileKind, Files};
use crate::report::{Format, render};
use crate::rules::Subject;
use crate::text::{STDIN, SourceMap};

use super::exit::{AppError, Exit};
use super::module_files;
use super::spec::{self, Found, SpecChoice};

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Files and folders; empty for the spec's artefacts, or without a spec for everything below the working directory.
    pub paths: Vec<String>,
    /// The working directory as an absolute path; a path that is written so is counted from it.
    pub here: String,
    /// Only this subject.
    pub subject: Option<Subject>,
    /// What kind of policies they are.
    pub policy_kind: Option<PolicyKind>,
    /// Where the spec is.
    pub spec: SpecChoice,
    /// Whose job borrows the role; the spec's when absent.
    pub repository: Option<Repository>,
    /// Findings from this severity on make the run fail.
    pub fail_on: Severity,
    /// Whether anything undecided makes the run fail.
    pub strict: bool,
    /// The day of the run; `None` where it is not known.
    pub today: Option<Day>,
    /// The form of the output.
    pub format: Format,
}

impl Request {
    /// What is read for a command that judges nothing: the spec's artefacts, all of them, on no day in particular.
    pub(in crate::app) fn to_read(spec: &SpecChoice, here: &str, format: Format) -> Self {
        Self {
            paths: Vec::new(),
            here: here.to_owned(),
            subject: None,
            policy_kind: None,
            spec: spec.clone(),
            repository: None,
            fail_on: Severity::Error,
            strict: false,
            today: None,
            format,
        }
    }
}

/// Checks, and writes the outcome to `out`.
///
/// # Errors
/// When a path that was named does not exist, or `out` cannot be written to.
pub fn run(request: &Request, files: &dyn Files, out: &mut dyn Write) -> Result<Exit, AppError> {
    match judge(request, files, out)? {
        Some(judged) => {
            judged.show(request.format, out)?;
            let exit = judged.exit(request);
            // To take apart what was read of a large tree takes as long as to read it; the process ends now.
            std::mem::forget(judged);
            exit
        }
        None => Ok(Exit::Usage),
    }
}

/// What came of the checks.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) checked: Checked,
    with_spec: bool,
    /// Paths that were named and are not there.
    missing: Vec<FileFault>,
}

impl Judged {
    /// Writes the outcome.
    pub(super) fn show(&self, format: Format, out: &mut dyn Write) -> Result<(), AppError> {
        let Checked {
            outcome, sources, ..
        } = &self.checked;
        Ok(render(format, outcome, sources, out)?)
    }

    /// How the run ends.
    pub(super) fn exit(&self, request: &Request) -> Result<Exit, AppError> {
        let Checked {
            outcome,
            spec_undecided,
            ..
        } = &self.checked;
        match self.missing.last() {
            Some(fault) => Err(fault.clone().into()),
            None => Ok(exit(outcome, request, self.with_spec, *spec_undecided)),
        }
    }
}

/// Checks; `None` for a wrong spec, which is told in `out`.
///
/// # Errors
/// When nothing that was named exists, or `out` cannot be written to.
pub(super) fn judge(
    request: &Request,
    files: &dyn Files,
    out: &mut dyn Write,
) -> Result<Option<Judged>, AppError> {
    let Some(loaded) = load(request, files, out)? else {
        return Ok(None);
    };
    let (with_spec, missing) = (loaded.with_spec, loaded.missing);
    let checked = check::run(loaded.loaded);
    Ok(Some(Judged {
        checked,
        with_spec,
        missing,
    }))
}

/// What was read.
pub(super) struct Read {
    pub(super) loaded: Loaded,
    with_spec: bool,
    /// Paths that were named and are not there.
    pub(super) missing: Vec<FileFault>,
}

/// Reads what is asked for; `None` for a wrong spec, which is told in `out`.
///
/// # Errors
/// When nothing that was named exists, or `out` cannot be written to.
pub(super) fn load(
    request: &Request,
    files: &dyn Files,
    out: &mut dyn Write,
) -> Result<Option<Read>, AppError> {
    let folder = request.spec.folder();
    let mut settings = None;
    let (spec, sources) = match spec::find(&request.spec, files, request.format, out)? {
        Found::Read(spec, sources) => (Some(spec.in_folder(&folder)), sources),
        Found::Settings(read, sources) => {
            settings = Some(read.in_folder(&folder));
            (None, sources)
        }
        Found::Absent => (None, SourceMap::default()),
        Found::Wrong => return Ok(None),
    };
    let with_spec = spec.is_some();
    let (starts, mut missing) = starts(request, spec.as_ref(), files);
    if starts.is_empty()
        && let Some(fault) = missing.pop()
    {
        return Err(fault.into());
    }
    let (mut inputs, faults) = inputs(request, starts, spec.as_ref(), files);
    module_files::add(&mut inputs, files);
    let options = Options {
        subject: request.subject,
        policy_kind: request.policy_kind,
        whole: request.paths.is_empty(),
        today: request.today,
    };
    let tracked = spec.as_ref().filter(|_| options.whole);
    let tracked = tracked.and_then(|spec| tracked_executor(spec, files));
    let mut loaded = check::load(sources, spec, inputs, options);
    loaded.workspace.executor.tracked = tracked;
    if let Some(repository) = &request.repository {
        loaded.workspace.repository = Some(Repository {
            day: loaded.workspace.today,
            ..repository.clone()
        });
    }
    let unread = |fault: FileFault| Unread {
        path: fault.path,
        reason: fault.reason,
        at: None,
    };
    let unlisted = faults.iter().map(|fault| fault.path.clone());
    loaded.workspace.unlisted = unlisted.collect();
    loaded.unread.extend(faults.into_iter().map(unread));
    loaded.workspace.folders = folders(loaded.workspace.spec.as_ref(), files);
    if let Some(settings) = &settings {
        let of_settings = Suppression::from_settings(settings);
        loaded.suppressions.extend(of_settings);
    }
    Ok(Some(Read {
        loaded,
        with_spec,
        missing,
    }))
}

/// The folders of the spec's artefacts that are there.
fn folders(spec: Option<&Spec>, files: &dyn Files) -> Vec<String> {
    let Some(spec) = spec else {
        return Vec::new();
    };
    let workflow = spec.workflow_path();
    let workflows = workflow.rsplit_once('/').map_or("", |(folder, _)| folder);
    let artefacts = &spec.artefacts;
    let all = [
        workflows,
        &artefacts.policies,
        &artefacts.terraform,
        &artefacts.monitors,
    ];
    let is_there = |path: &&str| matches!(files.kind(path), Some(FileKind::Folder));
    all.into_iter()
        .filter(is_there)
        .map(str::to_owned)
        .collect()
}

fn exit(outcome: &Outcome, request: &Request, with_spec: bool, spec_undecided: bool) -> Exit {
    let failing = |finding: &Finding| finding.severity >= request.fail_on;
    let undecided = spec_undecided || (request.strict && !outcome.undecided.is_empty());
    // A run that was asked for something and found nothing of it has checked nothing.
    // The spec is read in every run, and is no answer to that.
    let nothing = match request.subject {
        Some(_) => outcome.files <= usize::from(with_spec),
        None => outcome.files == 0 && request.strict,
    };
    if outcome.findings.iter().any(failing) {
        Exit::Findings
    } else if undecided || nothing || !outcome.unread.is_empty() {
        Exit::Unread
    } else {
        Exit::Clean
    }
}

type Listed = (Vec<Input>, Vec<FileFault>);

/// The files to look at. A folder of the spec that is not there is what the rules have to judge.
fn inputs(request: &Request, starts: Vec<Start>, spec: Option<&Spec>, files: &dyn Files) -> Listed {
    let mut found: Vec<(String, Standing)> = Vec::new();
    let mut faults = Vec::new();
    for (start, named) in starts {
        if named {
            found.extend(context_of(&start, files));
            found.push((start, Standing::Named));
        } else {
            // A folder of the spec is read whole: Terraform and GitHub do not ask what git ignores.
            let of_spec = request.paths.is_empty() && spec.is_some();
            let (paths, faulty) = files.walk(&start, of_spec);
            if spec.is_some_and(|spec| check::ledger(spec) == start) {
                faults.extend(odd(&start, &paths, files));
            }
            found.extend(paths.into_iter().map(|path| (path, Standing::Found)));
            faults.extend(faulty);
        }
    }
    if let Some(spec) = spec.filter(|_| request.paths.is_empty()) {
        let made = generate::all(spec).unwrap_or_default();
        let folders = made
            .into_iter()
            .filter(|artefact| files.kind(&artefact.path) == Some(FileKind::Folder));
        found.extend(folders.map(|artefact| (artefact.path, Standing::Found)));
    }
    found.extend(lock_beside(spec, files));
    if request.paths.is_empty() {
        found.extend(facts_beside(spec, files));
    }
    found.extend(ledger_beside(request, &found, spec, files));
    // Of a file with more than one standing, the strongest counts.
    found.sort();
    found.dedup_by(|later, earlier| later.0 == earlier.0);
    let read = |(path, standing): (String, Standing)| {
        if !check::is_candidate(&path, standing == Standing::Named) {
            return None;
        }
        let bytes = if standing == Standing::Named {
            files.read(&path)
        } else {
            files.read_found(&path)
        };
        let bytes = bytes.map_err(|fault| fault.reason);
        Some(Input {
            path,
            bytes,
            standing,
        })
    };
    let mut inputs: Vec<Input> = found.into_iter().filter_map(read).collect();
    if request.paths.is_empty() {
        inputs.extend(executor(spec, files));
    }
    (inputs, faults)
}

/// What lies in the ledger and is no evidence: it could be meant as some. Pages and hidden files are passed over.
fn odd(ledger: &str, paths: &[String], files: &dyn Files) -> Vec<FileFault> {
    let fault = |path: &str, reason: &str| FileFault {
        path: path.to_owned(),
        reason: reason.to_owned(),
        missing: false,
    };
    if files.kind(ledger) != Some(FileKind::Folder) {
        return vec![fault(
            ledger,
            "is not a folder, so that no evidence can lie in it",
        )];
    }
    let told = paths.iter().filter_map(|path| {
        let name = path.strip_prefix(ledger)?.strip_prefix('/')?;
        if let Some((folder, _)) = name.split_once('/') {
            let told = format!("lies in the folder `{folder}`, in which no evidence is looked for");
            return Some(fault(path, &told));
        }
        let known = [".json", ".md"].iter().any(|end| name.ends_with(end));
        let passed_over = known || is_journal(name) || name.starts_with('.');
        (!passed_over).then(|| fault(path, "is no `.json`, so that it is no evidence"))
    });
    told.collect()
}

/// The program that the workflow runs and its sum, where they are there.
fn executor(spec: Option<&Spec>, files: &dyn Files) -> Vec<Input> {
    let paths = spec.map(check::executor_paths).into_iter().flatten();
    let there = paths.filter(|path| files.kind(path).is_some());
    let read = |path: String| Input {
        bytes: files.read(&path).map_err(|fault| fault.reason),
        standing: Standing::Found,
        path,
    };
    there.map(read).collect()
}

/// What git's index says of the program and of its sum. The repository is the one of the spec's folder, or of a folder
/// above it up to the working directory.
fn tracked_executor(spec: &Spec, files: &dyn Files) -> Option<Result<[Tracked; 2], String>> {
    let mut folder = spec.folder();
    while files.kind(&format!("{folder}.git")).is_none() {
        let above = folder.strip_suffix('/')?;
        folder = above.rsplit_once('/').map_or("", |(above, _)| {
            folder.get(..above.len() + 1).unwrap_or_default()
        });
    }
    let git = format!("{folder}.git");
    let git = match files.kind(&git) {
        // A work tree of its own, or a submodule: a file that says where its folder is.
        Some(FileKind::File) => {
            let text = files.read(&git).ok()?;
            let text = String::from_utf8(text).ok()?;
            let at = text.trim().strip_prefix("gitdir: ")?.to_owned();
            if at.starts_with('/') {
                at
            } else {
                format!("{folder}{at}")
            }
        }
        _ => git,
    };
    let index = match files.read(&format!("{git}/index")) {
        Ok(index) => index,
        // Before the first `git add` there is none.
        Err(fault) if fault.missing && files.kind(&format!("{git}/HEAD")).is_some() => {
            return Some(Ok([Tracked::Absent; 2]));
        }
        Err(fault) => return Some(Err(fault.reason)),
    };
    let [binary, sum] = check::executor_paths(spec);
    let of = |path: &str| git_index::tracked(&index, path.strip_prefix(folder).unwrap_or(path));
    let both = of(&binary).and_then(|binary| Ok([binary, of(&sum)?]));
    Some(both)
}

/// The lock of upstream refs beside the spec, or in the working directory: it says what pins mean, whatever was asked for.
fn lock_beside(spec: Option<&Spec>, files: &dyn Files) -> Option<(String, Standing)> {
    let folder = spec.map_or("", |spec| spec.folder());
    let path = format!("{folder}{LOCK_FILE}");
    (files.kind(&path) == Some(FileKind::File)).then_some((path, Standing::Found))
}

/// What is written down of the repository beside the spec: its workflows' states, say, or how it makes its subjects.
fn facts_beside<'a>(
    spec: Option<&'a Spec>,
    files: &'a dyn Files,
) -> impl Iterator<Item = (String, Standing)> + 'a {
    let beside = |spec: &'a Spec| {
        [REPOSITORY_FILE, SUBJECT_FILE].map(|name| format!("{}{name}", spec.folder()))
    };
    let paths = spec.map(beside).into_iter().flatten();
    let there = paths.filter(|path| files.kind(path) == Some(FileKind::File));
    there.map(|path| (path, Standing::Found))
}

/// The ledger, where a plan may be among what was asked for: it says when the last switch was.
fn ledger_beside(
    request: &Request,
    found: &[(String, Standing)],
    spec: Option<&Spec>,
    files: &dyn Files,
) -> Vec<(String, Standing)> {
    let mut paths = found.iter().map(|(path, _)| path);
    let spec =
        spec.filter(|_| !request.paths.is_empty() && paths.any(|path| path.ends_with(".json")));
    let ledger = spec.map(check::ledger);
    let there = ledger.filter(|ledger| files.kind(ledger) == Some(FileKind::Folder));
    let paths = there.map(|ledger| files.walk(&ledger, true).0);
    let paths = paths.into_iter().flatten();
    paths.map(|path| (path, Standing::Context)).collect()
}

/// The files beside a Terraform file or a monitor: without them no local or variable of the module, and no notification
/// that is declared there, is known.
fn context_of(path: &str, files: &dyn Files) -> Vec<(String, Standing)> {
    let terraform = |name: &str| {
        let name = name.strip_suffix(".json").unwrap_or(name);
        name.ends_with(".tf") || name.ends_with(".tfvars")
    };
    let yaml = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
    let alike = |name: &str| (terraform(path) && terraform(name)) || (yaml(path) && yaml(name));
    if !alike(path) {
        return Vec::new();
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = |other: &String| {
        let same_folder = other.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
        same_folder && alike(other)
    };
    let others = files.walk(folder, true).0.into_iter().filter(beside);
    others.map(|path| (path, Standing::Context)).collect()
}

/// A folder to walk (false), or a file that was named (true).
type Start = (String, bool);

/// Where to look, and the paths that were named and are not there: the others are checked all the same.
fn starts(
    request: &Request,
    spec: Option<&Spec>,
    files: &dyn Files,
) -> (Vec<Start>, Vec<FileFault>) {
    let (mut starts, mut missing) = (Vec::new(), Vec::new());
    for path in request.paths.iter().map(|path| normal(path, &request.here)) {
        match files.kind(&path) {
            Some(FileKind::Folder) => starts.push((path, false)),
            Some(FileKind::File | FileKind::Other) => starts.push((path, true)),
            None => {
                let reason = "there is no such file or folder".to_owned();
                missing.push(FileFault {
                    path,
                    reason,
                    missing: true,
                });
            }
        }
    }
    if request.paths.is_empty() {
        let Some(spec) = spec else {
            return (vec![(String::new(), false)], missing);
        };
        let artefacts = &spec.artefacts;
        let folders = [
            &artefacts.policies,
            &artefacts.terraform,
            &artefacts.monitors,
            &artefacts.kubernetes,
        ];
        let beside = [spec.workflow_folder(), check::ledger(spec)];
        let folders = folders.into_iter().cloned().chain(beside);
        let there = folders.filter(|folder| files.kind(folder).is_some());
        starts.extend(there.map(|folder| (folder, false)));
    }
    (starts, missing)
}

/// The path as it is shown; `-` is standard input. Without `./`, `x/..` and doubled or final slashes; a path below the working directory `here` is counted from it, however
/// it was written.
pub(super) fn normal(path: &str, here: &str) -> String {
    if path == "-" {
        return STDIN.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in path
        .split('/')
        .filter(|step| !step.is_empty() && *step != ".")
    {
        let goes_up = step == ".." && steps.last().is_some_and(|last| *last != "..");
        if goes_up {
            steps.pop();
        } else {
            steps.push(step);
        }
    }
    let joined = steps.join("/");
    if absolute {
        return below(&format!("/{joined}"), here);
    }
    // `../here/x` is `x`.
    let up = steps.iter().take_while(|step| **step == "..").count();
    let rest = steps.get(up..).unwrap_or(&[]);
    let names: Vec<&str> = here.split('/').filter(|step| !step.is_empty()).collect();
    let over = names.get(names.len().saturating_sub(up)..).unwrap_or(&[]);
    match rest.get(..up) {
        Some(begin) if up > 0 && begin == over => rest.get(up..).unwrap_or(&[]).join("/"),
        _ => joined,
    }
}

/// `path` counted from the folder `here`, where it lies below it.
fn below(path: &str, here: &str) -> String {
    match path.strip_prefix(here) {
        Some("") => String::new(),
        Some(rest) if rest.starts_with('/') && here.len() > 1 => {
            rest.trim_start_matches('/').to_owned()
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn paths_are_counted_from_the_working_directory_however_they_are_written() {
        let normal = |path| normal(path, "/home/me/repo");
        assert_eq!(normal("./a//b/"), "a/b");
        assert_eq!(normal("."), "");
        assert_eq!(normal("a/../b"), "b");
        assert_eq!(normal("/home/me/repo/policies/x.json"), "policies/x.json");
        assert_eq!(normal("/home/me/repo"), "");
        assert_eq!(normal("/home/me/repository/x"), "/home/me/repository/x");
        assert_eq!(normal("../repo/policies"), "policies");
        assert_eq!(normal("../../me/repo/a"), "a");
        assert_eq!(normal("../a"), "../a");
        assert_eq!(normal("-"), "<stdin>");
        assert_eq!(normal("./-"), "-");
    }
}
