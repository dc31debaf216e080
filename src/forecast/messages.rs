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
    /// Minutes of GitHub Actions, each run rounded up; a run that replaces a waiting one is counted, so it is the most.
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

impl Messages {
    /// Counts them for an outage whose phases take `away` and `back` seconds on average.
    #[must_use]
    pub(super) fn of(settings: &Settings, away: &[f64], back: &[f64]) -> Self {
        let sum = |phases: &[f64], from: usize, to: usize| -> f64 {
            phases.iter().take(to).skip(from).sum()
        };
        let outage = settings.get("outage.minutes") * 60.0;
        let detected = sum(away, 0, 1);
        // Never noticed, or over before it is: nobody says anything.
        if !detected.is_finite() || detected > outage {
            return Self {
                dispatches: 0,
                people: 0,
                actions_minutes: 0,
            };
        }
        let watched = repeats(&settings.edge, outage - detected);
        let switched = sum(away, 0, 7);
        let returned = outage + sum(back, 0, 7);
        let away_for = returned - switched;
        let seen_away = away_for - settings.retry.forgiving(1.0) - settings.retry.interval / 2.0;
        let told_away = away_for - settings.notice.forgiving(0.1) - settings.notice.interval / 2.0;
        let retried = if seen_away > 0.0 {
            2 + repeats(&settings.retry, seen_away)
        } else {
            0
        };
        let noticed = if told_away > 0.0 { 2 } else { 0 };
        let dispatches = 2 + watched + retried;
        let quiet = dispatches - 2;
        let actions_minutes =
            minutes(sum(away, 3, 7)) + minutes(sum(back, 3, 7)) + quiet * minutes(sum(away, 3, 5));
        Self {
            dispatches,
            people: 2 + watched + noticed,
            actions_minutes,
        }
    }
}
