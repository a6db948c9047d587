//! Confidence intervals.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::special::{beta_quantile, normal_bound, student_bound};
use super::tally::{Moments, Tally};

/// Lower and upper end.
pub(super) type Interval = [f64; 2];

/// E. B. Wilson, "Probable inference" (1927): the probabilities that a score test does not reject.
pub(super) fn wilson(hits: u64, trials: u64, confidence: f64) -> Interval {
    let (n, p, z) = (trials as f64, hits as f64 / trials as f64, normal_bound(confidence));
    let scale = 1.0 / (1.0 + z * z / n);
    let centre = (p + z * z / (2.0 * n)) * scale;
    let half = z * scale * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let low = if hits == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if hits == trials { 1.0 } else { (centre + half).min(1.0) };
    [low, high]
}

/// C. J. Clopper and E. S. Pearson (1934): covers the true value at least as often as its confidence says.
pub(super) fn clopper_pearson(hits: u64, trials: u64, confidence: f64) -> Interval {
    let tail = 0.5 * (1.0 - confidence);
    let (hits_f, misses) = (hits as f64, (trials - hits) as f64);
    let low = if hits == 0 { 0.0 } else { beta_quantile(tail, hits_f, misses + 1.0) };
    let high = if hits == trials { 1.0 } else { beta_quantile(1.0 - tail, hits_f + 1.0, misses) };
    [low, high]
}

/// The upper bound of a probability without a hit in n `trials`: (1 - p)^n = 1 - confidence.
pub(super) fn bound_without_hits(trials: u64, confidence: f64) -> f64 {
    -((1.0 - confidence).ln() / trials as f64).exp_m1()
}

/// Student's interval of a mean; `None` with less than two samples.
pub(super) fn student(moments: &Moments, confidence: f64) -> Option<Interval> {
    let half = student_bound(confidence, (moments.count - 1) as f64) * moments.standard_error()?;
    Some([moments.mean - half, moments.mean + half])
}

/// Means drawn for a bootstrap interval.
const RESAMPLES: usize = 2000;

/// The percentile bootstrap of the mean of these values.
pub(super) fn bootstrap(values: &[f64], confidence: f64) -> Option<Interval> {
    let weighted: Vec<(f64, f64)> = values.iter().map(|&value| (value, 1.0)).collect();
    resampled(&weighted, confidence)
}

/// The percentile bootstrap of a mean from the means of blocks of consecutive replicas.
pub(super) fn block_bootstrap(blocks: &[Tally], confidence: f64) -> Option<Interval> {
    let moments = |tally: &Tally| match tally {
        Tally::Quantity(moments) if moments.count > 0 => Some((moments.mean, moments.count as f64)),
        _ => None,
    };
    resampled(&blocks.iter().filter_map(moments).collect::<Vec<_>>(), confidence)
}

/// Quantiles of means of as many entries as there are, drawn with replacement, each entry with its weight.
fn resampled(entries: &[(f64, f64)], confidence: f64) -> Option<Interval> {
    if entries.len() < 2 {
        return None;
    }
    // The seed is fixed, so that the interval is a function of the data.
    let mut random = ChaCha8Rng::seed_from_u64(0);
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
    let tail = 0.5 * (1.0 - confidence) * (RESAMPLES - 1) as f64;
    Some([means[tail.floor() as usize], means[RESAMPLES - 1 - tail.floor() as usize]])
}

/// Ranks (from 1) between which the quantile of this share lies: the number of values below it is binomial. `None` if there are too few values for the confidence.
pub(super) fn quantile_ranks(share: f64, count: u64, confidence: f64) -> Option<[u64; 2]> {
    let n = count as f64;
    let half = normal_bound(confidence) * (n * share * (1.0 - share)).sqrt();
    let (low, high) = ((n * share - half).floor(), (n * share + half).ceil() + 1.0);
    (low >= 1.0 && high <= n).then_some([low as u64, high as u64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::model::ObservableKind;

    fn close(found: Interval, expected: Interval) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 5e-5), "{found:?} {expected:?}");
    }

    /// R. G. Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I.
    #[test]
    fn intervals_of_a_chance_are_those_of_newcombe() {
        close(wilson(81, 263, 0.95), [0.2553, 0.3662]);
        close(wilson(15, 148, 0.95), [0.0624, 0.1605]);
        close(wilson(0, 20, 0.95), [0.0, 0.1611]);
        close(wilson(1, 29, 0.95), [0.0061, 0.1718]);
        close(clopper_pearson(81, 263, 0.95), [0.2527, 0.3676]);
        close(clopper_pearson(15, 148, 0.95), [0.0578, 0.1617]);
        close(clopper_pearson(0, 20, 0.95), [0.0, 0.1684]);
        close(clopper_pearson(1, 29, 0.95), [0.0009, 0.1776]);
    }

    #[test]
    fn no_hits_give_the_rule_of_three() {
        let bound = bound_without_hits(1000, 0.95);
        assert!((bound * 1000.0 - 2.9957).abs() < 0.006, "{bound}");
        assert!((1.0 - bound).powi(1000) - 0.05 < 1e-12);
    }

    #[test]
    fn the_interval_of_a_mean_is_students() {
        // Mean 3, variance 2.5, t(4) = 2.7764.
        let Tally::Quantity(moments) = Tally::of(ObservableKind::Quantity, &[1.0, 2.0, 3.0, 4.0, 5.0]) else {
            panic!()
        };
        close(student(&moments, 0.95).unwrap(), [3.0 - 1.96324, 3.0 + 1.96324]);
        assert_eq!(student(&Moments { count: 1, mean: 2.0, squares: 0.0 }, 0.95), None);
    }

    #[test]
    fn a_bootstrap_is_near_students_interval_where_that_is_right() {
        let values: Vec<f64> = (0..400).map(|n| f64::from((n * 37) % 400)).collect();
        let Tally::Quantity(moments) = Tally::of(ObservableKind::Quantity, &values) else { panic!() };
        let student = student(&moments, 0.95).unwrap();
        let resampled = bootstrap(&values, 0.95).unwrap();
        let width = student[1] - student[0];
        assert!(
            (0..2).all(|end| (student[end] - resampled[end]).abs() < 0.1 * width),
            "{student:?} {resampled:?}"
        );
        let blocks: Vec<Tally> =
            values.chunks(5).map(|chunk| Tally::of(ObservableKind::Quantity, chunk)).collect();
        assert!(block_bootstrap(&blocks, 0.95).is_some());
        assert_eq!(bootstrap(&[1.0], 0.95), None);
    }

    #[test]
    fn quantiles_need_enough_values_on_both_sides() {
        assert_eq!(quantile_ranks(0.5, 100, 0.95), Some([40, 61]));
        assert_eq!(quantile_ranks(0.05, 50, 0.95), None);
        assert_eq!(quantile_ranks(0.5, 0, 0.95), None);
    }
}
