//! The part of GitHub that a failover needs, pure: the endpoint that starts a workflow, what it says when it does not, and
//! runs that wait for each other.
//!
//! Source: GitHub REST API, "Create a workflow dispatch event" and "Get a workflow"; GitHub Docs, "Control workflow
//! concurrency": one run of a group, one that waits, and a newer one takes the place of the one that waits. The messages
//! are those that users report. GitHub says nothing of the order of its checks; here the token comes first, then the
//! repository, the right, the workflow, and what was sent.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::model::workflow::DispatchInput;

use super::call::{Call, Now, Reply};
use super::endpoint::Service;

/// What the committed workflow says to GitHub.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DispatchedWorkflow {
    /// The name of its file.
    pub file: String,
    /// Whether it has the trigger `workflow_dispatch`.
    pub dispatchable: bool,
    /// The inputs of that trigger.
    pub inputs: Vec<DispatchInput>,
    /// Why GitHub does not read the file, if it does not.
    pub invalid: Option<String>,
    /// Its concurrency group; `None`: runs do not wait for each other.
    pub group: Option<String>,
    /// Whether a newer run ends the one that is running.
    pub cancels: bool,
    /// Whether all wait, and not one alone.
    pub queues: bool,
    /// Whether somebody has disabled it.
    pub disabled: bool,
}

/// What a token may do with the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenRight {
    /// It does not see it.
    None,
    /// It reads.
    Read,
    /// It starts workflows (`Actions: write`).
    Write,
}

/// The versions of the REST API that a request may ask for (GitHub Docs, "API versions"); any other is answered 400.
const VERSIONS: [&str; 2] = ["2022-11-28", "2026-03-10"];

/// The host that keeps logs; GitHub's own has a name that changes.
pub const LOG_HOST: &str = "logs.example.net";

/// What the path of a log begins with there.
const LOGS: &str = "/job-logs/";

/// How many runs wait at most with `queue: max`; a further one is cancelled (GitHub Changelog, 2026-05-07).
const QUEUE: usize = 100;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DispatchToken {
    /// What it may do.
    pub right: TokenRight,
    /// When it runs out, from the beginning on; `None`: never.
    pub until: Option<Duration>,
}

/// What becomes of messages on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageTrouble {
    /// So many of them get no answer: the connection breaks before anything is done.
    Lost(u32),
    /// None gets through: GitHub's API is down.
    Down,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It waits for the group.
    Pending,
    /// It waits for a runner, or runs.
    Active,
    /// It came to its end.
    Ended,
    /// It was cancelled: its place was taken, or it was ended from outside.
    Cancelled,
}

/// A run of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowRun {
    /// Its number, from 1.
    pub number: usize,
    /// The branch that it runs on.
    pub branch: String,
    /// When it was asked for.
    pub asked: Duration,
    /// How far it is.
    pub state: RunState,
    /// Whether it came to a good end.
    pub good: bool,
    /// The log of its job, once it has ended.
    pub log: String,
}

/// A request to start the workflow, as it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// When.
    pub at: Duration,
    /// The status; 0 for no answer.
    pub http: u16,
    /// The message of an answer that says no.
    pub message: String,
}

/// GitHub with one repository and one workflow.
#[derive(Debug)]
pub struct GitHub {
    /// `owner/name`.
    repository: String,
    repository_id: u64,
    /// The name that it has now, where that is another than it was.
    renamed: Option<String>,
    branches: BTreeSet<String>,
    /// The workflow.
    pub workflow: DispatchedWorkflow,
    /// Tokens by their text.
    pub tokens: BTreeMap<String, DispatchToken>,
    /// What becomes of messages.
    pub trouble: Option<MessageTrouble>,
    runs: Vec<WorkflowRun>,
    dispatches: Vec<Dispatch>,
    begun: Vec<usize>,
    ended_from_outside: Vec<usize>,
}

/// An answer: the status and the message.
struct No(u16, String);

/// What sends a caller on, and what its message is. GitHub repeats nothing itself: with 307 the method and the body stay
/// (GitHub REST API, "Best practices": follow redirects; the words are those that users report).
fn moved(method: &str) -> No {
    let http = if method == "GET" { 301 } else { 307 };
    No(http, "Moved Permanently".to_owned())
}

impl GitHub {
    /// GitHub with this repository (`owner/name`), its id and these branches.
    #[must_use]
    pub fn new(
        repository: &str,
        repository_id: u64,
        branches: impl IntoIterator<Item = String>,
        workflow: DispatchedWorkflow,
    ) -> Self {
        Self {
            repository: repository.to_owned(),
            repository_id,
            renamed: None,
            branches: branches.into_iter().collect(),
            workflow,
            tokens: BTreeMap::new(),
            trouble: None,
            runs: Vec::new(),
            dispatches: Vec::new(),
            begun: Vec::new(),
            ended_from_outside: Vec::new(),
        }
    }

    /// Gives the repository another name, as `owner/name`.
    pub fn rename(&mut self, name: &str) {
        self.renamed = Some(name.to_owned());
    }

    /// It has these branches and no others.
    pub fn keep_branches(&mut self, branches: impl IntoIterator<Item = String>) {
        self.branches = branches.into_iter().collect();
    }

    /// The name that the repository has now.
    #[must_use]
    pub fn repository(&self) -> &str {
        self.renamed.as_deref().unwrap_or(&self.repository)
    }

    /// Every run so far.
    #[must_use]
    pub fn runs(&self) -> &[WorkflowRun] {
        &self.runs
    }

    /// Every request to start the workflow so far.
    #[must_use]
    pub fn dispatches(&self) -> &[Dispatch] {
        &self.dispatches
    }

    /// Runs that wait for a runner since this was last asked.
    pub fn take_begun(&mut self) -> Vec<WorkflowRun> {
        let begun = std::mem::take(&mut self.begun);
        begun
            .into_iter()
            .filter_map(|number| self.run(number).cloned())
            .collect()
    }

    /// Runs that were to be ended from outside since this was last asked.
    pub fn take_cancelled(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.ended_from_outside)
    }

    /// A person starts the workflow in the web interface, where no token is needed.
    pub fn start_by_hand(&mut self, branch: &str, at: Duration) {
        self.begin(branch, at);
    }

    /// A run came to its end; the one that waits for it goes on.
    pub fn ended(&mut self, number: usize) {
        self.mark(number, RunState::Ended);
        self.go_on();
    }

    /// A run came to its end with this log, well or not.
    pub fn ended_with(&mut self, number: usize, good: bool, log: &str) {
        let place = number.checked_sub(1);
        if let Some(run) = place.and_then(|place| self.runs.get_mut(place)) {
            run.good = good;
            log.clone_into(&mut run.log);
        }
        self.ended(number);
    }

    fn run(&self, number: usize) -> Option<&WorkflowRun> {
        self.runs.get(number.checked_sub(1)?)
    }

    fn mark(&mut self, number: usize, state: RunState) {
        let place = number.checked_sub(1);
        if let Some(run) = place.and_then(|place| self.runs.get_mut(place)) {
            run.state = state;
        }
    }

    fn numbers(&self, state: RunState) -> Vec<usize> {
        let own = self.runs.iter().filter(|run| run.state == state);
        own.map(|run| run.number).collect()
    }

    fn begin(&mut self, branch: &str, at: Duration) {
        let waiting = self.numbers(RunState::Pending);
        let running = self.numbers(RunState::Active);
        let grouped = self.workflow.group.is_some();
        let number = self.runs.len() + 1;
        let waits = grouped && !running.is_empty();
        self.runs.push(WorkflowRun {
            number,
            branch: branch.to_owned(),
            asked: at,
            state: RunState::Pending,
            good: true,
            log: String::new(),
        });
        if grouped && !self.workflow.queues {
            for older in waiting {
                self.mark(older, RunState::Cancelled);
            }
        } else if grouped && waiting.len() >= QUEUE {
            self.mark(number, RunState::Cancelled);
            return;
        }
        if grouped && self.workflow.cancels {
            for older in running {
                self.mark(older, RunState::Cancelled);
                self.ended_from_outside.push(older);
            }
            self.go_on();
        } else if !waits {
            self.go_on();
        }
    }

    /// Lets the first that waits go on, if nobody is before it.
    fn go_on(&mut self) {
        let grouped = self.workflow.group.is_some();
        let busy = !self.numbers(RunState::Active).is_empty();
        if grouped && busy {
            return;
        }
        let waiting = self.numbers(RunState::Pending).into_iter();
        let most = if grouped { 1 } else { usize::MAX };
        for number in waiting.take(most) {
            self.mark(number, RunState::Active);
            self.begun.push(number);
        }
    }

    /// Whether the caller may see the repository, and what it may do.
    fn right(&self, call: &Call, now: Now) -> Result<TokenRight, No> {
        let given = call.authorization.as_deref().unwrap_or_default();
        let schemes = ["bearer", "token"];
        let parts = given.split_once(' ');
        let known = parts.filter(|(scheme, _)| {
            schemes
                .iter()
                .any(|known| scheme.eq_ignore_ascii_case(known))
        });
        let text = known.map_or("", |(_, text)| text.trim());
        let token = self.tokens.get(text);
        let alive = token.filter(|token| token.until.is_none_or(|until| now.since < until));
        let bad = || No(401, "Bad credentials".to_owned());
        alive.map(|token| token.right).ok_or_else(bad)
    }

    fn decide(&mut self, call: &Call, now: Now) -> Result<(u16, Value), No> {
        if call.agent.as_deref().unwrap_or_default().is_empty() {
            let message = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header";
            return Err(No(403, message.to_owned()));
        }
        if let Some(version) = call.version.as_deref().filter(|it| !VERSIONS.contains(it)) {
            return Err(No(400, format!("{version} is no version of the REST API")));
        }
        let right = self.right(call, now)?;
        let none = || No(404, "Not Found".to_owned());
        let (asked, path) = self.repository_of(&call.path).ok_or_else(none)?;
        if asked.eq_ignore_ascii_case(&self.repository) && self.renamed.is_some() {
            return Err(moved(&call.method));
        }
        if !asked.eq_ignore_ascii_case(self.repository()) || right == TokenRight::None {
            return Err(none());
        }
        if let Some(shown) = self.shown_of(call, path) {
            return shown.ok_or_else(none);
        }
        let path = path.strip_prefix("actions/workflows/").ok_or_else(none)?;
        let (file, action) = path.split_once('/').unwrap_or((path, ""));
        if file != self.workflow.file {
            return Err(none());
        }
        match (call.method.as_str(), action) {
            ("GET", "") => Ok((200, self.shown())),
            ("GET", "runs") => Ok((200, self.listed())),
            ("POST", "dispatches") => self.dispatch(call, right, now),
            _ => Err(none()),
        }
    }

    /// The repository that a path is about, by its name or its id, and the rest of the path.
    fn repository_of<'a>(&self, path: &'a str) -> Option<(String, &'a str)> {
        if let Some(rest) = path.strip_prefix("/repositories/") {
            let (id, rest) = rest.split_once('/')?;
            let is_own = id == self.repository_id.to_string();
            return is_own.then(|| (self.repository().to_owned(), rest));
        }
        let rest = path.strip_prefix("/repos/")?;
        let mut parts = rest.splitn(3, '/');
        let (owner, name) = (parts.next()?, parts.next()?);
        Some((format!("{owner}/{name}"), parts.next()?))
    }

    /// Where a redirect leads: to the same under the id, which stays.
    fn location(&self, http: u16, path: &str) -> Option<String> {
        let (_, rest) = self.repository_of(path)?;
        match http {
            301 | 307 => Some(format!("/repositories/{}/{rest}", self.repository_id)),
            302 => {
                let job = rest.rsplit('/').nth(1)?;
                Some(format!("https://{LOG_HOST}{LOGS}{job}"))
            }
            _ => None,
        }
    }

    /// The workflow's runs, the newest first (REST API, "List workflow runs for a workflow").
    fn listed(&self) -> Value {
        let shown = |run: &WorkflowRun| {
            let (status, conclusion) = match run.state {
                RunState::Pending => ("pending", None),
                RunState::Active => ("in_progress", None),
                RunState::Ended if run.good => ("completed", Some("success")),
                RunState::Ended => ("completed", Some("failure")),
                RunState::Cancelled => ("completed", Some("cancelled")),
            };
            let (repository, number) = (self.repository(), run.number);
            let url = format!("https://github.com/{repository}/actions/runs/{number}");
            json!({ "id": number, "status": status, "conclusion": conclusion, "html_url": url })
        };
        let runs: Vec<Value> = self.runs.iter().rev().map(shown).collect();
        json!({ "total_count": runs.len(), "workflow_runs": runs })
    }

    /// The jobs of a run, each with the run's own number, and where the log of one is; the outer `None` for other paths.
    fn shown_of(&self, call: &Call, path: &str) -> Option<Option<(u16, Value)>> {
        let (of, rest) =
            [("runs", "jobs"), ("jobs", "logs")]
                .into_iter()
                .find_map(|(of, what)| {
                    let rest = path.strip_prefix(&format!("actions/{of}/"))?;
                    Some((of, rest.strip_suffix(&format!("/{what}"))?))
                })?;
        let number = rest.parse().ok();
        let run = number.and_then(|number: usize| self.run(number));
        Some(run.filter(|_| call.method == "GET").map(|run| match of {
            "runs" => {
                let jobs = json!([{ "id": run.number, "run_id": run.number }]);
                (200, json!({ "total_count": 1, "jobs": jobs }))
            }
            _ => (302, Value::Null),
        }))
    }

    /// A log as it lies at a host of its own, which asks for no token: whoever has the address may read it.
    fn log(&self, path: &str) -> Option<&str> {
        let number = path.strip_prefix(LOGS)?.parse().ok()?;
        let run = self.run(number)?;
        (run.state == RunState::Ended).then_some(run.log.as_str())
    }

    fn shown(&self) -> Value {
        let state = if self.workflow.disabled {
            "disabled_manually"
        } else {
            "active"
        };
        json!({
            "id": self.repository_id,
            "path": format!(".github/workflows/{}", self.workflow.file),
            "state": state,
        })
    }

    fn dispatch(&mut self, call: &Call, right: TokenRight, now: Now) -> Result<(u16, Value), No> {
        let no = |message: String| Err(No(422, message));
        if right < TokenRight::Write {
            let message = "Resource not accessible by personal access token";
            return Err(No(403, message.to_owned()));
        }
        let sent = sent(call)?;
        let Some(branch) = sent.get("ref").and_then(Value::as_str) else {
            return no("Invalid request.\n\n\"ref\" wasn't supplied.".to_owned());
        };
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        if !self.branches.contains(branch) {
            return no(format!("No ref found for: {branch}"));
        }
        if self.workflow.disabled {
            return no("Cannot trigger a 'workflow_dispatch' on a disabled workflow".to_owned());
        }
        if let Some(why) = &self.workflow.invalid {
            return no(format!("failed to parse workflow: {why}"));
        }
        if !self.workflow.dispatchable {
            return no("Workflow does not have 'workflow_dispatch' trigger".to_owned());
        }
        let inputs = sent.get("inputs").and_then(Value::as_object);
        let given = inputs.into_iter().flatten();
        let given: Vec<(&str, Option<&str>)> = given
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        if let Some((told, _)) = DispatchInput::refusal(&self.workflow.inputs, &given) {
            return no(told);
        }
        let branch = branch.to_owned();
        self.begin(&branch, now.since);
        Ok((204, Value::Null))
    }

    fn is_lost(&mut self, dispatches: bool) -> bool {
        match &mut self.trouble {
            Some(MessageTrouble::Down) => true,
            Some(MessageTrouble::Lost(left)) if dispatches && *left > 0 => {
                *left -= 1;
                true
            }
            Some(MessageTrouble::Lost(_)) | None => false,
        }
    }
}

/// The JSON object that was sent. A form is taken for what it is: it has no `ref`.
fn sent(call: &Call) -> Result<Map<String, Value>, No> {
    let kind = call.content_type.as_deref().unwrap_or_default();
    if kind.starts_with("application/x-www-form-urlencoded") {
        return Ok(Map::new());
    }
    let read: Result<Value, _> = serde_json::from_str(&call.body);
    match read {
        Ok(Value::Object(sent)) => Ok(sent),
        Ok(_) => Err(No(422, "Invalid request.\n\nIt is no object.".to_owned())),
        Err(_) => Err(No(400, "Problems parsing JSON".to_owned())),
    }
}

impl Service for GitHub {
    fn answer(&mut self, call: &Call, now: Now) -> Reply {
        if let Some(log) = self.log(&call.path) {
            return Reply::Answer {
                http: 200,
                kind: "text/plain; charset=utf-8",
                body: log.to_owned(),
                location: None,
                late: Duration::ZERO,
            };
        }
        let dispatches = call.method == "POST" && call.path.ends_with("/dispatches");
        let lost = self.is_lost(dispatches);
        let answer = if lost {
            Err(No(0, "no answer".to_owned()))
        } else {
            self.decide(call, now)
        };
        let (http, body, message) = match answer {
            Ok((http, body)) => (http, body, String::new()),
            Err(No(http, message)) => (http, json!({ "message": message }), message),
        };
        if dispatches {
            self.dispatches.push(Dispatch {
                at: now.since,
                http,
                message,
            });
        }
        if lost {
            return Reply::Dropped;
        }
        Reply::Answer {
            http,
            kind: "application/json; charset=utf-8",
            location: self.location(http, &call.path),
            body: if body.is_null() {
                String::new()
            } else {
                body.to_string()
            },
            late: Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn github(group: bool) -> GitHub {
        let workflow = DispatchedWorkflow {
            file: "dns-failover.yml".to_owned(),
            dispatchable: true,
            group: group.then(|| "dns-failover".to_owned()),
            ..DispatchedWorkflow::default()
        };
        let mut github = GitHub::new("acme/dns-failover", 200_002, ["main".to_owned()], workflow);
        for (text, right, until) in [
            ("good", TokenRight::Write, None),
            ("old", TokenRight::Write, Some(Duration::from_secs(10))),
            ("reader", TokenRight::Read, None),
            ("stranger", TokenRight::None, None),
        ] {
            let token = DispatchToken { right, until };
            github.tokens.insert(text.to_owned(), token);
        }
        github
    }

    fn call(token: &str, body: &str) -> Call {
        Call {
            method: "POST".to_owned(),
            path: "/repos/acme/dns-failover/actions/workflows/dns-failover.yml/dispatches"
                .to_owned(),
            authorization: Some(format!("Bearer {token}")),
            content_type: Some("application/json".to_owned()),
            agent: Some("Uptime-Kuma/2.5.3".to_owned()),
            body: body.to_owned(),
            ..Call::default()
        }
    }

    fn said(github: &mut GitHub, call: &Call) -> (u16, String) {
        let now = Now {
            since: Duration::from_secs(60),
            ..Now::default()
        };
        match github.answer(call, now) {
            Reply::Answer { http, body, .. } => (http, body),
            Reply::Dropped => (0, String::new()),
        }
    }

    const MAIN: &str = r#"{"ref":"main"}"#;

    #[test]
    fn a_fixed_message_starts_a_run_and_everything_else_is_told_why_not() {
        let mut github = github(true);
        let cases = [
            ("good", MAIN, 204, ""),
            ("old", MAIN, 401, "Bad credentials"),
            ("", MAIN, 401, "Bad credentials"),
            ("reader", MAIN, 403, "not accessible"),
            ("stranger", MAIN, 404, "Not Found"),
            ("good", "{}", 422, "wasn't supplied"),
            ("good", "ref", 400, "parsing"),
            ("good", r#"{"ref":"gone"}"#, 422, "No ref found for: gone"),
            (
                "good",
                r#"{"ref":"main","inputs":{"target":"203.0.113.66"}}"#,
                422,
                "Unexpected inputs",
            ),
        ];
        for (token, body, http, message) in cases {
            let (status, told) = said(&mut github, &call(token, body));
            assert_eq!(status, http, "{token} {body}: {told}");
            assert!(told.contains(message), "{told}");
        }
        assert_eq!(github.runs().len(), 1);
    }

    #[test]
    fn a_form_has_no_ref_and_a_caller_without_a_name_is_sent_away() {
        let mut github = github(true);
        let form = Call {
            content_type: Some("application/x-www-form-urlencoded".to_owned()),
            ..call("good", MAIN)
        };
        assert_eq!(said(&mut github, &form).0, 422);
        let nameless = Call {
            agent: None,
            ..call("good", MAIN)
        };
        assert_eq!(said(&mut github, &nameless).0, 403);
        github.workflow.disabled = true;
        assert!(
            said(&mut github, &call("good", MAIN))
                .1
                .contains("disabled")
        );
        github.rename("acme/other");
        assert_eq!(said(&mut github, &call("good", MAIN)).0, 307);
        let asked = Call {
            method: "GET".to_owned(),
            ..call("good", "")
        };
        assert_eq!(said(&mut github, &asked).0, 301);
        assert!(github.runs().is_empty());
    }

    #[test]
    fn a_renamed_repository_sends_on_to_its_id_where_the_message_is_taken() {
        let mut github = github(true);
        github.rename("acme/other");
        let now = Now::default();
        let reply = github.answer(&call("good", MAIN), now);
        let Reply::Answer {
            location: Some(path),
            http: 307,
            ..
        } = reply
        else {
            panic!("{reply:?}");
        };
        assert_eq!(
            path,
            "/repositories/200002/actions/workflows/dns-failover.yml/dispatches"
        );
        let on = Call {
            path,
            ..call("good", MAIN)
        };
        assert_eq!(said(&mut github, &on).0, 204);
        assert_eq!(github.runs().len(), 1);
    }

    #[test]
    fn a_required_input_is_asked_for_and_an_invalid_file_begins_nothing() {
        let mut github = github(true);
        github.workflow.inputs.push(DispatchInput {
            name: "why".to_owned(),
            required: true,
            ..DispatchInput::default()
        });
        let (http, told) = said(&mut github, &call("good", MAIN));
        assert_eq!(http, 422);
        assert!(told.contains("Required input 'why' not provided"), "{told}");
        let given = r#"{"ref":"main","inputs":{"why":"x"}}"#;
        assert_eq!(said(&mut github, &call("good", given)).0, 204);
        github.workflow.invalid = Some("two keys".to_owned());
        assert_eq!(said(&mut github, &call("good", given)).0, 422);
    }

    #[test]
    fn with_a_queue_a_hundred_wait_and_none_loses_its_place() {
        let mut github = github(true);
        github.workflow.queues = true;
        for _ in 0..102 {
            assert_eq!(said(&mut github, &call("good", MAIN)).0, 204);
        }
        let of = |github: &GitHub, state| {
            let runs = github.runs().iter();
            runs.filter(|run| run.state == state).count()
        };
        assert_eq!(of(&github, RunState::Active), 1);
        assert_eq!(of(&github, RunState::Pending), 100);
        assert_eq!(of(&github, RunState::Cancelled), 1);
        github.ended(1);
        assert_eq!(of(&github, RunState::Pending), 99);
    }

    #[test]
    fn one_runs_one_waits_and_a_newer_one_takes_its_place() {
        let mut github = github(true);
        for _ in 0..3 {
            assert_eq!(said(&mut github, &call("good", MAIN)).0, 204);
        }
        let states = |github: &GitHub| -> Vec<RunState> {
            github.runs().iter().map(|run| run.state).collect()
        };
        use RunState::{Active, Cancelled, Ended, Pending};
        assert_eq!(states(&github), [Active, Cancelled, Pending]);
        let begun = |github: &mut GitHub| -> Vec<usize> {
            let begun = github.take_begun();
            begun.iter().map(|run| run.number).collect()
        };
        assert_eq!(begun(&mut github), [1]);
        github.ended(1);
        assert_eq!(states(&github), [Ended, Cancelled, Active]);
        assert_eq!(begun(&mut github), [3]);
    }

    #[test]
    fn without_a_group_all_run_and_one_that_cancels_ends_the_one_before() {
        let mut github = github(false);
        for _ in 0..2 {
            said(&mut github, &call("good", MAIN));
        }
        assert_eq!(github.take_begun().len(), 2);
        let mut github = self::github(true);
        github.workflow.cancels = true;
        for _ in 0..2 {
            said(&mut github, &call("good", MAIN));
        }
        assert_eq!(github.take_cancelled(), [1]);
        assert_eq!(github.take_begun().len(), 2);
    }
}
