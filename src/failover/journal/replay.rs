//! A journal played again: each of its events is given to the present mind, and what it wants is compared with what was
//! written then, byte for byte.

use std::iter::Peekable;

use serde_json::Value;

use crate::failover::event::Event;
use crate::failover::state::State;
use crate::failover::step::step;
use crate::failover::topology::Topology;

use super::{Entry, encode, fields, topology};

/// What came of playing a journal again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The version that wrote it.
    pub version: String,
    /// Events played.
    pub events: usize,
    /// Effects that are the same, byte for byte.
    pub effects: usize,
    /// Where the present version does something else; nothing is played after it.
    pub difference: Option<Difference>,
    /// Whether the journal has the run's end, its effect `finish`; it may stop where its process was killed.
    pub finished: bool,
    /// Effects of the last event that the journal does not have.
    pub missing: usize,
    /// Whether the last line is cut off.
    pub cut_off: bool,
}

/// Where two versions part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line of the event, from 1.
    pub line: usize,
    /// The event's line.
    pub event: String,
    /// What the journal has.
    pub then: Vec<String>,
    /// What the present version does.
    pub now: Vec<String>,
    /// Whether the two decide alike and only say it in other words.
    pub wording: bool,
}

/// Why a text is no journal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct JournalFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// A line that is JSON, with its number.
type Line<'a> = (usize, &'a str, Value);

/// Plays a journal again.
///
/// # Errors
/// When it is none. A last line that is cut off is no fault: so ends the journal of a process that was killed.
pub fn replay(text: &str) -> Result<Replay, JournalFault> {
    // What an editor may have put before it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (lines, cut_off) = lines(text)?;
    let mut lines = lines.into_iter().peekable();
    let head = lines
        .next()
        .ok_or_else(|| fault(1, "the journal is empty"))?;
    let (topology, version) = topology::read(&head.2).map_err(|reason| fault(head.0, reason))?;
    let mut played = Replay {
        version,
        events: 0,
        effects: 0,
        difference: None,
        finished: false,
        missing: 0,
        cut_off,
    };
    let mut state = State::new();
    while let Some((number, written, value)) = lines.next() {
        if value.get("journal").is_some() {
            let second = "another journal begins here; give the journal of one run at a time";
            return Err(fault(number, second));
        }
        if played.finished {
            let after = "the run has ended with `finish` before this line, and nothing follows it";
            return Err(fault(number, after));
        }
        let event = fields::event(&value).map_err(|reason| fault(number, reason))?;
        played.events += 1;
        let (next, now) = played_on(&topology, state, event);
        state = next;
        let (then, finished) = effects_of(&mut lines);
        let stopped = lines.peek().is_none() && then.len() < now.len() && now.starts_with(&then);
        if then != now && !stopped {
            played.difference = Some(Difference {
                line: number,
                event: written.to_owned(),
                wording: same_but_words(&then, &now),
                then,
                now,
            });
            return Ok(played);
        }
        played.effects += then.len();
        played.missing = now.len().saturating_sub(then.len());
        played.finished = finished;
    }
    Ok(played)
}

/// What happened in the run of a journal: its events, each with what the present version wants after it.
///
/// # Errors
/// When it is none, or holds more than one run.
pub fn story(text: &str) -> Result<Vec<Entry>, JournalFault> {
    let (lines, _) = lines(text)?;
    let mut lines = lines.into_iter();
    let head = lines
        .next()
        .ok_or_else(|| fault(1, "the journal is empty"))?;
    let (topology, _) = topology::read(&head.2).map_err(|reason| fault(head.0, reason))?;
    let mut state = State::new();
    let mut story = Vec::new();
    for (number, _, value) in lines {
        if value.get("effect").is_some() {
            continue;
        }
        let event = fields::event(&value).map_err(|reason| fault(number, reason))?;
        let at = event.at;
        let (next, effects) = step(&topology, state, event.clone());
        state = next;
        story.push(Entry::Event(event));
        story.extend(effects.into_iter().map(|effect| Entry::Effect(at, effect)));
    }
    Ok(story)
}

fn fault(line: usize, reason: impl Into<String>) -> JournalFault {
    JournalFault {
        line,
        reason: reason.into(),
    }
}

/// Its lines as JSON, and whether the last one is cut off.
fn lines(text: &str) -> Result<(Vec<Line<'_>>, bool), JournalFault> {
    let mut lines = Vec::new();
    let count = text.lines().count();
    for (index, line) in text.lines().enumerate() {
        match serde_json::from_str(line) {
            Ok(value) => lines.push((index + 1, line, value)),
            Err(_) if index + 1 == count && index > 0 && !text.ends_with('\n') => {
                return Ok((lines, true));
            }
            Err(error) => return Err(fault(index + 1, no_json(line, &error))),
        }
    }
    Ok((lines, false))
}

/// Why a line is no JSON, by its column: it is a text of its own.
fn no_json(line: &str, error: &serde_json::Error) -> String {
    if line.trim().is_empty() {
        return "the line is empty".to_owned();
    }
    let said = error.to_string();
    let bare = said
        .rsplit_once(" at line ")
        .map_or(&*said, |(bare, _)| bare);
    format!("column {}: {bare}", error.column())
}

fn played_on(topology: &Topology, state: State, event: Event) -> (State, Vec<String>) {
    let at = event.at;
    let (state, effects) = step(topology, state, event);
    let told = effects
        .into_iter()
        .map(|effect| encode::line(topology, &Entry::Effect(at, effect)));
    (state, told.collect())
}

/// The lines of effects that come next, and whether the run's end is among them.
fn effects_of<'a>(lines: &mut Peekable<impl Iterator<Item = Line<'a>>>) -> (Vec<String>, bool) {
    let mut effects = Vec::new();
    let mut finished = false;
    while let Some((_, line, value)) = lines.next_if(|(_, _, value)| value.get("effect").is_some())
    {
        finished |= value.get("effect").is_some_and(|effect| effect == "finish");
        effects.push(line.to_owned());
    }
    (effects, finished)
}

/// Whether two lists of lines are the same but for what stands under `text`.
fn same_but_words(then: &[String], now: &[String]) -> bool {
    let bare = |line: &String| {
        let mut value: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.remove("text");
        }
        value
    };
    then.iter().map(bare).eq(now.iter().map(bare))
}
