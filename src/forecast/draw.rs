//! One outage: every phase drawn, in both directions. An outage takes the same numbers from the random source whatever
//! the settings are, so that two columns differ by their settings and not by luck.

use super::distribution::Distribution;
use super::random::Random;
use super::settings::Settings;

/// Away from home, or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the death of home until visitors are at the standby.
    FailOver,
    /// From home's first good answer until visitors are there again.
    FailBack,
}

/// The phases of a move, in their order; the last one is the TTL, after which every well-behaved cache has let go.
pub const PHASES: [&str; 8] = [
    "detection",
    "notification",
    "runner start",
    "job set-up",
    "confirmation",
    "write",
    "INSYNC",
    "TTL",
];

/// How many phases there are.
pub(super) const COUNT: usize = PHASES.len();

/// The settings as what a draw needs: everything that does not change from one outage to the next.
#[derive(Debug, Clone)]
pub struct Outlook {
    edge_interval: f64,
    forgiving: Option<f64>,
    loss: f64,
    edge_repeats: Option<f64>,
    retry_repeats: Option<f64>,
    pub(super) notification: Distribution,
    pub(super) runner: Distribution,
    pub(super) setup: Distribution,
    /// Away: the tries that must fail, then an answer of the standby.
    pub(super) refuted: f64,
    /// Back: the row of good answers.
    pub(super) row: f64,
    pub(super) answers: Distribution,
    /// What a check may take, where anything bounds it.
    pub(super) check_most: Option<f64>,
    /// What one answer in the row may take.
    pub(super) answer_most: f64,
    /// What asking every site may take.
    pub(super) asking_most: f64,
    pub(super) write: Distribution,
    pub(super) sync: Distribution,
    pub(super) ttl: f64,
    stubborn: f64,
    stubborn_most: f64,
}

/// A move that was drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    /// Seconds of each phase; infinite where it never ends.
    pub(super) phases: [f64; COUNT],
    /// Until a visitor picked at random has moved.
    pub(super) visitor: f64,
}

impl Move {
    /// Until the last well-behaved cache has let go.
    pub(super) fn whole(&self) -> f64 {
        self.phases.iter().sum()
    }
}

impl Outlook {
    /// What follows from the settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let edge = &settings.edge;
        let number = |name| settings.get(name);
        let tries = number("probe.tries");
        let request = settings.death.failing_request(number("probe.timeout"));
        // From the beginning of one try to the beginning of the next, as the executor spaces them.
        let gap = number("probe.window") / tries;
        Self {
            edge_interval: edge.interval,
            forgiving: edge
                .failing_check(settings.death)
                .map(|check| edge.forgiving(check)),
            loss: number("dispatch.loss"),
            edge_repeats: edge.repeats_every(),
            retry_repeats: settings.retry.repeats_every(),
            notification: uniform(0.2, 1.5),
            runner: settings.runner(),
            setup: uniform(number("job.setup_least"), number("job.setup_most")),
            refuted: (tries - 1.0) * gap.max(request) + request,
            row: (number("failback.probes") - 1.0) * number("failback.interval"),
            answers: uniform(0.1, 2.0),
            check_most: (edge.timeout > 0.0).then_some(edge.timeout),
            answer_most: number("probe.timeout"),
            asking_most: settings.asked * number("probe.window"),
            write: uniform(0.3, 1.5),
            sync: Distribution::LogNormal {
                median: number("sync.median"),
                p95: number("sync.p95"),
            },
            ttl: number("ttl"),
            stubborn: number("caches.stubborn"),
            stubborn_most: number("caches.stubborn_most"),
        }
    }

    /// The shortest detection, and the longest where there is one; `None` where there is none.
    pub(super) fn detection(&self, direction: Direction) -> Option<(f64, Option<f64>)> {
        match direction {
            Direction::FailOver => {
                let least = self.forgiving?;
                Some((least, Some(least + self.edge_interval)))
            }
            Direction::FailBack => {
                let most = self.check_most.map(|most| self.edge_interval + most);
                Some((0.0, most))
            }
        }
    }

    /// The shortest and the longest confirmation: every site is asked within the probe's window, and a return waits for
    /// the row, the last of which may take its whole time-out.
    pub(super) fn confirmation(&self, direction: Direction) -> (f64, f64) {
        match direction {
            Direction::FailOver => (
                self.refuted,
                self.asking_most
                    .max(self.refuted + self.answers.bounds().1.unwrap_or_default()),
            ),
            Direction::FailBack => (self.row, self.row + self.answer_most + self.asking_most),
        }
    }

    /// The wait that lost messages cause: each is sent once, and comes again with the next repeat.
    fn lost(&self, direction: Direction, chance: f64, unit: f64) -> f64 {
        if chance >= self.loss {
            return 0.0;
        }
        // How many in a row are lost, given that the first one is.
        let further = if self.loss >= 1.0 {
            f64::INFINITY
        } else if unit > 0.0 {
            (unit.ln() / self.loss.ln()).floor()
        } else {
            0.0
        };
        let (first, period) = match direction {
            Direction::FailOver => (self.edge_repeats, self.edge_repeats),
            // UP is not repeated; the fail-back retry comes at any time of its period.
            Direction::FailBack => (
                self.retry_repeats.map(|period| period * unit),
                self.retry_repeats,
            ),
        };
        match (first, period) {
            (Some(first), Some(_)) if further < 1.0 => first,
            (Some(first), Some(period)) => first + further * period,
            _ => f64::INFINITY,
        }
    }
}

fn uniform(least: f64, most: f64) -> Distribution {
    Distribution::Uniform { least, most }
}

/// Draws one outage: away, and back. Takes 20 numbers from `random`, whatever the settings are.
#[must_use]
pub(super) fn draw(outlook: &Outlook, random: &mut Random) -> [Move; 2] {
    [Direction::FailOver, Direction::FailBack].map(|direction| {
        let unit: [f64; 8] = std::array::from_fn(|_| random.unit());
        let [phase, chance, again, notify, start, setup, write, cache] = unit;
        let (start_normal, sync_normal) = random.normal_pair();
        let answer = outlook.answers.at(again, 0.0);
        let (detection, confirmation) = match direction {
            Direction::FailOver => (
                outlook
                    .forgiving
                    .map(|forgiving| phase * outlook.edge_interval + forgiving),
                outlook.refuted + answer,
            ),
            Direction::FailBack => (
                Some(phase * outlook.edge_interval + answer),
                outlook.row + answer,
            ),
        };
        let phases = [
            detection.unwrap_or(f64::INFINITY),
            outlook.notification.at(notify, 0.0) + outlook.lost(direction, chance, again),
            outlook.runner.at(start, start_normal),
            outlook.setup.at(setup, 0.0),
            confirmation,
            outlook.write.at(write, 0.0),
            outlook.sync.at(0.0, sync_normal),
            outlook.ttl,
        ];
        let before: f64 = phases.iter().take(COUNT - 1).sum();
        Move {
            phases,
            visitor: before + kept(outlook, cache),
        }
    })
}

/// How long a visitor's cache keeps the old address: any part of the TTL, or of what a stubborn one makes of it.
fn kept(outlook: &Outlook, unit: f64) -> f64 {
    if unit < outlook.stubborn {
        let part = unit / outlook.stubborn;
        outlook.ttl + part * (outlook.stubborn_most - outlook.ttl).max(0.0)
    } else {
        (unit - outlook.stubborn) / (1.0 - outlook.stubborn).max(f64::EPSILON) * outlook.ttl
    }
}
