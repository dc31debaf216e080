//! Many lengths in five numbers.

/// What is said of a column of lengths, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// The mean of those that end.
    pub mean: f64,
    /// Half are shorter; `None`: it never ends.
    pub p50: Option<f64>,
    /// 95 of 100 are shorter.
    pub p95: Option<f64>,
    /// The longest that was drawn.
    pub worst: Option<f64>,
    /// The part of them that never ends.
    pub never: f64,
}

/// What never ends.
pub(super) const NEVER: u32 = u32::MAX;

/// Milliseconds; [`NEVER`] for what has no end, and at most 49 days for what has.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to what fits"
)]
pub(super) fn milliseconds(seconds: f64) -> u32 {
    if seconds.is_finite() {
        (seconds * 1e3).clamp(0.0, f64::from(NEVER - 1)) as u32
    } else {
        NEVER
    }
}

fn seconds(milliseconds: u32) -> Option<f64> {
    (milliseconds != NEVER).then(|| f64::from(milliseconds) / 1e3)
}

impl Summary {
    /// Of these milliseconds, whose order is lost.
    pub(super) fn of(lengths: &mut [u32]) -> Self {
        let ending = lengths.iter().filter(|length| **length != NEVER);
        let (sum, count) = ending.fold((0_u64, 0_u64), |(sum, count), length| {
            (sum + u64::from(*length), count + 1)
        });
        let Some(longest) = lengths.iter().max().copied() else {
            return Self::default();
        };
        let (half, high) = (lengths.len() / 2, lengths.len() * 95 / 100);
        let shortest = lengths.iter().min().copied().unwrap_or(longest);
        let (p50, p95) = if shortest == longest {
            (longest, longest)
        } else {
            let (_, p50, above) = lengths.select_nth_unstable(half);
            let p50 = *p50;
            let place = high.checked_sub(half + 1).filter(|at| *at < above.len());
            let p95 = place.map_or(p50, |at| *above.select_nth_unstable(at).1);
            (p50, p95)
        };
        Self {
            mean: sum as f64 / 1e3 / count.max(1) as f64,
            p50: seconds(p50),
            p95: seconds(p95),
            worst: seconds(longest),
            never: (lengths.len() as u64 - count) as f64 / lengths.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_column() {
        let mut lengths: Vec<u32> = (0..1000).map(|n| (n * 617) % 1000 * 1000).collect();
        let summary = Summary::of(&mut lengths);
        assert_eq!(
            (summary.p50, summary.p95, summary.worst),
            (Some(500.0), Some(950.0), Some(999.0))
        );
        assert!((summary.mean - 499.5).abs() < 1e-9);
    }

    #[test]
    fn what_never_ends_is_not_counted_as_long() {
        let mut lengths = [1000, NEVER, NEVER, NEVER];
        let summary = Summary::of(&mut lengths);
        assert_eq!((summary.p50, summary.worst), (None, None));
        assert_eq!((summary.mean, summary.never), (1.0, 0.75));
        assert_eq!(milliseconds(f64::INFINITY), NEVER);
        assert_eq!(milliseconds(1e30), NEVER - 1);
        assert_eq!(Summary::of(&mut []), Summary::default());
    }
}
