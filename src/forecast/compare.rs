//! A whole forecast: many outages drawn, and put in numbers.

use super::bounds::{Bounds, bounds};
use super::detection::{Death, detection_bounds};
use super::draw::{COUNT, Direction, Outlook, draw};
use super::messages::Messages;
use super::random::Random;
use super::settings::Settings;
use super::summary::{Summary, milliseconds};
use super::tornado::{Bar, tornado};

/// The seed, unless another is asked for.
pub const SEED: u64 = 53;

/// The most outages that are drawn.
pub const DRAWS_MOST: u32 = 2_000_000;

/// A length and its limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    /// What was drawn.
    pub drawn: Summary,
    /// What can be said without drawing.
    pub bounds: Bounds,
}

/// One direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Away or back.
    pub direction: Direction,
    /// Each phase, in the order of [`super::PHASES`].
    pub phases: Vec<Length>,
    /// Until the last well-behaved cache has let go.
    pub whole: Length,
    /// Until a visitor picked at random has moved; stubborn caches among them.
    pub visitor: Summary,
}

/// Shortest, mean, longest; seconds.
pub(crate) type Spread = (f64, f64, f64);

/// One set of settings, forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The settings.
    pub settings: Settings,
    /// The seed.
    pub seed: u64,
    /// How many outages were drawn.
    pub draws: u32,
    /// Away, then back.
    pub directions: [Forecast; 2],
    /// How each kind of death is noticed: shortest, mean, longest.
    pub detections: Vec<(Death, Option<Spread>)>,
    /// Messages and runs of one outage.
    pub messages: Messages,
    /// What each setting would buy.
    pub bars: Vec<Bar>,
}

/// Draws `draws` outages with these settings, at most [`DRAWS_MOST`].
#[must_use]
pub fn forecast(settings: &Settings, draws: u32, seed: u64) -> Column {
    Column {
        bars: tornado(settings, seed),
        ..outages(settings, draws, seed)
    }
}

/// The same without what each setting would buy, which takes most of the time.
#[must_use]
pub fn outages(settings: &Settings, draws: u32, seed: u64) -> Column {
    let draws = draws.clamp(1, DRAWS_MOST);
    let outlook = Outlook::of(settings);
    let directions = drawn(&outlook, draws, seed);
    let [away, back] = &directions;
    let means = |forecast: &Forecast| -> Vec<f64> {
        let mean = |length: &Length| {
            let never = length.drawn.never >= 1.0;
            if never {
                f64::INFINITY
            } else {
                length.drawn.mean
            }
        };
        forecast.phases.iter().map(mean).collect()
    };
    Column {
        messages: Messages::of(settings, &means(away), &means(back)),
        detections: Death::ALL
            .into_iter()
            .map(|death| (death, detection_bounds(&settings.edge, death)))
            .collect(),
        bars: Vec::new(),
        settings: settings.clone(),
        seed,
        draws,
        directions,
    }
}

/// The columns of one direction: a phase each, then the whole, then a visitor.
struct Columns(Vec<Vec<u32>>);

fn drawn(outlook: &Outlook, draws: u32, seed: u64) -> [Forecast; 2] {
    let mut random = Random::seeded(seed);
    let room = usize::try_from(draws).unwrap_or_default();
    let empty = || Columns((0..COUNT + 2).map(|_| Vec::with_capacity(room)).collect());
    let mut columns = [empty(), empty()];
    for _ in 0..draws {
        for (Columns(columns), moved) in columns.iter_mut().zip(draw(outlook, &mut random)) {
            let lengths = moved
                .phases
                .into_iter()
                .chain([moved.whole(), moved.visitor]);
            for (column, length) in columns.iter_mut().zip(lengths) {
                column.push(milliseconds(length));
            }
        }
    }
    let [away, back] = columns;
    [(away, Direction::FailOver), (back, Direction::FailBack)].map(|(columns, direction)| {
        let (limits, whole) = bounds(outlook, direction);
        summed(columns, direction, &limits, whole)
    })
}

fn summed(
    Columns(mut columns): Columns,
    direction: Direction,
    limits: &[Bounds],
    whole: Bounds,
) -> Forecast {
    let mut summaries: Vec<Summary> = columns
        .iter_mut()
        .map(|column| Summary::of(column))
        .collect();
    let visitor = summaries.pop().unwrap_or_default();
    let of_whole = summaries.pop().unwrap_or_default();
    let length = |(drawn, bounds): (Summary, &Bounds)| Length {
        drawn,
        bounds: *bounds,
    };
    Forecast {
        direction,
        phases: summaries.into_iter().zip(limits).map(length).collect(),
        whole: length((of_whole, &whole)),
        visitor,
    }
}

/// p50 and p95 of the whole move away and back, with few draws.
pub(super) fn quick(settings: &Settings, draws: u32, seed: u64) -> [Summary; 2] {
    let outlook = Outlook::of(settings);
    let mut random = Random::seeded(seed);
    let room = usize::try_from(draws).unwrap_or_default();
    let mut columns = [Vec::with_capacity(room), Vec::with_capacity(room)];
    for _ in 0..draws {
        for (column, moved) in columns.iter_mut().zip(draw(&outlook, &mut random)) {
            column.push(milliseconds(moved.whole()));
        }
    }
    columns.map(|mut column| Summary::of(&mut column))
}
