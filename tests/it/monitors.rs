//! Monitors as a program sees them: Kuma's own form beside the entities, bodies that are rendered, and what is not known.

use serde_json::Value;

use crate::binary::Folder;

const MONITORS: [&str; 6] = [
    "dispatch",
    "edge-notice",
    "edge-watch",
    "failback-retry",
    "token-check",
    "transition-notice",
];

/// The reference deployment with its monitors in Kuma's own form.
fn in_kumas_form() -> Folder {
    let folder = Folder::of_the_reference_deployment();
    let printed = folder.run(&["generate", "--kuma"]).stdout();
    for name in MONITORS {
        folder.remove(&format!("monitors/{name}.yaml"));
    }
    folder.write("monitors/kuma.json", printed);
    folder
}

fn list(told: &Value, name: &str) -> Vec<Value> {
    told[name].as_array().cloned().unwrap_or_default()
}

/// Rules of findings, what is undecided and the files that are unread.
fn told(folder: &Folder) -> (Vec<String>, usize, Vec<String>) {
    let report = folder.run(&["validate", "--format", "json"]).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rules = list(&report, "findings");
    let unread = list(&report, "unread");
    (
        rules.iter().map(|one| text(&one["rule"])).collect(),
        list(&report, "undecided").len(),
        unread.iter().map(|one| text(&one["path"])).collect(),
    )
}

#[test]
fn the_monitors_in_kumas_own_form_are_judged_as_the_entities_are() {
    let (entities, kuma) = (Folder::of_the_reference_deployment(), in_kumas_form());
    let of = |folder: &Folder| {
        let validated = folder.run(&["validate"]).stdout();
        let last = validated.lines().last().unwrap_or_default().to_owned();
        let (_, counts) = last.split_once("checked").unwrap_or_default();
        let chain = folder.run(&["chain", "--format", "json"]).json();
        let links: Vec<(Value, Value)> = list(&chain, "links")
            .iter()
            .map(|link| (link["id"].clone(), link["state"].clone()))
            .collect();
        let matrix = folder.run(&["chain", "--survival", "--format", "json"]);
        let forecast = folder.run(&["forecast", "--format", "json"]);
        (counts.to_owned(), links, matrix.json(), forecast.json())
    };
    assert_eq!(of(&entities), of(&kuma));
    assert_eq!(kuma.run(&["chain"]).status(), 0);
    // What differs is told there, too, and breaks the same link.
    let good = kuma.read("monitors/kuma.json");
    for (from, to, rule, link) in [
        (
            "https://origin.example.com/",
            "https://www.example.com/",
            "watch-host-switched",
            "heartbeat",
        ),
        (
            "\"timeout\": 10",
            "\"timeout\": 0",
            "monitor-timeout-unsafe",
            "heartbeat",
        ),
        (
            "dns-failover.yml/dispatches",
            "other.yml/dispatches",
            "dispatch-differs-from-spec",
            "webhook",
        ),
        (
            "\\\\\\\"main\\\\\\\"",
            "\\\\\\\"old\\\\\\\"",
            "dispatch-differs-from-spec",
            "webhook",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        kuma.write("monitors/kuma.json", good.replacen(from, to, 1));
        let (rules, ..) = told(&kuma);
        assert!(rules.contains(&rule.to_owned()), "{from}: {rules:?}");
        let chain = kuma.run(&["chain", "--format", "json"]).json();
        let of_link = list(&chain, "links")
            .into_iter()
            .find(|it| it["id"] == link);
        assert_eq!(of_link.unwrap_or_default()["state"], "broken", "{from}");
    }
}

#[test]
fn a_body_that_is_a_template_is_judged_as_it_is_sent() {
    let folder = in_kumas_form();
    let good = folder.read("monitors/kuma.json");
    // Each body, the findings, and the number of open questions.
    let bodies = [
        ("{{ \"main\" }}", None, 0),
        ("{{ \"MAIN\" | downcase }}", None, 0),
        ("{% if true %}main{% endif %}", None, 0),
        ("main{% comment %}\"{% endcomment %}", None, 0),
        ("{{ \"old\" }}", Some("dispatch-differs-from-spec"), 0),
        ("{{ branch }}", Some("dispatch-body-invalid"), 0),
        (
            "main\"{% if true %},{% endif %}\"",
            Some("dispatch-body-invalid"),
            0,
        ),
        ("{% if true %}main", Some("dispatch-body-invalid"), 0),
        ("{% nonsense %}main", Some("dispatch-body-invalid"), 0),
        ("{% if status == \"x\" %}main{% endif %}", None, 1),
        ("{{ status }}", None, 1),
    ];
    for (body, rule, open) in bodies {
        let escaped = body.replace('"', "\\\\\\\"");
        let text = good.replacen(
            "\\\\\\\"main\\\\\\\"",
            &format!("\\\\\\\"{escaped}\\\\\\\""),
            1,
        );
        assert_ne!(text, good);
        // In the file it is JSON in JSON in JSON.
        folder.write("monitors/kuma.json", text);
        let (rules, undecided, unread) = told(&folder);
        assert_eq!(
            rules,
            rule.map(str::to_owned).into_iter().collect::<Vec<_>>(),
            "{body}"
        );
        assert_eq!((undecided, unread.len()), (open, 0), "{body}");
    }
}

#[test]
fn numbers_that_are_filled_in_later_are_undecided() {
    for number in [
        "\"${TIMEOUT}\"",
        "\"{{ get_env(name='AUTOKUMA__ENV__T') }}\"",
    ] {
        let folder = Folder::of_the_reference_deployment();
        let text = folder.read("monitors/edge-notice.yaml");
        let changed = text.replacen("timeout: 10", &format!("timeout: {number}"), 1);
        folder.write("monitors/edge-notice.yaml", changed);
        let (_, undecided, _) = told(&folder);
        assert!(undecided > 0, "{number}");
        assert_ne!(folder.run(&["validate"]).status(), 0);
    }
}

#[test]
fn an_entity_of_a_kind_that_nearly_is_one_is_unread_and_other_resources_are_not_ours() {
    let folder = Folder::empty();
    folder.write("a/entity.yaml", "kind: KumaEntiy\nmetadata: {name: x}\n");
    folder.write(
        "a/group.yaml",
        "apiVersion: autokuma.bigboot.dev/v1\nmetadata: {name: x}\n",
    );
    folder.write(
        "a/service.yaml",
        "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n",
    );
    folder.write("a/map.yaml", "kind: ConfigMap\ndata: {a: b}\n");
    let (rules, _, unread) = told(&folder);
    assert!(rules.is_empty());
    assert_eq!(unread, ["a/entity.yaml", "a/group.yaml"]);
}

#[test]
fn what_follows_from_observations_is_said_and_is_no_finding() {
    let folder = Folder::empty();
    folder.write("a/failover.json", "{\"fall\": 2, \"rise\": 2}");
    folder.write(
        "a/observations.json",
        "[\"fail\", \"ok\", \"fail\", \"fail\", \"ok\", \"ok\"]",
    );
    folder.write(
        "b/failover.json",
        "{\"edge\": \"198.51.100.10\", \"hub\": \"203.0.113.20\", \"current\": \"203.0.113.20\"}",
    );
    folder.write("b/probes.json", "{\"edge\": \"fail\", \"hub\": \"fail\"}");
    folder.write(
        "c/runs.json",
        "[\"2026-09-01T13:06Z\", \"2026-09-01T17:36Z\"]",
    );
    let report = folder.run(&["validate", "--format", "json"]).json();
    let decisions: Vec<String> = list(&report, "decisions")
        .iter()
        .map(|one| one["decision"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        decisions,
        [
            "gaps 270 min",
            "down at 4, up at 6",
            "no change, exit with an alarm"
        ]
    );
    assert!(list(&report, "findings").is_empty());
}

#[test]
fn an_expired_certificate_of_the_first_standby_leaves_the_second() {
    let folder = Folder::of_the_reference_deployment();
    let cell = |name: &str| {
        let matrix = folder
            .run(&["chain", "--survival", "--format", "json"])
            .json();
        let rows = list(&matrix, "failures");
        let row = rows
            .into_iter()
            .find(|row| row["id"] == "standby-certificate");
        row.unwrap_or_default()[name]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(cell("switches").starts_with("nothing: a run refuses to move to hub"));
    let spec = folder.read("pointsman.toml");
    let third = "[[sites]]\nname = \"third\"\nipv4 = \"203.0.113.30\"\n\n# The records that the switch moves.";
    folder.write(
        "pointsman.toml",
        spec.replacen("# The records that the switch moves.", third, 1),
    );
    assert_eq!(folder.run(&["generate", "--force"]).status(), 0);
    assert!(
        cell("switches").starts_with("when edge dies, all records to third"),
        "{}",
        cell("switches")
    );
    assert!(cell("lasts").contains(" min"), "{}", cell("lasts"));
}

#[test]
fn an_ingress_is_gateway_and_route_of_its_hosts() {
    let folder = Folder::of_the_reference_deployment();
    let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: web\n  namespace: web\n  annotations: {cert-manager.io/cluster-issuer: acme}\nspec:\n  tls:\n    - hosts: [example.com, '*.example.com']\n      secretName: wildcard\n  rules:\n    - host: example.com\n      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}\n    - host: '*.example.com'\n      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}\n";
    let hosts = |text: &str| {
        folder.write("kubernetes/hub/ingress.yaml", text);
        let chain = folder.run(&["chain", "--format", "json"]).json();
        let link = list(&chain, "links")
            .into_iter()
            .find(|it| it["id"] == "hosts");
        link.unwrap_or_default()
    };
    let unknown = hosts(ingress);
    assert_eq!(unknown["state"], "undecided");
    assert!(
        unknown["why"]
            .to_string()
            .contains("its cluster issuer `acme` is not among")
    );
    folder.write(
        "kubernetes/hub/issuer.yaml",
        "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: acme}\nspec: {acme: {solvers: [{dns01: {route53: {}}}]}}\n",
    );
    assert_eq!(hosts(ingress)["state"], "good");
    let apex = ingress.replacen("[example.com, '*.example.com']", "['*.example.com']", 1);
    let told = hosts(&apex);
    assert_eq!(told["state"], "broken");
    assert!(
        told["why"]
            .to_string()
            .contains("a gateway takes it without TLS alone"),
        "{told:#}"
    );
    assert_eq!(
        hosts(&ingress.replacen("host: example.com", "host: other.example.com", 1))["state"],
        "broken"
    );
}

#[test]
fn an_artefact_without_its_folder_breaks_no_link_and_one_that_its_folder_has_not_breaks_its_own() {
    for (path, open, status) in [
        ("policies", None, 0),
        (".github", Some(("workflow", "not given")), 0),
        (
            ".github/workflows/dns-failover.yml",
            Some(("workflow", "broken")),
            1,
        ),
    ] {
        let folder = Folder::of_the_reference_deployment();
        folder.remove(path);
        let chain = folder.run(&["chain", "--format", "json"]);
        assert_eq!(chain.status(), status);
        let told = chain.json();
        let state = |id: &str| {
            let link = list(&told, "links").into_iter().find(|it| it["id"] == id);
            link.unwrap_or_default()["state"].clone()
        };
        if let Some((id, wanted)) = open {
            assert_eq!(state(id), wanted);
        }
        // To `validate` it is missing.
        assert_eq!(folder.run(&["validate"]).status(), 1);
    }
}

#[test]
fn names_of_owners_and_repositories_know_no_case() {
    let folder = Folder::of_the_reference_deployment();
    for path in ["monitors/dispatch.yaml", "monitors/token-check.yaml"] {
        let text = folder.read(path);
        folder.write(
            path,
            text.replace("repos/acme/dns-failover", "repos/ACME/DNS-Failover"),
        );
    }
    assert_eq!(folder.run(&["validate"]).status(), 0);
    assert_eq!(folder.run(&["chain"]).status(), 0);
    // The name of a file knows it.
    let text = folder.read("monitors/dispatch.yaml");
    folder.write(
        "monitors/dispatch.yaml",
        text.replace("workflows/dns-failover.yml", "workflows/DNS-failover.yml"),
    );
    let (rules, ..) = told(&folder);
    assert_eq!(rules, ["dispatch-differs-from-spec"]);
}
