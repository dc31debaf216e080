//! `pointsman drill --fault`: every named fault ends as is promised for it, tells at its links what it broke and no more, and
//! excuses nothing that the deployment breaks by itself.

use serde_json::Value;

use crate::binary::Folder;
use crate::drill::{drill, happened, link, missed, texts};

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
    a_renamed_repository_is_told_at_every_step: "repo-renamed" => "dispatch of `edge-watch`: 307, then 204";
    without_sts_nothing_moves_until_it_is_back: "sts-down" => "fails: The service is unavailable";
    another_subject_may_not_borrow_the_role: "subject-changed" => "Not authorized to perform";
    throttled_calls_are_made_again: "throttled" => "status 0";
    an_expired_token_is_noticed_by_its_check: "token-expired" => "401 Bad credentials";
    a_token_that_may_only_read_starts_nothing: "token-read-only" => "403 Resource not accessible";
    a_call_that_hangs_stops_the_watch: "webhook-hangs" => "hangs, and the monitor with it";
    a_lost_message_is_sent_again_half_an_hour_later: "webhook-lost" => "still DOWN";
    a_disabled_workflow_is_told_and_nothing_begins: "workflow-disabled" => "422 Cannot trigger";
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

/// A fault in a deployment with one mistake: it fails, at this link, with these words.
fn fails_though(fault: &str, (path, from, to): (&str, &str, &str), (name, words): (&str, &str)) {
    let folder = Folder::of_the_reference_deployment();
    let text = folder.read(path);
    assert!(text.contains(from), "`{from}` stands nowhere in {path}");
    folder.write(path, text.replace(from, to));
    let ran = drill(
        &folder,
        &["--fault", fault, "--death", "refused", "--format", "json"],
    );
    let result = ran.json();
    let conclusion = result["conclusion"].as_str().unwrap_or_default();
    assert_eq!(ran.status(), 1, "{fault}: {conclusion}");
    assert_eq!(link(&result, name).0, "broken", "{fault}: {conclusion}");
    let start = format!("FAILED at the link `{name}`");
    assert!(conclusion.starts_with(&start), "{fault}: {conclusion}");
    assert!(conclusion.contains(words), "{fault}: {conclusion}");
}

#[test]
fn a_fault_excuses_its_own_cause_alone() {
    let change = ("policies/change-records.json", "\"UPSERT\"", "\"CREATE\"");
    let trust = ("policies/trust.json", "heads/main", "heads/mainn");
    let token = ("monitors/dispatch.yaml", "Bearer ", "Basic ");
    for fault in ["record-protected", "hub-dead", "pin-unknown"] {
        fails_though(fault, change, ("records", "`UPSERT` is not in the list"));
    }
    for fault in ["repo-renamed", "sts-down", "hub-dead"] {
        fails_though(fault, trust, ("role", "heads/main` is not in the list"));
    }
    fails_though("token-expired", token, ("message", "401: Bad credentials"));
    let read = (
        "policies/read-zone.json",
        "route53:GetChange",
        "route53:GetHostedZone",
    );
    fails_though("insync-never", read, ("confirmation", "route53:GetChange"));
}

#[test]
fn a_watch_that_repeats_nothing_keeps_no_promise_of_a_repeated_message() {
    let silent = (
        "monitors/edge-watch.yaml",
        "resend_interval: 30",
        "resend_interval: 0",
    );
    for fault in [
        "webhook-lost",
        "github-down",
        "hub-app-down",
        "control-plane-down",
        "sts-down",
    ] {
        fails_though(fault, silent, ("message", "`resend_interval` is 0"));
    }
}

#[test]
fn a_promise_that_the_workflow_breaks_is_told_of_the_workflow() {
    let workflow = ".github/workflows/dns-failover.yml";
    let unpinned = (workflow, "PIN_SITE: ${{", "PIN_SIDE: ${{");
    fails_though(
        "pin-unknown",
        unpinned,
        ("workflow", "no step hands `PIN_SITE`"),
    );
    let cancels = (workflow, "in-progress: false", "in-progress: true");
    fails_though("concurrency-evicted", cancels, ("workflow", "newer run"));
    let check = ("monitors/token-check.yaml", "\"200\"", "\"200-499\"");
    fails_though(
        "token-expired",
        check,
        ("heartbeat", "people hear of it from `token-check`"),
    );
}
