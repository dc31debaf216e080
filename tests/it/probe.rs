//! The prober against sites over real TLS on loopback, each fault told apart; curl judges the same sites.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests run other programs, or say why not"
)]

use std::collections::BTreeMap;
use std::net::{IpAddr, TcpListener};
use std::process::Command;
use std::time::Duration;

use pointsman::adapters::{Detour, HttpsProber, Runtime, SITE_HEADER, Trust, World};
use pointsman::drill::{Authority, BodyKind, CertificateKind, ConnectionKind, Site, SiteConduct};
use pointsman::failover::{Answer, NoAnswer, ProbeRules, Request};
use pointsman::model::dns::RecordName;
use pointsman::ports::{Cancelled, Prober as _};

const HOST: &str = "www.example.com";
const EDGE: [u8; 4] = [198, 51, 100, 10];
const HUB: [u8; 4] = [203, 0, 113, 20];
/// Long enough for any machine.
const LONG: Duration = Duration::from_secs(20);
/// For what never ends.
const SHORT: Duration = Duration::from_millis(300);

struct Stage {
    authority: Authority,
    edge: Site,
    hub: Site,
}

impl Stage {
    fn new() -> Self {
        let authority = Authority::new("the rehearsal's authority").unwrap();
        let site = || Site::start(&authority, &["example.com", "*.example.com"]).unwrap();
        let (edge, hub) = (site(), site());
        Self {
            authority,
            edge,
            hub,
        }
    }

    fn detour(&self) -> Detour {
        Detour {
            sockets: BTreeMap::from([
                (IpAddr::from(EDGE), self.edge.socket()),
                (IpAddr::from(HUB), self.hub.socket()),
            ]),
            names: BTreeMap::from([("control.example.com".to_owned(), self.hub.socket())]),
            authority: self.authority.pem(),
            route53: String::new(),
            sts: String::new(),
            servers: BTreeMap::new(),
        }
    }

    fn prober(&self) -> HttpsProber {
        let world = World::on_loopback(self.detour());
        HttpsProber::new(Runtime::new().unwrap(), world).unwrap()
    }

    fn ask_edge(&self, timeout: Duration) -> Answer {
        ask(&mut self.prober(), HOST, Some(EDGE), timeout)
    }
}

fn ask(prober: &mut HttpsProber, host: &str, at: Option<[u8; 4]>, timeout: Duration) -> Answer {
    let host = RecordName::parse(host).unwrap();
    let request = Request {
        host: &host,
        address: at.map(IpAddr::from),
    };
    let rules = ProbeRules {
        timeout,
        ..ProbeRules::default()
    };
    let mut answers = prober.ask(&[request], rules).unwrap();
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

/// A conduct, our answer, and what curl says: its exit codes, and its HTTP code.
type Case = (SiteConduct, Answer, &'static [i32], u16);

/// Conducts that are over by themselves.
fn decided() -> Vec<Case> {
    [whole(), broken(), wrong_certificates()].concat()
}

fn whole() -> Vec<Case> {
    let told = |conduct, status| (conduct, Answer::status(status), &[0][..], status);
    let giving = |body| told(SiteConduct::giving(body), 200);
    vec![
        told(SiteConduct::default(), 200),
        told(SiteConduct::answering(204), 204),
        told(SiteConduct::answering(404), 404),
        told(SiteConduct::answering(503), 503),
        giving(BodyKind::Long(3 << 20)),
        giving(BodyKind::ToTheEnd),
        giving(BodyKind::ToNoEnd),
        giving(BodyKind::Chunked),
        giving(BodyKind::AfterHints),
        told(untidy(), 200),
        told(SiteConduct::connecting(ConnectionKind::OlderTls), 200),
    ]
}

fn broken() -> Vec<Case> {
    let connecting = |kind, why, exits| {
        let conduct = SiteConduct::connecting(kind);
        (conduct, Answer::None(why), exits, 0)
    };
    let giving = |body, why, exits, status| {
        let conduct = SiteConduct::giving(body);
        (conduct, Answer::None(why), exits, status)
    };
    vec![
        connecting(ConnectionKind::Refuses, NoAnswer::Refused, &[7][..]),
        connecting(ConnectionKind::Resets, NoAnswer::Reset, &[35, 56]),
        connecting(ConnectionKind::HangsUp, NoAnswer::Reset, &[35, 56]),
        connecting(ConnectionKind::PlainHttp, NoAnswer::PlainHttp, &[35]),
        connecting(ConnectionKind::OtherProtocol, NoAnswer::Tls, &[35]),
        giving(BodyKind::CutOff, NoAnswer::Reset, &[18][..], 200),
        giving(BodyKind::ChunkedCutOff, NoAnswer::Reset, &[18, 56], 200),
        giving(BodyKind::Nonsense, NoAnswer::Other, &[1], 0),
    ]
}

fn wrong_certificates() -> Vec<Case> {
    let showing = |kind, why| {
        let conduct = SiteConduct::showing(kind);
        (conduct, Answer::None(why), &[60][..], 0)
    };
    vec![
        showing(CertificateKind::OtherName, NoAnswer::CertificateName),
        showing(CertificateKind::Expired, NoAnswer::CertificateExpired),
        showing(CertificateKind::NotYet, NoAnswer::CertificateExpired),
        showing(CertificateKind::Untrusted, NoAnswer::CertificateUntrusted),
        showing(CertificateKind::SelfIssued, NoAnswer::CertificateUntrusted),
    ]
}

/// An answer that visitors can read all the same: very many headers, some of them malformed.
fn untidy() -> SiteConduct {
    let many = (0..500).map(|number| format!("x-{number}"));
    let conduct = many.fold(SiteConduct::default(), |conduct, name| {
        conduct.with_header(&name, "1")
    });
    conduct
        .with_header("no token", "1")
        .with_header("x-folded", "1\r\n 2")
        .with_header("x-spaced ", "1")
}

/// Conducts that never end.
fn endless() -> Vec<(SiteConduct, NoAnswer, u16)> {
    let giving = SiteConduct::giving;
    vec![
        (
            SiteConduct::connecting(ConnectionKind::Stalls),
            NoAnswer::Timeout,
            0,
        ),
        (giving(BodyKind::StallsBeforeHead), NoAnswer::Timeout, 0),
        (giving(BodyKind::Stalls), NoAnswer::SlowBody, 200),
        (giving(BodyKind::Endless), NoAnswer::SlowBody, 200),
        (giving(BodyKind::Drips), NoAnswer::SlowBody, 200),
    ]
}

#[test]
fn every_conduct_of_a_site_has_its_answer() {
    let stage = Stage::new();
    for (conduct, expected, ..) in decided() {
        stage.edge.conduct(conduct.clone());
        assert_eq!(stage.ask_edge(LONG), expected, "{conduct:?}");
    }
}

#[test]
fn what_never_ends_is_ended_by_the_time_out() {
    let stage = Stage::new();
    for (conduct, expected, _) in endless() {
        stage.edge.conduct(conduct.clone());
        // On a slow machine the head may come late; then more time tells the same.
        let mut timeout = SHORT;
        while stage.ask_edge(timeout) != Answer::None(expected) {
            timeout *= 2;
            assert!(timeout < LONG, "{conduct:?}");
        }
    }
}

#[test]
fn the_real_name_is_in_sni_and_host_and_nothing_is_asked_twice() {
    let stage = Stage::new();
    assert_eq!(stage.ask_edge(LONG), Answer::status(200));
    let seen = stage.edge.take_seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].sni.as_deref(), Some(HOST));
    assert_eq!(seen[0].header("host"), Some(HOST));
    assert!(
        seen[0]
            .head
            .as_ref()
            .unwrap()
            .starts_with("GET / HTTP/1.1\r\n")
    );
    let agent = format!("pointsman/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(seen[0].header("user-agent"), Some(agent.as_str()));
    assert_eq!(stage.hub.take_seen(), []);
}

#[test]
fn each_probe_has_a_connection_of_its_own() {
    let stage = Stage::new();
    let mut prober = stage.prober();
    for _ in 0..3 {
        let answer = ask(&mut prober, HOST, Some(EDGE), LONG);
        assert_eq!(answer, Answer::status(200));
    }
    let peers = stage.edge.take_seen().into_iter().map(|seen| seen.peer);
    let mut peers: Vec<_> = peers.collect();
    assert_eq!(peers.len(), 3);
    peers.dedup();
    assert_eq!(peers.len(), 3);
    // A session taken up again would not show that the certificate is wrong by now.
    stage
        .edge
        .conduct(SiteConduct::showing(CertificateKind::Expired));
    let answer = ask(&mut prober, HOST, Some(EDGE), LONG);
    assert_eq!(answer, Answer::None(NoAnswer::CertificateExpired));
}

#[test]
fn nothing_that_a_site_answers_leads_elsewhere() {
    let stage = Stage::new();
    let elsewhere = format!("https://{}/", stage.hub.socket());
    for location in [elsewhere.as_str(), "https://control.example.com/", "//"] {
        for status in [301, 302, 303, 307, 308] {
            let conduct = SiteConduct::answering(status)
                .with_header("location", location)
                .with_header("refresh", &format!("0; url={location}"))
                .with_header("alt-svc", &format!("h2=\"{}\"", stage.hub.socket()))
                .with_header("x-forwarded-host", "control.example.com");
            stage.edge.conduct(conduct);
            assert_eq!(stage.ask_edge(LONG), Answer::status(status));
        }
    }
    assert_eq!(stage.hub.take_seen(), []);
    assert_eq!(stage.edge.take_seen().len(), 15);
}

#[test]
fn addresses_and_names_outside_the_rehearsal_are_not_reached() {
    let stage = Stage::new();
    let mut prober = stage.prober();
    let nowhere = Answer::None(NoAnswer::Unreachable);
    assert_eq!(ask(&mut prober, HOST, Some([192, 0, 2, 1]), LONG), nowhere);
    assert_eq!(ask(&mut prober, HOST, None, LONG), nowhere);
    let control = ask(&mut prober, "control.example.com", None, LONG);
    assert_eq!(control, Answer::status(200));
    assert_eq!(stage.hub.take_seen().len(), 1);
    assert_eq!(stage.edge.take_seen(), []);
}

#[test]
fn an_answer_may_say_which_site_it_comes_from() {
    let stage = Stage::new();
    stage
        .edge
        .conduct(SiteConduct::default().with_header(SITE_HEADER, "hub"));
    let Answer::Status { code, site } = stage.ask_edge(LONG) else {
        panic!("no answer");
    };
    assert_eq!((code, site.as_deref()), (200, Some("hub")));
}

#[test]
fn all_are_asked_at_once_and_answered_in_their_order() {
    let stage = Stage::new();
    let statuses = [("a.example.com", 201), ("c.example.com", 203)];
    let statuses = statuses.map(|(host, status)| (host.to_owned(), status));
    stage.edge.conduct(SiteConduct {
        statuses: BTreeMap::from(statuses),
        ..SiteConduct::default()
    });
    // This one takes all the processor that it gets, and all its time; the others are heard nevertheless.
    stage.hub.conduct(SiteConduct::giving(BodyKind::Endless));
    let hosts = [
        "b.example.com",
        "a.example.com",
        "b.example.com",
        "c.example.com",
    ];
    let hosts = hosts.map(|host| RecordName::parse(host).unwrap());
    let at = [HUB, EDGE, HUB, EDGE].map(IpAddr::from);
    let requests: Vec<Request<'_>> = hosts
        .iter()
        .zip(at)
        .map(|(host, address)| Request {
            host,
            address: Some(address),
        })
        .collect();
    let mut prober = stage.prober();
    let mut timeout = SHORT;
    let expected = [
        Answer::None(NoAnswer::SlowBody),
        Answer::status(201),
        Answer::None(NoAnswer::SlowBody),
        Answer::status(203),
    ];
    loop {
        let rules = ProbeRules {
            timeout,
            ..ProbeRules::default()
        };
        let answers = prober.ask(&requests, rules).unwrap();
        if answers == expected {
            break;
        }
        timeout *= 2;
        assert!(timeout < LONG, "{answers:?}");
    }
    let none = prober.ask(&[], ProbeRules::default()).unwrap();
    assert_eq!(none, []);
}

#[test]
fn without_an_authority_there_is_no_prober() {
    let stage = Stage::new();
    for authority in [
        "",
        "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n",
    ] {
        let world = World::on_loopback(Detour {
            authority: authority.to_owned(),
            ..stage.detour()
        });
        let told = HttpsProber::new(Runtime::new().unwrap(), world).unwrap_err();
        assert_eq!(
            told.to_string(),
            "the rehearsal's authority is no certificate in PEM"
        );
    }
}

#[test]
fn no_proxy_of_the_environment_is_asked() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut child = alone("the_real_name_is_in_sni_and_host_and_nothing_is_asked_twice");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        child.env(name, &address).env(name.to_lowercase(), &address);
    }
    child.env("NO_PROXY", "").env("no_proxy", "");
    passes(child);
    let waiting = proxy.accept().map(|_| ()).unwrap_err();
    assert_eq!(waiting.kind(), std::io::ErrorKind::WouldBlock);
}

/// Runs one test of this module alone, in a process of its own.
fn alone(test: &str) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", &format!("probe::{test}"), "--nocapture"]);
    child
}

fn passes(mut child: Command) {
    let output = child.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[test]
fn no_variable_says_whose_certificates_are_believed() {
    const NAME: &str = "no_variable_says_whose_certificates_are_believed";
    const ROLE: &str = "POINTSMAN_TEST_AUTHORITIES";
    let told = match Trust::of(&World::default()) {
        Ok(_) => "found".to_owned(),
        Err(fault) => fault.to_string(),
    };
    match std::env::var(ROLE) {
        Ok(before) => assert_eq!(told, before),
        Err(_) => {
            let folder = tempfile::tempdir().unwrap();
            let mut child = alone(NAME);
            child.env("SSL_CERT_FILE", folder.path().join("none"));
            child.env("SSL_CERT_DIR", folder.path()).env(ROLE, told);
            passes(child);
        }
    }
}

#[test]
fn the_end_of_the_job_breaks_off_a_probe_and_every_one_after_it() {
    const ROLE: &str = "POINTSMAN_TEST_ENDS_ITSELF";
    if std::env::var(ROLE).is_err() {
        // A signal reaches every runtime of a process, those of other tests too.
        let mut child = alone("the_end_of_the_job_breaks_off_a_probe_and_every_one_after_it");
        child.env(ROLE, "1");
        return passes(child);
    }
    let stage = Stage::new();
    stage.edge.conduct(SiteConduct::giving(BodyKind::Endless));
    let host = RecordName::parse(HOST).unwrap();
    let request = Request {
        host: &host,
        address: Some(IpAddr::from(EDGE)),
    };
    let rules = ProbeRules {
        timeout: Duration::from_secs(3600),
        ..ProbeRules::default()
    };
    let mut prober = stage.prober();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while stage.edge.take_seen().is_empty() {
                std::thread::yield_now();
            }
            let end = format!("kill -TERM {}", std::process::id());
            let sent = Command::new("sh").args(["-c", &end]).status();
            assert!(sent.unwrap().success());
        });
        assert_eq!(prober.ask(&[request], rules), Err(Cancelled));
    });
    assert_eq!(prober.ask(&[request], rules), Err(Cancelled));
}

/// What curl says: its exit code, and its HTTP code.
fn curl(stage: &Stage, timeout: Duration) -> Option<(i32, u16)> {
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, stage.authority.pem()).unwrap();
    let to = format!("{HOST}:443:{}", stage.edge.socket());
    let output = Command::new("curl")
        .env_clear()
        .args(["--disable", "--silent", "--output", "/dev/null"])
        .args(["--write-out", "%{http_code}", "--connect-to", &to])
        .args(["--max-time", &timeout.as_secs_f64().to_string()])
        .arg("--cacert")
        .arg(authority)
        .arg(format!("https://{HOST}/"))
        .output();
    let Ok(output) = output else {
        eprintln!("not judged: curl is not installed; scripts/install-judges installs it");
        return None;
    };
    let code = String::from_utf8_lossy(&output.stdout).parse().unwrap();
    Some((output.status.code().unwrap(), code))
}

#[test]
fn curl_says_the_same_of_every_conduct() {
    let stage = Stage::new();
    for (conduct, expected, exits, status) in decided() {
        stage.edge.conduct(conduct.clone());
        let Some((exit, code)) = curl(&stage, LONG) else {
            return;
        };
        assert!(
            exits.contains(&exit) && code == status,
            "{conduct:?}: curl ends with {exit}, {code}; ours is {expected:?}"
        );
    }
    for (conduct, _, status) in endless() {
        stage.edge.conduct(conduct.clone());
        let mut timeout = SHORT;
        while curl(&stage, timeout) != Some((28, status)) {
            timeout *= 2;
            assert!(timeout < LONG, "{conduct:?}");
        }
    }
}

#[test]
fn curl_sends_the_same_names_and_follows_nothing_either() {
    let stage = Stage::new();
    let elsewhere = format!("https://{}/", stage.hub.socket());
    stage
        .edge
        .conduct(SiteConduct::answering(301).with_header("location", &elsewhere));
    if curl(&stage, LONG).is_none() {
        return;
    }
    let theirs = stage.edge.take_seen();
    assert_eq!(stage.ask_edge(LONG), Answer::status(301));
    let ours = stage.edge.take_seen();
    assert_eq!((theirs.len(), ours.len()), (1, 1));
    assert_eq!(theirs[0].sni, ours[0].sni);
    assert_eq!(theirs[0].header("host"), ours[0].header("host"));
    assert_eq!(theirs[0].header("accept"), ours[0].header("accept"));
    assert_eq!(stage.hub.take_seen(), []);
}
