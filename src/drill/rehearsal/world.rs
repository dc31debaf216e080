//! The world of a rehearsal: a site for each of the spec's, the zone with two name servers, AWS and GitHub. The spec stays as
//! it is; its addresses lead to ports of loopback, and to nothing else.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use crate::adapters::{Detour, SITE_HEADER, Skipped};
use crate::drill::{
    Alias, Authority, CertificateKind, Cloud, ConnectionKind, Endpoint, GitHub, HostedZone,
    NameServer, Set, SharedRecords, Site, SiteConduct, Sync,
};
use crate::model::dns::{RecordName, RecordType};
use crate::model::spec::Spec;

use super::judge::Judge;
use super::run::BlackHoles;
use super::start::ZoneStart;

/// How a site stops serving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dying {
    /// Its port is closed.
    Refused,
    /// It answers 503.
    ServerError,
    /// It swallows what comes.
    BlackHole,
    /// Its certificate has run out.
    Certificate,
    /// The gateway lives and answers for the origin's name; every host answers 503.
    Application,
}

impl Dying {
    /// Those that can be chosen, with their words.
    pub const WORDS: [(Self, &'static str); 4] = [
        (Self::Refused, "refused"),
        (Self::ServerError, "5xx"),
        (Self::BlackHole, "black-hole"),
        (Self::Certificate, "tls"),
    ];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        let own = Self::WORDS.iter().find(|(dying, _)| *dying == self);
        own.map_or("application", |(_, word)| word)
    }

    fn conduct(self, usual: &SiteConduct, origin: &str) -> SiteConduct {
        let connection = |connection| SiteConduct {
            connection,
            ..usual.clone()
        };
        match self {
            Self::Refused => connection(ConnectionKind::Refuses),
            Self::BlackHole => connection(ConnectionKind::Stalls),
            Self::Certificate => connection(ConnectionKind::Tls(CertificateKind::Expired)),
            Self::ServerError => SiteConduct {
                status: 503,
                statuses: BTreeMap::new(),
                ..usual.clone()
            },
            Self::Application => SiteConduct {
                status: 503,
                statuses: BTreeMap::from([(origin.to_owned(), 404)]),
                ..usual.clone()
            },
        }
    }
}

/// A site of the spec, on loopback.
#[derive(Debug)]
pub(super) struct PlayedSite {
    /// Its name.
    pub name: String,
    /// Its addresses, as the spec has them.
    pub addresses: Vec<IpAddr>,
    /// Whether it serves.
    pub alive: bool,
    site: Site,
    usual: SiteConduct,
}

/// The world.
#[derive(Debug)]
pub(super) struct World {
    /// The sites, in the spec's order.
    pub sites: Vec<PlayedSite>,
    /// Route 53, STS and GitHub's token endpoint.
    pub cloud: Endpoint<Cloud>,
    /// GitHub.
    pub github: Endpoint<GitHub>,
    /// Sites that swallow what comes.
    pub black_holes: BlackHoles,
    /// What answers may depend on: it grows with every change of a site.
    pub generation: u64,
    records: SharedRecords,
    servers: Vec<(String, NameServer)>,
    authority: String,
    origin: String,
    switched: Vec<(RecordName, &'static str)>,
}

/// How many sockets a rehearsal may need at once beside those that stand all the time.
const SOCKETS: usize = 64;

/// That the system gives so many further sockets: one that is missing later would look like a fault of the deployment.
fn has_room() -> io::Result<()> {
    let sockets = (0..SOCKETS).map(|_| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)));
    sockets.collect::<io::Result<Vec<_>>>().map(drop)
}

const NAME_SERVERS: [&str; 2] = ["ns-1.example.net", "ns-2.example.net"];

impl World {
    /// A world of this spec, in which everything is well.
    ///
    /// # Errors
    /// When the system gives no port or thread.
    pub(super) fn new(
        spec: &Spec,
        start: &ZoneStart,
        sync: Duration,
        judge: &Judge,
        github: GitHub,
        skipped: &Skipped,
    ) -> io::Result<Self> {
        let authority = Authority::new("rehearsal")?;
        let mut sites = Vec::new();
        for own in &spec.sites {
            sites.push(played(spec, &own.name, &authority)?);
        }
        let records = SharedRecords::default();
        let zone = zone(spec, start, &records)?;
        let mut servers = Vec::new();
        for name in NAME_SERVERS {
            let server = NameServer::start(&spec.zone.name, records.clone())?;
            servers.push((name.to_owned(), server));
        }
        let mut cloud = Cloud::new(zone);
        cloud.sync(Sync::After(sync));
        cloud.limit_sessions(judge.own().longest);
        let (calls, tokens) = (judge.clone(), judge.clone());
        cloud.authorise(Box::new(move |asked| calls.call(asked)));
        cloud.trust(Box::new(move |role, session, claims| {
            tokens.token(role, session, claims)
        }));
        has_room()?;
        let switched = spec.records.names.iter().flat_map(|name| {
            let types = spec.records.types.iter();
            types.map(move |kind| (name.clone(), word(*kind)))
        });
        Ok(Self {
            sites,
            cloud: Endpoint::start_in(cloud, skipped.clone())?,
            github: Endpoint::start_in(github, skipped.clone())?,
            black_holes: BlackHoles::default(),
            generation: 0,
            records,
            servers,
            authority: authority.pem(),
            origin: spec.origin.name.to_string(),
            switched: switched.collect(),
        })
    }

    /// The way from the spec's addresses to loopback.
    #[must_use]
    pub(super) fn detour(&self) -> Detour {
        let sites = self.sites.iter().flat_map(|site| {
            let addresses = site.addresses.iter();
            addresses.map(|address| (*address, site.site.socket()))
        });
        let servers = self.servers.iter();
        Detour {
            sockets: sites.collect(),
            names: BTreeMap::new(),
            authority: self.authority.clone(),
            route53: self.cloud.url(),
            sts: self.cloud.url(),
            servers: servers
                .map(|(name, server)| (name.clone(), server.socket()))
                .collect(),
        }
    }

    /// Where the zone's name servers are.
    #[must_use]
    pub(super) fn name_servers(&self) -> Vec<SocketAddr> {
        let servers = self.servers.iter();
        servers.map(|(_, server)| server.socket()).collect()
    }

    /// The site at an address, by its place in the spec.
    #[must_use]
    pub(super) fn site_at(&self, address: IpAddr) -> Option<usize> {
        let own = |site: &PlayedSite| site.addresses.contains(&address);
        self.sites.iter().position(own)
    }

    /// A site stops serving, or serves again.
    pub(super) fn turn(&mut self, place: usize, dying: Option<Dying>) {
        let Some(site) = self.sites.get_mut(place) else {
            return;
        };
        self.generation += 1;
        site.alive = dying.is_none();
        let conduct = match dying {
            Some(dying) => dying.conduct(&site.usual, &self.origin),
            None => site.usual.clone(),
        };
        site.site.conduct(conduct);
        let swallows = dying == Some(Dying::BlackHole);
        self.black_holes.set(&site.addresses, swallows);
    }

    /// The name servers take over what the zone has now.
    pub(super) fn publish(&self) {
        let switched = &self.switched;
        let sets = self.cloud.with(|cloud| {
            let zone = cloud.zone();
            let sets = switched
                .iter()
                .flat_map(|(name, kind)| zone.sets(name, kind));
            let owned = sets.map(|set| {
                let ttl = set.ttl.unwrap_or_default();
                (set.name.clone(), set.kind.clone(), ttl, set.values.clone())
            });
            owned.collect::<Vec<_>>()
        });
        self.records.set_all(sets);
    }

    /// The values of the switched records in the zone.
    #[must_use]
    pub(super) fn values(&self) -> Vec<String> {
        let switched = &self.switched;
        self.cloud.with(|cloud| {
            let zone = cloud.zone();
            let sets = switched
                .iter()
                .flat_map(|(name, kind)| zone.sets(name, kind));
            sets.flat_map(|set| set.values.clone()).collect()
        })
    }
}

pub(super) fn word(kind: RecordType) -> &'static str {
    match kind {
        RecordType::A => "A",
        RecordType::Aaaa => "AAAA",
    }
}

fn played(spec: &Spec, name: &str, authority: &Authority) -> io::Result<PlayedSite> {
    let own = spec.site(name);
    let of_type = |kind: &RecordType| own.and_then(|site| site.address(*kind));
    let addresses = spec.records.types.iter().filter_map(of_type).collect();
    let mut names: Vec<String> = spec
        .hosts
        .iter()
        .map(|host| host.name.to_string())
        .collect();
    names.push(spec.origin.name.to_string());
    names.sort();
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let site = Site::start(authority, &names)?;
    // A host that is not at a site gets a 404 of its gateway, and so does a name that nobody set up.
    let served = spec.hosts_at(name);
    let mut statuses: BTreeMap<String, u16> = served
        .map(|host| (host.name.to_string(), spec.probe.expected_status))
        .collect();
    if spec.origin.site == name {
        statuses.insert(spec.origin.name.to_string(), 200);
    }
    let usual = SiteConduct {
        status: 404,
        statuses,
        ..SiteConduct::default()
    };
    let usual = usual.with_header(SITE_HEADER, name);
    site.conduct(usual.clone());
    Ok(PlayedSite {
        name: name.to_owned(),
        addresses,
        alive: true,
        site,
        usual,
    })
}

/// The zone with all records at home, and the same at the name servers.
fn zone(spec: &Spec, start: &ZoneStart, records: &SharedRecords) -> io::Result<HostedZone> {
    let dotted = NAME_SERVERS.map(|name| format!("{name}."));
    let names: Vec<&str> = dotted.iter().map(String::as_str).collect();
    let mut zone = HostedZone::new(&spec.zone.id, spec.zone.name.clone(), &names);
    records.set(&spec.zone.name, "NS", 172_800, &names);
    for start in &start.sets {
        let values: Vec<&str> = start.values.iter().map(String::as_str).collect();
        match &start.alias {
            Some(target) => records.alias(&start.name, &start.kind, start.ttl, target),
            None => records.set(&start.name, &start.kind, start.ttl, &values),
        }
        let mut set = Set::new(start.name.clone(), &start.kind, start.ttl, "");
        set.values.clone_from(&start.values);
        if let Some(target) = &start.alias {
            set.ttl = None;
            set.alias = Some(Alias {
                zone: spec.zone.id.clone(),
                name: target.dns(),
            });
        }
        zone.put(set);
    }
    Ok(zone)
}
