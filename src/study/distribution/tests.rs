use super::*;
use crate::document::units::Units;
use crate::document::{Fields, Source, Value};
use crate::error::{Error, Result};
use crate::soa::level::run_at_each_level;
use crate::study::inputs::{Draw, Inputs};
use crate::study::random::{Purpose, Streams};

pub(super) const COUNT: u64 = 40_000;

/// The file that `{ table = "table.csv" }` names.
const TABLE: &str = "length,weight\n0.5,1\n2,2\n-1.5,1\n";

/// Does something with the value of `x` in a text.
fn with_value<T>(text: &str, then: impl FnOnce(Value<'_>, Units) -> T) -> T {
    let text = format!("x = {text}");
    let files = [("table.csv".to_owned(), TABLE.to_owned())];
    let source = Source { files: &files, ..Source::new(&text, "test") };
    let table = source.parse().unwrap();
    let fields = Fields::of_file(source, table.get_ref(), &["x"]).unwrap();
    then(fields.need("x").unwrap(), Units::read(None).unwrap())
}

pub(super) fn read(text: &str) -> Result<Distribution> {
    with_value(text, |value, units| Distribution::read(value, units.length))
}

pub(super) fn read_vector(text: &str, dim: usize) -> Result<VectorDistribution> {
    with_value(text, |value, units| VectorDistribution::read(value, dim, units.length))
}

fn draw(inputs: &Inputs) -> Vec<Vec<f64>> {
    let mut columns = Vec::new();
    inputs.draw(&Streams::new(1, 0, Purpose::Inputs), 0..COUNT, &mut columns);
    columns
}

pub(super) fn draw_number(text: &str) -> Vec<f64> {
    let mut inputs = Inputs::new();
    inputs.number("x", "m", read(text).unwrap());
    draw(&inputs).remove(0)
}

fn draw_vector(text: &str, dim: usize) -> Vec<Vec<f64>> {
    let mut inputs = Inputs::new();
    inputs.vector("x", "m", read_vector(text, dim).unwrap());
    draw(&inputs)
}

pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().sum::<f64>() / COUNT as f64
}

/// The largest distance of the empirical distribution from a known one, times the root of the number of samples; above 1.95 it has
/// a probability of 1 in 1,000 (Kolmogorov and Smirnov).
pub(super) fn distance(values: &[f64], cumulative: impl Fn(f64) -> f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let gap = |(k, &x): (usize, &f64)| {
        let share = cumulative(x);
        (share - k as f64 / count).abs().max(((k + 1) as f64 / count - share).abs())
    };
    sorted.iter().enumerate().map(gap).fold(0.0, f64::max) * count.sqrt()
}

/// The standard normal distribution: by Simpson's rule, in steps that are fine enough for tests.
pub(super) fn normal_share(x: f64) -> f64 {
    let density = |t: f64| (-0.5 * t * t).exp() / std::f64::consts::TAU.sqrt();
    let step = x / 64.0;
    let part = |k: i32| {
        let t = f64::from(k) * step;
        density(t) + 4.0 * density(t + 0.5 * step) + density(t + step)
    };
    0.5 + (0..64).map(part).sum::<f64>() * step / 6.0
}

#[test]
fn numbers_have_their_distributions() {
    let uniform = |x: f64| (x + 2.0) / 7.0;
    assert!(distance(&draw_number("{ uniform = [-2, 5] }"), uniform) < 1.95);
    assert!(distance(&draw_number("{ normal = [3, 2] }"), |x| normal_share((x - 3.0) / 2.0)) < 1.95);
    let log_normal = |x: f64| normal_share((x / 4.0).ln() / 0.5);
    assert!(distance(&draw_number("{ log_normal = [4, 0.5] }"), log_normal) < 1.95);
    let maxwell = |x: f64| {
        let x = x / 1.5;
        2.0 * normal_share(x) - 1.0 - x * (2.0 / std::f64::consts::PI).sqrt() * (-0.5 * x * x).exp()
    };
    assert!(distance(&draw_number("{ maxwell = 1.5 }"), maxwell) < 1.95);
    assert_eq!(draw_number("{ normal = [3, 0] }"), vec![3.0; COUNT as usize]);
    assert_eq!(draw_number("0.25"), vec![0.25; COUNT as usize]);
}

#[test]
fn moments_of_normal_deviates_are_right() {
    let drawn = draw_number("{ normal = [0, 1] }");
    for (power, expected, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
        let error = mean(drawn.iter().map(|x| x.powi(power))) - expected;
        assert!(error.abs() < 4.0 * (variance / COUNT as f64).sqrt(), "moment {power}: {error}");
    }
}

#[test]
fn choices_come_as_often_as_they_weigh() {
    let drawn = draw_number("{ choice = [1, 2, 3], weights = [1, 0, 3] }");
    let share = mean(drawn.iter().map(|&x| f64::from(u8::from(x == 1.0))));
    assert!((share - 0.25).abs() < 0.01 && drawn.iter().all(|&x| x == 1.0 || x == 3.0), "{share}");
    let [x, y] = draw_vector("{ choice = [[1, 2], [3, 4]] }", 2).try_into().unwrap();
    assert!(x.iter().zip(&y).all(|(x, y)| x + 1.0 == *y));
    assert!((mean(x) - 2.0).abs() < 0.02);
}

#[test]
fn vectors_have_their_covariance() {
    let text =
        "{ normal = { mean = [1, -2, 0], covariance = [[4, 1.2, -0.5], [1.2, 1, 0.3], [-0.5, 0.3, 2]] } }";
    let drawn = draw_vector(text, 3);
    let (means, covariance) = read_vector(text, 3).unwrap().gaussian().unwrap();
    for i in 0..3 {
        assert!((mean(drawn[i].iter().copied()) - means[i]).abs() < 4.0 * 2.0 / 200.0);
        for j in 0..3 {
            let products = drawn[i].iter().zip(&drawn[j]).map(|(x, y)| (x - means[i]) * (y - means[j]));
            let error = mean(products) - covariance[i][j];
            assert!(error.abs() < 4.0 * 6.0 / 200.0, "covariance {i} {j}: {error}");
        }
        let deviation = covariance[i][i].sqrt();
        assert!(distance(&drawn[i], |x| normal_share((x - means[i]) / deviation)) < 1.95);
    }
}

#[test]
fn six_components_may_depend_on_each_other() {
    let mut rows = vec!["[1, 0, 0, 0, 0, 0.5]".to_owned()];
    rows.extend((1..5).map(|k| {
        format!("[{}]", (0..6).map(|j| u8::from(j == k).to_string()).collect::<Vec<_>>().join(", "))
    }));
    rows.push("[0.5, 0, 0, 0, 0, 1]".to_owned());
    let drawn = draw_vector(&format!("{{ normal = {{ covariance = [{}] }} }}", rows.join(", ")), 6);
    let product = |i: usize, j: usize| mean(drawn[i].iter().zip(&drawn[j]).map(|(x, y)| x * y));
    assert!((product(0, 5) - 0.5).abs() < 0.03 && product(1, 4).abs() < 0.03 && product(2, 3).abs() < 0.03);
    assert!((product(5, 5) - 1.0).abs() < 0.03);
}

#[test]
fn points_fill_balls_and_spheres_evenly() {
    for (dim, share) in [(1, 0.5), (2, 0.25), (3, 0.125)] {
        let centre = &"[1, 2, 3]"[..3 * dim - 1];
        let ball = draw_vector(&format!("{{ ball = {{ centre = {centre}], radius = 2 }} }}"), dim);
        let sphere = draw_vector(&format!("{{ sphere = {{ centre = {centre}], radius = 2 }} }}"), dim);
        let lengths = |drawn: &[Vec<f64>]| -> Vec<f64> {
            let square = |row: usize| (0..dim).map(|k| (drawn[k][row] - (k + 1) as f64).powi(2)).sum::<f64>();
            (0..COUNT as usize).map(|row| square(row).sqrt()).collect()
        };
        assert!(distance(&lengths(&ball), |x| (x / 2.0).powi(dim as i32)) < 1.95);
        assert!(lengths(&sphere).iter().all(|x| (x - 2.0).abs() < 1e-14));
        let inner = mean(lengths(&ball).iter().map(|&x| f64::from(u8::from(x < 1.0))));
        assert!((inner - share).abs() < 0.01, "{inner} in half the radius");
        // On a sphere in space every coordinate is uniform; in the plane it follows an arc sine.
        for (k, column) in sphere.iter().enumerate() {
            let cumulative = |x: f64| match dim {
                2 => 0.5 + ((x - (k + 1) as f64) / 2.0).clamp(-1.0, 1.0).asin() / std::f64::consts::PI,
                _ => 0.5 + (x - (k + 1) as f64) / 4.0,
            };
            assert!(dim == 1 || distance(column, cumulative) < 1.95, "axis {k} of {dim}");
        }
    }
}

#[test]
fn rotations_turn_and_have_no_preference() {
    for dim in [2, 3] {
        let mut inputs = Inputs::new();
        inputs.rotation("r", dim);
        let columns = draw(&inputs);
        let matrix = |row: usize| -> Vec<f64> { columns.iter().map(|column| column[row]).collect() };
        for matrix in (0..1000).map(matrix) {
            let entry = |i: usize, j: usize| matrix[i * dim + j];
            for i in 0..dim {
                for j in 0..dim {
                    let product: f64 = (0..dim).map(|k| entry(i, k) * entry(j, k)).sum();
                    assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14);
                }
            }
            let minor = |i: usize, j: usize| entry(1, i) * entry(2, j) - entry(1, j) * entry(2, i);
            let determinant = match dim {
                2 => entry(0, 0) * entry(1, 1) - entry(0, 1) * entry(1, 0),
                _ => entry(0, 0) * minor(1, 2) + entry(0, 1) * minor(2, 0) + entry(0, 2) * minor(0, 1),
            };
            assert!((determinant - 1.0).abs() < 1e-14);
        }
        // Every entry is a coordinate of a point on the sphere.
        for column in &columns {
            let cumulative = |x: f64| match dim {
                2 => 0.5 + x.clamp(-1.0, 1.0).asin() / std::f64::consts::PI,
                _ => 0.5 + 0.5 * x,
            };
            assert!(distance(column, cumulative) < 1.95);
        }
        // The trace is 1 + 2 cos of the angle, which is 0 and in the plane twice the cosine on average; its square is 1 or 2.
        let trace = |row: usize| (0..dim).map(|k| columns[k * dim + k][row]).sum::<f64>();
        let square = mean((0..COUNT as usize).map(|row| trace(row).powi(2)));
        assert!((square - if dim == 2 { 2.0 } else { 1.0 }).abs() < 0.03, "{square}");
    }
}

#[test]
fn replicas_are_the_same_in_any_batch() {
    let mut inputs = Inputs::new();
    let number = |text: &str| read(text).unwrap();
    inputs.number("a", "", number("{ maxwell = 2 }"));
    inputs.vector("b", "m", read_vector("[{ uniform = [0, 1] }, 3, { log_normal = [1, 1] }]", 3).unwrap());
    inputs.rotation("c", 3);
    inputs.vector("d", "m", read_vector("{ ball = { radius = 1 } }", 3).unwrap());
    let streams = Streams::new(9, 4, Purpose::Inputs);
    let (mut all, mut part) = (Vec::new(), Vec::new());
    inputs.draw(&streams, 0..500, &mut all);
    for range in [0..1, 8..16, 8..300, 136..500, 496..499] {
        inputs.draw(&streams, range.clone(), &mut part);
        for (all, part) in all.iter().zip(&part) {
            assert_eq!(all[range.start as usize..range.end as usize], part[..]);
        }
    }
    assert_eq!(inputs.names()[6].name, "c_x_z");
    assert_eq!(inputs.names().len(), all.len());
}

#[test]
fn the_draws_of_a_seed_never_change() {
    let mut inputs = Inputs::new();
    inputs.number("a", "", read("{ uniform = [-1, 1] }").unwrap());
    inputs.number("b", "", read("{ normal = [0, 1] }").unwrap());
    inputs.number("c", "", read("{ log_normal = [1, 1] }").unwrap());
    inputs.number("d", "", read("{ maxwell = 1 }").unwrap());
    inputs.vector("e", "m", read_vector("{ ball = { radius = 1 } }", 3).unwrap());
    inputs.rotation("f", 3);
    let mut columns = Vec::new();
    inputs.draw(&Streams::new(1, 0, Purpose::Inputs), 0..16, &mut columns);
    let bits: Vec<u64> = columns.iter().map(|column| column[13].to_bits()).collect();
    assert_eq!(bits[..8], PINNED);
}

const PINNED: [u64; 8] = [
    13_829_239_421_362_241_536,
    4_601_660_498_936_485_263,
    4_610_465_306_618_763_718,
    4_614_530_520_590_529_948,
    4_594_416_496_841_551_540,
    4_604_599_635_199_037_716,
    4_579_795_861_479_004_906,
    4_579_804_577_835_038_592,
];

/// One input of each kind, and of vectors in each dimension.
fn inputs_of_every_kind() -> Inputs {
    let mut inputs = Inputs::new();
    for text in [
        "0.25",
        "{ uniform = [-2, 5] }",
        "{ normal = [3, 2] }",
        "{ log_normal = [4, 0.5] }",
        "{ maxwell = 1.5 }",
        "{ choice = [1, 2, 3], weights = [1, 0.5, 3] }",
    ] {
        inputs.number("number", "m", read(text).unwrap());
    }
    for dim in 1..=3 {
        let centre = &"[1, 2, 3]"[..3 * dim - 1];
        for text in [
            format!("{{ normal = {{ mean = {centre}], sd = 2 }} }}"),
            format!("{{ ball = {{ centre = {centre}], radius = 2 }} }}"),
            format!("{{ sphere = {{ centre = {centre}], radius = 2 }} }}"),
            format!("{{ choice = [{centre}], {}]] }}", &"[7, 8, 9]"[..3 * dim - 1]),
        ] {
            inputs.vector("vector", "m", read_vector(&text, dim).unwrap());
        }
    }
    inputs.vector("each", "m", read_vector("[{ uniform = [0, 1] }, 3, { maxwell = 1 }]", 3).unwrap());
    let related = "{ normal = { covariance = [[4, 1, 0, 0, 0], [1, 2, 0.5, 0, 0], [0, 0.5, 1, 0, 0.2], [0, 0, 0, 3, 0], \
         [0, 0, 0.2, 0, 1]] } }";
    inputs.vector("related", "m", read_vector(related, 5).unwrap());
    inputs.rotation("plane", 2);
    inputs.rotation("space", 3);
    inputs
}

/// FNV-1a over the bits of all numbers.
pub(super) fn hash(columns: &[Vec<f64>]) -> u64 {
    columns.iter().flatten().fold(0xcbf2_9ce4_8422_2325, |hash, number| {
        number
            .to_bits()
            .to_le_bytes()
            .iter()
            .fold(hash, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    })
}

/// Draws the inputs of 1,000 replicas from number 8 on.
#[derive(Clone)]
pub(super) struct Thousand<'a>(pub(super) &'a Inputs);

impl Kernel for Thousand<'_> {
    type Output = Vec<Vec<f64>>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<Vec<f64>> {
        let (inputs, streams) = (self.0, &Streams::new(3, 2, Purpose::Inputs));
        let mut columns = vec![vec![0.0; 1000]; inputs.names().len()];
        Draw { inputs, streams, first: 8, columns: &mut columns }.run::<S>();
        columns
    }
}

#[test]
fn the_draws_of_every_kind_are_the_same_at_every_level() {
    for columns in run_at_each_level(&Thousand(&inputs_of_every_kind())) {
        assert_eq!(hash(&columns), 0xe55c_050c_5234_9aa2);
    }
}

#[test]
fn what_makes_no_sense_is_named() {
    let message = |text: &str| match read(text) {
        Err(Error::Syntax { detail, .. }) => detail,
        other => panic!("{text}: {other:?}"),
    };
    let vector_message = |text: &str| match read_vector(text, 2) {
        Err(Error::Syntax { detail, .. }) => detail,
        other => panic!("{text}: {other:?}"),
    };
    for (text, expected) in [
        ("{ uniform = [2, 1] }", "x.uniform is [2, 1]: the first number must be the smaller one"),
        ("{ uniform = [1] }", "x.uniform has 1 entries: it must have 2"),
        ("{ normal = [1, -1] }", "x.normal[1] is -1: it must not be negative"),
        ("{ log_normal = [0, 1] }", "x.log_normal[0] is 0: it must be above 0"),
        ("{ log_normal = [1, 50] }", "x.log_normal[1] is 50: it must be at most 10"),
        ("{ uniforn = [1, 2] }", "x.uniforn is unknown; did you mean uniform?"),
        ("{ choice = [] }", "x.choice is empty: there must be something to choose from"),
        (
            "{ choice = [1, 2], weights = [1] }",
            "x.weights has 1 entries: it must have 2, one for each choice",
        ),
        ("{ choice = [1, 2], weights = [0, 0] }", "x.weights must have a finite sum above 0"),
        ("{ maxwell = 1, weights = [1] }", "x.weights is for choice only"),
        ("{ maxwell = 1, normal = [0, 1] }", "x.maxwell is a second distribution: normal is there, too"),
        (
            "{ }",
            "a distribution must be one of uniform, normal, log_normal, maxwell, choice, exponential, gamma, beta, \
             triangular, truncated_normal, poisson, table",
        ),
        ("{ exponential = 0 }", "x.exponential is 0: it must be above 0"),
        ("{ gamma = [0, 1] }", "x.gamma[0] is 0: it must be from 0.001 to 1000000000"),
        ("{ gamma = [2, -1] }", "x.gamma[1] is -1: it must be above 0"),
        ("{ gamma = 2 }", "x.gamma is a number: it must be a list"),
        ("{ beta = [1, 2e9] }", "x.beta[1] is 2000000000: it must be from 0.001 to 1000000000"),
        ("{ beta = [1, 2], range = [3, 3] }", "x.range is [3, 3]: the first number must be the smaller one"),
        ("{ gamma = [1, 2], range = [0, 3] }", "x.range is for beta only"),
        (
            "{ triangular = [0, 3, 2] }",
            "x.triangular is [0, 3, 2]: it must be [low, mode, high] with low below high and the mode between them",
        ),
        ("{ truncated_normal = [0, 0, 0, 1] }", "x.truncated_normal[1] is 0: it must be above 0"),
        (
            "{ truncated_normal = [0, 1, inf, inf] }",
            "x.truncated_normal must be [mean, sd, low, high] with low below high",
        ),
        ("{ truncated_normal = [0, 1, nan, 1] }", "x.truncated_normal[2] is nan: it must be a finite number"),
        ("{ poisson = -1 }", "x.poisson is -1: it must be above 0"),
        ("{ poisson = 1e12 }", "x.poisson is 1000000000000: it must be at most 1000000000"),
        ("{ table = 3 }", "x.table is a number: it must be text in quotes"),
        ("\"a\"", "x is text: it must be a number"),
    ] {
        assert_eq!(message(text), expected);
    }
    for (text, expected) in [
        ("[1]", "x has 1 entries: it must have 2, one for each axis"),
        ("[1, { normal = [1, -1] }]", "x[1].normal[1] is -1: it must not be negative"),
        ("{ normal = { mean = [1, 2] } }", "a normal vector needs sd or covariance"),
        (
            "{ normal = { covariance = [[1, 2], [2, 1]] } }",
            "x.normal.covariance is no covariance: it must be positive semidefinite",
        ),
        (
            "{ normal = { covariance = [[1, 2], [1, 9]] } }",
            "x.normal.covariance[1][0] differs from entry [0][1]: a covariance is symmetric",
        ),
        ("{ ball = { radius = -1 } }", "x.ball.radius is -1: it must not be negative"),
        ("{ sphere = { } }", "x.sphere.radius is missing"),
    ] {
        assert_eq!(vector_message(text), expected);
    }
}

#[test]
fn ranges_are_known() {
    let range = |text: &str| read(text).unwrap().range();
    assert_eq!(range("{ uniform = [1, 2] }"), [1.0, 2.0]);
    assert_eq!(range("{ choice = [3, 1, 2] }"), [1.0, 3.0]);
    assert_eq!(range("{ normal = [3, 0] }"), [3.0, 3.0]);
    assert_eq!(range("{ maxwell = 3 }"), [0.0, f64::INFINITY]);
    assert_eq!(range("{ gamma = [3, 1] }"), [0.0, f64::INFINITY]);
    assert_eq!(range("{ beta = [3, 1], range = [-2, 7] }"), [-2.0, 7.0]);
    assert_eq!(range("{ triangular = [1, 1, 2] }"), [1.0, 2.0]);
    assert_eq!(range("{ truncated_normal = [0, 1, -inf, 2] }"), [f64::NEG_INFINITY, 2.0]);
    assert_eq!(range("{ table = \"table.csv\" }"), [-1.5, 2.0]);
}
