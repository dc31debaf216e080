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

/// The limits of each phase, and of the whole: what follows from the settings, from Kuma's measured manner and from the
/// executor's own. A phase that is assumed, or was seen in a few runs, is bounded by nothing.
pub(super) fn bounds(outlook: &Outlook, direction: Direction) -> ([Bounds; COUNT], Bounds) {
    let phases = std::array::from_fn(|phase| match phase {
        0 => match outlook.detection(direction) {
            Some((least, most)) => Bounds { least, most },
            None => Bounds {
                least: f64::INFINITY,
                most: None,
            },
        },
        4 => {
            let (least, most) = outlook.confirmation(direction);
            Bounds {
                least,
                most: Some(most),
            }
        }
        7 => Bounds {
            least: outlook.ttl,
            most: Some(outlook.ttl),
        },
        _ => Bounds {
            least: 0.0,
            most: None,
        },
    });
    let whole = Bounds::sum(&phases);
    (phases, whole)
}
