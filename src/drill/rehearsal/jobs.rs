//! Runs of the workflow on the stage: what the committed file says of its job, a runner that takes it after a while, then the
//! executor's own code, which takes turns with everybody else.

use std::collections::BTreeMap;

use crate::drill::{DispatchedWorkflow, Issuer, RunState};
use crate::execution::report::RunReport;
use crate::model::spec::{
    EXECUTOR, EXECUTOR_SUM, OIDC_AUDIENCE, Spec, SubjectFormat, WORKFLOW_FOLDER,
};
use crate::model::trust::Repository;
use crate::model::workflow::{Concurrency, Trigger, Workflow, condition_truth};
use crate::ports::Cancelled;
use crate::text::Text;

use super::borrow::{Form, Session, borrow, said};
use super::command::Command;
use super::facts::RunFact;
use super::links::{CONFIRMATION, RECORDS, ROLE, SITES, WORKFLOW};
use super::run::{Job, Running, Said};
use super::stage::{Cue, Stage};
use super::steps::{Does, Loan, Pin, PlayedStep};

/// What a job proves itself with at GitHub's token endpoint.
const BEARER: &str = "bearer-of-the-rehearsal";

/// Runs of the executor that are under way.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    running: BTreeMap<usize, Running>,
    branches: BTreeMap<usize, String>,
    /// Whether an action that the job uses is gone.
    pub(super) action_gone: bool,
    /// Whether the repository's subjects are made in another way than the trust policy expects.
    pub(super) subject_changed: bool,
    /// What the repository's variable pins, if it is set.
    pub pin: Option<String>,
}

/// What GitHub makes of a committed workflow.
#[must_use]
pub(super) fn dispatched(spec: &Spec, workflow: &Workflow) -> DispatchedWorkflow {
    let trigger = workflow.trigger("workflow_dispatch");
    let concurrency = concurrency(workflow);
    let group = concurrency.and_then(|it| it.group.as_ref());
    let group = group.map(|group| group.as_str().to_owned());
    let cancels = concurrency.is_some_and(|it| cancels(spec, it) == Some(true));
    let queue = concurrency.and_then(|it| it.queue.as_ref());
    let queues = queue.is_some_and(|queue| queue.as_str() == "max");
    let both = "`queue: max` and `cancel-in-progress: true` exclude each other";
    DispatchedWorkflow {
        file: spec.github.workflow.clone(),
        dispatchable: trigger.is_some(),
        inputs: trigger.map(Trigger::dispatch_inputs).unwrap_or_default(),
        invalid: (cancels && queues).then(|| both.to_owned()),
        group,
        cancels,
        queues,
        disabled: false,
    }
}

/// The group in which runs wait for each other, the workflow's or the job's own. One that is another for each run holds nobody
/// back; one that cancels comes first.
fn concurrency(workflow: &Workflow) -> Option<&Concurrency> {
    let jobs = workflow.jobs.iter();
    let jobs = jobs.filter_map(|job| job.concurrency.as_ref());
    let all = workflow.concurrency.iter().chain(jobs);
    let is_shared = |it: &&Concurrency| {
        let group = it.group.as_ref().map_or("", Text::as_str);
        let of_a_run = ["run_id", "run_number", "sha", "run_attempt"];
        !group.is_empty() && !of_a_run.iter().any(|part| group.contains(part))
    };
    let mut shared: Vec<&Concurrency> = all.filter(is_shared).collect();
    let cancels = |it: &&Concurrency| {
        it.cancel
            .as_ref()
            .is_none_or(|text| text.as_str() == "false")
    };
    shared.sort_by_key(cancels);
    shared.first().copied()
}

/// Whether a newer run of the group ends the one that is under way; `None` where that is not known here.
fn cancels(spec: &Spec, concurrency: &Concurrency) -> Option<bool> {
    let written = concurrency.cancel.as_ref().map_or("false", Text::as_str);
    match written {
        "true" => Some(true),
        "false" => Some(false),
        other => truth(spec, &spec.github.branch, other),
    }
}

/// What of the workflow's concurrency is not rehearsed.
#[must_use]
pub(super) fn open_concurrency(spec: &Spec, workflow: &Workflow) -> Option<String> {
    let own = concurrency(workflow)?;
    let written = own.cancel.as_ref()?;
    let open = cancels(spec, own).is_none();
    open.then(|| {
        format!(
            "whether `cancel-in-progress: {}` ends a run under way",
            written.as_str()
        )
    })
}

impl Stage<'_> {
    /// GitHub may have runs that begin, or that are to be ended.
    pub(super) fn github_moved(&mut self) {
        let (begun, cancelled, runs) = self.world.github.with(|github| {
            (
                github.take_begun(),
                github.take_cancelled(),
                github.runs().to_vec(),
            )
        });
        let now = self.now();
        for run in runs {
            let fact = self.facts.runs.entry(run.number);
            let fact = fact.or_insert_with(|| RunFact {
                asked: now,
                ..RunFact::default()
            });
            let evicted = run.state == RunState::Cancelled && fact.ended.is_none();
            if evicted && !cancelled.contains(&run.number) && fact.begun.is_none() {
                fact.ended = Some(now);
                fact.cancelled = true;
                fact.end = "cancelled: a newer run took its place".to_owned();
                self.tell(
                    "GitHub",
                    format!(
                        "run {} is cancelled: a newer one took its place",
                        run.number
                    ),
                );
            }
        }
        for number in cancelled {
            self.end_run(number, "cancelled by a newer run");
        }
        for run in begun {
            self.jobs.branches.insert(run.number, run.branch);
            self.queue
                .push(now + self.pace.runner, Cue::JobBegins(run.number));
        }
    }

    /// A runner takes the job.
    pub(super) fn job_begins(&mut self, number: usize) {
        let now = self.now();
        let branch = self.jobs.branches.get(&number).cloned().unwrap_or_default();
        let Some(fact) = self
            .facts
            .runs
            .get_mut(&number)
            .filter(|fact| fact.ended.is_none())
        else {
            return;
        };
        fact.begun = Some(now);
        self.tell("GitHub", format!("run {number} has a runner"));
        let condition = self.rules.condition.clone();
        match condition.as_deref().map(|it| truth(self.spec, &branch, it)) {
            Some(Some(false)) => {
                let condition = condition.unwrap_or_default();
                self.run_ended(
                    number,
                    None,
                    &format!("its job is skipped: `{condition}` is false on `{branch}`"),
                );
                return;
            }
            Some(None) => {
                let condition = condition.unwrap_or_default();
                let told = format!("whether `{condition}`, the `if` of its job, is true");
                self.facts.doubt(WORKFLOW, told);
            }
            Some(Some(true)) | None => {}
        }
        if let Some(barred) = self.rules.barred.clone() {
            self.run_ended(number, None, &barred);
            return;
        }
        if self.jobs.action_gone {
            let end = "its job fails: an action that it uses cannot be fetched";
            self.run_ended(number, None, end);
            return;
        }
        if let Some(timeout) = self.rules.timeout {
            self.queue.push(now + timeout, Cue::JobTimesOut(number));
        }
        self.queue
            .push(now + self.pace.setup, Cue::ExecutorStarts(number));
    }

    /// Who gives out this job's tokens now.
    fn issuer_of(&self, number: usize) -> Issuer {
        let branch = self.jobs.branches.get(&number).cloned().unwrap_or_default();
        let (repository, renamed) = self.world.github.with(|github| {
            let name = github.repository().to_owned();
            let renamed = name != self.spec.repository();
            (name, renamed)
        });
        let environment = self.rules.environment.clone();
        let mut issuer = issuer(self.spec, &repository, renamed, &branch, environment);
        if self.jobs.subject_changed {
            let subject = format!("repository:{repository}:ref:refs/heads/{branch}");
            issuer.claims.insert("sub".to_owned(), subject.into());
        }
        issuer
    }

    /// The token of this job is what GitHub gives out now.
    fn token_of(&mut self, number: usize) {
        let issuer = self.issuer_of(number);
        self.world.cloud.with(|cloud| cloud.issue(issuer));
    }

    /// The steps before the executor, in their order: the variables that it is given, or where the job ends before it.
    fn play_steps(&mut self, number: usize) -> Result<BTreeMap<String, String>, Stopped> {
        let branch = self.jobs.branches.get(&number).cloned().unwrap_or_default();
        for told in self.rules.open.clone() {
            self.facts.doubt(WORKFLOW, told);
        }
        let mut at = Workplace::default();
        for step in self.rules.steps.clone() {
            match self.play_step(number, &step, &branch, &mut at) {
                Ok(Some(variables)) => return Ok(variables),
                Ok(None) => {}
                Err(stopped) if step.goes_on => self.facts.note(format!(
                    "the step `{}` fails ({}), and the job goes on",
                    step.name, stopped.told
                )),
                Err(stopped) => {
                    let told = format!("its step `{}` fails: {}", step.name, stopped.told);
                    return Err(Stopped { told, ..stopped });
                }
            }
        }
        let told = match at.skipped {
            Some(told) => told,
            None => "no step of its job runs the executor".to_owned(),
        };
        Err(Stopped::at_the_workflow(told))
    }

    /// One step; the variables of the executor where it comes to that.
    fn play_step(
        &mut self,
        number: usize,
        step: &PlayedStep,
        branch: &str,
        at: &mut Workplace,
    ) -> Result<Option<BTreeMap<String, String>>, Stopped> {
        let executes = |does: &Does| matches!(does, Does::Execute(_));
        if let Some(condition) = &step.condition {
            match truth(self.spec, branch, condition) {
                Some(true) => {}
                Some(false) => {
                    if step.does.iter().any(executes) {
                        at.skipped = Some(format!(
                            "the step that runs the executor is skipped: `{condition}` is false"
                        ));
                    }
                    return Ok(None);
                }
                None => {
                    let told = format!(
                        "whether `{condition}`, the `if` of the step `{}`, is true",
                        step.name
                    );
                    self.facts.doubt(WORKFLOW, told);
                }
            }
        }
        for does in &step.does {
            let missing = |what: &str| {
                Stopped::at_the_workflow(format!(
                    "`{what}` is not there: no step before it fetches the repository"
                ))
            };
            match does {
                Does::Fetch => at.fetched = true,
                Does::Borrow(loan) => at.session = Some(self.borrow_role(number, loan)?),
                Does::Run(Command::Check) if !at.fetched => return Err(missing(EXECUTOR_SUM)),
                Does::Run(Command::Fails(told)) => {
                    return Err(Stopped::at_the_workflow(told.clone()));
                }
                Does::Run(_) => {}
                Does::Execute(_) if !at.fetched => return Err(missing(EXECUTOR)),
                Does::Execute(pin) => {
                    self.told_of_the_executor(pin, at);
                    return Ok(Some(self.variables(number, pin, at)));
                }
            }
        }
        Ok(None)
    }

    /// What the steps before the executor leave undone, and what they do too much.
    fn told_of_the_executor(&mut self, pin: &Pin, at: &Workplace) {
        let variable = &self.spec.github.variable;
        if let Pin::Literal(site) = pin {
            let told = format!(
                "the workflow pins `{site}` by `{variable}`, so that the executor never decides by itself"
            );
            self.facts.defect(WORKFLOW, told);
        } else if *pin == Pin::None {
            let told =
                format!("no step hands `{variable}` to the executor, so that a pin has no effect");
            self.facts.defect(WORKFLOW, told);
        }
        if at.session.is_none() {
            let told = "no step borrows the role before the executor, which then borrows it itself";
            if !self.facts.caveats.iter().any(|known| known == told) {
                self.facts.caveats.push(told.to_owned());
            }
        }
    }

    /// The variables of the executor.
    fn variables(&self, number: usize, pin: &Pin, at: &Workplace) -> BTreeMap<String, String> {
        let mut variables = BTreeMap::from([
            ("GITHUB_RUN_ID".to_owned(), number.to_string()),
            ("GITHUB_RUN_ATTEMPT".to_owned(), "1".to_owned()),
        ]);
        let mut put = |name: &str, value: String| variables.insert(name.to_owned(), value);
        if self.rules.token != Some(false) {
            put("ACTIONS_ID_TOKEN_REQUEST_URL", self.world.cloud.token_url());
            put("ACTIONS_ID_TOKEN_REQUEST_TOKEN", BEARER.to_owned());
        }
        if let Some(session) = &at.session {
            put("AWS_ACCESS_KEY_ID", session.key.clone());
            put("AWS_SECRET_ACCESS_KEY", session.secret.clone());
            put("AWS_SESSION_TOKEN", session.token.clone());
        }
        let pin = match pin {
            Pin::None => None,
            Pin::Variable => self.jobs.pin.clone(),
            Pin::Literal(written) => Some(written.clone()),
        };
        if let Some(pin) = pin {
            put(&self.spec.github.variable, pin);
        }
        variables
    }

    /// The borrowing step: the token that GitHub gives it, the role, the session's policy and its time go to STS.
    fn borrow_role(&mut self, number: usize, loan: &Loan) -> Result<Session, Stopped> {
        if self.rules.token == Some(false) {
            let told = "the job may not ask for a token: `id-token: write` is missing";
            return Err(Stopped {
                link: ROLE,
                told: told.to_owned(),
            });
        }
        let audience = loan.audience.as_deref().unwrap_or(OIDC_AUDIENCE);
        let now = self.world.cloud.now();
        let token = self.issuer_of(number).issue(audience, now);
        let policy = loan.policy.as_ref();
        if let Some((text, None)) = policy {
            let told = format!("`{text}` is no policy");
            return Err(Stopped::at_the_workflow(told));
        }
        let form = Form {
            role: &loan.role,
            token: &token,
            seconds: &loan.seconds,
            session: &loan.session,
            policy: policy.map(|(text, _)| text.as_str()),
        };
        let answered = borrow(self.world.cloud.address(), form);
        self.after_calls();
        let (status, body) = answered.map_err(|error| Stopped {
            link: ROLE,
            told: format!("STS gives no answer: {error}"),
        })?;
        if let Some(session) = Session::read(&body).filter(|_| status == 200) {
            if let Some((_, Some(compiled))) = policy {
                self.judge.limit(&session.principal, compiled.clone());
            }
            return Ok(session);
        }
        let own = self.spec.role_arn();
        if loan.role != own {
            let told = format!(
                "it cannot borrow `{}`: the spec's role is `{own}`",
                loan.role
            );
            return Err(Stopped::at_the_workflow(told));
        }
        let told = said(&body);
        // What the request itself asks wrongly is the workflow's; the rest is between the role and STS.
        let link = if status == 400 { WORKFLOW } else { ROLE };
        Err(Stopped { link, told })
    }

    /// The steps before the executor are done.
    pub(super) fn executor_starts(&mut self, number: usize) {
        let now = self.now();
        let Some(fact) = self
            .facts
            .runs
            .get_mut(&number)
            .filter(|fact| fact.ended.is_none())
        else {
            return;
        };
        fact.calls_before = self.world.cloud.with(|cloud| cloud.log().len());
        let variables = match self.play_steps(number) {
            Ok(variables) => variables,
            Err(stopped) => {
                self.run_stopped(number, &stopped);
                return;
            }
        };
        if let Some(fact) = self.facts.runs.get_mut(&number) {
            fact.started = Some(now);
        }
        self.tell("executor", format!("run {number} begins"));
        if let Some(other) = self.jobs.running.keys().next() {
            let told = format!(
                "run {number} works while run {other} does: no `concurrency` group that both share makes it wait"
            );
            self.facts.defect(WORKFLOW, told);
        }
        let started = Running::start(self.executor.clone(), |turn| Job {
            spec: self.spec_path.clone(),
            detour: self.world.detour(),
            variables,
            skipped: self.time.skipped().clone(),
            black_holes: self.world.black_holes.clone(),
            turn,
        });
        match started {
            Ok(running) => {
                self.jobs.running.insert(number, running);
                self.hear(number);
            }
            Err(error) => self.run_ended(number, None, &format!("it has no thread: {error}")),
        }
    }

    /// A run has waited, or is to end instead.
    pub(super) fn run_goes_on(&mut self, number: usize, how: Result<(), Cancelled>) {
        if let Some(running) = self.jobs.running.get(&number) {
            running.go_on(how);
            self.hear(number);
        }
    }

    /// Waits until a run waits, or is at its end.
    fn hear(&mut self, number: usize) {
        self.token_of(number);
        let Some(running) = self.jobs.running.get(&number) else {
            return;
        };
        let said = running.hear();
        self.after_calls();
        match said {
            Some(Said::Waits(rest)) => {
                let at = self.now() + rest;
                self.queue.push(at, Cue::RunGoesOn(number));
            }
            Some(Said::Ended(report)) => {
                let end = format!(
                    "{}, status {}: {}",
                    report.decision, report.status, report.why
                );
                self.run_ended(number, Some(*report), &end);
            }
            None => self.run_ended(number, None, "it broke"),
        }
    }

    /// A job ends before it comes to the executor.
    fn run_stopped(&mut self, number: usize, stopped: &Stopped) {
        self.run_ended(number, None, &stopped.told);
        if let Some(fact) = self.facts.runs.get_mut(&number) {
            fact.failed_at = Some(stopped.link);
        }
    }

    fn run_ended(&mut self, number: usize, report: Option<RunReport>, end: &str) {
        let now = self.now();
        drop(self.jobs.running.remove(&number));
        self.tell("executor", format!("run {number} ends: {end}"));
        if report.as_ref().is_some_and(|report| report.notify) {
            self.facts.people.push((now, format!("run {number}")));
        }
        let failed_at = self.failed_at(number, report.as_ref());
        if let Some(fact) = self.facts.runs.get_mut(&number) {
            fact.ended = Some(now);
            fact.failed_at = failed_at;
            fact.report = report;
            fact.end = end.to_owned();
        }
        self.world.github.with(|github| github.ended(number));
        self.github_moved();
    }

    /// The link at which a run that ends so has failed: by the last call that AWS refused it, else by how far it came.
    fn failed_at(&self, number: usize, report: Option<&RunReport>) -> Option<&'static str> {
        let report = report.filter(|report| report.status != 0)?;
        if self
            .facts
            .runs
            .get(&number)
            .is_some_and(|run| run.cancelled)
        {
            return Some(WORKFLOW);
        }
        let before = self.facts.runs.get(&number).map(|fact| fact.calls_before);
        let refused = self.world.cloud.with(|cloud| {
            let own = cloud.log().get(before.unwrap_or_default()..);
            let mut own = own.unwrap_or_default().iter().rev();
            let last = own.find(|call| call.answer != "200");
            last.map(|call| call.op.clone())
        });
        Some(match refused.as_deref() {
            Some("AssumeRoleWithWebIdentity" | "oidc_token") => ROLE,
            Some("ChangeResourceRecordSets") if !report.sent || report.status == 3 => RECORDS,
            _ if report.sent => CONFIRMATION,
            Some(_) => SITES,
            None if self.rules.token == Some(false) => ROLE,
            None => SITES,
        })
    }

    /// A run is ended from outside: whatever it waits for is broken off, and it tells what came of it.
    fn end_run(&mut self, number: usize, why: &str) {
        if let Some(fact) = self.facts.runs.get_mut(&number) {
            fact.cancelled = true;
            fact.cut = Some(why.to_owned());
        }
        if self.jobs.running.contains_key(&number) {
            self.run_goes_on(number, Err(Cancelled));
        } else {
            self.run_ended(number, None, why);
        }
    }

    /// The job has had its time.
    pub(super) fn job_times_out(&mut self, number: usize) {
        if self.jobs.running.contains_key(&number) {
            self.tell(
                "GitHub",
                format!("run {number} has had its time and is ended"),
            );
            self.end_run(number, "its job has had its time");
        }
    }
}

/// How far a job has come.
#[derive(Debug, Default)]
struct Workplace {
    /// Whether the repository's files are there.
    fetched: bool,
    /// The session that was borrowed last.
    session: Option<Session>,
    /// Why the executor is not run.
    skipped: Option<String>,
}

/// Where a job ends before it comes to the executor.
#[derive(Debug)]
struct Stopped {
    link: &'static str,
    told: String,
}

impl Stopped {
    fn at_the_workflow(told: String) -> Self {
        Self {
            link: WORKFLOW,
            told,
        }
    }
}

/// Whether a condition is true in a run that somebody dispatched on this branch.
fn truth(spec: &Spec, branch: &str, condition: &str) -> Option<bool> {
    let repository = spec.repository();
    let known = |path: &str| match path {
        "github.ref" => Some(format!("refs/heads/{branch}")),
        "github.ref_name" => Some(branch.to_owned()),
        "github.ref_type" => Some("branch".to_owned()),
        "github.event_name" => Some("workflow_dispatch".to_owned()),
        "github.repository" => Some(repository.clone()),
        "github.repository_owner" => Some(spec.github.owner.clone()),
        _ => None,
    };
    condition_truth(condition, &known)
}

/// Who gives out tokens for jobs of this repository and branch.
#[must_use]
pub(super) fn issuer(
    spec: &Spec,
    repository: &str,
    renamed: bool,
    branch: &str,
    environment: Option<String>,
) -> Issuer {
    let mut own = Repository::of_spec(spec);
    if let Some((owner, name)) = repository.split_once('/') {
        own.owner = owner.to_owned();
        own.repository = name.to_owned();
    }
    if renamed {
        own.format = SubjectFormat::Immutable;
    }
    own.branch = branch.to_owned();
    own.environment.clone_from(&environment);
    let mut issuer = Issuer::new(BEARER, repository, branch, &own.subject().to_string());
    let github = &spec.github;
    let workflow = format!(
        "{repository}/{WORKFLOW_FOLDER}/{}@refs/heads/{branch}",
        github.workflow
    );
    for (claim, value) in [
        ("iss", Some(format!("https://{}", spec.oidc_issuer()))),
        ("workflow_ref", Some(workflow.clone())),
        ("job_workflow_ref", Some(workflow)),
        ("repository_id", Some(github.repository_id.to_string())),
        ("repository_owner_id", Some(github.owner_id.to_string())),
        ("environment", environment),
    ] {
        if let Some(value) = value {
            issuer.claims.insert(claim.to_owned(), value.into());
        }
    }
    issuer
}
