//! `pointsman drill` on deployments with one mistake: it fails at the link that the mistake breaks, with the reason, or says what
//! of it was not rehearsed.

use serde_json::Value;

use crate::binary::Folder;
use crate::drill::{drill, happened, link, missed};

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
pub(crate) const IAM: &str = "terraform/iam.tf";
pub(crate) const WORKFLOW: &str = ".github/workflows/dns-failover.yml";
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

pub(crate) const RECORDS: &str = "terraform/records.tf";
pub(crate) const DISPATCH: &str = "monitors/dispatch.yaml";
const WATCH: &str = "monitors/edge-watch.yaml";

/// What comes of a rehearsal with these edits: the status, the last line, and the whole result.
pub(crate) fn comes_to(edits: &[(&str, &str, &str)], more: &[&str]) -> (i32, String, Value) {
    let folder = Folder::of_the_reference_deployment();
    for (path, from, to) in edits {
        let text = folder.read(path);
        assert!(text.contains(from), "`{from}` stands nowhere in {path}");
        folder.write(path, text.replace(from, to));
    }
    let arguments: Vec<&str> = ["--format", "json"].iter().chain(more).copied().collect();
    let ran = drill(&folder, &arguments);
    let result = ran.json();
    let conclusion = result["conclusion"].as_str().unwrap_or_default().to_owned();
    (ran.status(), conclusion, result)
}

/// Edits of one file, with the status and with words of the last line.
pub(crate) fn outcomes(path: &str, cases: &[(&str, &str, i32, &str)]) {
    for (from, to, status, words) in cases {
        let (found, conclusion, _) = comes_to(&[(path, from, to)], &[]);
        let what = format!("{path}: `{from}` is `{to}`: {conclusion}");
        assert_eq!(found, *status, "{what}");
        assert!(conclusion.contains(words), "{what}");
    }
}

#[test]
fn the_steps_of_the_job_are_played_one_after_the_other() {
    let checkout = "      - name: Fetch the repository\n        uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n        with:\n          persist-credentials: false\n";
    let switch = "      - name: Switch if need be\n";
    let seconds = "          role-duration-seconds: 3600\n";
    let at_borrow = |line: &str| format!("{seconds}          {line}\n");
    let session = "inline-session-policy: '{\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"s3:*\",\"Resource\":\"*\"}}'";
    outcomes(
        WORKFLOW,
        &[
            (
                checkout,
                "",
                1,
                "`bin/pointsman-switch.sha256` is not there",
            ),
            (
                switch,
                &format!("{switch}        if: github.event_name == 'push'\n"),
                1,
                "the step that runs the executor is skipped",
            ),
            (
                switch,
                &format!("      - run: exit 1\n{switch}"),
                1,
                "its step `exit 1` fails",
            ),
            (
                "run: bin/pointsman-switch\n",
                "run: bin/pointsman-switch --dry-run\n",
                1,
                "changes nothing",
            ),
            (
                "        run: bin/pointsman-switch\n",
                "        working-directory: policies\n        run: bin/pointsman-switch\n",
                1,
                "where there is none",
            ),
            (
                seconds,
                &at_borrow("audience: https://example.net"),
                1,
                "Incorrect token audience",
            ),
            (": 3600", ": 36000", 1, "exceeds the MaxSessionDuration"),
            (seconds, &at_borrow(session), 1, "at the link `sites`"),
            (
                "  failover:\n    name",
                "  pre:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: exit 1\n  failover:\n    needs: pre\n    name",
                1,
                "it needs the job `pre`, which fails",
            ),
            ("${{ vars.PIN_SITE }}", "hub", 1, "pins `hub` by `PIN_SITE`"),
        ],
    );
}

#[test]
fn what_of_the_workflow_is_not_understood_leaves_it_undecided() {
    outcomes(
        WORKFLOW,
        &[
            (
                "ref == 'refs/heads/main'",
                "actor == 'nobody'",
                4,
                "the `if` of its job",
            ),
            (
                "e6de054238d6b7531b4efff3b6587d9aade6a06c",
                "e6de054238d6b7531b4efff3b6587d9aade6a06d",
                4,
                "neither in the spec nor in `pins.lock`",
            ),
            (
                "ubuntu-24.04",
                "ubuntu-18.04",
                4,
                "whether a runner `ubuntu-18.04`",
            ),
            (
                "      contents: read # to fetch this repository\n",
                "",
                4,
                "contents: read",
            ),
            (
                "run: bin/pointsman-switch\n",
                "run: bin/pointsman-switch || true\n",
                4,
                "what `bin/pointsman-switch || true` does",
            ),
            (
                "ap-northeast-2",
                "eu-nowhere-9",
                4,
                "the region `eu-nowhere-9`",
            ),
            (
                "    timeout-minutes: 20",
                "    strategy: {}\n    timeout-minutes: 20",
                4,
                "what `strategy` does",
            ),
        ],
    );
}

#[test]
fn without_a_step_that_borrows_the_role_the_executor_does_and_the_last_line_says_so() {
    let folder = Folder::of_the_reference_deployment();
    let text = folder.read(WORKFLOW);
    let (before, rest) = text.split_once("      - name: Borrow the role\n").unwrap();
    let (_, after) = rest.split_once("      - name: Check").unwrap();
    folder.write(WORKFLOW, format!("{before}      - name: Check{after}"));
    let ran = drill(&folder, &["--format", "json"]);
    let conclusion = ran.json()["conclusion"].as_str().unwrap().to_owned();
    assert_eq!(ran.status(), 0, "{conclusion}");
    assert!(
        conclusion.contains("no step borrows the role before the executor"),
        "{conclusion}"
    );
    assert!(
        conclusion.contains("`pointsman validate` finds 1 error"),
        "{conclusion}"
    );
}

#[test]
fn doors_that_stand_open_are_found_by_an_attack() {
    let sub = "\"repo:acme@100001/dns-failover@200002:ref:refs/heads/main\"";
    let aud = "\"token.actions.githubusercontent.com:aud\": \"sts.amazonaws.com\",\n";
    let environments = sub.replace(":ref:refs/heads/main", ":environment:*");
    let siblings = sub.replace("dns-failover@200002", "*");
    let like = ("StringEquals", "StringLike");
    for (path, edits, attack) in [
        (
            TRUST,
            vec![like, (sub, environments.as_str())],
            "another environment",
        ),
        (
            TRUST,
            vec![like, (sub, siblings.as_str())],
            "another repository of the same owner",
        ),
        (TRUST, vec![(aud, "")], "another audience"),
        (
            TRUST,
            vec![("StringEquals", "StringEqualsIfExists")],
            "without a subject",
        ),
        (
            TRUST,
            vec![(
                "\"Statement\": [",
                "\"Statement\": [{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"*\"},\"Action\":\"sts:AssumeRole\"},",
            )],
            "a role of another account",
        ),
        (
            CHANGE,
            vec![("ForAllValues", "ForAnyValue")],
            "in one batch",
        ),
        (
            CHANGE,
            vec![("\"A\"\n", "\"A\", \"AAAA\"\n")],
            "UPSERT of AAAA",
        ),
        (
            READ,
            vec![
                (
                    "\"route53:GetChange\"",
                    "[\"route53:GetChange\", \"iam:*\", \"s3:*\"]",
                ),
                ("arn:aws:route53:::change/*", "*"),
            ],
            "s3:GetObject",
        ),
    ] {
        let edits: Vec<_> = edits
            .into_iter()
            .map(|(from, to)| (path, from, to))
            .collect();
        let (_, conclusion, result) = comes_to(&edits, &[]);
        let attacks = result["attacks"].as_array().cloned().unwrap_or_default();
        let through = |it: &&Value| it["refused"] != true && it["must_fail"] == true;
        let mut let_in = attacks
            .iter()
            .filter(through)
            .map(|it| it["what"].to_string());
        assert!(
            let_in.any(|what| what.contains(attack)),
            "{attack}: {conclusion}"
        );
    }
}

#[test]
fn the_role_is_the_one_that_terraform_makes() {
    let named = "name = \"dns-failover\"\n";
    let with = |more: &str| format!("{named}  {more}\n");
    outcomes(
        IAM,
        &[
            (
                named,
                "name = \"dns-failover2\"\n",
                1,
                "role/dns-failover2`",
            ),
            (named, &with("path = \"/x/\""), 1, "role/x/dns-failover`"),
            (
                named,
                &with("permissions_boundary = \"arn:aws:iam::123456789012:policy/none\""),
                4,
                "permissions boundary",
            ),
            (
                named,
                &with("managed_policy_arns = [\"arn:aws:iam::aws:policy/ReadOnlyAccess\"]"),
                4,
                "policy/ReadOnlyAccess` allows, which `aws_iam_role.failover` has",
            ),
            (
                "aws_iam_role.failover.name",
                "\"other\"",
                1,
                "none of its policies is given to the role",
            ),
        ],
    );
}

#[test]
fn the_records_are_those_that_terraform_declares() {
    outcomes(
        RECORDS,
        &[
            (
                "ttl     = 300",
                "ttl     = 3600",
                1,
                "is kept for 3600 s, and the spec says 300",
            ),
            (
                "\"*.example.com\"",
                "\"x.example.com\"",
                1,
                "`*.example.com A` does not exist",
            ),
            (
                "198.51.100.10",
                "198.51.100.77",
                1,
                "at the link `heartbeat`",
            ),
            (
                "ignore_changes = [records]",
                "",
                1,
                "`terraform apply` while the records are away",
            ),
        ],
    );
}

#[test]
fn one_monitor_that_cannot_be_played_leaves_the_others_their_duties() {
    outcomes(
        WATCH,
        &[
            (
                "https://",
                "http://",
                4,
                "`http://origin.example.com/` is no `https` URL",
            ),
            (
                "type: http",
                "type: port",
                4,
                "a rehearsal has nothing for the type `port`",
            ),
            (
                "    method: GET",
                "    method: GET\n    active: false",
                1,
                "it is paused",
            ),
        ],
    );
    let folder = Folder::of_the_reference_deployment();
    folder.write(WATCH, folder.read(WATCH).replace("https://", "http://"));
    folder.remove("monitors/token-check.yaml");
    let ran = drill(&folder, &["--format", "json"]);
    assert_eq!(ran.status(), 1);
    assert_eq!(link(&ran.json(), "message").0, "broken");
}

#[test]
fn a_message_that_github_would_not_take_is_not_taken() {
    outcomes(
        DISPATCH,
        &[
            ("Bearer ", "Basic ", 1, "401: Bad credentials"),
            ("DISPATCH_TOKEN", "OTHER_TOKEN", 1, "401: Bad credentials"),
            ("2022-11-28", "2099-01-01", 1, "400: 2099-01-01"),
            (
                "active: true",
                "active: false",
                4,
                "which says `active: false`",
            ),
        ],
    );
}

#[test]
fn what_passed_with_something_left_out_is_in_the_ledger_so() {
    let folder = Folder::of_the_reference_deployment();
    folder.remove("monitors");
    let ran = drill(&folder, &["--ledger"]);
    assert_eq!(ran.status(), 0, "{}", ran.stdout());
    let all = folder.all().into_iter();
    let mut all = all.filter(|(path, _)| path.to_string_lossy().contains("-drill.json"));
    let (_, evidence) = all.next().unwrap();
    let evidence: Value = serde_json::from_slice(&evidence).unwrap();
    assert_eq!(evidence["outcome"], "passed");
    let but = evidence["but"].to_string();
    assert!(
        but.contains("heartbeat and message were not given"),
        "{but}"
    );
    assert!(but.contains("`pointsman validate` finds 1 error"), "{but}");
}

#[test]
fn a_policy_that_is_missing_is_what_is_told() {
    for (path, at) in [(CHANGE, "records"), (READ, "sites")] {
        let folder = Folder::of_the_reference_deployment();
        folder.remove(path);
        let result = drill(&folder, &["--format", "json"]).json();
        let (state, told) = link(&result, at);
        assert_eq!(state, "broken");
        assert!(
            told.starts_with(&format!("files: `{path}` is missing")),
            "{told}"
        );
    }
}

/// What every signed call carries is there for conditions, as AWS has it.
#[test]
fn conditions_on_what_every_call_carries_are_decided_as_aws_decides_them() {
    let never = [
        r#"{"Bool": {"aws:SecureTransport": "false"}}"#,
        r#"{"StringNotEquals": {"aws:RequestedRegion": "us-east-1"}}"#,
        r#"{"DateLessThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}"#,
        r#"{"ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::123456789012:role/*"}}"#,
    ];
    let always = [r#"{"DateGreaterThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}"#];
    for (conditions, passes) in [(&never[..], true), (&always[..], false)] {
        let folder = Folder::of_the_reference_deployment();
        let denied = conditions.iter().map(|condition| {
            format!(
                r#"{{"Effect": "Deny", "Action": "route53:*", "Resource": "*", "Condition": {condition}}}, "#
            )
        });
        let denied: String = denied.collect();
        let written = folder.read(CHANGE);
        let with = written.replacen("\"Statement\": [", &format!("\"Statement\": [{denied}"), 1);
        assert_ne!(with, written);
        folder.write(CHANGE, &with);
        let ran = folder.run(&["drill", "--quiet", "--format", "json"]);
        let result: Value = serde_json::from_str(&ran.stdout()).unwrap();
        assert_eq!(result["passed"], passes, "{}", ran.stdout());
    }
}
