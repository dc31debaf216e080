//! The topology of a spec.

use std::net::IpAddr;
use std::time::Duration;

use crate::model::dns::RecordName;
use crate::model::spec::Spec;

use super::limits::{FailbackRules, Limits, ProbeRules};
use super::topology::{SiteDraft, Topology, TopologyDraft, TopologyFault};

/// What the job needs before the run begins and after it has ended.
const AROUND: Duration = Duration::from_secs(60);

impl Topology {
    /// What the executor needs of a spec.
    ///
    /// # Errors
    /// What is wrong with it; a spec that reads without a finding is right.
    pub fn of(spec: &Spec) -> Result<Self, TopologyFault> {
        let sites = spec.sites.iter().map(|site| {
            let addresses = [site.ipv4.map(IpAddr::V4), site.ipv6.map(IpAddr::V6)];
            let mut hosts: Vec<RecordName> = spec
                .hosts_at(&site.name)
                .map(|host| host.name.clone())
                .collect();
            // The zone itself is what every probe of the reference deployment asks for.
            hosts.sort_by_key(|host| *host != spec.zone.name);
            SiteDraft {
                name: site.name.clone(),
                addresses: addresses.into_iter().flatten().collect(),
                hosts,
            }
        });
        let job = Duration::from_secs(u64::from(spec.github.job_timeout_minutes) * 60);
        Self::new(TopologyDraft {
            sites: sites.collect(),
            names: spec.records.names.clone(),
            types: spec.records.types.clone(),
            probe: ProbeRules {
                timeout: Duration::from_secs(spec.probe.timeout_seconds.into()),
                status: spec.probe.expected_status,
                tries: u8::try_from(spec.probe.tries).unwrap_or(u8::MAX),
                window: Duration::from_secs(spec.probe.window_seconds.into()),
            },
            failback: FailbackRules {
                probes: u8::try_from(spec.failback.probes).unwrap_or(u8::MAX),
                interval: Duration::from_secs(spec.failback.interval_seconds.into()),
            },
            site_identity: spec.probe.site_identity,
            control: spec.probe.control.clone(),
            pin_variable: spec.github.variable.clone(),
            limits: Limits {
                run: Some(job.saturating_sub(AROUND)),
                ..Limits::default()
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failover::{Ask, SiteId};
    use crate::text::SourceMap;

    #[test]
    fn the_reference_deployment_is_a_topology() {
        let mut sources = SourceMap::default();
        let file = sources.add("pointsman.toml", include_str!("../../pointsman.toml"));
        let spec = Spec::read(&sources.text(file).unwrap()).unwrap();
        let topology = Topology::of(&spec).unwrap();
        let records: Vec<String> = topology
            .records()
            .iter()
            .map(|record| format!("{} {}", record.name, record.kind.word()))
            .collect();
        assert_eq!(records, ["example.com A", "*.example.com A"]);
        let hub = topology.named("hub").unwrap();
        let requests = Ask::probe(hub).requests(&topology);
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].host.dns(), "example.com");
        assert_eq!(requests[0].address.unwrap().to_string(), "203.0.113.20");
        // argo is absent at hub.
        assert_eq!(topology.site(SiteId::HOME).unwrap().hosts().len(), 8);
        assert_eq!(topology.site(hub).unwrap().hosts().len(), 7);
        assert_eq!(topology.failback().probes, 10);
        assert!(topology.control().is_none() && !topology.checks_identity());
    }

    #[test]
    fn what_the_spec_says_of_identity_and_control_is_what_the_executor_asks_for() {
        let written = include_str!("../../pointsman.toml").replacen(
            "[records]",
            "[probe]\nsite_identity = true\ncontrol = \"status.example.net\"\n\n[records]",
            1,
        );
        let mut sources = SourceMap::default();
        let file = sources.add("pointsman.toml", written);
        let spec = Spec::read(&sources.text(file).unwrap()).unwrap();
        let topology = Topology::of(&spec).unwrap();
        assert!(topology.checks_identity());
        assert_eq!(topology.control().unwrap().dns(), "status.example.net");
    }
}
