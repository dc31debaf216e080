//! Runs of a workflow, read over GitHub's REST API (docs, "List workflow runs for a workflow"). Reading is all that there is:
//! every request is a GET, and the token is never shown.

use std::fmt;
use std::time::Duration;

use hyper::Uri;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::Value;

use crate::failover::NoAnswer;
use crate::ports::{Cancelled, WorkflowRun, WorkflowRuns};

use super::executor::https::{Get, Place, Reply, Trust, get, get_in_the_clear};
use super::{Runtime, World};

/// The version of the API that is spoken here.
const VERSION: (&str, &str) = ("x-github-api-version", "2022-11-28");
/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most of an answer that is read; ten runs have about 150 KiB.
const MOST: usize = 4 << 20;
/// How many runs are asked for.
const RUNS: usize = 10;

/// The runs of one workflow of one repository.
pub struct GitHubRuns {
    runtime: Runtime,
    world: World,
    uri: Uri,
    bearer: HeaderValue,
}

impl fmt::Debug for GitHubRuns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GitHubRuns")
            .field("uri", &self.uri)
            .finish_non_exhaustive()
    }
}

impl GitHubRuns {
    /// Those of the workflow whose place in GitHub's API this is, asked for with this token; `None` where that is no `https` URL,
    /// or the token cannot stand in a header.
    #[must_use]
    pub fn new(runtime: Runtime, world: World, workflow: &str, token: &str) -> Option<Self> {
        let uri: Uri = format!("{workflow}/runs?per_page={RUNS}").parse().ok()?;
        let secure = uri.scheme_str() == Some("https") && uri.host().is_some();
        let mut bearer = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
        bearer.set_sensitive(true);
        secure.then_some(Self {
            runtime,
            world,
            uri,
            bearer,
        })
    }

    fn host(&self) -> &str {
        self.uri.host().unwrap_or_default()
    }

    fn get(&self) -> Get {
        let version = (
            HeaderName::from_static(VERSION.0),
            HeaderValue::from_static(VERSION.1),
        );
        Get {
            path: self
                .uri
                .path_and_query()
                .map_or("/", |it| it.as_str())
                .to_owned(),
            authority: self.uri.authority().map_or("", |it| it.as_str()).to_owned(),
            headers: vec![(AUTHORIZATION, self.bearer.clone()), version],
            keep: MOST,
            ..Get::root(self.host())
        }
    }
}

impl WorkflowRuns for GitHubRuns {
    fn latest(&mut self) -> Result<Result<Vec<WorkflowRun>, String>, Cancelled> {
        let rehearsed = self.world.detour().is_some();
        let place = match self.uri.port_u16() {
            Some(port) if !rehearsed => Place::Name(format!("{}.", self.host()), port),
            _ => Place::named(&self.world, self.host()),
        };
        let replied = if rehearsed {
            let asked = get_in_the_clear(place, self.get(), PATIENCE);
            self.runtime.run(asked)?
        } else {
            match Trust::of(&self.world) {
                Ok(trust) => self.runtime.run(get(trust, place, self.get(), PATIENCE))?,
                Err(fault) => return Ok(Err(fault.to_string())),
            }
        };
        Ok(runs(replied))
    }
}

fn runs(replied: Result<Reply, NoAnswer>) -> Result<Vec<WorkflowRun>, String> {
    let reply = replied.map_err(|why| format!("no answer: {}", why.word().replace('_', " ")))?;
    if reply.status != 200 {
        return Err(refusal(reply.status));
    }
    let read: Option<Value> = serde_json::from_slice(&reply.body).ok();
    let listed = read.as_ref().and_then(|read| read.get("workflow_runs"));
    let listed = listed.and_then(Value::as_array);
    let listed = listed.ok_or("the answer is no list of runs")?;
    Ok(listed.iter().filter_map(run).collect())
}

fn refusal(status: u16) -> String {
    let why = match status {
        401 => "the token is wrong or has run out",
        403 | 429 => "the token may not read runs, or has asked too often",
        404 => "there is no such workflow, or the token does not see the repository",
        _ => "that is no list of runs",
    };
    format!("answered {status}: {why}")
}

fn run(value: &Value) -> Option<WorkflowRun> {
    let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
    Some(WorkflowRun {
        id: value.get("id")?.as_u64()?,
        status: text("status")?,
        conclusion: text("conclusion"),
        url: text("html_url").unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderMap;

    fn told(status: u16, body: &str) -> Result<Vec<WorkflowRun>, String> {
        runs(Ok(Reply {
            status,
            headers: HeaderMap::new(),
            body: body.as_bytes().to_vec(),
        }))
    }

    #[test]
    fn runs_are_read_as_github_lists_them() {
        let body = r#"{"total_count":2,"workflow_runs":[
            {"id":30433642,"status":"in_progress","conclusion":null,"html_url":"https://github.com/acme/dns-failover/actions/runs/30433642"},
            {"id":30433641,"status":"completed","conclusion":"success"},
            {"status":"completed"}]}"#;
        let runs = told(200, body).unwrap();
        assert_eq!(runs.len(), 2);
        assert!(!runs[0].is_over() && runs[1].is_over());
        assert_eq!(runs[1].conclusion.as_deref(), Some("success"));
    }

    #[test]
    fn what_is_no_list_is_told_in_words() {
        assert!(told(401, "").unwrap_err().contains("has run out"));
        assert!(told(404, "").unwrap_err().contains("no such workflow"));
        assert!(told(200, "{}").unwrap_err().contains("no list"));
        assert!(
            runs(Err(NoAnswer::Timeout))
                .unwrap_err()
                .contains("timeout")
        );
    }

    #[test]
    fn the_token_is_not_shown_and_must_fit_into_a_header() {
        let of = |token: &str| {
            let runtime = Runtime::new().unwrap();
            let place = "https://api.github.com/repos/acme/x/actions/workflows/a.yml";
            GitHubRuns::new(runtime, World::default(), place, token)
        };
        let shown = format!("{:?}", of("secret").unwrap());
        assert!(!shown.contains("secret"), "{shown}");
        assert!(of("a\nb").is_none());
        let runtime = Runtime::new().unwrap();
        let clear = GitHubRuns::new(
            runtime,
            World::default(),
            "http://github.example.com/x",
            "a",
        );
        assert!(clear.is_none());
    }
}
