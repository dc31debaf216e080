//! The hosts of both sites, asked as the executor asks them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::failover::{Answer, ProbeRules, Request};
use crate::model::dns::RecordName;
use crate::model::spec::{Site, Spec};
use crate::ports::{Cancelled, Prober};
use crate::report::HostSeen;

/// The longest that one answer may take here: records are watched by the second meanwhile.
const LONGEST: Duration = Duration::from_secs(3);

/// Each host at each site that is to serve it, and how it answered.
#[derive(Debug, Default)]
pub(super) struct Sites {
    seen: BTreeMap<(String, String), HostSeen>,
}

impl Sites {
    /// Asks each host of these sites once.
    pub(super) fn ask(
        &mut self,
        spec: &Spec,
        sites: [&Site; 2],
        prober: &mut dyn Prober,
    ) -> Result<(), Cancelled> {
        let mut asked: Vec<(&Site, &RecordName)> = Vec::new();
        for site in sites {
            asked.extend(spec.hosts_at(&site.name).map(|host| (site, &host.name)));
        }
        let address = |site: &Site| {
            let types = spec.records.types.iter();
            types.filter_map(|kind| site.address(*kind)).next()
        };
        let requests: Vec<Request<'_>> = asked
            .iter()
            .map(|(site, host)| Request {
                host,
                address: address(site),
            })
            .collect();
        let rules = ProbeRules {
            timeout: LONGEST.min(Duration::from_secs(spec.probe.timeout_seconds.into())),
            ..ProbeRules::default()
        };
        let answers = prober.ask(&requests, rules)?;
        for ((site, host), answer) in asked.into_iter().zip(answers) {
            self.note(&site.name, &host.dns(), &answer, rules.status);
        }
        Ok(())
    }

    fn note(&mut self, site: &str, host: &str, answer: &Answer, status: u16) {
        let key = (site.to_owned(), host.to_owned());
        let seen = self.seen.entry(key).or_insert_with(|| HostSeen {
            site: site.to_owned(),
            host: host.to_owned(),
            asked: 0,
            good: 0,
            last: String::new(),
            serves: false,
        });
        seen.asked += 1;
        seen.serves = answer.is(status);
        seen.good += usize::from(seen.serves);
        seen.last = answer.describe();
    }

    /// Hosts that do not serve at this site, with their last answers.
    pub(super) fn silent(&self, site: &str) -> Vec<String> {
        let own = self.seen.values();
        let own = own.filter(|seen| seen.site == site && !seen.serves);
        own.map(|seen| format!("`{}` ({})", seen.host, seen.last))
            .collect()
    }

    /// All of them.
    pub(super) fn seen(self) -> Vec<HostSeen> {
        self.seen.into_values().collect()
    }
}
