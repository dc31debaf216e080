//! A rehearsal's evidence as text, and what its file is called.

use serde_json::{Map, Value, json};

use crate::model::calendar::Day;

use super::{Evidence, FOLDER, VERSION};

const SECONDS_A_DAY: u64 = 86_400;

impl Evidence {
    /// The text of its file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut value = Map::new();
        let mut put = |key: &str, it: Value| value.insert(key.to_owned(), it);
        put("version", json!(VERSION));
        put("kind", json!(self.kind.word()));
        put("started", json!(time(self.started_millis)));
        put("finished", json!(time(self.finished_millis)));
        let outcome = if self.failed.is_none() {
            "passed"
        } else {
            "failed"
        };
        put("outcome", json!(outcome));
        if let Some(why) = &self.failed {
            put("why", json!(why));
        }
        if !self.but.is_empty() {
            put("but", json!(self.but));
        }
        put("tool", json!(env!("CARGO_PKG_VERSION")));
        let phases: Map<String, Value> = self
            .phases
            .iter()
            .map(|(name, millis)| (name.clone(), json!(millis)))
            .collect();
        put("phases", Value::Object(phases));
        put("artefacts", json!(self.artefacts));
        format!("{:#}\n", Value::Object(value))
    }

    /// What its file may be called, beside the spec: the day and the kind, and a number where that name is taken.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        let (day, kind) = (day(self.started_millis), self.kind.word());
        (1_u32..).map(move |count| match count {
            1 => format!("{FOLDER}/{day}-{kind}.json"),
            _ => format!("{FOLDER}/{day}-{kind}-{count}.json"),
        })
    }
}

fn day(millis: u64) -> Day {
    Day(i64::try_from(millis / 1000 / SECONDS_A_DAY).unwrap_or(i64::MAX))
}

/// The second in UTC.
fn time(millis: u64) -> String {
    let second = millis / 1000 % SECONDS_A_DAY;
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{}T{hour:02}:{minute:02}:{:02}Z", day(millis), second % 60)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::rehearsal::Kind;

    #[test]
    fn a_second_rehearsal_of_a_day_has_a_name_of_its_own() {
        let evidence = Evidence {
            but: Vec::new(),
            kind: Kind::Exercise,
            started_millis: 1_796_061_600_000,
            finished_millis: 1_796_061_600_000,
            failed: None,
            phases: Vec::new(),
            artefacts: BTreeMap::new(),
        };
        let names: Vec<String> = evidence.paths().take(2).collect();
        assert_eq!(
            names,
            [
                "rehearsals/2026-11-30-exercise.json",
                "rehearsals/2026-11-30-exercise-2.json"
            ]
        );
    }

    #[test]
    fn times_are_seconds_in_utc() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_796_062_100_999), "2026-11-30T18:08:20Z");
    }
}
