//! One monitor of Uptime Kuma, pure: what a check means after those before it, what is told, and when the next one begins.
//!
//! Source: Uptime Kuma 2.5.3, `server/model/monitor.js`, and measurements of it: the first failing checks are forgiven;
//! the gap while they are is counted from the start of a check; DOWN is told once and then every so many checks; one good
//! check is UP again. A notice is sent before the next check is planned, and a call that hangs stops the monitor.

use std::time::Duration;

/// The settings that decide when a monitor speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WatchSettings {
    /// Between two checks, while it is UP and while it is DOWN.
    pub interval: Duration,
    /// Failing checks that are forgiven.
    pub retries: u32,
    /// Between two checks while they are forgiven.
    pub retry_interval: Duration,
    /// Checks while DOWN after which it is told again; 0 for never.
    pub resend: u32,
    /// Whether a good answer is a failing check, and the other way round.
    pub upside_down: bool,
}

/// What a monitor shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    /// The last check was good.
    Up,
    /// Checks fail and are forgiven.
    Pending,
    /// Too many have failed.
    Down,
}

/// What is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    /// It is DOWN.
    Down,
    /// It is UP again.
    Up,
    /// It is still DOWN.
    StillDown,
}

impl Notice {
    /// In a word or two.
    #[must_use]
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Down => "DOWN",
            Self::Up => "UP",
            Self::StillDown => "still DOWN",
        }
    }
}

/// A monitor.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    settings: WatchSettings,
    health: Option<Health>,
    forgiven: u32,
    untold: u32,
}

impl Watch {
    /// One that has made no check yet.
    #[must_use]
    pub(super) fn new(settings: WatchSettings) -> Self {
        Self {
            settings,
            health: None,
            forgiven: 0,
            untold: 0,
        }
    }

    /// What it shows; `None` before the first check.
    #[must_use]
    pub(super) fn health(&self) -> Option<Health> {
        self.health
    }

    /// Takes the answer of a check, and says what is to be told.
    pub(super) fn takes(&mut self, answered: bool) -> Option<Notice> {
        let before = self.health;
        let good = answered != self.settings.upside_down;
        let health = if good {
            self.forgiven = 0;
            Health::Up
        } else if self.forgiven < self.settings.retries {
            self.forgiven += 1;
            Health::Pending
        } else {
            Health::Down
        };
        self.health = Some(health);
        match (before, health) {
            (Some(Health::Down), Health::Down) => self.still_down(),
            (_, Health::Down) => {
                self.untold = 0;
                Some(Notice::Down)
            }
            (Some(Health::Down), Health::Up) => {
                self.untold = 0;
                Some(Notice::Up)
            }
            (_, Health::Up | Health::Pending) => None,
        }
    }

    fn still_down(&mut self) -> Option<Notice> {
        if self.settings.resend == 0 {
            return None;
        }
        self.untold += 1;
        if self.untold < self.settings.resend {
            return None;
        }
        self.untold = 0;
        Some(Notice::StillDown)
    }

    /// When the next check begins, if the last one began at `began` and everything that it led to was done by `now`.
    #[must_use]
    pub(super) fn next(&self, began: Duration, now: Duration) -> Duration {
        let gap = match self.health {
            Some(Health::Pending) if !self.settings.retry_interval.is_zero() => {
                self.settings.retry_interval
            }
            Some(Health::Up | Health::Pending | Health::Down) | None => self.settings.interval,
        };
        now.max(began.saturating_add(gap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn watch(resend: u32, upside_down: bool) -> Watch {
        Watch::new(WatchSettings {
            interval: seconds(60),
            retries: 3,
            retry_interval: seconds(30),
            resend,
            upside_down,
        })
    }

    #[test]
    fn the_fourth_failing_check_is_down_and_one_good_one_is_up() {
        let mut watch = watch(30, false);
        assert_eq!(watch.takes(true), None);
        assert_eq!(watch.next(seconds(0), seconds(0)), seconds(60));
        for _ in 0..3 {
            assert_eq!(watch.takes(false), None);
            assert_eq!(watch.health(), Some(Health::Pending));
            assert_eq!(watch.next(seconds(60), seconds(70)), seconds(90));
        }
        // A check that lasts longer than the gap is followed at once.
        assert_eq!(watch.next(seconds(60), seconds(108)), seconds(108));
        assert_eq!(watch.takes(false), Some(Notice::Down));
        assert_eq!(watch.next(seconds(0), seconds(1)), seconds(60));
        assert_eq!(watch.takes(true), Some(Notice::Up));
    }

    #[test]
    fn what_recovers_before_it_is_down_is_not_told() {
        let mut watch = watch(0, false);
        assert_eq!(
            [watch.takes(true), watch.takes(false), watch.takes(true)],
            [None; 3]
        );
    }

    #[test]
    fn a_message_is_sent_again_after_so_many_checks() {
        let mut watch = watch(3, false);
        for _ in 0..3 {
            watch.takes(false);
        }
        assert_eq!(watch.takes(false), Some(Notice::Down));
        let told: Vec<_> = (0..6).map(|_| watch.takes(false)).collect();
        let still = Some(Notice::StillDown);
        assert_eq!(told, [None, None, still, None, None, still]);
    }

    #[test]
    fn upside_down_a_good_answer_is_the_failing_one() {
        let mut watch = watch(0, true);
        assert_eq!(watch.takes(false), None);
        let told: Vec<_> = (0..4).map(|_| watch.takes(true)).collect();
        assert_eq!(told, [None, None, None, Some(Notice::Down)]);
    }
}
