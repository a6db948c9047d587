//! Random numbers of scenes: the same bits on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The use of random numbers. Each has a stream of its own, so that one more number for one of them changes nothing for
/// the others.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
pub(crate) enum Purpose {
    Velocities = 1,
    Sizes = 2,
    Places = 3,
    Turns = 4,
}

/// A stream of random numbers, by arithmetic that is bit-identical on all machines.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(purpose as u64);
        Self(generator)
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [`lower`, `upper`].
    pub(crate) fn between(&mut self, lower: f64, upper: f64) -> f64 {
        (lower + (upper - lower) * self.unit()).min(upper)
    }

    /// Uniform in 0..`bound`. The bias is below `bound` / 2^64.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A normal deviate of mean 0 and variance 1.
    ///
    /// C. F. F. Karney, "Sampling exactly from the normal distribution" (2016), algorithm N: k + x has the density
    /// exp(-(k + x)^2 / 2) if k has probability exp(-k^2 / 2) and x is accepted with exp(-x (2 k + x) / 2). It needs
    /// comparisons only, no logarithm or sine, whose last bits differ from one C library to the next.
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let mut k = 0_u32;
            while self.survives(0.5) {
                k += 1;
            }
            if !(0..k * k.saturating_sub(1)).all(|_| self.survives(0.5)) {
                continue;
            }
            let (whole, x) = (f64::from(k), self.unit());
            let share = x * (2.0 * whole + x) / (2.0 * whole + 2.0);
            if (0..=k).all(|_| self.survives(share)) {
                let magnitude = whole + x;
                return if self.0.next_u64() >> 63 == 0 { magnitude } else { -magnitude };
            }
        }
    }

    /// True with probability exp(-`x`), for x in [0, 1]: the length of the run x > u1 > u2 > ... is even (von Neumann).
    fn survives(&mut self, x: f64) -> bool {
        let (mut last, mut even) = (x, true);
        loop {
            let next = self.unit();
            if next >= last {
                return even;
            }
            (last, even) = (next, !even);
        }
    }
}

/// The root of degree `dim` of a positive number, by arithmetic that is bit-identical on all machines.
pub(crate) fn root(value: f64, dim: usize) -> f64 {
    match dim {
        1 => value,
        2 => value.sqrt(),
        _ => cube_root(value),
    }
}

/// Newton's method, from a third of the exponent: five steps are enough for all bits but the last.
fn cube_root(value: f64) -> f64 {
    const BIAS: u64 = 1023 << 52;
    let mut root = f64::from_bits(value.to_bits() / 3 + BIAS / 3 * 2);
    for _ in 0..5 {
        root -= (root * root * root - value) / (3.0 * root * root);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_deviates_have_the_moments_and_tails_of_the_normal_distribution() {
        let mut random = Random::new(1, Purpose::Velocities);
        let drawn: Vec<f64> = (0..200_000).map(|_| random.normal()).collect();
        let mean = |power: i32| drawn.iter().map(|x| x.powi(power)).sum::<f64>() / drawn.len() as f64;
        // Four standard errors: sqrt(1, 2, 15, 96 / n).
        for (power, expected, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            let error = mean(power) - expected;
            assert!(error.abs() < 4.0 * (variance / 200_000.0_f64).sqrt(), "moment {power}: {error}");
        }
        for (bound, share) in [(0.5, 0.617_075), (1.0, 0.317_311), (2.0, 0.045_500), (3.0, 0.002_700)] {
            let beyond = drawn.iter().filter(|x| x.abs() > bound).count() as f64 / drawn.len() as f64;
            assert!(
                (beyond - share).abs() < 4.0 * (share / 200_000.0_f64).sqrt(),
                "beyond {bound}: {beyond}"
            );
        }
    }

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut random = Random::new(1, Purpose::Velocities);
        let bits: Vec<u64> = (0..4).map(|_| random.normal().to_bits()).collect();
        assert_eq!(bits, PINNED);
        assert_ne!(Random::new(1, Purpose::Places).unit(), Random::new(1, Purpose::Velocities).unit());
        assert_ne!(Random::new(2, Purpose::Velocities).unit(), Random::new(1, Purpose::Velocities).unit());
    }

    const PINNED: [u64; 4] = [
        13_831_007_228_096_212_598,
        13_826_622_336_874_036_706,
        13_819_822_135_078_376_616,
        4_600_800_386_810_908_260,
    ];

    #[test]
    fn integers_and_ranges_stay_within_their_bounds() {
        let mut random = Random::new(3, Purpose::Sizes);
        let mut seen = [0_u32; 7];
        for _ in 0..7000 {
            seen[random.below(7)] += 1;
            assert!((-2.0..=5.0).contains(&random.between(-2.0, 5.0)));
        }
        assert!(seen.iter().all(|count| (800..1200).contains(count)), "{seen:?}");
    }

    #[test]
    fn roots_are_right_to_the_last_bits() {
        for value in [1e-300, 0.001, 0.3, 1.0, 2.0, 27.0, 2744.0, 1e6, 1.7e300] {
            let root = root(value, 3);
            assert!((root / value.cbrt() - 1.0).abs() < 4e-16, "{value}: {root}");
        }
        assert_eq!((root(7.0, 1), root(9.0, 2)), (7.0, 3.0));
    }
}
