//! A file of the ledger, read: whole, or a list of what is wrong with it. Half a proof is none.

use crate::model::calendar::{Day, Moment};
use crate::model::facts::minutes;
use crate::syntax::{Fault, Node, json};
use crate::text::{Span, Text};

use super::{Kind, Rehearsal, Sums, VERSION};

impl Rehearsal {
    /// Reads a file of the ledger.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn read(path: &str, text: &Text) -> Result<Self, Vec<Fault>> {
        let mut parsed = json::read(text);
        let root = parsed.documents.drain(..).next();
        let Some(root) = root.filter(|_| parsed.faults.is_empty()) else {
            return Err(parsed.faults);
        };
        if root.as_map().is_none() {
            return Err(vec![Fault {
                at: root.span(),
                reason: "a JSON object is expected, as `pointsman drill --ledger` writes it"
                    .to_owned(),
            }]);
        }
        let mut reader = Reader {
            root: &root,
            faults: Vec::new(),
        };
        let read = reader.all(path);
        read.filter(|_| reader.faults.is_empty())
            .ok_or(reader.faults)
    }
}

/// The keys of the form.
const KEYS: [&str; 10] = [
    "version",
    "kind",
    "started",
    "finished",
    "outcome",
    "why",
    "but",
    "tool",
    "phases",
    "artefacts",
];

struct Reader<'a> {
    root: &'a Node,
    faults: Vec<Fault>,
}

impl<'a> Reader<'a> {
    fn all(&mut self, path: &str) -> Option<Rehearsal> {
        self.keys();
        self.version();
        let kind = self.word(
            "kind",
            &[("drill", Kind::Drill), ("exercise", Kind::Exercise)],
        );
        let passed = self.word("outcome", &[("passed", true), ("failed", false)]);
        let started = self.time("started");
        let finished = self.time("finished");
        if let (Some((started, _, _)), Some((finished, _, at))) = (started, finished)
            && finished < started
        {
            self.wrong(at, "it ends before it begins");
        }
        self.phases();
        let artefacts = self.artefacts();
        let (finished_minutes, day, at) = finished?;
        let written = self.root.get("finished").and_then(Node::as_str);
        let ended = written.and_then(Moment::parse).unwrap_or(Moment {
            seconds: finished_minutes * 60,
            nanos: 0,
        });
        let (artefacts, artefacts_at) = artefacts?;
        Some(Rehearsal {
            path: path.to_owned(),
            kind: kind?.0,
            finished: (day, at),
            finished_minutes,
            ended,
            passed: passed?,
            artefacts,
            artefacts_at,
        })
    }

    fn wrong(&mut self, at: Span, reason: impl Into<String>) {
        self.faults.push(Fault {
            at,
            reason: reason.into(),
        });
    }

    /// Every key is known, and stands once.
    fn keys(&mut self) {
        let entries = self.root.as_map().unwrap_or_default();
        for (place, entry) in entries.iter().enumerate() {
            let key = entry.key.as_str();
            let mut before = entries.iter().take(place);
            if before.any(|other| other.key.as_str() == key) {
                self.wrong(entry.key.span(), format!("`{key}` stands twice"));
            } else if !KEYS.contains(&key) {
                let told = format!("`{key}` is none of `{}`", KEYS.join("`, `"));
                self.wrong(entry.key.span(), told);
            }
        }
    }

    fn need(&mut self, key: &str) -> Option<&'a Node> {
        let found = self.root.get(key);
        if found.is_none() {
            self.wrong(self.root.span(), format!("`{key}` is missing"));
        }
        found
    }

    fn version(&mut self) {
        let Some(node) = self.need("version") else {
            return;
        };
        if node.as_integer() != Some(VERSION) {
            let reason = format!("`version` is not {VERSION}, the only one that is known here");
            self.wrong(node.span(), reason);
        }
    }

    fn word<T: Copy>(&mut self, key: &str, known: &[(&str, T)]) -> Option<(T, Span)> {
        let node = self.need(key)?;
        let found = known.iter().find(|(word, _)| node.as_str() == Some(word));
        if found.is_none() {
            let words: Vec<String> = known.iter().map(|(word, _)| format!("`{word}`")).collect();
            let reason = format!("`{key}` is none of {}", words.join(", "));
            self.wrong(node.span(), reason);
        }
        found.map(|(_, value)| (*value, node.span()))
    }

    fn time(&mut self, key: &str) -> Option<(i64, Day, Span)> {
        let node = self.need(key)?;
        let written = node.as_str().unwrap_or_default();
        let time = minutes(written).zip(Day::parse(written));
        if time.is_none() {
            let reason = format!("`{key}` is no time in UTC such as `2026-11-30T19:00:00Z`");
            self.wrong(node.span(), reason);
        }
        time.map(|(minutes, day)| (minutes, day, node.span()))
    }

    fn phases(&mut self) {
        let Some(node) = self.need("phases") else {
            return;
        };
        let Some(entries) = node.as_map() else {
            return self.wrong(node.span(), "`phases` is no map of names to milliseconds");
        };
        for entry in entries {
            if entry.value.as_integer().is_none_or(|millis| millis < 0) {
                let reason = format!("`{}` is no number of milliseconds", entry.key.as_str());
                self.wrong(entry.value.span(), reason);
            }
        }
    }

    fn artefacts(&mut self) -> Option<(Sums, Span)> {
        let node = self.need("artefacts")?;
        let Some(entries) = node.as_map() else {
            self.wrong(
                node.span(),
                "`artefacts` is no map of paths to SHA-256 sums",
            );
            return None;
        };
        let mut artefacts = Sums::new();
        for entry in entries {
            let sum = entry.value.as_str().unwrap_or_default();
            let is_sum = sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_sum {
                let value = (sum.to_ascii_lowercase(), entry.value.span());
                let twice = artefacts.insert(entry.key.as_str().to_owned(), value);
                if twice.is_some() {
                    let reason = format!("`{}` stands twice", entry.key.as_str());
                    self.wrong(entry.key.span(), reason);
                }
            } else {
                let reason = format!("`{}` has no SHA-256 of 64 digits", entry.key.as_str());
                self.wrong(entry.value.span(), reason);
            }
        }
        if entries.is_empty() {
            let reason = "`artefacts` is empty: nothing says what was rehearsed";
            self.wrong(node.span(), reason);
        }
        Some((artefacts, node.span()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::rehearsal::Evidence;
    use crate::text::SourceMap;
    use proptest::prelude::*;

    fn read(written: &str) -> Result<Rehearsal, Vec<String>> {
        let mut sources = SourceMap::default();
        let file = sources.add("rehearsals/2026-11-30-drill.json", written);
        let Some(text) = sources.text(file) else {
            return Err(Vec::new());
        };
        let faults = |faults: Vec<Fault>| faults.into_iter().map(|fault| fault.reason).collect();
        Rehearsal::read("rehearsals/2026-11-30-drill.json", &text).map_err(faults)
    }

    fn evidence() -> Evidence {
        Evidence {
            kind: Kind::Drill,
            started_millis: 1_796_061_600_000,
            finished_millis: 1_796_062_100_123,
            failed: None,
            but: vec!["heartbeat was not given".to_owned()],
            phases: vec![("notice".to_owned(), 120_000), ("switch".to_owned(), 9_000)],
            artefacts: BTreeMap::from([("pointsman.toml".to_owned(), "0a".repeat(32))]),
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let whole = read(&evidence().text()).unwrap();
        assert_eq!(whole.kind, Kind::Drill);
        assert!(whole.passed.0);
        assert_eq!(whole.finished.0.to_string(), "2026-11-30");
        assert_eq!(whole.artefacts["pointsman.toml"].0, "0a".repeat(32));
        let failed = Evidence {
            failed: Some("a \"reason\"\n".to_owned()),
            kind: Kind::Exercise,
            ..evidence()
        };
        let again = read(&failed.text()).unwrap();
        assert_eq!((again.kind, again.passed.0), (Kind::Exercise, false));
    }

    #[test]
    fn everything_that_is_wrong_is_told() {
        let text = evidence().text();
        let told = |from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            read(&text.replacen(from, to, 1)).unwrap_err().join("; ")
        };
        assert!(told("\"version\": 1", "\"version\": 2").contains("only one that is known"));
        assert!(told("\"drill\"", "\"party\"").contains("`drill`, `exercise`"));
        assert!(told("\"passed\"", "true").contains("`outcome`"));
        assert!(told("2026-11-30T", "2026-11-31T").contains("`started` is no time"));
        assert!(told("2026-11-30T", "2026-12-30T").contains("ends before"));
        assert!(told("120000", "-1").contains("milliseconds"));
        assert!(told("0a0a", "zz0a").contains("SHA-256"));
        assert!(told("\"finished\"", "\"ended\"").contains("`finished` is missing"));
        assert!(!read("{").unwrap_err().is_empty());
        let list = read("[]").unwrap_err();
        assert_eq!(list.len(), 1, "{list:?}");
        let twice = told("\"kind\"", "\"outcome\": \"failed\", \"kind\"");
        assert!(twice.contains("`outcome` stands twice"), "{twice}");
        assert!(told("\"tool\"", "\"tol\"").contains("`tol` is none of"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_told(written in ".{0,300}") {
            let _read = read(&written);
        }

        #[test]
        fn a_changed_byte_is_read_or_told(at in 0..300_usize, to in 32..127_u8) {
            let mut bytes = evidence().text().into_bytes();
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
            let _read = read(&String::from_utf8(bytes).unwrap());
        }
    }
}
