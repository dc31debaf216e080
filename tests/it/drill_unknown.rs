//! `pointsman drill` and what it does not know: keys of calls to AWS that only the real runner has, pages that only the real site
//! has. What turns on them is said to be undecided, and neither passes nor fails. What is known of the played dispatch is
//! decided; tokens that fit the trust's own pattern are tried; monitors are what Uptime Kuma makes of them; a second message
//! comes while a run works; a signal ends it all at any moment.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the program, on real files and sockets of loopback"
)]

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::binary::Folder;
use crate::drill::{drill, link};
use crate::drill_artefacts::{WORKFLOW, comes_to, outcomes};

const CHANGE: &str = "policies/change-records.json";
const READ: &str = "policies/read-zone.json";
const TRUST: &str = "policies/trust.json";
const WATCH: &str = "monitors/edge-watch.yaml";
const CHECK: &str = "monitors/token-check.yaml";
const CODES: &str = "      - \"200-299\"\n      - \"404\"";
const SUBJECT: &str = "\"token.actions.githubusercontent.com:sub\": \"repo:acme@100001/dns-failover@200002:ref:refs/heads/main\"";

/// Conditions beside those of the change.
fn beside(operator: &str) -> (String, String) {
    let null = "\"Null\": {".to_owned();
    (null.clone(), format!("{operator}, {null}"))
}

#[test]
fn a_call_that_turns_on_what_only_the_runner_has_is_not_decided() {
    for (operator, words) in [
        (
            r#""IpAddress": {"aws:SourceIp": "203.0.113.0/24"}"#,
            "it asks for `203.0.113.0/24` in `aws:SourceIp`",
        ),
        (
            r#""IpAddress": {"aws:VpcSourceIp": "198.51.100.0/24"}"#,
            "`aws:VpcSourceIp`",
        ),
        (
            r#""StringEquals": {"aws:PrincipalOrgID": "o-a1b2c3d4e5"}"#,
            "`aws:PrincipalOrgID`",
        ),
        (
            r#""StringEquals": {"aws:PrincipalTag/team": "dns"}"#,
            "`aws:PrincipalTag/team`",
        ),
    ] {
        let (from, to) = beside(operator);
        let (status, conclusion, result) = comes_to(&[(CHANGE, &from, &to)], &[]);
        assert_eq!(status, 4, "{operator}: {conclusion}");
        assert!(conclusion.contains(words), "{conclusion}");
        let (state, told) = link(&result, "records");
        assert_eq!(state, "not decided", "{told}");
        assert!(told.contains("not rehearsed"), "{told}");
        // What comes before and after it is played all the same.
        assert_eq!(link(&result, "sites").0, "held");
        assert_eq!(link(&result, "visitors").0, "held");
        let decisions = result["decisions"].as_array().unwrap();
        assert!(decisions.iter().any(|row| row["undecided"] == true));
    }
    let resource = "hostedzone/Z0123456789EXAMPLE\"";
    outcomes(
        CHANGE,
        &[(
            resource,
            "hostedzone/${aws:PrincipalTag/zone}\"",
            4,
            "what `${aws:PrincipalTag/zone}` stands for is not known",
        )],
    );
    let change = "arn:aws:route53:::change/*\"";
    let own = format!(
        "{change}, \"Condition\": {{\"IpAddress\": {{\"aws:SourceIp\": \"203.0.113.7\"}}}}"
    );
    outcomes(READ, &[(change, &own, 4, "at the link `confirmation`")]);
}

#[test]
fn an_attack_that_no_value_lets_in_is_refused_though_a_deny_is_open() {
    let deny = r#""Statement": [{"Effect": "Deny", "Action": "*", "Resource": "*", "Condition": {"StringNotEquals": {"aws:ResourceOrgID": "o-a1b2c3d4e5"}}},"#;
    let (status, conclusion, result) = comes_to(&[(CHANGE, "\"Statement\": [", deny)], &[]);
    assert_eq!(status, 4, "{conclusion}");
    for attack in result["attacks"].as_array().unwrap() {
        let outcome = attack["outcome"].as_str().unwrap();
        let beyond = attack["must_fail"] == false;
        assert!(outcome == "refused" || beyond, "{attack}");
    }
}

#[test]
fn what_every_session_has_is_decided() {
    let provider = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com";
    for (operator, status, words) in [
        (
            r#""DateGreaterThan": {"aws:TokenIssueTime": "2020-01-01T00:00:00Z"}"#.to_owned(),
            0,
            "passed",
        ),
        (
            r#""DateLessThan": {"aws:TokenIssueTime": "2020-01-01T00:00:00Z"}"#.to_owned(),
            1,
            "does not pass `DateLessThan` of `aws:TokenIssueTime`",
        ),
        (
            format!(r#""StringEquals": {{"aws:FederatedProvider": "{provider}"}}"#),
            0,
            "passed",
        ),
        (
            r#""StringEquals": {"aws:FederatedProvider": "accounts.example.com"}"#.to_owned(),
            1,
            "in the list of `aws:FederatedProvider`",
        ),
        (
            r#""Bool": {"aws:MultiFactorAuthPresent": "true"}"#.to_owned(),
            1,
            "`aws:MultiFactorAuthPresent`",
        ),
        (
            r#""StringEquals": {"aws:CalledViaFirst": "cloudformation.amazonaws.com"}"#.to_owned(),
            1,
            "`aws:CalledViaFirst` is not in the request",
        ),
    ] {
        let (from, to) = beside(&operator);
        outcomes(CHANGE, &[(&from, &to, status, words)]);
    }
}

#[test]
fn the_claims_of_the_played_dispatch_are_decided_and_those_of_a_person_are_not() {
    let claim = |name: &str, value: &str| {
        format!("{SUBJECT}, \"token.actions.githubusercontent.com:{name}\": \"{value}\"")
    };
    let session = |name: &str| format!("{SUBJECT}, \"sts:RoleSessionName\": \"{name}\"");
    outcomes(
        TRUST,
        &[
            (SUBJECT, &claim("workflow", "DNS failover"), 0, "passed"),
            (
                SUBJECT,
                &claim("workflow", "deploy"),
                1,
                "`DNS failover` is not in the list of `token.actions.githubusercontent.com:workflow`",
            ),
            (
                SUBJECT,
                &claim("actor", "somebody"),
                4,
                "at the link `role`: whether AWS lets `sts:AssumeRoleWithWebIdentity` through",
            ),
            (
                SUBJECT,
                &claim("repository_owner", "acme"),
                1,
                "`token.actions.githubusercontent.com:repository_owner` is not in the request",
            ),
            (
                SUBJECT,
                &session("other"),
                1,
                "`GitHubActions` is not in the list of `sts:RoleSessionName`",
            ),
        ],
    );
    let like = "\"StringLike\": {\"sts:RoleSessionName\": [\"GitHubActions\", \"pointsman-*\"]}, \"StringEquals\": {";
    outcomes(TRUST, &[("\"StringEquals\": {", like, 0, "passed")]);
}

/// The trust policy with this condition on the subject.
fn trusting(operator: &str, subject: &str) -> (i32, String, Value) {
    let audience = "\"token.actions.githubusercontent.com:aud\": \"sts.amazonaws.com\"";
    let own = format!(
        "{audience}}}, \"{operator}\": {{\"token.actions.githubusercontent.com:sub\": \"{subject}\""
    );
    let first = format!("{audience},\n");
    comes_to(&[(TRUST, SUBJECT, &own), (TRUST, &first, "")], &[])
}

#[test]
fn tokens_that_fit_the_pattern_of_the_trust_are_tried() {
    let of = |rest: &str| format!("repo:acme@100001/dns-failover@200002:ref:{rest}");
    for (operator, rest, tried) in [
        ("StringLike", "refs/heads/main*", "ref:refs/heads/main-x`"),
        ("StringLike", "refs/*/main", "ref:refs/tags/main`"),
        ("StringLike", "refs/heads/ma?n", "ref:refs/heads/ma"),
        (
            "StringEqualsIgnoreCase",
            "refs/heads/main",
            "ref:refs/heads/Main`",
        ),
    ] {
        let (status, conclusion, result) = trusting(operator, &of(rest));
        assert_eq!(status, 1, "{rest}: {conclusion}");
        assert!(conclusion.contains("an attack was let in"), "{conclusion}");
        let attacks = result["attacks"].as_array().unwrap();
        let mut let_in = attacks.iter().filter(|it| it["outcome"] == "let in");
        assert!(
            let_in.any(|it| it["what"].to_string().contains(tried)),
            "{rest}: {attacks:?}"
        );
    }
    // The same letters as a pattern that nothing else fits.
    let (status, conclusion, result) = trusting("StringLike", &of("refs/heads/main"));
    assert_eq!(status, 0, "{conclusion}");
    let attacks = result["attacks"].to_string();
    assert!(
        attacks.contains("the job's token is let in, and no other"),
        "{attacks}"
    );
}

#[test]
fn a_monitor_is_what_uptime_kuma_makes_of_it() {
    let never = "so that it is never made";
    outcomes(
        WATCH,
        &[
            (
                CODES,
                "      - 200\n      - 404",
                1,
                "at the link `heartbeat` (monitors/edge-watch.yaml:12): no monitor watches `origin.example.com` and starts the workflow: `monitors/edge-watch.yaml`: `200` in its `accepted_statuscodes` is a number",
            ),
            ("interval: 60\n", "interval: 0\n", 1, never),
            ("interval: 60\n", "interval: soon\n", 1, never),
            (
                "max_retries: 3",
                "max_retries: -1",
                0,
                "`max_retries` of `monitors/edge-watch.yaml` is `-1`, which Uptime Kuma takes for 0",
            ),
            (
                "retry_interval: 30",
                "retry_interval: 0",
                0,
                "`0`, which Uptime Kuma takes for the interval",
            ),
            (
                "resend_interval: 30",
                "resend_interval: 0",
                0,
                "starts the workflow once and not again, since its `resend_interval` is 0",
            ),
            ("    timeout: 10\n", "", 0, "passed"),
            (
                "type: http",
                "type: keyword\n    keyword: welcome",
                4,
                "at the link `heartbeat`: whether the page of `origin.example.com/` holds `welcome`",
            ),
        ],
    );
}

#[test]
fn a_keyword_is_looked_for_in_what_is_known_of_github_s_answer() {
    outcomes(
        CHECK,
        &[
            (
                "type: http",
                "type: keyword\n    keyword: '\"state\":\"active\"'",
                0,
                "passed",
            ),
            (
                "type: http",
                "type: keyword\n    invert_keyword: true\n    keyword: active",
                1,
                "at the link `message`",
            ),
            (
                "type: http",
                "type: keyword\n    keyword: nonsense",
                4,
                "holds `nonsense`",
            ),
        ],
    );
}

#[test]
fn a_check_without_a_time_out_takes_what_autokuma_writes() {
    let (_, conclusion, result) = comes_to(&[(WATCH, "    timeout: 10\n", "")], &[]);
    let (_, told) = link(&result, "heartbeat");
    // Half an interval, and four checks of 48 seconds each (facts of Uptime Kuma: 192 at best, 222 in the middle).
    assert_eq!(told, "`edge-watch` says DOWN after 222 s", "{conclusion}");
}

#[test]
fn a_second_message_waits_while_a_run_works() {
    let group = "  group: dns-failover\n  cancel-in-progress: false\n";
    let cut = "at the link `workflow` (.github/workflows/dns-failover.yml:19): a run is ended while it works: cancelled by a newer run";
    let beside = "run 2 works while run 1 does";
    outcomes(
        WORKFLOW,
        &[
            (
                "cancel-in-progress: false",
                "cancel-in-progress: true",
                1,
                cut,
            ),
            (
                "cancel-in-progress: false",
                "cancel-in-progress: ${{ github.ref == 'refs/heads/main' }}",
                1,
                cut,
            ),
            (
                "cancel-in-progress: false",
                "cancel-in-progress: ${{ github.ref != 'refs/heads/main' }}",
                0,
                "passed",
            ),
            (
                "cancel-in-progress: false",
                "cancel-in-progress: ${{ vars.CUT == 'yes' }}",
                4,
                "whether `cancel-in-progress: ${{ vars.CUT == 'yes' }}` ends a run under way",
            ),
            (
                "group: dns-failover",
                "group: dns-failover-${{ github.run_id }}",
                1,
                beside,
            ),
            (group, "  {}\n", 1, beside),
            (
                "cancel-in-progress: false",
                "cancel-in-progress: false\n  queue: max",
                0,
                "passed",
            ),
            (
                "        env:\n          PIN_SITE: ${{ vars.PIN_SITE }}\n",
                "",
                1,
                "no step hands `PIN_SITE` to the executor",
            ),
        ],
    );
}

#[test]
fn a_session_that_sts_refuses_stops_the_job_at_its_step() {
    let seconds = "          role-duration-seconds: 3600\n";
    let with = |line: &str| format!("{seconds}          {line}\n");
    let step = "at the link `workflow` (.github/workflows/dns-failover.yml:33): its step `Borrow the role` fails: ";
    let name = format!(
        "{step}1 validation error detected: Value 'dns failover' at 'roleSessionName' failed to satisfy constraint: Member must satisfy regular expression pattern"
    );
    let malformed = r#"inline-session-policy: '{"Version":"2012-10-17","Statement":[]}'"#;
    outcomes(
        WORKFLOW,
        &[
            (seconds, &with("role-session-name: dns failover"), 1, &name),
            (
                seconds,
                &with("role-session-name: x"),
                1,
                "length greater than or equal to 2",
            ),
            (
                seconds,
                &with("role-session-name: dns-failover"),
                0,
                "passed",
            ),
            // The action takes its own name.
            (seconds, &with("role-session-name: ''"), 0, "passed"),
            (seconds, &with(malformed), 1, "is no policy"),
        ],
    );
}

#[test]
fn a_ledger_that_cannot_be_read_is_told_and_decides_nothing() {
    let folder = Folder::of_the_reference_deployment();
    folder.write("rehearsals/old.json", "{");
    let ran = drill(&folder, &["--format", "json"]);
    let result = ran.json();
    assert_eq!(ran.status(), 0, "{}", result["conclusion"]);
    let notes = result["notes"].to_string();
    assert!(
        notes.contains("`rehearsals/old.json` could not be read"),
        "{notes}"
    );
}

/// What the system does not give is told as that, and by no link.
#[test]
fn a_system_without_sockets_is_no_fault_of_the_deployment() {
    let folder = Folder::of_the_reference_deployment();
    for files in [12, 40, 60] {
        let program = env!("CARGO_BIN_EXE_pointsman");
        let script = format!("ulimit -n {files}; exec '{program}' drill --speed 1000000");
        let ran = Command::new("sh")
            .args(["-c", &script])
            .current_dir(folder.path())
            .env_clear()
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(3), "{files}: {told}");
        assert!(told.contains("cannot be set up"), "{files}: {told}");
    }
}

/// A run of the executor hears of a signal by itself: it ends like one that fails, and must not be taken for that.
#[test]
fn a_signal_while_a_run_works_writes_nothing() {
    let mut broken_off = 0;
    for signal in ["-INT", "-TERM"] {
        for step in 1..=12 {
            let folder = Folder::of_the_reference_deployment();
            let before = folder.all();
            let mut child = Command::new(env!("CARGO_BIN_EXE_pointsman"))
                .args([
                    "drill", "--speed", "1000000", "--ledger", "--html", "x.html",
                ])
                .current_dir(folder.path())
                .env_clear()
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            thread::sleep(Duration::from_millis(step * 200));
            let id = child.id().to_string();
            Command::new("kill").args([signal, &id]).status().unwrap();
            match child.wait().unwrap().code() {
                // It was done before, or had written its result.
                Some(0) => assert_ne!(folder.all(), before),
                // Before it has taken over the signals, it ends as any process does.
                status => {
                    assert!(matches!(status, None | Some(3)), "{status:?}");
                    assert_eq!(folder.all(), before, "{signal} after {step}");
                    broken_off += 1;
                }
            }
        }
    }
    assert!(broken_off > 4, "{broken_off}");
}
