//! Exponential, gamma, beta, triangular, truncated normal and Poisson numbers, and those of tables, against what is known of
//! them.

use super::tests::{COUNT, Thousand, distance, draw_number, hash, mean, normal_share, read, read_vector};
use crate::soa::level::run_at_each_level;
use crate::study::inputs::Inputs;
use crate::study::random::{Purpose, Streams};
use crate::study::statistics::complementary_error;

/// One in 1,000 samples is further from its distribution (Kolmogorov and Smirnov).
const FAR: f64 = 1.95;

/// Compares mean and variance with the known ones: the fourth moment gives the error of the variance.
fn check_moments(text: &str, expected: f64, variance: f64) {
    let drawn = draw_number(text);
    let root = (COUNT as f64).sqrt();
    let error = mean(drawn.iter().copied()) - expected;
    assert!(error.abs() <= 4.5 * variance.sqrt() / root, "mean of {text}: off by {error}");
    let squares: Vec<f64> = drawn.iter().map(|x| (x - expected).powi(2)).collect();
    let second = mean(squares.iter().copied());
    let spread = mean(squares.iter().map(|x| (x - second).powi(2))).sqrt();
    assert!((second - variance).abs() <= 4.5 * spread / root, "variance of {text}: {second}, not {variance}");
}

#[test]
fn exponential_and_triangular_numbers_have_their_distributions() {
    assert!(distance(&draw_number("{ exponential = 3 }"), |x| 1.0 - (-x / 3.0).exp()) < FAR);
    check_moments("{ exponential = 3 }", 3.0, 9.0);
    let rising_and_falling = |x: f64| match x < 2.0 {
        true => (x + 1.0).powi(2) / (5.0 * 3.0),
        false => 1.0 - (4.0 - x).powi(2) / (5.0 * 2.0),
    };
    assert!(distance(&draw_number("{ triangular = [-1, 2, 4] }"), rising_and_falling) < FAR);
    assert!(distance(&draw_number("{ triangular = [0, 0, 1] }"), |x| 1.0 - (1.0 - x).powi(2)) < FAR);
    assert!(distance(&draw_number("{ triangular = [0, 1, 1] }"), |x| x * x) < FAR);
}

/// The regularised incomplete gamma function P(a, x), by its series (DLMF 8.11.4), for small x.
fn gamma_share(shape: f64, x: f64, ln_gamma: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0 / shape, 1.0 / shape, shape);
    while term > 1e-17 * sum {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum * (shape * x.ln() - x - ln_gamma).exp()
}

#[test]
fn gamma_numbers_have_their_distribution() {
    assert!(distance(&draw_number("{ gamma = [1, 2] }"), |x| 1.0 - (-x / 2.0).exp()) < FAR);
    assert!(distance(&draw_number("{ gamma = [2, 1] }"), |x| 1.0 - (1.0 + x) * (-x).exp()) < FAR);
    let half = |x: f64| 2.0 * normal_share((2.0 * x).sqrt()) - 1.0;
    assert!(distance(&draw_number("{ gamma = [0.5, 1] }"), half) < FAR);
    // The gamma function of 0.2 is 4.5908..., of 0.001 it is 999.4237...
    assert!(
        distance(&draw_number("{ gamma = [0.2, 1] }"), |x| gamma_share(
            0.2,
            x,
            4.590_843_711_998_803_f64.ln()
        )) < FAR
    );
    let tiny = draw_number("{ gamma = [0.001, 1] }");
    assert!(tiny.iter().all(|x| x.is_finite() && *x >= 0.0));
    // So small a shape is below the least number in half of the cases; what is seen of it is compared.
    for x in [1e-200, 1e-100, 1e-10, 1.0] {
        let share = mean(tiny.iter().map(|drawn| f64::from(u8::from(*drawn <= x))));
        let known = gamma_share(0.001, x, 999.423_772_484_595_5_f64.ln());
        assert!(
            (share - known).abs() < 4.0 * (known * (1.0 - known) / COUNT as f64).sqrt(),
            "{x}: {share} {known}"
        );
    }
    for (shape, scale) in [(0.3, 2.0), (1.0, 1.0), (7.5, 0.1), (1e4, 3.0), (1e9, 1e-3)] {
        check_moments(&format!("{{ gamma = [{shape}, {scale}] }}"), shape * scale, shape * scale * scale);
    }
}

#[test]
fn beta_numbers_have_their_distribution() {
    assert!(distance(&draw_number("{ beta = [3, 1] }"), |x| x.powi(3)) < FAR);
    assert!(distance(&draw_number("{ beta = [1, 0.25] }"), |x| 1.0 - (1.0 - x).powf(0.25)) < FAR);
    let arc_sine = |x: f64| 2.0 / std::f64::consts::PI * x.sqrt().min(1.0).asin();
    assert!(distance(&draw_number("{ beta = [0.5, 0.5] }"), arc_sine) < FAR);
    let stretched = |x: f64| ((x - 10.0) / 5.0).powi(2) * (3.0 - 2.0 * (x - 10.0) / 5.0);
    assert!(distance(&draw_number("{ beta = [2, 2], range = [10, 15] }"), stretched) < FAR);
    for (a, b) in [(0.01, 0.02), (0.001, 3.0), (5.0, 1.0), (300.0, 1e5), (1e9, 1e9)] {
        let sum: f64 = a + b;
        let variance = a * b / (sum * sum * (sum + 1.0));
        check_moments(&format!("{{ beta = [{a}, {b}] }}"), a / sum, variance);
        let drawn = draw_number(&format!("{{ beta = [{a}, {b}] }}"));
        assert!(drawn.iter().all(|x| (0.0..=1.0).contains(x)));
    }
}

#[test]
fn truncated_normal_numbers_have_their_distribution() {
    // The share beyond z, which is accurate far out.
    let beyond = |z: f64| match z > 0.0 {
        true => 0.5 * complementary_error(z / std::f64::consts::SQRT_2),
        false => 1.0 - 0.5 * complementary_error(-z / std::f64::consts::SQRT_2),
    };
    let inf = f64::INFINITY;
    for (mean, sd, low, high) in [
        (0.0, 1.0, -1.0, 2.0),
        (10.0, 2.0, 9.5, 11.0),
        (3.0, 1.0, 0.0, inf),
        (0.0, 1.0, 8.0, inf),
        (0.0, 1.0, 3.0, 3.01),
        (5.0, 0.5, -inf, 2.0),
        (0.0, 1.0, -4.0, -3.5),
        (-1.0, 1.0, -inf, inf),
        (0.0, 1.0, 30.0, 31.0),
    ] {
        let number = |x: f64| if x.is_infinite() { format!("{x}") } else { format!("{x:?}") };
        let text = format!("{{ truncated_normal = [{mean}, {sd}, {}, {}] }}", number(low), number(high));
        let drawn = draw_number(&text);
        assert!(drawn.iter().all(|x| (low..=high).contains(x)), "{text}");
        // Of the side on which less is beyond.
        let from = |x: f64| (x - mean) / sd;
        let share = |x: f64| match from(low) + from(high) > 0.0 || high == inf {
            true => (beyond(from(low)) - beyond(from(x))) / (beyond(from(low)) - beyond(from(high))),
            false => (beyond(-from(x)) - beyond(-from(low))) / (beyond(-from(high)) - beyond(-from(low))),
        };
        let found = distance(&drawn, share);
        assert!(found < FAR, "{text}: {found}");
    }
}

#[test]
fn poisson_numbers_are_counts_with_their_distribution() {
    for expected in [0.01, 1.0, 9.999, 10.0, 47.5, 1e4, 1e9] {
        let text = format!("{{ poisson = {expected} }}");
        check_moments(&text, expected, expected);
        assert!(draw_number(&text).iter().all(|x| *x >= 0.0 && x.fract() == 0.0), "{text}");
    }
    for expected in [0.5_f64, 4.0, 12.0, 30.0] {
        let drawn = draw_number(&format!("{{ poisson = {expected} }}"));
        let (mut probability, mut sum) = ((-expected).exp(), 0.0);
        for k in 0..60 {
            sum += probability;
            probability *= expected / f64::from(k + 1);
            let share = mean(drawn.iter().map(|x| f64::from(u8::from(*x <= f64::from(k)))));
            assert!((share - sum).abs() * (COUNT as f64).sqrt() < FAR, "{expected}, {k}: {share} {sum}");
        }
    }
}

#[test]
fn tables_give_their_values_as_often_as_they_weigh() {
    let drawn = draw_number("{ table = \"table.csv\" }");
    for (value, share) in [(0.5, 0.25), (2.0, 0.5), (-1.5, 0.25)] {
        let found = mean(drawn.iter().map(|x| f64::from(u8::from(*x == value))));
        assert!((found - share).abs() < 0.01, "{value}: {found}");
    }
    let missing = read("{ table = \"other.csv\" }").unwrap_err().to_string();
    assert!(missing.contains("x.table names a file where none can be read"), "{missing}");
}

/// One input of each kind, alone and as components of a vector.
fn inputs() -> Inputs {
    let texts = [
        "{ exponential = 3 }",
        "{ gamma = [0.4, 2] }",
        "{ gamma = [30, 2] }",
        "{ beta = [0.5, 4], range = [1, 2] }",
        "{ triangular = [0, 1, 5] }",
        "{ truncated_normal = [0, 1, -1, 1] }",
        "{ truncated_normal = [0, 1, 3, inf] }",
        "{ truncated_normal = [0, 1, -9, inf] }",
        "{ poisson = 2 }",
        "{ poisson = 200 }",
        "{ table = \"table.csv\" }",
    ];
    let mut inputs = Inputs::new();
    texts.iter().for_each(|text| {
        inputs.number("number", "m", read(text).unwrap());
    });
    let vector = "[{ gamma = [0.4, 2] }, { normal = [0, 1] }, { poisson = 20 }]";
    inputs.vector("vector", "m", read_vector(vector, 3).unwrap());
    inputs
}

#[test]
fn draws_are_the_same_at_every_level_and_never_change() {
    for columns in run_at_each_level(&Thousand(&inputs())) {
        assert!(columns.iter().flatten().all(|x| x.is_finite()));
        assert_eq!(hash(&columns), 0x58fa_25f2_e6af_fc7d);
    }
}

#[test]
fn what_is_rejected_shifts_nothing() {
    let streams = Streams::new(9, 4, Purpose::Inputs);
    let (mut all, mut part) = (Vec::new(), Vec::new());
    inputs().draw(&streams, 0..500, &mut all);
    for range in [0..1, 8..16, 8..300, 136..500, 496..499] {
        inputs().draw(&streams, range.clone(), &mut part);
        for (all, part) in all.iter().zip(&part) {
            assert_eq!(all[range.start as usize..range.end as usize], part[..]);
        }
    }
    // Two inputs of one distribution are independent of each other.
    let [first, second] = [&all[1], &all[11]];
    assert!(first.iter().zip(second).all(|(x, y)| x != y));
}
