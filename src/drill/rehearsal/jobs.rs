//! Runs of the workflow on the stage: what the committed file says of its job, a runner that takes it after a while, then the
//! executor's own code, which takes turns with everybody else.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::drill::{DispatchedWorkflow, Issuer, RunState};
use crate::execution::report::RunReport;
use crate::model::spec::{Spec, SubjectFormat, WORKFLOW_FOLDER};
use crate::model::trust::Repository;
use crate::model::workflow::{
    Access, Concurrency, Job as DeclaredJob, Workflow, condition_truth, variable,
};
use crate::ports::Cancelled;
use crate::text::Text;

use super::facts::RunFact;
use super::links::{CONFIRMATION, RECORDS, ROLE, SITES};
use super::run::{Job, Running, Said};
use super::stage::{Cue, Stage};

/// What a job proves itself with at GitHub's token endpoint.
const BEARER: &str = "bearer-of-the-rehearsal";

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
    /// The role that a step borrows before the executor.
    pub role: Option<String>,
    /// Whether it runs the executor at all.
    pub runs_executor: bool,
    /// Whether the variable of the pin is handed to the executor.
    pub passes_pin: bool,
}

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

impl JobRules {
    /// The rules of a committed workflow.
    #[must_use]
    pub(super) fn of(spec: &Spec, workflow: &Workflow) -> Self {
        let runs = |job: &DeclaredJob| {
            let mut scripts = job.steps.iter().filter_map(|step| step.run.as_ref());
            scripts.any(|script| runs_executor(script.as_str()))
        };
        let job = workflow.jobs.iter().find(|job| runs(job));
        let Some(job) = job.or_else(|| workflow.jobs.first()) else {
            return Self::default();
        };
        let text = |text: &Option<Text>| text.as_ref().map(|text| text.as_str().to_owned());
        let minutes = job
            .timeout
            .as_ref()
            .and_then(|text| text.as_str().parse::<u64>().ok());
        let steps = &job.steps;
        let role = steps
            .iter()
            .find_map(|step| variable(&step.with, "role-to-assume"));
        let pin = spec.github.variable.as_str();
        let own = steps
            .iter()
            .map(|step| &step.env)
            .chain([&job.env, &workflow.env]);
        let passes_pin = own.into_iter().any(|env| variable(env, pin).is_some());
        let permissions = workflow.permissions_of(job);
        Self {
            condition: text(&job.condition),
            token: match permissions {
                Some(permissions) => permissions.access("id-token").map(|it| it == Access::Write),
                None => Some(false),
            },
            timeout: minutes.map(|minutes| Duration::from_secs(minutes * 60)),
            environment: text(&job.environment),
            role: role
                .and_then(|role| role.value.as_ref())
                .map(|role| role.as_str().to_owned()),
            runs_executor: runs(job),
            passes_pin,
        }
    }
}

/// Whether a script runs the executor: `pointsman-switch`, or `pointsman failover run`.
fn runs_executor(script: &str) -> bool {
    let mut commands = script.split(['\n', ';', '&', '|']);
    commands.any(|command| {
        let mut words = command.split_whitespace();
        let program = words.next().and_then(|word| word.rsplit('/').next());
        match program {
            Some("pointsman-switch") => true,
            Some("pointsman") => words.next() == Some("failover") && words.next() == Some("run"),
            Some(_) | None => false,
        }
    })
}

/// What GitHub makes of a committed workflow.
#[must_use]
pub(super) fn dispatched(spec: &Spec, workflow: &Workflow) -> DispatchedWorkflow {
    let trigger = workflow.trigger("workflow_dispatch");
    let inputs = trigger.map(|trigger| trigger.inputs()).unwrap_or_default();
    let job = workflow
        .jobs
        .iter()
        .find_map(|job| job.concurrency.as_ref());
    let concurrency = workflow.concurrency.as_ref().or(job);
    let is = |value: fn(&Concurrency) -> &Option<Text>, word: &str| {
        let value = concurrency.and_then(|it| value(it).as_ref());
        value.is_some_and(|value| value.as_str() == word)
    };
    let group = concurrency.and_then(|it| it.group.as_ref());
    let group = group.map(|group| group.as_str().to_owned());
    // A group that is another for each run holds nobody back.
    let shared = |group: &String| {
        !["run_id", "run_number", "sha", "run_attempt"]
            .iter()
            .any(|part| group.contains(part))
    };
    DispatchedWorkflow {
        file: spec.github.workflow.clone(),
        dispatchable: trigger.is_some(),
        inputs: inputs
            .iter()
            .map(|input| input.key.as_str().to_owned())
            .collect(),
        group: group.filter(shared),
        cancels: is(|it| &it.cancel, "true"),
        queues: is(|it| &it.queue, "max"),
        disabled: false,
    }
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
        let git_ref = format!("refs/heads/{branch}");
        let known = |path: &str| match path {
            "github.ref" => Some(git_ref.clone()),
            "github.ref_name" => Some(branch.clone()),
            "github.event_name" => Some("workflow_dispatch".to_owned()),
            _ => None,
        };
        let condition = self.rules.condition.clone();
        let holds = condition.as_deref().map(|it| condition_truth(it, &known));
        match holds {
            Some(Some(false)) => {
                let condition = condition.unwrap_or_default();
                self.run_ended(
                    number,
                    None,
                    &format!("its job is skipped: `{condition}` is false on `{branch}`"),
                );
                return;
            }
            Some(None) => self
                .facts
                .note("the job's `if` is not decided here, and is taken for true".to_owned()),
            Some(Some(true)) | None => {}
        }
        if self.jobs.action_gone {
            let end = "its job fails: an action that it uses cannot be fetched";
            self.run_ended(number, None, end);
            return;
        }
        if !self.rules.runs_executor {
            self.run_ended(number, None, "no step of its job runs the executor");
            return;
        }
        if let Some(timeout) = self.rules.timeout {
            self.queue.push(now + timeout, Cue::JobTimesOut(number));
        }
        self.queue
            .push(now + self.pace.setup, Cue::ExecutorStarts(number));
    }

    /// The token of this job is what GitHub gives out now.
    fn token_of(&mut self, number: usize) {
        let branch = self.jobs.branches.get(&number).cloned().unwrap_or_default();
        let (repository, renamed) = self.world.github.with(|github| {
            let name = github.repository().to_owned();
            let renamed = name != self.spec.repository();
            (name, renamed)
        });
        let issuer = issuer(
            self.spec,
            &repository,
            renamed,
            &branch,
            self.rules.environment.clone(),
        );
        let mut issuer = issuer;
        if self.jobs.subject_changed {
            let subject = format!("repository:{repository}:ref:refs/heads/{branch}");
            issuer.claims.insert("sub".to_owned(), subject.into());
        }
        self.world.cloud.with(|cloud| cloud.issue(issuer));
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
        fact.started = Some(now);
        fact.calls_before = self.world.cloud.with(|cloud| cloud.log().len());
        let role = self.rules.role.clone();
        if let Some(role) = role.filter(|role| *role != self.spec.role_arn()) {
            self.run_ended(
                number,
                None,
                &format!(
                    "its step cannot borrow `{role}`: the spec's role is `{}`",
                    self.spec.role_arn()
                ),
            );
            return;
        }
        let mut variables = BTreeMap::from([
            ("GITHUB_RUN_ID".to_owned(), number.to_string()),
            ("GITHUB_RUN_ATTEMPT".to_owned(), "1".to_owned()),
        ]);
        if self.rules.token != Some(false) {
            let url = self.world.cloud.token_url();
            variables.insert("ACTIONS_ID_TOKEN_REQUEST_URL".to_owned(), url);
            variables.insert(
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN".to_owned(),
                BEARER.to_owned(),
            );
        }
        if let Some(pin) = self.jobs.pin.clone().filter(|_| self.rules.passes_pin) {
            variables.insert(self.spec.github.variable.clone(), pin);
        }
        self.tell("executor", format!("run {number} begins"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_the_executor_does() {
        for script in [
            "bin/pointsman-switch",
            "set -e\n./pointsman failover run",
            "true && bin/pointsman-switch\n",
        ] {
            assert!(runs_executor(script), "{script}");
        }
        for script in [
            "sha256sum --check bin/pointsman-switch.sha256",
            "pointsman validate",
            "",
        ] {
            assert!(!runs_executor(script), "{script}");
        }
    }
}
