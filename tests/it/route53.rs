//! The adapters of Route 53 and STS, through the real SDK, against the endpoint for rehearsals.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests stand servers up on loopback and start this binary once more"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pointsman::adapters::aws::{
    Aws, AwsIdentity, AwsZone, Keys, Means, Secret, WebIdentity, ZoneId,
};
use pointsman::adapters::{Detour, Runtime, World};
use pointsman::drill::{
    Borrowed, Cloud, Endpoint, HostedZone, Issuer, Now, Set, Sync, Times, Trouble, What,
};
use pointsman::failover::{ChangeStatus, Fault, FaultKind, Record, Upsert};
use pointsman::model::dns::{RecordName, RecordType};
use pointsman::ports::{Identity as _, Stop, Zone as _};
use rustls::{ClientConfig, RootCertStore};

/// More than any reading takes.
const WITHIN: Duration = Duration::from_secs(60);

type Tested<T> = Result<T, Box<dyn Error>>;

pub(crate) const ZONE: &str = "Z0123456789EXAMPLE";

const KEY: &str = "ASIAJOBEXAMPLE";

const ROLE: &str = "arn:aws:iam::123456789012:role/dns-failover";

const EDGE: &str = "198.51.100.10";

const HUB: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 20));

const MINUTE: Duration = Duration::from_secs(60);

pub(crate) fn name(written: &str) -> Tested<RecordName> {
    Ok(RecordName::parse(written)?)
}

pub(crate) fn records() -> Tested<Vec<Record>> {
    let record = |written| {
        Ok(Record {
            name: name(written)?,
            kind: RecordType::A,
        })
    };
    ["example.com", "*.example.com"]
        .into_iter()
        .map(record)
        .collect()
}

pub(crate) fn zone() -> Tested<HostedZone> {
    let servers = ["ns-1.example.net.", "ns-2.example.net."];
    let mut zone = HostedZone::new(ZONE, name("example.com")?, &servers);
    for written in ["example.com", "*.example.com", "origin.example.com"] {
        zone.put(Set::new(name(written)?, "A", 300, EDGE));
    }
    Ok(zone)
}

/// The keys that a step before has left in the job.
fn job_keys() -> Keys {
    Keys {
        id: KEY.to_owned(),
        secret: Secret::new("secret"),
        token: Some(Secret::new("session")),
    }
}

fn job_session(until: Option<u64>) -> Borrowed {
    Borrowed {
        principal: "arn:aws:sts::123456789012:assumed-role/dns-failover/job".to_owned(),
        until,
        token: Some("session".to_owned()),
    }
}

pub(crate) fn tls() -> Tested<Arc<ClientConfig>> {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(ring).with_safe_default_protocol_versions()?;
    let config = config.with_root_certificates(RootCertStore::empty());
    Ok(Arc::new(config.with_no_client_auth()))
}

/// A world with AWS at these URLs.
fn world_at(route53: &str, sts: &str) -> World {
    World::on_loopback(Detour {
        sockets: BTreeMap::new(),
        names: BTreeMap::new(),
        authority: String::new(),
        route53: route53.to_owned(),
        sts: sts.to_owned(),
        servers: BTreeMap::new(),
    })
}

fn aws_at(route53: &str, sts: &str) -> Tested<Aws> {
    Ok(Aws::new(&Runtime::new()?, &world_at(route53, sts), tls()?))
}

pub(crate) fn zone_of(aws: &Aws) -> Tested<AwsZone> {
    let name = name("example.com")?;
    let id = ZONE.to_owned();
    Ok(aws.zone(ZoneId { id, name }))
}

/// An endpoint, and the zone with the job's session.
struct Bench {
    endpoint: Endpoint,
    aws: Aws,
    zone: AwsZone,
}

impl Bench {
    fn new() -> Tested<Self> {
        let endpoint = endpoint()?;
        let aws = aws_at(&endpoint.url(), &endpoint.url())?;
        Self::with(endpoint, aws)
    }

    fn with(endpoint: Endpoint, aws: Aws) -> Tested<Self> {
        signed_in(&aws)?;
        let zone = zone_of(&aws)?;
        Ok(Self {
            endpoint,
            aws,
            zone,
        })
    }

    fn change(&mut self, within: Duration) -> Tested<Result<String, Stop>> {
        change(&mut self.zone, within)
    }

    fn ops(&self) -> Vec<String> {
        let op = |cloud: &mut Cloud| cloud.log().iter().map(|call| call.op.clone()).collect();
        self.endpoint.with(op)
    }

    /// The values of a record now.
    fn values(&self, written: &str) -> Tested<Vec<String>> {
        let name = name(written)?;
        let values = |cloud: &mut Cloud| {
            let sets = cloud.zone().sets(&name, "A");
            sets.iter().flat_map(|set| set.values.clone()).collect()
        };
        Ok(self.endpoint.with(values))
    }
}

fn endpoint() -> Tested<Endpoint> {
    let mut cloud = Cloud::new(zone()?);
    cloud.admit(KEY, job_session(None));
    Ok(Endpoint::start(cloud)?)
}

/// Takes the job's session.
fn signed_in(aws: &Aws) -> Tested<AwsIdentity> {
    let mut identity = aws.identity(Means {
        keys: Some(job_keys()),
        ..Means::default()
    });
    identity.fetch_token().map_err(told)?;
    identity.assume_role().map_err(told)?;
    Ok(identity)
}

pub(crate) fn change(zone: &mut AwsZone, within: Duration) -> Tested<Result<String, Stop>> {
    let records = records()?;
    let upsert = |record| Upsert {
        record,
        ttl: 300,
        value: HUB,
    };
    let upserts: Vec<Upsert<'_>> = records.iter().map(upsert).collect();
    Ok(zone.change(&upserts, &"run 4711: home-is-down. ".repeat(20), within))
}

pub(crate) fn told(stop: Stop) -> String {
    match stop {
        Stop::Failed(fault) => fault.describe(),
        Stop::Cancelled => "cancelled".to_owned(),
    }
}

pub(crate) fn fault<T>(result: Result<T, Stop>) -> Tested<Fault> {
    match result {
        Ok(_) => Err("it went well".into()),
        Err(Stop::Failed(fault)) => Ok(fault),
        Err(Stop::Cancelled) => Err("it was cancelled".into()),
    }
}

#[test]
fn records_are_read_with_octal_names_and_nothing_else() {
    let mut bench = Bench::new().unwrap();
    let sets = bench
        .zone
        .list(&records().unwrap(), WITHIN)
        .map_err(told)
        .unwrap();
    let names: Vec<(&str, &str)> = sets
        .iter()
        .map(|set| (set.name.as_str(), set.kind.as_str()))
        .collect();
    let apex = "example.com.";
    assert_eq!(
        names,
        [
            (apex, "A"),
            (apex, "NS"),
            (apex, "SOA"),
            ("\\052.example.com.", "A")
        ]
    );
    // The NS record came by on the way, so nobody is asked for it.
    let servers = bench.zone.clone().name_servers().map_err(told).unwrap();
    assert_eq!(servers, ["ns-1.example.net.", "ns-2.example.net."]);
    assert_eq!(bench.ops(), ["ListResourceRecordSets"]);
    let scope = bench
        .endpoint
        .with(|cloud| cloud.log()[0].scope.clone())
        .unwrap();
    assert_eq!(
        (scope.region.as_str(), scope.service.as_str()),
        ("us-east-1", "route53")
    );
}

#[test]
fn name_servers_are_asked_for_when_no_list_had_them() {
    let bench = Bench::new().unwrap();
    assert_eq!(bench.zone.name_servers().map_err(told).unwrap().len(), 2);
    assert_eq!(bench.zone.name_servers().map_err(told).unwrap().len(), 2);
    assert_eq!(bench.ops(), ["ListResourceRecordSets"]);
}

#[test]
fn a_large_zone_is_read_until_no_record_can_follow() {
    let mut bench = Bench::new().unwrap();
    bench.endpoint.with(|cloud| {
        for index in 0..650 {
            // Digits come between `*` and `\052`, letters after both.
            for letter in ["", "b"] {
                let name = name(&format!("{letter}{index}.example.com")).unwrap();
                cloud.zone_mut().put(Set::new(name, "A", 60, EDGE));
            }
        }
    });
    let sets = bench
        .zone
        .list(&records().unwrap(), WITHIN)
        .map_err(told)
        .unwrap();
    assert_eq!(sets.len(), 4);
    assert_eq!(
        bench.ops().len(),
        3,
        "the letters' last pages need not be read"
    );
}

#[test]
fn sets_of_one_name_are_read_across_pages_by_identifier() {
    let mut bench = Bench::new().unwrap();
    bench.endpoint.with(|cloud| {
        for index in 0..700 {
            let mut set = Set::new(name("*.example.com").unwrap(), "A", 60, EDGE);
            set.identifier = Some(format!("set-{index:03} <&>"));
            cloud.zone_mut().put(set);
        }
    });
    let sets = bench
        .zone
        .list(&records().unwrap(), WITHIN)
        .map_err(told)
        .unwrap();
    let routed = sets.iter().filter(|set| set.set_identifier.is_some());
    assert_eq!(routed.count(), 700);
    assert_eq!(bench.ops().len(), 3);
}

#[test]
fn a_change_is_one_batch_and_is_followed_until_it_is_in_sync() {
    let mut bench = Bench::new().unwrap();
    let id = bench.change(MINUTE).unwrap().map_err(told).unwrap();
    assert!(!id.contains('/'), "{id}");
    for written in ["example.com", "*.example.com"] {
        assert_eq!(bench.values(written).unwrap(), ["203.0.113.20"]);
    }
    assert_eq!(bench.values("origin.example.com").unwrap(), [EDGE]);
    let logged = bench.endpoint.with(|cloud| cloud.log()[0].clone());
    assert_eq!(logged.edits.len(), 2);
    assert_eq!(logged.comment.chars().count(), 256);
    let mut ask = |id: &str| bench.zone.change_status(id).map_err(told).unwrap();
    assert_eq!(ask(&id), ChangeStatus::Pending);
    assert_eq!(ask(&format!("/change/{id}")), ChangeStatus::InSync);
    let unknown = fault(bench.zone.change_status("C0UNKNOWN")).unwrap();
    assert_eq!(
        (unknown.kind, unknown.code.as_str()),
        (FaultKind::Rejected, "NoSuchChange")
    );
    bench.endpoint.with(|cloud| cloud.sync(Sync::Never));
    let id = bench.change(MINUTE).unwrap().map_err(told).unwrap();
    for _ in 0..3 {
        assert_eq!(
            bench.zone.change_status(&id).map_err(told).unwrap(),
            ChangeStatus::Pending
        );
    }
}

/// A fault of the service, and the kind that it means.
const ANSWERED: &[(u16, &str, &str, FaultKind)] = &[
    (400, "Throttling", "Rate exceeded", FaultKind::Busy),
    (
        400,
        "PriorRequestNotComplete",
        "The request was rejected because Route 53 was still processing a prior request.",
        FaultKind::Busy,
    ),
    (500, "InternalFailure", "", FaultKind::Unavailable),
    (
        503,
        "ServiceUnavailable",
        "try again",
        FaultKind::Unavailable,
    ),
    (
        400,
        "InvalidChangeBatch",
        "[RRSet with DNS name a. is not permitted in zone b.]",
        FaultKind::Rejected,
    ),
    (
        400,
        "InvalidInput",
        "The input is not valid",
        FaultKind::Rejected,
    ),
    (
        404,
        "NoSuchHostedZone",
        "No hosted zone found with ID: Z",
        FaultKind::Rejected,
    ),
    (
        403,
        "AccessDenied",
        "User: x is not authorized",
        FaultKind::Denied,
    ),
    (
        403,
        "ExpiredToken",
        "The security token included in the request is expired",
        FaultKind::Expired,
    ),
    (
        403,
        "InvalidClientTokenId",
        "The security token included in the request is invalid.",
        FaultKind::Denied,
    ),
    (
        418,
        "SomethingNew",
        "it has its reasons",
        FaultKind::Rejected,
    ),
];

#[test]
fn every_answer_that_says_no_is_told_in_its_own_words() {
    let mut bench = Bench::new().unwrap();
    for (http, code, message, kind) in ANSWERED {
        let trouble = Trouble::refused("*", Times::First(3), *http, code, message);
        bench.endpoint.with(|cloud| cloud.trouble(trouble));
        let faults = [
            fault(bench.zone.list(&records().unwrap(), WITHIN)).unwrap(),
            fault(bench.change(MINUTE).unwrap()).unwrap(),
            fault(bench.zone.change_status("C1")).unwrap(),
        ];
        for fault in faults {
            assert_eq!(
                (fault.code.as_str(), fault.message.as_str(), fault.kind),
                (*code, *message, *kind)
            );
        }
    }
    // Each of them was asked for once: the SDK repeats nothing.
    assert_eq!(bench.ops().len(), 3 * ANSWERED.len());
    assert_eq!(bench.values("example.com").unwrap(), [EDGE]);
}

/// The error of a batch as AWS's API reference prints it.
pub(crate) const LISTED: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<InvalidChangeBatch xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\">
   <Messages>
      <Message>Tried to create resource record set duplicate.example.com. type A, but it already exists</Message>
      <Message>RRSet with DNS name a. is not permitted in zone b.</Message>
   </Messages>
   <RequestId>00000000-0000-4000-8000-000000000000</RequestId>
</InvalidChangeBatch>";

#[test]
fn a_batchs_errors_are_read_from_a_list_of_messages_too() {
    let mut bench = Bench::new().unwrap();
    let says = |http, body: &str| {
        let body = body.to_owned();
        Trouble::new("*", Times::First(1), What::Says { http, body })
    };
    bench
        .endpoint
        .with(|cloud| cloud.trouble(says(400, LISTED)));
    let told = fault(bench.change(MINUTE).unwrap()).unwrap();
    assert_eq!(told.code, "InvalidChangeBatch");
    assert_eq!(told.kind, FaultKind::Rejected);
    assert_eq!(
        told.message,
        "Tried to create resource record set duplicate.example.com. type A, but it already exists; RRSet with DNS name a. is not permitted in zone b."
    );
    for (http, body, shown) in [
        (301, "", "its body is empty"),
        (503, "<html><p>Sorry</html>", "its body begins `<html><p>"),
        (200, "<html><p>Sorry</html>", "its body begins `<html><p>"),
    ] {
        bench.endpoint.with(|cloud| cloud.trouble(says(http, body)));
        let told = fault(bench.zone.list(&records().unwrap(), WITHIN)).unwrap();
        let message = &told.message;
        assert!(message.contains("`ListResourceRecordSets`"), "{told:?}");
        assert!(message.contains(shown), "{told:?}");
    }
    assert_eq!(bench.values("example.com").unwrap(), [EDGE]);
}

#[test]
fn an_answer_that_never_came_may_have_been_carried_out() {
    for applied in [true, false] {
        let mut bench = Bench::new().unwrap();
        let lost = Trouble::new("*", Times::First(1), What::Lost { applied });
        bench.endpoint.with(|cloud| cloud.trouble(lost));
        let lost = fault(bench.change(MINUTE).unwrap()).unwrap();
        assert_eq!(lost.kind, FaultKind::Lost, "{lost:?}");
        let expected = if applied { "203.0.113.20" } else { EDGE };
        assert_eq!(bench.values("*.example.com").unwrap(), [expected]);
        assert_eq!(bench.ops().len(), 1, "nothing is sent twice");
    }
}

#[test]
fn an_answer_that_is_late_or_unreadable_may_have_been_carried_out() {
    let endpoint = endpoint().unwrap();
    let aws = aws_at(&endpoint.url(), &endpoint.url()).unwrap();
    let mut bench =
        Bench::with(endpoint, aws.answering_within(Duration::from_millis(200))).unwrap();
    let late = What::Late(Duration::from_secs(60));
    bench
        .endpoint
        .with(|cloud| cloud.trouble(Trouble::new("*", Times::First(1), late)));
    let late = fault(bench.change(MINUTE).unwrap()).unwrap();
    assert_eq!(late.kind, FaultKind::Lost);
    assert!(late.message.contains("within 200 ms"), "{late:?}");
    for body in [
        "<html>hello</html>",
        "",
        "<ChangeResourceRecordSetsResponse>",
        "\u{0}",
    ] {
        let garbled = What::Garbled(body.to_owned());
        bench
            .endpoint
            .with(|cloud| cloud.trouble(Trouble::new("*", Times::First(1), garbled)));
        let garbled = fault(bench.change(MINUTE).unwrap()).unwrap();
        assert_eq!(
            (garbled.kind, garbled.code.as_str()),
            (FaultKind::Lost, "UnreadableAnswer"),
            "{body}"
        );
    }
}

#[test]
fn an_answer_of_whoever_stands_between_is_told_by_its_status() {
    let cases: [(&[u8], FaultKind, &str); 5] = [
        (
            b"HTTP/1.1 503 Unavailable\r\ncontent-length: 5\r\n\r\nsorry",
            FaultKind::Unavailable,
            "HTTP 503",
        ),
        (
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n",
            FaultKind::Rejected,
            "HTTP 302",
        ),
        (
            b"HTTP/1.1 407 Proxy\r\ncontent-length: 5\r\n\r\n<html",
            FaultKind::Rejected,
            "HTTP 407",
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n<Ch",
            FaultKind::Lost,
            "ConnectionLost",
        ),
        (b"SSH-2.0-hello\r\n", FaultKind::Lost, "ConnectionLost"),
    ];
    for (bytes, kind, code) in cases {
        let (address, seen) = raw_server(bytes).unwrap();
        let aws = aws_at(&format!("http://{address}"), "").unwrap();
        let aws = aws.answering_within(Duration::from_millis(300));
        signed_in(&aws).unwrap();
        let told = fault(change(&mut zone_of(&aws).unwrap(), MINUTE).unwrap()).unwrap();
        assert_eq!((told.kind, told.code.as_str()), (kind, code), "{told:?}");
        assert_eq!(
            seen.load(Ordering::SeqCst),
            1,
            "nothing is sent twice, and no redirect is followed"
        );
    }
}

#[test]
fn a_list_may_show_what_was_before_the_last_change() {
    let mut bench = Bench::new().unwrap();
    bench.change(MINUTE).unwrap().map_err(told).unwrap();
    bench.endpoint.with(|cloud| {
        cloud.trouble(Trouble::new(
            "ListResourceRecordSets",
            Times::First(1),
            What::Old,
        ));
    });
    for expected in [EDGE, "203.0.113.20"] {
        let sets = bench
            .zone
            .list(&records().unwrap(), WITHIN)
            .map_err(told)
            .unwrap();
        assert_eq!(sets[0].values, [expected]);
    }
}

#[test]
fn nothing_is_sent_when_its_time_has_passed() {
    let mut bench = Bench::new().unwrap();
    let late = fault(bench.change(Duration::ZERO).unwrap()).unwrap();
    assert_eq!(
        (late.kind, late.code.as_str()),
        (FaultKind::Unavailable, "TooLate")
    );
    assert_eq!(bench.ops(), [""; 0]);
}

/// A server that answers every connection with `bytes` and then holds it, and what it was told.
fn raw_server(bytes: &'static [u8]) -> Tested<(String, Arc<AtomicUsize>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    thread::spawn(move || {
        let mut open = Vec::new();
        for mut stream in listener.incoming().flatten() {
            counted.fetch_add(1, Ordering::SeqCst);
            if !bytes.is_empty() {
                let mut request = [0; 16];
                // Whoever hangs up early has its answer as well.
                let _read = stream.read(&mut request);
                let _written = stream.write_all(bytes);
            }
            open.push(stream);
        }
    });
    Ok((address.to_string(), seen))
}

#[test]
fn a_connection_that_is_not_ready_in_time_has_sent_nothing() {
    let (address, seen) = raw_server(b"").unwrap();
    let aws = aws_at(&format!("https://{address}"), "").unwrap();
    signed_in(&aws).unwrap();
    let began = Instant::now();
    let slow =
        fault(change(&mut zone_of(&aws).unwrap(), Duration::from_millis(200)).unwrap()).unwrap();
    assert_eq!(
        (slow.kind, slow.code.as_str()),
        (FaultKind::Unavailable, "ConnectTimeout")
    );
    assert!(began.elapsed() >= Duration::from_millis(200));
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

#[test]
fn failures_to_connect_are_told_in_words() {
    let (plain, _) = raw_server(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let cases = [
        (
            format!("https://{plain}"),
            "TlsFailure",
            "no TLS with `127.0.0.1`",
        ),
        (
            format!("http://{closed}"),
            "ConnectionRefused",
            "no connection to `127.0.0.1` port",
        ),
        (
            "https://route53.example".to_owned(),
            "EndpointRefused",
            "a rehearsal stays on loopback",
        ),
    ];
    for (url, code, words) in cases {
        let aws = aws_at(&url, &url).unwrap();
        signed_in(&aws).unwrap();
        let mut zone = zone_of(&aws).unwrap();
        for fault in [
            fault(change(&mut zone, MINUTE).unwrap()).unwrap(),
            fault(zone.list(&records().unwrap(), WITHIN)).unwrap(),
        ] {
            assert_eq!(
                (fault.kind, fault.code.as_str()),
                (FaultKind::Unavailable, code)
            );
            assert!(fault.message.contains(words), "{fault:?}");
        }
    }
}

/// A server over TLS that says of every change that it is in sync.
fn tls_server(config: Arc<rustls::ServerConfig>) -> Tested<String> {
    let body = "<GetChangeResponse xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\"><ChangeInfo><Id>C1</Id>\
                <Status>INSYNC</Status><SubmittedAt>2026-11-30T12:00:00Z</SubmittedAt></ChangeInfo></GetChangeResponse>";
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Ok(connection) = rustls::ServerConnection::new(Arc::clone(&config)) else {
                return;
            };
            let mut stream = rustls::StreamOwned::new(connection, stream);
            let mut request = [0; 4096];
            // Whoever does not trust the certificate hangs up.
            if stream.read(&mut request).is_ok_and(|length| length > 0) {
                let _answered = stream.write_all(answer.as_bytes());
            }
        }
    });
    Ok(address.to_string())
}

#[test]
fn over_tls_the_certificate_must_be_the_hosts_own() {
    use pointsman::drill::{Authority, CertificateKind as Kind};
    let authority = Authority::new("drill").unwrap();
    let mut roots = RootCertStore::empty();
    let pem = authority.pem();
    let certificate = rustls::pki_types::pem::PemObject::from_pem_slice(pem.as_bytes()).unwrap();
    roots.add(certificate).unwrap();
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let trusting = ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .unwrap();
    let trusting = Arc::new(trusting.with_root_certificates(roots).with_no_client_auth());
    let asked = |kind| -> Tested<Result<ChangeStatus, Stop>> {
        let address = tls_server(authority.server(&["127.0.0.1"], kind)?)?;
        let aws = Aws::new(
            &Runtime::new()?,
            &world_at(&format!("https://{address}"), ""),
            Arc::clone(&trusting),
        );
        signed_in(&aws)?;
        Ok(zone_of(&aws)?.change_status("C1"))
    };
    assert_eq!(asked(Kind::Right).unwrap(), Ok(ChangeStatus::InSync));
    for kind in [
        Kind::OtherName,
        Kind::Expired,
        Kind::NotYet,
        Kind::Untrusted,
        Kind::SelfIssued,
    ] {
        let told = fault(asked(kind).unwrap()).unwrap();
        assert_eq!(
            (told.kind, told.code.as_str()),
            (FaultKind::Unavailable, "TlsFailure"),
            "{kind:?}"
        );
        assert!(told.message.contains("certificate"), "{told:?}");
    }
}

/// What the wire of the real world says about this URL.
fn asked_for_real(url: &str) -> Tested<String> {
    let runtime = Runtime::new()?;
    let aws = Aws::new(&runtime, &World::default(), tls()?);
    let config = aws_sdk_route53::Config::builder()
        .behavior_version(aws_sdk_route53::config::BehaviorVersion::latest())
        .region(aws_sdk_route53::config::Region::from_static("us-east-1"))
        .http_client(aws.wire().clone())
        .endpoint_url(url)
        .allow_no_auth();
    let client = aws_sdk_route53::Client::from_conf(config.build());
    match runtime.run(client.get_change().id("C1").send())? {
        Ok(_) => Err("it was answered".into()),
        Err(error) => Ok(format!("{error:?}")),
    }
}

#[test]
fn outside_a_rehearsal_nothing_is_asked_without_tls() {
    let endpoint = endpoint().unwrap();
    let told = asked_for_real(&endpoint.url()).unwrap();
    assert!(told.contains("only HTTPS is allowed"), "{told}");
    assert_eq!(endpoint.with(|cloud| cloud.log().len()), 0);
}

#[test]
fn a_name_that_cannot_be_resolved_is_told_in_words() {
    // No resolver is asked for a label that long.
    let told = asked_for_real(&format!("https://{}.example", "x".repeat(70))).unwrap();
    assert!(
        told.contains("DnsFailure") && told.contains("could not be resolved"),
        "{told}"
    );
}

#[cfg(feature = "aws")]
#[test]
fn a_run_by_hand_takes_the_profile_that_the_aws_cli_would_take() {
    use pointsman::adapters::aws::UsualPlaces;
    let by_hand = |profile: &str| -> Tested<Result<Option<Duration>, Stop>> {
        let bench = Bench::new()?;
        let mut own = bench.aws.identity(Means {
            usual: Some(UsualPlaces {
                profile: Some(profile.to_owned()),
            }),
            ..Means::default()
        });
        own.fetch_token().map_err(told)?;
        let lives = own.assume_role();
        if lives.is_ok() {
            bench.zone.name_servers().map_err(told)?;
        }
        Ok(lives)
    };
    if std::env::var("AWS_EC2_METADATA_DISABLED").is_ok_and(|set| set == "true") {
        // This is the second process, with an environment of its own.
        assert_eq!(by_hand("drill").unwrap(), Ok(None));
        let none = fault(by_hand("none-of-this-name").unwrap()).unwrap();
        assert_eq!(
            (none.kind, none.code.as_str()),
            (FaultKind::Denied, "NoCredentials")
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials");
    let text = format!(
        "[drill]\naws_access_key_id = {KEY}\naws_secret_access_key = secret\naws_session_token = session\n"
    );
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    let test = "route53::a_run_by_hand_takes_the_profile_that_the_aws_cli_would_take";
    command.args(["--exact", test]).env_clear();
    command
        .env("AWS_SHARED_CREDENTIALS_FILE", &file)
        .env("AWS_CONFIG_FILE", "/dev/null");
    let output = command
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

#[test]
fn no_variable_of_the_environment_reaches_the_calls() {
    let (proxy, seen) = raw_server(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    let test = "route53::records_are_read_with_octal_names_and_nothing_else";
    command.args(["--exact", test, "--test-threads=1"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        let proxy = format!("http://{proxy}");
        command.env(name, &proxy).env(name.to_lowercase(), &proxy);
    }
    for name in [
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_ROUTE_53",
        "AWS_ENDPOINT_URL_STS",
    ] {
        command.env(name, format!("http://{proxy}"));
    }
    for (name, value) in [
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "AKIAOTHER"),
        ("AWS_SECRET_ACCESS_KEY", "other"),
        ("AWS_PROFILE", "none-of-this-name"),
        ("AWS_MAX_ATTEMPTS", "9"),
        ("NO_PROXY", ""),
        ("no_proxy", ""),
    ] {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    assert_eq!(seen.load(Ordering::SeqCst), 0, "the proxy was asked");
}

/// The right to use the zone, with the job's keys and GitHub's tokens.
fn identity(endpoint: &Endpoint, aws: &Aws, keys: Option<Keys>, mut issuer: Issuer) -> AwsIdentity {
    let wall = std::time::UNIX_EPOCH
        .elapsed()
        .map_or(0, |wall| wall.as_secs());
    let now = Now {
        wall,
        ..Now::default()
    };
    endpoint.with(|cloud| {
        cloud.trust(Box::new(|role, _, claims| {
            let sub = claims.get("sub").and_then(serde_json::Value::as_str);
            role == ROLE && sub == Some("repo:acme/dns-failover:ref:refs/heads/main")
        }));
    });
    let tokens = move || Ok(Secret::new(issuer.issue("sts.amazonaws.com", now)));
    aws.identity(Means {
        keys,
        web: Some(WebIdentity {
            role: ROLE.to_owned(),
            region: "ap-northeast-2".to_owned(),
            session_name: "pointsman-4711".to_owned(),
            seconds: 3600,
            tokens: Box::new(tokens),
        }),
        ..Means::default()
    })
}

fn issuer(branch: &str) -> Issuer {
    let subject = format!("repo:acme/dns-failover:ref:refs/heads/{branch}");
    Issuer::new("bearer", "acme/dns-failover", branch, &subject)
}

#[test]
fn the_jobs_session_is_used_first_and_then_the_role_is_borrowed_again() {
    let mut bench = Bench::new().unwrap();
    let mut own = identity(
        &bench.endpoint,
        &bench.aws,
        Some(job_keys()),
        issuer("main"),
    );
    own.fetch_token().map_err(told).unwrap();
    assert_eq!(own.assume_role().map_err(told).unwrap(), None);
    assert_eq!(bench.ops(), [""; 0], "the job's session needs no call");
    bench
        .endpoint
        .with(|cloud| cloud.admit(KEY, job_session(Some(1))));
    let expired = fault(bench.zone.list(&records().unwrap(), WITHIN)).unwrap();
    assert_eq!(expired.kind, FaultKind::Expired);
    own.fetch_token().map_err(told).unwrap();
    let lives = own.assume_role().map_err(told).unwrap().unwrap();
    assert!(
        lives > Duration::from_secs(3500) && lives <= Duration::from_secs(3601),
        "{lives:?}"
    );
    bench
        .zone
        .list(&records().unwrap(), WITHIN)
        .map_err(told)
        .unwrap();
    let keys: Vec<String> = bench.endpoint.with(|cloud| {
        let scopes = cloud.log().iter().filter_map(|call| call.scope.clone());
        scopes.map(|scope| scope.key).collect()
    });
    assert_eq!(keys.len(), 2, "STS is asked without a signature");
    assert_ne!(keys[0], keys[1]);
    let printed = format!("{own:?}");
    assert!(!printed.contains("eyJ"), "a token was printed: {printed}");
}

#[test]
fn a_role_that_is_not_given_says_why() {
    let bench = Bench::new().unwrap();
    let cases = [
        (400, "IDPCommunicationError", FaultKind::Unavailable),
        (400, "InvalidIdentityToken", FaultKind::Denied),
        (400, "ExpiredTokenException", FaultKind::Expired),
        (403, "IDPRejectedClaim", FaultKind::Denied),
        (403, "AccessDenied", FaultKind::Denied),
        (400, "Throttling", FaultKind::Busy),
        (500, "InternalFailure", FaultKind::Unavailable),
    ];
    let mut own = identity(&bench.endpoint, &bench.aws, None, issuer("main"));
    own.fetch_token().map_err(told).unwrap();
    for (http, code, kind) in cases {
        let trouble = Trouble::refused(
            "AssumeRoleWithWebIdentity",
            Times::First(1),
            http,
            code,
            "no",
        );
        bench.endpoint.with(|cloud| cloud.trouble(trouble));
        let no = fault(own.assume_role()).unwrap();
        assert_eq!(
            (no.kind, no.code.as_str(), no.message.as_str()),
            (
                kind,
                code,
                "AssumeRoleWithWebIdentity of the role `arn:aws:iam::123456789012:role/dns-failover` at STS in `ap-northeast-2`: no"
            )
        );
    }
    // The token that was fetched is still good for another try.
    assert!(own.assume_role().is_ok());
    let mut stranger = identity(&bench.endpoint, &bench.aws, None, issuer("other"));
    stranger.fetch_token().map_err(told).unwrap();
    assert_eq!(fault(stranger.assume_role()).unwrap().code, "AccessDenied");
    let mut stale = issuer("main");
    stale.claims.insert("exp".to_owned(), 1.into());
    let mut stale = identity(&bench.endpoint, &bench.aws, None, stale);
    stale.fetch_token().map_err(told).unwrap();
    assert_eq!(fault(stale.assume_role()).unwrap().kind, FaultKind::Expired);
}

#[test]
fn what_cannot_be_renewed_says_so_and_a_users_own_key_needs_no_renewal() {
    let bench = Bench::new().unwrap();
    let mut nothing = bench.aws.identity(Means::default());
    let missing = fault(nothing.fetch_token()).unwrap();
    assert_eq!(
        (missing.kind, missing.code.as_str()),
        (FaultKind::Denied, "NoCredentials")
    );
    let mut session = signed_in(&bench.aws).unwrap();
    let spent = fault(session.fetch_token()).unwrap();
    assert_eq!(
        (spent.kind, spent.code.as_str()),
        (FaultKind::Denied, "SessionNotRenewable")
    );
    let lasting = Keys {
        token: None,
        ..job_keys()
    };
    let mut user = bench.aws.identity(Means {
        keys: Some(lasting),
        ..Means::default()
    });
    for _ in 0..3 {
        user.fetch_token().map_err(told).unwrap();
        assert_eq!(user.assume_role().map_err(told).unwrap(), None);
    }
    let fresh = aws_at(&bench.endpoint.url(), "").unwrap();
    let early = fault(zone_of(&fresh).unwrap().list(&records().unwrap(), WITHIN)).unwrap();
    assert_eq!(
        (early.kind, early.code.as_str()),
        (FaultKind::Denied, "NoCredentials")
    );
}

#[test]
fn a_list_that_is_not_whole_in_its_time_is_given_up() {
    let mut bench = Bench::new().unwrap();
    let late = What::Late(Duration::from_secs(5));
    bench
        .endpoint
        .with(|cloud| cloud.trouble(Trouble::new("*", Times::Always, late)));
    let within = Duration::from_millis(200);
    let slow = fault(bench.zone.list(&records().unwrap(), within)).unwrap();
    assert_eq!(
        (slow.kind, slow.code.as_str()),
        (FaultKind::Unavailable, "ListTimeout")
    );
}

#[test]
fn a_list_without_an_end_is_given_up_after_so_many_pages() {
    let mut bench = Bench::new().unwrap();
    let endless = Trouble::new("ListResourceRecordSets", Times::Always, What::Endless);
    bench.endpoint.with(|cloud| cloud.trouble(endless));
    let hour = Duration::from_secs(3600);
    let given_up = fault(bench.zone.list(&records().unwrap(), hour)).unwrap();
    assert_eq!(
        (given_up.kind, given_up.code.as_str()),
        (FaultKind::Rejected, "EndlessList")
    );
    let told = "200 pages were read and the list goes on, now at `!199.example.com.`";
    assert!(given_up.message.starts_with(told), "{}", given_up.message);
    assert_eq!(bench.ops().len(), 200);
    // A page that is the same for ever is one of them.
    bench.endpoint.with(|cloud| {
        cloud.calm();
        let page = "<ListResourceRecordSetsResponse><ResourceRecordSets/><IsTruncated>true</IsTruncated>\
            <NextRecordName>!.example.com.</NextRecordName><NextRecordType>A</NextRecordType>\
            <MaxItems>300</MaxItems></ListResourceRecordSetsResponse>";
        let same = What::Garbled(page.to_owned());
        cloud.trouble(Trouble::new("ListResourceRecordSets", Times::Always, same));
    });
    let given_up = fault(bench.zone.list(&records().unwrap(), hour)).unwrap();
    assert_eq!(given_up.message, "the list is cut off and does not go on");
    assert_eq!(bench.ops().len(), 202);
}

#[test]
fn half_a_key_is_told() {
    let bench = Bench::new().unwrap();
    let mut half = bench.aws.identity(Means {
        half_key: Some("AWS_SECRET_ACCESS_KEY"),
        ..Means::default()
    });
    let told = fault(half.fetch_token()).unwrap();
    assert!(
        told.message
            .starts_with("half a key is set: AWS_SECRET_ACCESS_KEY is missing"),
        "{}",
        told.message
    );
}
