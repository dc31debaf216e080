//! The manifests of one site, and what they do for a host.

use crate::model::cluster::{
    Certificate, Issuer, IssuerKind, Listener, Manifest, Part, Route, Secret, Solver, Tie, Tls,
};
use crate::model::dns::RecordName;
use crate::model::spec::{Site, Spec};
use crate::rules::Workspace;
use crate::text::{Span, Text};

use super::readiness::{Fault, Standing};

/// The manifests of one site, by what they are.
pub(super) struct Cluster<'a> {
    is_home: bool,
    /// Whether its files are all that there is: neither named by themselves nor unread.
    complete: Complete,
    site: &'a str,
    certificates: Vec<(&'a Manifest, &'a Certificate)>,
    issuers: Vec<(&'a Manifest, &'a Issuer)>,
    gateways: Vec<(&'a Manifest, &'a [Listener])>,
    routes: Vec<(&'a Manifest, &'a Route)>,
}

/// Whether what is not among the manifests of a site is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Complete {
    Yes,
    /// A file was named by itself, and the others were not asked for.
    NotAsked,
    /// A file could not be read.
    Unread,
}

const BY_LABELS: &str = "which solver of its issuer proves it depends on labels of the certificate";

/// A listener that takes a host over HTTPS, with its gateway.
pub(super) type Taken<'a> = (&'a Manifest, &'a Listener);

/// A certificate that is good for a host, and the name in it that is.
type Fitting<'a> = (&'a Manifest, &'a Certificate, &'a Text);

impl<'a> Cluster<'a> {
    pub(super) fn of(spec: &'a Spec, site: &'a Site, workspace: &'a Workspace) -> Self {
        let mut cluster = Self {
            is_home: spec.home().is_some_and(|home| home.name == site.name),
            complete: Complete::Yes,
            site: &site.name,
            certificates: Vec::new(),
            issuers: Vec::new(),
            gateways: Vec::new(),
            routes: Vec::new(),
        };
        let is_there = |manifest: &&Manifest| {
            spec.site_of_manifest(&manifest.path)
                .is_some_and(|found| found.name == site.name)
        };
        if unread_of(spec, site, workspace) {
            cluster.complete = Complete::Unread;
        }
        for manifest in workspace.manifests.iter().filter(is_there) {
            if manifest.alone {
                cluster.complete = Complete::NotAsked;
            }
            match &manifest.part {
                Part::Certificate(certificate) => {
                    cluster.certificates.push((manifest, certificate));
                }
                Part::Issuer(issuer) => cluster.issuers.push((manifest, issuer)),
                Part::Gateway(listeners) => cluster.gateways.push((manifest, listeners)),
                Part::Route(route) => cluster.routes.push((manifest, route)),
            }
        }
        cluster
    }

    pub(super) fn is_empty(&self) -> bool {
        self.certificates.is_empty() && self.gateways.is_empty() && self.routes.is_empty()
    }

    /// What is not found: missing, unless it may be in what is filled in elsewhere, was not read or not asked for.
    fn absent(&self, open: Option<Span>, at: Span, why: impl Into<String>) -> Standing {
        let undecided = |at, why: &str| {
            let why = why.to_owned();
            Standing::Undecided(Fault { at, why })
        };
        match (self.complete, open) {
            (Complete::NotAsked, _) => Standing::NotGiven,
            (_, Some(at)) => undecided(
                at,
                "a name is filled in elsewhere; render the manifests, and check what comes out",
            ),
            (Complete::Unread, None) => undecided(at, "a manifest beside this could not be read"),
            (Complete::Yes, None) => Standing::broken(at, why),
        }
    }

    /// Whether a gateway takes the host over HTTPS, and which listeners do.
    pub(super) fn gateway(&self, host: &RecordName) -> (Standing, Vec<Taken<'a>>) {
        let all = || {
            let gateways = self.gateways.iter().copied();
            gateways
                .flat_map(|(manifest, listeners)| listeners.iter().map(move |one| (manifest, one)))
        };
        let taking: Vec<Taken<'a>> = all().filter(|(_, one)| one.hosts.serve(host)).collect();
        let secure: Vec<Taken<'a>> = taking
            .iter()
            .copied()
            .filter(|(_, one)| matches!(one.tls, Tls::Shown | Tls::Through))
            .collect();
        let Some((first, _)) = self.gateways.first() else {
            return (Standing::NotGiven, Vec::new());
        };
        let standing = taken(&taking).unwrap_or_else(|| {
            let open = all()
                .find(|(_, one)| one.hosts.open)
                .map(|(_, one)| one.hosts.at);
            let at = all()
                .find(|(_, one)| one.tls != Tls::Plain)
                .map_or(first.at, |(_, one)| one.hosts.at);
            self.absent(open, at, "no gateway takes it")
        });
        (standing, secure)
    }

    /// Whether a certificate is good for the host, is the one that the listeners show, and can be renewed there.
    pub(super) fn certificate(&self, host: &RecordName, listeners: &[Taken<'a>]) -> Standing {
        let Some((_, first)) = self.certificates.first() else {
            return Standing::NotGiven;
        };
        let good: Vec<Fitting<'_>> = self
            .certificates
            .iter()
            .filter_map(|(manifest, one)| Some((*manifest, *one, one.names.certifies(host)?)))
            .collect();
        let Some(&(_, _, name)) = good.first() else {
            let open = self.certificates.iter().find(|(_, one)| one.names.open);
            let open = open.map(|(_, one)| one.names.at);
            return self.absent(
                open,
                first.names.at,
                "no certificate has it among its names",
            );
        };
        if let Some((_, through)) = passing(listeners) {
            return Standing::undecided(
                through.hosts.at,
                "its gateway hands TLS on, so that what stands behind shows the certificate",
            );
        }
        if let Some(fault) = self.unshown(&good, listeners) {
            return fault;
        }
        let mut renewed = good
            .iter()
            .map(|(manifest, one, _)| self.stuck(manifest, one, name.as_str()));
        let Some(first) = renewed.next() else {
            return Standing::Good(name.span());
        };
        match first {
            Some(stuck) if !renewed.any(|other| other.is_none()) => stuck,
            _ => Standing::Good(name.span()),
        }
    }

    /// Why a gateway shows none of the good certificates; `None`: each shows one, or names none.
    fn unshown(&self, good: &[Fitting<'_>], listeners: &[Taken<'a>]) -> Option<Standing> {
        let shown = listeners.iter().filter(|(_, one)| !one.secrets.is_empty());
        for (gateway, listener) in shown {
            let kept = listener.secrets.iter().flat_map(|secret| {
                let keeping = keeping(good, secret).into_iter();
                keeping.map(move |certificate| read(gateway, secret, certificate))
            });
            let mut faults: Vec<Option<Standing>> = kept.collect();
            if faults.iter().any(Option::is_none) {
                continue;
            }
            if let Some(fault) = faults.pop().flatten() {
                return Some(fault);
            }
            let secret = listener.secrets.first()?;
            let why = format!(
                "the gateway shows the secret `{}`, in which no certificate for it is kept",
                secret.name.as_str()
            );
            return Some(self.absent(None, secret.name.span(), why));
        }
        None
    }

    /// HTTP-01 asks the address that DNS names, which is another site until the switch; and it proves no wildcard.
    fn stuck(
        &self,
        manifest: &Manifest,
        certificate: &Certificate,
        name: &str,
    ) -> Option<Standing> {
        let wanted = certificate.issuer.as_ref()?;
        if certificate.kind == IssuerKind::Other {
            return None;
        }
        let near = |found: &Manifest| {
            certificate.kind == IssuerKind::Cluster
                || found.namespace.is_empty()
                || manifest.namespace.is_empty()
                || found.namespace == manifest.namespace
        };
        let called = || {
            let all = self.issuers.iter();
            all.filter(|(found, _)| found.name == wanted.as_str())
        };
        let own = called().find(|(found, one)| one.kind == certificate.kind && near(found));
        let Some((_, issuer)) = own else {
            let what = wanted.as_str();
            let why = match (called().next(), certificate.kind) {
                (None, IssuerKind::Issuer | IssuerKind::Other) => {
                    format!("its issuer `{what}` is not among the manifests")
                }
                (None, IssuerKind::Cluster) => {
                    format!("its cluster issuer `{what}` is not among the manifests")
                }
                (Some((other, _)), kind) => {
                    let why = if kind == IssuerKind::Cluster {
                        format!(
                            "its issuer is the `ClusterIssuer` `{what}`, and `{what}` is an `Issuer` in `{}`",
                            other.namespace
                        )
                    } else {
                        format!(
                            "its issuer is the `Issuer` `{what}` in its own namespace, and there is none"
                        )
                    };
                    return Some(self.absent(None, wanted.span(), why));
                }
            };
            return match self.complete {
                Complete::NotAsked => None,
                Complete::Yes | Complete::Unread => Some(Standing::undecided(
                    wanted.span(),
                    format!("{why}, so that whether it can be renewed is not known"),
                )),
            };
        };
        self.proved(&issuer.solvers, name)
    }

    /// Whether a way is there by which the name can be proved.
    fn proved(&self, solvers: &[Solver], name: &str) -> Option<Standing> {
        let first = solvers.first()?;
        let Some(solver) = solver_of(solvers, name) else {
            if solvers.iter().any(|solver| solver.by_labels) {
                return Some(Standing::undecided(first.at, BY_LABELS));
            }
            let why = "no solver of its issuer is for that name: their selectors name others";
            return Some(Standing::broken(first.at, why));
        };
        if !solver.by_http {
            return None;
        }
        let why = if name.starts_with('*') {
            "its certificate is a wildcard, which cannot be had over HTTP-01".to_owned()
        } else if self.is_home {
            return None;
        } else {
            format!(
                "its certificate is proved over HTTP-01 at the address in DNS, so that `{}` cannot renew it while visitors are elsewhere",
                self.site
            )
        };
        if solvers
            .iter()
            .any(|other| other.by_labels && !other.by_http)
        {
            return Some(Standing::undecided(solver.at, BY_LABELS));
        }
        Some(Standing::broken(solver.at, why))
    }

    /// Whether a route sends the host on, and is tied to a gateway that takes it.
    pub(super) fn route(&self, host: &RecordName, listeners: &[Taken<'a>]) -> Standing {
        let Some((first, _)) = self.routes.first() else {
            return Standing::NotGiven;
        };
        let all = || self.routes.iter().copied();
        let mut worst = None;
        for (manifest, route) in all().filter(|(_, route)| route.hosts.serve(host)) {
            match self.tied(host, (manifest, route), listeners) {
                Standing::Good(at) => return Standing::Good(at),
                other @ (Standing::Broken(_) | Standing::Undecided(_) | Standing::NotGiven) => {
                    worst = worst.or(Some(other));
                }
            }
        }
        worst.unwrap_or_else(|| {
            let open = all()
                .find(|(_, route)| route.hosts.open)
                .map(|(_, route)| route.hosts.at);
            self.absent(open, first.at, "no route has it among its hosts")
        })
    }

    fn tied(
        &self,
        host: &RecordName,
        (manifest, route): (&Manifest, &Route),
        listeners: &[Taken<'a>],
    ) -> Standing {
        let at = route.hosts.at;
        if !route.sends {
            return Standing::broken(at, "its route sends it nowhere");
        }
        let Some(first) = route.gateways.first() else {
            return Standing::broken(
                at,
                "its route is tied to no gateway, so that it is for the mesh alone",
            );
        };
        if self.gateways.is_empty() || listeners.is_empty() {
            return Standing::Good(at);
        }
        let all = || {
            route.gateways.iter().flat_map(|tie| {
                listeners
                    .iter()
                    .filter(move |taken| meets(manifest, tie, taken))
            })
        };
        if all().next().is_none() {
            let why = format!(
                "its route is tied to `{}`, which is no gateway that takes it",
                first.name.as_str()
            );
            return self.absent(None, first.name.span(), why);
        }
        let of_namespace = |(gateway, listener): &Taken<'a>| {
            !listener.by_namespace
                || listener
                    .hosts
                    .let_in(host, &manifest.namespace, &gateway.namespace)
        };
        if !all().any(of_namespace) {
            let why = format!(
                "its gateway takes routes for it from another namespace alone, and the route is in `{}`",
                manifest.namespace
            );
            return Standing::broken(first.name.span(), why);
        }
        let lets_in = |(gateway, listener): &Taken<'a>| {
            !listener.same_namespace || gateway.namespace == manifest.namespace
        };
        if all().any(lets_in) {
            Standing::Good(at)
        } else {
            let why = format!(
                "its gateway takes routes of its own namespace alone, and the route is in `{}`",
                manifest.namespace
            );
            Standing::broken(first.name.span(), why)
        }
    }
}

/// Whether a route's tie is to this listener.
fn meets(route: &Manifest, tie: &Tie, (gateway, listener): &Taken<'_>) -> bool {
    let of = if tie.namespace.is_empty() {
        &route.namespace
    } else {
        &tie.namespace
    };
    let alike = of.is_empty() || gateway.namespace.is_empty() || *of == gateway.namespace;
    let named = tie.listener.as_ref().is_none_or(|wanted| {
        let name = listener.name.as_ref();
        name.is_some_and(|name| name.as_str() == wanted)
    });
    gateway.name == tie.name.as_str() && alike && named
}

/// How the listeners that take a host take it, the best of them; `None` where there are none.
fn taken(taking: &[Taken<'_>]) -> Option<Standing> {
    let with = |tls: Tls| taking.iter().filter(move |(_, one)| one.tls == tls);
    if let Some((_, one)) = with(Tls::Shown).find(|(_, one)| one.other_port.is_none()) {
        return Some(Standing::Good(one.hosts.at));
    }
    if let Some((_, one)) = with(Tls::Shown).next() {
        let port = one.other_port.as_ref()?;
        let why = format!(
            "a gateway takes it at port {}, and visitors come to 443: whether something leads them there is not in the manifests",
            port.as_str()
        );
        return Some(Standing::undecided(port.span(), why));
    }
    if let Some((_, one)) = with(Tls::Through).next() {
        let why = "a gateway hands TLS on, so that what stands behind it must take it";
        return Some(Standing::undecided(one.hosts.at, why));
    }
    let refused = taking.iter().find_map(|(_, one)| match one.tls {
        Tls::Refused(why) => Some(Standing::broken(one.hosts.at, why)),
        Tls::Plain | Tls::Shown | Tls::Through => None,
    });
    let (_, plain) = taking.first()?;
    Some(refused.unwrap_or_else(|| {
        Standing::broken(plain.hosts.at, "a gateway takes it without TLS alone")
    }))
}

/// A listener that hands TLS on, where all of them do.
fn passing<'a>(listeners: &[Taken<'a>]) -> Option<Taken<'a>> {
    let all = listeners.iter().all(|(_, one)| one.tls == Tls::Through);
    listeners.first().copied().filter(|_| all)
}

/// The certificates that are kept in a secret.
fn keeping<'a>(good: &[Fitting<'a>], secret: &Secret) -> Vec<&'a Manifest> {
    let is_it = |one: &Certificate| {
        let kept = one.secret.as_ref();
        kept.is_some_and(|kept| kept.as_str() == secret.name.as_str())
    };
    let kept = good.iter().filter(|(_, one, _)| is_it(one));
    kept.map(|(manifest, ..)| *manifest).collect()
}

/// Why a gateway does not read a secret that is kept where the certificate is; `None`: it does.
fn read(gateway: &Manifest, secret: &Secret, certificate: &Manifest) -> Option<Standing> {
    let (own, kept) = (&gateway.namespace, &certificate.namespace);
    let named = secret.namespace.as_ref().unwrap_or(own);
    let at = secret.name.span();
    let name = secret.name.as_str();
    if kept.is_empty() || named.is_empty() {
        return None;
    }
    if named != kept {
        // Istio's own charts put the gateway's pods into namespaces that are called so.
        if secret.of_pods && kept.starts_with("istio") {
            return None;
        }
        if secret.of_pods {
            let why = format!(
                "the secret `{name}` is kept in `{kept}`; Istio reads it in the namespace of the gateway's pods, which is not known"
            );
            return Some(Standing::undecided(at, why));
        }
        let why = format!(
            "the secret `{name}` is kept in `{kept}`, and its gateway reads it in `{named}`"
        );
        return Some(Standing::broken(at, why));
    }
    (secret.namespace.is_some() && named != own).then(|| {
        let why = format!(
            "the secret `{name}` is kept in `{kept}`, and whether a `ReferenceGrant` lets the gateway in `{own}` read it is not known"
        );
        Standing::undecided(at, why)
    })
}

/// The solver by which cert-manager proves a name: one that is for that name, else for its nearest zone, else for all
/// (cert-manager, "Configuring ACME", order of selectors).
fn solver_of<'a>(solvers: &'a [Solver], name: &str) -> Option<&'a Solver> {
    let name = name.to_ascii_lowercase();
    let bare = name.strip_prefix("*.").unwrap_or(&name);
    let within = |zone: &str| {
        let rest = bare.strip_suffix(zone);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let weight = |solver: &Solver| {
        if solver.by_labels {
            return None;
        }
        if solver.names.is_empty() && solver.zones.is_empty() {
            return Some(0);
        }
        if solver.names.contains(&name) {
            return Some(usize::MAX);
        }
        let zones = solver.zones.iter().filter(|zone| within(zone));
        zones.map(String::len).max()
    };
    let weighed = solvers.iter().filter_map(|it| Some((weight(it)?, it)));
    // Of equally near ones the first.
    let best = weighed.rev().max_by_key(|(weight, _)| *weight);
    best.map(|(_, solver)| solver)
}

/// Whether a manifest of a site could not be read: below its folder of the spec, or below one that is named after it.
fn unread_of(spec: &Spec, site: &Site, workspace: &Workspace) -> bool {
    let folder = format!("{}/", spec.artefacts.kubernetes);
    let named = format!("/{}/", site.name);
    workspace.unread.iter().any(|path| {
        let of_cluster = path.starts_with(&folder) || format!("/{path}").contains(&named);
        let found = spec.site_of_manifest(path);
        of_cluster && found.is_some_and(|found| found.name == site.name)
    })
}
