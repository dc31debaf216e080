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

fn drill(folder: &Folder, more: &[&str]) -> Ran {
    let arguments: Vec<&str> = QUICK.iter().chain(more).copied().collect();
    folder.run(&arguments)
}

/// A list of the result, each element as a text.
fn texts(result: &Value, list: &str, key: &str) -> Vec<String> {
    let all = result[list].as_array().cloned().unwrap_or_default();
    let text = |element: &Value| element[key].as_str().unwrap_or_default().to_owned();
    all.iter().map(text).collect()
}

/// What was to be seen and was not.
fn missed(result: &Value) -> Vec<String> {
    let all = result["expected"].as_array().cloned().unwrap_or_default();
    let missed = all.iter().filter(|expected| expected["met"] != true);
    missed
        .map(|expected| format!("{}: {}", expected["what"], expected["found"]))
        .collect()
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

/// A fault is played and ends as is promised for it.
fn plays(fault: &str) -> Value {
    let folder = Folder::of_the_reference_deployment();
    let ran = drill(
        &folder,
        &["--fault", fault, "--death", "refused", "--format", "json"],
    );
    let result = ran.json();
    assert_eq!(ran.status(), 0, "{fault}: {:?}", missed(&result));
    assert_eq!(result["fault"]["name"], fault);
    result
}

/// Whether something happened whose words hold these.
fn happened(result: &Value, words: &str) -> bool {
    texts(result, "events", "what")
        .iter()
        .any(|what| what.contains(words))
}

/// One test for each fault, with words that must be in what happened.
macro_rules! faults {
    ($($test:ident: $fault:literal => $words:literal;)*) => {
        $(
            #[test]
            fn $test() {
                let result = plays($fault);
                assert!(happened(&result, $words), "{:?}", texts(&result, "events", "what"));
            }
        )*

        #[test]
        fn every_fault_has_a_test() {
            let folder = Folder::empty();
            let listed = folder.run(&["drill", "--list", "--format", "json"]).json();
            let names: Vec<&str> = listed.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
            assert_eq!(names, [$($fault),*]);
        }
    };
}

faults! {
    an_action_that_is_gone_ends_the_run_before_the_executor: "action-gone" => "cannot be fetched";
    a_run_that_waits_for_a_runner_moves_later: "actions-queue" => "a job waits 1500 s";
    a_renamed_branch_is_not_found: "branch-renamed" => "422 No ref found for: main";
    a_run_that_loses_its_place_harms_nobody: "concurrency-evicted" => "a newer one took its place";
    without_the_control_plane_nothing_moves_until_it_is_back: "control-plane-down" => "status 3";
    a_dead_application_behind_a_living_gateway_is_not_seen: "gateway-up-app-down" => "edge dies: application";
    github_down_delays_the_move_until_the_next_message: "github-down" => "dispatch of `edge-watch`: no answer";
    with_both_applications_dead_the_run_refuses: "hub-app-down" => "status 5";
    with_the_standby_dead_there_is_nowhere_to_go: "hub-dead" => "status 5";
    a_change_that_is_never_in_sync_is_not_confirmed: "insync-never" => "status 6";
    without_uptime_kuma_nobody_notices: "kuma-dead" => "a person starts the workflow";
    without_an_origin_record_the_watch_is_fooled_and_the_executor_is_not: "origin-record-missing" => "UP: 404";
    a_pin_that_names_no_site_refuses: "pin-unknown" => "status 5";
    a_protected_record_refuses_the_whole_batch: "record-protected" => "status 3";
    a_renamed_repository_is_told_at_every_step: "repo-renamed" => "301 Moved Permanently";
    without_sts_nothing_moves_until_it_is_back: "sts-down" => "status 3";
    another_subject_may_not_borrow_the_role: "subject-changed" => "status 3";
    throttled_calls_are_made_again: "throttled" => "status 0";
    an_expired_token_is_noticed_by_its_check: "token-expired" => "401 Bad credentials";
    a_token_that_may_only_read_starts_nothing: "token-read-only" => "403 Resource not accessible";
    a_call_that_hangs_stops_the_watch: "webhook-hangs" => "hangs, and the monitor with it";
    a_lost_message_is_sent_again_half_an_hour_later: "webhook-lost" => "still DOWN";
    a_disabled_workflow_is_told_and_nothing_begins: "workflow-disabled" => "422 Cannot trigger";
}

/// One mistake in the deployment, and where the rehearsal must fail.
struct Mistake {
    path: &'static str,
    from: &'static str,
    to: &'static str,
    /// The link that breaks; `attack` for an attack that gets through.
    link: &'static str,
    /// What is told of it.
    told: &'static str,
}

const fn mistake(
    path: &'static str,
    (from, to): (&'static str, &'static str),
    (link, told): (&'static str, &'static str),
) -> Mistake {
    Mistake {
        path,
        from,
        to,
        link,
        told,
    }
}

const CHANGE: &str = "policies/change-records.json";
const READ: &str = "policies/read-zone.json";
const TRUST: &str = "policies/trust.json";
const IAM: &str = "terraform/iam.tf";
const WORKFLOW: &str = ".github/workflows/dns-failover.yml";
const SUBJECT: &str = "repo:acme@100001/dns-failover@200002:ref:refs/heads/main";

fn fails(mistakes: &[Mistake]) {
    for Mistake {
        path,
        from,
        to,
        link,
        told,
    } in mistakes
    {
        let folder = Folder::of_the_reference_deployment();
        let text = folder.read(path);
        assert!(text.contains(from), "`{from}` stands nowhere in {path}");
        folder.write(path, text.replace(from, to));
        let ran = drill(&folder, &["--format", "json"]);
        let result = ran.json();
        let what = format!("{path}: `{from}` is `{to}`");
        assert_eq!(ran.status(), 1, "{what}: {:?}", missed(&result));
        let (name, found) = if *link == "attack" {
            let attacks = result["attacks"].as_array().unwrap();
            let through = |it: &&Value| it["refused"] != true && it["must_fail"] == true;
            let attack = attacks.iter().find(through).cloned();
            ("attack".to_owned(), attack.unwrap_or_default().to_string())
        } else {
            let links = result["links"].as_array().unwrap();
            let broken = links.iter().find(|it| it["state"] == "broken").cloned();
            let broken = broken.unwrap_or_default();
            let name = broken["name"].as_str().unwrap_or_default().to_owned();
            (name, broken["told"].as_str().unwrap_or_default().to_owned())
        };
        assert_eq!(name, *link, "{what}: {found}");
        assert!(found.contains(told), "{what}: {found}");
    }
}

#[test]
fn a_policy_that_allows_too_little_fails_where_the_call_is_made() {
    fails(&[
        mistake(
            CHANGE,
            ("\\\\052.example.com", "*.example.com"),
            (
                "records",
                "`*.example.com` there is never sent, write `\\052.example.com`",
            ),
        ),
        mistake(
            CHANGE,
            ("\"A\"", "\"AAAA\""),
            (
                "records",
                "files: statement 0 (`ChangeFailoverRecords`) of `change-records.json`: `A` is not in the list",
            ),
        ),
        mistake(
            CHANGE,
            ("\"UPSERT\"", "\"CREATE\""),
            ("records", "`UPSERT` is not in the list"),
        ),
        mistake(
            CHANGE,
            ("Z0123456789EXAMPLE", "Z9999999999EXAMPLE"),
            (
                "records",
                "not for `arn:aws:route53:::hostedzone/Z0123456789EXAMPLE`",
            ),
        ),
        mistake(
            CHANGE,
            ("\"false\"", "\"true\""),
            ("records", "`Null` asks that it is not"),
        ),
        mistake(
            IAM,
            ("\"UPSERT\"", "\"DELETE\""),
            ("records", "terraform: "),
        ),
    ]);
}

#[test]
fn a_policy_that_does_not_read_fails_before_and_after_the_change() {
    fails(&[
        mistake(
            READ,
            ("route53:ListResourceRecordSets", "route53:ListHostedZones"),
            ("sites", "no statement of"),
        ),
        mistake(
            READ,
            ("route53:GetChange", "route53:GetHostedZone"),
            ("confirmation", "route53:GetChange"),
        ),
        mistake(
            "pointsman.toml",
            ("id = \"Z0123456789EXAMPLE\"", "id = \"Z0123456789OTHER\""),
            (
                "sites",
                "not for `arn:aws:route53:::hostedzone/Z0123456789OTHER`",
            ),
        ),
    ]);
}

#[test]
fn a_trust_that_does_not_fit_fails_at_the_role() {
    fails(&[
        mistake(
            TRUST,
            ("refs/heads/main", "refs/heads/master"),
            ("role", "refs/heads/main` is not in the list"),
        ),
        mistake(
            TRUST,
            ("sts.amazonaws.com", "sts.example.com"),
            ("role", "`sts.amazonaws.com` is not in the list"),
        ),
        mistake(
            TRUST,
            (SUBJECT, "repo:acme/dns-failover:ref:refs/heads/main"),
            ("role", SUBJECT),
        ),
        mistake(
            IAM,
            (
                SUBJECT,
                "repo:acme-100001/dns-failover-200002:ref:refs/heads/main",
            ),
            ("role", "terraform: "),
        ),
        mistake(
            "pointsman.toml",
            ("repository_id = 200002", "repository_id = 200003"),
            ("role", "dns-failover@200003"),
        ),
        mistake(
            WORKFLOW,
            ("    runs-on:", "    environment: production\n    runs-on:"),
            ("role", ":environment:production` is not in the list"),
        ),
        mistake(
            WORKFLOW,
            ("      id-token: write", "      id-token: none"),
            ("role", "`id-token: write` is missing"),
        ),
    ]);
}

#[test]
fn what_lets_in_too_much_is_shown_by_an_attack() {
    fails(&[
        mistake(
            CHANGE,
            ("\"UPSERT\"", "\"UPSERT\", \"DELETE\""),
            ("attack", "DELETE of example.com"),
        ),
        mistake(
            CHANGE,
            ("\"example.com\"", "\"example.com\", \"mail.example.com\""),
            ("attack", "mail.example.com"),
        ),
        mistake(
            IAM,
            (
                "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE\"\n        Condition",
                "*\"\n        Condition",
            ),
            ("attack", "another zone"),
        ),
        mistake(
            TRUST,
            (
                "\"token.actions.githubusercontent.com:sub\": \"repo:acme@100001/dns-failover@200002:ref:refs/heads/main\"",
                "\"token.actions.githubusercontent.com:sub\": [\"repo:acme@100001/dns-failover@200002:ref:refs/heads/main\", \"repo:acme@100001/dns-failover@200002:pull_request\"]",
            ),
            ("attack", "a pull request"),
        ),
    ]);
}

#[test]
fn a_workflow_that_cannot_run_fails_before_the_role() {
    fails(&[
        mistake(
            WORKFLOW,
            ("refs/heads/main'", "refs/heads/master'"),
            ("workflow", "is false on `main`"),
        ),
        mistake(
            WORKFLOW,
            ("  workflow_dispatch:", "  push:"),
            (
                "message",
                "422: Workflow does not have 'workflow_dispatch' trigger",
            ),
        ),
        mistake(
            WORKFLOW,
            ("role/dns-failover", "role/other"),
            (
                "workflow",
                "cannot borrow `arn:aws:iam::123456789012:role/other`",
            ),
        ),
        mistake(
            WORKFLOW,
            ("bin/pointsman-switch\n", "true\n"),
            ("workflow", "no step of its job runs the executor"),
        ),
    ]);
}

#[test]
fn monitors_that_are_silent_or_not_understood_fail_first() {
    fails(&[
        mistake(
            "monitors/dispatch.yaml",
            ("\"Content-Type\":\"application/json\",", ""),
            ("message", "\"ref\" wasn't supplied"),
        ),
        mistake(
            "monitors/dispatch.yaml",
            ("{\"ref\":\"main\"}", "{\"ref\":\"master\"}"),
            ("message", "No ref found for: master"),
        ),
        mistake(
            "monitors/edge-watch.yaml",
            ("timeout: 10", "timeout: 0"),
            ("heartbeat", "never says DOWN"),
        ),
        mistake(
            "monitors/edge-watch.yaml",
            ("timeout: 10", "timeout: 10\n    upside_down: true"),
            ("heartbeat", "says DOWN though home serves"),
        ),
        mistake(
            "terraform/records.tf",
            ("\"origin.example.com\"", "\"origins.example.com\""),
            ("heartbeat", "needs a record of its own"),
        ),
    ]);
}

#[test]
fn without_monitors_a_person_starts_the_run_and_the_link_is_said_to_be_skipped() {
    let folder = Folder::of_the_reference_deployment();
    folder.remove("monitors");
    let ran = drill(&folder, &["--format", "json"]);
    let result = ran.json();
    assert_eq!(ran.status(), 0, "{:?}", missed(&result));
    let links = result["links"].as_array().unwrap();
    assert_eq!(links[0]["state"], "not given");
    assert!(links[0]["told"].to_string().contains("skipped"));
    let conclusion = result["conclusion"].as_str().unwrap();
    assert!(
        conclusion.starts_with("passed, but heartbeat and message were not given"),
        "{conclusion}"
    );
    assert!(happened(&result, "a person starts the workflow"));
    let lost = drill(&folder, &["--fault", "webhook-lost"]);
    assert_eq!(lost.status(), 2);
    assert!(
        lost.stderr().contains("none is declared"),
        "{}",
        lost.stderr()
    );
}

/// The state and the words of a link.
fn link(result: &Value, name: &str) -> (String, String) {
    let links = result["links"].as_array().cloned().unwrap_or_default();
    let own = links.into_iter().find(|it| it["name"] == name);
    let own = own.unwrap_or_default();
    let text = |key: &str| own[key].as_str().unwrap_or_default().to_owned();
    (text("state"), text("told"))
}

#[test]
fn a_rehearsal_without_the_artefacts_that_it_rehearses_fails_at_their_link() {
    for (removed, name, told) in [
        (
            ".github",
            "workflow",
            "no workflow is committed: `.github/workflows/dns-failover.yml` is missing",
        ),
        (
            "monitors/edge-watch.yaml",
            "heartbeat",
            "`monitors/edge-watch.yaml` is missing",
        ),
        (
            "monitors/edge-notice.yaml",
            "heartbeat",
            "`monitors/edge-notice.yaml` is missing",
        ),
        (
            "monitors/dispatch.yaml",
            "message",
            "`monitors/dispatch.yaml` is missing",
        ),
        (
            "monitors/token-check.yaml",
            "message",
            "`monitors/token-check.yaml` is missing",
        ),
    ] {
        let folder = Folder::of_the_reference_deployment();
        folder.remove(removed);
        let ran = drill(&folder, &["--format", "json"]);
        let result = ran.json();
        assert_eq!(ran.status(), 1, "{removed}: {}", result["conclusion"]);
        assert_eq!(result["passed"], false);
        let (state, found) = link(&result, name);
        assert_eq!(state, "broken", "{removed}");
        assert!(found.contains(told), "{removed}: {found}");
    }
}

#[test]
fn policies_may_stand_in_terraform_alone_which_is_said_and_nowhere_is_no_place() {
    let folder = Folder::of_the_reference_deployment();
    folder.remove("policies");
    let ran = drill(&folder, &["--format", "json"]);
    let result = ran.json();
    assert_eq!(ran.status(), 0, "{}", result["conclusion"]);
    let (_, told) = link(&result, "role");
    assert!(
        told.contains("of Terraform alone, `policies/` has none"),
        "{told}"
    );
    folder.remove("terraform/iam.tf");
    let ran = drill(&folder, &["--format", "json"]);
    assert_eq!(ran.status(), 1);
    let (state, told) = link(&ran.json(), "role");
    assert_eq!(state, "broken");
    assert!(told.contains("no policy for it is given"), "{told}");
    let one = Folder::of_the_reference_deployment();
    one.remove("policies/trust.json");
    let result = drill(&one, &["--format", "json"]).json();
    let (_, told) = link(&result, "role");
    assert!(told.contains("`policies/trust.json` is missing"), "{told}");
}

#[test]
fn a_file_that_cannot_be_read_leaves_it_undecided_in_every_form() {
    for (path, text, name) in [
        (
            "monitors/broken.yaml",
            "kind: KumaEntity\nmetadata: [",
            "heartbeat",
        ),
        (WORKFLOW, "on: [", "workflow"),
        (TRUST, "{\"Statement\": [", "role"),
        (IAM, "resource \"aws_iam_role\" {{", "role"),
    ] {
        let folder = Folder::of_the_reference_deployment();
        folder.write(path, text);
        let ran = drill(
            &folder,
            &["--format", "json", "--ledger", "--html", "drill.html"],
        );
        let result = ran.json();
        assert_eq!(ran.status(), 4, "{path}: {}", result["conclusion"]);
        assert_eq!(result["passed"], false, "{path}");
        assert_eq!(link(&result, name).0, "unread", "{path}");
        let conclusion = result["conclusion"].as_str().unwrap();
        let start = format!("not decided: `{path}` could not be read");
        assert!(conclusion.starts_with(&start), "{conclusion}");
        assert!(result["notes"].to_string().contains(path));
        let page = folder.read("drill.html");
        assert!(page.contains("class=\"bad\">not decided"), "{path}");
        let evidence = folder.all().into_iter();
        let mut evidence = evidence.filter(|(path, _)| path.to_string_lossy().contains("-drill"));
        let (_, evidence) = evidence.next().unwrap();
        let evidence = String::from_utf8_lossy(&evidence).into_owned();
        assert!(evidence.contains("not decided"), "{evidence}");
        assert!(!evidence.contains("passed"), "{evidence}");
    }
}

#[test]
fn the_committed_program_is_held_to_its_sum() {
    let folder = Folder::of_the_reference_deployment();
    folder.write("bin/pointsman-switch", "\x7fELF and so on");
    let zeros = "0".repeat(64);
    let sum = format!("{zeros}  bin/pointsman-switch\n");
    folder.write("bin/pointsman-switch.sha256", sum);
    let ran = drill(&folder, &["--format", "json"]);
    let result = ran.json();
    assert_eq!(ran.status(), 1);
    let (state, told) = link(&result, "workflow");
    assert_eq!(state, "broken");
    assert!(
        told.contains("is not the program whose sum is committed"),
        "{told}"
    );
}

#[test]
fn each_link_tells_what_was_seen_of_it_and_no_more() {
    // By their first letters: held, broken, not reached.
    for (fault, letters) in [
        ("record-protected", "hhhhhbnn"),
        ("hub-dead", "bnhhbnnn"),
        ("insync-never", "hhhhhhbn"),
        ("sts-down", "hhhbhhhh"),
        ("token-expired", "hbhhhhhh"),
        ("workflow-disabled", "hbhhhhhh"),
        ("webhook-hangs", "hbhhhhhh"),
    ] {
        let result = plays(fault);
        let states = texts(&result, "links", "state");
        let found: String = states.iter().filter_map(|it| it.chars().next()).collect();
        assert_eq!(found, letters, "{fault}: {}", result["links"]);
        let links = result["links"].as_array().unwrap();
        let broken = links.iter().find(|it| it["state"] == "broken").unwrap();
        let told = broken["told"].as_str().unwrap();
        assert!(told.starts_with("as the fault has it: "), "{fault}: {told}");
    }
}

#[test]
fn a_failure_names_the_artefact_and_its_line() {
    for (path, from, to, at) in [
        (
            "monitors/dispatch.yaml",
            "{\"ref\":\"main\"}",
            "{\"ref\":\"master\"}",
            "at the link `message` (monitors/dispatch.yaml:21): GitHub answers 422: No ref found",
        ),
        (
            TRUST,
            "refs/heads/main",
            "refs/heads/master",
            "at the link `role` (policies/trust.json:4): files: statement 0",
        ),
        (
            WORKFLOW,
            "refs/heads/main'",
            "refs/heads/master'",
            "at the link `workflow` (.github/workflows/dns-failover.yml:",
        ),
    ] {
        let folder = Folder::of_the_reference_deployment();
        folder.write(path, folder.read(path).replace(from, to));
        let ran = drill(&folder, &[]);
        let last = ran.stdout().lines().last().unwrap_or_default().to_owned();
        assert!(last.contains(at), "{last}");
        assert!(last.ends_with("see `pointsman validate`"), "{last}");
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
        "id=\"verdict\" class=\"good\">passed",
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
