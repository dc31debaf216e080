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
            Some(items) => items.iter().filter_map(|item| one(path, item)).collect(),
            None => one(path, &document).into_iter().collect(),
        }
    }
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
    let metadata = document.get("metadata");
    let named = |key| metadata.and_then(|metadata| text(metadata, key));
    Some(Manifest {
        path: path.to_owned(),
        name: written(named("name")),
        namespace: written(named("namespace")),
        at: named("name").map_or_else(|| document.span(), Text::span),
        alone: false,
        part,
    })
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
