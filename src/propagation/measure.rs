//! From answers to phases: which value is new, who has it since when, and whose cache is stale.

use std::time::Duration;

use super::answer::{Answer, Observation, Role, Server};
use super::seen::Seen;

/// How late an answer of a cache may come after its end before it counts as kept too long: TTLs are whole seconds, and
/// caches round up.
const SLACK: Duration = Duration::from_secs(2);

/// Which value is waited for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    /// Exactly these values, sorted; without them, others than at the start.
    pub expected: Option<Vec<String>>,
    /// The only values that can be new, without `expected`; empty for any.
    pub candidates: Vec<String>,
}

/// When the new value was where, since the watch began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Phases {
    /// The first authoritative server had it.
    pub first_authoritative: Option<Duration>,
    /// All of them have had nothing else since.
    pub all_authoritative: Option<Duration>,
    /// The first resolver had it.
    pub first_resolver: Option<Duration>,
    /// All of them have had nothing else since.
    pub all_resolvers: Option<Duration>,
}

/// How a watch stands, or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every server shows the new value.
    All,
    /// Some do not, or there is no new value.
    NotAll,
    /// No server has answered at all.
    Nobody,
}

/// A server that still shows something else when all authoritative servers have the new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// What it shows.
    pub values: Vec<String>,
    /// When that runs out by its own word, since the watch began.
    pub until: Option<Duration>,
    /// Whether it has been kept for longer than the record's TTL since the authoritative servers changed.
    pub overdue: bool,
}

/// What is known of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerMeasured {
    /// The server.
    pub server: Server,
    /// How often it was asked and had its time to answer.
    pub asked: usize,
    /// How often nothing was known afterwards.
    pub unanswered: usize,
    /// When it first had the new value.
    pub first: Option<Duration>,
    /// Since when it has had nothing else.
    pub settled: Option<Duration>,
    /// How often it went back to something else.
    pub left: usize,
    /// Its latest answer.
    pub last: Option<(Duration, Answer)>,
    /// What it says instead of the new value, when it could not be fresh any more.
    pub stale: Option<Stale>,
    /// Each way in which it did not answer, the first time.
    pub troubles: Vec<(Duration, Answer)>,
}

/// What came of the answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The values at the start; `None` when nobody said them, or they were the new ones.
    pub old: Option<Vec<String>>,
    /// The new values, if they are known.
    pub new: Option<Vec<String>>,
    /// When the new value was where.
    pub phases: Phases,
    /// The servers, in their order.
    pub servers: Vec<ServerMeasured>,
    /// How it stands.
    pub outcome: Outcome,
}

/// Answers as they come in.
#[derive(Debug, Clone)]
pub struct Watch {
    rule: Rule,
    servers: Vec<Server>,
    seen: Vec<Seen>,
}

/// All answers at once.
#[must_use]
pub fn measure(rule: Rule, servers: Vec<Server>, observations: &[Observation]) -> Measured {
    let mut watch = Watch::new(rule, servers);
    for observation in observations {
        watch.see(observation);
    }
    watch.measured()
}

impl Watch {
    /// Nothing was heard of these servers.
    #[must_use]
    pub fn new(rule: Rule, servers: Vec<Server>) -> Self {
        let seen = vec![Seen::default(); servers.len()];
        Self {
            rule,
            servers,
            seen,
        }
    }

    /// The servers.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// Takes an answer; gives whether this server had said something else before.
    pub fn see(&mut self, observation: &Observation) -> bool {
        let Observation { at, server, answer } = observation;
        let seen = self.seen.get_mut(*server);
        seen.is_some_and(|seen| seen.see(*at, answer))
    }

    /// Whether every server has answered, or had its time to.
    #[must_use]
    pub fn heard_all(&self) -> bool {
        self.seen.iter().all(|seen| seen.asked > 0)
    }

    /// The different first values of those who know the record best, when there are several: a change is under way, and nobody
    /// can tell which value is the new one.
    #[must_use]
    pub fn disagreement(&self) -> Option<Vec<Vec<String>>> {
        let mut firsts: Vec<Vec<String>> = Vec::new();
        for run in self.leaders().filter_map(|seen| seen.runs.first()) {
            if !firsts.contains(&run.values) {
                firsts.push(run.values.clone());
            }
        }
        (firsts.len() > 1 && self.rule.expected.is_none()).then_some(firsts)
    }

    /// Resolvers whose first values are others than those of the authoritative servers, which are at one: a change before the watch
    /// began, or a view of their own. Nothing where the new value is given.
    #[must_use]
    pub fn strays(&self) -> Vec<(&Server, &[String])> {
        let old = self.old();
        let by_authority = self
            .of(Role::Authoritative)
            .any(|seen| !seen.runs.is_empty());
        if self.rule.expected.is_some() || !by_authority || self.disagreement().is_some() {
            return Vec::new();
        }
        let pairs = self.servers.iter().zip(&self.seen);
        let resolvers = pairs.filter(|(server, _)| server.role == Role::Resolver);
        resolvers
            .filter_map(|(server, seen)| Some((server, seen.runs.first()?.values.as_slice())))
            .filter(|(_, values)| Some(*values) != old.as_deref())
            .collect()
    }

    /// How it stands.
    #[must_use]
    pub fn measured(&self) -> Measured {
        let old = self.old();
        let new = self.new_value(old.as_deref());
        let phases = new.as_deref().map_or_else(Phases::default, |new| Phases {
            first_authoritative: self.first(Role::Authoritative, new),
            all_authoritative: self.all(Role::Authoritative, new),
            first_resolver: self.first(Role::Resolver, new),
            all_resolvers: self.all(Role::Resolver, new),
        });
        let all = new
            .as_deref()
            .is_some_and(|new| self.seen.iter().all(|seen| seen.shows(new)));
        let nobody = self.seen.iter().all(|seen| seen.runs.is_empty());
        let pairs = self.servers.iter().zip(&self.seen);
        let servers = pairs
            .map(|(server, seen)| self.server(server, seen, new.as_deref(), phases))
            .collect();
        Measured {
            old: old.filter(|old| Some(old) != new.as_ref()),
            new,
            phases,
            servers,
            outcome: match (nobody, all) {
                (true, _) => Outcome::Nobody,
                (false, true) => Outcome::All,
                (false, false) => Outcome::NotAll,
            },
        }
    }

    fn of(&self, role: Role) -> impl Iterator<Item = &Seen> {
        let pairs = self.servers.iter().zip(&self.seen);
        pairs
            .filter(move |(server, _)| server.role == role)
            .map(|(_, seen)| seen)
    }

    /// Those who know the record best: authoritative servers that have answered, or else resolvers.
    fn leaders(&self) -> impl Iterator<Item = &Seen> {
        let answered = |seen: &&Seen| !seen.runs.is_empty();
        let role = if self.of(Role::Authoritative).any(|seen| answered(&seen)) {
            Role::Authoritative
        } else {
            Role::Resolver
        };
        self.of(role).filter(answered)
    }

    /// What the first of them said first.
    fn old(&self) -> Option<Vec<String>> {
        let firsts = self.leaders().filter_map(|seen| seen.runs.first());
        let first = firsts.min_by_key(|run| run.since)?;
        Some(first.values.clone())
    }

    fn new_value(&self, old: Option<&[String]>) -> Option<Vec<String>> {
        if let Some(expected) = &self.rule.expected {
            return Some(expected.clone());
        }
        let candidates = &self.rule.candidates;
        let possible = |values: &[String]| {
            let known = candidates.is_empty() || values.iter().all(|it| candidates.contains(it));
            !values.is_empty() && known && Some(values) != old
        };
        let runs = self.leaders().flat_map(|seen| &seen.runs);
        let first = runs
            .filter(|run| possible(&run.values))
            .min_by_key(|run| run.since)?;
        Some(first.values.clone())
    }

    fn first(&self, role: Role, new: &[String]) -> Option<Duration> {
        self.of(role).filter_map(|seen| seen.first(new)).min()
    }

    fn all(&self, role: Role, new: &[String]) -> Option<Duration> {
        let settled: Option<Vec<Duration>> = self.of(role).map(|seen| seen.settled(new)).collect();
        settled?.into_iter().max()
    }

    fn server(
        &self,
        server: &Server,
        seen: &Seen,
        new: Option<&[String]>,
        phases: Phases,
    ) -> ServerMeasured {
        ServerMeasured {
            server: server.clone(),
            asked: seen.asked,
            unanswered: seen.unanswered,
            first: new.and_then(|new| seen.first(new)),
            settled: new.and_then(|new| seen.settled(new)),
            left: new.map_or(0, |new| seen.left(new)),
            last: seen.last.clone(),
            stale: new.and_then(|new| self.stale(server, seen, new, phases)),
            troubles: seen.troubles.clone(),
        }
    }

    /// A resolver can be stale only where the authoritative servers are known to have changed.
    fn stale(&self, server: &Server, seen: &Seen, new: &[String], phases: Phases) -> Option<Stale> {
        let changed = phases.all_authoritative?;
        let run = seen.runs.last()?;
        let behind = server.role == Role::Resolver && run.values != new && run.last >= changed;
        let whole = self.of(Role::Authoritative).flat_map(|seen| &seen.runs);
        let whole = whole.filter_map(|run| run.ttl).max();
        let latest = whole.map(|ttl| changed + Duration::from_secs(ttl.into()) + SLACK);
        behind.then(|| Stale {
            values: run.values.clone(),
            until: run
                .ttl
                .map(|ttl| run.last + Duration::from_secs(ttl.into())),
            overdue: latest.is_some_and(|latest| run.last > latest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EDGE: &str = "198.51.100.10";
    const HUB: &str = "203.0.113.20";

    fn servers(roles: &[Role]) -> Vec<Server> {
        let named = |(index, role): (usize, &Role)| Server {
            name: format!("s{index}"),
            address: format!("127.0.0.1:{index}"),
            role: *role,
        };
        roles.iter().enumerate().map(named).collect()
    }

    fn shows(at: u64, server: usize, value: &str, ttl: u32) -> Observation {
        Observation {
            at: Duration::from_secs(at),
            server,
            answer: Answer::Values {
                values: vec![value.to_owned()],
                ttl,
                through: Vec::new(),
            },
        }
    }

    fn says(at: u64, server: usize, answer: Answer) -> Observation {
        Observation {
            at: Duration::from_secs(at),
            server,
            answer,
        }
    }

    fn secs(at: Option<Duration>) -> Option<u64> {
        at.map(|at| at.as_secs())
    }

    const ALL: [Role; 3] = [Role::Authoritative, Role::Authoritative, Role::Resolver];

    #[test]
    fn phases_are_the_first_and_the_last_of_each_kind() {
        let seen = [
            shows(0, 0, EDGE, 300),
            shows(0, 1, EDGE, 300),
            shows(0, 2, EDGE, 20),
            shows(5, 0, HUB, 300),
            shows(5, 1, EDGE, 300),
            shows(5, 2, EDGE, 15),
            shows(7, 0, HUB, 300),
            shows(7, 1, HUB, 300),
            shows(7, 2, EDGE, 13),
        ];
        let told = measure(Rule::default(), servers(&ALL), &seen);
        assert_eq!(told.outcome, Outcome::NotAll);
        let stale = told.servers[2].stale.as_ref().unwrap();
        assert_eq!((secs(stale.until), stale.overdue), (Some(20), false));
        let seen = [&seen[..], &[shows(20, 2, HUB, 300)]].concat();
        let told = measure(Rule::default(), servers(&ALL), &seen);
        assert_eq!(told.outcome, Outcome::All);
        assert_eq!(told.old, Some(vec![EDGE.to_owned()]));
        assert_eq!(told.new, Some(vec![HUB.to_owned()]));
        let phases = told.phases;
        assert_eq!(secs(phases.first_authoritative), Some(5));
        assert_eq!(secs(phases.all_authoritative), Some(7));
        assert_eq!(secs(phases.first_resolver), Some(20));
        assert_eq!(secs(phases.all_resolvers), Some(20));
        assert_eq!(told.servers[2].stale, None);
    }

    #[test]
    fn a_server_that_goes_back_has_the_value_since_it_last_came() {
        let two = servers(&[Role::Authoritative, Role::Authoritative]);
        let seen = [
            shows(0, 0, EDGE, 60),
            shows(0, 1, EDGE, 60),
            shows(1, 0, HUB, 60),
            shows(1, 1, HUB, 60),
            shows(2, 0, EDGE, 60),
            shows(4, 0, HUB, 60),
        ];
        let told = measure(Rule::default(), two, &seen);
        assert_eq!(told.outcome, Outcome::All);
        assert_eq!(secs(told.servers[0].first), Some(1));
        assert_eq!(secs(told.servers[0].settled), Some(4));
        assert_eq!(told.servers[0].left, 1);
        assert_eq!(secs(told.phases.all_authoritative), Some(4));
    }

    #[test]
    fn a_server_that_says_nothing_keeps_a_watch_from_being_done() {
        let two = servers(&[Role::Authoritative, Role::Authoritative]);
        let refused = Answer::Failed("REFUSED".to_owned());
        let seen = [
            shows(0, 0, EDGE, 60),
            says(0, 1, refused.clone()),
            shows(1, 0, HUB, 60),
            says(1, 1, refused.clone()),
            says(2, 1, Answer::Silent),
        ];
        let told = measure(Rule::default(), two, &seen);
        assert_eq!(told.outcome, Outcome::NotAll);
        assert_eq!(told.phases.all_authoritative, None);
        assert_eq!(told.servers[1].unanswered, 3);
        let first = |at, answer| (Duration::from_secs(at), answer);
        assert_eq!(
            told.servers[1].troubles,
            [first(0, refused), first(2, Answer::Silent)]
        );
    }

    #[test]
    fn a_value_is_expected_by_name_and_may_be_there_from_the_start() {
        let rule = Rule {
            expected: Some(vec![HUB.to_owned()]),
            candidates: Vec::new(),
        };
        let one = servers(&[Role::Authoritative]);
        let told = measure(rule.clone(), one.clone(), &[shows(0, 0, HUB, 60)]);
        assert_eq!((told.outcome, told.old), (Outcome::All, None));
        let other = measure(
            rule,
            one,
            &[shows(0, 0, EDGE, 60), shows(1, 0, "192.0.2.1", 60)],
        );
        assert_eq!(other.outcome, Outcome::NotAll);
        assert_eq!(other.phases.first_authoritative, None);
    }

    #[test]
    fn no_record_and_an_address_of_no_site_are_no_new_value() {
        let rule = Rule {
            expected: None,
            candidates: vec![EDGE.to_owned(), HUB.to_owned()],
        };
        let seen = [
            shows(0, 0, EDGE, 60),
            says(1, 0, Answer::NoName),
            says(2, 0, Answer::NoData),
            shows(3, 0, "192.0.2.66", 60),
        ];
        let told = measure(rule.clone(), servers(&[Role::Authoritative]), &seen);
        assert_eq!((told.outcome, told.new), (Outcome::NotAll, None));
        let seen = [&seen[..], &[shows(4, 0, HUB, 60)]].concat();
        let told = measure(rule, servers(&[Role::Authoritative]), &seen);
        assert_eq!(told.new, Some(vec![HUB.to_owned()]));
        assert_eq!(told.outcome, Outcome::All);
    }

    #[test]
    fn a_resolver_says_what_is_new_only_where_no_authority_answers() {
        let two = [Role::Authoritative, Role::Resolver];
        let private = [shows(0, 0, EDGE, 60), shows(1, 1, "192.0.2.9", 60)];
        let told = measure(Rule::default(), servers(&two), &private);
        assert_eq!(told.new, None);
        let alone = [
            says(0, 0, Answer::Silent),
            shows(0, 1, EDGE, 60),
            shows(1, 1, HUB, 60),
        ];
        let told = measure(Rule::default(), servers(&two), &alone);
        assert_eq!(told.new, Some(vec![HUB.to_owned()]));
        assert_eq!(told.outcome, Outcome::NotAll);
    }

    #[test]
    fn a_cache_that_keeps_a_value_beyond_its_ttl_is_overdue() {
        let two = servers(&[Role::Authoritative, Role::Resolver]);
        let seen = |at| {
            [
                shows(0, 0, EDGE, 30),
                shows(0, 1, EDGE, 30),
                shows(10, 0, HUB, 30),
                shows(at, 1, EDGE, 5),
            ]
        };
        let overdue = |at| {
            let told = measure(Rule::default(), two.clone(), &seen(at));
            told.servers[1].stale.as_ref().map(|stale| stale.overdue)
        };
        assert_eq!(overdue(9), None);
        assert_eq!(overdue(42), Some(false));
        assert_eq!(overdue(43), Some(true));
    }

    #[test]
    fn authorities_that_disagree_at_the_start_leave_open_what_is_new() {
        let two = servers(&[Role::Authoritative, Role::Authoritative]);
        let mut watch = Watch::new(Rule::default(), two.clone());
        watch.see(&shows(0, 0, EDGE, 60));
        assert!(!watch.heard_all());
        watch.see(&shows(0, 1, HUB, 60));
        assert!(watch.heard_all());
        assert_eq!(
            watch.disagreement(),
            Some(vec![vec![EDGE.to_owned()], vec![HUB.to_owned()]])
        );
        let rule = Rule {
            expected: Some(vec![HUB.to_owned()]),
            candidates: Vec::new(),
        };
        let mut watch = Watch::new(rule, two);
        watch.see(&shows(0, 0, EDGE, 60));
        watch.see(&shows(0, 1, HUB, 60));
        assert_eq!(watch.disagreement(), None);
    }

    #[test]
    fn a_resolver_that_differs_from_the_start_is_pointed_out() {
        let mut watch = Watch::new(Rule::default(), servers(&ALL));
        watch.see(&shows(0, 0, HUB, 60));
        watch.see(&shows(0, 2, EDGE, 12));
        let strays = watch.strays();
        assert_eq!(strays.len(), 1);
        assert_eq!(
            (strays[0].0.name.as_str(), strays[0].1),
            ("s2", &[EDGE.to_owned()][..])
        );
        watch.see(&shows(0, 1, EDGE, 60));
        assert!(watch.strays().is_empty());
    }

    #[test]
    fn nobody_answers() {
        let told = measure(
            Rule::default(),
            servers(&ALL),
            &[says(0, 0, Answer::Silent)],
        );
        assert_eq!(told.outcome, Outcome::Nobody);
    }

    fn any_answer() -> impl Strategy<Value = Answer> {
        prop_oneof![
            (0..3_u8, 0..100_u32).prop_map(|(value, ttl)| Answer::Values {
                values: vec![format!("192.0.2.{value}")],
                ttl,
                through: Vec::new(),
            }),
            Just(Answer::NoData),
            Just(Answer::Silent),
            Just(Answer::Failed("SERVFAIL".to_owned())),
        ]
    }

    proptest! {
        #[test]
        fn phases_come_in_their_order(
            answers in prop::collection::vec((0..4_usize, any_answer()), 0..60),
        ) {
            let observations: Vec<Observation> = answers
                .into_iter()
                .zip(0..)
                .map(|((server, answer), at)| says(at, server, answer))
                .collect();
            let told = measure(Rule::default(), servers(&ALL), &observations);
            let Phases { first_authoritative, all_authoritative, first_resolver, all_resolvers } = told.phases;
            prop_assert!(all_authoritative.is_none() || first_authoritative <= all_authoritative);
            prop_assert!(all_resolvers.is_none() || first_resolver <= all_resolvers);
            if told.outcome == Outcome::All {
                prop_assert!(all_authoritative.is_some() && all_resolvers.is_some());
                prop_assert!(told.servers.iter().all(|it| it.stale.is_none()));
            }
            prop_assert!(told.new.is_none() || told.old != told.new);
        }
    }
}
