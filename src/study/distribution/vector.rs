//! Distributions of vectors.

use super::matrix::cholesky;
use super::read::Named;
use super::rejection::Attempts;
use super::words::{Tile, put};
use super::{Distribution, DrawNumbers, Odds};
use crate::document::Value;
use crate::document::units::Unit;
use crate::error::Result;
use crate::soa::block::{Doubles, LANES32, each};
use crate::soa::functions::{cos_sin, cube_root};
use crate::soa::level::Kernel;
use crate::soa::simd::{Simd, Words};

/// The most components of a vector: position and velocity in three dimensions.
const MOST: usize = 6;

/// How a vector is drawn.
///
/// In a study file: `[x, y, z]` with entries that are numbers or [distributions](Distribution) of their own;
/// `{ normal = { mean = [..], sd = s } }` with one standard deviation or one for each component, or with
/// `covariance = [[..], ..]` instead; `{ maxwell = scale }`: every component normal with this standard deviation;
/// `{ ball = { centre = [..], radius = r } }` and `{ sphere = .. }`: uniform in a ball, or on its surface;
/// `{ choice = [[..], [..]], weights = [..] }`. A mean and a centre that are left out are 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum VectorDistribution {
    /// Every component by itself.
    Each(Vec<Distribution>),
    /// Normal, with the covariance and its factor L: the vector is mean + L z.
    Normal { mean: Vec<f64>, covariance: Vec<Vec<f64>>, factor: Vec<Vec<f64>> },
    /// Uniform in a ball.
    Ball { centre: Vec<f64>, radius: f64 },
    /// Uniform on a sphere.
    Sphere { centre: Vec<f64>, radius: f64 },
    /// One of a list.
    Choice { values: Vec<Vec<f64>>, odds: Odds },
}

impl VectorDistribution {
    /// A vector of `dim` components, all written in `unit`.
    pub(crate) fn read(value: Value<'_>, dim: usize, unit: Unit) -> Result<Self> {
        Self::read_mixed(value, &vec![unit; dim])
    }

    /// A vector whose components are written in these units, at most six.
    pub(crate) fn read_mixed(value: Value<'_>, units: &[Unit]) -> Result<Self> {
        assert!((1..=MOST).contains(&units.len()), "one to six components");
        if !value.is_table() {
            let entries = value.list(units.len())?.into_iter().zip(units);
            let each = entries.map(|(entry, unit)| Distribution::read(entry, *unit));
            return Ok(Self::Each(each.collect::<Result<_>>()?));
        }
        let names = ["normal", "maxwell", "ball", "sphere", "choice"];
        let Named { name, entry, weights, .. } = Named::of(value, &names)?;
        match name {
            "normal" => read_normal(entry, units),
            "maxwell" => {
                let scale = entry.non_negative()?;
                let deviations: Vec<f64> = units.iter().map(|unit| unit.si(scale)).collect();
                Ok(Self::normal(vec![0.0; units.len()], &deviations))
            }
            "choice" => {
                let items = entry.items()?;
                let values = items.iter().map(|item| read_vector(item, units)).collect::<Result<Vec<_>>>()?;
                let odds = Odds::read(values.len(), &entry, weights)?;
                Ok(Self::Choice { values, odds })
            }
            _ => {
                if units.len() > 3 {
                    return Err(entry.error("is for vectors of at most three components"));
                }
                let fields = entry.fields(&["centre", "radius"])?;
                let centre = read_or_zero(fields.get("centre"), units)?;
                let radius = units[0].si(fields.need("radius")?.non_negative()?);
                let is_ball = name == "ball";
                Ok(if is_ball { Self::Ball { centre, radius } } else { Self::Sphere { centre, radius } })
            }
        }
    }

    /// Always the same vector.
    pub(crate) fn constant_of(vector: &[f64]) -> Self {
        Self::Each(vector.iter().map(|&x| Distribution::Constant(x)).collect())
    }

    /// Components that are normal and independent of each other.
    pub(crate) fn normal(mean: Vec<f64>, deviations: &[f64]) -> Self {
        let diagonal = |entry: &dyn Fn(f64) -> f64| {
            let row =
                |i: usize| (0..mean.len()).map(|j| if i == j { entry(deviations[i]) } else { 0.0 }).collect();
            (0..mean.len()).map(row).collect()
        };
        let (covariance, factor) = (diagonal(&|sd| sd * sd), diagonal(&|sd| sd));
        Self::Normal { mean, covariance, factor }
    }

    /// Number of components.
    pub(crate) fn dim(&self) -> usize {
        match self {
            Self::Each(each) => each.len(),
            Self::Normal { mean, .. } => mean.len(),
            Self::Ball { centre, .. } | Self::Sphere { centre, .. } => centre.len(),
            Self::Choice { values, .. } => values[0].len(),
        }
    }

    /// Mean and covariance of a vector that is normal or constant.
    pub(crate) fn gaussian(&self) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
        match self {
            Self::Normal { mean, covariance, .. } => Some((mean.clone(), covariance.clone())),
            Self::Each(each) => {
                let moments = |distribution: &Distribution| match distribution {
                    Distribution::Constant(value) => Some((*value, 0.0)),
                    Distribution::Normal { mean, deviation } => Some((*mean, *deviation)),
                    _ => None,
                };
                let (mean, deviations): (Vec<f64>, Vec<f64>) =
                    each.iter().map(moments).collect::<Option<Vec<_>>>()?.into_iter().unzip();
                Self::normal(mean, &deviations).gaussian()
            }
            _ => None,
        }
    }

    /// Random words that one vector takes.
    pub(in crate::study) fn words(&self) -> usize {
        match self {
            Self::Each(each) => each.iter().map(Distribution::words).sum(),
            Self::Normal { mean, .. } => 4 * mean.len().div_ceil(2),
            Self::Ball { centre, .. } => 2 + direction_words(centre.len()),
            Self::Sphere { centre, .. } => direction_words(centre.len()),
            Self::Choice { .. } => 1,
        }
    }
}

/// Draws one vector for each replica of a tile, into a column for each component. `W` are the words of the level that it
/// runs at.
pub(crate) struct DrawVectors<'a, 'c, W> {
    pub(crate) distribution: &'a VectorDistribution,
    pub(crate) tile: Tile<'a, W>,
    /// Those of the first component.
    pub(crate) attempts: Attempts<'a>,
    pub(crate) columns: &'a mut [&'c mut [f64]],
}

impl<B: Doubles, W: Words<Numbers = B>> Kernel for DrawVectors<'_, '_, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { distribution, tile, attempts, columns } = self;
        if let VectorDistribution::Each(each) = distribution {
            let mut first = 0;
            for ((distribution, column), input) in each.iter().zip(columns).zip(attempts.input..) {
                let attempts = Attempts { input, ..attempts };
                S::call(DrawNumbers { distribution, tile: tile.after(first), attempts, column });
                first += distribution.words();
            }
            return;
        }
        for group in 0..columns[0].len() / LANES32 {
            let vector = distribution.draw_group(tile, group);
            let rows = group * LANES32..(group + 1) * LANES32;
            for (column, numbers) in columns.iter_mut().zip(&vector) {
                put(&mut column[rows.clone()], *numbers);
            }
        }
    }
}

impl VectorDistribution {
    /// The vectors of one group of replicas.
    #[inline(always)]
    fn draw_group<B: Doubles, W: Words<Numbers = B>>(
        &self,
        tile: Tile<'_, W>,
        group: usize,
    ) -> [[B; 2]; MOST] {
        match self {
            Self::Each(_) => unreachable!("components of their own are drawn column by column"),
            Self::Normal { mean, factor, .. } => draw_normal(mean, factor, tile, group),
            Self::Ball { centre, radius } => {
                let share = tile.unit(0, group);
                let length = each!(half in [0, 1] => root(share[half], centre.len()) * B::splat(*radius));
                draw_sphere(centre, length, tile.after(2), group)
            }
            Self::Sphere { centre, radius } => draw_sphere(centre, [B::splat(*radius); 2], tile, group),
            Self::Choice { values, odds } => {
                let word = tile.whole(0, group);
                let mut vector = [[B::ZERO; 2]; MOST];
                for (component, numbers) in vector.iter_mut().take(values[0].len()).enumerate() {
                    *numbers = each!(half in [0, 1] => {
                        odds.choose(word[half], #[inline(always)] |k| values[k][component])
                    });
                }
                vector
            }
        }
    }
}

/// Mean + L z with normal deviates z, from the first column of L to the last.
#[inline(always)]
fn draw_normal<B: Doubles, W: Words<Numbers = B>>(
    mean: &[f64],
    factor: &[Vec<f64>],
    tile: Tile<'_, W>,
    group: usize,
) -> [[B; 2]; MOST] {
    let mut vector = [[B::ZERO; 2]; MOST];
    for (numbers, &mean) in vector.iter_mut().zip(mean) {
        *numbers = [B::splat(mean); 2];
    }
    for k in (0..mean.len()).step_by(2) {
        let deviates = tile.two_normals(2 * k, group);
        for (column, [low, high]) in (k..mean.len()).zip(&deviates) {
            for (numbers, row) in vector.iter_mut().zip(factor).skip(column) {
                let share = B::splat(row[column]);
                *numbers = [numbers[0] + share * *low, numbers[1] + share * *high];
            }
        }
    }
    vector
}

/// Random words that a direction takes.
fn direction_words(dim: usize) -> usize {
    if dim == 3 { 4 } else { 2 }
}

/// Points at this distance from the centre, in any direction.
#[inline(always)]
fn draw_sphere<B: Doubles, W: Words<Numbers = B>>(
    centre: &[f64],
    length: [B; 2],
    tile: Tile<'_, W>,
    group: usize,
) -> [[B; 2]; MOST] {
    let mut vector = [[B::ZERO; 2]; MOST];
    let first = tile.unit(0, group);
    for half in 0..2 {
        let direction = match centre.len() {
            1 => {
                let side = B::splat(0.5).lt(first[half]).select(B::splat(1.0), B::splat(-1.0));
                [side, B::ZERO, B::ZERO]
            }
            2 => {
                let [c, s] = cos_sin(first[half]);
                [c, s, B::ZERO]
            }
            _ => direction(first[half], tile.unit(2, group)[half]),
        };
        for ((numbers, x), &centre) in vector.iter_mut().zip(&direction).zip(centre) {
            numbers[half] = B::splat(centre) + length[half] * *x;
        }
    }
    vector
}

/// A unit vector in space: its height is uniform (Archimedes).
#[inline(always)]
fn direction<B: Doubles>(share: B, turn: B) -> [B; 3] {
    let height = share + share - B::splat(1.0);
    let across = B::splat(2.0) * (share * (B::splat(1.0) - share)).sqrt();
    let [c, s] = cos_sin(turn);
    [across * c, across * s, height]
}

/// The root of degree `dim`.
#[inline(always)]
fn root<B: Doubles>(share: B, dim: usize) -> B {
    match dim {
        1 => share,
        2 => share.sqrt(),
        _ => cube_root(share),
    }
}

fn read_vector(value: &Value<'_>, units: &[Unit]) -> Result<Vec<f64>> {
    let entries = value.list(units.len())?.into_iter().zip(units);
    entries.map(|(entry, unit)| Ok(unit.si(entry.number()?))).collect()
}

fn read_or_zero(value: Option<Value<'_>>, units: &[Unit]) -> Result<Vec<f64>> {
    value.map_or_else(|| Ok(vec![0.0; units.len()]), |value| read_vector(&value, units))
}

fn read_normal(value: Value<'_>, units: &[Unit]) -> Result<VectorDistribution> {
    let fields = value.fields(&["mean", "sd", "covariance"])?;
    let mean = read_or_zero(fields.get("mean"), units)?;
    match (fields.get("sd"), fields.get("covariance")) {
        (Some(sd), None) => {
            let deviations = if sd.is_list() {
                let entries = sd.list(units.len())?.into_iter().zip(units);
                entries
                    .map(|(entry, unit)| Ok(unit.si(entry.non_negative()?)))
                    .collect::<Result<Vec<f64>>>()?
            } else {
                let sd = sd.non_negative()?;
                units.iter().map(|unit| unit.si(sd)).collect()
            };
            Ok(VectorDistribution::normal(mean, &deviations))
        }
        (None, Some(value)) => {
            let covariance = read_covariance(&value, units)?;
            let factor = cholesky(&covariance)
                .ok_or_else(|| value.error("is no covariance: it must be positive semidefinite"))?;
            Ok(VectorDistribution::Normal { mean, covariance, factor })
        }
        (Some(_), Some(covariance)) => Err(covariance.error("is there besides sd: give one of them")),
        (None, None) => Err(fields.error("a normal vector needs sd or covariance".into())),
    }
}

/// A symmetric matrix, in SI units.
fn read_covariance(value: &Value<'_>, units: &[Unit]) -> Result<Vec<Vec<f64>>> {
    let rows = value.list(units.len())?;
    let mut matrix = Vec::new();
    for (row, unit) in rows.iter().zip(units) {
        let entries = row.list(units.len())?.into_iter().zip(units);
        let numbers = entries.map(|(entry, other)| Ok(unit.si(other.si(entry.number()?))));
        matrix.push(numbers.collect::<Result<Vec<f64>>>()?);
    }
    for (i, row) in matrix.iter().enumerate() {
        for (j, &entry) in row.iter().enumerate().take(i) {
            if (entry - matrix[j][i]).abs() > 1e-12 * entry.abs() {
                let entry = &rows[i].items()?[j];
                return Err(entry.error(format!("differs from entry [{j}][{i}]: a covariance is symmetric")));
            }
        }
    }
    Ok(matrix)
}
