//! A job of the committed workflow as a rehearsal plays it: step after step, each as far as it is understood. What is not
//! understood is kept with its words, and leaves the link undecided.
//!
//! Source: GitHub Docs, "Workflow syntax for GitHub Actions"; README of aws-actions/configure-aws-credentials v6.

use std::time::Duration;

use crate::iam::{Compiled, NamedPolicy, Policies};
use crate::model::session;
use crate::model::spec::{CHECKOUT, CREDENTIALS, Spec};
use crate::model::workflow::{Access, Job, Step, Uses, Variable, Workflow, embedded, variable};
use crate::rules::Workspace;
use crate::syntax::Node;
use crate::text::Text;

use super::command::{Command, commands};

/// What the workflow says of the job that runs the executor.
#[derive(Debug, Clone, Default)]
pub(super) struct JobRules {
    /// Its `if`.
    pub condition: Option<String>,
    /// Whether it may ask for a token; `None`: that is not known.
    pub token: Option<bool>,
    /// After how long it is ended.
    pub timeout: Option<Duration>,
    /// Its environment, which is part of the subject.
    pub environment: Option<String>,
    /// Its steps.
    pub steps: Vec<PlayedStep>,
    /// Why it never begins: a job that it needs fails.
    pub barred: Option<String>,
    /// What of it is not rehearsed.
    pub open: Vec<String>,
}

/// A step that is played.
#[derive(Debug, Clone, Default)]
pub(super) struct PlayedStep {
    /// What it is called in what is told.
    pub name: String,
    /// Its `if`.
    pub condition: Option<String>,
    /// Whether the job goes on when it fails.
    pub goes_on: bool,
    /// What it does, in order.
    pub does: Vec<Does>,
}

/// Something that a step does.
#[derive(Debug, Clone)]
pub(super) enum Does {
    /// Fetches the repository.
    Fetch,
    /// Borrows the role.
    Borrow(Box<Loan>),
    /// Runs a command.
    Run(Command),
    /// Runs the executor, with this pin.
    Execute(Pin),
}

/// What the executor is handed as its pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pin {
    /// Nothing.
    None,
    /// The repository's variable.
    Variable,
    /// These letters.
    Literal(String),
}

/// With what the role is borrowed.
#[derive(Debug, Clone)]
pub(super) struct Loan {
    /// The role's ARN.
    pub role: String,
    /// The audience of the token.
    pub audience: Option<String>,
    /// How many seconds the session lasts, as it is written.
    pub seconds: String,
    /// The name of the session.
    pub session: String,
    /// The session's policy, and its text.
    pub policy: Option<(String, Option<Compiled>)>,
}

impl Loan {
    /// As the action borrows a role that nothing else is said of.
    #[must_use]
    pub(super) fn of(role: String) -> Self {
        Self {
            role,
            audience: None,
            seconds: "3600".to_owned(),
            session: "GitHubActions".to_owned(),
            policy: None,
        }
    }
}

/// Runners of GitHub that run what is built for Linux on x86.
const RUNNERS: [&str; 3] = ["ubuntu-24.04", "ubuntu-22.04", "ubuntu-latest"];

/// Keys of a job that are played, or that change nothing of the switch.
const JOB_KEYS: [&str; 13] = [
    "name",
    "if",
    "runs-on",
    "timeout-minutes",
    "environment",
    "needs",
    "permissions",
    "concurrency",
    "env",
    "steps",
    "continue-on-error",
    "outputs",
    "defaults",
];

/// Keys of a step that are played.
const STEP_KEYS: [&str; 9] = [
    "name",
    "id",
    "if",
    "uses",
    "with",
    "run",
    "env",
    "shell",
    "continue-on-error",
];

/// Inputs of the checkout that leave the repository where it is.
const CHECKOUT_INPUTS: [&str; 5] = [
    "persist-credentials",
    "fetch-depth",
    "fetch-tags",
    "show-progress",
    "clean",
];

/// Inputs of the borrowing action that are played, or that change nothing of the session.
const LOAN_INPUTS: [&str; 8] = [
    "role-to-assume",
    "role-duration-seconds",
    "role-session-name",
    "aws-region",
    "audience",
    "inline-session-policy",
    "mask-aws-account-id",
    "output-credentials",
];

/// Variables by which the environment decides what runs, or as whom.
const DECIDING: [&str; 3] = ["PATH", "BASH_ENV", "ENV"];

impl JobRules {
    /// The rules of a committed workflow.
    #[must_use]
    pub(super) fn of(spec: &Spec, workspace: &Workspace, workflow: &Workflow) -> Self {
        let runs = |job: &&Job| {
            let mut scripts = job.steps.iter().filter_map(|step| step.run.as_ref());
            scripts.any(|script| commands(script.as_str()).iter().any(Command::is_executor))
        };
        let job = workflow.jobs.iter().find(runs);
        let Some(job) = job.or_else(|| workflow.jobs.first()) else {
            return Self::default();
        };
        let mut reader = Reader {
            spec,
            workspace,
            workflow,
            open: Vec::new(),
        };
        let mut rules = reader.job(job);
        rules.barred = reader.needs(job);
        rules.open = reader.open;
        rules
    }

    /// Whether one of its steps borrows this role.
    #[must_use]
    pub(super) fn borrows(&self, role: &str) -> bool {
        let mut all = self.steps.iter().flat_map(|step| &step.does);
        all.any(|does| matches!(does, Does::Borrow(loan) if loan.role == role))
    }

    /// What the session is called for which the role is borrowed.
    #[must_use]
    pub(super) fn session(&self) -> &str {
        let mut all = self.steps.iter().flat_map(|step| &step.does);
        let loan = all.find_map(|does| match does {
            Does::Borrow(loan) => Some(loan.session.as_str()),
            Does::Fetch | Does::Run(_) | Does::Execute(_) => None,
        });
        loan.unwrap_or("GitHubActions")
    }

    /// The job as it is generated.
    #[must_use]
    pub(super) fn generated(spec: &Spec) -> Self {
        let step = |name: &str, does: Does| PlayedStep {
            name: name.to_owned(),
            does: vec![does],
            ..PlayedStep::default()
        };
        Self {
            token: Some(true),
            environment: spec.github.environment.clone(),
            timeout: Some(Duration::from_secs(
                u64::from(spec.github.job_timeout_minutes) * 60,
            )),
            steps: vec![
                step("Fetch the repository", Does::Fetch),
                step(
                    "Borrow the role",
                    Does::Borrow(Box::new(Loan::of(spec.role_arn()))),
                ),
                step("Check the executor", Does::Run(Command::Check)),
                step("Switch if need be", Does::Execute(Pin::Variable)),
            ],
            ..Self::default()
        }
    }
}

/// Reads a job, and keeps what it does not understand.
struct Reader<'a> {
    spec: &'a Spec,
    workspace: &'a Workspace,
    workflow: &'a Workflow,
    open: Vec<String>,
}

impl Reader<'_> {
    fn doubt(&mut self, told: impl Into<String>) {
        let told = told.into();
        if !self.open.contains(&told) {
            self.open.push(told);
        }
    }

    fn job(&mut self, job: &Job) -> JobRules {
        let id = job.id.as_str();
        let text = |text: &Option<Text>| text.as_ref().map(|text| text.as_str().to_owned());
        for key in self.keys(&["jobs", id], &JOB_KEYS) {
            self.doubt(format!("what `{key}` does to its job"));
        }
        let own = self.workflow.root.get("jobs");
        let own = own.and_then(|jobs| jobs.get(id)?.get("defaults"));
        for defaults in [self.workflow.root.get("defaults"), own] {
            let run = defaults.and_then(|defaults| defaults.get("run"));
            let beside = others(defaults, &["run"]).into_iter();
            for key in beside.chain(others(run, &["shell", "working-directory"])) {
                self.doubt(format!("what `{key}` of `defaults` does to its steps"));
            }
        }
        let runner: Vec<&str> = job.runs_on.iter().map(Text::as_str).collect();
        if !matches!(runner.as_slice(), [one] if RUNNERS.contains(one)) {
            self.doubt(format!(
                "whether a runner `{}` takes its job",
                runner.join(", ")
            ));
        }
        let minutes = text(&job.timeout);
        let timeout = minutes.as_ref().and_then(|text| text.parse::<u64>().ok());
        if let Some(written) = minutes.filter(|_| timeout.is_none()) {
            self.doubt(format!(
                "after how long a `timeout-minutes` of `{written}` ends it"
            ));
        }
        let environment = text(&job.environment);
        if let Some(name) = environment.as_ref().filter(|name| name.contains("${{")) {
            self.doubt(format!("which environment `{name}` is"));
        }
        let permissions = self.workflow.permissions_of(job);
        let access = |scope: &str| match permissions {
            Some(permissions) => permissions.access(scope),
            None => None,
        };
        let token = match permissions {
            Some(_) => access("id-token").map(|it| it == Access::Write),
            None => Some(false),
        };
        if token.is_none() {
            self.doubt("whether its job may ask for a token");
        }
        let reads =
            permissions.is_none() || access("contents").is_some_and(|it| it != Access::None);
        let steps = job.steps.iter().enumerate();
        JobRules {
            condition: text(&job.condition),
            token,
            timeout: timeout.map(|minutes| Duration::from_secs(minutes * 60)),
            environment,
            steps: steps
                .map(|(place, step)| self.step(job, place, step, reads))
                .collect(),
            ..JobRules::default()
        }
    }

    /// Keys at a place of the file that are none of these.
    fn keys(&self, path: &[&str], known: &[&str]) -> Vec<String> {
        let mut node = Some(&self.workflow.root);
        for step in path {
            node = node.and_then(|node| node.get(step));
        }
        others(node, known)
    }

    fn step(&mut self, job: &Job, place: usize, step: &Step, reads: bool) -> PlayedStep {
        let text = |text: &Option<Text>| text.as_ref().map(|text| text.as_str().to_owned());
        let name = text(&step.name)
            .or_else(|| step.uses.as_ref().map(|uses| uses.text.as_str().to_owned()))
            .or_else(|| text(&step.run))
            .unwrap_or_default();
        let name = name.lines().next().unwrap_or_default().trim().to_owned();
        let node = self.workflow.root.get("jobs");
        let node = node.and_then(|jobs| jobs.get(job.id.as_str())?.get("steps"));
        let node = node.and_then(Node::as_list).and_then(|all| all.get(place));
        let folder = self.folder(job, node);
        for key in others(node, &STEP_KEYS) {
            if key != "working-directory" {
                self.doubt(format!("what `{key}` does to the step `{name}`"));
            }
        }
        for variable in [&self.workflow.env, &job.env, &step.env]
            .into_iter()
            .flatten()
        {
            let key = variable.name.as_str();
            let begins = |start: &&str| key.starts_with(*start);
            let decides = ["AWS_", "ACTIONS_", "GITHUB_", "RUNNER_", "LD_"]
                .iter()
                .any(begins);
            if decides || DECIDING.contains(&key) {
                self.doubt(format!(
                    "what the variable `{key}` does to the step `{name}`"
                ));
            }
        }
        let goes_on = match text(&step.continue_on_error).as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => {
                self.doubt(format!(
                    "whether `{other}` lets the job go on after the step `{name}`"
                ));
                false
            }
        };
        let does = match (&step.uses, &step.run) {
            (Some(uses), _) => self.uses(uses, step, &name, reads),
            (None, Some(script)) => self.script(script, job, step, &name, folder.as_deref()),
            (None, None) => Vec::new(),
        };
        PlayedStep {
            name,
            condition: text(&step.condition),
            goes_on,
            does,
        }
    }

    /// Where a step runs: its own `working-directory`, else that of its job's or of the workflow's `defaults`.
    fn folder(&self, job: &Job, step: Option<&Node>) -> Option<String> {
        let root = &self.workflow.root;
        let own = root
            .get("jobs")
            .and_then(|jobs| jobs.get(job.id.as_str())?.get("defaults"));
        let defaults = [own, root.get("defaults")].into_iter();
        let runs = defaults.map(|defaults| defaults.and_then(|it| it.get("run")));
        let mut all = [step].into_iter().chain(runs).flatten();
        let found = all.find_map(|node| node.get("working-directory"))?;
        found.as_str().map(str::to_owned)
    }

    fn uses(&mut self, uses: &Uses, step: &Step, name: &str, reads: bool) -> Vec<Does> {
        let Some(action) = uses.repository() else {
            self.doubt(format!("what `{}` does", uses.text.as_str()));
            return Vec::new();
        };
        let is = |name: &str| action.eq_ignore_ascii_case(name);
        if !is(CHECKOUT) && !is(CREDENTIALS) {
            self.doubt(format!("what the action `{action}` does"));
            return Vec::new();
        }
        if !self.knows(&action, uses) {
            let commit = uses.reference().unwrap_or_default();
            self.doubt(format!(
                "whether `{commit}` of `{action}` is there, and what it does: it is neither in the spec nor in `pins.lock`"
            ));
        }
        if is(CHECKOUT) {
            if !reads {
                self.doubt("whether the repository can be fetched without `contents: read`: a private one cannot");
            }
            self.inputs(&step.with, &CHECKOUT_INPUTS, name);
            return vec![Does::Fetch];
        }
        self.inputs(&step.with, &LOAN_INPUTS, name);
        vec![Does::Borrow(Box::new(self.loan(&step.with, name)))]
    }

    /// Whether a commit of an action is one that the spec names or the lock has seen.
    fn knows(&self, action: &str, uses: &Uses) -> bool {
        let Some(commit) = uses.reference().map(str::to_ascii_lowercase) else {
            return false;
        };
        let own = self.spec.actions.iter();
        let mut own = own.filter(|it| it.uses.eq_ignore_ascii_case(action));
        let seen = self.workspace.locks.iter().any(|lock| {
            let upstream = lock.repositories.get(&action.to_ascii_lowercase());
            upstream.is_some_and(|upstream| upstream.tags.values().any(|tag| tag.commit == commit))
        });
        seen || own.any(|it| it.commit == commit)
    }

    fn inputs(&mut self, with: &[Variable], known: &[&str], name: &str) {
        for input in with {
            let key = input.name.as_str();
            let value = input.value.as_ref().map_or("", Text::as_str);
            let own = self.spec.is_own_checkout(key, value);
            if !own && !known.iter().any(|known| known.eq_ignore_ascii_case(key)) {
                self.doubt(format!("what `{key}` does to the step `{name}`"));
            }
        }
    }

    fn loan(&mut self, with: &[Variable], name: &str) -> Loan {
        let own = self.spec.role_arn();
        let mut input = |key: &str| {
            let value = variable(with, key)?.value.as_ref()?;
            if embedded(value.as_str()).is_empty() {
                return Some(value.clone());
            }
            self.doubt(format!("what `{}` is in the step `{name}`", value.as_str()));
            None
        };
        let plain = |value: Option<Text>| value.map(|value| value.as_str().to_owned());
        let role = plain(input("role-to-assume"));
        let mut loan = Loan::of(role.unwrap_or(own));
        loan.audience = plain(input("audience"));
        if let Some(seconds) = plain(input("role-duration-seconds")) {
            loan.seconds = seconds;
        }
        let session = plain(input("role-session-name"));
        if let Some(session) = session.filter(|name| !name.is_empty()) {
            loan.session = session;
        }
        let region = plain(input("aws-region"));
        loan.policy = input("inline-session-policy").map(|text| {
            let compiled = session_policy(&text);
            (text.as_str().to_owned(), compiled)
        });
        if region.as_ref() != Some(&self.spec.aws.sts_region) {
            let region = region.unwrap_or_default();
            self.doubt(format!(
                "whether STS answers in the region `{region}`: the spec's is `{}`",
                self.spec.aws.sts_region
            ));
        }
        loan
    }

    fn script(
        &mut self,
        script: &Text,
        job: &Job,
        step: &Step,
        name: &str,
        folder: Option<&str>,
    ) -> Vec<Does> {
        let shell = step.shell.as_ref().or(job.shell.as_ref());
        if let Some(shell) = shell.filter(|shell| !["bash", "sh"].contains(&shell.as_str())) {
            self.doubt(format!(
                "what the shell `{}` makes of the step `{name}`",
                shell.as_str()
            ));
        }
        let elsewhere = folder.filter(|folder| !["", ".", "./"].contains(folder));
        let mut does = Vec::new();
        for command in commands(script.as_str()) {
            if let Command::Unknown { text, .. } = &command {
                self.doubt(format!("what `{text}` does in the step `{name}`"));
            }
            if let Some(folder) = elsewhere.filter(|_| command.is_of_the_repository()) {
                let told = format!(
                    "with `working-directory: {folder}` it looks for `{folder}/bin/`, where there is none"
                );
                does.push(Does::Run(Command::Fails(told)));
                break;
            }
            does.push(match &command {
                Command::Execute | Command::Unknown { executes: true, .. } => {
                    Does::Execute(self.pin(job, step))
                }
                Command::Check | Command::Nothing | Command::Fails(_) | Command::Unknown { .. } => {
                    Does::Run(command)
                }
            });
        }
        does
    }

    /// The pin of a step: its own variable before those of the job and of the workflow.
    fn pin(&mut self, job: &Job, step: &Step) -> Pin {
        let name = self.spec.github.variable.as_str();
        let places = [&step.env, &job.env, &self.workflow.env];
        let own = places.into_iter().find_map(|env| variable(env, name));
        let Some(value) = own.and_then(|own| own.value.as_ref()) else {
            return Pin::None;
        };
        let written = value.as_str();
        let parts = embedded(written);
        let inner = match parts.as_slice() {
            [] if written.is_empty() => return Pin::None,
            [] => return Pin::Literal(written.to_owned()),
            [only] if only.whole == (0..written.len()) => written.get(only.inner.clone()),
            _ => None,
        };
        if inner.map(str::trim) != Some(format!("vars.{name}").as_str()) {
            self.doubt(format!("what `{written}` is, by which `{name}` is pinned"));
        }
        Pin::Variable
    }

    /// Why a job that this one needs keeps it from beginning.
    fn needs(&mut self, job: &Job) -> Option<String> {
        for need in &job.needs {
            let id = need.as_str();
            let mut jobs = self.workflow.jobs.iter();
            let Some(needed) = jobs.find(|other| other.id.as_str() == id) else {
                return Some(format!("it needs the job `{id}`, which is not there"));
            };
            let conditional = needed.condition.is_some() || !needed.needs.is_empty();
            if conditional || needed.uses.is_some() {
                self.doubt(format!("what becomes of the job `{id}`, which it needs"));
                continue;
            }
            let steps = self.job(needed).steps;
            let fails = steps.iter().find_map(|step| {
                let mut does = step.does.iter();
                does.find_map(|does| match does {
                    Does::Run(Command::Fails(told)) if !step.goes_on => Some(told.clone()),
                    Does::Fetch | Does::Borrow(_) | Does::Run(_) | Does::Execute(_) => None,
                })
            });
            if let Some(told) = fails {
                return Some(format!("it needs the job `{id}`, which fails: {told}"));
            }
        }
        None
    }
}

/// Keys of a map that are none of these.
fn others(node: Option<&Node>, known: &[&str]) -> Vec<String> {
    let entries = node.and_then(Node::as_map).unwrap_or_default();
    let keys = entries.iter().map(|entry| entry.key.as_str());
    let others = keys.filter(|key| !known.contains(key));
    others.map(str::to_owned).collect()
}

/// The policy of a session, ready to be asked; `None` where it is none.
fn session_policy(text: &Text) -> Option<Compiled> {
    let document = session::narrowing(text).ok()?;
    let named = NamedPolicy {
        name: "the session's policy",
        document: &document,
    };
    Some(Compiled::new(&Policies {
        identity: vec![named],
        ..Policies::default()
    }))
}
