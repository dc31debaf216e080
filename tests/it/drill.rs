//! `pointsman drill`, the whole program: it passes on the reference deployment, every named fault ends as is promised, and a
//! deployment with one mistake in it fails at the link that the mistake breaks, with the reason. Waits are shortened as far
//! as it goes; what is compared is order and outcome.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program, on real files and sockets of loopback"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::binary::{Folder, Ran};

/// As quick as it goes.
const QUICK: [&str; 3] = ["drill", "--speed", "1000000"];

pub(crate) fn drill(folder: &Folder, more: &[&str]) -> Ran {
    let arguments: Vec<&str> = QUICK.iter().chain(more).copied().collect();
    folder.run(&arguments)
}

/// A list of the result, each element as a text.
pub(crate) fn texts(result: &Value, list: &str, key: &str) -> Vec<String> {
    let all = result[list].as_array().cloned().unwrap_or_default();
    let text = |element: &Value| element[key].as_str().unwrap_or_default().to_owned();
    all.iter().map(text).collect()
}

/// What was to be seen and was not.
pub(crate) fn missed(result: &Value) -> Vec<String> {
    let all = result["expected"].as_array().cloned().unwrap_or_default();
    let missed = all.iter().filter(|expected| expected["met"] != true);
    missed
        .map(|expected| format!("{}: {}", expected["what"], expected["found"]))
        .collect()
}

/// Whether something happened whose words hold these.
pub(crate) fn happened(result: &Value, words: &str) -> bool {
    texts(result, "events", "what")
        .iter()
        .any(|what| what.contains(words))
}

/// The state and the words of a link.
pub(crate) fn link(result: &Value, name: &str) -> (String, String) {
    let links = result["links"].as_array().cloned().unwrap_or_default();
    let own = links.into_iter().find(|it| it["name"] == name);
    let own = own.unwrap_or_default();
    let text = |key: &str| own[key].as_str().unwrap_or_default().to_owned();
    (text("state"), text("told"))
}

#[test]
fn the_reference_deployment_passes_by_one_command() {
    let folder = Folder::of_the_reference_deployment();
    let before = folder.all();
    let ran = drill(&folder, &["--format", "json"]);
    let result = ran.json();
    assert_eq!(ran.status(), 0, "{:?} {}", missed(&result), ran.stderr());
    assert_eq!(result["passed"], true);
    let states = texts(&result, "links", "state");
    assert_eq!(states, ["held"; 8]);
    let moves: Vec<_> = texts(&result, "moves", "from")
        .into_iter()
        .zip(texts(&result, "moves", "to"))
        .collect();
    let word = str::to_owned;
    let expected = [(word("edge"), word("hub")), (word("hub"), word("edge"))];
    assert_eq!(moves, expected);
    // Every attack is refused with the failing value, but the one that IAM cannot see.
    let attacks = result["attacks"].as_array().unwrap();
    let let_in: Vec<&Value> = attacks.iter().filter(|it| it["refused"] != true).collect();
    assert_eq!(let_in.len(), 1, "{let_in:?}");
    assert_eq!(let_in[0]["must_fail"], false);
    assert_eq!(let_in[0]["outcome"], "beyond iam");
    assert!(let_in[0]["why"].to_string().contains("never sees a value"));
    for (what, why) in [
        ("DELETE", "`DELETE` is not in the list"),
        ("mail.example.com", "`mail.example.com` is not in the list"),
        ("TXT", "`TXT` is not in the list"),
        (
            "another zone",
            "not for `arn:aws:route53:::hostedzone/Z0000000000OTHER`",
        ),
        (
            "another branch",
            ":ref:refs/heads/feature` is not in the list",
        ),
        ("took over the name", "repo:acme@100002/dns-failover@200003"),
        ("as input", "Unexpected inputs"),
    ] {
        let named = |it: &&Value| it["what"].as_str().is_some_and(|it| it.contains(what));
        let attack = attacks.iter().find(named).unwrap();
        assert!(attack["why"].to_string().contains(why), "{attack}");
    }
    assert_eq!(folder.all(), before, "nothing is left of it");
}

#[test]
fn the_measured_times_are_those_of_the_forecast() {
    let folder = Folder::of_the_reference_deployment();
    let result = drill(&folder, &["--format", "json"]).json();
    for moved in result["moves"].as_array().unwrap() {
        for phase in moved["phases"].as_array().unwrap() {
            let lasted = phase["lasted_s"].as_f64().unwrap();
            let half = phase["forecast"]["p50_s"].as_f64().unwrap();
            // Home comes back at another place between two checks, and a machine under load adds what it needs.
            let (least, most) = match phase["name"].as_str().unwrap() {
                "detection" => (half - 60.0, half + 60.0),
                _ => (half * 0.9 - 2.0, half * 1.1 + 45.0),
            };
            assert!((least..most).contains(&lasted), "{phase}");
        }
    }
}

#[test]
fn every_way_to_die_is_noticed() {
    for death in ["refused", "5xx", "black-hole", "tls"] {
        let folder = Folder::of_the_reference_deployment();
        let ran = drill(&folder, &["--death", death, "--format", "json"]);
        let result = ran.json();
        assert_eq!(ran.status(), 0, "{death}: {:?}", missed(&result));
        assert_eq!(result["death"], death);
    }
}

#[test]
fn a_result_that_cannot_be_written_is_told_before_anything_is_played() {
    let folder = Folder::of_the_reference_deployment();
    folder.write("rehearsals", "no folder");
    folder.write("file", "");
    for option in ["--html", "--svg", "--mermaid"] {
        for path in ["missing/x.out", "file/x.out", "policies"] {
            let ran = drill(&folder, &[option, path]);
            assert_eq!(ran.status(), 3, "{option} {path}");
            assert!(ran.stderr().contains(path), "{}", ran.stderr());
            assert!(ran.stdout().is_empty(), "{}", ran.stdout());
            assert!(!folder.path().join("missing").exists());
        }
    }
    let ran = drill(&folder, &["--ledger"]);
    assert_eq!(ran.status(), 3);
    assert!(ran.stderr().contains("rehearsals"), "{}", ran.stderr());
    assert!(ran.stdout().is_empty(), "{}", ran.stdout());
}

/// The reference deployment with another issuer of tokens everywhere.
#[test]
fn tokens_are_those_of_the_issuer_and_the_template_of_the_spec() {
    let folder = Folder::of_the_reference_deployment();
    let spec = folder.read("pointsman.toml");
    let own = "[github]\noidc_issuer = \"https://token.actions.acme.ghe.com\"\nsubject_claims = [\"repository_id\", \"context\"]";
    assert!(spec.contains("[github]"));
    folder.write("pointsman.toml", spec.replace("[github]", own));
    let made = folder.run(&["generate", "--force"]);
    assert_eq!(made.status(), 0, "{} {}", made.stdout(), made.stderr());
    let ran = drill(&folder, &["--format", "json"]);
    let result = ran.json();
    assert_eq!(ran.status(), 0, "{}", result["conclusion"]);
    let (_, told) = link(&result, "role");
    assert!(
        told.contains("repository_id:200002:ref:refs/heads/main"),
        "{told}"
    );
    assert!(
        result["attacks"]
            .to_string()
            .contains("token.actions.acme.ghe.com:sub"),
        "{}",
        result["attacks"]
    );
}

#[test]
fn two_rehearsals_at_once_do_not_meet() {
    let folder = Folder::of_the_reference_deployment();
    let both = thread::scope(|scope| {
        let one = || drill(&folder, &["--death", "refused"]).status();
        let first = scope.spawn(one);
        let second = one();
        [first.join().unwrap(), second]
    });
    assert_eq!(both, [0, 0]);
}

#[test]
fn no_file_of_the_deployment_is_written_over() {
    let folder = Folder::of_the_reference_deployment();
    let before = folder.all();
    for path in [
        "pointsman.toml",
        "./policies/trust.json",
        "terraform/../terraform/iam.tf",
        "pins.lock",
    ] {
        for command in [
            &["drill", "--html"][..],
            &["drill", "--mermaid"],
            &["forecast", "--svg"],
        ] {
            let arguments: Vec<&str> = command.iter().chain([&path]).copied().collect();
            let ran = folder.run(&arguments);
            assert_eq!(ran.status(), 2, "{arguments:?}: {}", ran.stderr());
            assert!(
                ran.stderr().contains("is a file of the deployment"),
                "{}",
                ran.stderr()
            );
        }
    }
    assert_eq!(folder.all(), before);
}

#[test]
fn wrong_usage_is_told_with_what_is_allowed() {
    let folder = Folder::of_the_reference_deployment();
    let misspelt = folder.run(&["drill", "--fault", "webhok-lost"]);
    assert_eq!(misspelt.status(), 2);
    assert!(
        misspelt.stderr().contains("is `webhook-lost` meant?"),
        "{}",
        misspelt.stderr()
    );
    assert_eq!(folder.run(&["drill", "--speed", "0"]).status(), 2);
    assert_eq!(folder.run(&["drill", "--death", "boredom"]).status(), 2);
    assert_eq!(Folder::empty().run(&["drill"]).status(), 2);
    folder.write("pointsman.toml", "[zone]\nid = 1\n");
    assert_eq!(folder.run(&["drill"]).status(), 2);
}

#[test]
fn a_signal_at_any_moment_leaves_nothing_behind() {
    for after in [0, 40, 400, 2500] {
        let folder = Folder::of_the_reference_deployment();
        let before = folder.all();
        let mut child = Command::new(env!("CARGO_BIN_EXE_pointsman"))
            .args(["drill", "--real-time"])
            .current_dir(folder.path())
            .env_clear()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(after));
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().unwrap();
        // A rehearsal in real time takes more than twenty minutes; a loaded machine gets one.
        let deadline = Instant::now() + Duration::from_secs(60);
        let ended = loop {
            if let Some(ended) = child.try_wait().unwrap() {
                break Some(ended);
            }
            if Instant::now() > deadline {
                child.kill().unwrap();
                break None;
            }
            thread::sleep(Duration::from_millis(20));
        };
        // Before it has taken over the signals, it ends as any process does.
        let status = ended.map(|ended| ended.code());
        assert!(
            matches!(status, Some(None | Some(3))),
            "{after} ms: {status:?}"
        );
        assert_eq!(folder.all(), before);
    }
}

#[test]
fn the_page_needs_nothing_from_elsewhere_and_holds_every_decision() {
    let folder = Folder::of_the_reference_deployment();
    let files = [
        "--html",
        "drill.html",
        "--svg",
        "drill.svg",
        "--mermaid",
        "drill.mmd",
    ];
    let ran = drill(&folder, &files);
    assert_eq!(ran.status(), 0);
    let last = ran.stdout().lines().last().unwrap_or_default().to_owned();
    assert!(
        last.starts_with("passed, but `bin/pointsman-switch` is not committed"),
        "{last}"
    );
    let page = folder.read("drill.html");
    for word in ["<script", "<link", "<img", "@import", "url(", "src="] {
        assert!(!page.contains(word), "{word}");
    }
    let addresses: Vec<&str> = page
        .matches("http://")
        .chain(page.matches("href="))
        .collect();
    assert_eq!(
        addresses.len(),
        1,
        "the name space of SVG alone: {addresses:?}"
    );
    for word in [
        "id=\"verdict\" class=\"but\">passed, but",
        "AssumeRoleWithWebIdentity",
        "argo.example.com",
        "INSYNC",
        "<code>DELETE</code> is not in the list",
        "GetChange by <code>",
        " times",
        "beyond IAM",
    ] {
        assert!(page.contains(word), "{word}");
    }
    let picture = folder.read("drill.svg");
    assert!(
        picture.contains("edge dies at 2:30"),
        "the death has its time"
    );
    assert!(!page.contains('`'), "what is code is shown as code");
    roxmltree::Document::parse(&picture).unwrap();
    assert!(folder.read("drill.mmd").starts_with("gantt\n"));
}

/// A socket audit: strace sees every address that the program and its threads bind, connect to and send to.
#[test]
fn nothing_but_loopback_is_contacted() {
    if !Path::new("/usr/bin/strace").exists() {
        println!("strace is not here: the sockets of a rehearsal are not looked at");
        return;
    }
    let folder = Folder::of_the_reference_deployment();
    let trace = Folder::empty();
    let log = trace.path().join("trace");
    let ran = Command::new("/usr/bin/strace")
        .args(["-f", "-e", "trace=connect,bind,sendto", "-o"])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_pointsman"))
        .args(QUICK)
        .args(["--death", "refused"])
        .current_dir(folder.path())
        .env_clear()
        .output()
        .unwrap();
    if !log.exists() || trace.read("trace").is_empty() {
        println!("strace may not trace here: the sockets of a rehearsal are not looked at");
        return;
    }
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stdout)
    );
    let log = trace.read("trace");
    // A socket that asks a name server takes any port of any own address before it is connected.
    let own = |line: &&str| {
        !(line.contains("bind(") && line.contains("htons(0), sin_addr=inet_addr(\"0.0.0.0\")"))
    };
    let addresses: Vec<&str> = log
        .lines()
        .filter(own)
        .filter_map(|line| line.split("inet_addr(\"").nth(1)?.split('"').next())
        .collect();
    assert!(addresses.len() > 100, "{}", addresses.len());
    let outside: Vec<&&str> = addresses
        .iter()
        .filter(|it| !it.starts_with("127."))
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
    assert!(!log.contains("AF_INET6"), "no other family");
}
