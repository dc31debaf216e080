//! The executor's own program, as a process: it moves a zone on loopback there and back, is ended and killed, and nothing in
//! its environment can send visitors anywhere else.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program, on real files and sockets of loopback"
)]

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use pointsman::drill::{
    Authority, Borrowed, Cloud, ConnectionKind, Endpoint, Issuer, NameServer, SharedRecords, Site,
    SiteConduct, Sync, Times, Trouble, What,
};
use pointsman::failover::journal::replay;
use serde_json::{Value, json};

use crate::binary::Folder;
use crate::route53::{name, zone};

type Tested<T> = Result<T, Box<dyn Error>>;

const SWITCH: &str = env!("CARGO_BIN_EXE_pointsman-switch");
const DRILL: &str = env!("CARGO_BIN_EXE_pointsman-switch-drill");
const POINTSMAN: &str = env!("CARGO_BIN_EXE_pointsman");

const EDGE: &str = "198.51.100.10";
const HUB: &str = "203.0.113.20";

/// A world on loopback around a folder with the reference deployment's spec, with shorter times.
struct World {
    folder: Folder,
    endpoint: Endpoint,
    edge: Site,
    hub: Site,
    records: SharedRecords,
    _servers: Vec<NameServer>,
}

impl World {
    fn new() -> Tested<Self> {
        let authority = Authority::new("rehearsal")?;
        let names = ["example.com", "*.example.com"];
        let (edge, hub) = (
            Site::start(&authority, &names)?,
            Site::start(&authority, &names)?,
        );
        let records = SharedRecords::default();
        let zone_name = name("example.com")?;
        let servers = vec![
            NameServer::start(&zone_name, records.clone())?,
            NameServer::start(&zone_name, records.clone())?,
        ];
        let mut cloud = Cloud::new(zone()?);
        cloud.issue(Issuer::new(
            "bearer",
            "acme/dns-failover",
            "main",
            "repo:acme@100001/dns-failover@200002:ref:refs/heads/main",
        ));
        cloud.sync(Sync::Polls(0));
        let endpoint = Endpoint::start(cloud)?;
        let folder = Folder::empty();
        let spec = include_str!("../../pointsman.toml").replacen(
            "[records]",
            "[probe]\ntimeout_seconds = 1\nwindow_seconds = 3\n\n[failback]\nprobes = 3\ninterval_seconds = 1\n\n[records]",
            1,
        );
        folder.write("pointsman.toml", spec);
        let world = json!({
            "sockets": { EDGE: edge.socket(), HUB: hub.socket() },
            "authority": authority.pem(),
            "route53": endpoint.url(),
            "sts": endpoint.url(),
            "servers": {
                "ns-1.example.net": servers[0].socket(),
                "ns-2.example.net": servers[1].socket(),
            },
        });
        folder.write("world.json", world.to_string());
        folder.write("summary.md", "");
        folder.write("output.txt", "");
        let world = Self {
            folder,
            endpoint,
            edge,
            hub,
            records,
            _servers: servers,
        };
        world.served(EDGE)?;
        Ok(world)
    }

    /// From now on the name servers answer this.
    fn served(&self, address: &str) -> Tested<()> {
        for written in ["example.com", "*.example.com"] {
            self.records.set(&name(written)?, "A", 300, &[address]);
        }
        Ok(())
    }

    /// The program in a job of GitHub Actions of this world.
    fn job(&self, program: &str) -> Command {
        let here = self.folder.path();
        let mut command = Command::new(program);
        command
            .current_dir(here)
            .env_clear()
            .env("POINTSMAN_DRILL_WORLD", here.join("world.json"))
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_RUN_ID", "4711")
            .env("GITHUB_RUN_ATTEMPT", "2")
            .env("GITHUB_STEP_SUMMARY", here.join("summary.md"))
            .env("GITHUB_OUTPUT", here.join("output.txt"))
            .env("ACTIONS_ID_TOKEN_REQUEST_URL", self.endpoint.token_url())
            .env("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "bearer");
        command
    }

    fn values(&self) -> Tested<Vec<String>> {
        let mut all = Vec::new();
        for written in ["example.com", "*.example.com"] {
            let name = name(written)?;
            let values = |cloud: &mut Cloud| -> Vec<String> {
                let sets = cloud.zone().sets(&name, "A");
                sets.iter().flat_map(|set| set.values.clone()).collect()
            };
            all.extend(self.endpoint.with(values));
        }
        Ok(all)
    }

    /// Comments of every batch that came.
    fn comments(&self) -> Vec<String> {
        let comments = |cloud: &mut Cloud| -> Vec<String> {
            let calls = cloud.log().iter();
            let changes = calls.filter(|call| call.op == "ChangeResourceRecordSets");
            changes.map(|call| call.comment.clone()).collect()
        };
        self.endpoint.with(comments)
    }

    fn kill_edge(&self) {
        self.edge
            .conduct(SiteConduct::connecting(ConnectionKind::Refuses));
    }
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn told(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(out).into_owned() + &String::from_utf8_lossy(err)
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    Command::new("kill").args([name, &id]).status().unwrap();
}

#[test]
fn a_dead_home_moves_the_zone_and_a_good_one_takes_it_back() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(
        out.starts_with("::notice title=failover SWITCH_TO_HUB::"),
        "{out}"
    );
    assert!(!out.contains("::warning"), "{out}");
    assert!(world.comments()[0].contains("run 4711/2: edge to hub"));
    let outputs = world.folder.read("output.txt");
    assert!(
        outputs.contains("decision<<end\nSWITCH_TO_HUB\nend\n"),
        "{outputs}"
    );
    let summary = world.folder.read("summary.md");
    assert!(
        summary.contains("## Failover: SWITCH\\_TO\\_HUB"),
        "{summary}"
    );
    assert!(summary.contains("\"effect\":\"finish\""), "{summary}");
    // The journal on disk plays again to the same bytes.
    let journal = world.folder.read("failover-4711-2.jsonl");
    let played = replay(&journal).unwrap();
    assert!(played.finished && played.difference.is_none(), "{played:?}");
    let replayed = world
        .folder
        .run(&["failover", "replay", "failover-4711-2.jsonl"]);
    assert_eq!(replayed.status(), 0);

    world.edge.conduct(SiteConduct::default());
    world.served(EDGE).unwrap();
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [EDGE, EDGE]);
    // The second journal stands beside the first.
    assert_eq!(world.folder.read("failover-4711-2.jsonl"), journal);
    let second = world.folder.read("failover-4711-2-2.jsonl");
    assert!(second.contains("\"why\":\"home-is-back\""));
    // With all well, nothing is written.
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.comments().len(), 2);
}

#[test]
fn with_nobody_to_go_to_nothing_is_sent_and_a_person_is_called() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.hub.conduct(SiteConduct::answering(503));
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 5, "{}", told(&ran));
    assert!(told(&ran).contains("::error title=failover NO_CHANGE::"));
    assert!(world.comments().is_empty());
    // A dry run sends nothing either, and is no reason to call anybody.
    world.hub.conduct(SiteConduct::default());
    let ran = world.job(DRILL).arg("--dry-run").output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert!(told(&ran).contains("PLAN_ONLY, status 0"));
    assert!(!told(&ran).contains("::error"));
    assert!(world.comments().is_empty());
}

#[test]
fn the_big_program_plans_and_runs_the_same() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let plan = world
        .job(POINTSMAN)
        .args(["failover", "plan", "--format", "json"])
        .output()
        .unwrap();
    assert_eq!(status(&plan), 0, "{}", told(&plan));
    let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
    assert_eq!(plan["decision"], "PLAN_ONLY");
    assert_eq!(plan["to"], "hub");
    assert_eq!(plan["records"][1]["site"], "edge");
    assert_eq!(
        plan["probes"][0]["answers"],
        json!(["refused", "refused", "refused"])
    );
    assert_eq!(plan["takes"]["caches_most_s"], 300);
    assert_eq!(world.values().unwrap(), [EDGE, EDGE]);
    assert_eq!(world.folder.read("summary.md"), "");
    let ran = world
        .job(POINTSMAN)
        .args([
            "failover",
            "run",
            "--journal",
            "my.jsonl",
            "--format",
            "json",
        ])
        .output()
        .unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let result: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(result["decision"], "SWITCH_TO_HUB");
    assert_eq!(result["journal"], "my.jsonl");
    assert_eq!(result["batch"], plan["batch"]);
    // The annotation is there all the same.
    assert!(String::from_utf8_lossy(&ran.stderr).contains("::notice title=failover"));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

#[test]
fn from_the_start_to_the_change_it_takes_little_beyond_the_spaced_tries() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let journal = world.folder.read("failover-4711-2.jsonl");
    let moment = |part: &str| -> u64 {
        let line = journal.lines().find(|line| line.contains(part)).unwrap();
        serde_json::from_str::<Value>(line).unwrap()["at"]
            .as_u64()
            .unwrap()
    };
    // Two waits of a second lie between the three tries; a loaded machine is given ten times the 300 ms.
    let beyond = moment("\"effect\":\"write\"") - 2000;
    println!("{beyond} ms beyond the spaced tries");
    assert!(beyond < 3000, "{beyond} ms");
}

#[test]
fn nothing_in_the_environment_names_another_target() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let elsewhere = "http://127.0.0.1:9";
    let file = world.folder.path().join("evil");
    world.folder.write(
        "evil",
        "[default]\nregion = us-east-1\nendpoint_url = http://127.0.0.1:9\n",
    );
    let mut command = world.job(DRILL);
    for variable in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_ROUTE_53",
        "AWS_ENDPOINT_URL_STS",
        "POINTSMAN_TARGET",
        "EDGE_IP",
        "HUB_IP",
        "INPUT_TARGET",
        "TARGET",
        "TARGET_IP",
        "POINTSMAN_SPEC",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ] {
        command.env(variable, elsewhere);
    }
    for variable in [
        "AWS_CONFIG_FILE",
        "AWS_SHARED_CREDENTIALS_FILE",
        "GITHUB_EVENT_PATH",
    ] {
        command.env(variable, &file);
    }
    let ran = command.env("AWS_PROFILE", "default").output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    // A pin names a site, or nothing is done.
    for pin in [
        "192.0.2.66",
        "hub\n",
        "HUB",
        "https://192.0.2.66",
        "edge,hub",
    ] {
        let ran = world.job(DRILL).env("PIN_SITE", pin).output().unwrap();
        assert_eq!(status(&ran), 5, "{pin}: {}", told(&ran));
    }
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    assert_eq!(world.comments().len(), 1);
}

#[test]
fn a_pin_that_is_no_utf_8_is_no_absent_pin() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new().unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"edge\xff");
    let ran = world.job(DRILL).env("PIN_SITE", odd).output().unwrap();
    assert_eq!(status(&ran), 5, "{}", told(&ran));
}

#[test]
fn a_signal_ends_a_run_with_status_3_and_a_journal_that_says_so() {
    for name in ["-TERM", "-INT", "-HUP"] {
        ended_by(name);
    }
}

fn ended_by(name: &str) {
    let world = World::new().unwrap();
    world.kill_edge();
    let child = world
        .job(DRILL)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = world.folder.path().join("failover-4711-2.jsonl");
    assert!(grows_to(&journal, "\"effect\":\"wait\""));
    signal(&child, name);
    let ran = child.wait_with_output().unwrap();
    assert_eq!(status(&ran), 3, "{}", told(&ran));
    let text = world.folder.read("failover-4711-2.jsonl");
    assert!(text.contains("\"event\":\"cancelled\""), "{text}");
    let played = replay(&text).unwrap();
    assert!(played.finished && played.difference.is_none());
    assert!(
        world
            .folder
            .read("output.txt")
            .contains("status<<end\n3\nend")
    );
    assert_eq!(world.values().unwrap(), [EDGE, EDGE]);
}

/// Waits until a file has this text.
fn grows_to(path: &Path, text: &str) -> bool {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        if std::fs::read_to_string(path).is_ok_and(|there| there.contains(text)) {
            return true;
        }
        thread::sleep(Duration::from_millis(2));
    }
    false
}

#[test]
fn ten_kills_leave_a_zone_that_the_next_run_brings_to_its_end() {
    let points = [
        "\"journal\":1",
        "\"effect\":\"fetch-token\"",
        "\"effect\":\"assume-role\"",
        "\"effect\":\"read-records\"",
        "\"event\":\"records\"",
        "\"effect\":\"wait\"",
        "\"note\":\"decided\"",
        "\"effect\":\"write\"",
        "\"event\":\"accepted\"",
        "\"effect\":\"ask-servers\"",
    ];
    for point in points {
        let world = World::new().unwrap();
        world.kill_edge();
        world.served(HUB).unwrap();
        let mut child = world
            .job(DRILL)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let journal = world.folder.path().join("failover-4711-2.jsonl");
        assert!(grows_to(&journal, point), "{point}");
        child.kill().unwrap();
        child.wait().unwrap();
        let text = std::fs::read_to_string(&journal).unwrap();
        assert!(replay(&text).unwrap().difference.is_none(), "{point}");
        let values = world.values().unwrap();
        assert!(
            values == [EDGE, EDGE] || values == [HUB, HUB],
            "{point}: {values:?}"
        );
        let next = world.job(DRILL).output().unwrap();
        assert_eq!(status(&next), 0, "{point}: {}", told(&next));
        assert_eq!(world.values().unwrap(), [HUB, HUB], "{point}");
    }
}

#[test]
fn neither_journal_nor_summary_nor_a_reader_is_needed_for_a_switch() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    // No folder can be written to, nobody reads standard output.
    let mut command = world.job(DRILL);
    command
        .env("RUNNER_TEMP", "/proc/no/such/folder")
        .env("GITHUB_STEP_SUMMARY", "/proc/no/summary")
        .env("GITHUB_OUTPUT", world.folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(0));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
    // The journal went into the working directory instead.
    assert!(world.folder.path().join("failover-4711-2.jsonl").exists());
}

#[test]
fn a_full_standard_error_that_nobody_reads_holds_up_no_switch() {
    let world = World::new().unwrap();
    world.kill_edge();
    world.served(HUB).unwrap();
    let (_reader, mut writer) = std::io::pipe().unwrap();
    // As much as a pipe of Linux holds.
    writer.write_all(&[b'x'; 65536]).unwrap();
    let mut command = world.job(DRILL);
    command.stdout(Stdio::null()).stderr(writer);
    let ended = command.spawn().unwrap().wait().unwrap();
    assert_eq!(ended.code(), Some(0));
    assert_eq!(world.values().unwrap(), [HUB, HUB]);
}

#[test]
fn a_key_that_no_request_carries_is_told_by_its_variable_and_its_character() {
    for (variable, value, shown) in [
        ("AWS_ACCESS_KEY_ID", "ASIAJOBEXAMPLE\n", "\\n"),
        ("AWS_SECRET_ACCESS_KEY", "sesame\r", "\\r"),
        ("AWS_SESSION_TOKEN", "sesame\n", "\\n"),
    ] {
        let world = World::new().unwrap();
        let ran = world
            .job(DRILL)
            .env("AWS_ACCESS_KEY_ID", "ASIAJOBEXAMPLE")
            .env("AWS_SECRET_ACCESS_KEY", "sesame")
            .env("AWS_SESSION_TOKEN", "sesame")
            .env(variable, value)
            .output()
            .unwrap();
        assert_eq!(status(&ran), 3, "{}", told(&ran));
        let line = format!("{variable} has the character `{}`", shown.escape_debug());
        assert!(told(&ran).contains(&line), "{}", told(&ran));
        assert!(!told(&ran).contains("sesame"), "{}", told(&ran));
        assert!(
            world
                .folder
                .read("summary.md")
                .contains("## Failover: REFUSE")
        );
        let journal = world.folder.read("failover-4711-2.jsonl");
        assert!(replay(&journal).unwrap().finished, "{journal}");
    }
}

#[test]
fn what_sts_gives_is_looked_at_before_a_request_carries_it() {
    let world = World::new().unwrap();
    let answer = "<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
        <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA&#10;X</AccessKeyId>\
        <SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken>\
        <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>\
        </AssumeRoleWithWebIdentityResponse>";
    let garbled = What::Garbled(answer.to_owned());
    let op = "AssumeRoleWithWebIdentity";
    let trouble = Trouble::new(op, Times::First(1), garbled);
    world.endpoint.with(|cloud| cloud.trouble(trouble));
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let journal = world.folder.read("failover-4711-2.jsonl");
    assert!(
        journal.contains("its AccessKeyId has the character"),
        "{journal}"
    );
}

#[test]
fn a_run_that_has_nobody_to_trust_says_so_in_its_journal_and_its_summary() {
    let world = World::new().unwrap();
    let text = world.folder.read("world.json");
    let mut changed: Value = serde_json::from_str(&text).unwrap();
    changed["authority"] = json!("none");
    world.folder.write("world.json", changed.to_string());
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 3, "{}", told(&ran));
    let journal = world.folder.read("failover-4711-2.jsonl");
    assert!(journal.contains("\"code\":\"NoTrust\""), "{journal}");
    let played = replay(&journal).unwrap();
    assert!(played.finished && played.difference.is_none());
    let summary = world.folder.read("summary.md");
    assert!(summary.contains("NoTrust"), "{summary}");
}

#[test]
fn a_journal_without_an_end_is_told_as_one() {
    let world = World::new().unwrap();
    let ran = world.job(DRILL).output().unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let journal = world.folder.read("failover-4711-2.jsonl");
    for (lines, says) in [
        (1, "its run stopped before anything happened"),
        (4, "the journal stops before the end of its run"),
    ] {
        let part: Vec<&str> = journal.lines().take(lines).collect();
        world.folder.write("part.jsonl", part.join("\n") + "\n");
        let played = world.folder.run(&["failover", "replay", "part.jsonl"]);
        let said = played.stdout();
        assert!(
            said.contains(says) && !said.contains("the same 0"),
            "{said}"
        );
    }
}

#[test]
fn a_job_s_own_session_is_used_first() {
    let world = World::new().unwrap();
    let admit = |cloud: &mut Cloud| {
        cloud.admit(
            "ASIAJOBEXAMPLE",
            Borrowed {
                principal: "arn:aws:sts::123456789012:assumed-role/dns-failover/job".to_owned(),
                until: None,
                token: Some("session".to_owned()),
            },
        );
    };
    world.endpoint.with(admit);
    let ran = world
        .job(DRILL)
        .env("AWS_ACCESS_KEY_ID", "ASIAJOBEXAMPLE")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_SESSION_TOKEN", "session")
        .output()
        .unwrap();
    assert_eq!(status(&ran), 0, "{}", told(&ran));
    let asked = |cloud: &mut Cloud| cloud.log().iter().any(|call| call.op == "oidc_token");
    assert!(!world.endpoint.with(asked));
    assert!(!told(&ran).contains("secret"));
}

#[test]
fn the_real_program_knows_no_other_world_and_no_other_argument() {
    let world = World::new().unwrap();
    // Without credentials it reaches nobody, and it says why.
    let ran = world
        .job(SWITCH)
        .env_remove("ACTIONS_ID_TOKEN_REQUEST_URL")
        .output()
        .unwrap();
    assert_eq!(status(&ran), 3, "{}", told(&ran));
    assert!(told(&ran).contains("NoCredentials"), "{}", told(&ran));
    assert!(world.endpoint.with(|cloud| cloud.log().is_empty()));
    for argument in ["--dry-rnu", "hub", HUB, "--spec=x"] {
        let ran = world.job(SWITCH).arg(argument).output().unwrap();
        assert_eq!(status(&ran), 2, "{argument}: {}", told(&ran));
        assert!(
            told(&ran).contains("known are `--dry-run`"),
            "{}",
            told(&ran)
        );
    }
    let help = world.job(SWITCH).arg("--help").output().unwrap();
    assert_eq!(status(&help), 0);
    assert!(told(&help).contains("Exit status: 0"));
    let version = world.job(SWITCH).arg("--version").output().unwrap();
    assert!(told(&version).contains(env!("CARGO_PKG_VERSION")));
    // The drill's own program has no real world.
    let mut command = world.job(DRILL);
    let ran = command
        .env_remove("POINTSMAN_DRILL_WORLD")
        .output()
        .unwrap();
    assert_eq!(status(&ran), 2, "{}", told(&ran));
}

#[test]
fn a_spec_that_is_missing_or_wrong_refuses_and_is_told() {
    let world = World::new().unwrap();
    let spec = world.folder.read("pointsman.toml");
    let cases: [(Option<String>, &str); 4] = [
        (None, "there is no such file"),
        (
            Some(spec.replace("203.0.113.20", "198.51.100.10")),
            "pointsman.toml:",
        ),
        (Some(spec.replace("ttl = 300", "tll = 300")), "`tll`"),
        (Some("[[[".to_owned()), "pointsman.toml:1:"),
    ];
    for (text, part) in cases {
        match text {
            Some(text) => world.folder.write("pointsman.toml", text),
            None => world.folder.remove("pointsman.toml"),
        }
        for (program, arguments) in [(DRILL, &[][..]), (POINTSMAN, &["failover", "run"])] {
            world.folder.write("output.txt", "");
            let ran = world.job(program).args(arguments).output().unwrap();
            assert_eq!(status(&ran), 5, "{part}: {}", told(&ran));
            assert!(
                told(&ran).contains("::error title=failover REFUSE::"),
                "{}",
                told(&ran)
            );
            assert!(told(&ran).contains(part), "{part}: {}", told(&ran));
            assert!(world.folder.read("output.txt").contains("REFUSE"));
        }
    }
    assert!(world.comments().is_empty());
}
