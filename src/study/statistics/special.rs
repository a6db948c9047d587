//! Quantiles of the normal, Student's t and the beta distribution, to about 1e-10.

use std::f64::consts::{PI, SQRT_2};

/// The z with P(|Z| < z) = `confidence` for a normal deviate Z.
pub(super) fn normal_bound(confidence: f64) -> f64 {
    // erfc(z / sqrt 2) falls from 1 to 0.
    SQRT_2 * solve(0.0, 40.0, |x| complementary_error(x) - (1.0 - confidence))
}

/// The share of the normal distribution below z.
pub(super) fn normal_share(z: f64) -> f64 {
    let beyond = 0.5 * complementary_error(z.abs() / SQRT_2);
    if z < 0.0 { beyond } else { 1.0 - beyond }
}

/// The z below which this share of the normal distribution lies.
pub(super) fn normal_quantile(share: f64) -> f64 {
    let z = normal_bound((1.0 - 2.0 * share).abs());
    if share < 0.5 { -z } else { z }
}

/// The t with P(|T| < t) = `confidence` for Student's T with this many degrees of freedom.
pub(super) fn student_bound(confidence: f64, freedom: f64) -> f64 {
    if freedom > 1e7 {
        return normal_bound(confidence);
    }
    // P(|T| > t) = I_x(freedom / 2, 1/2) with x = freedom / (freedom + t^2).
    let x = beta_quantile(1.0 - confidence, 0.5 * freedom, 0.5);
    (freedom * (1.0 - x) / x).sqrt()
}

/// The x with I_x(a, b) = `share`: the quantile of the beta distribution.
pub(super) fn beta_quantile(share: f64, a: f64, b: f64) -> f64 {
    solve(0.0, 1.0, |x| share - incomplete_beta(x, a, b))
}

/// Where a falling function passes 0, by bisection: to the last bit but for the noise of the function.
fn solve(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high || high - low < 1e-13 * middle {
            return middle;
        }
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// erfc(x) for x >= 0: the series of erf below 2, the continued fraction of Laplace above.
pub(in crate::study) fn complementary_error(x: f64) -> f64 {
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            let next = term / f64::from(2 * n + 1);
            sum += next;
            if next.abs() < 1e-17 * sum.abs() {
                break;
            }
        }
        return 1.0 - 2.0 / PI.sqrt() * sum;
    }
    let fraction = (1..=80).rev().fold(x, |below, n| x + 0.5 * f64::from(n) / below);
    (-x * x).exp() / (PI.sqrt() * fraction)
}

/// The regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22), which converges fast
/// for x < (a + 1) / (a + b + 2); the other side by I_x(a, b) = 1 - I_(1 - x)(b, a).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    front.exp() / a / continued_fraction(x, a, b)
}

/// 1 + d1/(1 + d2/(1 + ...)) by the method of Lentz.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 1..200_000 {
        let m = f64::from(step / 2);
        let coefficient = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / away_from_zero(1.0 + coefficient * d);
        c = away_from_zero(1.0 + coefficient / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// The logarithm of the gamma function for x > 0: Stirling's series (DLMF 5.11.1) from 12 on, the recurrence below.
fn ln_gamma(x: f64) -> f64 {
    if x < 12.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let rest = series.iter().rev().fold(0.0, |sum, coefficient| sum * square + coefficient);
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + rest * inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of tables of these distributions (R's qnorm, qt, qbeta).
    #[test]
    fn quantiles_are_those_of_tables() {
        for (confidence, z) in
            [(0.95, 1.959_963_984_540), (0.99, 2.575_829_303_549), (0.5, 0.674_489_750_196)]
        {
            assert!((normal_bound(confidence) - z).abs() < 1e-10, "{confidence}");
        }
        for z in [-3.0, -0.4, 0.0, 1.5] {
            assert!((normal_quantile(normal_share(z)) - z).abs() < 1e-9, "{z}");
        }
        assert!((normal_share(-1.0) - 0.158_655_253_931_457).abs() < 1e-14);
        for (freedom, t) in
            [(1.0, 12.706_204_736), (4.0, 2.776_445_105), (30.0, 2.042_272_456), (1e5, 1.959_987_708)]
        {
            let found = student_bound(0.95, freedom);
            assert!((found - t).abs() < 2e-8, "{freedom}: {found}");
        }
        // The beta distribution with b = 1 has the distribution function x^a, with a = b = 2 3 x^2 - 2 x^3.
        assert!((beta_quantile(0.3, 5.0, 1.0) - 0.3_f64.powf(0.2)).abs() < 1e-12);
        assert!((beta_quantile(0.5, 2.0, 2.0) - 0.5).abs() < 1e-12);
        assert!((incomplete_beta(0.3, 2.0, 2.0) - (3.0 * 0.09 - 2.0 * 0.027)).abs() < 1e-14);
    }

    #[test]
    fn large_counts_stay_accurate() {
        // For large a and b the beta distribution is nearly normal.
        let (a, b) = (1e6_f64, 9e6_f64);
        let sd = (a * b / ((a + b) * (a + b) * (a + b + 1.0))).sqrt();
        let high = beta_quantile(0.975, a, b);
        assert!(((high - 0.1) / sd - 1.96).abs() < 1e-3, "{high}");
    }
}
