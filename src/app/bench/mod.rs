//! `pointsman bench`: figures of this machine, for those who compare. Hidden: nothing is decided by them.

mod prove;

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use crate::iam::{Compiled, NamedPolicy, Policies, Request, cases};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::ports::Stopwatch;
use crate::syntax::{Node, json, toml};
use crate::text::SourceMap;

use super::exit::{AppError, Exit};

pub use prove::{ProveRequest, prove};

/// The reference deployment's policies of its role, and the table of requests that is kept for them.
const CHANGE: &str = include_str!("../../../policies/change-records.json");
const READ: &str = include_str!("../../../policies/read-zone.json");
const TABLE: &str = include_str!("../../../policies/cases.toml");

/// For how long evaluations are counted, at least.
const LONG_ENOUGH: Duration = Duration::from_millis(500);

#[derive(Serialize)]
struct Figures {
    evaluations_per_second: u64,
}

/// Counts evaluations of the reference policies, compiled once, on one thread, by the requests of their table in turn.
///
/// # Errors
/// When the embedded policies cannot be read, or `out` not written to.
pub fn evaluate(
    as_json: bool,
    stopwatch: &dyn Stopwatch,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let broken = || AppError::usage("the reference policies cannot be read", String::new());
    let mut sources = SourceMap::default();
    let mut tree = |path: &str, text: &str, table: bool| -> Option<Node> {
        let file = sources.add(path, text);
        let text = sources.text(file)?;
        let mut parsed = if table {
            toml::read(&text)
        } else {
            json::read(&text)
        };
        parsed.documents.pop()
    };
    let mut document = |path: &str, text: &str| {
        let root = tree(path, text, false)?;
        Some(PolicyDocument::read(root, Some(PolicyKind::Identity), None))
    };
    let change = document("change-records.json", CHANGE).ok_or_else(broken)?;
    let read = document("read-zone.json", READ).ok_or_else(broken)?;
    let table = tree("cases.toml", TABLE, true).ok_or_else(broken)?;
    let (cases, _) = cases::read(&table);
    let requests: Vec<Request> = cases.into_iter().map(|case| case.request).collect();
    let compiled = Compiled::new(&Policies {
        identity: [("change", &change), ("read", &read)]
            .map(|(name, document)| NamedPolicy { name, document })
            .to_vec(),
        ..Policies::default()
    });
    let rate = rate(&compiled, &requests, stopwatch);
    if as_json {
        let figures = Figures {
            evaluations_per_second: rate,
        };
        serde_json::to_writer(&mut *out, &figures).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{rate} evaluations a second")?;
    }
    Ok(Exit::Clean)
}

/// Rounds over all requests, twice as many each time, until they take long enough.
fn rate(compiled: &Compiled, requests: &[Request], stopwatch: &dyn Stopwatch) -> u64 {
    let mut rounds: u64 = 1;
    while rounds < 1 << 40 {
        let took = stopwatch.time(&mut || {
            for request in (0..rounds).flat_map(|_| requests) {
                black_box(compiled.decide(black_box(request)));
            }
        });
        if took >= LONG_ENOUGH || requests.is_empty() {
            let nanoseconds = took.as_nanos().max(1);
            let done = u128::from(rounds) * requests.len() as u128;
            return u64::try_from(done * 1_000_000_000 / nanoseconds).unwrap_or(u64::MAX);
        }
        rounds *= 2;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says that everything took a second.
    struct Second;

    impl Stopwatch for Second {
        fn time(&self, work: &mut dyn FnMut()) -> Duration {
            work();
            Duration::from_secs(1)
        }
    }

    #[test]
    fn one_round_over_the_table_is_counted() {
        let mut out = Vec::new();
        assert!(matches!(evaluate(true, &Second, &mut out), Ok(Exit::Clean)));
        let figures: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let table: Vec<_> = TABLE.matches("[[cases]]").collect();
        assert_eq!(figures["evaluations_per_second"], table.len());
    }
}
