//! Counts and sums of one observable over the replicas of one or more batches, merged in a fixed order.

use serde::{Deserialize, Serialize};

use crate::study::model::ObservableKind;

/// Counts and sums of one observable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Tally {
    /// How often something happened.
    Chance { trials: u64, hits: u64 },
    /// Mean and spread of a number.
    Quantity(Moments),
}

impl Tally {
    /// Of no replicas.
    pub(crate) fn empty(kind: ObservableKind) -> Self {
        match kind {
            ObservableKind::Chance => Self::Chance { trials: 0, hits: 0 },
            ObservableKind::Quantity => Self::Quantity(Moments::default()),
        }
    }

    /// These values, in their order; NaN is no value.
    pub(crate) fn of(kind: ObservableKind, values: &[f64]) -> Self {
        match kind {
            ObservableKind::Chance => {
                let count =
                    |wanted: fn(&f64) -> bool| values.iter().filter(|value| wanted(value)).count() as u64;
                Self::Chance { trials: count(|value| !value.is_nan()), hits: count(|value| *value == 1.0) }
            }
            ObservableKind::Quantity => Self::Quantity(Moments::of(values)),
        }
    }

    /// These replicas followed by others. Two kinds that differ cannot be merged: the left one stays.
    pub(crate) fn merge(&self, right: &Self) -> Self {
        match (self, right) {
            (Self::Chance { trials, hits }, Self::Chance { trials: more, hits: others }) => {
                Self::Chance { trials: trials + more, hits: hits + others }
            }
            (Self::Quantity(left), Self::Quantity(right)) => Self::Quantity(left.merge(right)),
            _ => *self,
        }
    }

    /// Replicas with a value.
    pub(crate) fn samples(&self) -> u64 {
        match self {
            Self::Chance { trials, .. } => *trials,
            Self::Quantity(moments) => moments.count,
        }
    }
}

/// Count, mean, and sums of squared and cubed deviations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moments {
    pub(crate) count: u64,
    pub(crate) mean: f64,
    /// Sum of the squares of the deviations from the mean.
    pub(crate) squares: f64,
    /// Sum of their cubes; `None` if it is beyond the range of numbers, and in checkpoints from before it was taken.
    #[serde(default)]
    pub(crate) cubes: Option<f64>,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, mean: 0.0, squares: 0.0, cubes: Some(0.0) }
    }
}

impl Moments {
    /// In two passes: the mean first, then the deviations from it, with the rounding of the mean taken out again.
    fn of(values: &[f64]) -> Self {
        let known = || values.iter().copied().filter(|value| !value.is_nan());
        let (count, sum) = known().fold((0_u64, 0.0), |(count, sum), value| (count + 1, sum + value));
        if count == 0 {
            return Self::default();
        }
        let mean = sum / count as f64;
        let (rest, squares, cubes) = known().fold((0.0, 0.0, 0.0), |(rest, squares, cubes), value| {
            let deviation = value - mean;
            let square = deviation * deviation;
            (rest + deviation, squares + square, cubes + square * deviation)
        });
        let off = rest / count as f64;
        let cubes = cubes - 3.0 * off * squares + 2.0 * off * off * rest;
        let squares = squares - rest * rest / count as f64;
        Self { count, mean: mean + off, squares: squares.max(0.0), cubes: finite(cubes) }
    }

    /// T. F. Chan, G. H. Golub and R. J. LeVeque, "Updating formulae and a pairwise algorithm" (1979); the cubes as in
    /// P. Pebay, "Formulas for robust, one-pass parallel computation of covariances" (2008).
    fn merge(&self, right: &Self) -> Self {
        if right.count == 0 {
            return *self;
        }
        if self.count == 0 {
            return *right;
        }
        let (m, n) = (self.count as f64, right.count as f64);
        let step = right.mean - self.mean;
        let share = n / (m + n);
        let between = step * step * m * share;
        let cubes = self.cubes.zip(right.cubes).and_then(|(left_cubes, right_cubes)| {
            let across = 3.0 * step * ((m * right.squares - n * self.squares) / (m + n));
            finite(left_cubes + right_cubes + between * step * ((m - n) / (m + n)) + across)
        });
        Self {
            count: self.count + right.count,
            mean: self.mean + step * share,
            squares: self.squares + right.squares + between,
            cubes,
        }
    }

    /// Variance of the sample; `None` with less than two.
    pub(crate) fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    /// Standard error of the mean; `None` with less than two.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        self.variance().map(|variance| (variance / self.count as f64).sqrt())
    }

    /// Skewness of the sample, the third central moment over the cube of the standard deviation; `None` if all values are
    /// equal or the sum of cubes is not known.
    pub(crate) fn skewness(&self) -> Option<f64> {
        let cubes = self.cubes.filter(|_| self.squares > 0.0)?;
        finite(cubes / self.squares / self.squares.sqrt() * (self.count as f64).sqrt())
    }
}

fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nan_says_nothing() {
        let values = [1.0, f64::NAN, 0.0, 1.0];
        assert_eq!(Tally::of(ObservableKind::Chance, &values), Tally::Chance { trials: 3, hits: 2 });
        let Tally::Quantity(moments) = Tally::of(ObservableKind::Quantity, &values) else { panic!() };
        assert_eq!((moments.count, moments.mean), (3, 2.0 / 3.0));
        assert!((moments.squares - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(Tally::of(ObservableKind::Quantity, &[f64::NAN]), Tally::empty(ObservableKind::Quantity));
    }

    #[test]
    fn a_large_offset_does_not_eat_the_variance() {
        let values: Vec<f64> = (0..1000).map(|n| 1e9 + f64::from(n % 2)).collect();
        let moments = Moments::of(&values);
        assert!((moments.variance().unwrap() - 0.25 * 1000.0 / 999.0).abs() < 1e-9);
        assert!((moments.mean - (1e9 + 0.5)).abs() < 1e-6);
    }

    #[test]
    fn skewness_is_the_third_moment_in_standard_units() {
        // Deviations -1, -1, 2 about the mean 2: squares 6, cubes 6, sqrt(3) 6 / 6^1.5 = 1 / sqrt 2.
        let moments = Moments::of(&[1.0, 1.0, 4.0]);
        assert_eq!((moments.squares, moments.cubes), (6.0, Some(6.0)));
        assert!((moments.skewness().unwrap() - 0.5_f64.sqrt()).abs() < 1e-15);
        assert!(
            (Moments::of(&[1e8 + 1.0, 1e8 + 1.0, 1e8 + 4.0]).skewness().unwrap() - 0.5_f64.sqrt()).abs()
                < 1e-7
        );
        assert_eq!(Moments::of(&[3.0; 5]).skewness(), None);
        // Cubes of such values overflow; their squares do not.
        let huge = Moments::of(&[1e120, -1e120, 3e120]);
        assert_eq!((huge.cubes, huge.skewness()), (None, None));
        assert!(huge.variance().is_some() && huge.merge(&moments).cubes.is_none());
        assert_eq!(Moments::of(&[]).merge(&moments), moments);
    }

    #[test]
    fn tallies_of_before_the_cubes_still_load() {
        let old = r#"{"Quantity":{"count":3,"mean":2.0,"squares":6.0}}"#;
        let Tally::Quantity(moments) = serde_json::from_str(old).unwrap() else { panic!() };
        assert_eq!((moments.count, moments.cubes, moments.skewness()), (3, None, None));
        assert_eq!(moments.merge(&Moments::of(&[1.0, 2.0])).cubes, None);
    }

    proptest! {
        #[test]
        fn a_merge_is_as_good_as_all_values_at_once(
            left in prop::collection::vec(-1e3..1e3, 0..40), right in prop::collection::vec(-1e3..1e3, 0..40),
        ) {
            let merged = Moments::of(&left).merge(&Moments::of(&right));
            let whole = Moments::of(&[left, right].concat());
            prop_assert_eq!(merged.count, whole.count);
            prop_assert!((merged.mean - whole.mean).abs() < 1e-11);
            prop_assert!((merged.squares - whole.squares).abs() <= 1e-11 * whole.squares.max(1.0));
            let cubes = merged.cubes.unwrap() - whole.cubes.unwrap();
            prop_assert!(cubes.abs() <= 1e-11 * 1e3 * whole.squares.max(1.0), "{}", cubes);
        }
    }
}
