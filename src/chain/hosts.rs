//! The link to the hosts: whether every standby could take every host, part by part.

use crate::model::spec::Spec;
use crate::rules::kubernetes::{Readiness, Standing};
use crate::text::SourceMap;

use super::given::Given;
use super::links::{Link, State};

/// One host at one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostAt {
    /// The site.
    pub site: String,
    /// The host, or a wildcard record.
    pub host: String,
    /// Its parts: the name, how it is, and where that is seen. A wildcard record has a certificate alone.
    pub parts: Vec<(&'static str, State, Option<String>)>,
}

impl Link {
    /// A standby without manifests, or with manifests of some kinds alone, is not known to be ready.
    pub(super) fn why_not_given(&mut self, spec: &Spec, given: &Given) {
        if given.manifests.is_empty() {
            return;
        }
        for site in spec.standbys() {
            let of_site: Vec<_> = given
                .hosts
                .iter()
                .filter(|row| row.site == site.name)
                .collect();
            if of_site.is_empty() {
                self.state = State::NotGiven;
                self.why
                    .push(format!("of `{}` no manifests were given", site.name));
                continue;
            }
            for (name, part) in PARTS {
                if of_site.iter().all(|row| *part(row) == Standing::NotGiven) {
                    self.state = State::NotGiven;
                    self.why
                        .push(format!("of `{}` no {name} was given", site.name));
                }
            }
        }
    }
}

type Part = (&'static str, fn(&Readiness) -> &Standing);

const PARTS: &[Part] = &[
    ("certificate", |row| &row.certificate),
    ("gateway", |row| &row.gateway),
    ("route", |row| &row.route),
];

fn parts_of(row: &Readiness) -> &'static [Part] {
    if row.host.starts_with('*') {
        PARTS.get(..1).unwrap_or(PARTS)
    } else {
        PARTS
    }
}

/// The hosts with the places in the files.
pub(super) fn hosts(given: &Given, sources: &SourceMap) -> Vec<HostAt> {
    let at = |row: &Readiness| HostAt {
        site: row.site.clone(),
        host: row.host.clone(),
        parts: parts_of(row)
            .iter()
            .map(|(name, part)| {
                let (state, at) = match part(row) {
                    Standing::Good(at) => (State::Good, Some(*at)),
                    Standing::Broken(fault) => (State::Broken, Some(fault.at)),
                    Standing::Undecided(fault) => (State::Undecided, Some(fault.at)),
                    Standing::NotGiven => (State::NotGiven, None),
                };
                let place = at.map(|at| {
                    let line = sources.positions(at).map_or(1, |(start, _)| start.line);
                    format!("{}:{line}", sources.path(at.file))
                });
                (*name, state, place)
            })
            .collect(),
    };
    given.hosts.iter().map(at).collect()
}
