//! `pointsman drill --live` against a world on loopback: the test is the person who sets the pin, and the executor that moves the
//! records.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program, on real files and sockets of loopback"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pointsman::drill::{
    Authority, DispatchToken, DispatchedWorkflow, Endpoint, GitHub as GitHubEndpoint, NameServer,
    SharedRecords, Site, SiteConduct, TokenRight,
};
use pointsman::failover::journal::in_log;
use pointsman::model::dns::RecordName;
use serde_json::{Value, json};

use crate::binary::Folder;
use crate::failover_shell::{Mishap, performed, scenarios};

const EDGE: &str = "198.51.100.10";
const HUB: &str = "203.0.113.20";
const NAMES: [&str; 2] = ["example.com", "*.example.com"];

fn name(text: &str) -> RecordName {
    RecordName::parse(text).unwrap()
}

/// GitHub's list of runs, in the clear on loopback, and what it was asked.
struct GitHub {
    socket: SocketAddr,
    runs: Arc<Mutex<Value>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl GitHub {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = listener.local_addr().unwrap();
        let (runs, asked) = (Arc::default(), Arc::default());
        let github = Self {
            socket,
            runs: Arc::clone(&runs),
            asked: Arc::clone(&asked),
        };
        github.lists(&[(1, "completed", Some("success"))]);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    if stream.read(&mut byte).unwrap_or(0) == 0 {
                        break;
                    }
                    head.push(byte[0]);
                }
                asked
                    .lock()
                    .unwrap()
                    .push(String::from_utf8_lossy(&head).into_owned());
                let head = String::from_utf8_lossy(&head).into_owned();
                let answer = answered(&head, &runs.lock().unwrap());
                drop(stream.write_all(answer.as_bytes()));
            }
        });
        github
    }

    fn lists(&self, runs: &[(u64, &str, Option<&str>)]) {
        let run = |(id, status, conclusion): &(u64, &str, Option<&str>)| {
            json!({
                "id": id, "status": status, "conclusion": conclusion,
                "html_url": format!("https://github.com/acme/dns-failover/actions/runs/{id}"),
            })
        };
        let all: Vec<Value> = runs.iter().rev().map(run).collect();
        *self.runs.lock().unwrap() = json!({ "total_count": all.len(), "workflow_runs": all });
    }
}

/// What GitHub answers: the list, the job of a run, and where the log of that job is, at a host of its own.
fn answered(head: &str, runs: &Value) -> String {
    let path = head.split(' ').nth(1).unwrap_or_default();
    let id = path.split('/').rev().nth(1).unwrap_or_default();
    let (line, body) = if path.ends_with("/jobs?per_page=10") {
        let jobs = json!({ "total_count": 1, "jobs": [{ "id": id.parse::<u64>().unwrap() * 10 }] });
        ("200 OK".to_owned(), jobs.to_string())
    } else if path.ends_with("/logs") {
        let to = format!("302 Found\r\nlocation: https://logs.example.net/{id}?sig=x");
        (to, String::new())
    } else if path == "/20?sig=x" {
        ("200 OK".to_owned(), log())
    } else if path.contains("?sig=x") {
        (
            "200 OK".to_owned(),
            "2026-12-01T04:05:06.1234567Z a log without one\n".to_owned(),
        )
    } else {
        ("200 OK".to_owned(), runs.to_string())
    };
    let length = body.len();
    format!("HTTP/1.1 {line}\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// The journal of a run that moved the records.
fn journal() -> String {
    let all = scenarios();
    let row = all.iter().find(|row| row.id == "B01").unwrap();
    performed(row, Mishap::default()).journal
}

/// The log of a job with it, as GitHub gives one out.
fn log() -> String {
    let lines: Vec<String> = journal().lines().map(str::to_owned).collect();
    let told = format!("0.0 s  begins\n{}ended\n", in_log(&lines));
    let lines = told.lines();
    lines
        .map(|line| format!("2026-12-01T04:05:06.1234567Z {line}\r\n"))
        .collect()
}

struct Stage {
    folder: Folder,
    records: SharedRecords,
    servers: [NameServer; 2],
    hub: Site,
    github: GitHub,
    _edge: Site,
}

impl Stage {
    fn new() -> Self {
        let authority = Authority::new("rehearsal").unwrap();
        let site = || Site::start(&authority, &NAMES).unwrap();
        let (edge, hub) = (site(), site());
        let records = SharedRecords::default();
        let zone = name("example.com");
        let server = || NameServer::start(&zone, records.clone()).unwrap();
        let servers = [server(), server()];
        let github = GitHub::start();
        let folder = Folder::of_the_reference_deployment();
        let world = json!({
            "sockets": { EDGE: edge.socket(), HUB: hub.socket() },
            "names": { "api.github.com": github.socket, "logs.example.net": github.socket },
            "authority": authority.pem(),
            "route53": "http://127.0.0.1:9",
            "sts": "http://127.0.0.1:9",
        });
        folder.write("world.json", world.to_string());
        let stage = Self {
            folder,
            records,
            servers,
            hub,
            github,
            _edge: edge,
        };
        stage.at(EDGE);
        stage
    }

    fn at(&self, address: &str) {
        let sets = NAMES.map(|own| (name(own), "A".to_owned(), 300, vec![address.to_owned()]));
        self.records.set_all(sets);
    }

    fn exercise(&self, more: &[&str]) -> Exercise {
        let here = self.folder.path();
        let [one, two] = &self.servers;
        let mut child = Command::new(env!("CARGO_BIN_EXE_pointsman"))
            .current_dir(here)
            .env_clear()
            .env("POINTSMAN_DRILL_WORLD", here.join("world.json"))
            .env("GH_TOKEN", "secret")
            .args(["drill", "--live", "--format", "json"])
            .args(["--server", &one.socket().to_string()])
            .args(["--resolver", &two.socket().to_string()])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        let heard = Vec::new();
        Exercise {
            child,
            lines,
            heard,
        }
    }

    fn ledger(&self) -> Vec<String> {
        let all = self.folder.all();
        let paths = all
            .keys()
            .filter_map(|path| path.strip_prefix(self.folder.path()).ok());
        let paths = paths.map(|path| path.to_string_lossy().into_owned());
        paths
            .filter(|path| path.starts_with("rehearsals/"))
            .collect()
    }
}

struct Exercise {
    child: Child,
    lines: BufReader<ChildStderr>,
    heard: Vec<String>,
}

impl Exercise {
    /// Comes back when a line has this text, or had it before: what happens at once is told in any order.
    fn says(&mut self, text: &str) {
        while !self.heard.iter().any(|line| line.contains(text)) {
            let mut line = String::new();
            let count = self.lines.read_line(&mut line).unwrap();
            assert!(count > 0, "it ended without `{text}`: {:?}", self.heard);
            self.heard.push(line);
        }
    }

    fn ends(mut self) -> (i32, Value, String) {
        let mut said = self.heard.concat();
        self.lines.read_to_string(&mut said).unwrap();
        let mut out = String::new();
        let mut stdout = self.child.stdout.take().unwrap();
        stdout.read_to_string(&mut out).unwrap();
        let status = self.child.wait().unwrap().code().unwrap_or(-1);
        let value = serde_json::from_str(&out).unwrap_or(Value::Null);
        (status, value, said)
    }
}

/// GitHub was asked for nothing but the list and logs, and nobody else saw the token.
fn only_github_sees_the_token(stage: &Stage) {
    for head in stage.github.asked.lock().unwrap().iter() {
        let own = head.starts_with("GET /repos/acme/dns-failover/actions/");
        let log = ["GET /20?sig=x ", "GET /30?sig=x "];
        assert!(
            own || log.iter().any(|line| head.starts_with(line)),
            "{head}"
        );
        assert_eq!(head.contains("Bearer secret"), own, "{head}");
    }
}

/// The ledger has the evidence and, beside it, the journal of the first run; gives the path of the evidence.
fn keeps_its_journal(stage: &Stage, told: &Value) -> String {
    let there = &told["legs"][0];
    let mut ledger = stage.ledger();
    ledger.sort();
    let evidence = told["evidence"].as_str().unwrap();
    let kept = evidence.replace(".json", "-run-2.jsonl");
    assert_eq!(ledger, [kept.as_str(), evidence]);
    assert!(evidence.ends_with("-exercise.json"));
    assert_eq!(stage.folder.read(&kept), journal());
    let seen = &there["runs"][0]["journal"];
    assert_eq!(
        (&seen["path"], &seen["same"]),
        (&json!(kept), &json!(true)),
        "{seen}"
    );
    assert!(seen["phases"]["total"].is_u64(), "{seen}");
    assert!(there["phases"]["switch_run_total"].is_u64(), "{there:#}");
    evidence.to_owned()
}

#[test]
fn there_and_back_is_measured_and_leaves_evidence_that_validate_takes() {
    let stage = Stage::new();
    let mut exercise = stage.exercise(&[]);
    exercise.says("gh variable set PIN_SITE --body hub --repo acme/dns-failover");
    exercise.says("gh workflow run dns-failover.yml --ref main");
    stage
        .github
        .lists(&[(1, "completed", Some("success")), (2, "in_progress", None)]);
    stage.at(HUB);
    exercise.says("203.0.113.20 (hub)");
    exercise.says("run 2: in_progress");
    stage.github.lists(&[(2, "completed", Some("success"))]);
    exercise.says("run 2: success");
    exercise.says("gh variable delete PIN_SITE");
    let both = [
        (2, "completed", Some("success")),
        (3, "completed", Some("success")),
    ];
    stage.github.lists(&both);
    stage.at(EDGE);
    let (status, told, said) = exercise.ends();
    assert_eq!(status, 0, "{said}\n{told:#}");
    assert_eq!(told["outcome"], "passed");
    // A log without a journal is told, and fails nothing.
    let missing = &told["legs"][1]["runs"][0]["journal"]["missing"];
    assert_eq!(missing, "the log of its job has none");
    let [there, back] = told["legs"].as_array().unwrap().as_slice() else {
        panic!("{told:#}");
    };
    assert_eq!((&there["to"], &back["to"]), (&"hub".into(), &"edge".into()));
    assert_eq!(there["runs"][0]["id"], 2);
    assert_eq!(there["records"].as_array().unwrap().len(), 2);
    let phase = |word: &str| there["phases"][word].as_u64().unwrap();
    // Who is asked first within a second is chance.
    assert!(phase("switch_first_authoritative") <= phase("switch_all_authoritative"));
    assert!(there["phases"]["switch_all_resolvers"].is_u64());
    assert!(phase("switch_run_seen") <= phase("switch_run_over"));
    assert!(back["phases"]["return_all_resolvers"].is_u64());
    assert_eq!(there["hosts"].as_array().unwrap().len(), 15);
    let evidence = keeps_its_journal(&stage, &told);
    let ran = stage
        .folder
        .run(&["validate", "--strict", "--fail-on", "warning"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    assert!(
        ran.stdout().contains("16 files checked"),
        "{}",
        ran.stdout()
    );
    only_github_sees_the_token(&stage);
    let evidence = stage.folder.read(&evidence);
    assert!(!format!("{said}{told}{evidence}").contains("secret"));
}

#[test]
fn what_would_be_refused_is_not_begun() {
    let stage = Stage::new();
    stage.hub.conduct(SiteConduct::answering(503));
    let (status, told, said) = stage.exercise(&[]).ends();
    assert_eq!((status, told), (3, Value::Null), "{said}");
    assert!(
        said.contains("`hub` does not answer 200") && said.contains("(503)"),
        "{said}"
    );
    stage.hub.conduct(SiteConduct::default());
    stage.at(HUB);
    let (status, _, said) = stage.exercise(&[]).ends();
    assert_eq!(status, 3);
    assert!(said.contains("not at `edge` everywhere"), "{said}");
    let (status, _, said) = stage.exercise(&["--to", "moon"]).ends();
    assert_eq!(status, 2, "{said}");
    assert_eq!(stage.ledger(), Vec::<String>::new());
}

#[test]
fn what_does_not_come_in_time_failed_and_is_noted_as_that() {
    let stage = Stage::new();
    let (status, told, said) = stage.exercise(&["--until", "2s"]).ends();
    assert_eq!(status, 1, "{said}");
    let why = told["why"].as_str().unwrap();
    assert!(
        why.starts_with("on the way to `hub`: not everywhere within 2 s"),
        "{why}"
    );
    let ledger = stage.ledger();
    let evidence: Value = serde_json::from_str(&stage.folder.read(&ledger[0])).unwrap();
    assert_eq!(evidence["outcome"], "failed");
    let ran = stage.folder.run(&["validate", "--format", "json"]);
    assert_eq!(ran.json()["findings"][0]["rule"], "rehearsal-stale");
}

#[test]
fn a_run_that_failed_and_a_host_that_does_not_serve_fail_an_exercise() {
    let stage = Stage::new();
    let mut exercise = stage.exercise(&["--until", "60s"]);
    exercise.says("gh workflow run");
    stage.github.lists(&[(2, "completed", Some("failure"))]);
    stage.at(HUB);
    let (status, told, said) = exercise.ends();
    assert_eq!(status, 1, "{said}");
    let why = told["why"].as_str().unwrap();
    assert!(why.contains("the run 2 ended as `failure`"), "{why}");
    let stage = Stage::new();
    let mut exercise = stage.exercise(&["--until", "60s"]);
    exercise.says("gh workflow run");
    stage.hub.conduct(SiteConduct::answering(404));
    stage.at(HUB);
    let (status, told, said) = exercise.ends();
    assert_eq!(status, 1, "{said}");
    let why = told["why"].as_str().unwrap();
    assert!(why.contains("`hub` does not serve"), "{why}");
}

#[test]
fn a_signal_ends_an_exercise_and_says_so() {
    let stage = Stage::new();
    let mut exercise = stage.exercise(&[]);
    exercise.says("gh workflow run");
    let id = exercise.child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(killed.success());
    let (status, told, _) = exercise.ends();
    assert_eq!(status, 1);
    assert!(told["why"].as_str().unwrap().contains("ended by hand"));
    assert_eq!(told["evidence"], Value::Null);
    assert_eq!(stage.ledger(), Vec::<String>::new());
}

/// The rehearsal's own GitHub, with the token of this test.
fn own_github() -> Endpoint<GitHubEndpoint> {
    let workflow = DispatchedWorkflow {
        file: "dns-failover.yml".to_owned(),
        dispatchable: true,
        ..DispatchedWorkflow::default()
    };
    let branches = ["main".to_owned()];
    let mut github = GitHubEndpoint::new("acme/dns-failover", 200_002, branches, workflow);
    let token = DispatchToken {
        right: TokenRight::Read,
        until: None,
    };
    github.tokens.insert("secret".to_owned(), token);
    Endpoint::start(github).unwrap()
}

#[test]
fn runs_and_logs_are_those_of_the_rehearsals_own_github() {
    let github = own_github();
    let stage = Stage::new();
    let world = stage.folder.read("world.json");
    let fake = stage.github.socket.to_string();
    stage.folder.write(
        "world.json",
        world.replace(&fake, &github.address().to_string()),
    );
    let since = Duration::ZERO;
    let mut exercise = stage.exercise(&[]);
    exercise.says("gh workflow run dns-failover.yml --ref main");
    github.with(|github| github.start_by_hand("main", since));
    stage.at(HUB);
    exercise.says("run 1: in_progress");
    github.with(|github| github.ended_with(1, true, &log()));
    exercise.says("run 1: its journal is read");
    exercise.says("gh variable delete PIN_SITE");
    github.with(|github| github.start_by_hand("main", since));
    stage.at(EDGE);
    exercise.says("run 2: in_progress");
    github.with(|github| github.ended_with(2, false, &log()));
    let (status, told, said) = exercise.ends();
    assert_eq!(status, 1, "{said}\n{told:#}");
    assert!(
        told["why"]
            .to_string()
            .contains("the run 2 ended as `failure`"),
        "{told:#}"
    );
    for leg in told["legs"].as_array().unwrap() {
        assert_eq!(leg["runs"][0]["journal"]["same"], true, "{leg:#}");
    }
    assert_eq!(stage.ledger().len(), 3);
}
