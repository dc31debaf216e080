//! `pointsman.toml`: the deployment in one file, typed and checked, with every value still knowing its bytes.
//!
//! Everything that pointsman generates, proves and rehearses follows from here; the contract is the section "The spec"
//! of the product description.

mod amend;
mod check;
#[cfg(feature = "lint")]
mod compiled;
mod facts;
mod fits;
pub mod ids;
mod issuer;
mod pattern;
mod raw;
mod read;
mod refusal;
mod schema;
#[cfg(feature = "lint")]
mod settings;
mod stand_in;
#[cfg(feature = "lint")]
mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::diag::Label;
use crate::syntax::{Node, pointer};
use crate::text::Span;

use super::dns::RecordName;

pub use super::dns::{RecordType, is_public};
pub use facts::{
    CHECKOUT, CREDENTIALS, EXECUTOR, EXECUTOR_SUM, MONITOR_IDS, OIDC_AUDIENCE, WORKFLOW_FOLDER,
};
pub use issuer::{IssuerKind, OIDC_ISSUER, TEMPLATE_KEYS, pairs_as_text, templated};
pub use raw::{
    Action, Allow, Artefacts, Aws, EdgeWatch, Failback, FailbackRetry, GitHub, Monitors,
    Rehearsals, SubjectFormat, TokenCheck, TransitionNotice,
};
pub use read::not_utf8;
#[cfg(feature = "lint")]
pub use schema::schema_json;
#[cfg(feature = "lint")]
pub use settings::Settings;
#[cfg(feature = "lint")]
pub use template::{Known, template};

/// The usual name of the spec's file.
pub const FILE: &str = "pointsman.toml";

/// The name of the spec's JSON Schema, which lies beside it.
pub const SCHEMA_FILE: &str = "pointsman.schema.json";

/// The deployment: typed, and free of contradictions.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The hosted zone.
    pub zone: Zone,
    /// The sites in order of preference; the first is home. At least two.
    pub sites: Vec<Site>,
    /// The records that the switch moves.
    pub records: Records,
    /// The hosts that visitors ask for.
    pub hosts: Vec<Host>,
    /// The record that always points at one site.
    pub origin: OriginRecord,
    /// How a site is asked whether it serves.
    pub probe: Probe,
    /// When the records may return home.
    pub failback: Failback,
    /// The repository and the workflow.
    pub github: GitHub,
    /// The account and the role.
    pub aws: Aws,
    /// The external actions that the workflow may use.
    pub actions: Vec<Action>,
    /// The monitors.
    pub monitors: Monitors,
    /// Folders of the generated files.
    pub artefacts: Artefacts,
    /// The ledger of rehearsals.
    pub rehearsals: Rehearsals,
    /// Findings that are meant as they are.
    pub allow: Vec<Allow>,
    root: Node,
    /// The folder that paths are counted from, with its final `/`; empty for the working directory.
    folder: String,
}

/// The hosted zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Its id, without `/hostedzone/`.
    pub id: String,
    /// Its name.
    pub name: RecordName,
}

/// A place that can serve all visitors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Its name, as the variable `PIN_SITE` gives it.
    pub name: String,
    /// Its public IPv4 address; there when an A record is switched.
    pub ipv4: Option<Ipv4Addr>,
    /// Its public IPv6 address; there when an AAAA record is switched.
    pub ipv6: Option<Ipv6Addr>,
}

impl Site {
    /// The address that a record of this type holds for this site.
    #[must_use]
    pub fn address(&self, record_type: RecordType) -> Option<IpAddr> {
        match record_type {
            RecordType::A => self.ipv4.map(IpAddr::V4),
            RecordType::Aaaa => self.ipv6.map(IpAddr::V6),
        }
    }
}

/// The records that the switch moves: every name in every type, all in one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    /// Their names, in written order.
    pub names: Vec<RecordName>,
    /// Their types, in written order.
    pub types: Vec<RecordType>,
    /// Their time to live in seconds.
    pub ttl: u32,
}

/// A host that visitors ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: RecordName,
    /// Names of the sites that do not serve it.
    pub absent_at: BTreeSet<String>,
    /// By site: what visitors see there that they do not see elsewhere.
    pub notes: BTreeMap<String, String>,
}

/// The record that always points at one site, which the monitor watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginRecord {
    /// Its name.
    pub name: RecordName,
    /// The name of the site that it points at.
    pub site: String,
    /// Its time to live in seconds.
    pub ttl: u32,
}

/// How a site is asked whether it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Seconds that one request may take.
    pub timeout_seconds: u32,
    /// The only status that counts as serving: 200.
    pub expected_status: u16,
    /// Requests before a site counts as not serving.
    pub tries: u32,
    /// Seconds within which all of these tries are made.
    pub window_seconds: u32,
    /// Whether an answer that names another site makes a run refuse.
    pub site_identity: bool,
    /// A host outside the zone that must answer before any probe is believed.
    pub control: Option<RecordName>,
}

impl Spec {
    /// The tree that the spec was read from.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The same spec, read from another folder than the working directory: every path of it begins with `folder`, which
    /// ends with `/` or is empty.
    #[must_use]
    pub fn in_folder(mut self, folder: &str) -> Self {
        let inside = |path: &mut String| *path = format!("{folder}{path}");
        inside(&mut self.artefacts.policies);
        inside(&mut self.artefacts.terraform);
        inside(&mut self.artefacts.monitors);
        inside(&mut self.artefacts.kubernetes);
        self.allow
            .iter_mut()
            .for_each(|allow| inside(&mut allow.path));
        self.folder = folder.to_owned();
        self
    }

    /// The folder that paths are counted from, with its final `/`; empty for the working directory.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The folder of all workflows.
    #[must_use]
    pub fn workflow_folder(&self) -> String {
        format!("{}{WORKFLOW_FOLDER}", self.folder)
    }

    /// The bytes of the value that `pointer` (a JSON pointer, `/zone/name`) leads to; for a value that is not written,
    /// of the section it would stand in, or the start of the file.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Span {
        read::place(&self.root, pointer)
    }

    /// A label for a finding elsewhere that contradicts the value at `pointer`.
    #[must_use]
    pub fn label(&self, pointer: &str) -> Label {
        let text = if pointer::find(&self.root, pointer).is_some() {
            "the spec says so here"
        } else {
            "the spec leaves this at its default"
        };
        Label {
            at: self.at(pointer),
            text: text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::diag::Finding;
    use crate::text::SourceMap;

    /// The spec at the repository's root.
    const ROOT: &str = include_str!("../../../pointsman.toml");

    fn read(input: &str) -> (SourceMap, Result<Spec, Vec<Finding>>) {
        let mut sources = SourceMap::default();
        let file = sources.add(FILE, input);
        let result = match sources.text(file) {
            Some(text) => Spec::read(&text),
            None => Err(Vec::new()),
        };
        (sources, result)
    }

    #[test]
    fn the_reference_deployment_reads_without_a_finding() {
        let (_, spec) = read(ROOT);
        let spec = spec.unwrap();
        assert_eq!(
            spec.home().unwrap().ipv4,
            Some(Ipv4Addr::new(198, 51, 100, 10))
        );
        assert_eq!(
            spec.subject(),
            "repo:acme@100001/dns-failover@200002:ref:refs/heads/main"
        );
        assert_eq!(
            spec.role_arn(),
            "arn:aws:iam::123456789012:role/dns-failover"
        );
        assert_eq!(spec.hosts_at("edge").count(), 8);
        assert_eq!(spec.hosts_at("hub").count(), 7);
        assert_eq!(
            spec.dispatch_url(),
            "https://api.github.com/repos/acme/dns-failover/actions/workflows/dns-failover.yml/dispatches"
        );
        assert_eq!(spec.dispatch_body(), r#"{"ref":"main"}"#);
        let names: Vec<_> = spec.record_names().iter().map(RecordName::iam).collect();
        assert_eq!(names, ["example.com", "\\052.example.com"]);
    }

    #[test]
    fn a_place_that_is_not_written_is_the_section_it_would_stand_in() {
        let (sources, spec) = read(ROOT);
        let spec = spec.unwrap();
        assert_eq!(sources.slice(spec.at("/github/owner_id")), "100001");
        assert_eq!(sources.slice(spec.at("/github/workflow")), "[github]");
        assert_eq!(sources.slice(spec.at("/probe/tries")), "");
        assert!(spec.label("/probe/tries").text.contains("default"));
    }
}
