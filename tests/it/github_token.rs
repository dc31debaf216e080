//! GitHub's token endpoint, played on loopback: what is asked, and what each answer means.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use pointsman::adapters::{Detour, GitHubToken, Runtime, World};
use pointsman::drill::{Authority, ConnectionKind, Site, SiteConduct};
use pointsman::failover::{Fault, FaultKind};
use pointsman::ports::Stop;

fn world() -> World {
    World::on_loopback(Detour {
        sockets: BTreeMap::new(),
        names: BTreeMap::new(),
        authority: String::new(),
        route53: String::new(),
        sts: String::new(),
        servers: BTreeMap::new(),
    })
}

/// Asks an endpoint that answers this once; gives what came of it, and the head of the request.
fn fetch(status: &str, body: &str) -> (Result<String, Fault>, String) {
    let endpoint = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "http://{}/token?api-version=2.0",
        endpoint.local_addr().unwrap()
    );
    let length = body.len();
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
    let served = thread::spawn(move || {
        let (mut stream, _) = endpoint.accept().unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(head).unwrap()
    });
    let source = GitHubToken {
        url,
        bearer: "the-bearer".to_owned(),
    };
    let fetched = source.fetch(&Runtime::new().unwrap(), &world());
    let fetched = match fetched {
        Ok(token) => Ok(token.reveal().to_owned()),
        Err(Stop::Failed(fault)) => Err(fault),
        Err(Stop::Cancelled) => panic!("nobody ended it"),
    };
    (fetched, served.join().unwrap())
}

#[test]
fn the_token_is_asked_for_as_github_says() {
    let (token, head) = fetch("200 OK", r#"{"count":1,"value":"ey.J.x"}"#);
    assert_eq!(token.as_deref(), Ok("ey.J.x"));
    let mut lines = head.lines();
    assert_eq!(
        lines.next(),
        Some("GET /token?api-version=2.0&audience=sts.amazonaws.com HTTP/1.1")
    );
    assert!(
        lines.any(|line| line == "authorization: Bearer the-bearer"),
        "{head}"
    );
}

#[test]
fn each_answer_says_whether_asking_again_helps() {
    let cases = [
        ("429 Too Many Requests", "", FaultKind::Busy, "429"),
        (
            "500 Internal Server Error",
            "",
            FaultKind::Unavailable,
            "500",
        ),
        (
            "503 Service Unavailable",
            "{}",
            FaultKind::Unavailable,
            "503",
        ),
        ("400 Bad Request", "", FaultKind::Denied, "400"),
        ("401 Unauthorized", "", FaultKind::Denied, "id-token: write"),
        ("403 Forbidden", "", FaultKind::Denied, "403"),
        ("404 Not Found", "", FaultKind::Denied, "404"),
        ("302 Found", "", FaultKind::Rejected, "not followed"),
        ("200 OK", "", FaultKind::Unavailable, "without a `value`"),
        (
            "200 OK",
            "<html>",
            FaultKind::Unavailable,
            "without a `value`",
        ),
        ("200 OK", "{}", FaultKind::Unavailable, "without a `value`"),
        (
            "200 OK",
            r#"{"value":""}"#,
            FaultKind::Unavailable,
            "without a `value`",
        ),
        (
            "200 OK",
            r#"{"value":7}"#,
            FaultKind::Unavailable,
            "without a `value`",
        ),
    ];
    for (status, body, kind, told) in cases {
        let (fetched, _) = fetch(status, body);
        let fault = fetched.unwrap_err();
        assert_eq!(fault.kind, kind, "{status} {body}");
        assert!(fault.message.contains(told), "{status}: {}", fault.message);
        assert!(!fault.message.contains("the-bearer"), "{}", fault.message);
    }
}

#[test]
fn an_endpoint_that_is_not_there_may_come_back() {
    let authority = Authority::new("nobody's").unwrap();
    let closed = Site::start(&authority, &["example.com"]).unwrap();
    closed.conduct(SiteConduct::connecting(ConnectionKind::Refuses));
    let url = format!("http://{}/token", closed.socket());
    let source = GitHubToken {
        url,
        bearer: "the-bearer".to_owned(),
    };
    let fetched = source.fetch(&Runtime::new().unwrap(), &world());
    let Err(Stop::Failed(fault)) = fetched else {
        panic!("{fetched:?}");
    };
    assert_eq!(fault.kind, FaultKind::Unavailable);
    assert!(
        fault.message.contains("no answer: refused"),
        "{}",
        fault.message
    );
}

#[test]
fn a_rehearsal_asks_loopback_alone() {
    let runtime = Runtime::new().unwrap();
    let urls = [
        ("http://192.0.2.1/token", "not on loopback"),
        ("http://example.com/token", "not on loopback"),
        ("https://127.0.0.1/token", "no `http` URL"),
    ];
    for (url, told) in urls {
        let source = GitHubToken {
            url: url.to_owned(),
            bearer: "the-bearer".to_owned(),
        };
        let Err(Stop::Failed(fault)) = source.fetch(&runtime, &world()) else {
            panic!("{url}");
        };
        assert_eq!(fault.kind, FaultKind::Rejected);
        assert!(fault.message.contains(told), "{url}: {}", fault.message);
    }
}
