//! What fails at a site: the house, its line, its certificate, its application.

use std::collections::BTreeMap;

use super::{Duty, Facts, Failure, Holder, NO_MESSAGES, NOBODY, NOTHING, UNTIL_PERSON};

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
        let blind_to = |duty| self.working(duty).and_then(taken_for_life);
        let watch = blind_to(Duty::EdgeWatch);
        let notices = match (&watch, self.works(Duty::EdgeWatch)) {
            (Some(blind), _) => {
                if self.works(Duty::EdgeNotice) && blind_to(Duty::EdgeNotice).is_none() {
                    format!("people by the edge notice; for the edge watch {blind} as life")
                } else {
                    format!("nobody: {blind} as life")
                }
            }
            (None, true) => "the edge watch, by its status".to_owned(),
            (None, false) => self.home_noticed(),
        };
        let status = self.spec.probe.expected_status;
        let sees = self.works(Duty::EdgeWatch) && watch.is_none();
        let (switches, lasts, messages, person) = if sees {
            let person = if self.stop.is_some() {
                self.after_home()
            } else {
                NOTHING.to_owned()
            };
            let moved = self.switched(|| format!("all records to {}", self.target()));
            (moved, self.minutes(), self.counted(), person)
        } else if self.is_open() {
            let moved = self.switched(String::new);
            (moved, self.minutes(), self.counted(), self.after_home())
        } else {
            (
                format!(
                    "nothing by itself; a run that is started moves, since it takes {status} alone"
                ),
                UNTIL_PERSON.to_owned(),
                NO_MESSAGES.to_owned(),
                "dispatch the workflow by hand".to_owned(),
            )
        };
        Failure {
            id: "application",
            what: "the application is dead behind a living gateway".to_owned(),
            notices,
            switches,
            lasts,
            messages,
            person,
        }
    }

    /// The watch asks the origin's name: another certificate of home it does not see.
    pub(super) fn certificate(&self) -> Failure {
        let origin = &self.spec.origin.name;
        let blind = |duty| {
            let holder: Option<&Holder> = self.working(duty);
            holder.is_some_and(|holder| holder.monitor.flag("ignore_tls") == Some(true))
        };
        let ignored = blind(Duty::EdgeWatch);
        let notices = if !ignored {
            format!("{}, if {origin} shows it, too", self.home_noticed())
        } else if self.works(Duty::EdgeNotice) && !blind(Duty::EdgeNotice) {
            "people by the edge notice; the edge watch does not look at certificates".to_owned()
        } else {
            "nobody: the edge watch does not look at certificates".to_owned()
        };
        let (switches, lasts, messages) = if ignored {
            (
                NOTHING.to_owned(),
                UNTIL_PERSON.to_owned(),
                NO_MESSAGES.to_owned(),
            )
        } else {
            let moved = self.switched(|| {
                format!(
                    "all records to {}, if its own certificate is good",
                    self.target()
                )
            });
            (moved, self.minutes(), self.counted())
        };
        let person = if self.switches() && !ignored {
            "renew it; the return then comes by itself"
        } else {
            "renew it"
        };
        Failure {
            id: "certificate",
            what: format!("the certificate of {} is expired", self.home),
            notices,
            switches,
            lasts,
            messages,
            person: person.to_owned(),
        }
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

/// What of a dead application's answers a monitor takes for life: a gateway that finds no application answers 404 or 503.
fn taken_for_life(holder: &Holder) -> Option<&'static str> {
    let accepted = holder.monitor.accepted();
    match (accepted.takes(404), accepted.takes_server_errors()) {
        (true, true) => Some("a 404 and a 5xx count"),
        (true, false) => Some("a 404 counts"),
        (false, true) => Some("a 5xx counts"),
        (false, false) => None,
    }
}
