//! What came of a run of the executor: gathered from its story once, then drawn in every form.

mod github;
mod human;
mod json;
#[cfg(feature = "lint")]
mod plan;
mod timeline;

use serde_json::{Value, json};

use crate::failover::journal::{self, Entry};
use crate::failover::{
    Answer, Ask, Batch, ChangeStatus, Effect, Event, Happened, Hosts, Moment, Note, Outcome,
    SiteId, Standing, Topology, Whom, Why,
};
use crate::model::spec::Spec;

use crate::text::command::short_line;

pub use github::{annotations, outputs, step_summary};
pub use human::human;
pub use json::json;
#[cfg(feature = "lint")]
pub use plan::PlanReport;
pub use timeline::{Row, Timeline};

/// What came of a run. Texts in it are one line each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunReport {
    /// The decision's word.
    pub decision: String,
    /// The exit status.
    pub status: u8,
    /// Whether a person must know.
    pub notify: bool,
    /// Why it ended so.
    pub why: String,
    /// Whether the run was to stop before the write.
    pub dry_run: bool,
    /// Where the records were when they were last read before the change.
    pub from: Option<String>,
    /// Where they were sent, or would be.
    pub to: Option<String>,
    /// Why there; none when nothing was decided.
    pub reason: Option<Why>,
    /// Whether a change was sent, or may have been.
    pub sent: bool,
    /// The id of the change.
    pub change: Option<String>,
    /// The change as Route 53 has it.
    pub batch: Option<Value>,
    /// What visitors miss at the target.
    pub lost: Vec<Lost>,
    /// What should be looked at.
    pub warnings: Vec<String>,
    /// How long each part took.
    pub phases: Phases,
    /// What happened, in order.
    pub rows: Vec<Row>,
    /// Where the journal is.
    pub journal: Option<String>,
    /// Its lines, as far as the run came.
    pub lines: Vec<String>,
}

/// Something that visitors miss at a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The host.
    pub host: String,
    /// What is different there.
    pub why: String,
}

/// Milliseconds that each part of a run took; none for a part that it did not come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Phases {
    /// Credentials and the first look at the records.
    pub read: Option<u64>,
    /// Asking the sites.
    pub decide: Option<u64>,
    /// The second look and the last probe.
    pub prepare: Option<u64>,
    /// Sending the change.
    pub write: Option<u64>,
    /// From then on to INSYNC.
    pub sync: Option<u64>,
    /// Reading back, and the name servers.
    pub verify: Option<u64>,
    /// All of it.
    pub total: Option<u64>,
}

impl Phases {
    /// Those of a run in which this happened.
    #[must_use]
    pub fn of(story: &[Entry]) -> Self {
        phases(story)
    }

    /// Each with its word, in order.
    #[must_use]
    pub fn words(self) -> [(&'static str, Option<u64>); 7] {
        [
            ("read", self.read),
            ("decide", self.decide),
            ("prepare", self.prepare),
            ("write", self.write),
            ("sync", self.sync),
            ("verify", self.verify),
            ("total", self.total),
        ]
    }
}

impl RunReport {
    /// What came of a run that had a topology.
    #[must_use]
    pub fn of(spec: &Spec, topology: &Topology, story: &[Entry], outcome: &Outcome) -> Self {
        let mut report = Self {
            decision: outcome.decision(topology),
            status: outcome.status(),
            notify: outcome.notifies(),
            why: why(topology, story, outcome),
            phases: phases(story),
            rows: Timeline::rows(topology, story),
            lines: std::iter::once(journal::head(topology))
                .chain(story.iter().map(|entry| journal::line(topology, entry)))
                .collect(),
            ..Self::default()
        };
        for entry in story {
            report.take(topology, entry);
        }
        let sent = story.iter().rev().find_map(batch_of);
        if let Some(batch) = sent {
            report.to = Some(topology.name(batch.to()).to_owned());
            report.batch = Some(change_batch(topology, batch));
            report.lost = lost(spec, topology, batch.to(), story);
        }
        report
    }

    /// A run that refused before it began, since its spec is wrong: in these ways, the first of which is its reason.
    #[must_use]
    pub fn unconfigured(told: &[String], dry_run: bool) -> Self {
        let mut report = Self {
            decision: "REFUSE".to_owned(),
            status: 5,
            notify: true,
            why: told
                .first()
                .map(|text| short_line(text))
                .unwrap_or_default(),
            dry_run,
            ..Self::default()
        };
        for text in told.iter().skip(1) {
            report.warn(text);
        }
        report
    }

    /// A run whose job was ended before it began.
    #[must_use]
    pub fn cancelled(dry_run: bool) -> Self {
        Self {
            decision: "NO_CHANGE".to_owned(),
            status: 3,
            why: "the job was cancelled before the spec was read".to_owned(),
            dry_run,
            ..Self::default()
        }
    }

    /// Adds something that should be looked at.
    pub fn warn(&mut self, text: &str) {
        self.warnings.push(short_line(text));
    }

    /// The decision and why, in one line.
    fn verdict(&self) -> String {
        format!("{}, status {}: {}", self.decision, self.status, self.why)
    }

    /// `from edge to hub`, and why, as far as it is known.
    fn way(&self) -> Option<String> {
        let to = self.to.as_ref()?;
        let from = self.from.as_ref();
        let from = from.map_or_else(String::new, |from| format!("from {from} "));
        let why = self
            .reason
            .map_or_else(String::new, |why| format!(": {}", why.describe()));
        Some(format!("{from}to {to}{why}"))
    }

    /// The word for why it goes there.
    fn reason_word(&self) -> Option<&'static str> {
        let mut words = Why::WORDS.iter();
        words
            .find(|(why, _)| Some(*why) == self.reason)
            .map(|(_, word)| *word)
    }

    fn take(&mut self, topology: &Topology, entry: &Entry) {
        match entry {
            Entry::Event(Event { what, .. }) => {
                if let Happened::Started(order) = what {
                    self.dry_run = order.dry_run;
                } else if let Happened::Accepted(change) = what {
                    self.change = Some(short_line(change));
                } else if let Happened::Records(sets) = what
                    && !self.sent
                {
                    let place = Standing::of(topology, sets).place;
                    self.from = Some(place.words(topology));
                }
            }
            Entry::Effect(_, Effect::Note(note)) => {
                if let Note::Decided(_, why) = note {
                    self.reason = Some(*why);
                }
                if note.is_warning() {
                    self.warn(&note.describe(topology));
                }
            }
            Entry::Effect(_, Effect::Write(..)) => self.sent = true,
            Entry::Effect(..) => {}
        }
    }
}

/// Why it ended so; where that rests on what somebody answered, with what everybody answered last.
fn why(topology: &Topology, story: &[Entry], outcome: &Outcome) -> String {
    let mut told = short_line(&outcome.describe(topology));
    if outcome.rests_on_answers() {
        let last: Vec<String> = last_answers(topology, story)
            .into_iter()
            .map(|(whom, answer)| format!("{whom} {answer}"))
            .collect();
        told = format!("{told} ({})", last.join("; "));
    }
    told
}

/// What each who was probed answered last, in the order in which they were first asked.
fn last_answers(topology: &Topology, story: &[Entry]) -> Vec<(String, String)> {
    let mut last: Vec<(String, String)> = Vec::new();
    let mut asked: Option<Ask> = None;
    for entry in story {
        if let Entry::Effect(_, Effect::Ask(ask)) = entry {
            asked = Some(*ask);
        }
        let Entry::Event(Event {
            what: Happened::Answered(answers),
            ..
        }) = entry
        else {
            continue;
        };
        let Some(ask) = asked.take().filter(|ask| ask.hosts == Hosts::Probe) else {
            continue;
        };
        let whom = match ask.whom {
            Whom::Site(site) => format!("`{}`", topology.name(site)),
            Whom::Control => "the control host".to_owned(),
        };
        let told: Vec<String> = answers.iter().map(in_words).collect();
        let told = told.join(", ");
        match last.iter_mut().find(|(other, _)| *other == whom) {
            Some((_, answer)) => *answer = told,
            None => last.push((whom, told)),
        }
    }
    last
}

/// `answered 503`, `gave no answer: refused`.
fn in_words(answer: &Answer) -> String {
    match answer {
        Answer::Status { .. } => format!("answered {}", answer.describe()),
        Answer::None(_) => format!("gave no answer: {}", answer.describe()),
    }
}

/// The batch that an effect sends, or would send.
fn batch_of(entry: &Entry) -> Option<&Batch> {
    match entry {
        Entry::Effect(_, Effect::Write(batch, _) | Effect::Finish(Outcome::Planned(batch))) => {
            Some(batch)
        }
        Entry::Event(_) | Entry::Effect(..) => None,
    }
}

/// The batch as Route 53 has it (API reference, `ChangeBatch`).
fn change_batch(topology: &Topology, batch: &Batch) -> Value {
    let changes = batch.changes(topology).into_iter();
    let change = changes.map(|change| {
        json!({
            "Action": "UPSERT",
            "ResourceRecordSet": {
                "Name": change.record.name.dns(),
                "Type": change.record.kind.word(),
                "TTL": change.ttl,
                "ResourceRecords": [{ "Value": change.value }],
            },
        })
    });
    json!({ "Changes": change.collect::<Vec<_>>() })
}

/// What visitors miss at `site`: hosts that are not served there, that do not answer, and what the spec notes.
fn lost(spec: &Spec, topology: &Topology, site: SiteId, story: &[Entry]) -> Vec<Lost> {
    let name = topology.name(site);
    let mut found = Vec::new();
    for host in &spec.hosts {
        let mut lose = |why: String| {
            found.push(Lost {
                host: host.name.dns(),
                why,
            });
        };
        if host.absent_at.contains(name) {
            lose(format!("not served at `{name}`"));
        }
        if let Some(note) = host.notes.get(name) {
            lose(short_line(note));
        }
        let silent = story.iter().find_map(|entry| match entry {
            Entry::Effect(_, Effect::Note(Note::Host(at, silent, answer)))
                if *at == site && *silent == host.name =>
            {
                Some(answer)
            }
            Entry::Event(_) | Entry::Effect(..) => None,
        });
        if let Some(answer) = silent {
            lose(format!("answers {answer} at `{name}`"));
        }
    }
    found
}

fn phases(story: &[Entry]) -> Phases {
    let event = |test: fn(&Happened) -> bool| {
        story.iter().find_map(|entry| match entry {
            Entry::Event(event) if test(&event.what) => Some(event.at),
            Entry::Event(_) | Entry::Effect(..) => None,
        })
    };
    let effect = |test: fn(&Effect) -> bool| {
        story.iter().rev().find_map(|entry| match entry {
            Entry::Effect(at, effect) if test(effect) => Some(*at),
            Entry::Event(_) | Entry::Effect(..) => None,
        })
    };
    let read = event(|what| matches!(what, Happened::Records(_)));
    let decided = effect(|effect| matches!(effect, Effect::Note(Note::Decided(..))));
    // The first try of the change that was decided last.
    let sent = story.iter().find_map(|entry| match entry {
        Entry::Effect(at, Effect::Write(..)) if decided.is_some_and(|decided| *at >= decided) => {
            Some(*at)
        }
        Entry::Event(_) | Entry::Effect(..) => None,
    });
    let accepted = event(|what| matches!(what, Happened::Accepted(_)));
    let synced = event(|what| matches!(what, Happened::Change(ChangeStatus::InSync)));
    let ended = effect(|effect| matches!(effect, Effect::Finish(_)));
    let span = |from: Option<Moment>, to: Option<Moment>| {
        let span = to?.since(from?);
        u64::try_from(span.as_millis()).ok()
    };
    Phases {
        read: span(Some(Moment::default()), read),
        decide: span(read, decided.or(ended)),
        prepare: span(decided, sent.or(ended)),
        write: span(sent, accepted.or(ended)),
        sync: span(accepted, synced.or(ended)),
        verify: span(synced, ended),
        total: span(Some(Moment::default()), ended),
    }
}
