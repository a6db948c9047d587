//! Theory of hard spheres of unit diameter, mass and temperature.

use std::f64::consts::PI;

/// Compressibility P / (n kT) of disks at packing `eta`: Henderson (1975).
pub(crate) fn henderson(eta: f64) -> f64 {
    (1.0 + eta * eta / 8.0) / (1.0 - eta).powi(2)
}

/// Compressibility of rods on a line at number density `n`, exact: Tonks (1936).
pub(crate) fn tonks(n: f64) -> f64 {
    1.0 / (1.0 - n)
}

/// Compressibility of spheres at number density `n`: Carnahan and Starling (1969).
pub(crate) fn carnahan_starling(n: f64) -> f64 {
    let eta = PI / 6.0 * n;
    (1.0 + eta + eta.powi(2) - eta.powi(3)) / (1.0 - eta).powi(3)
}

/// Collisions per particle and second by Enskog's theory, from the compressibility Z.
///
/// In D dimensions Z = 1 + (B_2 n) g with the contact value g; the rate is that of a dilute gas times g:
/// 1D 2 n / sqrt(pi), 2D 2 n sqrt(pi), 3D 4 n sqrt(pi), and B_2 is 1, pi / 2, 2 pi / 3.
pub(crate) fn enskog_rate(dim: usize, n: f64, compressibility: f64) -> f64 {
    let (dilute, second_virial) = match dim {
        1 => (2.0 * n / PI.sqrt(), 1.0),
        2 => (2.0 * n * PI.sqrt(), PI / 2.0),
        _ => (4.0 * n * PI.sqrt(), 2.0 * PI / 3.0),
    };
    dilute * (compressibility - 1.0) / (second_virial * n)
}

/// Distribution function of Maxwell's speeds in 2 or 3 dimensions at temperature and mass 1.
pub(crate) fn maxwell(dim: usize, velocity: f64) -> f64 {
    let gauss = (-0.5 * velocity * velocity).exp();
    match dim {
        2 => 1.0 - gauss,
        _ => error_function(velocity / 2.0_f64.sqrt()) - (2.0 / PI).sqrt() * velocity * gauss,
    }
}

/// erf by its series, accurate to 1e-12 for arguments up to 4.
fn error_function(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    2.0 / PI.sqrt() * sum
}

/// Kolmogorov-Smirnov: sqrt(N) times the largest distance between a sample and a distribution function. Above 1.63 in
/// one of a hundred samples of that distribution.
pub(crate) fn kolmogorov_smirnov(mut sample: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let count = sample.len() as f64;
    let distance = |(n, x): (usize, &f64)| {
        let expected = distribution(*x);
        (expected - n as f64 / count).max((n + 1) as f64 / count - expected)
    };
    count.sqrt() * sample.iter().enumerate().map(distance).fold(0.0, f64::max)
}

/// Fails unless the relative difference of `found` and `expected` is at most `tolerance`.
#[track_caller]
pub(crate) fn assert_close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let off = found / expected - 1.0;
    assert!(off.abs() <= tolerance, "{what} is {found}, theory says {expected}: off by {:.3} %", 100.0 * off);
}

#[test]
fn the_theory_agrees_with_known_figures() {
    assert_close("Carnahan-Starling at 0.5", 0.5 * carnahan_starling(0.5), 1.631, 1e-3);
    assert_close("erf(1)", error_function(1.0), 0.842_700_792_949_714_9, 1e-12);
    assert_close("erf(4)", error_function(4.0), 0.999_999_984_582_742_1, 1e-9);
    assert_close("median of Rayleigh's distribution", maxwell(2, 1.177_410_022_515_474_7), 0.5, 1e-12);
    assert_close("Maxwell at its mean", maxwell(3, (8.0 / PI).sqrt()), 0.533_05, 1e-4);
    let uniform = |x: f64| x;
    assert!((kolmogorov_smirnov(vec![0.5], uniform) - 0.5).abs() < 1e-15);
    assert!((kolmogorov_smirnov(vec![0.9, 0.8, 0.95, 0.99], uniform) - 2.0 * 0.8).abs() < 1e-15);
}
