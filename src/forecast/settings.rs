//! The numbers that decide how long an outage lasts, each with its name, its limits, and where it comes from.

use crate::model::monitor::{Accepted, INTERVAL, Limit, RESEND, RETRIES, RETRY_INTERVAL};
use crate::model::spec::Spec;
use crate::text::nearest;

use super::detection::{Death, Watch};
use super::distribution::Distribution;

/// How long a run waits for its runner.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// From `runner.median` and `runner.p95`.
    Assumed,
    /// From the user's own runs.
    Observed(Distribution),
}

/// All numbers of a forecast; times in seconds unless the name says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How home dies.
    pub death: Death,
    /// How a run's wait for a runner is known.
    pub start: Start,
    /// The edge watch, which starts the workflow.
    pub edge: Watch,
    /// The edge notice, which tells people of the same.
    pub people: Watch,
    /// The fail-back retry, which starts it while the records are away.
    pub retry: Watch,
    /// The transition notice, which tells people.
    pub notice: Watch,
    /// What of the chain does its work.
    pub working: Working,
    /// How many sites a run asks, the control site among them.
    pub asked: f64,
    numbers: [f64; 17],
}

/// What of the chain does its work; all of it, until somebody has looked at what is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one monitor that is there and works, or the rest of the chain"
)]
pub struct Working {
    /// The edge watch, and what it sends starts the workflow.
    pub edge: bool,
    /// The edge notice.
    pub people: bool,
    /// The fail-back retry, and what it sends starts the workflow.
    pub retry: bool,
    /// The transition notice.
    pub notice: bool,
    /// A run that is started moves the records.
    pub moves: bool,
}

impl Default for Working {
    fn default() -> Self {
        Self {
            edge: true,
            people: true,
            retry: true,
            notice: true,
            moves: true,
        }
    }
}

/// A number that has a name.
#[derive(Debug)]
pub struct Setting {
    /// Its name for `--set`.
    pub name: &'static str,
    /// Where it stands in the spec; empty for an assumption.
    pub key: &'static str,
    /// What it is, in a few words.
    pub what: &'static str,
    /// The smallest value.
    pub least: f64,
    /// The largest value.
    pub most: f64,
    place: Place,
}

const fn within(limit: Limit) -> (f64, f64) {
    (limit.least, limit.most)
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Edge(Part),
    Retry(Part),
    Notice(Part),
    Number(usize, f64),
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Interval,
    Retries,
    RetryInterval,
    Resend,
    Timeout,
}

const fn of(
    name: &'static str,
    key: &'static str,
    what: &'static str,
    (least, most): (f64, f64),
    place: Place,
) -> Setting {
    Setting {
        name,
        key,
        what,
        least,
        most,
        place,
    }
}

const DAY: f64 = 86_400.0;

/// Every setting, in the order in which an outage meets it. Defaults of assumptions stand here, with their reasons.
pub const SETTINGS: &[Setting] = &[
    of(
        "monitor.edge.interval",
        "monitors.edge_watch.interval_seconds",
        "seconds between two checks of home",
        within(INTERVAL),
        Place::Edge(Part::Interval),
    ),
    of(
        "monitor.edge.retries",
        "monitors.edge_watch.retries",
        "failing checks that are forgiven",
        within(RETRIES),
        Place::Edge(Part::Retries),
    ),
    of(
        "monitor.edge.retry_interval",
        "monitors.edge_watch.retry_interval_seconds",
        "seconds between two checks while they are forgiven",
        within(RETRY_INTERVAL),
        Place::Edge(Part::RetryInterval),
    ),
    of(
        "monitor.edge.resend",
        "monitors.edge_watch.resend_beats",
        "checks while DOWN between two messages",
        within(RESEND),
        Place::Edge(Part::Resend),
    ),
    of(
        "monitor.edge.timeout",
        "monitors.edge_watch.timeout_seconds",
        "seconds that one check may take; 0 for none",
        (0.0, INTERVAL.most),
        Place::Edge(Part::Timeout),
    ),
    of(
        "monitor.retry.interval",
        "monitors.failback_retry.interval_seconds",
        "seconds between two checks of the records",
        within(INTERVAL),
        Place::Retry(Part::Interval),
    ),
    of(
        "monitor.retry.retries",
        "monitors.failback_retry.retries",
        "answers that are forgiven",
        within(RETRIES),
        Place::Retry(Part::Retries),
    ),
    of(
        "monitor.retry.retry_interval",
        "monitors.failback_retry.retry_interval_seconds",
        "seconds between two checks while they are forgiven",
        within(RETRY_INTERVAL),
        Place::Retry(Part::RetryInterval),
    ),
    of(
        "monitor.retry.resend",
        "monitors.failback_retry.resend_beats",
        "checks while away between two messages",
        within(RESEND),
        Place::Retry(Part::Resend),
    ),
    of(
        "monitor.notice.interval",
        "monitors.transition_notice.interval_seconds",
        "seconds between two checks of the records",
        within(INTERVAL),
        Place::Notice(Part::Interval),
    ),
    of(
        "monitor.notice.retries",
        "monitors.transition_notice.retries",
        "answers that are forgiven",
        within(RETRIES),
        Place::Notice(Part::Retries),
    ),
    of(
        "monitor.notice.retry_interval",
        "monitors.transition_notice.retry_interval_seconds",
        "seconds between two checks while they are forgiven",
        within(RETRY_INTERVAL),
        Place::Notice(Part::RetryInterval),
    ),
    of(
        "dispatch.loss",
        "",
        "part of the messages that are lost; Kuma sends each once",
        (0.0, 1.0),
        Place::Number(0, 0.0),
    ),
    // GitHub gives no promise; its hosted runners start in seconds in quiet hours.
    of(
        "runner.median",
        "",
        "seconds that half of the runs wait for a runner less than",
        (0.1, DAY),
        Place::Number(1, 12.0),
    ),
    of(
        "runner.p95",
        "",
        "seconds that 95 of 100 runs wait less than",
        (0.1, DAY),
        Place::Number(2, 60.0),
    ),
    of(
        "job.setup_least",
        "",
        "seconds for checkout and credentials, at least",
        (0.0, 3600.0),
        Place::Number(3, 6.0),
    ),
    of(
        "job.setup_most",
        "",
        "seconds for checkout and credentials, at most",
        (0.0, 3600.0),
        Place::Number(4, 20.0),
    ),
    of(
        "probe.tries",
        "probe.tries",
        "requests before a site counts as not serving",
        (1.0, 10.0),
        Place::Number(5, 3.0),
    ),
    of(
        "probe.timeout",
        "probe.timeout_seconds",
        "seconds that one request may take",
        (1.0, 60.0),
        Place::Number(6, 10.0),
    ),
    of(
        "probe.window",
        "probe.window_seconds",
        "seconds within which they are made",
        (1.0, 600.0),
        Place::Number(7, 30.0),
    ),
    of(
        "failback.probes",
        "failback.probes",
        "good answers in a row before the return",
        (1.0, 100.0),
        Place::Number(8, 10.0),
    ),
    of(
        "failback.interval",
        "failback.interval_seconds",
        "seconds between two of them",
        (1.0, 3600.0),
        Place::Number(9, 30.0),
    ),
    // Route 53: "generally within 60 seconds"; 130 s have been seen.
    of(
        "sync.median",
        "",
        "seconds to INSYNC that half of the changes need less than",
        (0.1, DAY),
        Place::Number(10, 30.0),
    ),
    of(
        "sync.p95",
        "",
        "seconds to INSYNC that 95 of 100 need less than",
        (0.1, DAY),
        Place::Number(11, 60.0),
    ),
    of(
        "ttl",
        "records.ttl",
        "seconds that resolvers keep an answer",
        (1.0, DAY),
        Place::Number(12, 300.0),
    ),
    of(
        "caches.stubborn",
        "",
        "part of the visitors whose caches keep an answer for longer",
        (0.0, 1.0),
        Place::Number(13, 0.02),
    ),
    of(
        "caches.stubborn_most",
        "",
        "seconds that those keep it, at most",
        (1.0, 7.0 * DAY),
        Place::Number(14, 3600.0),
    ),
    of(
        "outage.minutes",
        "",
        "minutes that home is dead",
        (1.0, 525_600.0),
        Place::Number(15, 120.0),
    ),
    // GitHub's price of a standard Linux minute beyond the included ones, since 2026-01-01.
    of(
        "actions.price",
        "",
        "dollars for a minute of Actions in a private repository",
        (0.0, 1000.0),
        Place::Number(16, 0.006),
    ),
];

/// Why a setting is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingFault {
    /// There is none of this name.
    #[error("`{name}` is no setting")]
    Unknown {
        /// As it was given.
        name: String,
        /// The one that is most like it.
        nearest: Option<&'static str>,
    },
    /// It is no number.
    #[error("`{0}` is no number")]
    NoNumber(String),
    /// It is no whole number, and must be one.
    #[error("`{name}` is {value}, but must be a whole number")]
    NotWhole {
        /// The setting.
        name: &'static str,
        /// What was given.
        value: String,
    },
    /// It is out of its limits.
    #[error("`{name}` is {value}, but must lie between {least} and {most}")]
    OutOfRange {
        /// The setting.
        name: &'static str,
        /// What was given.
        value: String,
        /// The smallest that is allowed.
        least: String,
        /// The largest that is allowed.
        most: String,
    },
    /// It must be no smaller than another.
    #[error("`{name}` is {value}, which is less than `{other}`")]
    BelowOther {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// The other one.
        other: &'static str,
    },
}

/// Pairs of which the first may not exceed the second.
const ORDERED: [(&str, &str); 3] = [
    ("runner.median", "runner.p95"),
    ("job.setup_least", "job.setup_most"),
    ("sync.median", "sync.p95"),
];

impl Setting {
    /// The setting of this name, or of this place in the spec.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        let known =
            |setting: &&Self| setting.name == name || (setting.key == name && !name.is_empty());
        SETTINGS.iter().find(known)
    }

    /// The spec's name for it; for an assumption, of which the spec says nothing, its own.
    #[must_use]
    pub fn spelling(&self) -> &'static str {
        if self.key.is_empty() {
            self.name
        } else {
            self.key
        }
    }

    /// Refuses what is out of the limits.
    ///
    /// # Errors
    /// With the value and the limits.
    pub fn within(&self, value: f64) -> Result<(), SettingFault> {
        // Not a number fails this, too.
        if (self.least..=self.most).contains(&value) {
            return Ok(());
        }
        Err(SettingFault::OutOfRange {
            name: self.name,
            value: value.to_string(),
            least: self.least.to_string(),
            most: self.most.to_string(),
        })
    }
}

impl Settings {
    /// The numbers of a spec; assumptions have their defaults.
    #[must_use]
    pub fn of(spec: &Spec) -> Self {
        let (edge, retry) = (&spec.monitors.edge_watch, &spec.monitors.failback_retry);
        let notice = &spec.monitors.transition_notice;
        let accepted = Accepted::of(edge.accepted_status.iter().map(String::as_str));
        let takes_server_errors = accepted.takes_server_errors();
        let watch =
            |interval: u32, retries: u32, retry_interval: u32, resend: u32, timeout: u32| Watch {
                takes_server_errors: false,
                interval: interval.into(),
                retries: retries.into(),
                retry_interval: retry_interval.into(),
                resend: resend.into(),
                timeout: timeout.into(),
            };
        let of_home = Watch {
            takes_server_errors,
            ..watch(
                edge.interval_seconds,
                edge.retries,
                edge.retry_interval_seconds,
                edge.resend_beats,
                edge.timeout_seconds,
            )
        };
        let asked = spec.sites.len() + usize::from(spec.probe.control.is_some());
        let mut settings = Self {
            death: Death::BlackHole,
            start: Start::Assumed,
            working: Working::default(),
            asked: asked as f64,
            edge: of_home,
            people: of_home,
            retry: watch(
                retry.interval_seconds,
                retry.retries,
                retry.retry_interval_seconds,
                retry.resend_beats,
                retry.timeout_seconds,
            ),
            notice: watch(
                notice.interval_seconds,
                notice.retries,
                notice.retry_interval_seconds,
                0,
                0,
            ),
            numbers: [0.0; 17],
        };
        for setting in SETTINGS {
            if let Place::Number(_, default) = setting.place {
                settings.put(setting, default);
            }
        }
        let numbers: [(&str, u32); 6] = [
            ("ttl", spec.records.ttl),
            ("probe.tries", spec.probe.tries),
            ("probe.timeout", spec.probe.timeout_seconds),
            ("probe.window", spec.probe.window_seconds),
            ("failback.probes", spec.failback.probes),
            ("failback.interval", spec.failback.interval_seconds),
        ];
        for (name, value) in numbers {
            if let Some(setting) = Setting::find(name) {
                settings.put(setting, value.into());
            }
        }
        settings
    }

    /// The value of the setting of this name; 0 for a name that is none.
    #[must_use]
    pub fn get(&self, name: &str) -> f64 {
        Setting::find(name).map_or(0.0, |setting| self.value(setting))
    }

    /// The value of a setting.
    #[must_use]
    pub fn value(&self, setting: &Setting) -> f64 {
        match setting.place {
            Place::Edge(part) => part.of(&self.edge),
            Place::Retry(part) => part.of(&self.retry),
            Place::Notice(part) => part.of(&self.notice),
            Place::Number(index, _) => self.numbers.get(index).copied().unwrap_or_default(),
        }
    }

    /// Sets one, as `name=value` names it.
    ///
    /// # Errors
    /// When there is no such setting, or the value does not fit.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingFault> {
        let Some(setting) = Setting::find(name) else {
            let all = SETTINGS.iter();
            let names = all.flat_map(|setting| [setting.spelling(), setting.name]);
            return Err(SettingFault::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, names),
            });
        };
        let number = value
            .trim()
            .parse()
            .ok()
            .ok_or_else(|| SettingFault::NoNumber(value.to_owned()))?;
        setting.within(number)?;
        // What stands in the spec is whole there.
        if !setting.key.is_empty() && number.fract() != 0.0 {
            return Err(SettingFault::NotWhole {
                name: setting.name,
                value: value.trim().to_owned(),
            });
        }
        self.put(setting, number);
        Ok(())
    }

    /// Whether the numbers fit each other and their limits, wherever they came from.
    ///
    /// # Errors
    /// With the first that does not.
    pub fn checked(self) -> Result<Self, SettingFault> {
        for setting in SETTINGS {
            // A monitor without a time-out has 0; the transition notice has none and is not repeated.
            setting.within(self.value(setting))?;
        }
        for (low, high) in ORDERED {
            let (Some(low), Some(high)) = (Setting::find(low), Setting::find(high)) else {
                continue;
            };
            if self.value(high) < self.value(low) {
                return Err(SettingFault::BelowOther {
                    name: high.name,
                    value: self.value(high).to_string(),
                    other: low.name,
                });
            }
        }
        Ok(self)
    }

    pub(super) fn put(&mut self, setting: &Setting, value: f64) {
        match setting.place {
            // The spec has one section for the watch and the notice beside it.
            Place::Edge(part) => {
                part.put(&mut self.edge, value);
                part.put(&mut self.people, value);
            }
            Place::Retry(part) => part.put(&mut self.retry, value),
            Place::Notice(part) => part.put(&mut self.notice, value),
            Place::Number(index, _) => {
                if let Some(number) = self.numbers.get_mut(index) {
                    *number = value;
                }
            }
        }
    }

    /// How long a run waits for its runner.
    #[must_use]
    pub fn runner(&self) -> Distribution {
        match &self.start {
            Start::Observed(observed) => observed.clone(),
            Start::Assumed => Distribution::LogNormal {
                median: self.get("runner.median"),
                p95: self.get("runner.p95"),
            },
        }
    }
}

impl Part {
    fn of(self, watch: &Watch) -> f64 {
        match self {
            Self::Interval => watch.interval,
            Self::Retries => watch.retries,
            Self::RetryInterval => watch.retry_interval,
            Self::Resend => watch.resend,
            Self::Timeout => watch.timeout,
        }
    }

    fn put(self, watch: &mut Watch, value: f64) {
        match self {
            Self::Interval => watch.interval = value,
            Self::Retries => watch.retries = value,
            Self::RetryInterval => watch.retry_interval = value,
            Self::Resend => watch.resend = value,
            Self::Timeout => watch.timeout = value,
        }
    }
}
