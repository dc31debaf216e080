//! What fails at a site: the house, its line, its certificate, its application.

use std::collections::BTreeMap;

use super::{Facts, Failure, NO_MESSAGES, NOBODY, NOTHING, UNTIL_PERSON};

impl Facts<'_> {
    /// The sites themselves, and the line to home.
    pub(super) fn of_places(&self) -> [Failure; 3] {
        [self.home(), self.standby(), self.home_link()]
    }

    /// What visitors are served with.
    pub(super) fn of_serving(&self) -> [Failure; 3] {
        [
            self.application(),
            self.certificate(),
            self.standby_certificate(),
        ]
    }

    fn home(&self) -> Failure {
        let switches = if self.switches() {
            format!("all records to {}, and back{}", self.standby, self.seen())
        } else {
            NOTHING.to_owned()
        };
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

    fn after_home(&self) -> String {
        let mut person = if self.switches() {
            NOTHING.to_owned()
        } else {
            "run the executor by hand".to_owned()
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
        if self.switches() && self.duties.failback_retry.is_empty() {
            person.push_str(
                "; dispatch the return by hand if the one message at its recovery is lost",
            );
        }
        person
    }

    fn standby(&self) -> Failure {
        let switches = match self.spec.standbys().len() {
            0 | 1 => "nothing: there is nowhere else to go, and the monitors run there".to_owned(),
            more => format!(
                "nothing now; {} more standby could be used, but the monitors run at {}",
                more - 1,
                self.standby
            ),
        };
        Failure {
            id: "standby",
            what: format!("{} is dead", self.standby),
            notices: "nobody: Uptime Kuma is there and silent with it".to_owned(),
            switches,
            lasts: format!("no time while {} lives", self.home),
            messages: NO_MESSAGES.to_owned(),
            person: format!("watch {} from a third place", self.standby),
        }
    }

    fn home_link(&self) -> Failure {
        let switches = if self.switches() {
            format!(
                "all records to {}, once a runner outside confirms it",
                self.standby
            )
        } else {
            NOTHING.to_owned()
        };
        Failure {
            id: "home-link",
            what: format!("the line of {} is down", self.home),
            notices: self.home_noticed(),
            switches,
            lasts: self.minutes(),
            messages: self.counted(),
            person: "nothing; home looks well from within".to_owned(),
        }
    }

    fn application(&self) -> Failure {
        let sees = self.watched && !self.duties.takes_404;
        let notices = match (self.watched, self.duties.takes_404) {
            (false, _) => "nobody: no monitor starts the workflow",
            (true, true) => "nobody: a 404 counts as life",
            (true, false) => "the edge watch, by its status",
        };
        let status = self.spec.probe.expected_status;
        let (switches, lasts, messages, person) = if sees {
            let moved = format!("all records to {}", self.standby);
            (moved, self.minutes(), self.counted(), NOTHING)
        } else {
            (
                format!(
                    "nothing by itself; a run that is started moves, since it takes {status} alone"
                ),
                UNTIL_PERSON.to_owned(),
                NO_MESSAGES.to_owned(),
                "dispatch the workflow by hand",
            )
        };
        Failure {
            id: "application",
            what: "the application is dead behind a living gateway".to_owned(),
            notices: notices.to_owned(),
            switches,
            lasts,
            messages,
            person: person.to_owned(),
        }
    }

    /// The watch asks the origin's name: another certificate of home it does not see.
    fn certificate(&self) -> Failure {
        let origin = &self.spec.origin.name;
        let sees = self.switches() && !self.duties.ignores_tls;
        let (notices, switches) = if sees {
            (
                format!("{}, if {origin} shows it, too", self.home_noticed()),
                format!(
                    "all records to {}, if its own certificate is good",
                    self.standby
                ),
            )
        } else {
            let why = if self.duties.ignores_tls {
                "nobody: the edge watch does not look at certificates".to_owned()
            } else {
                self.home_noticed()
            };
            (why, NOTHING.to_owned())
        };
        Failure {
            id: "certificate",
            what: format!("the certificate of {} is expired", self.home),
            notices,
            switches,
            lasts: if sees {
                self.minutes()
            } else {
                UNTIL_PERSON.to_owned()
            },
            messages: if sees {
                self.counted()
            } else {
                NO_MESSAGES.to_owned()
            },
            person: "renew it; the return then comes by itself".to_owned(),
        }
    }

    fn standby_certificate(&self) -> Failure {
        Failure {
            id: "standby-certificate",
            what: format!("the certificate of {} is expired", self.standby),
            notices: NOBODY.to_owned(),
            switches: "nothing: a run refuses to move to a site that does not answer over a good certificate"
                .to_owned(),
            lasts: format!("no time while {} lives; then {UNTIL_PERSON}", self.home),
            messages: "each dispatch starts a run that refuses".to_owned(),
            person: format!(
                "renew it at {}; `pointsman chain` with its manifests sees whether it could be",
                self.standby
            ),
        }
    }
}
