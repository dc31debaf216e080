//! Which declared monitor plays which part, found by what it watches and whom it tells.

use std::time::Duration;

use crate::model::spec::Spec;

use super::declared::{Asks, Declared, DeclaredMonitor};

/// The parts. One that nobody plays is absent.
#[derive(Debug, Clone, Default)]
pub(super) struct Cast {
    /// Watches home and starts the workflow.
    pub watch: Option<String>,
    /// From one check of the watch to the next.
    pub interval: Duration,
    /// From one repeated message of the watch to the next; `None`: it repeats none.
    pub repeats: Option<Duration>,
    /// Whether the watch takes a 404 for life.
    pub takes_404: bool,
    /// Watches home and tells people.
    pub notice: Option<String>,
    /// Whether one starts the workflow while the records are away.
    pub failback: bool,
    /// After what time that one starts it again; `None`: it does not.
    pub retry: Option<Duration>,
    /// Whether one tells people that the records have moved.
    pub transition: bool,
    /// Watches the token and tells people, within this time.
    pub token_check: Option<(String, Duration)>,
}

impl Cast {
    /// Finds them.
    #[must_use]
    pub(super) fn of(spec: &Spec, declared: &Declared) -> Self {
        let mut cast = Self {
            interval: Duration::from_secs(60),
            ..Self::default()
        };
        let hooked = |id: &String| declared.hooks.iter().any(|hook| hook.id == *id);
        for monitor in &declared.monitors {
            // Whoever tells the notification that is to start it is meant to, also where that is missing.
            let dispatches = monitor.tells.contains(&spec.monitors.dispatch);
            let starts = dispatches || monitor.tells.iter().any(hooked);
            let people = monitor.tells.contains(&spec.monitors.people);
            cast.take(spec, monitor, starts, people);
        }
        cast
    }

    fn take(&mut self, spec: &Spec, monitor: &DeclaredMonitor, starts: bool, people: bool) {
        let settings = &monitor.settings;
        let repeats = (settings.resend > 0).then(|| settings.interval * settings.resend);
        match &monitor.asks {
            Asks::Http(check) if check.host == spec.origin.name.to_string() => {
                if people {
                    self.notice = Some(monitor.id.clone());
                }
                if starts {
                    self.watch = Some(monitor.id.clone());
                    self.interval = settings.interval;
                    self.repeats = repeats;
                    self.takes_404 = check.accepts(404);
                }
            }
            Asks::Http(check) if check.host == spec.api_host() && people => {
                let retries = settings.retry_interval * (settings.retries + 1);
                self.token_check = Some((monitor.id.clone(), settings.interval + retries));
            }
            Asks::Resolver { .. } | Asks::Dns { .. } => {
                self.transition |= people;
                self.failback |= starts;
                if starts {
                    self.retry = repeats;
                }
            }
            Asks::Http(_) => {}
        }
    }
}
