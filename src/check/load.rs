//! Files to models: recognises what each file is and reads it, or says why it could not.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Finding, Undecided, Unread};
use crate::generate;
use crate::model::calendar::Day;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::spec::{self, Spec};
use crate::model::trust::Repository;
use crate::rules::{Artefact, Role, Subject, Workspace};
use crate::syntax::hcl::HclFile;
use crate::syntax::{Parsed, json};
use crate::terraform::{DataFile, Library, Ownership};
use crate::text::{FileId, STDIN, SourceMap, Span, byte_for_byte, quoted};

use super::load_facts::{is_lock, may_be_facts};
use super::roles;
use super::suppress::Suppression;

/// Larger files are refused: reading takes up to 45 times their size in memory.
pub(super) const MAX_BYTES: usize = 8 * 1024 * 1024;
/// JSON is read in a fraction of that memory; plans and exported policies are large.
const MAX_JSON_BYTES: usize = 32 * 1024 * 1024;

/// What is said of a file that was named, and is nothing that is known.
const NOT_KNOWN: &str = "not a kind of file that is known here; known are .json, .jsonl, .tf, .yml, .yaml, .sh and pointsman.toml";

/// Why a file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It was named, so it must be what it is taken for.
    Named,
    /// It was found below a folder.
    Found,
    /// It belongs to the module of a file that was named: it says what names mean, and is not judged itself.
    Context,
    /// A function of a module may read it; it is nothing by itself.
    Data,
    /// A symbolic link that functions of modules do not follow; why is in the place of its bytes.
    Link,
}

/// A file to look at.
#[derive(Debug)]
pub struct Input {
    /// Its path as it is shown.
    pub path: String,
    /// Its bytes, or why they could not be had.
    pub bytes: Result<Vec<u8>, String>,
    /// Why it is looked at.
    pub standing: Standing,
}

/// What to look for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Only this subject; everything that is recognised when absent.
    pub subject: Option<Subject>,
    /// What kind of policies they are; recognised when absent.
    pub policy_kind: Option<PolicyKind>,
    /// Whether the inputs are all that there is of the subject, so that what is not among them is missing.
    pub whole: bool,
    /// The day of the run; `None` where it is not known.
    pub today: Option<Day>,
}

/// Everything that was read, ready for the rules.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The files.
    pub sources: SourceMap,
    /// The models.
    pub workspace: Workspace,
    /// Suppressions from comments and from the spec.
    pub suppressions: Vec<Suppression>,
    /// What reading itself found.
    pub findings: Vec<Finding>,
    /// What is not known.
    pub undecided: Vec<Undecided>,
    /// Policies of modules that are not known at all, each of which is told whatever else is.
    pub unresolved: Vec<Undecided>,
    /// What could not be read.
    pub unread: Vec<Unread>,
    /// Terraform files by folder, until all are there.
    pub(super) folders: BTreeMap<String, Vec<(String, HclFile)>>,
    /// Files that functions of modules may read, and that are nothing by themselves.
    pub(super) data: BTreeMap<String, DataFile>,
    /// Files that functions of modules may read, and that are read as what they are, too.
    pub(super) texts: BTreeMap<String, FileId>,
    /// The Terraform modules, and what they may read.
    pub library: Library,
    /// What others than Terraform write, by the folder of the file that says so.
    pub(super) owned: Vec<(String, Ownership)>,
    /// Whether there is a spec, without which a manifest says nothing.
    pub(super) with_spec: bool,
    /// Number of files that were recognised, those that could not be read among them.
    pub files: usize,
    /// What the run is narrowed to.
    pub subject: Option<Subject>,
    /// Files that are not judged themselves.
    pub context_files: BTreeSet<FileId>,
    /// The spec's own artefacts, in which weaknesses are errors.
    pub spec_files: BTreeSet<FileId>,
}

/// Whether the file at `path` is worth reading: it was named, or has the ending of something that is known here.
#[must_use]
pub fn is_candidate(path: &str, named: bool) -> bool {
    named || Language::of(path).is_some()
}

/// Reads `inputs`. `sources` already holds the spec's file, if there is a spec.
#[must_use]
pub fn load(
    sources: SourceMap,
    spec: Option<Spec>,
    inputs: Vec<Input>,
    options: Options,
) -> Loaded {
    let mut loaded = Loaded {
        sources,
        subject: options.subject,
        with_spec: spec.is_some(),
        ..Loaded::default()
    };
    if let Some(spec) = &spec {
        loaded.suppressions = Suppression::from_spec(spec);
        loaded.files = 1;
        loaded.note_spec(spec);
    }
    for input in inputs {
        loaded.take(input, spec.as_ref(), options);
    }
    loaded.add_modules(spec.as_ref(), options);
    loaded.add_plans(spec.as_ref(), options);
    if let Some(spec) = &spec {
        loaded.call_by_the_spec(spec);
    }
    loaded.workspace.owned = std::mem::take(&mut loaded.owned)
        .into_iter()
        .map(|(_, ownership)| ownership)
        .collect();
    // With a spec, facts that lie about are nobody's business.
    let of_facts = || {
        loaded
            .workspace
            .facts
            .first()
            .and_then(Repository::of_facts)
    };
    let workflow_name = |spec: &Spec| {
        let path = spec.workflow_path();
        let mut workflows = loaded.workspace.workflows.iter();
        let own = workflows.find(|artefact| artefact.model.path == path)?;
        own.model.name.as_ref().map(|name| name.as_str().to_owned())
    };
    let of_spec = |spec: &Spec| Repository {
        workflow_name: workflow_name(spec),
        ..Repository::of_spec(spec)
    };
    let repository = spec.as_ref().map(of_spec).or_else(of_facts);
    loaded.workspace.repository = repository.map(|repository| Repository {
        day: options.today,
        ..repository
    });
    loaded.workspace.spec = spec;
    loaded.workspace.whole = options.whole && options.subject.is_none();
    loaded.workspace.today = options.today;
    loaded.workspace.wholly = options.subject.filter(|_| options.whole);
    let unread = loaded.unread.iter().map(|unread| unread.path.clone());
    loaded.workspace.unread = unread.collect();
    let beside = loaded.workspace.unread_beside.iter().cloned();
    loaded.workspace.unread.extend(beside);
    loaded
}

impl Loaded {
    fn take(&mut self, input: Input, spec: Option<&Spec>, options: Options) {
        let Some(input) = self.take_executor(input, spec) else {
            return;
        };
        let Input {
            path,
            bytes,
            standing,
        } = input;
        self.note_sum(&path, &bytes, spec);
        if matches!(standing, Standing::Data | Standing::Link) {
            return self.take_beside_module(path, bytes, standing);
        }
        let named = standing == Standing::Named;
        let role = spec.and_then(|spec| roles::of_path(spec, &path));
        if spec.is_some_and(|spec| is_of_the_spec(self.sources.path(spec.at("").file), &path)) {
            return;
        }
        let language = Language::of(&path).or(Language::of_named(&path).filter(|_| named));
        let is_nothing = language.is_none() && !named;
        if is_nothing || self.is_apart(language, &path, named, options) {
            return;
        }
        self.workspace.paths.insert(path.clone());
        // A file beside the one that was named is nobody's business but that of the rules that need it.
        let is_beside = standing == Standing::Context && matches!(language, Some(Language::Yaml));
        let bytes = bytes.map_err(|reason| (reason, None));
        let text = match bytes.and_then(|bytes| decoded(&path, bytes, &mut self.sources)) {
            Ok(text) => text,
            Err(_) if is_beside => {
                self.workspace.unread_beside.insert(path);
                return;
            }
            Err((reason, at)) => {
                let absent = DataFile::Absent(reason.clone());
                self.data.insert(path.clone(), absent);
                self.unread.push(Unread { path, reason, at });
                self.files += usize::from(standing != Standing::Context);
                return;
            }
        };
        let file = self.add_text(&path, text);
        let told = self.unread.len();
        let known = if Self::is_rehearsal(&path, spec, standing) {
            self.take_rehearsal(file, &path);
            options.subject.is_none()
        } else {
            self.take_as(language, file, &path, (standing, role), options)
        };
        if is_beside {
            let unread = self.unread.split_off(told).into_iter();
            let paths = unread.map(|unread| unread.path);
            self.workspace.unread_beside.extend(paths);
        }
        if standing == Standing::Context {
            self.context_files.insert(file);
        } else if known {
            self.files += 1;
            if role.is_some() {
                self.spec_files.insert(file);
            }
        }
    }

    /// Whether a file in this language is none of the run's business; of one that was named this is said.
    fn is_apart(
        &mut self,
        language: Option<Language>,
        path: &str,
        named: bool,
        options: Options,
    ) -> bool {
        let (Some(language), Some(subject)) = (language, options.subject) else {
            return false;
        };
        if language.may_hold(subject) || may_be_facts(path) {
            return false;
        }
        let unread = named.then(|| Unread {
            path: path.to_owned(),
            reason: not_held(language, subject),
            at: None,
        });
        self.unread.extend(unread);
        true
    }

    /// Whether the file is something that is judged, or could not be read.
    fn take_as(
        &mut self,
        language: Option<Language>,
        file: FileId,
        path: &str,
        (standing, role): (Standing, Option<Role>),
        options: Options,
    ) -> bool {
        match language {
            Some(Language::Lock) => {
                self.take_lock(file, path);
                options.subject.is_none()
            }
            Some(Language::Json) => self.take_facts_or_json(file, path, standing, role, options),
            Some(Language::JsonLines) => {
                self.take_json(file, standing, role, options, json::read_all)
            }
            Some(Language::Terraform) => self.take_terraform(file, path, options),
            Some(Language::Yaml) => self.take_yaml(file, path, standing, role, options),
            Some(Language::Script) => self.take_script(file, path, standing, options),
            None => {
                self.unread(file, None, NOT_KNOWN.to_owned());
                false
            }
        }
    }

    /// Whether it is something that is judged, or could not be read; facts are where nothing else was asked for.
    fn take_facts_or_json(
        &mut self,
        file: FileId,
        path: &str,
        standing: Standing,
        role: Option<Role>,
        options: Options,
    ) -> bool {
        if may_be_facts(path) && self.take_facts(file, path) {
            return options.subject.is_none();
        }
        let may_hold = |subject| Language::Json.may_hold(subject);
        options.subject.is_none_or(may_hold)
            && self.take_json(file, standing, role, options, json::read)
    }

    /// A file that is read as what it is, and that functions of modules may read, too.
    fn add_text(&mut self, path: &str, text: String) -> FileId {
        let file = self.sources.add(path, text);
        self.texts.insert(path.to_owned(), file);
        file
    }

    /// Takes a policy in, and says which of its parts are not known.
    pub(super) fn add_policy(&mut self, policy: PolicyDocument, role: Option<Role>) {
        let what = match &policy.address {
            Some(address) => format!("the policy of `{address}`"),
            None => "the policy".to_owned(),
        };
        for part in &policy.unknown {
            self.undecided.push(Undecided {
                what: format!("{what} at `{}`", policy.from_its_file(&part.pointer)),
                why: part.unknown.why.clone(),
                at: part.at,
                missing: part.unknown.missing.clone(),
            });
        }
        for (value, at) in policy.unfilled_variables() {
            let name = value.text.as_str().get(at.clone()).unwrap_or_default();
            self.undecided.push(Undecided {
                what: format!(
                    "{what} at `{}`",
                    policy.from_its_file(&value.pointer.to_string())
                ),
                why: format!(
                    "{} is no policy variable, whose names have a colon: a template was not filled in",
                    quoted(name)
                ),
                at: value.text.span_of(at),
                missing: Vec::new(),
            });
        }
        self.workspace.policies.push(Artefact {
            model: policy,
            role,
        });
    }

    /// Says what could not be read; whether there was anything.
    pub(super) fn faults(&mut self, file: FileId, parsed: &Parsed) -> bool {
        for fault in &parsed.faults {
            self.unread(file, Some(fault.at), fault.reason.clone());
        }
        !parsed.faults.is_empty()
    }

    pub(super) fn unread(&mut self, file: FileId, at: Option<Span>, reason: String) {
        self.unread.push(Unread {
            path: self.sources.path(file).to_owned(),
            reason,
            at,
        });
    }
}

/// Whether it is the spec's own file, its schema or the list of what was generated: those are read before, or checked by
/// `generate`.
fn is_of_the_spec(own: &str, path: &str) -> bool {
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (beside, name) = path.rsplit_once('/').unwrap_or(("", path));
    path == own || beside == folder && [spec::SCHEMA_FILE, generate::LOCK_FILE].contains(&name)
}

#[derive(Clone, Copy)]
enum Language {
    Lock,
    Json,
    /// Several JSON documents one behind another.
    JsonLines,
    Terraform,
    Yaml,
    /// A script for the shell.
    Script,
}

impl Language {
    /// Whether a file in this language can hold such a subject; policies stand in Terraform too.
    fn may_hold(self, subject: Subject) -> bool {
        match self {
            Self::Lock => subject == Subject::Workflow,
            Self::Json => matches!(
                subject,
                Subject::Policy | Subject::Trust | Subject::Terraform | Subject::Monitors
            ),
            Self::Script => false,
            Self::JsonLines => matches!(subject, Subject::Policy | Subject::Trust),
            Self::Terraform => {
                matches!(
                    subject,
                    Subject::Terraform | Subject::Policy | Subject::Trust
                )
            }
            Self::Yaml => matches!(
                subject,
                Subject::Workflow | Subject::Monitors | Subject::Kubernetes
            ),
        }
    }

    /// The language of what is looked at only when it is named: data in lines, and what comes in at standard input.
    fn of_named(path: &str) -> Option<Self> {
        let lines = path.ends_with(".jsonl") || path.ends_with(".ndjson");
        (lines || path == STDIN).then_some(Self::JsonLines)
    }

    fn of(path: &str) -> Option<Self> {
        if is_lock(path) {
            return Some(Self::Lock);
        }
        let (_, extension) = path.rsplit_once('.')?;
        match extension {
            "tf" | "tfvars" => Some(Self::Terraform),
            "json" if path.ends_with(".tf.json") || path.ends_with(".tfvars.json") => {
                Some(Self::Terraform)
            }
            "json" => Some(Self::Json),
            "yml" | "yaml" => Some(Self::Yaml),
            "sh" | "bash" => Some(Self::Script),
            _ => None,
        }
    }
}

/// Why a file that was named is not read for `subject`.
fn not_held(language: Language, subject: Subject) -> String {
    let policy = matches!(subject, Subject::Policy | Subject::Trust);
    if policy && matches!(language, Language::Yaml) {
        return format!(
            "such a file holds no {}; write the policy as JSON, as AWS takes it, or in Terraform",
            subject.noun()
        );
    }
    format!("such a file holds no {}", subject.noun())
}

/// The most bytes that are read of the file at `path`.
fn most_bytes(path: &str) -> usize {
    match Language::of(path).or(Language::of_named(path)) {
        Some(Language::Json | Language::JsonLines) => MAX_JSON_BYTES,
        _ => MAX_BYTES,
    }
}

/// A text, or why and where it is none: too long, or not UTF-8. What stands before the first wrong byte is shown as it is written, each wrong
/// byte as `?`, so that places are those of the file.
///
/// # Errors
/// The reason, and its place if it has one.
pub fn decoded(
    path: &str,
    bytes: Vec<u8>,
    sources: &mut SourceMap,
) -> Result<String, (String, Option<Span>)> {
    let most = most_bytes(path);
    if bytes.len() > most {
        let length = bytes.len();
        let reason = format!("{length} bytes; files over {most} bytes are not read");
        return Err((reason, None));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let first = error.as_bytes().get(at).copied().unwrap_or_default();
        let file = sources.add(path, byte_for_byte(error.as_bytes()));
        let reason = format!("byte {first:#04x} is not UTF-8; save the file as UTF-8");
        (reason, Some(Span::new(file, at, at + 1)))
    })
}
