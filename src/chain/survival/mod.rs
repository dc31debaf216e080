//! Every single failure: who notices, what switches, how long it takes, how many messages, what a person must do. Each cell
//! follows from the spec, the chain as it was judged, the monitors as they are declared, and the forecast.

mod between;
mod sites;

use crate::forecast::Column;
use crate::model::spec::{Site, Spec};

use super::duties::{Duty, Holder};
use super::links::Chain;
use super::standing::{SENDING, Standing, Stop, TELLING};

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

/// The matrix of a deployment; `columns` are its forecasts, one for each kind of death. A row is about the death that it
/// is, or about the one of home's that takes longest.
#[must_use]
pub fn survival(spec: &Spec, chain: &Chain, columns: &[Column; 3]) -> Vec<Failure> {
    let of = |column| Facts {
        spec,
        chain,
        column,
        home: name_of(spec.home()),
        standby: name_of(spec.standbys().first()),
        stop: chain.stop(),
        slowest: false,
    };
    let [refused, server_error, black_hole] = columns;
    // A house that is dead refuses, or swallows; what answers with an error lives.
    let worst = if longest(refused) > longest(black_hole) {
        refused
    } else {
        black_hole
    };
    let facts = Facts {
        slowest: true,
        ..of(worst)
    };
    let mut rows = vec![facts.home(), facts.standby(), of(black_hole).home_link()];
    rows.extend(facts.of_github());
    rows.extend(facts.of_aws());
    rows.extend(facts.of_watching());
    rows.extend([
        of(server_error).application(),
        of(refused).certificate(),
        facts.standby_certificate(),
    ]);
    rows.extend(facts.of_the_way());
    rows
}

/// Of 100 outages 95 are over within so many seconds.
fn longest(column: &Column) -> f64 {
    let first = column.directions.first();
    let within = first.and_then(|forecast| forecast.whole.drawn.p95);
    within.unwrap_or(f64::INFINITY)
}

fn name_of(site: Option<&Site>) -> &str {
    site.map_or("nowhere", |site| site.name.as_str())
}

const NOTHING: &str = "nothing";
const NO_MESSAGES: &str = "0 dispatches, 0 to people";
const NOBODY: &str = "nobody, before the next outage";
const UNTIL_PERSON: &str = "until a person acts";
const UNDECIDED: &str = "undecided";

/// What the cells follow from.
struct Facts<'a> {
    spec: &'a Spec,
    chain: &'a Chain,
    column: &'a Column,
    home: &'a str,
    standby: &'a str,
    /// Where a switch stops by itself, whatever fails.
    stop: Option<Stop>,
    /// Whether the death is the one of home's that takes longest.
    slowest: bool,
}

impl Facts<'_> {
    /// The monitor that does a duty.
    fn working(&self, duty: Duty) -> Option<&Holder> {
        self.chain.duties.working(duty, self.column.settings.death)
    }

    fn works(&self, duty: Duty) -> bool {
        self.working(duty).is_some()
    }

    /// Whether the watch notices that home is dead: with a time-out of 0 it waits for an answer for ever.
    fn watched(&self) -> bool {
        let settings = &self.column.settings;
        self.works(Duty::EdgeWatch) && settings.edge.notices_after(settings.death).is_some()
    }

    /// Whether home's death moves the records at all.
    fn switches(&self) -> bool {
        self.stop.is_none() && self.watched()
    }

    /// What switches where nothing keeps it from that; else what does.
    fn switched(&self, moved: impl FnOnce() -> String) -> String {
        match &self.stop {
            Some(stop) if stop.open => format!("undecided: {stop}"),
            Some(stop) => format!("nothing to rely on: {stop}"),
            None if self.watched() => moved(),
            None => format!("{NOTHING}: the edge watch waits for an answer for ever"),
        }
    }

    /// The whole of a fail-over. What is rounded is rounded up, so that the words stay true.
    fn minutes(&self) -> String {
        if self.is_open() {
            return UNDECIDED.to_owned();
        }
        let first = self.column.directions.first();
        let drawn = first.map(|forecast| forecast.whole.drawn);
        match drawn.and_then(|drawn| Some((drawn.p50?, drawn.p95?))) {
            Some((p50, p95)) if self.switches() => format!(
                "{:.0} min, 95 of 100 within {:.0} min ({})",
                p50 / 60.0,
                (p95 / 60.0).ceil(),
                self.death()
            ),
            _ => UNTIL_PERSON.to_owned(),
        }
    }

    /// Which death the numbers are of.
    fn death(&self) -> String {
        let word = self.column.settings.death.word();
        if self.slowest {
            format!("{word}, the slowest of home's deaths")
        } else {
            word.to_owned()
        }
    }

    /// Whether it is not known if anything switches.
    fn is_open(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.open)
    }

    /// Minutes between two messages while home is dead, where they are repeated.
    fn repeats(&self) -> Option<f64> {
        let every = self.column.settings.edge.repeats_every()?;
        self.watched().then_some(every / 60.0)
    }

    /// Who tells people that home is dead.
    fn home_noticed(&self) -> String {
        let people = self.standing_words(
            Duty::EdgeNotice,
            "no monitor tells people",
            "the edge notice",
        );
        let watch = match self.standing_words(
            Duty::EdgeWatch,
            "no monitor starts the workflow",
            "the edge watch",
        ) {
            None if !self.watched() => Some("the edge watch never does".to_owned()),
            words => words,
        };
        match (watch, people) {
            (None, None) => "the edge watch, and people by the edge notice".to_owned(),
            (None, Some(not)) => format!("the edge watch; {not}"),
            (Some(not), None) => format!("people by the edge notice; {not}"),
            (Some(watch), Some(people)) => format!("nobody: {watch}, and {people}"),
        }
    }

    /// Why a duty is not done; `none` where no monitor is there for it. `None`: it is done.
    fn standing_words(&self, duty: Duty, none: &str, name: &str) -> Option<String> {
        let any = self.chain.duties.with(duty).next().is_some();
        match self.chain.standing(duty) {
            Standing::Works => None,
            Standing::Absent => Some(none.to_owned()),
            Standing::Broken(place) if any => Some(format!("{name} is broken ({place})")),
            Standing::Broken(_) => Some(none.to_owned()),
            Standing::Undecided(place) => Some(format!("{name} is undecided ({place})")),
        }
    }

    /// Messages of an outage of home.
    fn counted(&self) -> String {
        let messages = self.column.messages;
        let number = |open: bool, count: u64| {
            if open {
                UNDECIDED.to_owned()
            } else {
                count.to_string()
            }
        };
        let dispatches = number(
            self.is_open() || self.chain.are_open(&SENDING),
            messages.dispatches,
        );
        let people = number(
            self.is_open() || self.chain.are_open(&TELLING),
            messages.people,
        );
        format!("{dispatches} dispatches, {people} to people")
    }

    /// What dispatches do, where any is sent.
    fn sent(&self, words: &str) -> String {
        if self.is_open() {
            UNDECIDED.to_owned()
        } else if self.column.messages.dispatches > 0 {
            words.to_owned()
        } else {
            "no dispatch is sent that starts the workflow".to_owned()
        }
    }
}
