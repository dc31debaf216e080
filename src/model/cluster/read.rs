//! Documents to resources.

use crate::syntax::{Node, yaml};
use crate::text::Text;

use super::{
    Certificate, Issuer, IssuerKind, Listener, Manifest, Names, Part, Route, Secret, Solver, Tie,
    Tls,
};

impl Manifest {
    /// The resources that a document declares, several where it is a list of them.
    #[must_use]
    pub fn read(path: &str, document: Node) -> Vec<Self> {
        let document = yaml::merged(document);
        let items = document.get("items").and_then(Node::as_list);
        let is_list = text(&document, "kind").is_some_and(|kind| kind.as_str().ends_with("List"));
        match items.filter(|_| is_list) {
            Some(items) => items.iter().flat_map(|item| each(path, item)).collect(),
            None => each(path, &document),
        }
    }
}

/// A resource; an `Ingress` takes connections and sends requests on.
fn each(path: &str, document: &Node) -> Vec<Manifest> {
    if !is_ingress(document) {
        return one(path, document).into_iter().collect();
    }
    let Some(spec) = document.get("spec") else {
        return Vec::new();
    };
    let parts = ingress(document, spec).into_iter();
    parts
        .chain(of_annotation(document, spec))
        .map(|part| manifest(path, document, part))
        .collect()
}

/// cert-manager makes a certificate for each entry of `tls` where an annotation names who issues it.
fn of_annotation(document: &Node, spec: &Node) -> Vec<Part> {
    let annotations = document
        .get("metadata")
        .and_then(|it| it.get("annotations"));
    let named = |key| annotations.and_then(|annotations| text(annotations, key));
    let keys = [
        ("cert-manager.io/cluster-issuer", IssuerKind::Cluster),
        ("cert-manager.io/issuer", IssuerKind::Issuer),
    ];
    let mut named = keys
        .into_iter()
        .filter_map(|(key, kind)| Some((named(key)?, kind)));
    let Some((issuer, kind)) = named.next() else {
        return Vec::new();
    };
    let certificate = |tls: &Node| {
        Part::Certificate(Certificate {
            names: Names::of(tls.get("hosts"), tls.span()),
            secret: text(tls, "secretName").cloned(),
            issuer: Some(issuer.clone()),
            kind,
        })
    };
    items(spec, "tls").iter().map(certificate).collect()
}

/// Also that of the older groups, which wrote the same.
fn is_ingress(document: &Node) -> bool {
    let group = text(document, "apiVersion").and_then(|it| it.as_str().split_once('/'));
    let groups = ["networking.k8s.io", "extensions"];
    let is_kind = text(document, "kind").is_some_and(|kind| kind.as_str() == "Ingress");
    is_kind && group.is_some_and(|(group, _)| groups.contains(&group))
}

/// A host of `tls` is taken over HTTPS, every host of `rules` without it. A rule without a host, and a default backend, are
/// for every host.
fn ingress(document: &Node, spec: &Node) -> [Part; 2] {
    let rules = items(spec, "rules");
    let hosts: Vec<&Node> = rules.iter().filter_map(|rule| rule.get("host")).collect();
    let falls_back = spec.get("defaultBackend").is_some() || spec.get("backend").is_some();
    let of_rules = || {
        let mut names = Names::of_ingress(&hosts, spec.span());
        names.every = falls_back || hosts.len() < rules.len();
        names
    };
    let listener = |hosts: Names, tls: Tls, secrets: Vec<Secret>| Listener {
        name: None,
        hosts,
        tls,
        other_port: None,
        secrets,
        by_namespace: false,
        same_namespace: false,
    };
    let secure = items(spec, "tls").iter().map(|tls| {
        let named: Vec<&Node> = items(tls, "hosts").iter().collect();
        let hosts = if named.is_empty() {
            of_rules()
        } else {
            Names::of_ingress(&named, tls.span())
        };
        let secret = text(tls, "secretName").map(|name| Secret {
            name: name.clone(),
            namespace: None,
            of_pods: false,
        });
        listener(hosts, Tls::Shown, secret.into_iter().collect())
    });
    let plain = listener(of_rules(), Tls::Plain, Vec::new());
    let listeners = secure.chain([plain]).collect();
    let sends = |rule: &Node| {
        let http = rule.get("http");
        http.is_some_and(|http| !items(http, "paths").is_empty())
    };
    let name = document.get("metadata").and_then(|it| text(it, "name"));
    let own = name.map(|name| Tie {
        namespace: String::new(),
        name: name.clone(),
        listener: None,
    });
    let route = Route {
        hosts: of_rules(),
        gateways: own.into_iter().collect(),
        sends: falls_back || rules.iter().any(sends),
    };
    [Part::Gateway(listeners), Part::Route(route)]
}

fn one(path: &str, document: &Node) -> Option<Manifest> {
    let (group, _) = text(document, "apiVersion")?.as_str().split_once('/')?;
    let kind = text(document, "kind")?.as_str();
    let spec = document.get("spec")?;
    let part = match (group, kind) {
        ("cert-manager.io", "Certificate") => Part::Certificate(certificate(spec)),
        ("cert-manager.io", "Issuer") => Part::Issuer(issuer(spec, IssuerKind::Issuer)),
        ("cert-manager.io", "ClusterIssuer") => Part::Issuer(issuer(spec, IssuerKind::Cluster)),
        ("networking.istio.io", "Gateway") => Part::Gateway(servers(spec)),
        ("networking.istio.io", "VirtualService") => Part::Route(virtual_service(spec)),
        ("gateway.networking.k8s.io", "Gateway") => Part::Gateway(listeners(spec)),
        ("gateway.networking.k8s.io", "HTTPRoute") => Part::Route(http_route(spec)),
        _ => return None,
    };
    Some(manifest(path, document, part))
}

fn manifest(path: &str, document: &Node, part: Part) -> Manifest {
    let metadata = document.get("metadata");
    let named = |key| metadata.and_then(|metadata| text(metadata, key));
    Manifest {
        path: path.to_owned(),
        name: written(named("name")),
        namespace: written(named("namespace")),
        at: named("name").map_or_else(|| document.span(), Text::span),
        alone: false,
        part,
    }
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a Text> {
    node.get(key)?.as_text()
}

fn written(text: Option<&Text>) -> String {
    text.map(|text| text.as_str().to_owned())
        .unwrap_or_default()
}

fn items<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    node.get(key).and_then(Node::as_list).unwrap_or(&[])
}

fn certificate(spec: &Node) -> Certificate {
    let mut names = Names::of(spec.get("dnsNames"), spec.span());
    names.texts.extend(text(spec, "commonName").cloned());
    let reference = spec.get("issuerRef");
    let part = |key: &str| reference.and_then(|of| text(of, key));
    let group = part("group").is_none_or(|group| group.as_str() == "cert-manager.io");
    let kind = match part("kind").map(Text::as_str) {
        None | Some("Issuer") if group => IssuerKind::Issuer,
        Some("ClusterIssuer") if group => IssuerKind::Cluster,
        _ => IssuerKind::Other,
    };
    Certificate {
        names,
        secret: text(spec, "secretName").cloned(),
        issuer: part("name").cloned(),
        kind,
    }
}

fn issuer(spec: &Node, kind: IssuerKind) -> Issuer {
    let acme = spec.get("acme");
    let words = |node: Option<&Node>, key: &str| -> Vec<String> {
        let items = node.map_or(&[][..], |node| items(node, key));
        let texts = items.iter().filter_map(Node::as_str);
        texts
            .map(|text| text.trim_end_matches('.').to_ascii_lowercase())
            .collect()
    };
    let solver = |solver: &Node| {
        let selector = solver.get("selector");
        Solver {
            at: solver.span(),
            by_http: solver.get("http01").is_some() && solver.get("dns01").is_none(),
            names: words(selector, "dnsNames"),
            zones: words(selector, "dnsZones"),
            by_labels: selector.is_some_and(|it| it.get("matchLabels").is_some()),
        }
    };
    let solvers = acme.map_or(&[][..], |acme| items(acme, "solvers"));
    Issuer {
        kind,
        solvers: solvers.iter().map(solver).collect(),
    }
}

/// Istio's servers: a host without TLS is served in the clear.
fn servers(spec: &Node) -> Vec<Listener> {
    let server = |server: &Node| {
        let port = server.get("port");
        let protocol = port.and_then(|port| text(port, "protocol"));
        let tls = server.get("tls");
        let named = ["credentialName", "credentialNames"]
            .iter()
            .filter_map(|key| tls?.get(key))
            .flat_map(|node| Names::of(Some(node), node.span()).texts);
        let secrets: Vec<Secret> = named
            .map(|name| Secret {
                name,
                namespace: None,
                of_pods: true,
            })
            .collect();
        Listener {
            name: text(server, "name").cloned(),
            hosts: Names::of(server.get("hosts"), server.span()),
            tls: if is_secure(protocol) {
                of_istio(tls, !secrets.is_empty())
            } else {
                Tls::Plain
            },
            other_port: port.and_then(|port| other_port(port.get("number")?)),
            secrets,
            by_namespace: true,
            same_namespace: false,
        }
    };
    items(spec, "servers").iter().map(server).collect()
}

/// How a server of Istio speaks TLS (`ServerTLSSettings`); one of HTTPS without `tls` Istio refuses.
fn of_istio(tls: Option<&Node>, has_secret: bool) -> Tls {
    let Some(tls) = tls else {
        return Tls::Refused("its server speaks HTTPS and has no `tls`, which Istio refuses");
    };
    let from_files = ["serverCertificate", "tlsCertificates"]
        .iter()
        .any(|key| tls.get(key).is_some());
    match text(tls, "mode").map(Text::as_str) {
        Some("PASSTHROUGH" | "AUTO_PASSTHROUGH") => Tls::Through,
        Some("MUTUAL") => {
            Tls::Refused("its gateway asks visitors for a certificate of their own (`MUTUAL`)")
        }
        Some("ISTIO_MUTUAL") => {
            Tls::Refused("its gateway takes other parts of the mesh alone (`ISTIO_MUTUAL`)")
        }
        _ if !has_secret && !from_files => Tls::Refused(
            "its server names no certificate, neither `credentialName` nor `serverCertificate`",
        ),
        _ => Tls::Shown,
    }
}

fn is_secure(protocol: Option<&Text>) -> bool {
    let is = |word: &&str| protocol.is_some_and(|found| found.as_str().eq_ignore_ascii_case(word));
    ["HTTPS", "TLS"].iter().any(is)
}

/// A port that is not that of HTTPS.
fn other_port(number: &Node) -> Option<Text> {
    yaml::as_written(number).filter(|port| port.as_str() != "443")
}

/// Listeners of the Gateway API.
fn listeners(spec: &Node) -> Vec<Listener> {
    let listener = |listener: &Node| {
        let tls = listener.get("tls");
        let references = tls.map_or(&[][..], |tls| items(tls, "certificateRefs"));
        let passes = tls
            .and_then(|tls| text(tls, "mode"))
            .is_some_and(|mode| mode.as_str() == "Passthrough");
        let from = listener
            .get("allowedRoutes")
            .and_then(|allowed| allowed.get("namespaces"))
            .and_then(|namespaces| text(namespaces, "from"));
        let secret = |reference: &Node| {
            Some(Secret {
                name: text(reference, "name")?.clone(),
                namespace: text(reference, "namespace").map(|it| it.as_str().to_owned()),
                of_pods: false,
            })
        };
        Listener {
            name: text(listener, "name").cloned(),
            hosts: Names::or_every(listener.get("hostname"), listener.span()),
            tls: match (is_secure(text(listener, "protocol")), tls) {
                (false, _) => Tls::Plain,
                (true, None) => {
                    Tls::Refused("its listener speaks HTTPS and has no `tls`, which is refused")
                }
                (true, Some(_)) if passes => Tls::Through,
                (true, Some(_)) => Tls::Shown,
            },
            other_port: listener.get("port").and_then(other_port),
            secrets: references.iter().filter_map(secret).collect(),
            by_namespace: false,
            same_namespace: from.is_none_or(|from| from.as_str() == "Same"),
        }
    };
    items(spec, "listeners").iter().map(listener).collect()
}

fn virtual_service(spec: &Node) -> Route {
    let tie = |node: &Node| {
        let name = node.as_text()?;
        if name.as_str() == "mesh" {
            return None;
        }
        let (namespace, short) = name.as_str().split_once('/').unwrap_or(("", name.as_str()));
        let start = name.as_str().len() - short.len();
        Some(Tie {
            namespace: namespace.to_owned(),
            name: Text::verbatim(short, name.span_of(start..name.as_str().len())),
            listener: None,
        })
    };
    let answers = |rule: &Node| {
        let others = ["redirect", "directResponse", "delegate"];
        !items(rule, "route").is_empty() || others.iter().any(|key| rule.get(key).is_some())
    };
    let mut rules = ["http", "tls", "tcp"]
        .into_iter()
        .flat_map(|key| items(spec, key));
    Route {
        hosts: Names::of(spec.get("hosts"), spec.span()),
        gateways: items(spec, "gateways").iter().filter_map(tie).collect(),
        sends: rules.any(answers),
    }
}

fn http_route(spec: &Node) -> Route {
    let tie = |parent: &Node| {
        Some(Tie {
            namespace: written(text(parent, "namespace")),
            name: text(parent, "name")?.clone(),
            listener: text(parent, "sectionName").map(|name| name.as_str().to_owned()),
        })
    };
    let answers = |rule: &Node| {
        let redirects = |filter: &Node| filter.get("requestRedirect").is_some();
        !items(rule, "backendRefs").is_empty() || items(rule, "filters").iter().any(redirects)
    };
    Route {
        hosts: Names::or_every(spec.get("hostnames"), spec.span()),
        gateways: items(spec, "parentRefs").iter().filter_map(tie).collect(),
        sends: items(spec, "rules").iter().any(answers),
    }
}
