//! The random source: xoshiro256++ 1.0 (Blackman and Vigna, public domain), its state filled by `SplitMix64` from one seed,
//! as its authors advise.

/// A stream of numbers that the seed decides.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: [u64; 4],
}

/// `SplitMix64` (Steele, Lea and Flood 2014; Vigna's version).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

impl Random {
    pub(super) fn seeded(seed: u64) -> Self {
        let mut mixing = seed;
        Self {
            state: std::array::from_fn(|_| split_mix(&mut mixing)),
        }
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// From 0 to below 1, in steps of 2^-53.
    pub(super) fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next() >> 11) as f64 * STEP
    }

    /// Two independent numbers of the standard normal distribution (Box and Muller 1958).
    pub(super) fn normal_pair(&mut self) -> (f64, f64) {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * self.unit()).sin_cos();
        (radius * cosine, radius * sine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_published_reference() {
        // SplitMix64 from 1234567: the first output of Vigna's C program.
        let mut seed = 1_234_567;
        assert_eq!(split_mix(&mut seed), 6_457_827_717_110_365_317);
        // xoshiro256++ from the state 1, 2, 3, 4.
        let mut random = Random {
            state: [1, 2, 3, 4],
        };
        assert_eq!(
            [random.next(), random.next(), random.next()],
            [41_943_041, 58_720_359, 3_588_806_011_781_223]
        );
    }

    #[test]
    fn a_seed_gives_one_stream_and_its_numbers_are_spread_evenly() {
        let mut one = Random::seeded(7);
        let mut other = Random::seeded(7);
        let numbers: Vec<f64> = (0..100_000).map(|_| one.unit()).collect();
        assert!(numbers.iter().all(|number| *number == other.unit()));
        let mean = numbers.iter().sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005 && numbers.iter().all(|n| (0.0..1.0).contains(n)));
        let squares: f64 = (0..50_000)
            .map(|_| one.normal_pair())
            .map(|(a, b)| a * a + b * b)
            .sum();
        assert!((squares / 1e5 - 1.0).abs() < 0.02);
    }
}
