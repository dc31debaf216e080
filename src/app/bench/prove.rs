//! How long proofs take: each policy of a list against itself with one statement left out, both ways.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use crate::app::{AppError, Exit};
use crate::iam::NamedPolicy;
use crate::iam::prove::{Answer, Bounds, Question, Realm, Side, ask};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::ports::{Files, Stopwatch};
use crate::syntax::{Node, json};
use crate::text::SourceMap;

/// What is measured.
#[derive(Debug, Clone)]
pub struct ProveRequest {
    /// Policies, as JSON documents one behind another.
    pub path: String,
    /// How many statements of a policy are left out in turn, at most.
    pub most: usize,
    /// Whether the figures are written as JSON.
    pub as_json: bool,
}

#[derive(Serialize)]
struct Figures {
    policies: usize,
    pairs: usize,
    median_ms: f64,
    p99_ms: f64,
    max_ms: f64,
    refuted: usize,
    undecided: Vec<String>,
    slowest: Vec<String>,
}

/// A policy without one statement, and what came of it.
struct Pair {
    name: String,
    took: Duration,
    answers: [Answer; 2],
}

/// Measures, and writes the figures to `out`.
///
/// # Errors
/// When the file is not there or is no text, or `out` cannot be written to.
pub fn prove(
    request: &ProveRequest,
    files: &dyn Files,
    stopwatch: &dyn Stopwatch,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let text = String::from_utf8(files.read(&request.path)?)
        .map_err(|error| AppError::usage(format!("`{}`: {error}", request.path), String::new()))?;
    let mut sources = SourceMap::default();
    let file = sources.add(&request.path, text);
    let policies: Vec<(String, PolicyDocument)> = sources
        .text(file)
        .map(|text| json::read_all(&text).documents)
        .unwrap_or_default()
        .into_iter()
        .map(policy)
        .collect();
    let mut pairs = Vec::new();
    for (name, document) in &policies {
        let count = document.statements.len();
        let step = count.div_ceil(request.most.max(1)).max(1);
        for left_out in (0..count).step_by(step) {
            pairs.push(pair(name, document, left_out, stopwatch));
        }
    }
    let figures = figures(policies.len(), pairs);
    if request.as_json {
        serde_json::to_writer(&mut *out, &figures).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        human(&figures, out)?;
    }
    Ok(Exit::Clean)
}

fn policy(root: Node) -> (String, PolicyDocument) {
    let name = root.get("name").and_then(Node::as_str).map(str::to_owned);
    let document = root.get("document").cloned().unwrap_or(root);
    (
        name.unwrap_or_default(),
        PolicyDocument::read(document, Some(PolicyKind::Identity), None),
    )
}

fn pair(name: &str, whole: &PolicyDocument, left_out: usize, stopwatch: &dyn Stopwatch) -> Pair {
    let mut less = whole.clone();
    if left_out < less.statements.len() {
        less.statements.remove(left_out);
    }
    let mut answers = None;
    let took = stopwatch.time(&mut || {
        answers = Some([more(whole, &less), more(&less, whole)]);
    });
    Pair {
        name: format!("{name} without statement {left_out}"),
        took,
        answers: answers.unwrap_or_else(|| [more(whole, &less), more(&less, whole)]),
    }
}

fn more(new: &PolicyDocument, old: &PolicyDocument) -> Answer {
    let side = |document| Side {
        policies: vec![NamedPolicy {
            name: "policy",
            document,
        }],
    };
    let question = Question {
        granted: vec![side(new)],
        not_granted: vec![side(old)],
        realm: Realm::Documented,
        principal: None,
        home: None,
        aside: Vec::new(),
    };
    ask(&question, Bounds::default())
}

fn figures(policies: usize, mut pairs: Vec<Pair>) -> Figures {
    pairs.sort_by_key(|pair| pair.took);
    let milliseconds = |pair: &Pair| pair.took.as_secs_f64() * 1000.0;
    let at = |part: usize| {
        let place = (pairs.len() * part / 100).min(pairs.len().saturating_sub(1));
        pairs.get(place).map_or(0.0, milliseconds)
    };
    let undecided = pairs.iter().flat_map(|pair| {
        let open = pair
            .answers
            .iter()
            .filter(|answer| answer.witnesses.is_empty());
        let why = open.filter_map(|answer| answer.open.first());
        why.map(move |why| format!("{}: {why}", pair.name))
    });
    let refuted = |pair: &&Pair| {
        pair.answers
            .iter()
            .any(|answer| !answer.witnesses.is_empty())
    };
    Figures {
        policies,
        pairs: pairs.len(),
        median_ms: at(50),
        p99_ms: at(99),
        max_ms: at(100),
        refuted: pairs.iter().filter(refuted).count(),
        undecided: undecided.collect(),
        slowest: pairs
            .iter()
            .rev()
            .take(10)
            .map(|pair| format!("{:.0} ms {}", milliseconds(pair), pair.name))
            .collect(),
    }
}

fn human(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{} policies, {} pairs: median {:.2} ms, 99 % under {:.0} ms, the longest {:.0} ms; {} refuted, {} undecided",
        figures.policies,
        figures.pairs,
        figures.median_ms,
        figures.p99_ms,
        figures.max_ms,
        figures.refuted,
        figures.undecided.len(),
    )?;
    for slow in &figures.slowest {
        writeln!(out, "  {slow}")?;
    }
    for open in &figures.undecided {
        writeln!(out, "  undecided: {open}")?;
    }
    Ok(())
}
