//! Code of a pull request from anywhere that is fetched and run with the secrets and tokens of this repository.

use crate::diag::Severity;
use crate::model::workflow::{Access, Expression, Grant, Job, Step, Workflow, embedded, variable};
use crate::rules::{Check, Rule, Sink, Tier};
use crate::text::Text;

/// The rule.
pub(in crate::rules) const RULE: Rule = Rule {
    id: "foreign-code-in-privileged-run",
    aliases: &[],
    summary: "a run with secrets fetches the code of a pull request and runs it",
    severity: Severity::Error,
    tier: Tier::Specific,
    page: include_str!("foreign_code_in_privileged_run.md"),
    check: Check::Workflow(check),
};

/// Events whose runs have this repository's rights, whoever caused them.
const EVENTS: [&str; 3] = ["pull_request_target", "workflow_run", "issue_comment"];

fn check(workflow: &Workflow, sink: &mut Sink<'_>) {
    let mut events = EVENTS.iter().filter_map(|name| workflow.trigger(name));
    let Some(event) = events.next() else {
        return;
    };
    for job in &workflow.jobs {
        let Some((place, fetched)) = job.steps.iter().enumerate().find_map(of_head) else {
            continue;
        };
        let later = job.steps.iter().skip(place + 1);
        let same = job.steps.get(place).and_then(runs_what_it_fetches);
        let Some(run) = same.or_else(|| later.into_iter().find_map(runs)) else {
            continue;
        };
        let gains = gains(workflow, job);
        let severity = if gains.is_some() {
            Severity::Error
        } else {
            Severity::Warning
        };
        let gained = gains.unwrap_or_else(|| "the caches of the default branch".to_owned());
        let name = event.name.as_str();
        sink.report(
            fetched.span(),
            format!(
                "a run on `{name}` fetches what somebody else wrote, and runs it with {gained}"
            ),
        )
        .severity(severity)
        .related(run.span(), "it is run here")
        .related(event.name.span(), "such a run has the rights of this repository")
        .help("run the code of a pull request on `pull_request`, whose token may only read, and leave to this workflow what needs no code of others");
    }
}

/// The text by which a step fetches the head of a pull request.
fn of_head((place, step): (usize, &Step)) -> Option<(usize, &Text)> {
    let uses = step.uses.as_ref();
    if uses.is_some_and(|uses| uses.is_action("actions", "checkout")) {
        let values = ["ref", "repository"].into_iter();
        let mut values = values.filter_map(|name| variable(&step.with, name)?.value.as_ref());
        return values
            .find(|value| names_head(value.as_str()))
            .map(|value| (place, value));
    }
    let run = step.run.as_ref()?;
    run.as_str().lines().any(fetches).then_some((place, run))
}

/// Whether a line of a script fetches a pull request: by `gh`, or its ref by `git`.
fn fetches(line: &str) -> bool {
    let of_pull = ["refs/pull/", " pull/", "\"pull/", "'pull/", "+pull/"];
    line.contains("gh pr checkout")
        || ["git fetch", "git pull"]
            .iter()
            .any(|git| line.contains(git))
            && of_pull.iter().any(|pull| line.contains(pull))
}

/// The script of a step that fetches the code and goes on to run it.
fn runs_what_it_fetches(step: &Step) -> Option<&Text> {
    let run = step.run.as_ref()?;
    let commands = run.as_str().split(['\n', ';', '|', '&']).map(str::trim);
    let mut behind = commands.skip_while(|command| !fetches(command)).skip(1);
    behind.any(is_run).then_some(run)
}

/// Whether a command may run what stands in the working folder.
fn is_run(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.find(|word| !word.contains('='));
    program.is_some_and(|program| {
        !program.starts_with('#') && !HARMLESS.contains(&program) && program != "}"
    })
}

/// Programs that run nothing of what was fetched, and words of the shell.
const HARMLESS: [&str; 22] = [
    "cat", "cd", "diff", "do", "done", "echo", "else", "exit", "export", "fi", "for", "gh", "git",
    "grep", "if", "ls", "printf", "pwd", "set", "then", "true", "while",
];

/// Whether a text names the commit, branch or repository that a pull request comes from.
fn names_head(text: &str) -> bool {
    let head = |path: &str| {
        path == "github.head_ref"
            || path.starts_with("github.event.pull_request.head.")
            || path == "github.event.pull_request.merge_commit_sha"
            || path.starts_with("github.event.workflow_run.head_")
            || path.starts_with("github.event.workflow_run.pull_requests.")
    };
    let in_expression = embedded(text).into_iter().any(|part| {
        let read = text.get(part.inner).and_then(Expression::read);
        read.is_some_and(|read| read.pasted().iter().any(|one| head(one.path)))
    });
    in_expression || text.contains("refs/pull/") || text.starts_with("pull/")
}

/// What a step runs of the working folder.
fn runs(step: &Step) -> Option<&Text> {
    let local = |text: &&Text| text.as_str().trim().starts_with("./");
    let uses = step.uses.as_ref().map(|uses| &uses.text).filter(local);
    step.run.as_ref().or(uses)
}

/// What the code gains: `None` where the token may only read and no secret is named.
fn gains(workflow: &Workflow, job: &Job) -> Option<String> {
    let Some(permissions) = workflow.permissions_of(job) else {
        return Some("a token whose rights nobody has limited".to_owned());
    };
    if permissions.access("id-token") == Some(Access::Write) {
        return Some("`id-token: write`, which borrows roles".to_owned());
    }
    if let Grant::WriteAll(_) = permissions.grant {
        return Some("a token that may write everything".to_owned());
    }
    let mut scopes = permissions.scopes().iter();
    if let Some(scope) = scopes.find(|scope| scope.access == Access::Write) {
        return Some(format!("a token that has `{}: write`", scope.name.as_str()));
    }
    let mut texts = job.texts().chain(
        workflow
            .env
            .iter()
            .filter_map(|variable| variable.value.as_ref()),
    );
    let secret = |text: &Text| {
        let text = text.as_str();
        let parts = embedded(text).into_iter();
        let mut inner = parts.filter_map(|part| text.get(part.inner));
        inner.any(|inner| inner.to_ascii_lowercase().contains("secrets."))
    };
    texts
        .any(secret)
        .then(|| "secrets of this repository".to_owned())
}
