//! How many messages an outage sends, and what its runs cost.

use super::detection::Watch;
use super::settings::Settings;

/// What one outage of `outage.minutes` causes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Messages {
    /// Messages that start the workflow.
    pub dispatches: u64,
    /// Messages to people, while everything works.
    pub people: u64,
    /// Minutes of GitHub Actions of runs that take as long as they do on average, each rounded up; a run that replaces a
    /// waiting one is counted, too.
    pub actions_minutes: u64,
}

/// Messages of a watch that is DOWN for `seconds`: one, and the repeats.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "settings are limited, so that this is below 10^8"
)]
fn repeats(watch: &Watch, seconds: f64) -> u64 {
    let every = watch.repeats_every();
    every.map_or(0, |every| (seconds.max(0.0) / every).floor() as u64)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a run's time, limited by the settings"
)]
fn minutes(seconds: f64) -> u64 {
    (seconds.max(1.0) / 60.0).ceil().min(1e9) as u64
}

/// Messages of a watch whose state is bad for `seconds`, of which it needs `notices` to say so: DOWN, the repeats, UP; none
/// where it is over before.
fn told(watch: &Watch, seconds: f64, notices: f64) -> u64 {
    let down = seconds - notices;
    if down > 0.0 {
        2 + repeats(watch, down)
    } else {
        0
    }
}

/// How long a name must point away until a monitor that looks it up says so, on average; an answer takes `check`.
fn away_noticed(watch: &Watch, check: f64) -> f64 {
    watch.forgiving(check) + watch.interval / 2.0
}

/// Messages of the edge notice alone, of an outage of home.
#[must_use]
pub fn noticed(settings: &Settings) -> u64 {
    let outage = settings.get("outage.minutes") * 60.0;
    let notices = settings.people.notices_after(settings.death);
    let notices = notices.filter(|_| settings.working.people);
    notices.map_or(0, |notices| told(&settings.people, outage, notices))
}

impl Messages {
    /// Counts them for an outage whose phases take `away` and `back` seconds on average: each monitor that works speaks
    /// for itself, and the two that look at the records only where a run moves them.
    #[must_use]
    pub(super) fn of(settings: &Settings, away: &[f64], back: &[f64]) -> Self {
        let sum = |phases: &[f64], from: usize, to: usize| -> f64 {
            phases.iter().take(to).skip(from).sum()
        };
        let (outage, working) = (settings.get("outage.minutes") * 60.0, settings.working);
        let of_home = |watch: &Watch, works: bool| {
            let notices = watch.notices_after(settings.death).filter(|_| works);
            notices.map_or(0, |notices| told(watch, outage, notices))
        };
        let watched = of_home(&settings.edge, working.edge);
        let noticed = of_home(&settings.people, working.people);
        let moves = watched > 0 && working.moves;
        // Until the first run has moved the records, and until the one at the return has moved them back.
        let away_for = outage + sum(back, 0, 7) - sum(away, 0, 7);
        let of_records = |watch: &Watch, works: bool, check: f64| {
            if moves && works {
                told(watch, away_for, away_noticed(watch, check))
            } else {
                0
            }
        };
        let retried = of_records(&settings.retry, working.retry, 1.0);
        let moved = of_records(&settings.notice, working.notice, 0.1);
        let dispatches = watched + retried;
        // The two runs that move something take long; every other one asks the sites and ends.
        let moving = if moves {
            minutes(sum(away, 3, 7)) + minutes(sum(back, 3, 7))
        } else {
            0
        };
        let quiet = dispatches.saturating_sub(if moves { 2 } else { 0 });
        Self {
            dispatches,
            people: noticed + moved,
            actions_minutes: moving + quiet * minutes(sum(away, 3, 5)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::Spec;
    use crate::text::SourceMap;

    const AWAY: [f64; 8] = [130.0, 1.0, 20.0, 13.0, 31.0, 1.0, 30.0, 300.0];
    const BACK: [f64; 8] = [31.0, 1.0, 20.0, 13.0, 271.0, 1.0, 30.0, 300.0];

    fn reference() -> Option<Settings> {
        let mut sources = SourceMap::default();
        let file = sources.add("pointsman.toml", include_str!("../../pointsman.toml"));
        let spec = Spec::read(&sources.text(file)?).ok()?;
        Some(Settings::of(&spec))
    }

    fn counted(change: impl Fn(&mut Settings)) -> Option<(u64, u64)> {
        let mut settings = reference()?;
        change(&mut settings);
        let messages = Messages::of(&settings, &AWAY, &BACK);
        Some((messages.dispatches, messages.people))
    }

    #[test]
    fn each_monitor_speaks_for_itself() {
        assert_eq!(counted(|_| {}), Some((11, 7)));
        // DOWN, three repeats and UP of the watch alone.
        assert_eq!(counted(|it| it.working.retry = false), Some((5, 7)));
        assert_eq!(counted(|it| it.retry.resend = 0.0), Some((7, 7)));
        assert_eq!(counted(|it| it.working.notice = false), Some((11, 5)));
        assert_eq!(counted(|it| it.working.people = false), Some((11, 2)));
        assert_eq!(counted(|it| it.people.resend = 0.0), Some((11, 4)));
        // Nothing moves without the watch; people are told of the death all the same.
        assert_eq!(counted(|it| it.working.edge = false), Some((0, 5)));
        assert_eq!(counted(|it| it.edge.timeout = 0.0), Some((0, 5)));
        assert_eq!(counted(|it| it.working.moves = false), Some((5, 5)));
    }
}
