//! How long the user's own runs waited: the JSON of `gh run list --json createdAt,startedAt`, of
//! `gh run view ID --json createdAt,jobs` (better: only the job's start shows the wait for a runner), or of the REST API.

use serde_json::Value;

use crate::model::calendar::Day;

use super::distribution::Distribution;

/// What was read of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Waits in seconds, ascending; never empty.
    pub waits: Vec<f64>,
    /// Entries that say nothing: without both moments, or of a repeated run, whose wait is not known.
    pub skipped: usize,
}

/// Why a history cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryFault {
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    Syntax(String),
    /// No entry says how long a run waited.
    #[error("none of its {0} entries has both `createdAt` and `startedAt`")]
    Empty(usize),
}

impl History {
    /// Reads a list of runs, one run, or what the REST API answers for runs or for jobs; several such texts one behind
    /// another, as `gh api --paginate` and a loop over `gh run view` write them.
    ///
    /// # Errors
    /// When it is no JSON, or no run in it says how long it waited.
    pub fn read(text: &str) -> Result<Self, HistoryFault> {
        let roots: Vec<Value> = serde_json::Deserializer::from_str(text)
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(|error| HistoryFault::Syntax(error.to_string()))?;
        let runs: Vec<&Value> = roots.iter().flat_map(entries).collect();
        let mut waits: Vec<f64> = runs.iter().filter_map(|run| wait(run)).collect();
        if waits.is_empty() {
            return Err(HistoryFault::Empty(runs.len()));
        }
        waits.sort_by(f64::total_cmp);
        Ok(Self {
            skipped: runs.len() - waits.len(),
            waits,
        })
    }

    /// Whether every run is said to have started in the second that it was created: `gh run list` does not show the wait
    /// for a runner.
    #[must_use]
    pub fn shows_no_wait(&self) -> bool {
        self.waits.last().is_some_and(|longest| *longest < 1.0)
    }

    /// The waits as a distribution.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        Distribution::Observed(self.waits.clone())
    }
}

/// The runs of one text; where jobs stand there without their run, those.
fn entries(root: &Value) -> &[Value] {
    let is_run = root.get("createdAt").or_else(|| root.get("created_at"));
    let jobs = root.get("jobs").filter(|_| is_run.is_none());
    let listed = root.get("workflow_runs").or(jobs).unwrap_or(root);
    let one = std::slice::from_ref(listed);
    listed.as_array().map_or(one, Vec::as_slice)
}

/// The seconds that a run waited; `None` where it does not say.
fn wait(run: &Value) -> Option<f64> {
    let moment = |node: &Value, names: &[&str]| {
        let text = names.iter().find_map(|name| node.get(name)?.as_str());
        text.and_then(seconds)
    };
    let attempt = run.get("attempt").or_else(|| run.get("run_attempt"));
    if attempt.and_then(Value::as_i64).is_some_and(|n| n > 1) {
        return None;
    }
    let created = moment(run, &["createdAt", "created_at"])?;
    let jobs = run
        .get("jobs")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let first = jobs
        .filter_map(|job| moment(job, &["startedAt", "started_at"]))
        .min_by(f64::total_cmp);
    let started = first.or_else(|| moment(run, &["startedAt", "run_started_at", "started_at"]))?;
    let wait = started - created;
    (0.0..=86_400.0 * 7.0).contains(&wait).then_some(wait)
}

/// Seconds since 1970 of a moment as RFC 3339 section 5.6 writes it, in UTC.
fn seconds(text: &str) -> Option<f64> {
    let day = Day::parse(text)?;
    let clock = text.get(10..)?.strip_prefix(['T', 't', ' '])?;
    let clock = clock
        .strip_suffix(['Z', 'z'])
        .or_else(|| clock.strip_suffix("+00:00"))?;
    let mut parts = clock.splitn(3, ':').map(|part| {
        let fits = part.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        part.parse::<f64>().ok().filter(|_| fits)
    });
    let mut next = |most: f64| parts.next().flatten().filter(|n| *n <= most);
    let (hour, minute, second) = (next(23.0)?, next(59.0)?, next(60.999)?);
    Some(day.0 as f64 * 86_400.0 + hour * 3600.0 + minute * 60.0 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read_from_each_form() {
        let listed = r#"[{"createdAt":"2026-11-01T10:00:00Z","startedAt":"2026-11-01T10:00:40Z"},
            {"createdAt":"2026-11-01T23:59:58Z","startedAt":"2026-11-02T00:00:03.5Z"},
            {"createdAt":"2026-11-01T10:00:00Z","startedAt":"2026-11-03T10:00:00Z","attempt":2}, {"name":"x"}]"#;
        let history = History::read(listed).unwrap();
        assert_eq!((history.waits, history.skipped), (vec![5.5, 40.0], 2));
        let viewed = r#"{"createdAt":"2026-11-01T10:00:00Z","startedAt":"2026-11-01T10:00:00Z",
            "jobs":[{"startedAt":"2026-11-01T10:01:00Z"},{"startedAt":"2026-11-01T10:00:09Z"}]}"#;
        assert_eq!(History::read(viewed).unwrap().waits, [9.0]);
        let rest = r#"{"total_count":1,"workflow_runs":[{"created_at":"2026-11-01T10:00:00Z","run_started_at":"2026-11-01T10:00:00Z"}]}"#;
        assert!(History::read(rest).unwrap().shows_no_wait());
        let jobs = r#"{"total_count":1,"jobs":[{"created_at":"2026-11-01T10:00:00Z","started_at":"2026-11-01T10:00:07Z"}]}"#;
        assert_eq!(
            History::read(&format!("{jobs}\n{viewed}")).unwrap().waits,
            [7.0, 9.0]
        );
    }

    #[test]
    fn what_says_nothing_is_a_fault() {
        assert!(matches!(History::read("{"), Err(HistoryFault::Syntax(_))));
        assert_eq!(History::read("[]"), Err(HistoryFault::Empty(0)));
        let wrong = r#"[{"createdAt":"2026-11-01T25:00:00Z","startedAt":"yesterday"}, 7, null]"#;
        assert_eq!(History::read(wrong), Err(HistoryFault::Empty(3)));
    }
}
