//! `pointsman drill` on what stands beside the switch and takes part in it all the same: other records of the zone, monitors that
//! have something to tell only after the move, rights of AWS's own policies, and names on which the artefacts do not agree.

use crate::binary::Folder;
use crate::drill::{drill, link};
use crate::drill_artefacts::{DISPATCH, IAM, RECORDS, WORKFLOW, comes_to, outcomes};

/// A rehearsal with this block of HCL behind a file of the module: the status and the last line.
fn with(path: &str, block: &str) -> (i32, String) {
    let folder = Folder::of_the_reference_deployment();
    folder.write(path, format!("{}\n{block}\n", folder.read(path)));
    let ran = drill(&folder, &["--format", "json"]);
    let conclusion = ran.json()["conclusion"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (ran.status(), conclusion)
}

/// A record of this name and type with these values, as HCL.
fn record(name: &str, kind: &str, values: &str) -> String {
    format!(
        "resource \"aws_route53_record\" \"more\" {{\n  zone_id = \"Z0123456789EXAMPLE\"\n  name = {name}\n  type = \"{kind}\"\n  ttl = 86400\n  records = [{values}]\n}}"
    )
}

#[test]
fn a_record_of_its_own_takes_a_host_from_the_wildcard() {
    for (name, kind, values, words) in [
        (
            "www",
            "A",
            "\"198.51.100.10\"",
            "`www.example.com` is still sent to edge",
        ),
        (
            "www",
            "AAAA",
            "\"2001:db8::1\"",
            "`www.example.com` has no address",
        ),
        (
            "www",
            "TXT",
            "\"hello\"",
            "`www.example.com` has no address",
        ),
        (
            "_acme.www",
            "TXT",
            "\"hello\"",
            "keeps the wildcard from it",
        ),
        (
            "example.com",
            "AAAA",
            "\"2001:db8::1\"",
            "`example.com` is sent to 2001:db8::1",
        ),
    ] {
        let block = record(&format!("\"{name}\""), kind, values);
        let (status, conclusion) = with(RECORDS, &block);
        let what = format!("{name} {kind}: {conclusion}");
        assert_eq!(status, 1, "{what}");
        assert!(
            conclusion.contains("at the link `visitors` (terraform/records.tf:"),
            "{what}"
        );
        assert!(conclusion.contains(words), "{what}");
        assert!(
            conclusion.contains("`aws_route53_record.more` of Terraform"),
            "{what}"
        );
    }
}

#[test]
fn records_that_take_no_host_harm_nobody_and_unknown_ones_are_told() {
    for (name, kind, values, status, words) in [
        (
            "\"example.com\"",
            "MX",
            "\"10 mail.example.com\"",
            0,
            "passed",
        ),
        ("\"other\"", "A", "\"192.0.2.1\"", 0, "passed"),
        (
            "data.x.y.name",
            "A",
            "\"192.0.2.1\"",
            4,
            "which name `aws_route53_record.more` has",
        ),
        (
            "\"www\"",
            "A",
            "data.x.y.address",
            4,
            "which values `aws_route53_record.more` has",
        ),
    ] {
        let (found, conclusion) = with(RECORDS, &record(name, kind, values));
        assert_eq!(found, status, "{name} {kind}: {conclusion}");
        assert!(conclusion.contains(words), "{name} {kind}: {conclusion}");
    }
    let alias = "resource \"aws_route53_record\" \"more\" {\n  zone_id = \"Z0123456789EXAMPLE\"\n  name = \"www\"\n  type = \"A\"\n  alias {\n    name = \"example.com\"\n    zone_id = \"Z0123456789EXAMPLE\"\n    evaluate_target_health = false\n  }\n}";
    let (found, conclusion) = with(RECORDS, alias);
    assert_eq!(found, 0, "an alias of the apex moves with it: {conclusion}");
}

#[test]
fn a_wrong_origin_record_is_what_is_named() {
    let folder = Folder::of_the_reference_deployment();
    let text = folder.read(RECORDS);
    // The last record of the module is the origin's.
    let (before, after) = text.rsplit_once("198.51.100.10").unwrap();
    let wrong = format!("{before}198.51.100.77{after}");
    folder.write(RECORDS, wrong);
    let result = drill(&folder, &["--format", "json"]).json();
    let (state, told) = link(&result, "heartbeat");
    assert_eq!(state, "broken");
    let record = "`aws_route53_record.origin` of Terraform is 198.51.100.77, and the spec says 198.51.100.10";
    assert!(told.contains(record), "{told}");
    let at = result["links"][0]["at"].as_str().unwrap_or_default();
    assert!(at.starts_with("terraform/records.tf:"), "{at}");
}

#[test]
fn monitors_that_speak_only_after_a_move_must_speak_then_and_not_before() {
    let transition = "monitors/transition-notice.yaml";
    let retry = "monitors/failback-retry.yaml";
    for (path, from, to, words) in [
        (
            transition,
            "203.0.113.20",
            "203.0.113.99",
            "`heartbeat` (monitors/transition-notice.yaml",
        ),
        (
            retry,
            "203.0.113.20",
            "203.0.113.99",
            "and sees: example.com is 203.0.113.20",
        ),
        (
            retry,
            "name=example.com",
            "name=example.org",
            "`message` (monitors/failback-retry.yaml",
        ),
        (
            retry,
            "upside_down: true",
            "upside_down: false",
            "by a message of `failback-retry`",
        ),
        (
            transition,
            "upside_down: true",
            "upside_down: false",
            "before anything has moved",
        ),
        (
            "monitors/edge-notice.yaml",
            "timeout: 10",
            "timeout: 0",
            "people hear of it from `edge-notice`",
        ),
        (
            "monitors/token-check.yaml",
            "dns-failover.yml",
            "other.yml",
            "`token-check` has nothing to tell",
        ),
    ] {
        outcomes(path, &[(from, to, 1, words)]);
    }
}

#[test]
fn rights_far_beyond_the_switch_let_attacks_in() {
    for name in [
        "AdministratorAccess",
        "PowerUserAccess",
        "AmazonRoute53FullAccess",
        "IAMFullAccess",
    ] {
        let block = format!(
            "resource \"aws_iam_role_policy_attachment\" \"more\" {{\n  role = aws_iam_role.failover.name\n  policy_arn = \"arn:aws:iam::aws:policy/{name}\"\n}}"
        );
        let (status, conclusion) = with(IAM, &block);
        assert_eq!(status, 1, "{name}: {conclusion}");
        assert!(conclusion.contains("an attack was let in"), "{conclusion}");
        assert!(
            conclusion.contains(&format!("`{name}` allows")),
            "{conclusion}"
        );
    }
    let own = "  name = \"dns-failover\"\n";
    let listed =
        format!("{own}  managed_policy_arns = [\"arn:aws:iam::aws:policy/AdministratorAccess\"]\n");
    outcomes(IAM, &[(own, &listed, 1, "`AdministratorAccess` allows")]);
    let other =
        format!("{own}  managed_policy_arns = [\"arn:aws:iam::aws:policy/SecurityAudit\"]\n");
    outcomes(
        IAM,
        &[(
            own,
            &other,
            4,
            "what `arn:aws:iam::aws:policy/SecurityAudit` allows",
        )],
    );
}

#[test]
fn roles_that_do_not_agree_are_told_in_one_sentence() {
    let both = "the spec's role is `arn:aws:iam::123456789012:role/other`, and `aws_iam_role.failover` of Terraform is";
    outcomes(
        "pointsman.toml",
        &[("role = \"dns-failover\"", "role = \"other\"", 1, both)],
    );
    outcomes(
        IAM,
        &[(
            "name = \"dns-failover\"",
            "name = \"other\"",
            1,
            "(terraform/iam.tf:10): the spec's role is",
        )],
    );
    outcomes(
        WORKFLOW,
        &[("role/dns-failover", "role/other", 1, "the spec's role is")],
    );
}

#[test]
fn reasons_name_what_is_wrong() {
    let inputs = "workflow_dispatch:\n    inputs:\n      why:\n        required: true\n";
    outcomes(
        WORKFLOW,
        &[
            (
                "workflow_dispatch:\n",
                inputs,
                1,
                "GitHub answers 422: Required input 'why' not provided",
            ),
            (
                "timeout-minutes",
                "environment: prod\n    timeout-minutes",
                1,
                "the `environment` of the job is `prod`, and the spec says none",
            ),
            (
                "        run: bin/",
                "        working-directory: ops\n        run: bin/",
                1,
                "with `working-directory: ops` it looks for `ops/bin/`",
            ),
            (
                "    steps:",
                "    defaults:\n      run:\n        working-directory: ops\n    steps:",
                1,
                "with `working-directory: ops`",
            ),
            (
                "in-progress: false",
                "in-progress: true\n  queue: max",
                1,
                "failed to parse workflow",
            ),
        ],
    );
    outcomes(
        DISPATCH,
        &[
            (
                "webhookURL: https:",
                "webhookURL: http:",
                1,
                "not below `https://api.github.com/`",
            ),
            (
                "webhookURL: https://api.github.com",
                "webhookURL: https://relay.example.com",
                4,
                "what `https://relay.example.com/",
            ),
        ],
    );
    // Ids of changes begin with `C`, and nobody can foresee how they go on.
    outcomes(
        "policies/read-zone.json",
        &[("change/*", "change/C0*", 1, "change/C0*")],
    );
}

#[test]
fn with_a_queue_nothing_is_evicted_and_without_a_watch_no_message_comes() {
    let queue = (
        WORKFLOW,
        "in-progress: false",
        "in-progress: false\n  queue: max",
    );
    let (status, conclusion, result) = comes_to(&[queue], &["--fault", "concurrency-evicted"]);
    assert_eq!(status, 0, "{conclusion}");
    let expected = result["expected"].to_string();
    assert!(
        expected.contains("every waiting run keeps its place"),
        "{expected}"
    );
    let folder = Folder::of_the_reference_deployment();
    folder.remove("monitors");
    let ran = drill(&folder, &["--fault", "concurrency-evicted"]);
    assert_eq!(ran.status(), 2);
    assert!(
        ran.stderr().contains("none is declared"),
        "{}",
        ran.stderr()
    );
    let hangs = drill(
        &Folder::of_the_reference_deployment(),
        &["--fault", "webhook-hangs"],
    );
    assert!(
        !hangs.stdout().contains("0 of the next"),
        "{}",
        hangs.stdout()
    );
}
