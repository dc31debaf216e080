//! Rules over the manifests of the sites' clusters: whether a site could take the hosts that the spec says it serves.

mod cluster;
mod host_uncertified;
mod host_unrouted;
mod host_without_gateway;
mod readiness;

use crate::diag::Label;
use crate::model::spec::Spec;

use super::{Rule, Sink, Workspace};

pub use readiness::{Fault, Readiness, Standing, readiness};

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &host_uncertified::RULE,
    &host_unrouted::RULE,
    &host_without_gateway::RULE,
];

/// Reports one part of all hosts: what several hosts lack for one reason is one finding.
fn report(
    workspace: &Workspace,
    sink: &mut Sink<'_>,
    part: fn(&Readiness) -> &Standing,
    help: &str,
) {
    let Some(spec) = workspace.spec.as_ref() else {
        return;
    };
    let rows = readiness(spec, workspace);
    let mut told: Vec<(&str, &Standing)> = Vec::new();
    for row in &rows {
        let standing = part(row);
        if told.contains(&(row.site.as_str(), standing)) {
            continue;
        }
        told.push((&row.site, standing));
        let alike = rows
            .iter()
            .filter(|other| other.site == row.site && part(other) == standing);
        let hosts: Vec<&str> = alike.map(|row| row.host.as_str()).collect();
        let of_spec = host_label(spec, &row.host);
        match standing {
            Standing::Broken(fault) => {
                let message = format!("{} at `{}`: {}", listed(&hosts), row.site, fault.why);
                sink.report(fault.at, message)
                    .related(of_spec.at, "the spec says that it is served there")
                    .help(help);
            }
            Standing::Undecided(fault) => {
                let what = format!("{} at `{}`", listed(&hosts), row.site);
                sink.undecided(fault.at, what, fault.why.clone(), Vec::new());
            }
            Standing::Good(_) | Standing::NotGiven => {}
        }
    }
}

fn host_label(spec: &Spec, host: &str) -> Label {
    let index = spec
        .hosts
        .iter()
        .position(|known| known.name.to_string() == host);
    index.map_or_else(
        || spec.label("/records"),
        |index| spec.label(&format!("/hosts/{index}/name")),
    )
}

fn listed(hosts: &[&str]) -> String {
    let shown: Vec<String> = hosts
        .iter()
        .take(3)
        .map(|host| format!("`{host}`"))
        .collect();
    let more = match hosts.len().saturating_sub(shown.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}
