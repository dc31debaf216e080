//! What is remembered of one server: its values over time, and when it said nothing.

use std::time::Duration;

use super::answer::Answer;

/// The values of a stretch of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) values: Vec<String>,
    pub(super) since: Duration,
    pub(super) last: Duration,
    /// The TTL of its last answer.
    pub(super) ttl: Option<u32>,
}

/// One server's answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub(super) asked: usize,
    pub(super) unanswered: usize,
    pub(super) runs: Vec<Run>,
    pub(super) last: Option<(Duration, Answer)>,
    /// Each way of saying nothing, the first time.
    pub(super) troubles: Vec<(Duration, Answer)>,
}

impl Seen {
    /// Takes one more answer; gives whether it is another than the one before.
    pub(super) fn see(&mut self, at: Duration, answer: &Answer) -> bool {
        self.asked += 1;
        if let Some(values) = answer.values() {
            self.value(at, values, answer.ttl());
        } else {
            self.unanswered += 1;
            if !self.troubles.iter().any(|(_, known)| known == answer) {
                self.troubles.push((at, answer.clone()));
            }
        }
        let before = self.last.replace((at, answer.clone()));
        !before.is_some_and(|(_, before)| same(&before, answer))
    }

    fn value(&mut self, at: Duration, values: &[String], ttl: Option<u32>) {
        match self.runs.last_mut() {
            Some(run) if run.values == values => {
                run.last = at;
                run.ttl = ttl;
            }
            _ => self.runs.push(Run {
                values: values.to_vec(),
                since: at,
                last: at,
                ttl,
            }),
        }
    }

    /// When the server first had these values.
    pub(super) fn first(&self, values: &[String]) -> Option<Duration> {
        let run = self.runs.iter().find(|run| run.values == values)?;
        Some(run.since)
    }

    /// Since when it has had nothing else; `None` when it has something else.
    pub(super) fn settled(&self, values: &[String]) -> Option<Duration> {
        let run = self.runs.last().filter(|run| run.values == values)?;
        Some(run.since)
    }

    /// How often it went from these values to others.
    pub(super) fn left(&self, values: &[String]) -> usize {
        let had = self.runs.iter().filter(|run| run.values == values).count();
        had - usize::from(self.settled(values).is_some())
    }

    /// Whether its latest answer has these values.
    pub(super) fn shows(&self, values: &[String]) -> bool {
        let last = self.last.as_ref().and_then(|(_, answer)| answer.values());
        last == Some(values)
    }
}

/// Whether two answers say the same, whatever is left of their time.
fn same(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (
            Answer::Values {
                values: one,
                through: via,
                ..
            },
            Answer::Values {
                values: other,
                through,
                ..
            },
        ) => one == other && via == through,
        (one, other) => one == other,
    }
}
