//! The authoritative servers, asked over UDP and TCP on loopback; dig judges the server that the tests ask.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests run other programs, or say why not"
)]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use pointsman::adapters::{Detour, DnsServers, Runtime, ServerNames, World};
use pointsman::drill::{NameServer, NameServerConduct, NameServerFault, SharedRecords};
use pointsman::failover::{FaultKind, Record, ServerAnswer};
use pointsman::model::dns::{RecordName, RecordType};
use pointsman::ports::{AuthoritativeServers as _, Stop};

const EDGE: &str = "198.51.100.10";
const HUB: &str = "203.0.113.20";
const LONG: Duration = Duration::from_secs(20);
/// For what never answers.
const SHORT: Duration = Duration::from_millis(150);

fn name(text: &str) -> RecordName {
    RecordName::parse(text).unwrap()
}

fn record(text: &str, kind: RecordType) -> Record {
    Record {
        name: name(text),
        kind,
    }
}

/// Apex and wildcard at edge, and what else a zone has.
fn zone() -> SharedRecords {
    let records = SharedRecords::default();
    records.set(&name("example.com"), "A", 300, &[EDGE]);
    records.set(&name("*.example.com"), "A", 300, &[EDGE]);
    records.set(&name("origin.example.com"), "A", 300, &[EDGE]);
    records.set(
        &name("example.com"),
        "NS",
        172_800,
        &["ns-1.example.net.", "ns-2.example.org."],
    );
    records
}

struct Stage {
    records: SharedRecords,
    one: NameServer,
    two: NameServer,
}

impl Stage {
    fn new() -> Self {
        let records = zone();
        let start = || NameServer::start(&name("example.com"), records.clone()).unwrap();
        let (one, two) = (start(), start());
        Self { records, one, two }
    }

    fn servers(&self, patience: Duration) -> DnsServers {
        let names = ServerNames::default();
        names.set([
            "NS-2.example.org.".to_owned(),
            "ns-1.example.net".to_owned(),
        ]);
        let sockets = [
            ("ns-1.example.net", self.one.socket()),
            ("ns-2.example.org", self.two.socket()),
        ];
        DnsServers::new(Runtime::new().unwrap(), world(&sockets), names).patient_for(patience)
    }

    fn ask(&self, records: &[Record], patience: Duration) -> Vec<Option<Vec<Vec<String>>>> {
        let answers = self.servers(patience).ask(records).unwrap();
        let servers: Vec<&str> = answers.iter().map(|told| told.server.as_str()).collect();
        assert_eq!(servers, ["ns-1.example.net", "ns-2.example.org"]);
        answers.into_iter().map(|told| told.values).collect()
    }
}

fn world(servers: &[(&str, SocketAddr)]) -> World {
    World::on_loopback(Detour {
        sockets: BTreeMap::new(),
        names: BTreeMap::new(),
        authority: String::new(),
        route53: String::new(),
        sts: String::new(),
        servers: servers
            .iter()
            .map(|(name, socket)| ((*name).to_owned(), *socket))
            .collect(),
    })
}

fn switched() -> [Record; 2] {
    [
        record("example.com", RecordType::A),
        record("*.example.com", RecordType::A),
    ]
}

fn all_at(address: &str) -> Option<Vec<Vec<String>>> {
    Some(vec![vec![address.to_owned()]; 2])
}

#[test]
fn each_server_is_asked_for_each_record_and_may_lag() {
    let stage = Stage::new();
    assert_eq!(stage.ask(&switched(), LONG), [all_at(EDGE), all_at(EDGE)]);
    stage.two.conduct(NameServerConduct::Lags);
    let moved = ["example.com", "*.example.com"];
    let moved = moved.map(|own| (name(own), "A".to_owned(), 300, vec![HUB.to_owned()]));
    stage.records.set_all(moved);
    assert_eq!(stage.ask(&switched(), LONG), [all_at(HUB), all_at(EDGE)]);
    stage.two.conduct(NameServerConduct::Follows);
    assert_eq!(stage.ask(&switched(), LONG), [all_at(HUB), all_at(HUB)]);
}

#[test]
fn values_are_sorted_and_told_as_they_are() {
    let stage = Stage::new();
    let several = ["203.0.113.9", "198.51.100.10", "203.0.113.20"];
    stage
        .records
        .set(&name("many.example.com"), "A", 60, &several);
    stage
        .records
        .set(&name("six.example.com"), "AAAA", 60, &["2001:db8::20"]);
    stage.records.set(
        &name("alias.example.com"),
        "CNAME",
        60,
        &["origin.example.com"],
    );
    let asked = [
        record("many.example.com", RecordType::A),
        record("six.example.com", RecordType::Aaaa),
        record("six.example.com", RecordType::A),
        record("alias.example.com", RecordType::A),
        record("blog.example.com", RecordType::A),
        record("origin.example.com", RecordType::Aaaa),
    ];
    let expected: Vec<Vec<String>> = [
        &["198.51.100.10", "203.0.113.20", "203.0.113.9"][..],
        &["2001:db8::20"],
        &[],
        &["origin.example.com."],
        &[EDGE],
        &[],
    ]
    .map(|values| values.iter().map(|value| (*value).to_owned()).collect())
    .into();
    assert_eq!(
        stage.ask(&asked, LONG),
        [Some(expected.clone()), Some(expected)]
    );
}

#[test]
fn an_answer_that_does_not_fit_is_fetched_over_tcp() {
    let stage = Stage::new();
    let many: Vec<String> = (0..100).map(|last| format!("198.51.100.{last}")).collect();
    let texts: Vec<&str> = many.iter().map(String::as_str).collect();
    stage
        .records
        .set(&name("many.example.com"), "A", 60, &texts);
    stage.two.conduct(NameServerConduct::Truncates);
    let mut sorted = many;
    sorted.sort();
    let asked = [record("many.example.com", RecordType::A)];
    let expected = Some(vec![sorted]);
    assert_eq!(stage.ask(&asked, LONG), [expected.clone(), expected]);
    assert_eq!(stage.ask(&switched(), LONG), [all_at(EDGE), all_at(EDGE)]);
}

#[test]
fn a_server_that_fails_has_no_values_and_the_others_have_theirs() {
    let stage = Stage::new();
    let failing = [
        NameServerConduct::Silent,
        NameServerConduct::NoAuthority,
        NameServerConduct::Fails(NameServerFault::Refused),
        NameServerConduct::Fails(NameServerFault::ServerFailure),
    ];
    for conduct in failing {
        stage.one.conduct(conduct.clone());
        // A slow machine may need more time for the well server.
        let mut patience = SHORT;
        while stage.ask(&switched(), patience) != [None, all_at(EDGE)] {
            patience *= 2;
            assert!(patience < LONG, "{conduct:?}");
        }
    }
}

#[test]
fn what_is_no_answer_to_the_question_is_not_heard() {
    let stage = Stage::new();
    stage.one.conduct(NameServerConduct::Babbles);
    assert_eq!(stage.ask(&switched(), LONG), [all_at(EDGE), all_at(EDGE)]);
}

#[test]
fn one_record_without_an_answer_leaves_the_server_without_values() {
    let stage = Stage::new();
    let asked = [
        record("example.com", RecordType::A),
        record("elsewhere.example.net", RecordType::A),
    ];
    // Not this server's zone: REFUSED.
    assert_eq!(stage.ask(&asked, LONG), [None, None]);
}

#[test]
fn servers_that_are_not_known_are_told_in_words() {
    let stage = Stage::new();
    let names = ServerNames::default();
    let world = world(&[("ns-1.example.net", stage.one.socket())]);
    let mut servers = DnsServers::new(Runtime::new().unwrap(), world, names.clone());
    let Err(Stop::Failed(fault)) = servers.ask(&switched()) else {
        panic!("nobody is known, and somebody answered");
    };
    assert_eq!(fault.kind, FaultKind::Unavailable);
    assert!(fault.message.contains("NS record set"), "{}", fault.message);
    // Known by now; the one that the rehearsal does not have cannot be found.
    names.set([
        "ns-1.example.net.".to_owned(),
        "ns-9.example.net.".to_owned(),
    ]);
    let answers = servers.ask(&switched()).unwrap();
    let told = |server: &str, values| ServerAnswer {
        server: server.to_owned(),
        values,
    };
    assert_eq!(
        answers,
        [
            told("ns-1.example.net", all_at(EDGE)),
            told("ns-9.example.net", None)
        ]
    );
}

/// The status and the records that dig shows, sorted.
fn dig(server: SocketAddr, asked: &[&str]) -> Option<(String, Vec<String>)> {
    let output = Command::new("dig")
        .arg(format!("@{}", server.ip()))
        .args([
            "-p",
            &server.port().to_string(),
            "+norecurse",
            "+noedns",
            "+time=20",
        ])
        .args(asked)
        .output();
    let Ok(output) = output else {
        eprintln!("not judged: dig is not installed; scripts/install-judges installs it");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, status) = said
        .split_once("status: ")
        .unwrap_or_else(|| panic!("{said}"));
    let status = status.split(',').next().unwrap().to_owned();
    let authoritative = said.contains("flags: qr aa");
    assert_eq!(authoritative, status != "REFUSED", "{said}");
    let (_, answers) = said.split_once(";; ANSWER SECTION:\n").unwrap_or_default();
    let answers = answers.lines().take_while(|line| !line.is_empty());
    let spaced = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut answers: Vec<String> = answers.map(spaced).collect();
    answers.sort();
    Some((status, answers))
}

/// Questions, with the status and the answers.
const DIG: [(&[&str], &str, &[&str]); 10] = [
    (
        &["example.com", "A"],
        "NOERROR",
        &["example.com. 300 IN A 198.51.100.10"],
    ),
    (
        &["Blog.Example.com", "A"],
        "NOERROR",
        &["Blog.Example.com. 300 IN A 198.51.100.10"],
    ),
    (
        &["*.example.com", "A"],
        "NOERROR",
        &["*.example.com. 300 IN A 198.51.100.10"],
    ),
    (
        &["example.com", "NS", "+tcp"],
        "NOERROR",
        &[
            "example.com. 172800 IN NS ns-1.example.net.",
            "example.com. 172800 IN NS ns-2.example.org.",
        ],
    ),
    (&["example.com", "AAAA"], "NOERROR", &[]),
    (&["deep.example.com", "A"], "NOERROR", &[]),
    (&["b.deep.example.com", "A"], "NXDOMAIN", &[]),
    (&["example.net", "A"], "REFUSED", &[]),
    (
        &["a.deep.example.com", "TXT"],
        "NOERROR",
        &["a.deep.example.com. 60 IN TXT \"x y\""],
    ),
    (
        &["alias.example.com", "A"],
        "NOERROR",
        &[
            "alias.example.com. 60 IN CNAME origin.example.com.",
            "origin.example.com. 300 IN A 198.51.100.10",
        ],
    ),
];

#[test]
fn dig_reads_the_zone_as_resolvers_would() {
    let stage = Stage::new();
    let records = &stage.records;
    records.set(
        &name("alias.example.com"),
        "CNAME",
        60,
        &["origin.example.com"],
    );
    records.set(&name("a.deep.example.com"), "TXT", 60, &["\"x y\""]);
    let many: Vec<String> = (0..100).map(|last| format!("198.51.100.{last}")).collect();
    let texts: Vec<&str> = many.iter().map(String::as_str).collect();
    records.set(&name("many.example.com"), "A", 60, &texts);
    for (asked, status, answers) in DIG {
        let Some(told) = dig(stage.one.socket(), asked) else {
            return;
        };
        let answers = answers.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(told, (status.to_owned(), answers), "{asked:?}");
    }
    // Cut off over UDP, dig asks again over TCP.
    let (_, answers) = dig(stage.one.socket(), &["many.example.com", "A"]).unwrap();
    assert_eq!(answers.len(), 100);
}
