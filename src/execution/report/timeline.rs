//! What happened in a run, one row each: when, what, and what came of it.

use crate::failover::journal::Entry;
use crate::failover::{
    Answer, Ask, Batch, ChangeStatus, Effect, Fault, Happened, Hosts, Moment, Note, Order,
    RecordSet, ServerAnswer, Standing, Topology, Whom,
};
use crate::text::command::short_line;

/// One row of a time line. Its texts are one line each, and no command of GitHub's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// When.
    pub at: Moment,
    /// What was done.
    pub what: String,
    /// What came of it.
    pub result: String,
    /// How often in a row the same was done with the same result.
    pub times: usize,
}

impl Row {
    /// The row for somebody who looks on.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{:>9} s  {}: {}", seconds(self.at), self.what, self.result)
    }
}

/// A moment in seconds, to the millisecond.
pub(super) fn seconds(at: Moment) -> String {
    let millis = at.millis();
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

/// Makes rows of what happens, as it happens.
#[derive(Debug)]
pub struct Timeline<'a> {
    topology: &'a Topology,
    /// What was last asked of the outside.
    asked: Option<Effect>,
    /// For what it was last said that a call is made again.
    again: Option<Fault>,
}

impl<'a> Timeline<'a> {
    /// The time line of a run that has not begun.
    #[must_use]
    pub fn new(topology: &'a Topology) -> Self {
        Self {
            topology,
            asked: None,
            again: None,
        }
    }

    /// The rows of a whole run; equal ones that follow on each other are one row.
    #[must_use]
    pub fn rows(topology: &'a Topology, story: &[Entry]) -> Vec<Row> {
        let mut line = Self::new(topology);
        let mut rows: Vec<Row> = Vec::new();
        for row in story.iter().filter_map(|entry| line.row(entry)) {
            match rows.last_mut() {
                Some(last) if last.what == row.what && last.result == row.result => last.times += 1,
                _ => rows.push(row),
            }
        }
        rows
    }

    /// The row of what happened, if it is worth one.
    pub fn row(&mut self, entry: &Entry) -> Option<Row> {
        let (at, (what, result)) = match entry {
            Entry::Event(event) => (event.at, self.event(&event.what)?),
            Entry::Effect(at, effect) => (*at, self.effect(effect)?),
        };
        Some(Row {
            at,
            what: short_line(&what),
            result: short_line(&result),
            times: 1,
        })
    }

    fn event(&self, what: &Happened) -> Option<(String, String)> {
        let (what, result) = match what {
            Happened::Started(order) => (
                "the run begins",
                ordered(self.topology.pin_variable(), order),
            ),
            // Whether there was a token to fetch, or credentials were at hand, shows in the step behind it.
            Happened::TokenFetched => return None,
            Happened::RoleAssumed { lives } => (
                "credentials",
                match lives {
                    Some(lives) => format!("a session of {} s", lives.as_secs()),
                    None => "the job's own".to_owned(),
                },
            ),
            Happened::Records(sets) => ("records", self.stand(sets)),
            Happened::Answered(answers) => return self.answered(answers),
            Happened::Woke => return None,
            Happened::Accepted(change) => ("change", format!("accepted as {change}")),
            Happened::Late => (
                "change",
                "not sent, since what it rests on is too old".to_owned(),
            ),
            Happened::Change(ChangeStatus::Pending) => ("change", "PENDING".to_owned()),
            Happened::Change(ChangeStatus::InSync) => ("change", "INSYNC".to_owned()),
            Happened::Servers(servers) => ("name servers", told(servers)),
            Happened::Failed(fault) => {
                let asked = self.asked.as_ref().map_or("call", call);
                return Some((asked.to_owned(), format!("failed: {}", fault.describe())));
            }
            Happened::Cancelled => ("job", "is being ended".to_owned()),
            Happened::Broken(fault) => ("run", format!("cannot go on: {}", fault.describe())),
        };
        Some((what.to_owned(), result))
    }

    fn effect(&mut self, effect: &Effect) -> Option<(String, String)> {
        if effect.is_answered() {
            self.asked = Some(effect.clone());
        }
        Some(match effect {
            Effect::Write(batch, _) => ("change".to_owned(), self.sent(batch)),
            Effect::Note(Note::Again(fault, _)) if self.again.as_ref() == Some(fault) => {
                return None;
            }
            Effect::Note(note) => {
                if let Note::Again(fault, _) = note {
                    self.again = Some(fault.clone());
                }
                let what = if matches!(note, Note::Decided(..)) {
                    "decided"
                } else if note.is_warning() {
                    "warning"
                } else {
                    "note"
                };
                (what.to_owned(), note.describe(self.topology))
            }
            Effect::Finish(outcome) => (
                outcome.decision(self.topology),
                outcome.describe(self.topology),
            ),
            Effect::FetchToken
            | Effect::AssumeRole
            | Effect::ReadRecords(_)
            | Effect::Ask(_)
            | Effect::Wait(_)
            | Effect::AskChange(_)
            | Effect::AskServers => return None,
        })
    }

    fn stand(&self, sets: &[RecordSet]) -> String {
        format!(
            "at {}",
            Standing::of(self.topology, sets).place.words(self.topology)
        )
    }

    fn sent(&self, batch: &Batch) -> String {
        let changes = batch.changes(self.topology);
        let told = changes.iter().map(|change| {
            let record = change.record;
            format!(
                "UPSERT {} {} {}",
                record.name,
                record.kind.word(),
                change.value
            )
        });
        told.collect::<Vec<_>>().join(", ")
    }

    fn answered(&self, answers: &[Answer]) -> Option<(String, String)> {
        let Some(Effect::Ask(ask)) = &self.asked else {
            return None;
        };
        let whom = match ask.whom {
            Whom::Site(site) => self.topology.name(site),
            Whom::Control => "the control target",
        };
        Some(match ask.hosts {
            Hosts::Probe => {
                let told: Vec<String> = answers.iter().map(Answer::describe).collect();
                (format!("{whom} asked"), told.join(", "))
            }
            Hosts::Others => (
                format!("{whom} asked for its other hosts"),
                self.others(*ask, answers),
            ),
        })
    }

    fn others(&self, ask: Ask, answers: &[Answer]) -> String {
        let status = self.topology.probe().status;
        let requests = ask.requests(self.topology);
        let wrong = requests.iter().zip(answers);
        let wrong: Vec<String> = wrong
            .filter(|(_, answer)| !answer.is(status))
            .map(|(request, answer)| format!("{} {}", request.host, answer.describe()))
            .collect();
        if wrong.is_empty() {
            format!("{status} from all {}", answers.len())
        } else {
            wrong.join(", ")
        }
    }
}

fn ordered(variable: &str, order: &Order) -> String {
    let pin = match order.pin.as_deref() {
        None | Some("") => "no pin".to_owned(),
        Some(pin) => format!("{variable} is `{pin}`"),
    };
    if order.dry_run {
        format!("{pin}; nothing will be written")
    } else {
        pin
    }
}

/// What a call that failed was for.
fn call(effect: &Effect) -> &'static str {
    match effect {
        Effect::FetchToken => "token",
        Effect::AssumeRole => "role",
        Effect::ReadRecords(_) => "records",
        Effect::Write(..) | Effect::AskChange(_) => "change",
        Effect::AskServers => "name servers",
        Effect::Ask(_) | Effect::Wait(_) | Effect::Note(_) | Effect::Finish(_) => "call",
    }
}

fn told(servers: &[ServerAnswer]) -> String {
    let one = |server: &ServerAnswer| {
        let values = match &server.values {
            None => "no answer".to_owned(),
            Some(records) => {
                let mut values: Vec<&str> = records.iter().flatten().map(String::as_str).collect();
                values.dedup();
                values.join(" ")
            }
        };
        format!("{} {values}", server.server)
    };
    servers.iter().map(one).collect::<Vec<_>>().join(", ")
}
