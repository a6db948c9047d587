//! Bootstrap intervals of a mean: what would come out if the sample were drawn again from itself.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::intervals::Interval;
use super::special::{normal_quantile, normal_share};
use super::tally::{Moments, Tally};

/// Means drawn for an interval.
const RESAMPLES: usize = 2000;

/// What is drawn with replacement: values, or means of blocks of values, each with its weight.
pub(super) struct Entries(Vec<(f64, f64)>);

impl Entries {
    /// All values; NaN is none.
    pub(super) fn of_values(values: &[f64]) -> Self {
        Self(values.iter().filter(|value| !value.is_nan()).map(|&value| (value, 1.0)).collect())
    }

    /// Means of blocks of consecutive replicas.
    pub(super) fn of_blocks(blocks: &[Tally]) -> Self {
        let moments = |tally: &Tally| match tally {
            Tally::Quantity(moments) if moments.count > 0 => Some((moments.mean, moments.count as f64)),
            _ => None,
        };
        Self(blocks.iter().filter_map(moments).collect())
    }

    /// The interval between percentiles of the resampled means (B. Efron, 1979). The seed is fixed, so that the interval is a
    /// function of the data.
    pub(super) fn percentiles(&self, confidence: f64) -> Option<Interval> {
        let means = self.resampled(0)?;
        let tail = 0.5 * (1.0 - confidence) * (RESAMPLES - 1) as f64;
        Some([means[tail.floor() as usize], means[RESAMPLES - 1 - tail.floor() as usize]])
    }

    /// The percentiles corrected for bias and acceleration (B. Efron, "Better bootstrap confidence intervals", 1987):
    /// for a mean the acceleration is the skewness over 6 sqrt n. The resamples follow from the seed of the study.
    pub(super) fn bca(&self, moments: &Moments, seed: u64, confidence: f64) -> Option<Interval> {
        let means = self.resampled(seed)?;
        let share = |count: usize| count as f64 / RESAMPLES as f64;
        let below = means.partition_point(|mean| *mean < moments.mean);
        let up_to = means.partition_point(|mean| *mean <= moments.mean);
        let least = share(1);
        let bias = normal_quantile((0.5 * (share(below) + share(up_to))).clamp(least, 1.0 - least));
        let acceleration = moments.skewness().unwrap_or(0.0) / (6.0 * (moments.count as f64).sqrt());
        let corrected = |z: f64| normal_share(bias + (bias + z) / (1.0 - acceleration * (bias + z)));
        let end = |z: f64| means[((corrected(z) * RESAMPLES as f64) as usize).min(RESAMPLES - 1)];
        let z = normal_quantile(0.5 * (1.0 + confidence));
        Some([end(-z), end(z)])
    }

    /// Means of as many entries as there are, in rising order.
    fn resampled(&self, seed: u64) -> Option<Vec<f64>> {
        let Self(entries) = self;
        if entries.len() < 2 {
            return None;
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || entries[((u64::from(random.next_u32()) * entries.len() as u64) >> 32) as usize];
        let mut means: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                let (sum, weight) = (0..entries.len()).fold((0.0, 0.0), |(sum, weight), _| {
                    let (value, by) = draw();
                    (sum + value * by, weight + by)
                });
                sum / weight
            })
            .collect();
        means.sort_by(f64::total_cmp);
        Some(means)
    }
}

#[cfg(test)]
mod tests {
    use super::super::intervals::{hall, student};
    use super::*;
    use crate::study::model::ObservableKind;

    fn moments(values: &[f64]) -> Moments {
        let Tally::Quantity(moments) = Tally::of(ObservableKind::Quantity, values) else { panic!() };
        moments
    }

    fn are_near(one: Interval, two: Interval, share: f64) -> bool {
        (0..2).all(|end| (one[end] - two[end]).abs() < share * (one[1] - one[0]))
    }

    #[test]
    fn a_bootstrap_is_near_students_interval_where_that_is_right() {
        let values: Vec<f64> = (0..400).map(|n| f64::from((n * 37) % 400)).collect();
        let moments = moments(&values);
        let student = student(&moments, 0.95).unwrap();
        let entries = Entries::of_values(&values);
        let (plain, corrected) =
            (entries.percentiles(0.95).unwrap(), entries.bca(&moments, 7, 0.95).unwrap());
        assert!(
            are_near(student, plain, 0.1) && are_near(student, corrected, 0.1),
            "{plain:?} {corrected:?}"
        );
        let blocks: Vec<Tally> =
            values.chunks(5).map(|chunk| Tally::of(ObservableKind::Quantity, chunk)).collect();
        assert!(Entries::of_blocks(&blocks).percentiles(0.95).is_some());
        assert_eq!(Entries::of_values(&[1.0, f64::NAN]).percentiles(0.95), None);
        assert_eq!(Entries::of_values(&[1.0]).bca(&moments, 7, 0.95), None);
    }

    #[test]
    fn a_corrected_bootstrap_leans_as_the_interval_of_hall_does() {
        let values: Vec<f64> = (0..200).map(|n| -(1.0 - (f64::from(n) + 0.5) / 200.0).ln()).collect();
        let moments = moments(&values);
        let entries = Entries::of_values(&values);
        let corrected = entries.bca(&moments, 1, 0.95).unwrap();
        assert!(are_near(hall(&moments, 0.95).unwrap(), corrected, 0.1), "{corrected:?}");
        // Of the same resamples it takes higher percentiles.
        let (plain, same) = (entries.percentiles(0.95).unwrap(), entries.bca(&moments, 0, 0.95).unwrap());
        assert!(same[0] > plain[0] && same[1] > plain[1], "{plain:?} {same:?}");
        assert_eq!(entries.bca(&moments, 1, 0.95), Some(corrected));
        assert_ne!(entries.bca(&moments, 2, 0.95), Some(corrected));
    }
}
