//! Documents to resources.

use crate::syntax::{Node, yaml};
use crate::text::Text;

use super::{Certificate, Issuer, Listener, Manifest, Names, Part, Route, Tie};

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
    let keys = ["cert-manager.io/cluster-issuer", "cert-manager.io/issuer"];
    let Some(issuer) = keys.into_iter().find_map(named) else {
        return Vec::new();
    };
    let certificate = |tls: &Node| {
        Part::Certificate(Certificate {
            names: Names::of(tls.get("hosts"), tls.span()),
            secret: text(tls, "secretName").cloned(),
            issuer: Some(issuer.clone()),
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
    let listener = |hosts: Names, secure: bool, secrets: Vec<Text>| Listener {
        name: None,
        hosts,
        secure,
        secrets,
        same_namespace: false,
    };
    let secure = items(spec, "tls").iter().map(|tls| {
        let named: Vec<&Node> = items(tls, "hosts").iter().collect();
        let hosts = if named.is_empty() {
            of_rules()
        } else {
            Names::of_ingress(&named, tls.span())
        };
        let secret = text(tls, "secretName").cloned();
        listener(hosts, true, secret.into_iter().collect())
    });
    let plain = listener(of_rules(), false, Vec::new());
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
        ("cert-manager.io", "Issuer" | "ClusterIssuer") => Part::Issuer(issuer(spec)),
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
    Certificate {
        names,
        secret: text(spec, "secretName").cloned(),
        issuer: spec
            .get("issuerRef")
            .and_then(|of| text(of, "name"))
            .cloned(),
    }
}

/// Whether an ACME issuer has no other way than HTTP-01.
fn issuer(spec: &Node) -> Issuer {
    let acme = spec.get("acme");
    let solvers = acme.map_or(&[][..], |acme| items(acme, "solvers"));
    let by_http = |solver: &Node| solver.get("http01").is_some() && solver.get("dns01").is_none();
    let only = !solvers.is_empty() && solvers.iter().all(by_http);
    let at = acme.and_then(|acme| acme.get("solvers")).map(Node::span);
    Issuer {
        only_http01: at.filter(|_| only),
    }
}

/// Istio's servers: a host without TLS is served in the clear.
fn servers(spec: &Node) -> Vec<Listener> {
    let server = |server: &Node| {
        let protocol = server.get("port").and_then(|port| text(port, "protocol"));
        let tls = server.get("tls");
        let secrets = ["credentialName", "credentialNames"]
            .iter()
            .filter_map(|key| tls?.get(key))
            .flat_map(|node| Names::of(Some(node), node.span()).texts)
            .collect();
        Listener {
            name: text(server, "name").cloned(),
            hosts: Names::of(server.get("hosts"), server.span()),
            secure: is_secure(protocol),
            secrets,
            same_namespace: false,
        }
    };
    items(spec, "servers").iter().map(server).collect()
}

fn is_secure(protocol: Option<&Text>) -> bool {
    let is = |word: &&str| protocol.is_some_and(|found| found.as_str().eq_ignore_ascii_case(word));
    ["HTTPS", "TLS"].iter().any(is)
}

/// Listeners of the Gateway API.
fn listeners(spec: &Node) -> Vec<Listener> {
    let listener = |listener: &Node| {
        let references = listener
            .get("tls")
            .map_or(&[][..], |tls| items(tls, "certificateRefs"));
        let from = listener
            .get("allowedRoutes")
            .and_then(|allowed| allowed.get("namespaces"))
            .and_then(|namespaces| text(namespaces, "from"));
        Listener {
            name: text(listener, "name").cloned(),
            hosts: Names::or_every(listener.get("hostname"), listener.span()),
            secure: is_secure(text(listener, "protocol")),
            secrets: references
                .iter()
                .filter_map(|reference| text(reference, "name").cloned())
                .collect(),
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
        ["route", "redirect", "directResponse", "delegate"]
            .iter()
            .any(|key| rule.get(key).is_some())
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
