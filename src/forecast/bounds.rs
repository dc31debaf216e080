//! What can be said of a phase without drawing: its shortest and its longest, where there is one.

use super::draw::{COUNT, Direction, Outlook};

/// The limits of a length in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Never shorter.
    pub least: f64,
    /// Never longer; `None` where nothing bounds it.
    pub most: Option<f64>,
}

impl Bounds {
    fn sum(parts: &[Self]) -> Self {
        Self {
            least: parts.iter().map(|part| part.least).sum(),
            most: parts.iter().map(|part| part.most).sum(),
        }
    }
}

/// The limits of each phase, and of the whole.
pub(super) fn bounds(
    outlook: &Outlook,
    direction: Direction,
    loss: f64,
) -> ([Bounds; COUNT], Bounds) {
    let answer = outlook.answers.bounds();
    let phases = std::array::from_fn(|phase| {
        let (least, most) = match (phase, outlook.drawn(phase)) {
            (1, Some(drawn)) if loss > 0.0 => (drawn.bounds().0, None),
            (_, Some(drawn)) => drawn.bounds(),
            (0, None) => match outlook.detection(direction) {
                Some((least, most)) => (least, Some(most)),
                None => (f64::INFINITY, None),
            },
            (4, None) => {
                let asked = match direction {
                    Direction::FailOver => outlook.refuted,
                    Direction::FailBack => Some(outlook.row),
                };
                let least = asked.map_or(f64::INFINITY, |asked| asked + answer.0);
                (
                    least,
                    asked.zip(answer.1).map(|(asked, answer)| asked + answer),
                )
            }
            _ => (outlook.ttl, Some(outlook.ttl)),
        };
        Bounds { least, most }
    });
    let whole = Bounds::sum(&phases);
    (phases, whole)
}
