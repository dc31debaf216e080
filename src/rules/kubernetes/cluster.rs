//! The manifests of one site, and what they do for a host.

use crate::model::cluster::{Certificate, Issuer, Listener, Manifest, Part, Route, Tie};
use crate::model::dns::RecordName;
use crate::model::spec::{Site, Spec};
use crate::rules::Workspace;
use crate::text::Span;

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

/// A listener that takes a host over HTTPS, with its gateway.
pub(super) type Taken<'a> = (&'a Manifest, &'a Listener);

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
            .filter(|(_, one)| one.secure)
            .collect();
        let Some((first, _)) = self.gateways.first() else {
            return (Standing::NotGiven, Vec::new());
        };
        let standing = match (secure.first(), taking.first()) {
            (Some((_, one)), _) => Standing::Good(one.hosts.at),
            (None, Some((_, plain))) => {
                Standing::broken(plain.hosts.at, "a gateway takes it without TLS alone")
            }
            (None, None) => {
                let open = all()
                    .find(|(_, one)| one.hosts.open)
                    .map(|(_, one)| one.hosts.at);
                let at = all()
                    .find(|(_, one)| one.secure)
                    .map_or(first.at, |(_, one)| one.hosts.at);
                self.absent(open, at, "no gateway takes it")
            }
        };
        (standing, secure)
    }

    /// Whether a certificate is good for the host, is the one that the listeners show, and can be renewed there.
    pub(super) fn certificate(&self, host: &RecordName, listeners: &[Taken<'a>]) -> Standing {
        let Some((_, first)) = self.certificates.first() else {
            return Standing::NotGiven;
        };
        let good: Vec<_> = self
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
        let kept_in = |secret: &str| {
            let is_it = |one: &Certificate| {
                one.secret
                    .as_ref()
                    .is_some_and(|kept| kept.as_str() == secret)
            };
            good.iter().any(|(_, one, _)| is_it(one))
        };
        let mut shown = listeners.iter().filter(|(_, one)| !one.secrets.is_empty());
        let astray =
            shown.find(|(_, one)| !one.secrets.iter().any(|secret| kept_in(secret.as_str())));
        if let Some(secret) = astray.and_then(|(_, one)| one.secrets.first()) {
            let why = format!(
                "the gateway shows the secret `{}`, in which no certificate for it is kept",
                secret.as_str()
            );
            return self.absent(None, secret.span(), why);
        }
        let renewed = good
            .iter()
            .find(|(manifest, one, _)| self.stuck(manifest, one, name.as_str()).is_none());
        match (renewed, good.first()) {
            (None, Some((manifest, one, _))) => self
                .stuck(manifest, one, name.as_str())
                .unwrap_or(Standing::Good(name.span())),
            _ => Standing::Good(name.span()),
        }
    }

    /// HTTP-01 asks the address that DNS names, which is another site until the switch; and it proves no wildcard.
    fn stuck(
        &self,
        manifest: &Manifest,
        certificate: &Certificate,
        name: &str,
    ) -> Option<Standing> {
        let issuer = certificate.issuer.as_ref()?;
        let is_it = |found: &Manifest| {
            found.name == issuer.as_str()
                && (found.namespace.is_empty()
                    || manifest.namespace.is_empty()
                    || found.namespace == manifest.namespace)
        };
        let (_, issuer) = self.issuers.iter().find(|(found, _)| is_it(found))?;
        let at = issuer.only_http01?;
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
        Some(Standing::broken(at, why))
    }

    /// Whether a route sends the host on, and is tied to a gateway that takes it.
    pub(super) fn route(&self, host: &RecordName, listeners: &[Taken<'a>]) -> Standing {
        let Some((first, _)) = self.routes.first() else {
            return Standing::NotGiven;
        };
        let all = || self.routes.iter().copied();
        let mut worst = None;
        for (manifest, route) in all().filter(|(_, route)| route.hosts.serve(host)) {
            match self.tied(manifest, route, listeners) {
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

    fn tied(&self, manifest: &Manifest, route: &Route, listeners: &[Taken<'a>]) -> Standing {
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
        let meets = |tie: &Tie, (gateway, listener): &Taken<'a>| {
            let of = if tie.namespace.is_empty() {
                &manifest.namespace
            } else {
                &tie.namespace
            };
            let alike = of.is_empty() || gateway.namespace.is_empty() || *of == gateway.namespace;
            let named = tie.listener.as_ref().is_none_or(|wanted| {
                listener
                    .name
                    .as_ref()
                    .is_some_and(|name| name.as_str() == wanted)
            });
            gateway.name == tie.name.as_str() && alike && named
        };
        let all = || {
            route
                .gateways
                .iter()
                .flat_map(|tie| listeners.iter().filter(move |taken| meets(tie, taken)))
        };
        if all().next().is_none() {
            let why = format!(
                "its route is tied to `{}`, which is no gateway that takes it",
                first.name.as_str()
            );
            return self.absent(None, first.name.span(), why);
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
