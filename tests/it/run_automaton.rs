//! One run of the executor as an automaton over its real `step`: every state it can be in, each interned once, and what
//! can happen in it. Models of several runs are products of this.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use pointsman::failover::invariants::{Law, Watch};
use pointsman::failover::{
    Answer, Ask, ChangeStatus, Effect, Event, FailbackRules, Fault, Happened, Hosts, Limits,
    Moment, NoAnswer, Order, Outcome, ProbeRules, RecordSet, ServerAnswer, SiteDraft, SiteId,
    State, Topology, TopologyDraft, Whom, step,
};
use pointsman::model::dns::{RecordName, RecordType};

/// What each record holds: a site by its number, or [`FOREIGN`].
pub(crate) type Zone = [u8; 2];

/// The value of a record that holds no site's address.
pub(crate) const FOREIGN: u8 = 9;

/// A topology of this many sites, in which a row is `probes` long.
pub(crate) fn topology(sites: u8, types: &[RecordType], probes: u8, tries: u8) -> Topology {
    let name = |text: &str| RecordName::parse(text).unwrap();
    let site = |number: u8| {
        let v4 = IpAddr::from([203, 0, 113, 10 + number]);
        let v6 = IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, u16::from(number) + 16]);
        SiteDraft {
            name: ["edge", "hub", "third"][usize::from(number)].to_owned(),
            addresses: vec![v4, v6],
            hosts: vec![name("example.com"), name("www.example.com")],
        }
    };
    Topology::new(TopologyDraft {
        sites: (0..sites).map(site).collect(),
        names: vec![name("example.com"), name("*.example.com")],
        types: types.to_vec(),
        probe: ProbeRules {
            tries,
            window: Duration::from_secs(10) * u32::from(tries),
            ..ProbeRules::default()
        },
        failback: FailbackRules {
            probes,
            ..FailbackRules::default()
        },
        site_identity: false,
        control: None,
        // Short budgets: a repeat is bounded by the number of mishaps anyway, and waiting longer is waiting more often.
        pin_variable: "PIN_SITE".to_owned(),
        limits: Limits {
            read: Duration::from_secs(8),
            sync: Duration::from_secs(8),
            token: None,
            ..Limits::default()
        },
    })
    .unwrap()
}

/// Something that can happen to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Input {
    Starts,
    Goes,
    Answers(bool),
    AnswersLate,
    Reads(Zone),
    ReadsLate(Zone),
    Unavailable,
    Denied,
    Accepted,
    Lost,
    Rejected,
    TooLate,
    InSync,
    Pending,
    NoSuchChange,
    Shows(Zone),
    Cancelled,
}

/// What a run waits for, without the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wants {
    Start,
    Credentials,
    Read,
    Answer,
    Wake,
    Write(SiteId),
    Change,
    Servers,
    Nothing,
}

/// A state of one run, with what follows in it.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) wants: Wants,
    /// What it read last.
    pub(crate) read: Option<Zone>,
    pub(crate) outcome: Option<Outcome>,
    /// The site that is asked, if one is.
    pub(crate) asked: Option<SiteId>,
    pub(crate) edges: Vec<(Input, u32)>,
    /// How it was first come to.
    came: Option<(u32, Input)>,
}

/// What a state is known by. Equal keys behave equally.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    state: State,
    watch: Watch,
    mishaps: u8,
    read: Option<Zone>,
    accepted: bool,
}

/// A state that is still to be walked, with what it wants and the time until its moment.
struct Open {
    id: u32,
    key: Key,
    effect: Option<Effect>,
    until: Duration,
}

/// Every state that one run can be in, whatever the zone holds at each of its reads and whatever happens to it. So what
/// holds in all of them holds beside any number of other runs and hands.
pub(crate) struct Automaton {
    pub(crate) topology: Topology,
    order: Order,
    /// How many mishaps the run may have: faults of calls, lost answers, pauses, cancellations.
    mishaps: u8,
    pub(crate) nodes: Vec<Node>,
    index: BTreeMap<Key, u32>,
    open: VecDeque<Open>,
    /// Laws that were broken, with the way there.
    pub(crate) broken: Vec<(Law, Vec<Input>)>,
}

impl Automaton {
    /// Walks all of them.
    pub(crate) fn new(topology: Topology, pin: Option<&str>, mishaps: u8) -> Self {
        let mut automaton = Self {
            topology,
            order: Order {
                pin: pin.map(str::to_owned),
                dry_run: false,
                jitter: 0,
            },
            mishaps,
            nodes: Vec::new(),
            index: BTreeMap::new(),
            open: VecDeque::new(),
            broken: Vec::new(),
        };
        let first = Key {
            state: State::new(),
            watch: Watch::default(),
            mishaps: 0,
            read: None,
            accepted: false,
        };
        automaton.intern(first, &[], None);
        while let Some(open) = automaton.open.pop_front() {
            let inputs = automaton.inputs(open.id, open.key.mishaps);
            let edges = inputs
                .into_iter()
                .map(|input| (input, automaton.advance(&open, input)));
            let edges = edges.collect();
            automaton.nodes[open.id as usize].edges = edges;
        }
        automaton
    }

    /// Steps taken.
    pub(crate) fn steps(&self) -> usize {
        self.nodes.iter().map(|node| node.edges.len()).sum()
    }

    /// Every zone: each record at each site, or foreign.
    pub(crate) fn zones(&self) -> Vec<Zone> {
        let sites = u8::try_from(self.topology.sites().len()).unwrap();
        let values = || (0..sites).chain([FOREIGN]);
        values()
            .flat_map(|apex| values().map(move |wildcard| [apex, wildcard]))
            .collect()
    }

    /// What can happen to this run.
    fn inputs(&self, id: u32, had: u8) -> Vec<Input> {
        let node = &self.nodes[id as usize];
        let each =
            |input: fn(Zone) -> Input| self.zones().into_iter().map(input).collect::<Vec<_>>();
        let (mut inputs, mishaps) = match node.wants {
            Wants::Start => (vec![Input::Starts], vec![]),
            Wants::Credentials => (vec![Input::Goes], vec![Input::Unavailable, Input::Denied]),
            Wants::Read => {
                let mut mishaps = each(Input::ReadsLate);
                mishaps.extend([Input::Unavailable, Input::Denied]);
                (each(Input::Reads), mishaps)
            }
            Wants::Answer => (
                vec![Input::Answers(true), Input::Answers(false)],
                vec![Input::AnswersLate],
            ),
            Wants::Wake => (vec![Input::Goes], vec![]),
            Wants::Write(_) => (
                vec![Input::Accepted],
                vec![
                    Input::Lost,
                    Input::Unavailable,
                    Input::Rejected,
                    Input::TooLate,
                ],
            ),
            Wants::Change => (
                vec![Input::InSync, Input::Pending],
                vec![Input::Denied, Input::NoSuchChange, Input::Unavailable],
            ),
            Wants::Servers => (each(Input::Shows), vec![Input::Unavailable]),
            Wants::Nothing => (vec![], vec![]),
        };
        if had < self.mishaps && node.wants != Wants::Nothing {
            inputs.extend(mishaps);
            inputs.push(Input::Cancelled);
        }
        inputs
    }

    fn advance(&mut self, open: &Open, input: Input) -> u32 {
        let event = self.event(open, input);
        let mut watch = open.key.watch.clone();
        let mut read = open.key.read.filter(|_| input != Input::Accepted);
        if let Input::Reads(zone) | Input::ReadsLate(zone) = input
            && !open.key.accepted
        {
            read = Some(zone);
        }
        let (state, effects) = step(&self.topology, open.key.state.clone(), event.clone());
        for law in watch.sees(&self.topology, &event, &effects) {
            let mut way = self.way_to(open.id);
            way.push(input);
            self.broken.push((law, way));
        }
        let key = Key {
            state,
            watch,
            mishaps: open.key.mishaps + u8::from(is_mishap(input)),
            read,
            accepted: open.key.accepted || input == Input::Accepted,
        };
        self.intern(key, &effects, Some((open.id, input)))
    }

    fn intern(&mut self, mut key: Key, effects: &[Effect], came: Option<(u32, Input)>) -> u32 {
        let now = key.state.now();
        let effect = effects.iter().find(|effect| effect.is_answered()).cloned();
        let until = match &effect {
            Some(Effect::Wait(until) | Effect::Write(_, until)) => until.since(now),
            _ => Duration::ZERO,
        };
        let outcome = key.state.outcome().cloned();
        let wants = match &effect {
            None if outcome.is_some() => Wants::Nothing,
            None => Wants::Start,
            Some(effect) => wants(effect),
        };
        key.state = key.state.rebased();
        key.watch = key.watch.rebased(now);
        if outcome.is_some() {
            // What a run remembers after its end is of no use to anybody.
            key.watch = Watch::default();
            key.mishaps = 0;
            key.read = None;
            key.accepted = false;
        }
        let fresh = u32::try_from(self.nodes.len()).unwrap();
        let id = *self.index.entry(key.clone()).or_insert(fresh);
        if id == fresh {
            self.nodes.push(Node {
                wants,
                read: key.read,
                outcome,
                asked: match &effect {
                    Some(Effect::Ask(Ask {
                        whom: Whom::Site(site),
                        ..
                    })) => Some(*site),
                    _ => None,
                },
                edges: Vec::new(),
                came,
            });
            self.open.push_back(Open {
                id,
                key,
                effect,
                until,
            });
        }
        id
    }

    /// The shortest way to a state.
    pub(crate) fn way_to(&self, id: u32) -> Vec<Input> {
        let mut way = Vec::new();
        let mut at = id;
        while let Some((before, input)) = self.nodes[at as usize].came {
            way.push(input);
            at = before;
        }
        way.reverse();
        way
    }

    fn event(&self, node: &Open, input: Input) -> Event {
        let until = node.until;
        let late = self.topology.limits().fresh + Duration::from_millis(1);
        let (takes, what) = match input {
            Input::Starts => (Duration::ZERO, Happened::Started(self.order.clone())),
            Input::Goes => match &node.effect {
                Some(Effect::FetchToken) => (Duration::ZERO, Happened::TokenFetched),
                Some(Effect::AssumeRole) => (Duration::ZERO, Happened::RoleAssumed { lives: None }),
                _ => (until, Happened::Woke),
            },
            Input::Answers(true) => (Duration::ZERO, self.answers(node, true)),
            Input::Answers(false) => (self.topology.probe().timeout, self.answers(node, false)),
            Input::AnswersLate => (late, self.answers(node, true)),
            Input::Reads(zone) => (Duration::ZERO, Happened::Records(self.sets(zone))),
            Input::ReadsLate(zone) => (late, Happened::Records(self.sets(zone))),
            Input::Unavailable => (Duration::ZERO, failed("ServiceUnavailable", 503)),
            Input::Denied => (Duration::ZERO, failed("AccessDenied", 403)),
            Input::Accepted => (Duration::ZERO, Happened::Accepted("C1".to_owned())),
            Input::Lost => (Duration::ZERO, Happened::Failed(Fault::lost(""))),
            Input::Rejected => (Duration::ZERO, failed("InvalidChangeBatch", 400)),
            Input::TooLate => (until + Duration::from_millis(1), Happened::Late),
            Input::InSync => (Duration::ZERO, Happened::Change(ChangeStatus::InSync)),
            Input::Pending => (Duration::ZERO, Happened::Change(ChangeStatus::Pending)),
            Input::NoSuchChange => (Duration::ZERO, failed("NoSuchChange", 404)),
            Input::Shows(zone) => (Duration::ZERO, self.servers(zone)),
            Input::Cancelled => (Duration::ZERO, Happened::Cancelled),
        };
        Event {
            at: node.key.state.now().after(takes),
            what,
        }
    }

    fn answers(&self, node: &Open, good: bool) -> Happened {
        let count = match &node.effect {
            Some(Effect::Ask(ask)) => ask.requests(&self.topology).len(),
            _ => 0,
        };
        let answer = if good {
            Answer::status(200)
        } else {
            Answer::None(NoAnswer::Timeout)
        };
        Happened::Answered(vec![answer; count])
    }

    /// The record sets of a zone.
    pub(crate) fn sets(&self, zone: Zone) -> Vec<RecordSet> {
        let records = self.topology.records().iter();
        let set = records.map(|record| {
            let code = zone[usize::from(record.name.is_wildcard())];
            let site = self.topology.ids().nth(code.into());
            let address = site.and_then(|site| self.topology.address(site, record.kind));
            let foreign = match record.kind {
                RecordType::A => IpAddr::from([192, 0, 2, 66]),
                RecordType::Aaaa => IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0x66]),
            };
            RecordSet {
                name: record.name.route53(),
                kind: record.kind.word().to_owned(),
                ttl: Some(300),
                values: vec![address.unwrap_or(foreign).to_string()],
                alias: None,
                set_identifier: None,
            }
        });
        set.collect()
    }

    fn servers(&self, zone: Zone) -> Happened {
        let values = self.sets(zone).into_iter().map(|set| set.values).collect();
        Happened::Servers(vec![ServerAnswer {
            server: "ns-1.example.net".to_owned(),
            values: Some(values),
        }])
    }
}

fn failed(code: &str, http: u16) -> Happened {
    Happened::Failed(Fault::answered(code, Some(http), ""))
}

fn is_mishap(input: Input) -> bool {
    matches!(
        input,
        Input::AnswersLate
            | Input::ReadsLate(_)
            | Input::Unavailable
            | Input::Denied
            | Input::Lost
            | Input::Rejected
            | Input::TooLate
            | Input::NoSuchChange
            | Input::Cancelled
    )
}

fn wants(effect: &Effect) -> Wants {
    match effect {
        Effect::FetchToken | Effect::AssumeRole => Wants::Credentials,
        Effect::ReadRecords(_) => Wants::Read,
        Effect::Ask(Ask {
            whom: Whom::Site(_) | Whom::Control,
            hosts: Hosts::Probe | Hosts::Others,
        }) => Wants::Answer,
        Effect::Wait(_) => Wants::Wake,
        Effect::Write(batch, _) => Wants::Write(batch.to()),
        Effect::AskChange(_) => Wants::Change,
        Effect::AskServers => Wants::Servers,
        Effect::Note(_) | Effect::Finish(_) => Wants::Nothing,
    }
}

/// The same run as others see it: what it does to the zone and what it reads of it before it writes. States that others
/// cannot tell apart are one; what a run does by itself in between is left out, and so is all that it does when it can no
/// longer write.
pub(crate) struct Visible {
    /// By state: what it wants, and for a write what it read last.
    pub(crate) kinds: Vec<(Wants, Option<Zone>)>,
    /// By state: what can happen, and where it may lead; `None` is a run that writes no more.
    pub(crate) edges: Vec<BTreeMap<Input, BTreeSet<Option<u32>>>>,
    /// Where a run may stand before its first look at the zone.
    pub(crate) first: BTreeSet<Option<u32>>,
}

impl Visible {
    pub(crate) fn of(automaton: &Automaton) -> Self {
        let nodes = &automaton.nodes;
        let writes = can_write(nodes);
        let seen = |id: u32| {
            let wants = nodes[id as usize].wants;
            matches!(wants, Wants::Read | Wants::Write(_)) || !writes[id as usize]
        };
        // Where a run may next be seen.
        let reach = |from: u32| {
            let (mut open, mut done) = (vec![from], BTreeSet::from([from]));
            let mut next = BTreeSet::new();
            while let Some(id) = open.pop() {
                if seen(id) {
                    next.insert(id);
                    continue;
                }
                let edges = nodes[id as usize].edges.iter();
                open.extend(edges.map(|(_, to)| *to).filter(|to| done.insert(*to)));
            }
            next
        };
        let ids =
            (0..u32::try_from(nodes.len()).unwrap()).filter(|id| seen(*id) && writes[*id as usize]);
        let raw: BTreeMap<u32, Vec<(Input, BTreeSet<u32>)>> = ids
            .map(|id| {
                let edges = nodes[id as usize].edges.iter();
                (id, edges.map(|(input, to)| (*input, reach(*to))).collect())
            })
            .collect();
        let kind = |id: u32| {
            let node = &nodes[id as usize];
            let read = node.read.filter(|_| matches!(node.wants, Wants::Write(_)));
            (node.wants, read)
        };
        let class = Self::classes(&raw, kind);
        let count = class.values().max().map_or(0, |most| *most as usize + 1);
        let mut visible = Self {
            kinds: vec![(Wants::Nothing, None); count],
            edges: vec![BTreeMap::new(); count],
            first: reach(0).iter().map(|id| class.get(id).copied()).collect(),
        };
        for (id, edges) in &raw {
            let own = class[id] as usize;
            visible.kinds[own] = kind(*id);
            visible.edges[own] = Self::leads(edges, &class);
        }
        visible
    }

    /// The coarsest classes of which no two states of one lead to different ones.
    fn classes(
        raw: &BTreeMap<u32, Vec<(Input, BTreeSet<u32>)>>,
        kind: impl Fn(u32) -> (Wants, Option<Zone>),
    ) -> BTreeMap<u32, u32> {
        let mut kinds = BTreeMap::new();
        let mut class = BTreeMap::new();
        for id in raw.keys() {
            let fresh = u32::try_from(kinds.len()).unwrap();
            class.insert(*id, *kinds.entry(kind(*id)).or_insert(fresh));
        }
        let mut before = kinds.len();
        loop {
            let mut signatures = BTreeMap::new();
            let mut refined = BTreeMap::new();
            for (id, edges) in raw {
                let signature = (class[id], Self::leads(edges, &class));
                let fresh = u32::try_from(signatures.len()).unwrap();
                refined.insert(*id, *signatures.entry(signature).or_insert(fresh));
            }
            class = refined;
            if signatures.len() == before {
                return class;
            }
            before = signatures.len();
        }
    }

    fn leads(
        edges: &[(Input, BTreeSet<u32>)],
        class: &BTreeMap<u32, u32>,
    ) -> BTreeMap<Input, BTreeSet<Option<u32>>> {
        let lead = |(input, to): &(Input, BTreeSet<u32>)| {
            (*input, to.iter().map(|id| class.get(id).copied()).collect())
        };
        edges.iter().map(lead).collect()
    }
}

/// From which states a write can still be reached.
fn can_write(nodes: &[Node]) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (id, node) in nodes.iter().enumerate() {
        for (_, to) in &node.edges {
            before[*to as usize].push(id);
        }
    }
    let mut can = vec![false; nodes.len()];
    let mut open: Vec<usize> = (0..nodes.len())
        .filter(|id| matches!(nodes[*id].wants, Wants::Write(_)))
        .collect();
    while let Some(id) = open.pop() {
        if !can[id] {
            can[id] = true;
            open.extend(&before[id]);
        }
    }
    can
}

#[test]
fn a_clock_set_back_changes_nothing() {
    let topology = topology(2, &[RecordType::A], 3, 2);
    let order = Order {
        pin: None,
        dry_run: false,
        jitter: 0,
    };
    let start = |at| Event {
        at: Moment::from_millis(at),
        what: Happened::Started(order.clone()),
    };
    let (now, _) = step(&topology, State::new(), start(0));
    let (later, _) = step(&topology, State::new(), start(90_000));
    assert_ne!(now, later);
    assert_eq!(now.rebased(), later.rebased());
}
