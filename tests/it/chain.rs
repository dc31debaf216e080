//! The chain and the matrix of failures as a program shows them: mutated deployments break the right link, and cells change
//! with the deployment.

use serde_json::Value;

use crate::binary::Folder;

/// The ids of the links in this state.
fn links(folder: &Folder, state: &str) -> Vec<String> {
    let told = folder.run(&["chain", "--format", "json"]).json();
    let links = told["links"].as_array().cloned().unwrap_or_default();
    let of_state = links.iter().filter(|link| link["state"] == state);
    of_state
        .filter_map(|link| Some(link["id"].as_str()?.to_owned()))
        .collect()
}

fn cell(folder: &Folder, id: &str, name: &str) -> String {
    let told = folder
        .run(&["chain", "--survival", "--format", "json"])
        .json();
    let rows = told["failures"].as_array().cloned().unwrap_or_default();
    let row = rows
        .into_iter()
        .find(|row| row["id"] == id)
        .unwrap_or(Value::Null);
    row[name].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_reference_deployment_has_no_broken_link_and_no_cluster_files() {
    let folder = Folder::of_the_reference_deployment();
    assert!(links(&folder, "broken").is_empty() && links(&folder, "undecided").is_empty());
    assert_eq!(links(&folder, "not given"), ["hosts"]);
    assert_eq!(folder.run(&["chain"]).status(), 0);
    assert!(
        folder
            .run(&["chain", "--mermaid"])
            .stdout()
            .starts_with("flowchart TD\n")
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "ten cases, side by side")]
fn each_of_ten_mutations_breaks_its_link_and_no_other() {
    let mutations = [
        (
            "monitors/edge-watch.yaml",
            "origin.example.com/",
            "www.example.com/",
            "heartbeat",
        ),
        (
            "monitors/edge-watch.yaml",
            "    timeout: 10\n",
            "    timeout: 0\n",
            "heartbeat",
        ),
        (
            "monitors/dispatch.yaml",
            "{\"ref\":\"main\"}",
            "{\"ref\":\"main\",\"inputs\":{\"site\":\"hub\"}}",
            "webhook",
        ),
        (
            "monitors/dispatch.yaml",
            "dns-failover.yml/dispatches",
            "other.yml/dispatches",
            "webhook",
        ),
        (
            ".github/workflows/dns-failover.yml",
            "  workflow_dispatch:\n",
            "  push:\n",
            "workflow",
        ),
        (
            ".github/workflows/dns-failover.yml",
            "refs/heads/main",
            "refs/heads/old",
            "trust",
        ),
        (
            ".github/workflows/dns-failover.yml",
            "role/dns-failover",
            "role/other",
            "role",
        ),
        (
            "policies/change-records.json",
            "Z0123456789EXAMPLE",
            "Z0123456789OTHER",
            "policy",
        ),
        (
            "terraform/records.tf",
            "    ignore_changes = [records]\n",
            "",
            "records",
        ),
        (
            "monitors/token-check.yaml",
            "workflows/dns-failover.yml",
            "workflows/other.yml",
            "monitors",
        ),
    ];
    for (path, from, to, link) in mutations {
        let folder = Folder::of_the_reference_deployment();
        let text = folder.read(path);
        assert!(text.contains(from), "{path} has no {from}");
        folder.write(path, text.replacen(from, to, 1));
        assert_eq!(links(&folder, "broken"), [link], "{path}: {from}");
        assert_eq!(folder.run(&["chain"]).status(), 1);
    }
}

#[test]
fn a_file_that_cannot_be_read_leaves_its_link_undecided() {
    let folder = Folder::of_the_reference_deployment();
    folder.write("policies/read-zone.json", b"\xff".as_slice());
    assert!(
        links(&folder, "undecided").contains(&"policy".to_owned())
            || links(&folder, "broken").contains(&"policy".to_owned())
    );
}

#[test]
fn what_was_not_given_is_no_fault() {
    let folder = Folder::of_the_reference_deployment();
    let told = folder.run(&["chain", "policies", "--format", "json"]);
    let links = told.json();
    let state = |index: usize| {
        links["links"][index]["state"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        (state(0), state(5)),
        ("not given".to_owned(), "good".to_owned())
    );
    assert_eq!(told.status(), 0);
    assert_eq!(Folder::empty().run(&["chain"]).status(), 2);
}

#[test]
fn the_matrix_of_the_reference_deployment_is_reviewed() {
    let folder = Folder::of_the_reference_deployment();
    crate::snapshot::assert(
        "chain__survival",
        &folder.run(&["chain", "--survival"]).stdout(),
    );
}

#[test]
fn cells_change_with_the_monitors_and_the_sites() {
    let folder = Folder::of_the_reference_deployment();
    folder.remove("monitors/token-check.yaml");
    assert!(cell(&folder, "dispatch-token", "notices").starts_with("nobody"));
    folder.remove("monitors/edge-notice.yaml");
    assert!(cell(&folder, "home", "notices").contains("no monitor tells people"));
    folder.remove("monitors/edge-watch.yaml");
    let switches = cell(&folder, "home", "switches");
    assert!(switches.starts_with("nothing to rely on"), "{switches}");
    assert!(cell(&folder, "home", "messages").starts_with("0 dispatches"));
    let spec = folder.read("pointsman.toml");
    let site = "[[sites]]\nname = \"third\"\nipv4 = \"203.0.113.30\"\n\n# The records that the switch moves.";
    folder.write(
        "pointsman.toml",
        spec.replacen("# The records that the switch moves.", site, 1),
    );
    assert!(cell(&folder, "standby", "switches").contains("1 more standby"));
}

#[test]
fn a_third_site_is_where_a_run_goes_when_the_first_standby_is_silent() {
    let folder = Folder::of_the_reference_deployment();
    let spec = folder.read("pointsman.toml");
    let site = "[[sites]]\nname = \"third\"\nipv4 = \"203.0.113.30\"\n\n# The records that the switch moves.";
    folder.write(
        "pointsman.toml",
        spec.replacen("# The records that the switch moves.", site, 1),
    );
    let switches = cell(&folder, "home", "switches");
    assert!(
        switches.contains("to hub, or where it does not answer to third"),
        "{switches}"
    );
}

#[test]
fn cells_change_with_the_ttl_the_settings_of_the_watch_and_the_notes_of_hosts() {
    let folder = Folder::of_the_reference_deployment();
    let (before, retried) = (
        cell(&folder, "home", "lasts"),
        cell(&folder, "github", "lasts"),
    );
    assert!(
        retried.contains("a message comes every 30 min"),
        "{retried}"
    );
    assert!(cell(&folder, "home", "switches").contains("another image tag"));
    let spec = folder.read("pointsman.toml");
    folder.write("pointsman.toml", spec.replacen("ttl = 300", "ttl = 60", 1));
    let records = folder.read("terraform/records.tf");
    let shorter = records.replacen("ttl     = 300", "ttl     = 60", 2);
    folder.write("terraform/records.tf", shorter);
    assert_ne!(cell(&folder, "home", "lasts"), before);
    assert!(cell(&folder, "resolver", "lasts").contains("60 s"));
    assert!(cell(&folder, "ttl", "lasts").contains("60 s"));
    let watch = folder.read("monitors/edge-watch.yaml");
    let quiet = watch.replace("    resend_interval: 30\n", "    resend_interval: 0\n");
    folder.write("monitors/edge-watch.yaml", quiet);
    assert!(cell(&folder, "webhook-lost", "switches").contains("never repeated"));
    assert!(cell(&folder, "github", "lasts").contains("no message is repeated"));
    let blind = watch.replace(
        "    timeout: 10\n",
        "    timeout: 10\n    ignore_tls: true\n",
    );
    folder.write("monitors/edge-watch.yaml", blind);
    let certificate = cell(&folder, "certificate", "notices");
    assert!(
        certificate.starts_with("people by the edge notice; for the edge watch no certificate")
    );
    // Who notices is told, and nobody else.
    let messages = cell(&folder, "certificate", "messages");
    assert!(
        messages.starts_with("0 dispatches, ") && !messages.contains(", 0 to"),
        "{messages}"
    );
    let notice = folder.read("monitors/edge-notice.yaml");
    let deaf = notice.replace(
        "    timeout: 10\n",
        "    timeout: 10\n    ignore_tls: true\n",
    );
    folder.write("monitors/edge-notice.yaml", deaf);
    let row = |name| cell(&folder, "certificate", name);
    assert_eq!(row("notices"), "nobody: no certificate is looked at");
    assert_eq!(row("messages"), "0 dispatches, 0 to people");
    folder.write("monitors/edge-watch.yaml", watch.as_str());
    assert!(row("notices").starts_with("the edge watch; for the edge notice no certificate"));
    folder.write("monitors/edge-notice.yaml", notice.as_str());
    let strict = watch.replace("      - \"404\"\n", "");
    folder.write("monitors/edge-watch.yaml", strict);
    assert!(cell(&folder, "application", "notices").contains("by the status"));
    let waiting = watch.replace("    timeout: 10\n", "    timeout: 0\n");
    folder.write("monitors/edge-watch.yaml", waiting);
    assert_eq!(cell(&folder, "home", "lasts"), "until a person acts");
}

#[test]
fn every_single_failure_has_its_row() {
    let folder = Folder::of_the_reference_deployment();
    let rows = [
        "home",
        "standby",
        "home-link",
        "github",
        "actions-queue",
        "dispatch-token",
        "trust",
        "renamed",
        "action-gone",
        "route53",
        "us-east-1",
        "resolver",
        "kuma",
        "application",
        "certificate",
        "standby-certificate",
        "ttl",
        "webhook-lost",
        "run-evicted",
    ];
    let told = folder.run(&["chain", "--survival", "--format", "json"]);
    let told = told.json();
    let there = told["failures"].as_array().cloned().unwrap_or_default();
    let ids: Vec<&str> = there.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids, rows);
    for row in &there {
        for name in ["notices", "switches", "lasts", "messages", "person"] {
            let cell = row[name].as_str().unwrap_or_default();
            assert!(!cell.is_empty(), "{row}: {name}");
        }
    }
}

/// A copy of the reference deployment with this edit, or without this file.
fn mutated(path: &str, edit: Option<(&str, &str)>) -> Option<Folder> {
    let folder = Folder::of_the_reference_deployment();
    let Some((from, to)) = edit else {
        folder.remove(path);
        return Some(folder);
    };
    let text = folder.read(path);
    if !text.contains(from) {
        return None;
    }
    folder.write(path, text.replacen(from, to, 1));
    Some(folder)
}

const WATCH: &str = "monitors/edge-watch.yaml";

#[test]
fn another_ttl_breaks_its_link_and_moves_the_records_all_the_same() {
    let folder = Folder::of_the_reference_deployment();
    let before = cell(&folder, "home", "switches");
    let rows = |folder: &Folder| {
        let told = folder
            .run(&["chain", "--survival", "--format", "json"])
            .json();
        told["failures"].as_array().cloned().unwrap_or_default()
    };
    let good = rows(&folder);
    let records = folder.read("terraform/records.tf");
    folder.write("terraform/records.tf", records.replacen("300", "600", 1));
    assert_eq!(links(&folder, "broken"), ["records"]);
    assert_eq!(cell(&folder, "home", "switches"), before);
    // The times alone change, and the row about it says which they are.
    for (was, is) in good.iter().zip(rows(&folder)) {
        for key in ["notices", "switches", "messages", "person"] {
            assert_eq!(was[key], is[key], "{}", was["id"]);
        }
    }
    assert_ne!(cell(&folder, "home", "lasts"), good[0]["lasts"]);
    assert!(cell(&folder, "ttl", "lasts").contains("600 s for 300 s"));
    assert!(cell(&folder, "resolver", "lasts").contains("600 s"));
    assert!(
        !before.is_empty() && !before.starts_with("nothing"),
        "{before}"
    );
}

#[test]
fn a_renamed_repository_hears_the_message_and_fails_at_the_role() {
    let folder = Folder::of_the_reference_deployment();
    let spec = folder.read("pointsman.toml");
    let row = |name| cell(&folder, "renamed", name);
    assert_eq!(row("messages"), "each dispatch starts a run that fails");
    assert!(
        row("person").starts_with("the subject has the new name"),
        "{}",
        row("person")
    );
    let of_ids = "subject_format = \"immutable\"\nsubject_claims = [\"repository_id\", \"ref\"]";
    folder.write(
        "pointsman.toml",
        spec.replace("subject_format = \"immutable\"", of_ids),
    );
    folder.run(&["generate"]);
    assert_eq!(row("switches"), "undecided");
    assert!(row("person").contains("holds no name"), "{}", row("person"));
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one fault of the chain after another"
)]
fn what_breaks_the_chain_is_in_the_matrix_and_in_the_forecast() {
    let workflow = ".github/workflows/dns-failover.yml";
    let faults = [
        (
            WATCH,
            Some(("    timeout: 10\n", "    timeout: 10\n    active: false\n")),
            "heartbeat",
        ),
        (
            WATCH,
            Some((
                "    timeout: 10\n",
                "    timeout: 10\n    upside_down: true\n",
            )),
            "heartbeat",
        ),
        (WATCH, Some(("\"200-299\"", "\"2xx\"")), "heartbeat"),
        (WATCH, None, "heartbeat"),
        (
            "monitors/dispatch.yaml",
            Some(("\"ref\":\"main\"", "\"ref\":\"master\"")),
            "webhook",
        ),
        (
            "monitors/dispatch.yaml",
            Some(("httpMethod: post", "httpMethod: get")),
            "webhook",
        ),
        (
            "monitors/dispatch.yaml",
            Some((",\"Content-Type\":\"application/json\"", "")),
            "webhook",
        ),
        (
            "monitors/dispatch.yaml",
            Some(("acme/dns-failover/actions", "acme/other/actions")),
            "webhook",
        ),
        (
            workflow,
            Some(("id-token: write", "id-token: read")),
            "workflow",
        ),
        (workflow, Some(("role/dns-failover", "role/other")), "role"),
        ("policies/trust.json", None, "trust"),
        (
            "policies/trust.json",
            Some(("refs/heads/main", "refs/heads/master")),
            "trust",
        ),
        (
            "policies/change-records.json",
            Some(("Z0123456789EXAMPLE", "Z0000000000EXAMPLE")),
            "policy",
        ),
        (
            "terraform/records.tf",
            Some(("    ignore_changes = [records]\n", "")),
            "records",
        ),
    ];
    for (path, edit, link) in faults {
        let folder = mutated(path, edit).unwrap();
        let survival = folder.run(&["chain", "--survival", "--format", "json"]);
        assert_eq!(survival.status(), 1, "{path}: {edit:?}");
        let told = survival.json();
        let said = format!("the chain is broken at {link}");
        assert!(told["notes"].to_string().contains(&said), "{told}");
        let rows = told["failures"].as_array().cloned().unwrap_or_default();
        let cell = |id: &str, name: &str| {
            let row = rows.iter().find(|row| row["id"] == id);
            let cell = row.and_then(|row| row[name].as_str());
            cell.unwrap_or_default().to_owned()
        };
        for row in ["home", "home-link", "webhook-lost", "run-evicted"] {
            let switches = cell(row, "switches");
            let wanted = format!("nothing to rely on: {said} (");
            assert!(switches.starts_with(&wanted), "{path}: {row}: {switches}");
        }
        assert_eq!(cell("home", "lasts"), "until a person acts");
        assert!(cell("home", "person").starts_with(&format!("mend {link}")));
        let forecast = folder.run(&["forecast", "--outages", "100"]);
        assert_eq!(forecast.status(), 1, "{path}: {edit:?}");
        assert!(forecast.stdout().contains(&format!("note: {said}")));
    }
}

#[test]
fn without_monitors_every_link_that_they_are_is_not_given_and_none_is_broken() {
    let folder = Folder::of_the_reference_deployment();
    for name in [
        "dispatch",
        "edge-notice",
        "edge-watch",
        "failback-retry",
        "token-check",
        "transition-notice",
    ] {
        folder.remove(&format!("monitors/{name}.yaml"));
    }
    assert!(links(&folder, "broken").is_empty());
    assert_eq!(
        links(&folder, "not given"),
        ["heartbeat", "webhook", "hosts", "monitors"]
    );
    assert_eq!(folder.run(&["chain"]).status(), 0);
    assert_eq!(
        cell(&folder, "home", "messages"),
        "0 dispatches, 0 to people"
    );
}

#[test]
fn messages_follow_the_monitors_that_are_declared() {
    let off = Some(("    timeout: 10\n", "    timeout: 10\n    active: false\n"));
    let cases = [
        (
            "monitors/failback-retry.yaml",
            None,
            "5 dispatches, 7 to people",
        ),
        (
            "monitors/edge-notice.yaml",
            None,
            "11 dispatches, 2 to people",
        ),
        (
            "monitors/edge-notice.yaml",
            off,
            "11 dispatches, 2 to people",
        ),
        (
            "monitors/transition-notice.yaml",
            None,
            "11 dispatches, 5 to people",
        ),
        (
            "monitors/edge-notice.yaml",
            Some(("resend_interval: 30", "resend_interval: 0")),
            "11 dispatches, 4 to people",
        ),
        (
            WATCH,
            Some(("    timeout: 10\n", "    timeout: 0\n")),
            "0 dispatches, 5 to people",
        ),
    ];
    for (path, edit, messages) in cases {
        let folder = mutated(path, edit).unwrap();
        assert_eq!(
            cell(&folder, "home", "messages"),
            messages,
            "{path}: {edit:?}"
        );
    }
}

#[test]
fn a_watch_that_takes_server_errors_for_life_does_not_see_the_application_die() {
    let folder = mutated(WATCH, Some(("\"404\"", "\"500-599\""))).unwrap();
    let notices = cell(&folder, "application", "notices");
    assert_eq!(
        notices,
        "nobody: for the edge watch a 5xx counts as life, for the edge notice a 404 counts as life"
    );
    // Another monitor for people sees it.
    let notice = folder.read("monitors/edge-notice.yaml");
    folder.write(
        "monitors/edge-notice.yaml",
        notice.replace("      - \"404\"\n", ""),
    );
    let row = |name| cell(&folder, "application", name);
    assert!(row("notices").starts_with("people by the edge notice, by the status"));
    assert!(row("messages").starts_with("0 dispatches, ") && !row("messages").contains(", 0 to"));
    folder.write("monitors/edge-notice.yaml", notice);
    let told = folder
        .run(&["forecast", "--outages", "100", "--format", "json"])
        .json();
    assert_eq!(told["columns"][0]["detection"]["5xx"], Value::Null);
}

#[test]
fn the_token_is_checked_by_the_monitor_that_is_declared() {
    let path = "monitors/token-check.yaml";
    let noticed = |edit: (&str, &str)| {
        let folder = mutated(path, Some(edit))?;
        Some(cell(&folder, "dispatch-token", "notices"))
    };
    let daily = noticed(("interval: 3600", "interval: 86400")).unwrap();
    assert!(daily.ends_with("within 1444 min"), "{daily}");
    for edit in [
        ("    timeout: 10\n", "    timeout: 10\n    active: false\n"),
        ("\"200\"", "\"200-499\""),
        ("max_redirects: 0", "max_redirects: 10"),
    ] {
        let cell = noticed(edit).unwrap();
        assert!(
            cell.starts_with("nobody to rely on: the token check is broken ("),
            "{cell}"
        );
    }
}

#[test]
fn what_is_not_known_of_the_watch_leaves_the_cells_open_and_the_others_as_they_are() {
    for (edit, status) in [
        (("interval: 60", "interval: 0"), 1),
        (("max_retries: 3", "max_retries: 1000000000"), 1),
        (("apiVersion:", "a: ["), 4),
    ] {
        let folder = mutated(WATCH, Some(edit)).unwrap();
        assert_eq!(
            folder.run(&["chain", "--survival"]).status(),
            status,
            "{edit:?}"
        );
        assert!(cell(&folder, "home", "switches").starts_with("undecided: "));
        assert_eq!(cell(&folder, "home", "lasts"), "undecided");
        assert!(cell(&folder, "home", "messages").starts_with("undecided"));
        assert!(cell(&folder, "dispatch-token", "notices").ends_with("within 64 min"));
        assert!(cell(&folder, "standby", "lasts").starts_with("no time"));
        let forecast = folder.run(&["forecast", "--outages", "100"]);
        assert_eq!(forecast.status(), status);
        assert!(forecast.stdout().contains("undecided: see the notes"));
    }
}

#[test]
fn runs_that_are_kept_waiting_are_not_replaced() {
    let path = ".github/workflows/dns-failover.yml";
    let edit = (
        "cancel-in-progress: false",
        "cancel-in-progress: false\n  queue: max",
    );
    let folder = mutated(path, Some(edit)).unwrap();
    assert!(cell(&folder, "run-evicted", "notices").contains("`queue: max`"));
    assert!(cell(&folder, "actions-queue", "messages").contains("one behind another"));
}

#[test]
fn a_kustomization_that_changes_the_monitors_leaves_all_of_them_open() {
    let folder = Folder::of_the_reference_deployment();
    let path = "monitors/kustomization.yaml";
    folder.write(path, "resources: [edge-watch.yaml]\n");
    assert_eq!(folder.run(&["chain"]).status(), 0);
    folder.write(path, "resources: [edge-watch.yaml]\nnamePrefix: x-\n");
    let told = folder.run(&["validate"]);
    assert_eq!(told.status(), 4);
    let said = "a kustomization changes the monitors here; render it with `kubectl kustomize`";
    assert!(told.stdout().contains(said), "{}", told.stdout());
    assert_eq!(
        links(&folder, "undecided"),
        ["heartbeat", "webhook", "monitors"]
    );
    assert!(cell(&folder, "home", "switches").starts_with("undecided: "));
}
