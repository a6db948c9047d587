//! How skewed the distribution behind samples may be (docs/methods/statistics.md, section 5).
//!
//! The skewness of a sample depends on its few largest values, and those that a wrong interval lacks are not in it. How the
//! logarithms of all values are spread says more about them.

use super::sketch::Sketch;
use super::tally::Moments;

/// Why the interval of a mean cannot be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Doubt {
    /// There may be so much skewness, and so many samples would be needed.
    Skewed { skewness: f64, needed: f64 },
    /// The largest values are spread as if the variance were infinite.
    NoVariance,
}

/// Above this square of the skewness of the distribution over the number of samples, intervals cover the truth in less than
/// about 93% of the studies (counted by `examples/coverage`).
const TOO_SKEWED: f64 = 2.0;
/// With fewer values away from the origin nothing is known about their spread.
const FEW_VALUES: f64 = 5.0;
/// The same for the skewness of few values themselves, and with even fewer samples it is known worse.
const TOO_SKEWED_SAMPLE: f64 = 0.1;
const SMALL_SAMPLE: f64 = 30.0;
/// The shape of a generalised Pareto distribution from which on it has no variance.
const WITHOUT_VARIANCE: f64 = 0.5;
/// A tail is fitted to this share of the values, if there are enough of them, and only where the skewness is large.
const TAIL: f64 = 0.1;
const ENOUGH_FOR_A_TAIL: f64 = 300.0;
const SKEWED_BY_A_TAIL: f64 = 0.05;

/// The square of the skewness of samples over their number: the largest term of the error of Student's interval.
pub(super) fn skewness_load(moments: &Moments) -> Option<f64> {
    let skewness = moments.skewness().filter(|_| moments.count > 2)?;
    Some(skewness * skewness / moments.count as f64)
}

/// Whether these samples, with so much skewness, are too few for any interval of their mean.
pub(super) fn doubt(moments: &Moments, sketch: &Sketch) -> Option<Doubt> {
    let load = skewness_load(moments)?;
    let side = moments.skewness()?.signum();
    let distances = distances(sketch, side);
    let count: f64 = distances.iter().map(|(_, count)| count).sum();
    if count < FEW_VALUES {
        return few_values(moments, load);
    }
    let skewness = skewness_of_distribution(&distances);
    let limit = skewness * skewness / TOO_SKEWED;
    if limit > count {
        return Some(Doubt::Skewed {
            skewness: side * skewness,
            needed: limit * moments.count as f64 / count,
        });
    }
    let is_heavy = count >= ENOUGH_FOR_A_TAIL
        && load > SKEWED_BY_A_TAIL
        && tail_shape(&distances, count) > WITHOUT_VARIANCE;
    is_heavy.then_some(Doubt::NoVariance)
}

/// By the skewness of the samples alone.
fn few_values(moments: &Moments, load: f64) -> Option<Doubt> {
    let n = moments.count as f64;
    let limit = TOO_SKEWED_SAMPLE * (n / SMALL_SAMPLE).sqrt().min(1.0);
    let needed = (load * n / TOO_SKEWED_SAMPLE).max(SMALL_SAMPLE);
    (load > limit).then_some(Doubt::Skewed { skewness: moments.skewness()?, needed })
}

/// Distances above 0 from the origin, in rising order, with their counts: from 0 if all values are on the side of their tail and
/// the least is small, else from the least one.
fn distances(sketch: &Sketch, side: f64) -> Vec<(f64, f64)> {
    let mut values: Vec<(f64, f64)> =
        sketch.values().into_iter().map(|(value, count)| (side * value, count as f64)).collect();
    if side < 0.0 {
        values.reverse();
    }
    let Some(&(least, _)) = values.first() else { return values };
    let half = sketch.count() as f64 / 2.0;
    let median = values
        .iter()
        .scan(0.0, |below, (value, count)| {
            *below += count;
            Some((*value, *below))
        })
        .find(|(_, below)| *below > half)
        .map_or(least, |(value, _)| value);
    let origin = if least > 0.0 && least < 0.1 * median { 0.0 } else { least };
    values.into_iter().map(|(value, count)| (value - origin, count)).filter(|(d, _)| *d > 0.0).collect()
}

/// The skewness of the log-normal distribution whose tail is as heavy: its sigma is that of the logarithms, less where they are
/// skewed to the left, as those of gamma and Weibull distributions are.
fn skewness_of_distribution(distances: &[(f64, f64)]) -> f64 {
    let logarithms = distances.iter().map(|(distance, count)| (distance.ln(), *count));
    let [_, scale, third] = l_moments(logarithms);
    if scale <= 0.0 {
        return 0.0;
    }
    let lean = (third / scale).min(0.0);
    let sigma = std::f64::consts::PI.sqrt() * scale * (4.0 * lean - 12.0 * lean * lean).exp();
    let power = (sigma * sigma).min(100.0).exp();
    (power + 2.0) * (power - 1.0).sqrt()
}

/// The shape of the generalised Pareto distribution with the L-moments of what the largest values are above the others.
fn tail_shape(distances: &[(f64, f64)], count: f64) -> f64 {
    let mut rest = (TAIL * count).floor();
    let mut tail = Vec::new();
    let mut base = 0.0;
    for &(distance, held) in distances.iter().rev() {
        base = distance;
        let taken = held.min(rest);
        if taken > 0.0 {
            tail.push((distance, taken));
        }
        rest -= taken;
        if taken < held {
            break;
        }
    }
    let [mean, scale, _] = l_moments(tail.iter().rev().map(|(distance, count)| (distance - base, *count)));
    if scale > 0.0 { 2.0 - mean / scale } else { f64::NEG_INFINITY }
}

/// The first three L-moments of values in rising order with their counts (J. R. M. Hosking, "L-moments", 1990).
fn l_moments(values: impl Iterator<Item = (f64, f64)>) -> [f64; 3] {
    // Sums over the ranks i below m of 1, i and i (i - 1).
    let below = |m: f64| [m, m * (m - 1.0) / 2.0, m * (m - 1.0) * (m - 2.0) / 3.0];
    let (mut rank, mut sums) = (0.0, [0.0; 3]);
    for (value, count) in values {
        let (start, end) = (below(rank), below(rank + count));
        (0..3).for_each(|k| sums[k] += value * (end[k] - start[k]));
        rank += count;
    }
    let all = [rank, rank * (rank - 1.0), rank * (rank - 1.0) * (rank - 2.0)];
    let [b0, b1, b2] = [0, 1, 2].map(|k| sums[k] / all[k]);
    [b0, 2.0 * b1 - b0, 6.0 * b2 - 6.0 * b1 + b0]
}

#[cfg(test)]
mod tests {
    use super::super::special::normal_quantile;
    use super::super::tally::Tally;
    use super::*;
    use crate::study::model::ObservableKind;

    /// So many values at the middles of equal shares of a distribution, given by its quantiles.
    fn typical(count: u32, quantile: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..count).map(|n| quantile((f64::from(n) + 0.5) / f64::from(count))).collect()
    }

    fn of(values: &[f64]) -> Option<Doubt> {
        let mut sketch = Sketch::new();
        sketch.add(values);
        let Tally::Quantity(moments) = Tally::of(ObservableKind::Quantity, values) else { panic!() };
        doubt(&moments, &sketch)
    }

    fn log_normal(sigma: f64) -> impl Fn(f64) -> f64 {
        move |share| (sigma * normal_quantile(share)).exp()
    }

    #[test]
    fn l_moments_are_those_of_hosking() {
        // Of 1, 2, 4: mean 7/3, half the mean difference of pairs (1 + 3 + 2) / 6, and (4 - 2 * 2 + 1) / 3.
        let [mean, scale, third] = l_moments([(1.0, 1.0), (2.0, 1.0), (4.0, 1.0)].into_iter());
        assert!((mean - 7.0 / 3.0).abs() < 1e-15 && (scale - 1.0).abs() < 1e-15);
        assert!((third - 1.0 / 3.0).abs() < 1e-15, "{third}");
        let together = l_moments([(1.0, 2.0), (3.0, 3.0)].into_iter());
        let apart = l_moments([1.0, 1.0, 3.0, 3.0, 3.0].map(|value| (value, 1.0)).into_iter());
        assert!(together.iter().zip(apart).all(|(a, b)| (a - b).abs() < 1e-14), "{together:?} {apart:?}");
    }

    #[test]
    fn the_skewness_is_that_of_the_distribution_and_not_of_the_sample() {
        let Some(Doubt::Skewed { skewness, needed }) = of(&typical(100, log_normal(1.5))) else { panic!() };
        // 33.5 in truth; that of these 100 values is 6.5.
        assert!((20.0..40.0).contains(&skewness), "{skewness}");
        assert!((needed - skewness * skewness / 2.0).abs() < 1e-9 * needed, "{needed}");
        assert_eq!(of(&typical(10_000, log_normal(1.5))), None);
        assert_eq!(of(&typical(100, log_normal(0.5))), None);
        let mirrored: Vec<f64> = typical(100, log_normal(1.5)).iter().map(|value| 7.0 - value).collect();
        assert!(matches!(of(&mirrored), Some(Doubt::Skewed { skewness, .. }) if skewness < -15.0));
    }

    #[test]
    fn light_tails_are_not_suspected() {
        assert_eq!(of(&typical(30, |share| -(1.0 - share).ln())), None);
        // Nearly the gamma distribution of shape 0.2 below its tail, which is that of an exponential one.
        assert_eq!(of(&typical(30, |share| -(1.0 - share.powi(5)).ln())), None);
    }

    #[test]
    fn a_tail_without_variance_is_found_in_any_number_of_samples() {
        let pareto = |share: f64| (1.0 - share).powf(-1.0 / 1.4);
        assert_eq!(of(&typical(3000, pareto)), Some(Doubt::NoVariance));
        assert_eq!(of(&typical(4000, |share| (1.0 - share).powf(-1.0 / 4.0))), None);
    }

    #[test]
    fn few_values_away_from_the_least_are_judged_by_the_skewness_of_the_sample() {
        let rare = |hits: usize, count: usize| -> Vec<f64> {
            (0..count).map(|n| f64::from(u8::from(n < hits))).collect()
        };
        assert!(
            matches!(of(&rare(2, 30)), Some(Doubt::Skewed { needed, .. }) if (100.0..150.0).contains(&needed))
        );
        assert_eq!((of(&rare(4, 30)).is_some(), of(&rare(5, 100)), of(&[3.0; 20])), (true, None, None));
    }
}
