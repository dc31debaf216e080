//! `pointsman watch` on loopback: the rehearsal's name server, then knot as authority and unbound as a real cache; dig judges
//! what both say.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests run other programs, or say why not"
)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pointsman::drill::{NameServer, NameServerConduct, NameServerFault, SharedRecords};
use pointsman::model::dns::RecordName;
use serde_json::Value;

use crate::binary::Folder;
use crate::failover_shell::{Mishap, performed, scenarios};

const EDGE: &str = "198.51.100.10";
const HUB: &str = "203.0.113.20";

fn name(text: &str) -> RecordName {
    RecordName::parse(text).unwrap()
}

struct Stage {
    records: SharedRecords,
    one: NameServer,
    two: NameServer,
}

impl Stage {
    fn new() -> Self {
        let records = SharedRecords::default();
        records.set(&name("example.com"), "A", 300, &[EDGE]);
        let start = || NameServer::start(&name("example.com"), records.clone()).unwrap();
        let (one, two) = (start(), start());
        Self { records, one, two }
    }

    fn moves(&self, value: &str) {
        self.records.set(&name("example.com"), "A", 300, &[value]);
    }

    fn servers(&self) -> Vec<String> {
        let flags = [self.one.socket(), self.two.socket()];
        let flags = flags.map(|socket| vec!["--server".to_owned(), socket.to_string()]);
        flags.concat()
    }
}

/// A watch that runs.
struct Watching {
    child: Child,
    lines: BufReader<std::process::ChildStderr>,
}

impl Watching {
    fn start(folder: &Path, args: &[&str], more: &[String]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pointsman"))
            .current_dir(folder)
            .env_clear()
            .arg("watch")
            .args(args)
            .args(more)
            .args(["--format", "json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines }
    }

    /// Comes back when a line has this text.
    fn says(&mut self, text: &str) -> String {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            let count = self.lines.read_line(&mut line).unwrap();
            assert!(count > 0, "it ended without `{text}`: {all}");
            if line.contains(text) {
                return line;
            }
            all.push_str(&line);
        }
    }

    /// The exit status, the result, and what it said on the way.
    fn ends(mut self) -> (i32, Value, String) {
        let mut out = String::new();
        let mut stdout = self.child.stdout.take().unwrap();
        stdout.read_to_string(&mut out).unwrap();
        let mut said = String::new();
        self.lines.read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        let value = serde_json::from_str(&out).unwrap_or(Value::Null);
        (status.code().unwrap_or(-1), value, said)
    }
}

fn ended(folder: &Path, args: &[&str], more: &[String]) -> (i32, Value, String) {
    Watching::start(folder, args, more).ends()
}

#[test]
fn a_switch_is_measured_at_each_server() {
    let stage = Stage::new();
    let here = Folder::of_the_reference_deployment();
    let resolver = ["--resolver".to_owned(), stage.two.socket().to_string()];
    let servers = [stage.servers(), resolver.to_vec()].concat();
    let mut watching = Watching::start(here.path(), &["example.com"], &servers);
    for _server in 0..3 {
        let line = watching.says("198.51.100.10 (edge), TTL 300");
        assert!(line.contains("authoritative") || line.contains("resolver"));
    }
    stage.two.conduct(NameServerConduct::Lags);
    stage.moves(HUB);
    watching.says("203.0.113.20 (hub), TTL 300");
    stage.two.conduct(NameServerConduct::Follows);
    let (status, told, _) = watching.ends();
    assert_eq!(status, 0, "{told:#}");
    assert_eq!(told["outcome"], "all");
    assert_eq!(told["site"], "hub");
    assert_eq!(told["old"], serde_json::json!([EDGE]));
    assert_eq!(told["new"], serde_json::json!([HUB]));
    let phase = |word: &str| told["phases"][word].as_u64().unwrap();
    assert!(phase("first_authoritative_ms") <= phase("all_authoritative_ms"));
    assert!(phase("first_resolver_ms") <= phase("all_resolvers_ms"));
    assert_eq!(told["servers"].as_array().unwrap().len(), 3);
}

#[test]
fn what_is_there_already_ends_at_once_and_a_site_goes_by_its_name() {
    let stage = Stage::new();
    let here = Folder::of_the_reference_deployment();
    let (status, told, _) = ended(here.path(), &["--expect", "edge"], &stage.servers());
    assert_eq!((status, &told["name"]), (0, &"example.com".into()));
    assert_eq!(told["old"], Value::Null);
    let (status, _, said) = ended(here.path(), &["--expect", "moon"], &stage.servers());
    assert_eq!(status, 2);
    assert!(
        said.contains("nor one of the sites `edge`, `hub`"),
        "{said}"
    );
}

#[test]
fn the_run_is_told_by_its_journal() {
    let stage = Stage::new();
    let here = Folder::of_the_reference_deployment();
    let all = scenarios();
    let row = all.iter().find(|row| row.id == "B01").unwrap();
    here.write("run.jsonl", performed(row, Mishap::default()).journal);
    let asked = ["--expect", "edge", "--journal", "run.jsonl"];
    let (status, told, _) = ended(here.path(), &asked, &stage.servers());
    assert_eq!(status, 0, "{told:#}");
    assert_eq!(told["run"]["same"], true);
    assert!(told["run"]["phases"]["total"].is_u64(), "{told:#}");
    // What cannot be read is told, with everything else, and is no success.
    for path in ["missing.jsonl", "pointsman.toml"] {
        let asked = ["--expect", "edge", "--journal", path];
        let (status, told, _) = ended(here.path(), &asked, &stage.servers());
        assert_eq!((status, &told["outcome"]), (3, &"all".into()));
        let why = told["run"]["missing"].as_str().unwrap();
        assert!(why.contains(path), "{why}");
    }
}

#[test]
fn servers_that_do_not_answer_are_told_each_with_its_reason() {
    let conducts = [
        (NameServerConduct::Silent, "no answer"),
        (
            NameServerConduct::NoAuthority,
            "has no authority over the zone",
        ),
        (
            NameServerConduct::Fails(NameServerFault::Refused),
            "REFUSED",
        ),
        (
            NameServerConduct::Fails(NameServerFault::ServerFailure),
            "SERVFAIL",
        ),
    ];
    let here = Folder::empty();
    for (conduct, word) in conducts {
        let stage = Stage::new();
        stage.two.conduct(conduct);
        let asked = [
            "example.com",
            "--expect",
            EDGE,
            "--until",
            "2s",
            "--timeout",
            "1s",
        ];
        let (status, told, _) = ended(here.path(), &asked, &stage.servers());
        assert_eq!(
            (status, &told["outcome"]),
            (1, &"not_all".into()),
            "{told:#}"
        );
        let trouble = &told["servers"][1]["troubles"][0]["what"];
        assert_eq!(trouble, word);
        assert_eq!(told["phases"]["all_authoritative_ms"], Value::Null);
        assert!(told["phases"]["first_authoritative_ms"].is_u64());
    }
}

#[test]
fn nobody_who_answers_is_work_that_could_not_be_done() {
    let stage = Stage::new();
    stage.one.conduct(NameServerConduct::Silent);
    stage.two.conduct(NameServerConduct::Silent);
    let asked = ["example.com", "--until", "1s", "--timeout", "1s"];
    let (status, told, _) = ended(Folder::empty().path(), &asked, &stage.servers());
    assert_eq!((status, &told["outcome"]), (3, &"nobody".into()));
}

#[test]
fn an_answer_that_is_cut_off_is_fetched_over_tcp_and_aliases_are_told() {
    let stage = Stage::new();
    stage.two.conduct(NameServerConduct::Truncates);
    let alias = name("www.example.com");
    stage.records.set(&alias, "CNAME", 60, &["example.com"]);
    let asked = ["www.example.com", "--expect", EDGE];
    let (status, told, _) = ended(Folder::empty().path(), &asked, &stage.servers());
    assert_eq!(status, 0, "{told:#}");
    for server in told["servers"].as_array().unwrap() {
        assert_eq!(
            server["last"]["what"],
            format!("{EDGE} by alias example.com.")
        );
        assert_eq!(server["last"]["ttl"], 60);
    }
    let asked = ["b.www.example.com", "--until", "1s"];
    let (status, told, _) = ended(Folder::empty().path(), &asked, &stage.servers());
    assert_eq!(status, 1);
    let said = &told["servers"][0]["last"]["what"];
    assert_eq!(said, "NXDOMAIN: no such name");
}

#[test]
fn several_values_are_one_value_and_their_order_is_none() {
    let stage = Stage::new();
    let apex = name("example.com");
    stage.records.set(&apex, "A", 300, &[HUB, EDGE]);
    let asked = ["example.com", "--expect", EDGE, "--expect", HUB];
    let (status, told, _) = ended(Folder::empty().path(), &asked, &stage.servers());
    assert_eq!(status, 0, "{told:#}");
    let (status, _, _) = ended(
        Folder::empty().path(),
        &["example.com", "--expect", HUB, "--until", "1s"],
        &stage.servers(),
    );
    assert_eq!(status, 1);
}

#[test]
fn authorities_that_disagree_already_need_to_be_told_what_is_new() {
    let stage = Stage::new();
    stage.two.conduct(NameServerConduct::Lags);
    stage.moves(HUB);
    let (status, _, said) = ended(Folder::empty().path(), &["example.com"], &stage.servers());
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("--expect"), "{said}");
    let asked = ["example.com", "--expect", HUB, "--until", "1s"];
    let (status, told, _) = ended(Folder::empty().path(), &asked, &stage.servers());
    assert_eq!(status, 1);
    assert_eq!(
        told["servers"][1]["last"]["values"],
        serde_json::json!([EDGE])
    );
}

#[test]
fn a_signal_ends_it_with_what_was_seen() {
    let stage = Stage::new();
    let here = Folder::empty();
    let mut watching = Watching::start(here.path(), &["example.com"], &stage.servers());
    watching.says(EDGE);
    watching.says(EDGE);
    let id = watching.child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(killed.success());
    let (status, told, _) = watching.ends();
    assert_eq!(status, 1);
    assert_eq!(told["interrupted"], true);
    assert_eq!(
        told["servers"][0]["last"]["values"],
        serde_json::json!([EDGE])
    );
}

#[test]
fn what_is_typed_wrong_is_wrong_usage() {
    let here = Folder::empty();
    for asked in [
        &["example..com"][..],
        &[],
        &["example.com", "--server", "ns-1.example.net"],
        &["example.com", "--until", "soon"],
        &[
            "example.com",
            "--expect",
            "2001:db8::1",
            "--server",
            "127.0.0.1:9",
        ],
        &["example.com", "--type", "TXT"],
    ] {
        let (status, _, said) = ended(here.path(), asked, &[]);
        assert_eq!(status, 2, "{asked:?}: {said}");
    }
}

// Real servers.

/// A port of 127.0.0.1 that was free for both protocols.
fn free_port() -> u16 {
    loop {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        if UdpSocket::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A server of somebody else's; it ends with the test.
struct Foreign {
    child: Child,
    socket: SocketAddr,
}

impl Drop for Foreign {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Foreign {
    /// Starts it, and comes back when dig hears of it; `None` where one of them is not installed.
    fn start(mut command: Command, port: u16) -> Option<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let started = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = started else {
            eprintln!("not judged: {program} is not installed; scripts/install-judges installs it");
            return None;
        };
        let socket = SocketAddr::from(([127, 0, 0, 1], port));
        let server = Self { child, socket };
        for _try in 0..150 {
            if dig(socket)?.is_some() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("{program} does not answer");
    }
}

/// The address that dig hears, with its TTL; nothing as long as nobody answers, `None` without dig.
fn dig(server: SocketAddr) -> Option<Option<(String, u32)>> {
    let port = server.port().to_string();
    let output = Command::new("dig")
        .args(["@127.0.0.1", "-p", &port, "+time=1", "+tries=1"])
        .args(["+noall", "+answer", "www.example.com", "A"])
        .output();
    let Ok(output) = output else {
        eprintln!("not judged: dig is not installed; scripts/install-judges installs it");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = said.lines().find(|line| !line.starts_with(';'));
    Some(answer.and_then(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some((words.get(4)?.to_string(), words.get(1)?.parse().ok()?))
    }))
}

fn zone(serial: u32, address: &str) -> String {
    format!(
        "$ORIGIN example.com.\n$TTL 3\n@ SOA ns-1 host.example.com. {serial} 60 60 600 60\n@ NS ns-1\n\
         ns-1 A 127.0.0.1\n@ A {address}\n* A {address}\n"
    )
}

fn knot(folder: &Folder, port: u16) -> Option<Foreign> {
    let root = folder.path().display();
    folder.write("example.com.zone", zone(1, EDGE));
    folder.write(
        "knot.conf",
        format!(
            "server:\n    rundir: \"{root}\"\n    listen: 127.0.0.1@{port}\n    udp-workers: 1\n    tcp-workers: 1\n    background-workers: 1\n\
             database:\n    storage: \"{root}/db\"\n\
             zone:\n  - domain: example.com\n    storage: \"{root}\"\n    file: example.com.zone\n    zonefile-load: whole\n    journal-content: none\n"
        ),
    );
    let mut command = Command::new("/usr/sbin/knotd");
    command.arg("-c").arg(folder.path().join("knot.conf"));
    Foreign::start(command, port)
}

fn unbound(folder: &Folder, port: u16, authority: SocketAddr) -> Option<Foreign> {
    let root = folder.path().display();
    let at = format!("{}@{}", authority.ip(), authority.port());
    folder.write(
        "unbound.conf",
        format!(
            "server:\n  interface: 127.0.0.1\n  port: {port}\n  outgoing-interface: 127.0.0.1\n  access-control: 127.0.0.0/8 allow\n  do-daemonize: no\n  username: \"\"\n  chroot: \"\"\n  \
             directory: \"{root}\"\n  pidfile: \"\"\n  use-syslog: no\n  do-not-query-localhost: no\n  module-config: \"iterator\"\n  num-threads: 1\n  \
             local-zone: \"example.com.\" nodefault\n\
             stub-zone:\n  name: \"example.com\"\n  stub-addr: {at}\n\
             stub-zone:\n  name: \".\"\n  stub-addr: {at}\nremote-control:\n  control-enable: no\n"
        ),
    );
    let mut command = Command::new("/usr/sbin/unbound");
    command
        .arg("-d")
        .arg("-c")
        .arg(folder.path().join("unbound.conf"));
    Foreign::start(command, port)
}

#[test]
fn a_switch_at_knot_is_seen_before_a_cache_of_unbound_lets_go() {
    let folder = Folder::empty();
    let Some(knot) = knot(&folder, free_port()) else {
        return;
    };
    let Some(unbound) = unbound(&folder, free_port(), knot.socket) else {
        return;
    };
    let servers = [
        "--server".to_owned(),
        knot.socket.to_string(),
        "--resolver".to_owned(),
        unbound.socket.to_string(),
    ];
    let here = Folder::empty();
    let mut watching = Watching::start(here.path(), &["www.example.com"], &servers);
    watching.says(EDGE);
    watching.says(EDGE);
    folder.write("example.com.zone", zone(2, HUB));
    let knotd = knot.child.id().to_string();
    let told = Command::new("kill").args(["-HUP", &knotd]).status();
    assert!(told.unwrap().success());
    let (status, told, _) = watching.ends();
    assert_eq!(status, 0, "{told:#}");
    assert_eq!(told["old"], serde_json::json!([EDGE]));
    assert_eq!(told["new"], serde_json::json!([HUB]));
    // The cache was filled before the switch, so it cannot be the first.
    let first = told["phases"]["first_authoritative_ms"].as_u64().unwrap();
    let last = told["phases"]["all_resolvers_ms"].as_u64().unwrap();
    assert!(first <= last, "{told:#}");
    for socket in [knot.socket, unbound.socket] {
        let (address, ttl) = dig(socket).unwrap().unwrap();
        assert_eq!(address, HUB);
        assert!(ttl <= 3);
    }
}

#[test]
fn the_authoritative_servers_are_found_over_a_resolver() {
    let folder = Folder::empty();
    let Some(knot) = knot(&folder, free_port()) else {
        return;
    };
    let Some(unbound) = unbound(&folder, free_port(), knot.socket) else {
        return;
    };
    // ns-1.example.com is at 127.0.0.1 by the zone's word, where nobody has port 53: it is found, and cannot be asked.
    let resolver = ["--resolver".to_owned(), unbound.socket.to_string()];
    let asked = [
        "www.example.com",
        "--expect",
        EDGE,
        "--until",
        "2s",
        "--timeout",
        "1s",
    ];
    let (status, told, _) = ended(Folder::empty().path(), &asked, &resolver);
    assert_eq!(status, 1, "{told:#}");
    let server = &told["servers"][0];
    assert_eq!(server["name"], "ns-1.example.com");
    assert_eq!(server["address"], "127.0.0.1");
    assert_eq!(server["role"], "authoritative");
    assert_eq!(
        told["servers"][1]["last"]["values"],
        serde_json::json!([EDGE])
    );
    // A name of another zone has no servers that this resolver would know of.
    let asked = ["www.example.net", "--until", "1s", "--timeout", "1s"];
    let (status, _, said) = ended(Folder::empty().path(), &asked, &resolver);
    assert_eq!(status, 3, "{said}");
    assert!(said.contains("are not found"), "{said}");
    assert!(said.contains("--server"), "{said}");
}
