//! What fails at a site: the house, its line, its certificate, its application.

use std::collections::BTreeMap;

use crate::forecast;

use super::{
    Duty, Facts, Failure, Holder, NO_MESSAGES, NOBODY, NOTHING, SENDING, TELLING, UNTIL_PERSON,
};

impl Facts<'_> {
    pub(super) fn home(&self) -> Failure {
        let switches = self.switched(|| {
            let (target, seen) = (self.target(), self.seen());
            format!("all records to {target}, and back{seen}")
        });
        Failure {
            id: "home",
            what: format!("{} is dead", self.home),
            notices: self.home_noticed(),
            switches,
            lasts: self.minutes(),
            messages: self.counted(),
            person: self.after_home(),
        }
    }

    /// Where a run moves the records: the first standby that answers.
    fn target(&self) -> String {
        let others = self.spec.standbys().iter().skip(1);
        let others: Vec<&str> = others.map(|site| site.name.as_str()).collect();
        if others.is_empty() {
            self.standby.to_owned()
        } else {
            let (first, others) = (self.standby, others.join(", "));
            format!("{first}, or where it does not answer to {others}")
        }
    }

    /// What visitors see at the standby that they do not see at home, host by host as the spec notes it.
    fn seen(&self) -> String {
        let mut noted: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for host in self.spec.hosts_at(self.standby) {
            if let Some(note) = host.notes.get(self.standby) {
                noted.entry(note).or_default().push(host.name.to_string());
            }
        }
        let notes = noted
            .into_iter()
            .map(|(note, hosts)| format!("; {}: {note}", hosts.join(", ")));
        notes.collect()
    }

    pub(super) fn after_home(&self) -> String {
        let mut person = match &self.stop {
            Some(stop) => format!("mend {}; until then run the executor by hand", stop.link),
            None if self.switches() => NOTHING.to_owned(),
            None => "run the executor by hand".to_owned(),
        };
        let absent = self.spec.hosts.iter();
        let absent = absent.filter(|host| host.absent_at.contains(self.standby));
        let absent: Vec<String> = absent.map(|host| host.name.to_string()).collect();
        if !absent.is_empty() {
            let verb = if absent.len() == 1 { "is" } else { "are" };
            person.push_str(&format!(
                "; {} {verb} served nowhere meanwhile",
                absent.join(", ")
            ));
        }
        if self.switches() && !self.works(Duty::FailbackRetry) {
            person.push_str(
                "; dispatch the return by hand if the one message at its recovery is lost",
            );
        }
        person
    }

    pub(super) fn standby(&self) -> Failure {
        let switches = match self.spec.standbys().len() {
            0 | 1 => "nothing: there is nowhere else to go".to_owned(),
            more => format!(
                "nothing now; {} more standby could be used when {} dies, too",
                more - 1,
                self.home
            ),
        };
        Failure {
            id: "standby",
            what: format!("{} is dead", self.standby),
            notices: format!(
                "nobody: no monitor watches {}, and Uptime Kuma is silent with it if it runs there",
                self.standby
            ),
            switches,
            lasts: format!("no time while {} lives", self.home),
            messages: NO_MESSAGES.to_owned(),
            person: format!("watch {} from a third place", self.standby),
        }
    }

    pub(super) fn home_link(&self) -> Failure {
        let switches = self.switched(|| {
            let target = self.target();
            format!("all records to {target}, once a runner outside confirms it")
        });
        Failure {
            id: "home-link",
            what: format!("the line of {} is down", self.home),
            notices: self.home_noticed(),
            switches,
            lasts: self.minutes(),
            messages: self.counted(),
            person: if self.switches() {
                "nothing; home looks well from within".to_owned()
            } else {
                self.after_home()
            },
        }
    }

    pub(super) fn application(&self) -> Failure {
        let [watch, notice] = self.sights(|holder| taken_for_life(holder).map(str::to_owned));
        let status = self.spec.probe.expected_status;
        let (switches, lasts, person) = if watch.sees() {
            let person = if self.stop.is_some() {
                self.after_home()
            } else {
                NOTHING.to_owned()
            };
            let moved = self.switched(|| format!("all records to {}", self.target()));
            (moved, self.minutes(), person)
        } else if self.is_open() {
            let moved = self.switched(String::new);
            (moved, self.minutes(), self.after_home())
        } else {
            (
                format!(
                    "nothing by itself; a run that is started moves, since it takes {status} alone"
                ),
                UNTIL_PERSON.to_owned(),
                "dispatch the workflow by hand".to_owned(),
            )
        };
        Failure {
            id: "application",
            what: "the application is dead behind a living gateway".to_owned(),
            notices: noticed(&watch, &notice, ", by the status"),
            switches,
            lasts,
            messages: self.counted_of(&watch, &notice),
            person,
        }
    }

    /// The watch asks the origin's name: another certificate of home it does not see.
    pub(super) fn certificate(&self) -> Failure {
        let origin = &self.spec.origin.name;
        let [watch, notice] = self.sights(|holder| {
            let ignores = holder.monitor.flag("ignore_tls") == Some(true);
            ignores.then(|| "no certificate is looked at".to_owned())
        });
        let (switches, lasts) = if matches!(watch, Sight::Blind(_)) {
            (NOTHING.to_owned(), UNTIL_PERSON.to_owned())
        } else {
            let moved = self.switched(|| {
                format!(
                    "all records to {}, if its own certificate is good",
                    self.target()
                )
            });
            (moved, self.minutes())
        };
        let person = if self.switches() && watch.sees() {
            "renew it; the return then comes by itself"
        } else {
            "renew it"
        };
        let shown = if watch.sees() || notice.sees() {
            format!(", if {origin} shows it, too")
        } else {
            String::new()
        };
        Failure {
            id: "certificate",
            what: format!("the certificate of {} is expired", self.home),
            notices: noticed(&watch, &notice, "") + &shown,
            switches,
            lasts,
            messages: self.counted_of(&watch, &notice),
            person: person.to_owned(),
        }
    }

    /// Whether the watch and the notice see a fault that `blind` keeps a monitor from seeing; of several monitors one that
    /// sees it is enough.
    fn sights(&self, blind: impl Fn(&Holder) -> Option<String>) -> [Sight; 2] {
        let duties = [
            (
                Duty::EdgeWatch,
                "no monitor starts the workflow",
                "the edge watch",
            ),
            (
                Duty::EdgeNotice,
                "no monitor tells people",
                "the edge notice",
            ),
        ];
        duties.map(|(duty, none, name)| {
            let able = || self.chain.duties.with(duty).filter(|it| it.works());
            let first = able().find_map(&blind);
            if able().any(|holder| blind(holder).is_none()) {
                return Sight::Sees;
            }
            let absent = || self.standing_words(duty, none, name);
            first.map_or_else(
                || Sight::Not(absent().unwrap_or_else(|| none.to_owned())),
                Sight::Blind,
            )
        })
    }

    /// Messages of a fault that only some monitors see.
    fn counted_of(&self, watch: &Sight, notice: &Sight) -> String {
        let (messages, settings) = (self.column.messages, &self.column.settings);
        if self.is_open() || self.chain.are_open(&SENDING) || self.chain.are_open(&TELLING) {
            return self.counted();
        }
        let alone = forecast::noticed(settings);
        let (dispatches, moved) = if watch.sees() {
            (messages.dispatches, messages.people.saturating_sub(alone))
        } else {
            (0, 0)
        };
        let people = moved + if notice.sees() { alone } else { 0 };
        format!("{dispatches} dispatches, {people} to people")
    }

    /// A run asks the standbys in their order and refuses the one whose certificate is not good.
    pub(super) fn standby_certificate(&self) -> Failure {
        let others: Vec<&str> = self
            .spec
            .standbys()
            .iter()
            .skip(1)
            .map(|site| site.name.as_str())
            .collect();
        let (home, standby) = (self.home, self.standby);
        let refuses = format!(
            "a run refuses to move to {standby}, which does not answer over a good certificate"
        );
        let (switches, then, messages) = if self.spec.standbys().is_empty() {
            (
                "nothing: there is no standby".to_owned(),
                UNTIL_PERSON.to_owned(),
                NO_MESSAGES.to_owned(),
            )
        } else if others.is_empty() {
            let messages = self.sent("each dispatch starts a run that refuses");
            (
                format!("nothing: {refuses}"),
                UNTIL_PERSON.to_owned(),
                messages,
            )
        } else {
            let others = others.join(", or to ");
            let moved =
                self.switched(|| format!("when {home} dies, all records to {others}: {refuses}"));
            (moved, self.minutes(), self.counted())
        };
        Failure {
            id: "standby-certificate",
            what: format!("the certificate of {standby} is expired"),
            notices: NOBODY.to_owned(),
            switches,
            lasts: format!("no time while {home} lives; then {then}"),
            messages,
            person: format!(
                "renew it at {standby}; `pointsman chain` with its manifests sees whether it could be"
            ),
        }
    }
}

/// What a monitor sees of a fault.
enum Sight {
    /// It is bad to it.
    Sees,
    /// It does its duty and takes the fault for life; why.
    Blind(String),
    /// It does not do its duty; why.
    Not(String),
}

impl Sight {
    fn sees(&self) -> bool {
        matches!(self, Self::Sees)
    }
}

/// Who notices what the watch and the notice see.
fn noticed(watch: &Sight, notice: &Sight, how: &str) -> String {
    match (watch, notice) {
        (Sight::Sees, Sight::Sees) => {
            format!("the edge watch, and people by the edge notice{how}")
        }
        (Sight::Sees, Sight::Blind(why)) => {
            format!("the edge watch{how}; for the edge notice {why}")
        }
        (Sight::Sees, Sight::Not(why)) => format!("the edge watch{how}; {why}"),
        (Sight::Blind(why), Sight::Sees) => {
            format!("people by the edge notice{how}; for the edge watch {why}")
        }
        (Sight::Not(why), Sight::Sees) => format!("people by the edge notice{how}; {why}"),
        (Sight::Blind(one), Sight::Blind(other)) if one == other => format!("nobody: {one}"),
        (Sight::Blind(one), Sight::Blind(other)) => {
            format!("nobody: for the edge watch {one}, for the edge notice {other}")
        }
        (Sight::Blind(one), Sight::Not(other)) => {
            format!("nobody: for the edge watch {one}, and {other}")
        }
        (Sight::Not(one), Sight::Blind(other)) => {
            format!("nobody: {one}, and for the edge notice {other}")
        }
        (Sight::Not(one), Sight::Not(other)) => format!("nobody: {one}, and {other}"),
    }
}

/// What of a dead application's answers a monitor takes for life: a gateway that finds no application answers 404 or 503.
fn taken_for_life(holder: &Holder) -> Option<&'static str> {
    let accepted = holder.monitor.accepted();
    match (accepted.takes(404), accepted.takes_server_errors()) {
        (true, true) => Some("a 404 and a 5xx count as life"),
        (true, false) => Some("a 404 counts as life"),
        (false, true) => Some("a 5xx counts as life"),
        (false, false) => None,
    }
}
