//! How long a phase takes, as a distribution over seconds.

/// A distribution over seconds.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// Every length between the two is as likely.
    Uniform {
        /// The shortest.
        least: f64,
        /// The longest.
        most: f64,
    },
    /// Its logarithm is normal: mostly short, now and then long, never bounded.
    LogNormal {
        /// Half are shorter.
        median: f64,
        /// 95 of 100 are shorter.
        p95: f64,
    },
    /// What was observed, in ascending order; between two neighbours every length is as likely.
    Observed(Vec<f64>),
}

/// The 95th percentile of the standard normal distribution.
const NORMAL_P95: f64 = 1.644_853_627;

impl Distribution {
    /// A length, from a number that is uniform between 0 and 1 and one that is standard normal.
    #[must_use]
    pub fn at(&self, unit: f64, normal: f64) -> f64 {
        match self {
            Self::Uniform { least, most } => least + unit * (most - least),
            Self::LogNormal { median, p95 } => {
                let spread = (p95 / median).ln() / NORMAL_P95;
                median * (spread * normal).exp()
            }
            Self::Observed(lengths) => quantile(lengths, unit),
        }
    }

    /// The shortest, and the longest where there is one.
    #[must_use]
    pub fn bounds(&self) -> (f64, Option<f64>) {
        match self {
            Self::Uniform { least, most } => (*least, Some(*most)),
            Self::LogNormal { median, p95 } if median == p95 => (*median, Some(*median)),
            Self::LogNormal { .. } => (0.0, None),
            Self::Observed(lengths) => (
                lengths.first().copied().unwrap_or_default(),
                Some(lengths.last().copied().unwrap_or_default()),
            ),
        }
    }
}

/// The value below which this part of the ascending `lengths` lies.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the place lies between 0 and the number of lengths"
)]
fn quantile(lengths: &[f64], part: f64) -> f64 {
    let place = part.clamp(0.0, 1.0) * lengths.len().saturating_sub(1) as f64;
    let below = place.floor();
    let at = |index: usize| lengths.get(index).copied();
    let low = at(below as usize).unwrap_or_default();
    let high = at(below as usize + 1).unwrap_or(low);
    low + (high - low) * (place - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_the_quantiles_that_it_was_given() {
        let uniform = Distribution::Uniform {
            least: 2.0,
            most: 4.0,
        };
        let log = Distribution::LogNormal {
            median: 12.0,
            p95: 60.0,
        };
        assert_eq!(uniform.at(0.5, 0.0), 3.0);
        assert_eq!(log.at(0.0, 0.0), 12.0);
        assert!((log.at(0.0, NORMAL_P95) - 60.0).abs() < 1e-6);
        let observed = Distribution::Observed(vec![1.0, 2.0, 10.0]);
        assert_eq!(
            [0.0, 0.5, 0.75, 1.0].map(|part| observed.at(part, 0.0)),
            [1.0, 2.0, 6.0, 10.0]
        );
        assert_eq!(Distribution::Observed(Vec::new()).at(0.5, 0.0), 0.0);
    }
}
