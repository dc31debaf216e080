//! Which declared monitor plays which part, found by what it watches and whom it tells.

use std::time::Duration;

use crate::model::dns::RecordName;
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
    /// Those that start the workflow while the records are away, each with the longest until it does.
    pub failback: Vec<(String, Duration)>,
    /// After what time that one starts it again; `None`: it does not.
    pub retry: Option<Duration>,
    /// Those that tell people that the records have moved, each with the longest until it does.
    pub transition: Vec<(String, Duration)>,
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
        let own = |wanted: fn(&(bool, bool)) -> bool| {
            let all = declared.monitors.iter().map(|monitor| {
                let starts = monitor.tells.contains(&spec.monitors.dispatch)
                    || monitor.tells.iter().any(hooked);
                (
                    monitor,
                    (starts, monitor.tells.contains(&spec.monitors.people)),
                )
            });
            let mut own: Vec<_> = all
                .filter(|(_, tells)| wanted(tells))
                .map(|(monitor, _)| monitor)
                .collect();
            of_records(spec, &mut own);
            own.into_iter()
                .map(|monitor| (monitor.id.clone(), speaks_within(spec, monitor)))
                .collect()
        };
        cast.transition = own(|(_, people)| *people);
        cast.failback = own(|(starts, _)| *starts);
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
                if starts {
                    self.retry = repeats;
                }
            }
            Asks::Http(_) => {}
        }
    }
}

/// Keeps the monitors of the records that the switch moves. Where none of them compares one with an address that the first
/// move leads to or comes from, what there is of such monitors stays: it is meant to, and does not.
fn of_records(spec: &Spec, all: &mut Vec<&DeclaredMonitor>) {
    all.retain(|monitor| matches!(monitor.asks, Asks::Resolver { .. } | Asks::Dns { .. }));
    let addresses = |from: usize, to: usize| {
        let sites = spec.sites.iter().skip(from).take(to - from);
        let kinds = spec.records.types.iter();
        let all = sites.flat_map(move |site| kinds.clone().filter_map(|kind| site.address(*kind)));
        all.map(|address| address.to_string())
            .collect::<Vec<String>>()
    };
    let (near, far) = (addresses(0, 2), addresses(2, spec.sites.len().max(2)));
    let is_moved = |name: &str| {
        let Ok(name) = RecordName::parse(name) else {
            return false;
        };
        let covers = |own: &RecordName| *own == name || name.is_covered_by(own);
        name != spec.origin.name && spec.record_names().iter().any(covers)
    };
    let compares = |monitor: &DeclaredMonitor| match monitor.asks.compares() {
        Some((name, with)) if is_moved(name) => Some(with.to_vec()),
        Some(_) | None => None,
    };
    let others = |with: &[String]| !with.is_empty() && with.iter().all(|it| far.contains(it));
    let good = |with: &[String]| with.iter().any(|it| near.contains(it));
    let any = all
        .iter()
        .any(|monitor| compares(monitor).is_some_and(|with| good(&with)));
    if any {
        // One that is about another site, or compares nothing, has its own moment, which this rehearsal does not play.
        all.retain(|monitor| compares(monitor).is_some_and(|with| !others(&with)));
    }
}

/// How long a monitor of records may take from the change on: what it has kept, a check, and those that it forgives.
fn speaks_within(spec: &Spec, monitor: &DeclaredMonitor) -> Duration {
    let settings = &monitor.settings;
    let kept = Duration::from_secs(spec.records.ttl.into());
    let patience = settings.retry_interval.max(settings.interval) * settings.retries;
    kept + settings.interval * 2 + patience + Duration::from_secs(60)
}
