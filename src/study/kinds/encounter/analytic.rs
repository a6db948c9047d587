//! The probability that spheres with normally distributed positions hit, without sampling.
//!
//! Spheres that move relative to each other at a certain velocity sweep a tube: what counts is the relative position
//! across the velocity, in the encounter plane, which must lie in a disk (Foster and Estes, 1992). At relative rest it must lie in a
//! ball.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use crate::geometry::vector::{dot, norm};
use crate::study::statistics::complementary_error;

/// Mean and covariance.
#[derive(Debug, Clone)]
pub(super) struct Moments {
    mean: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl From<(Vec<f64>, Vec<Vec<f64>>)> for Moments {
    fn from((mean, covariance): (Vec<f64>, Vec<Vec<f64>>)) -> Self {
        Self { mean, covariance }
    }
}

impl Moments {
    /// The first `dim` components, and the rest.
    pub(super) fn split((mean, covariance): &(Vec<f64>, Vec<Vec<f64>>), dim: usize) -> [Self; 2] {
        [0..dim, dim..mean.len()].map(|part| Self {
            mean: mean[part.clone()].to_vec(),
            covariance: covariance[part.clone()].iter().map(|row| row[part.clone()].to_vec()).collect(),
        })
    }

    fn is_certain(&self) -> bool {
        (0..self.mean.len()).all(|k| self.covariance[k][k] == 0.0)
    }

    /// The moments of the difference to an independent vector.
    fn minus(&self, other: &Self) -> Self {
        let mean = self.mean.iter().zip(&other.mean).map(|(a, b)| a - b).collect();
        let sum = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
        Self { mean, covariance: self.covariance.iter().zip(&other.covariance).map(sum).collect() }
    }

    /// The moments of the components along some directions.
    fn along(&self, directions: &[Vec<f64>]) -> Self {
        let image = |v: &[f64]| -> Vec<f64> { self.covariance.iter().map(|row| dot(row, v)).collect() };
        Self {
            mean: directions.iter().map(|v| dot(v, &self.mean)).collect(),
            covariance: directions
                .iter()
                .map(|u| directions.iter().map(|v| dot(u, &image(v))).collect())
                .collect(),
        }
    }

    /// Probability to lie within a distance from 0.
    fn within(&self, radius: f64) -> f64 {
        let axes = eigenvectors(&self.covariance);
        let turned = self.along(&axes);
        let deviation = |k: usize| turned.covariance[k][k].max(0.0).sqrt();
        let mut parts: Vec<(f64, f64)> = (0..axes.len()).map(|k| (deviation(k), turned.mean[k])).collect();
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        ball(&parts, radius)
    }
}

/// Relative position and velocity of two spheres.
pub(super) struct Relative {
    position: Moments,
    velocity: Vec<f64>,
}

/// Standard deviations beyond which nothing lies, as far as a window of time is concerned.
const SURE: f64 = 8.0;

impl Relative {
    /// Of two bodies, each with its position and its velocity; `None` if a velocity is uncertain.
    pub(super) fn of(a: &[Moments; 2], b: &[Moments; 2]) -> Option<Self> {
        let velocity = a[1].minus(&b[1]);
        velocity.is_certain().then(|| Self { position: a[0].minus(&b[0]), velocity: velocity.mean })
    }

    /// How it is found and the probability that the centres come as close as `touch` metres within the duration; `None` if a
    /// part of the passage may lie outside of it.
    pub(super) fn hit_probability(&self, touch: f64, duration: f64) -> Option<(&'static str, f64)> {
        let length = norm(&self.velocity);
        if length * duration == 0.0 {
            return Some(("Gaussian over a ball", self.position.within(touch)));
        }
        let forward: Vec<f64> = self.velocity.iter().map(|x| x / length).collect();
        let track = self.position.along(std::slice::from_ref(&forward));
        let spread = SURE * track.covariance[0][0].max(0.0).sqrt();
        let begins_before = track.mean[0] + spread < -touch;
        let ends_behind = track.mean[0] - spread + length * duration > touch;
        let plane = self.position.along(&across(&forward));
        (begins_before && ends_behind).then(|| ("Gaussian in the encounter plane", plane.within(touch)))
    }
}

/// Unit vectors that stand on a unit vector and on each other.
fn across(forward: &[f64]) -> Vec<Vec<f64>> {
    if let [x, y] = forward {
        return vec![vec![-y, *x]];
    }
    // The axis that the vector leans to least.
    let least = (0..3).min_by(|&i, &j| forward[i].abs().total_cmp(&forward[j].abs())).unwrap_or(0);
    let share = forward[least];
    let leaning: Vec<f64> = (0..3).map(|k| f64::from(u8::from(k == least)) - share * forward[k]).collect();
    let length = norm(&leaning);
    let first: Vec<f64> = leaning.iter().map(|x| x / length).collect();
    let second = (0..3).map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        forward[i] * first[j] - forward[j] * first[i]
    });
    let second = second.collect();
    vec![first, second]
}

/// Eigenvectors of a symmetric matrix (Jacobi's method).
fn eigenvectors(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let dim = matrix.len();
    let mut a = matrix.to_vec();
    let mut vectors: Vec<Vec<f64>> =
        (0..dim).map(|i| (0..dim).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..50 {
        for p in 0..dim {
            for q in p + 1..dim {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                turn(&mut a, p, q, c, s);
                turn(&mut vectors, p, q, c, s);
            }
        }
    }
    vectors
}

/// Turns two rows of a matrix, the first above the second, into each other.
fn turn(matrix: &mut [Vec<f64>], p: usize, q: usize, c: f64, s: f64) {
    let (above, below) = matrix.split_at_mut(q);
    for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

/// Probability that independent normal deviates, each with standard deviation and mean, the largest deviation first, lie within a ball
/// around 0.
fn ball(parts: &[(f64, f64)], radius: f64) -> f64 {
    let [(deviation, mean), rest @ ..] = parts else { return 1.0 };
    // What does not scatter takes away from the ball.
    if let Some((&(_, mean), others)) = parts.split_last().filter(|((last, _), _)| *last <= 1e-9 * radius) {
        let square = radius * radius - mean * mean;
        return if square > 0.0 { ball(others, square.sqrt()) } else { 0.0 };
    }
    if rest.is_empty() {
        return normal_between((-radius - mean) / deviation, (radius - mean) / deviation);
    }
    // Along the first axis x = r sin(angle): without it the integrand would have roots at the ends.
    let angle = |x: f64| (x / radius).clamp(-1.0, 1.0).asin();
    let (low, high) = (angle(mean - FAR * deviation), angle(mean + FAR * deviation));
    let share = |angle: f64| {
        let (x, half) = (radius * angle.sin(), radius * angle.cos());
        let z = (x - mean) / deviation;
        (-0.5 * z * z).exp() / (TAU.sqrt() * deviation) * half * ball(rest, half)
    };
    integrate(&share, low, high)
}

/// Standard deviations beyond which a normal density is 0, as far as these probabilities are concerned.
const FAR: f64 = 12.0;

/// P(low < Z < high) of a normal deviate Z.
fn normal_between(low: f64, high: f64) -> f64 {
    let beyond = |x: f64| 0.5 * complementary_error(x * FRAC_1_SQRT_2);
    if low >= 0.0 {
        beyond(low) - beyond(high)
    } else if high <= 0.0 {
        beyond(-high) - beyond(-low)
    } else {
        1.0 - beyond(-low) - beyond(high)
    }
}

/// Nodes and weights of the rule of Gauss with ten points on [-1, 1], for half of them.
const NODES: [(f64, f64); 5] = [
    (0.148_874_338_981_631_21, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// The integral of a function, halving pieces until both halves together give the same.
fn integrate(f: &dyn Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    const PIECES: u32 = 4;
    let at = |k: u32| low + (high - low) * f64::from(k) / f64::from(PIECES);
    let pieces: Vec<[f64; 3]> = (0..PIECES).map(|k| [at(k), at(k + 1), gauss(f, at(k), at(k + 1))]).collect();
    let total: f64 = pieces.iter().map(|piece| piece[2].abs()).sum();
    pieces.iter().map(|[low, high, whole]| refine(f, *low, *high, *whole, 1e-13 * total, 12)).sum()
}

fn refine(f: &dyn Fn(f64) -> f64, low: f64, high: f64, whole: f64, tolerance: f64, depth: u32) -> f64 {
    let middle = 0.5 * (low + high);
    let (left, right) = (gauss(f, low, middle), gauss(f, middle, high));
    if depth == 0 || (left + right - whole).abs() <= tolerance {
        return left + right;
    }
    refine(f, low, middle, left, tolerance, depth - 1) + refine(f, middle, high, right, tolerance, depth - 1)
}

fn gauss(f: &dyn Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    half * NODES.iter().map(|(x, weight)| weight * (f(middle - half * x) + f(middle + half * x))).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn isotropic(mean: &[f64], deviation: f64) -> Moments {
        let dim = mean.len();
        let row = |i: usize| (0..dim).map(|j| if i == j { deviation * deviation } else { 0.0 }).collect();
        Moments { mean: mean.to_vec(), covariance: (0..dim).map(row).collect() }
    }

    #[test]
    fn closed_forms_come_out() {
        for (radius, deviation) in [(0.01_f64, 1.0_f64), (1.0, 1.0), (5.0, 1.0), (30.0, 1.0), (1.0, 100.0)] {
            let (r, s) = (radius, deviation);
            let disk = 1.0 - (-0.5 * r * r / (s * s)).exp();
            let found = isotropic(&[0.0, 0.0], s).within(r);
            assert!((found / disk - 1.0).abs() < 1e-10, "disk {r}, {s}: {found} and {disk}");
            // In space, with the mean at a distance m (a shifted Maxwell distribution).
            for m in [0.5, 1.0, 3.0_f64] {
                let q = |x: f64| (-0.5 * x * x / (s * s)).exp();
                let inside = normal_between((-r - m) / s, (r - m) / s);
                let ball = inside - s / (m * TAU.sqrt()) * (q(r - m) - q(r + m));
                let found = isotropic(&[0.0, m, 0.0], s).within(r);
                // The closed form is a difference of nearly equal numbers if the deviation is large.
                let slack = 1e-10 * ball.abs() + 1e-15 * (1.0 + s / m);
                assert!((found - ball).abs() < slack, "ball {r}, {s}, {m}: {found} and {ball}");
            }
        }
    }

    #[test]
    fn covariances_are_turned_and_may_be_flat() {
        // Of standard deviations 2 and 1/2, turned by 30 degrees, against the sum over a fine grid.
        let (c, s) = (0.75_f64.sqrt(), 0.5);
        let (v, w) = (4.0, 0.25);
        let covariance =
            vec![vec![c * c * v + s * s * w, c * s * (v - w)], vec![c * s * (v - w), s * s * v + c * c * w]];
        let mean = vec![1.0, -0.4];
        let found = Moments { mean: mean.clone(), covariance }.within(1.5);
        let (m1, m2) = (c * mean[0] + s * mean[1], c * mean[1] - s * mean[0]);
        let steps = 1500;
        let cell = 3.0 / f64::from(steps);
        let mut sum = 0.0;
        for i in 0..steps {
            for j in 0..steps {
                let at = |k: i32| -1.5 + (f64::from(k) + 0.5) * cell;
                let (x, y) = (at(i), at(j));
                if x * x + y * y <= 2.25 {
                    sum += (-0.5 * ((x - m1).powi(2) / v + (y - m2).powi(2) / w)).exp();
                }
            }
        }
        let grid = sum * cell * cell / (TAU * (v * w).sqrt());
        assert!((found / grid - 1.0).abs() < 1e-4, "{found} and {grid}");
        let flat = Moments { mean: vec![0.0, 0.6], covariance: vec![vec![1.0, 0.0], vec![0.0, 0.0]] };
        assert!((flat.within(1.0) - normal_between(-0.8, 0.8)).abs() < 1e-14);
        let certain = |x: f64| Moments { mean: vec![x, 0.0], covariance: vec![vec![0.0; 2]; 2] }.within(1.0);
        assert_eq!((certain(0.9), certain(1.1)), (1.0, 0.0));
    }

    #[test]
    fn the_encounter_plane_stands_on_the_velocity() {
        for forward in [[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [-0.48, 0.6, 0.64]] {
            let mut all = across(&forward);
            all.push(forward.to_vec());
            for i in 0..3 {
                for j in 0..3 {
                    let dot = dot(&all[i], &all[j]);
                    assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn a_passage_that_is_cut_off_has_no_reference() {
        let relative =
            |x: f64| Relative { position: isotropic(&[x, 0.0, 0.0], 1.0), velocity: vec![10.0, 0.0, 0.0] };
        assert!(relative(-50.0).hit_probability(1.0, 10.0).is_some());
        assert!(relative(-50.0).hit_probability(1.0, 5.5).is_none());
        assert!(relative(-5.0).hit_probability(1.0, 10.0).is_none());
        assert!(relative(50.0).hit_probability(1.0, 10.0).is_none());
    }
}
