//! `serve` as a program: what a client gets over HTTP, what a client cannot do to it, how it ends; and our own
//! `--engine aws` against it. That the two engines agree here tests the wire form and the mapping of cases and answers.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program and talk to it"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A program that serves, and ends with this value.
pub(crate) struct Served {
    child: Child,
    pub(crate) address: String,
}

impl Served {
    /// Starts `serve` on a free port.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pointsman"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .env_clear()
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        told.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("serving on http://").unwrap();
        Self {
            address: address.to_owned(),
            child,
        }
    }

    /// What comes back for these bytes, until the other side is done.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        // A side that has had enough may also reset the connection.
        drop(stream.read_to_end(&mut answer));
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn post(&self, body: &str) -> String {
        let length = body.len();
        self.send(
            format!("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
                .as_bytes(),
        )
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_form_is_answered_and_anything_else_is_refused() {
    let served = Served::start(&[]);
    let answer = served.post("Action=SimulateCustomPolicy");
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("<Code>ValidationError</Code>"), "{answer}");
    let get = served.send(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(get.starts_with("HTTP/1.1 405 "), "{get}");
    let nonsense = served.send(b"\x16\x03\x01 hello\r\n\r\n");
    assert!(
        nonsense.is_empty() || nonsense.starts_with("HTTP/1.1 400 "),
        "{nonsense}"
    );
    let large =
        served.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\nAction=");
    assert!(
        large.is_empty() || large.contains(" 413 ") || large.contains(" 408 "),
        "{large}"
    );
}

#[test]
fn a_client_that_dawdles_is_cut_off_and_others_are_served_meanwhile() {
    let served = Served::start(&["--patience", "200"]);
    let mut idle = TcpStream::connect(&served.address).unwrap();
    idle.write_all(b"POST / HTTP/1.1\r\nHost").unwrap();
    let mut slow = TcpStream::connect(&served.address).unwrap();
    slow.write_all(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nActi")
        .unwrap();
    let answer = served.post("Action=X");
    assert!(answer.contains("<Code>InvalidAction</Code>"), "{answer}");
    let mut rest = String::new();
    slow.read_to_string(&mut rest).unwrap();
    assert!(rest.starts_with("HTTP/1.1 408 "), "{rest}");
    rest.clear();
    drop(idle.read_to_string(&mut rest));
    assert!(!rest.contains(" 200 "), "{rest}");
}

#[test]
fn a_signal_ends_it_with_status_0_and_a_taken_port_is_told() {
    let mut served = Served::start(&[]);
    let port = served.address.rsplit(':').next().unwrap();
    let again = Command::new(env!("CARGO_BIN_EXE_pointsman"))
        .args(["serve", "--port", port])
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(3));
    let told = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(told.contains("cannot be listened on"), "{told}");
    let id = served.child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(killed.success());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
}

#[cfg(feature = "aws")]
mod with_our_client {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::path::Path;
    use std::process::{Command, Output};
    use std::thread;

    use pointsman::iam::simulator::{Reply, reply};

    use super::Served;

    /// Runs `simulate` at the repository's root against an endpoint, with credentials of nobody.
    fn simulate(address: &str, arguments: &[&str]) -> (Option<i32>, String) {
        let ran: Output = Command::new(env!("CARGO_BIN_EXE_pointsman"))
            .arg("simulate")
            .args(arguments)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("AWS_ACCESS_KEY_ID", "nobody")
            .env("AWS_SECRET_ACCESS_KEY", "nothing")
            // The endpoint of the service counts before that of all services.
            .env("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
            .env("AWS_ENDPOINT_URL_IAM", format!("http://{address}"))
            .output()
            .unwrap();
        let text = [ran.stdout, ran.stderr].concat();
        (
            ran.status.code(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    }

    #[test]
    fn both_engines_agree_over_the_wire() {
        let served = Served::start(&[]);
        let (status, text) = simulate(&served.address, &["--engine", "both"]);
        assert_eq!(status, Some(0), "{text}");
        let (status, text) = simulate(&served.address, &["--engine", "aws", "--strict-context"]);
        assert_eq!(status, Some(0), "{text}");
        let table = "tests/it/data/iam_eval.json";
        let (status, text) = simulate(&served.address, &[table, "--engine", "both"]);
        assert_eq!(status, Some(4), "{text}");
        assert!(
            text.contains("273 cases: 264 passed, 0 failed, 9 undecided"),
            "{text}"
        );
    }

    #[test]
    fn answers_are_recorded_and_replayed_without_an_endpoint() {
        let served = Served::start(&[]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answers.json");
        let file = file.to_str().unwrap();
        let (status, recorded) = simulate(&served.address, &["--record", file]);
        assert_eq!(status, Some(0), "{recorded}");
        let address = served.address.clone();
        drop(served);
        let (status, replayed) = simulate("127.0.0.1:1", &["--replay", file]);
        let (asking, results): (Vec<_>, Vec<_>) = recorded
            .lines()
            .partition(|line| line.starts_with("asking "));
        let address = format!("asking `http://{address}`, signed for us-east-1");
        assert_eq!(asking, [address]);
        assert_eq!(status, Some(0));
        assert_eq!(replayed.lines().collect::<Vec<_>>(), results);
    }

    /// Answers one connection after the other with what `answer` makes of the body.
    fn endpoint(mut answer: impl FnMut(&[u8]) -> Reply + Send + 'static) -> String {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                drop(respond(stream, &mut answer));
            }
        });
        address
    }

    fn respond(
        mut stream: TcpStream,
        answer: &mut dyn FnMut(&[u8]) -> Reply,
    ) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? <= 2 {
                break;
            }
            let line = line.to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let reply = answer(&body);
        let (status, length, body) = (reply.status, reply.body.len(), reply.body);
        write!(
            stream,
            "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    }

    #[test]
    fn an_endpoint_that_lies_is_found_out() {
        let address = endpoint(|body| {
            let honest = reply(body, "id");
            Reply {
                body: honest.body.replace(
                    "<EvalResourceDecision>implicitDeny<",
                    "<EvalResourceDecision>allowed<",
                ),
                ..honest
            }
        });
        let (status, text) = simulate(&address, &["--engine", "both"]);
        assert_eq!(status, Some(1), "{text}");
        assert!(text.contains("FAIL another name: the engines differ, expected implicitDeny\n       decision: local says implicitDeny, AWS allowed\n"), "{text}");
        assert!(text.contains("5 passed, 14 failed"), "{text}");
    }

    fn refusal(code: &str) -> Reply {
        Reply {
            status: 400,
            body: format!(
                "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>said so</Message></Error><RequestId>1</RequestId></ErrorResponse>"
            ),
        }
    }

    #[test]
    fn a_throttled_call_is_made_once_more_and_other_faults_end_the_run() {
        let mut calls = 0;
        let address = endpoint(move |body| {
            calls += 1;
            if calls == 1 {
                refusal("Throttling")
            } else {
                reply(body, "id")
            }
        });
        let (status, text) = simulate(&address, &["--engine", "aws"]);
        assert_eq!(status, Some(0), "{text}");
        let address = endpoint(|_| refusal("AccessDenied"));
        let (status, text) = simulate(&address, &["--engine", "aws"]);
        assert_eq!(status, Some(3), "{text}");
        assert!(
            text.contains("AWS cannot be asked: AccessDenied: said so"),
            "{text}"
        );
        let address = endpoint(|_| refusal("InvalidInput"));
        let (status, text) = simulate(&address, &["--engine", "aws"]);
        assert_eq!(status, Some(4), "{text}");
        assert!(
            text.contains("AWS refuses the request: InvalidInput: said so"),
            "{text}"
        );
    }

    #[test]
    fn an_endpoint_that_is_not_there_and_one_that_is_none_are_told_in_one_line() {
        for address in ["127.0.0.1:1", "127.0.0.1:1 x", "[", ""] {
            let (status, text) = simulate(address, &["--engine", "aws"]);
            assert_eq!(status, Some(3), "{address}: {text}");
            let told = text.lines().find(|line| !line.starts_with("asking "));
            let line = told.unwrap();
            assert!(line.starts_with("error: AWS cannot be asked: "), "{text}");
            assert!(line.len() < 300 && !line.contains('{'), "{text}");
        }
    }
}
