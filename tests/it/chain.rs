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
            "monitors",
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
    assert_eq!(cell(&folder, "home", "switches"), "nothing");
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
    assert!(cell(&folder, "certificate", "notices").starts_with("nobody"));
    let strict = watch.replace("      - \"404\"\n", "");
    folder.write("monitors/edge-watch.yaml", strict);
    assert!(cell(&folder, "application", "notices").contains("by its status"));
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
