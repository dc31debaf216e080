//! Runs of a workflow and the logs of their jobs, read over GitHub's REST API (docs, "List workflow runs for a workflow", "List
//! jobs for a workflow run", "Download job logs for a workflow run"). Reading is all that there is: every request is a GET, and
//! the token is never shown. A log is at another host, to which GitHub sends on and which gets no token.

use std::fmt;
use std::time::Duration;

use hyper::Uri;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue, LOCATION};
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
/// The most of a log that is read.
const LOG: usize = 16 << 20;
/// How many runs are asked for.
const RUNS: usize = 10;
/// How many jobs of a run are asked for; the failover workflow has one.
const JOBS: usize = 10;

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

    /// A question to GitHub's API, which alone is asked with the token.
    fn ask(&self, uri: &Uri, keep: usize) -> Result<Result<Reply, String>, Cancelled> {
        let version = (
            HeaderName::from_static(VERSION.0),
            HeaderValue::from_static(VERSION.1),
        );
        let headers = vec![(AUTHORIZATION, self.bearer.clone()), version];
        self.get(uri, headers, keep)
    }

    fn get(
        &self,
        uri: &Uri,
        headers: Vec<(HeaderName, HeaderValue)>,
        keep: usize,
    ) -> Result<Result<Reply, String>, Cancelled> {
        let host = uri.host().unwrap_or_default();
        let path = uri.path_and_query().map_or("/", |it| it.as_str());
        let get = Get {
            path: path.to_owned(),
            authority: uri.authority().map_or("", |it| it.as_str()).to_owned(),
            headers,
            keep,
            ..Get::root(host)
        };
        let rehearsed = self.world.detour().is_some();
        let place = match uri.port_u16() {
            Some(port) if !rehearsed => Place::Name(format!("{host}."), port),
            _ => Place::named(&self.world, host),
        };
        let replied = if rehearsed {
            let asked = get_in_the_clear(place, get, PATIENCE);
            self.runtime.run(asked)?
        } else {
            match Trust::of(&self.world) {
                Ok(trust) => self.runtime.run(self::get(trust, place, get, PATIENCE))?,
                Err(fault) => return Ok(Err(fault.to_string())),
            }
        };
        let silent = |why: NoAnswer| format!("no answer: {}", why.word().replace('_', " "));
        Ok(replied.map_err(silent))
    }

    /// The place of something of the repository in the API.
    fn place(&self, rest: &str) -> Option<Uri> {
        let (base, _) = self.uri.path().split_once("/actions/")?;
        let authority = self.uri.authority()?;
        format!("https://{authority}{base}/actions/{rest}")
            .parse()
            .ok()
    }

    /// The log of a job, from where GitHub sends on to.
    fn job_log(&self, job: u64) -> Result<Result<String, String>, Cancelled> {
        let Some(uri) = self.place(&format!("jobs/{job}/logs")) else {
            return Ok(Err("there is no such place".to_owned()));
        };
        let reply = match self.ask(&uri, LOG)? {
            Ok(reply) => reply,
            Err(why) => return Ok(Err(why)),
        };
        let reply = match elsewhere(&reply) {
            None => reply,
            Some(Err(why)) => return Ok(Err(why)),
            Some(Ok(uri)) => match self.get(&uri, Vec::new(), LOG)? {
                Ok(reply) => reply,
                Err(why) => return Ok(Err(why)),
            },
        };
        Ok(match reply.status {
            200 => Ok(String::from_utf8_lossy(&reply.body).into_owned()),
            status => Err(format!("the log was answered {status}")),
        })
    }
}

/// Where an answer sends on to, if it does.
fn elsewhere(reply: &Reply) -> Option<Result<Uri, String>> {
    if ![301, 302, 303, 307, 308].contains(&reply.status) {
        return None;
    }
    let location = reply.headers.get(LOCATION);
    let uri = location.and_then(|it| it.to_str().ok()?.parse::<Uri>().ok());
    let uri = uri.filter(|uri| uri.scheme_str() == Some("https") && uri.host().is_some());
    Some(uri.ok_or_else(|| "the log is at no `https` place".to_owned()))
}

impl WorkflowRuns for GitHubRuns {
    fn latest(&mut self) -> Result<Result<Vec<WorkflowRun>, String>, Cancelled> {
        let replied = self.ask(&self.uri, MOST)?;
        Ok(runs(replied))
    }

    fn log(&mut self, run: u64) -> Result<Result<String, String>, Cancelled> {
        let Some(uri) = self.place(&format!("runs/{run}/jobs?per_page={JOBS}")) else {
            return Ok(Err("there is no such place".to_owned()));
        };
        let listed = match self.ask(&uri, MOST)? {
            Ok(reply) => jobs(&reply),
            Err(why) => Err(why),
        };
        let jobs = match listed {
            Ok(jobs) => jobs,
            Err(why) => return Ok(Err(why)),
        };
        let mut whole = String::new();
        for job in jobs {
            match self.job_log(job)? {
                Ok(log) => {
                    whole.push_str(&log);
                    whole.push('\n');
                }
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(whole))
    }
}

/// The ids of the jobs in a list.
fn jobs(reply: &Reply) -> Result<Vec<u64>, String> {
    if reply.status != 200 {
        return Err(refusal(reply.status));
    }
    let read: Option<Value> = serde_json::from_slice(&reply.body).ok();
    let listed = read.as_ref().and_then(|read| read.get("jobs"));
    let listed = listed
        .and_then(Value::as_array)
        .ok_or("the answer is no list of jobs")?;
    let ids = listed.iter().filter_map(|job| job.get("id")?.as_u64());
    Ok(ids.collect())
}

fn runs(replied: Result<Reply, String>) -> Result<Vec<WorkflowRun>, String> {
    let reply = replied?;
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
        assert_eq!(runs(Err("no answer".to_owned())).unwrap_err(), "no answer");
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
