//! Manifests of the sites' clusters: whether the standby could take every host, as rules and as a link of the chain.

use serde_json::Value;

use crate::binary::Folder;

const CERTIFICATE: &str = "apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: wildcard, namespace: istio-system}
spec:
  secretName: wildcard
  dnsNames: [example.com, '*.example.com']
  issuerRef: {name: acme, kind: ClusterIssuer}
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: acme}
spec:
  acme:
    solvers: [{dns01: {route53: {region: ap-northeast-2}}}]
";

const GATEWAY: &str = "apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: public, namespace: istio-system}
spec:
  servers:
    - port: {number: 80, name: http, protocol: HTTP}
      hosts: ['*']
    - port: {number: 443, name: https, protocol: HTTPS}
      tls: {mode: SIMPLE, credentialName: wildcard}
      hosts: [example.com, '*.example.com']
";

const HOSTS: [&str; 7] = ["", "www.", "blog.", "nextra.", "kanna.", "we.", "us."];

fn routes() -> String {
    let route = |host: &&str| {
        format!(
            "---\napiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {{name: {}site, namespace: web}}\nspec:\n  hosts: [{host}example.com]\n  gateways: [istio-system/public]\n  http: [{{route: [{{destination: {{host: web}}}}]}}]\n",
            host.replace('.', "-")
        )
    };
    HOSTS.iter().map(route).collect()
}

/// The reference deployment with the manifests of a standby that is ready.
fn ready() -> Folder {
    let folder = Folder::of_the_reference_deployment();
    folder.write("kubernetes/hub/certificate.yaml", CERTIFICATE);
    folder.write("kubernetes/hub/gateway.yaml", GATEWAY);
    folder.write("kubernetes/hub/routes.yaml", routes());
    folder
}

fn link(folder: &Folder, words: &[&str]) -> Value {
    let words = [&["chain", "--format", "json"], words].concat();
    let told = folder.run(&words).json();
    let links = told["links"].as_array().cloned().unwrap_or_default();
    let found = links.into_iter().find(|link| link["id"] == "hosts");
    found.unwrap_or(Value::Null)
}

/// `host part` of what is in this state.
fn parts(link: &Value, state: &str) -> Vec<String> {
    let rows = link["hosts"].as_array().cloned().unwrap_or_default();
    let of_row = |row: &Value| {
        let host = row["host"].as_str().unwrap_or_default().to_owned();
        let row = row.clone();
        let names = ["certificate", "gateway", "route"].into_iter();
        let of_state = names.filter(move |name| row[name]["state"] == state);
        of_state
            .map(|name| format!("{host} {name}"))
            .collect::<Vec<_>>()
    };
    rows.iter().flat_map(of_row).collect()
}

#[test]
fn a_standby_that_is_ready_is_a_good_link_with_the_place_of_every_part() {
    let folder = ready();
    let link = link(&folder, &[]);
    assert_eq!(link["state"], "good", "{link:#}");
    // Seven hosts with three parts, and the wildcard record's certificate.
    assert_eq!(parts(&link, "good").len(), 7 * 3 + 1);
    assert_eq!(
        link["hosts"][0]["gateway"]["place"],
        "kubernetes/hub/gateway.yaml:10"
    );
    assert_eq!(folder.run(&["validate"]).status(), 0);
    assert_eq!(folder.run(&["validate", "kubernetes"]).status(), 0);
}

/// File, text, what stands there instead, and the parts that break.
const MUTATIONS: [(&str, &str, &str, &[&str]); 9] = [
    (
        "certificate",
        "dnsNames: [example.com, '*.example.com']",
        "dnsNames: ['*.example.com']",
        &["example.com certificate"],
    ),
    (
        "gateway",
        "credentialName: wildcard",
        "credentialName: wild-card",
        &[
            "example.com certificate",
            "www.example.com certificate",
            "blog.example.com certificate",
            "nextra.example.com certificate",
            "kanna.example.com certificate",
            "we.example.com certificate",
            "us.example.com certificate",
        ],
    ),
    (
        "gateway",
        "hosts: [example.com, '*.example.com']",
        "hosts: ['*.example.com']",
        &["example.com gateway"],
    ),
    (
        "routes",
        "hosts: [us.example.com]",
        "hosts: [uz.example.com]",
        &["us.example.com route"],
    ),
    (
        "routes",
        "hosts: [we.example.com]\n  gateways: [istio-system/public]",
        "hosts: [we.example.com]",
        &["we.example.com route"],
    ),
    (
        "routes",
        "hosts: [we.example.com]\n  gateways: [istio-system/public]",
        "hosts: [we.example.com]\n  gateways: [public]",
        &["we.example.com route"],
    ),
    (
        "routes",
        "hosts: [we.example.com]\n  gateways: [istio-system/public]",
        "hosts: [we.example.com]\n  gateways: [mesh]",
        &["we.example.com route"],
    ),
    (
        "routes",
        "hosts: [us.example.com]\n  gateways: [istio-system/public]\n  http: [{route: [{destination: {host: web}}]}]",
        "hosts: [us.example.com]\n  gateways: [istio-system/public]\n  http: []",
        &["us.example.com route"],
    ),
    (
        "certificate",
        "dnsNames: [example.com, '*.example.com']",
        "dnsNames: [example.com, www.example.com, blog.example.com, nextra.example.com, kanna.example.com, we.example.com, us.example.com]",
        &["*.example.com certificate"],
    ),
];

#[test]
fn each_fault_of_a_manifest_breaks_the_parts_that_it_concerns_and_no_other_link() {
    for (file, from, to, broken) in MUTATIONS {
        let folder = ready();
        let path = format!("kubernetes/hub/{file}.yaml");
        let text = folder.read(&path);
        assert!(text.contains(from), "{path} has no {from}");
        folder.write(&path, text.replacen(from, to, 1));
        let told = folder.run(&["chain", "--format", "json"]).json();
        let others = told["links"].as_array().cloned().unwrap_or_default();
        let broken_links = others.iter().filter(|link| link["state"] == "broken");
        let ids: Vec<&str> = broken_links
            .filter_map(|link| link["id"].as_str())
            .collect();
        assert_eq!(ids, ["hosts"], "{to}");
        assert_eq!(parts(&link(&folder, &[]), "broken"), broken, "{to}");
        assert_eq!(folder.run(&["validate"]).status(), 1);
    }
}

#[test]
fn a_standby_cannot_renew_what_is_proved_at_the_address_in_dns() {
    let folder = ready();
    let path = "kubernetes/hub/certificate.yaml";
    let text = folder.read(path).replace(
        "dns01: {route53: {region: ap-northeast-2}}",
        "http01: {ingress: {class: istio}}",
    );
    folder.write(path, text);
    let told = folder.run(&["validate"]).stdout();
    assert!(told.contains("cannot be had over HTTP-01"), "{told}");
    assert!(
        told.contains("cannot renew it while visitors are elsewhere"),
        "{told}"
    );
    // A solver of each kind leaves the choice to cert-manager.
    let both = folder
        .read(path)
        .replace("solvers: [", "solvers: [{dns01: {}}, ");
    folder.write(path, both);
    assert_eq!(folder.run(&["validate"]).status(), 0);
}

#[test]
fn the_gateway_api_lets_in_routes_of_its_own_namespace_alone() {
    let folder = Folder::of_the_reference_deployment();
    let manifests = |from: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: public, namespace: infra}}
spec:
  listeners:
    - name: https
      port: 443
      protocol: HTTPS
      tls: {{certificateRefs: [{{name: wildcard}}]}}
{from}---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: all, namespace: web}}
spec:
  parentRefs: [{{name: public, namespace: infra, sectionName: https}}]
  rules: [{{backendRefs: [{{name: web, port: 80}}]}}]
"
        )
    };
    folder.write("clusters/hub/all.yaml", manifests(""));
    let closed = link(&folder, &["clusters"]);
    assert_eq!(closed["state"], "broken");
    assert_eq!(parts(&closed, "broken").len(), 7);
    let open = manifests("      allowedRoutes: {namespaces: {from: All}}\n");
    folder.write("clusters/hub/all.yaml", open);
    let open = link(&folder, &["clusters"]);
    assert!(parts(&open, "broken").is_empty(), "{open:#}");
    // Of certificates nothing was given, which is no fault, and not good either.
    assert_eq!(open["state"], "not given");
    assert!(open["why"].to_string().contains("no certificate was given"));
}

#[test]
fn what_was_not_read_or_not_asked_for_is_not_missing() {
    let folder = ready();
    folder.write(
        "kubernetes/hub/routes.yaml",
        "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: {{ .Release.Name }}}\nspec:\n  hosts: [{{ .Values.host }}]\n",
    );
    let output = folder.run(&["validate"]);
    assert!(
        output.stdout().contains("`helm template`"),
        "{}",
        output.stdout()
    );
    assert_eq!(output.status(), 4);
    assert_eq!(link(&folder, &[])["state"], "undecided");
    let folder = ready();
    folder.write(
        "kubernetes/hub/kustomization.yaml",
        "kind: Kustomization\nresources: [../base]\n",
    );
    assert!(
        folder
            .run(&["validate"])
            .stdout()
            .contains("`kubectl kustomize`")
    );
    // One file that is named says nothing of the others.
    let folder = ready();
    folder.write("www.yaml", routes().replacen("---\n", "", 1));
    assert_eq!(
        folder
            .run(&["validate", "kubernetes/hub/gateway.yaml"])
            .status(),
        0
    );
    assert_eq!(
        folder.run(&["validate", "kubernetes", "www.yaml"]).status(),
        0
    );
    // A name that is filled in elsewhere may be any.
    folder.write(
        "kubernetes/hub/routes.yaml",
        routes().replace("hosts: [us.example.com]", "hosts: ['${HOST}']"),
    );
    let open = link(&folder, &[]);
    assert_eq!(
        (open["state"].as_str(), parts(&open, "undecided")),
        (Some("undecided"), vec!["us.example.com route".to_owned()])
    );
}

#[test]
fn manifests_of_home_and_of_a_second_standby_are_told_apart() {
    let folder = ready();
    folder.write("kubernetes/edge/gateway.yaml", GATEWAY);
    let told = link(&folder, &[]);
    assert_eq!(told["state"], "good");
    // Home serves all eight, and the watched origin.
    let at_home = told["hosts"].as_array().cloned().unwrap_or_default();
    assert_eq!(
        at_home.iter().filter(|row| row["site"] == "edge").count(),
        8 + 1 + 1
    );
    let spec = folder.read("pointsman.toml");
    let third = "[[sites]]\nname = \"third\"\nipv4 = \"203.0.113.30\"\n\n# The records that the switch moves.";
    folder.write(
        "pointsman.toml",
        spec.replacen("# The records that the switch moves.", third, 1),
    );
    let told = link(&folder, &[]);
    assert!(
        told["why"]
            .to_string()
            .contains("of `third` no manifests were given"),
        "{told:#}"
    );
}

/// The link's parts that are broken and those that are undecided, after one edit, each once by its kind.
fn kinds(file: &str, from: &str, to: &str) -> (Vec<String>, Vec<String>) {
    let folder = ready();
    let path = format!("kubernetes/hub/{file}.yaml");
    let text = folder.read(&path);
    assert!(text.contains(from), "{path} has no {from}");
    folder.write(&path, text.replace(from, to));
    let link = link(&folder, &[]);
    let of = |state: &str| {
        let names = parts(&link, state).into_iter();
        let mut kinds: Vec<String> = names
            .filter_map(|name| Some(name.rsplit_once(' ')?.1.to_owned()))
            .collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    (of("broken"), of("undecided"))
}

/// A file, what is replaced in it and by what, the kinds of parts that are broken, and those that are undecided.
type Edit<'a> = (&'a str, &'a str, String, &'a [&'a str], &'a [&'a str]);

#[test]
fn what_only_looks_ready_is_broken_or_undecided() {
    let secure = "hosts: [example.com, '*.example.com']";
    let tls = "tls: {mode: SIMPLE, credentialName: wildcard}";
    let solver = "solvers: [{dns01: {route53: {region: ap-northeast-2}}}]";
    let of = |solvers: &str| format!("solvers: [{solvers}]");
    let dns = "dns01: {route53: {region: ap-northeast-2}}";
    let cases: [Edit<'_>; 21] = [
        // Hosts of other namespaces.
        (
            "gateway",
            secure,
            "hosts: ['web/example.com', 'web/*.example.com']".into(),
            &[],
            &[],
        ),
        (
            "gateway",
            secure,
            "hosts: ['*/example.com', '*/*.example.com']".into(),
            &[],
            &[],
        ),
        (
            "gateway",
            secure,
            "hosts: ['./example.com', './*.example.com']".into(),
            &["route"],
            &[],
        ),
        (
            "gateway",
            secure,
            "hosts: ['prod/example.com', 'prod/*.example.com']".into(),
            &["route"],
            &[],
        ),
        // Ways of TLS.
        (
            "gateway",
            tls,
            "tls: {mode: PASSTHROUGH}".into(),
            &[],
            &["certificate", "gateway"],
        ),
        (
            "gateway",
            tls,
            "tls: {mode: MUTUAL, credentialName: wildcard}".into(),
            &["gateway"],
            &[],
        ),
        (
            "gateway",
            tls,
            "tls: {mode: ISTIO_MUTUAL}".into(),
            &["gateway"],
            &[],
        ),
        (
            "gateway",
            tls,
            "tls: {mode: OPTIONAL_MUTUAL, credentialName: wildcard}".into(),
            &[],
            &[],
        ),
        (
            "gateway",
            tls,
            "tls: {mode: SIMPLE}".into(),
            &["gateway"],
            &[],
        ),
        ("gateway", tls, "name: https".into(), &["gateway"], &[]),
        (
            "gateway",
            "number: 443",
            "number: 8443".into(),
            &[],
            &["gateway"],
        ),
        // A route that leads nowhere.
        (
            "routes",
            "route: [{destination: {host: web}}]",
            "route: []".into(),
            &["route"],
            &[],
        ),
        // The issuer and its solvers.
        (
            "certificate",
            solver,
            of(&format!("{{{dns}, selector: {{dnsZones: [example.com]}}}}")),
            &[],
            &[],
        ),
        (
            "certificate",
            solver,
            of(&format!("{{{dns}, selector: {{dnsZones: [example.net]}}}}")),
            &["certificate"],
            &[],
        ),
        (
            "certificate",
            solver,
            of(&format!("{{{dns}, selector: {{dnsZones: [ample.com]}}}}")),
            &["certificate"],
            &[],
        ),
        (
            "certificate",
            solver,
            of(&format!(
                "{{{dns}, selector: {{dnsZones: [example.net]}}}}, {{http01: {{ingress: {{}}}}}}"
            )),
            &["certificate"],
            &[],
        ),
        (
            "certificate",
            solver,
            of(&format!(
                "{{{dns}, selector: {{matchLabels: {{dns: 'yes'}}}}}}"
            )),
            &[],
            &["certificate"],
        ),
        (
            "certificate",
            "kind: ClusterIssuer\nmetadata: {name: acme}",
            "kind: ClusterIssuer\nmetadata: {name: other}".into(),
            &[],
            &["certificate"],
        ),
        (
            "certificate",
            "{name: acme, kind: ClusterIssuer}",
            "{name: acme}".into(),
            &["certificate"],
            &[],
        ),
        // The secret's namespace.
        (
            "certificate",
            "namespace: istio-system",
            "namespace: web".into(),
            &[],
            &["certificate"],
        ),
        (
            "gateway",
            "namespace: istio-system",
            "namespace: infra".into(),
            &["route"],
            &[],
        ),
    ];
    for (file, from, to, broken, undecided) in cases {
        let (found, open) = kinds(file, from, &to);
        assert_eq!((found, open), (words(broken), words(undecided)), "{to}");
    }
}

fn words(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_gateway_api_reads_secrets_of_its_own_namespace() {
    let manifests = |reference: &str, tls: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: public, namespace: infra}}
spec:
  listeners:
    - name: https
      port: 443
      protocol: HTTPS
{tls}      allowedRoutes: {{namespaces: {{from: All}}}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {{name: wildcard, namespace: certificates}}
spec:
  secretName: wildcard
  dnsNames: [example.com, '*.example.com']
  issuerRef: {{name: private, kind: AWSPCAClusterIssuer, group: awspca.cert-manager.io}}
{reference}"
        )
    };
    let state = |manifest: String| {
        let folder = Folder::of_the_reference_deployment();
        folder.write("clusters/hub/all.yaml", manifest);
        let link = link(&folder, &["clusters"]);
        let of = |state| {
            let found = parts(&link, state).into_iter();
            found
                .filter(|name| name.starts_with("www."))
                .collect::<Vec<_>>()
        };
        (of("broken"), of("undecided"))
    };
    let tls = |more: &str| format!("      tls: {{certificateRefs: [{{name: wildcard{more}}}]}}\n");
    let certificate = words(&["www.example.com certificate"]);
    let gateway = words(&["www.example.com gateway"]);
    assert_eq!(
        state(manifests("", &tls(""))),
        (certificate.clone(), vec![])
    );
    let named = tls(", namespace: certificates");
    assert_eq!(state(manifests("", &named)), (vec![], certificate.clone()));
    assert_eq!(state(manifests("", "")), (gateway.clone(), vec![]));
    let passes = "      tls: {mode: Passthrough}\n";
    let both = [certificate, gateway].concat();
    assert_eq!(state(manifests("", passes)), (vec![], both));
}
