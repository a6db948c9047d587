//! Confidence intervals.

use super::special::{beta_quantile, normal_bound, student_bound};
use super::tally::Moments;

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

/// The equal-tailed interval of Jeffreys's prior (L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a
/// binomial proportion", 2001).
pub(super) fn jeffreys(hits: u64, trials: u64, confidence: f64) -> Interval {
    let tail = 0.5 * (1.0 - confidence);
    let (a, b) = (hits as f64 + 0.5, (trials - hits) as f64 + 0.5);
    let low = if hits == 0 { 0.0 } else { beta_quantile(tail, a, b) };
    let high = if hits == trials { 1.0 } else { beta_quantile(1.0 - tail, a, b) };
    [low, high]
}

/// The upper bound of a probability without a hit in n `trials`: (1 - p)^n = 1 - confidence.
pub(super) fn bound_without_hits(trials: u64, confidence: f64) -> f64 {
    -((1.0 - confidence).ln() / trials as f64).exp_m1()
}

/// Student's interval of a mean; `None` with less than two samples.
pub(super) fn student(moments: &Moments, confidence: f64) -> Option<Interval> {
    let error = moments.standard_error()?;
    let half = student_bound(confidence, (moments.count - 1) as f64) * error;
    Some([moments.mean - half, moments.mean + half])
}

/// P. Hall, "On the removal of skewness by transformation" (1992): with W = (mean - truth) / deviation and the skewness g,
/// W + g W^2 / 3 + g^2 W^3 / 27 + g / (6 n) is nearly symmetric, and Student's interval of it is transformed back. `None`
/// with less than three samples, or if they have no skewness.
pub(super) fn hall(moments: &Moments, confidence: f64) -> Option<Interval> {
    let deviation = moments.variance()?.sqrt();
    let n = moments.count as f64;
    let skewness = unbiased_skewness(moments)?;
    let half = student_bound(confidence, n - 1.0) / n.sqrt();
    let back = |y: f64| {
        // As the skewness vanishes the difference of the root from 1 is lost, and the transformation is the identity.
        if skewness.abs() < 1e-6 {
            y
        } else {
            3.0 / skewness * ((1.0 + skewness * (y - skewness / (6.0 * n))).cbrt() - 1.0)
        }
    };
    Some([moments.mean - deviation * back(half), moments.mean - deviation * back(-half)])
}

/// The skewness of a sample, without its bias in normal data.
fn unbiased_skewness(moments: &Moments) -> Option<f64> {
    let n = moments.count as f64;
    let skewness = moments.skewness().filter(|_| moments.count > 2)?;
    Some(skewness * (n * (n - 1.0)).sqrt() / (n - 2.0))
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
    use super::super::tally::Tally;
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
        assert_eq!(student(&Moments { count: 1, mean: 2.0, ..Moments::default() }, 0.95), None);
    }

    #[test]
    fn the_interval_of_hall_leans_to_the_side_of_the_tail() {
        let moments = Moments { count: 30, mean: 2.0, squares: 29.0, cubes: Some(60.0) };
        let [low, high] = hall(&moments, 0.95).unwrap();
        let [left, right] = student(&moments, 0.95).unwrap();
        assert!(low > left && high > right && high - low > right - left, "{low} {high}");
        // The transformation at the ends is Student's bound over the root of n.
        let skewness = unbiased_skewness(&moments).unwrap();
        for (end, sign) in [(low, 1.0), (high, -1.0)] {
            let w = moments.mean - end;
            let g = w + skewness * w * w / 3.0 + skewness.powi(2) * w.powi(3) / 27.0 + skewness / 180.0;
            assert!((g - sign * 2.045_229_642_132_703 / 30_f64.sqrt()).abs() < 1e-12, "{end}: {g}");
        }
        let mirrored = hall(&Moments { mean: -2.0, cubes: Some(-60.0), ..moments }, 0.95).unwrap();
        close(mirrored, [-high, -low]);
        let symmetric = Moments { cubes: Some(0.0), ..moments };
        close(hall(&symmetric, 0.95).unwrap(), student(&symmetric, 0.95).unwrap());
        assert_eq!(hall(&Moments { cubes: None, ..moments }, 0.95), None);
        assert_eq!(hall(&Moments { count: 2, ..moments }, 0.95), None);
    }

    /// L. D. Brown, T. T. Cai and A. DasGupta (2001), table of Jeffreys's intervals for n = 10.
    #[test]
    fn jeffreys_lies_within_clopper_and_pearson() {
        close(jeffreys(0, 10, 0.95), [0.0, 0.2172]);
        close(jeffreys(1, 10, 0.95), [0.0110, 0.3813]);
        for hits in 1..30 {
            let ([inner, inner_end], [outer, outer_end]) =
                (jeffreys(hits, 30, 0.95), clopper_pearson(hits, 30, 0.95));
            assert!(outer < inner && inner_end <= outer_end, "{hits}");
        }
    }

    #[test]
    fn quantiles_need_enough_values_on_both_sides() {
        assert_eq!(quantile_ranks(0.5, 100, 0.95), Some([40, 61]));
        assert_eq!(quantile_ranks(0.05, 50, 0.95), None);
        assert_eq!(quantile_ranks(0.5, 0, 0.95), None);
    }
}
