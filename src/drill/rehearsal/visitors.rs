//! Visitors: each has a resolver with a cache of its own, and asks for every host now and again. What they see is asked of the
//! real sites of the rehearsal, once for each host and address until a site changes.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::adapters::HttpsProber;
use crate::failover::{Answer, ProbeRules, Request};
use crate::model::dns::RecordName;
use crate::model::spec::{Host, RecordType, Spec};
use crate::ports::Cancelled;
use crate::report::drill::{HostView, ViewSpan};

use super::resolver::Resolver;
use super::run::ask_apart;
use super::world::World;

/// How many there are.
pub(super) const VISITORS: usize = 6;

/// What was seen of a host at an address, and when the sites were as they were then.
type Seen = BTreeMap<(usize, IpAddr), (u64, String)>;

/// All visitors.
#[derive(Debug)]
pub(super) struct Visitors {
    resolvers: Vec<Resolver>,
    hosts: Vec<Host>,
    ipv6: bool,
    /// Whether every other visitor asks for addresses of the other family first.
    mixed: bool,
    /// Where each of them was sent last, host by host.
    sent: Vec<Vec<Option<IpAddr>>>,
    seen: Seen,
    views: Vec<HostView>,
}

impl Visitors {
    /// Visitors of the spec's hosts; `mixed` where records of the other family than the spec's could lead them elsewhere.
    #[must_use]
    pub(super) fn new(spec: &Spec, mixed: bool) -> Self {
        let view = |host: &Host| HostView {
            host: host.name.to_string(),
            spans: Vec::new(),
        };
        Self {
            resolvers: (0..VISITORS).map(|_| Resolver::default()).collect(),
            ipv6: !spec.records.types.contains(&RecordType::A),
            mixed,
            sent: Vec::new(),
            views: spec.hosts.iter().map(view).collect(),
            hosts: spec.hosts.clone(),
            seen: Seen::new(),
        }
    }

    /// Lets their caches be of different ages, evenly over `ttl`.
    pub(super) fn spread(&mut self, servers: &[SocketAddr], ttl: Duration) {
        let count = u32::try_from(VISITORS).unwrap_or(1).max(1);
        let (ipv6, mixed) = (self.ipv6, self.mixed);
        for (place, resolver) in (0..count).zip(&mut self.resolvers) {
            let families = families(ipv6, mixed && place % 2 == 1);
            for host in &self.hosts {
                asked(resolver, servers, &host.name, &families, Duration::ZERO);
            }
            resolver.age(ttl * place / count);
        }
    }

    /// One of them asks at the last moment before the records change: nobody keeps the old ones for longer.
    pub(super) fn ask_at_the_last_moment(&mut self, servers: &[SocketAddr], now: Duration) {
        if let Some(first) = self.resolvers.first_mut() {
            first.forget();
            for host in &self.hosts {
                first.ask(servers, &host.name, self.ipv6, now);
            }
        }
    }

    /// All of them ask for every host; gives the site that all are sent to, if it is one.
    ///
    /// # Errors
    /// When the program is ended before.
    pub(super) fn look(
        &mut self,
        world: &World,
        prober: &mut HttpsProber,
        rules: ProbeRules,
        now: Duration,
    ) -> Result<Option<usize>, Cancelled> {
        let servers = world.name_servers();
        let mut asked: Vec<Vec<Option<IpAddr>>> = Vec::new();
        let (ipv6, mixed) = (self.ipv6, self.mixed);
        for host in &self.hosts {
            let each = self.resolvers.iter_mut().enumerate();
            let each = each.map(|(place, resolver)| {
                let families = families(ipv6, mixed && place % 2 == 1);
                self::asked(resolver, &servers, &host.name, &families, now)
            });
            asked.push(each.collect());
        }
        self.see(world, prober, rules, &asked)?;
        for (place, addresses) in asked.iter().enumerate() {
            let words = addresses.iter().map(|address| self.word(place, *address));
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for word in words {
                *counts.entry(word).or_default() += 1;
            }
            if let Some(view) = self.views.get_mut(place) {
                add(view, now, counts.into_iter().collect());
            }
        }
        let mut sites = asked.iter().flatten().map(|address| {
            let address = (*address)?;
            world.site_at(address)
        });
        let first = sites.next().flatten();
        let one = first.filter(|_| sites.all(|site| site == first));
        self.sent = asked;
        Ok(one)
    }

    fn word(&self, place: usize, address: Option<IpAddr>) -> String {
        let known = address.and_then(|address| self.seen.get(&(place, address)));
        known
            .map_or("nowhere", |(_, word)| word.as_str())
            .to_owned()
    }

    /// Asks for what has not been seen since a site last changed.
    fn see(
        &mut self,
        world: &World,
        prober: &mut HttpsProber,
        rules: ProbeRules,
        asked: &[Vec<Option<IpAddr>>],
    ) -> Result<(), Cancelled> {
        let pairs = asked.iter().enumerate().flat_map(|(place, addresses)| {
            let own = addresses.iter().flatten();
            own.map(move |address| (place, *address))
        });
        let fresh = |pair: &(usize, IpAddr)| {
            let known = self.seen.get(pair);
            known.is_none_or(|(generation, _)| *generation != world.generation)
        };
        let mut pairs: Vec<(usize, IpAddr)> = pairs.filter(fresh).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let requests: Vec<Request<'_>> = pairs
            .iter()
            .filter_map(|(place, address)| {
                Some(Request {
                    host: &self.hosts.get(*place)?.name,
                    address: Some(*address),
                })
            })
            .collect();
        if requests.is_empty() {
            return Ok(());
        }
        let (answers, _) = ask_apart(prober, &world.black_holes, &requests, rules)?;
        let words: Vec<_> = pairs
            .into_iter()
            .zip(answers)
            .filter_map(|(pair, answer)| {
                let host = self.hosts.get(pair.0)?;
                Some((pair, seen(world, host, pair.1, &answer, rules.status)))
            })
            .collect();
        for (pair, word) in words {
            self.seen.insert(pair, (world.generation, word));
        }
        Ok(())
    }

    /// Hosts for which some visitor is sent elsewhere than to this site, each with where to.
    #[must_use]
    pub(super) fn elsewhere(&self, world: &World, site: usize) -> Vec<(&RecordName, String)> {
        let hosts = self.hosts.iter().zip(&self.sent);
        let other = hosts.filter_map(|(host, sent)| {
            let place = |to: &Option<IpAddr>| to.and_then(|address| world.site_at(address));
            let other = sent.iter().find(|to| place(to) != Some(site))?;
            let named = place(other).and_then(|place| world.sites.get(place));
            let word = match (named, other) {
                (Some(site), _) => format!("is still sent to {}", site.name),
                (None, Some(address)) => format!("is sent to {address}, where no site is"),
                (None, None) => "has no address".to_owned(),
            };
            Some((&host.name, word))
        });
        other.collect()
    }

    /// What they saw of every host, up to `now`.
    #[must_use]
    pub(super) fn views(&self, now: Duration) -> Vec<HostView> {
        let mut views = self.views.clone();
        for view in &mut views {
            if let Some(last) = view.spans.last_mut() {
                last.to = now.max(last.to);
            }
        }
        views
    }
}

/// The families that a visitor asks for, in order: whether IPv6.
fn families(ipv6: bool, other_first: bool) -> Vec<bool> {
    if other_first {
        vec![!ipv6, ipv6]
    } else {
        vec![ipv6]
    }
}

/// The address that a visitor is sent to.
fn asked(
    resolver: &mut Resolver,
    servers: &[SocketAddr],
    name: &RecordName,
    families: &[bool],
    now: Duration,
) -> Option<IpAddr> {
    families.iter().find_map(|ipv6| {
        let found = resolver.ask(servers, name, *ipv6, now);
        found.and_then(|found| found.first().copied())
    })
}

/// What a visitor sees: the site that serves, `absent` where the spec says that it does not, else `down`; `wrong` where a
/// site says what it should not.
fn seen(world: &World, host: &Host, address: IpAddr, answer: &Answer, good: u16) -> String {
    let site = world
        .site_at(address)
        .and_then(|place| world.sites.get(place));
    let Some(site) = site else {
        return "nowhere".to_owned();
    };
    let absent = host.absent_at.contains(&site.name);
    let word = match answer {
        Answer::Status {
            site: Some(says), ..
        } if *says != site.name => "wrong",
        Answer::Status { code, .. } if *code == good => {
            if absent {
                "wrong"
            } else {
                site.name.as_str()
            }
        }
        Answer::Status { code: 404, .. } if absent && site.alive => "absent",
        Answer::Status { .. } | Answer::None(_) => "down",
    };
    word.to_owned()
}

fn add(view: &mut HostView, now: Duration, seen: Vec<(String, usize)>) {
    if let Some(last) = view.spans.last_mut() {
        last.to = now;
        if last.seen == seen {
            return;
        }
    }
    view.spans.push(ViewSpan {
        from: now,
        to: now,
        seen,
    });
}
