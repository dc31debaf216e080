//! Every single failure: who notices, what switches, how long it takes, how many messages, what a person must do. Each cell
//! follows from the spec, the monitors as they are declared, and the forecast.

mod between;
mod sites;

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
    let mut rows = Vec::from(facts.of_places());
    rows.extend(facts.of_github());
    rows.extend(facts.of_aws());
    rows.extend(facts.of_watching());
    rows.extend(facts.of_serving());
    rows.extend(facts.of_the_way());
    rows
}

fn name_of(site: Option<&Site>) -> &str {
    site.map_or("nowhere", |site| site.name.as_str())
}

const NOTHING: &str = "nothing";
const NO_MESSAGES: &str = "0 dispatches, 0 to people";
const NOBODY: &str = "nobody, before the next outage";
const UNTIL_PERSON: &str = "until a person acts";

/// What the cells follow from.
struct Facts<'a> {
    spec: &'a Spec,
    duties: &'a Duties,
    column: &'a Column,
    home: &'a str,
    standby: &'a str,
    /// Whether the death of home starts the workflow.
    watched: bool,
    /// Whether it is told to people.
    told: bool,
}

impl Facts<'_> {
    /// Whether home's death moves the records at all.
    fn switches(&self) -> bool {
        self.watched && self.column.messages.dispatches > 0
    }

    /// The whole of a fail-over.
    fn minutes(&self) -> String {
        let first = self.column.directions.first();
        let drawn = first.map(|forecast| forecast.whole.drawn);
        match drawn.and_then(|drawn| Some((drawn.p50?, drawn.p95?))) {
            Some((p50, p95)) if self.switches() => format!(
                "{:.0} min, 95 of 100 within {:.0} min",
                p50 / 60.0,
                p95 / 60.0
            ),
            _ => UNTIL_PERSON.to_owned(),
        }
    }

    /// Minutes between two messages while home is dead, where they are repeated.
    fn repeats(&self) -> Option<f64> {
        let every = self.column.settings.edge.repeats_every()?;
        self.watched.then_some(every / 60.0)
    }

    /// Who tells people that home is dead.
    fn home_noticed(&self) -> String {
        let words = match (self.told, self.watched) {
            (true, true) => "the edge watch, and people by the edge notice",
            (false, true) => "the edge watch; no monitor tells people",
            (true, false) => "people by the edge notice; no monitor starts the workflow",
            (false, false) => "nobody: no monitor watches home",
        };
        words.to_owned()
    }

    /// Messages of an outage of home.
    fn counted(&self) -> String {
        let messages = self.column.messages;
        let dispatches = if self.watched { messages.dispatches } else { 0 };
        let moves = 2.min(messages.people);
        let moves = if self.duties.transition_notice.is_empty() {
            0
        } else {
            moves
        };
        let deaths = if self.told {
            messages.people.saturating_sub(2)
        } else {
            0
        };
        format!("{dispatches} dispatches, {} to people", deaths + moves)
    }
}
