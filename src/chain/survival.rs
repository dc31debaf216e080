//! Every single failure: who notices, what switches, how long it takes, how many messages, what a person must do. Each cell
//! follows from the spec, the monitors as they are declared, and the forecast.

use crate::forecast::Column;
use crate::model::spec::{Site, Spec};

use super::duties::Duties;

/// One failure, and what becomes of the visitors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its id.
    pub id: &'static str,
    /// What fails.
    pub what: String,
    /// Who notices, and when.
    pub notices: String,
    /// What switches.
    pub switches: String,
    /// How long visitors are without, p50 and p95 where it is forecast.
    pub lasts: String,
    /// Messages that start the workflow, and to people.
    pub messages: String,
    /// What a person must do.
    pub person: String,
}

struct Facts<'a> {
    spec: &'a Spec,
    duties: &'a Duties,
    column: &'a Column,
    home: &'a str,
    standby: &'a str,
    watched: bool,
    told: bool,
}

fn name_of(site: Option<&Site>) -> &str {
    site.map_or("nowhere", |site| site.name.as_str())
}

/// The matrix of a deployment.
#[must_use]
pub fn survival(spec: &Spec, duties: &Duties, column: &Column) -> Vec<Failure> {
    let facts = Facts {
        spec,
        duties,
        column,
        home: name_of(spec.home()),
        standby: name_of(spec.standbys().first()),
        watched: !duties.edge_watch.is_empty() && !duties.dispatch.is_empty(),
        told: !duties.edge_notice.is_empty(),
    };
    let mut rows = vec![facts.home_dies(), facts.standby_dies(), facts.home_link()];
    rows.extend(facts.github());
    rows.extend(facts.aws());
    rows.extend(facts.around());
    rows
}

const UNHEARD: &str = "no dispatch starts a run";

const FAILING: &str = "each dispatch starts a run that fails";

const NOBODY: &str = "nobody, before the next outage";

impl Facts<'_> {
    fn row(
        &self,
        id: &'static str,
        what: &str,
        cells: [String; 4],
        person: impl Into<String>,
    ) -> Failure {
        let [notices, switches, lasts, messages] = cells;
        Failure {
            id,
            what: what.to_owned(),
            notices,
            switches,
            lasts,
            messages,
            person: person.into(),
        }
    }

    fn minutes(&self, direction: usize) -> String {
        let drawn = self
            .column
            .directions
            .get(direction)
            .map(|forecast| forecast.whole.drawn);
        match drawn.and_then(|drawn| Some((drawn.p50?, drawn.p95?))) {
            Some((p50, p95)) => format!(
                "{:.0} min, 95 of 100 within {:.0} min",
                p50 / 60.0,
                p95 / 60.0
            ),
            None => "until a person acts".to_owned(),
        }
    }

    fn until_person() -> String {
        "until a person acts".to_owned()
    }

    /// Who tells people that home is dead.
    fn home_noticed(&self) -> String {
        match (self.told, self.watched) {
            (true, true) => "the edge watch, and people by the edge notice".to_owned(),
            (false, true) => "the edge watch; no monitor tells people".to_owned(),
            (true, false) => "people by the edge notice; no monitor starts the workflow".to_owned(),
            (false, false) => "nobody: no monitor watches home".to_owned(),
        }
    }

    fn counted(&self) -> String {
        let messages = self.column.messages;
        let dispatches = if self.watched { messages.dispatches } else { 0 };
        let notice = if self.duties.transition_notice.is_empty() {
            2.min(messages.people)
        } else {
            0
        };
        let people = if self.told {
            messages.people - notice
        } else {
            2_u64.saturating_sub(notice).min(messages.people)
        };
        format!("{dispatches} dispatches, {people} to people")
    }

    fn home_dies(&self) -> Failure {
        let (switches, lasts) = if self.watched && self.column.messages.dispatches > 0 {
            (
                format!("all records to {}, and back", self.standby),
                self.minutes(0),
            )
        } else {
            ("nothing".to_owned(), Self::until_person())
        };
        let lost: Vec<String> = self
            .spec
            .hosts
            .iter()
            .filter(|host| host.absent_at.contains(self.standby))
            .map(|host| host.name.to_string())
            .collect();
        let mut person = if self.watched {
            "nothing".to_owned()
        } else {
            "run the executor by hand".to_owned()
        };
        if !lost.is_empty() {
            person.push_str(&format!(
                "; {} is served nowhere meanwhile",
                lost.join(", ")
            ));
        }
        if self.watched && self.duties.failback_retry.is_empty() {
            person.push_str(
                "; dispatch the return by hand if the one message at its recovery is lost",
            );
        }
        self.row(
            "home",
            &format!("{} is dead", self.home),
            [self.home_noticed(), switches, lasts, self.counted()],
            person,
        )
    }

    fn standby_dies(&self) -> Failure {
        let others = self.spec.standbys().len().saturating_sub(1);
        let switches = if others == 0 {
            "nothing: there is nowhere else to go, and the monitors run there".to_owned()
        } else {
            format!(
                "nothing now; {others} more standby could be used, but the monitors run at {}",
                self.standby
            )
        };
        self.row(
            "standby",
            &format!("{} is dead", self.standby),
            [
                "nobody: Uptime Kuma is there and silent with it".to_owned(),
                switches,
                format!("no time while {} lives", self.home),
                "0 dispatches, 0 to people".to_owned(),
            ],
            "watch the standby from a third place",
        )
    }

    fn home_link(&self) -> Failure {
        let (switches, lasts) = if self.watched {
            (
                format!(
                    "all records to {}, once its runner confirms it",
                    self.standby
                ),
                self.minutes(0),
            )
        } else {
            ("nothing".to_owned(), Self::until_person())
        };
        self.row(
            "home-link",
            &format!("the line of {} is down", self.home),
            [self.home_noticed(), switches, lasts, self.counted()],
            "nothing; home looks well from within",
        )
    }

    fn later(
        &self,
        id: &'static str,
        what: &str,
        (notices, messages): (String, &str),
        person: &str,
    ) -> Failure {
        let lasts = format!(
            "no time while {} lives; then until a person acts",
            self.home
        );
        let cells = [notices, "nothing".to_owned(), lasts, messages.to_owned()];
        self.row(id, what, cells, person)
    }

    fn token_noticed(&self) -> String {
        if self.duties.token_check.is_empty() {
            NOBODY.to_owned()
        } else {
            let check = &self.spec.monitors.token_check;
            let within = u64::from(check.interval_seconds)
                + u64::from(check.retries) * u64::from(check.retry_interval_seconds);
            format!(
                "people by the token check, within {} min",
                within.div_ceil(60)
            )
        }
    }

    fn github(&self) -> Vec<Failure> {
        let token = self.token_noticed();
        let checked = !self.duties.token_check.is_empty();
        let github = if checked {
            format!("{token}, as if the token were bad")
        } else {
            NOBODY.to_owned()
        };
        let renamed = if checked {
            "the token check sees a redirect, which it does not follow".to_owned()
        } else {
            NOBODY.to_owned()
        };
        let queue = self.spec.github.job_timeout_minutes;
        vec![
            self.later("github", "GitHub's API is down",( github, UNHEARD), "run the executor by hand, away from GitHub"),
            self.later("actions-queue", "runs wait for a runner", ("nobody: the token check asks the API, not a runner".to_owned(), "dispatches wait, and newer ones replace older ones"), &format!("run the executor by hand; the job's {queue} min begin only with a runner")),
            self.later("dispatch-token", "the dispatch token is expired or revoked",( token, UNHEARD), "make a new token, in the monitor's environment too"),
            self.later("trust", "the trust policy no longer fits the job's subject", (NOBODY.to_owned(), FAILING), "compare both with `pointsman validate trust`, apply Terraform"),
            self.later("renamed", "the repository is renamed or transferred",( renamed, UNHEARD), "the subject becomes immutable with it: correct the spec, `pointsman generate`, apply"),
            self.later("action-gone", "a pinned action is gone", (NOBODY.to_owned(), FAILING), "pin a commit that is there: `pointsman pins verify`"),
        ]
    }

    fn aws(&self) -> Vec<Failure> {
        let region = &self.spec.aws.sts_region;
        let sts = if region == "us-east-1" {
            "STS is asked there too".to_owned()
        } else {
            format!("STS is asked in {region} and lives")
        };
        let ttl = self.spec.records.ttl;
        vec![
            self.later("route53", "Route 53's control plane is down", ("the run, when one is needed: it ends as failed".to_owned(), FAILING), "wait, or accelerated recovery if the zone had it before (about 60 min)"),
            self.later("us-east-1", "us-east-1 is down", (format!("the run, when one is needed; {sts}, but the records are changed in us-east-1 alone"), FAILING), "wait, or accelerated recovery if the zone had it before (about 60 min)"),
            self.row("resolver", "a resolver answers falsely or not at all", [
                if self.duties.transition_notice.is_empty() { "nobody".to_owned() } else { "people, only if it is the one that the transition notice asks and it names the standby".to_owned() },
                "nothing: the run asks the authoritative servers".to_owned(),
                format!("its own visitors, up to the TTL of {ttl} s"),
                "0 dispatches".to_owned(),
            ], "nothing"),
        ]
    }

    fn around(&self) -> Vec<Failure> {
        let app = match (self.watched, self.duties.takes_404) {
            (false, _) => "nobody: no monitor starts the workflow",
            (true, true) => "nobody: a 404 counts as life",
            (true, false) => "the edge watch, by its status",
        };
        let blind = self.duties.takes_404 || !self.watched;
        let ttl = self.spec.records.ttl;
        let repeats = self
            .column
            .settings
            .edge
            .repeats_every()
            .filter(|_| self.watched);
        let lost = repeats.map_or_else(Self::until_person, |every| {
            format!("{} and {:.0} min more", self.minutes(0), every / 60.0)
        });
        let retry = repeats.map_or(
            "nothing: the message is never repeated".to_owned(),
            |every| format!("the repeat after {:.0} min starts a run", every / 60.0),
        );
        vec![
            self.later("kuma", "Uptime Kuma is dead", ("nobody: what would tell is what is dead".to_owned(), "0 dispatches, 0 to people"), "watch Uptime Kuma from a third place"),
            self.row("application", "the application is dead behind a living gateway", [app.to_owned(), if blind { "nothing by itself; a run that is started moves, since it takes the expected status alone".to_owned() } else { format!("all records to {}", self.standby) }, if blind { Self::until_person() } else { self.minutes(0) }, if blind { "0 dispatches, 0 to people".to_owned() } else { self.counted() }], if blind { "dispatch the workflow by hand" } else { "nothing" }),
            self.row("certificate", &format!("the certificate of {} is expired", self.home), [self.home_noticed(), if self.watched { format!("all records to {}, if its own certificate is good", self.standby) } else { "nothing".to_owned() }, if self.watched { self.minutes(0) } else { Self::until_person() }, self.counted()], "renew it; the return then comes by itself"),
            self.row("ttl", "the records have another TTL than the spec", ["`pointsman validate`, before the merge".to_owned(), "as otherwise: the run keeps the TTL that it finds".to_owned(), format!("longer by what the TTL exceeds {ttl} s"), self.counted()], "apply Terraform in quiet times"),
            self.row("webhook-lost", "the message at home's death is lost", [self.home_noticed(), retry, lost, "one dispatch less".to_owned()], if repeats.is_some() { "nothing" } else { "dispatch the workflow by hand" }),
            self.row("run-evicted", "a waiting run is replaced by a newer one", ["nobody: it ends as cancelled".to_owned(), "the newer run, which decides from what it finds".to_owned(), "no longer than otherwise".to_owned(), "one run less than dispatches".to_owned()], "nothing"),
        ]
    }
}
