//! Numbers of a run: how a site is asked, when home may have its visitors back, how long is waited for what.

use std::time::Duration;

/// How a site is asked whether it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeRules {
    /// How long one request may take, with the whole answer.
    pub timeout: Duration,
    /// The only status that counts.
    pub status: u16,
    /// Requests before a site counts as not serving; one good answer is enough.
    pub tries: u8,
    /// The time within which they are made.
    pub window: Duration,
}

impl Default for ProbeRules {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            status: 200,
            tries: 3,
            window: Duration::from_secs(30),
        }
    }
}

impl ProbeRules {
    /// From the beginning of one try to the beginning of the next.
    #[must_use]
    pub fn gap(&self) -> Duration {
        self.window
            .checked_div(u32::from(self.tries))
            .unwrap_or(self.window)
    }
}

/// When the records may return home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailbackRules {
    /// Good answers in a row.
    pub probes: u8,
    /// From the beginning of one probe to the beginning of the next.
    pub interval: Duration,
}

impl Default for FailbackRules {
    fn default() -> Self {
        Self {
            probes: 10,
            interval: Duration::from_secs(30),
        }
    }
}

/// Budgets and deadlines (facts: Route 53 says a change is in sync within 60 s in general, and 130 s have been seen;
/// GitHub's token lives for about five minutes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How long reading may take, credentials and retries included.
    pub read: Duration,
    /// How old the evidence for a write may be.
    pub fresh: Duration,
    /// How long a call may be repeated that the run can do without: renewing credentials that still live, asking the name
    /// servers after `INSYNC`. It is well below `fresh`, so that what follows still rests on fresh evidence.
    pub spare: Duration,
    /// How long a change may be pending.
    pub sync: Duration,
    /// From one question about a change to the next.
    pub poll: Duration,
    /// The longest wait before the first repeat of a call; it doubles with each further one.
    pub backoff: Duration,
    /// The longest wait before any repeat.
    pub backoff_most: Duration,
    /// The shortest wait before any repeat.
    pub backoff_least: Duration,
    /// From which age on credentials are renewed before the write; `None`: never.
    pub token: Option<Duration>,
    /// When the run must have ended by itself, before its job is cut off; `None`: not known.
    pub run: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            read: Duration::from_secs(60),
            fresh: Duration::from_secs(60),
            spare: Duration::from_secs(20),
            sync: Duration::from_secs(180),
            poll: Duration::from_secs(4),
            backoff: Duration::from_millis(500),
            backoff_most: Duration::from_secs(8),
            backoff_least: Duration::from_millis(100),
            token: Some(Duration::from_secs(240)),
            run: None,
        }
    }
}
