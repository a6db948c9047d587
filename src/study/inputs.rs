//! The random inputs of a model: drawn for many replicas at once, into columns.

use std::ops::Range;

use super::distribution::{
    Attempts, Distribution, DrawNumbers, DrawRotations, DrawVectors, GROUPS, Rotation, Tile,
    VectorDistribution,
};
use super::model::Input;
use super::random::{BLOCK_WORDS, Streams};
use crate::io::columns::component_name;
use crate::soa::block::LANES32;
use crate::soa::level::{self, Kernel};
use crate::soa::simd::{Simd, Words};

/// The random inputs of a model, in the order in which they were added. A replica takes the words of its stream in this order,
/// whatever they are used for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inputs {
    names: Vec<Input>,
    sources: Vec<Source>,
    words: usize,
}

/// Where some columns come from.
#[derive(Debug, Clone)]
struct Source {
    kind: Kind,
    column: usize,
    /// Number of the first random word it takes.
    word: usize,
}

#[derive(Debug, Clone)]
enum Kind {
    Number(Distribution),
    Vector(VectorDistribution),
    Rotation(Rotation),
}

impl Kind {
    fn words(&self) -> usize {
        match self {
            Self::Number(distribution) => distribution.words(),
            Self::Vector(distribution) => distribution.words(),
            Self::Rotation(rotation) => rotation.words(),
        }
    }

    fn columns(&self) -> usize {
        match self {
            Self::Number(_) => 1,
            Self::Vector(distribution) => distribution.dim(),
            Self::Rotation(rotation) => rotation.dim * rotation.dim,
        }
    }
}

impl Inputs {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a number; gives its column.
    pub(crate) fn number(&mut self, name: &str, unit: &str, distribution: Distribution) -> usize {
        self.add(Kind::Number(distribution), [(name.to_owned(), unit)])
    }

    /// Adds a vector; gives the first of its columns, one for each component.
    pub(crate) fn vector(&mut self, name: &str, unit: &str, distribution: VectorDistribution) -> usize {
        let names = component_names(name, distribution.dim(), unit);
        self.add(Kind::Vector(distribution), names)
    }

    /// Adds a vector of position and velocity; gives the first of its columns.
    pub(crate) fn state(&mut self, name: &str, distribution: VectorDistribution) -> usize {
        let dim = distribution.dim() / 2;
        let part = |part: &str, unit| component_names(&format!("{name}.{part}"), dim, unit);
        self.add(Kind::Vector(distribution), [part("position", "m"), part("velocity", "m/s")].concat())
    }

    /// Adds a random rotation in 2 or 3 dimensions; gives the first of the columns of its matrix, row by row.
    pub(crate) fn rotation(&mut self, name: &str, dim: usize) -> usize {
        let row = |row: usize| component_names(&component_name(name, row, dim), dim, "");
        self.add(Kind::Rotation(Rotation { dim }), (0..dim).flat_map(row))
    }

    fn add<'u>(&mut self, kind: Kind, names: impl IntoIterator<Item = (String, &'u str)>) -> usize {
        let (column, word) = (self.names.len(), self.words);
        self.words += kind.words();
        self.names.extend(names.into_iter().map(|(name, unit)| Input { name, unit: unit.to_owned() }));
        debug_assert_eq!(self.names.len(), column + kind.columns());
        self.sources.push(Source { kind, column, word });
        column
    }

    /// What there is, column by column.
    pub(crate) fn names(&self) -> &[Input] {
        &self.names
    }

    /// Draws the inputs of some replicas, the first a multiple of 8, into columns that get a row for each of them.
    pub(crate) fn draw(&self, streams: &Streams, range: Range<u64>, columns: &mut Vec<Vec<f64>>) {
        assert!(range.start.is_multiple_of(LANES32 as u64), "replicas are drawn by eights");
        let rows = (range.end - range.start) as usize;
        columns.resize_with(self.names.len(), Vec::new);
        columns.iter_mut().for_each(|column| column.resize(rows.next_multiple_of(LANES32), 0.0));
        level::run(Draw { inputs: self, streams, first: range.start, columns });
        columns.iter_mut().for_each(|column| column.truncate(rows));
    }
}

/// Draws the inputs of replicas from `first` on, a multiple of 8, into columns with rows for as many of them.
pub(super) struct Draw<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) streams: &'a Streams,
    pub(super) first: u64,
    /// As many rows in each, a multiple of 8.
    pub(super) columns: &'a mut [Vec<f64>],
}

impl Kernel for Draw<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { inputs, streams, first, columns } = self;
        let attempts = streams.attempts();
        let rows = columns.first().map_or(0, Vec::len);
        let mut words = vec![S::Words::splat(0); inputs.words.next_multiple_of(BLOCK_WORDS) * GROUPS];
        for start in (0..rows).step_by(GROUPS * LANES32) {
            let end = (start + GROUPS * LANES32).min(rows);
            fill_words(streams, first + start as u64, (end - start) / LANES32, &mut words);
            let attempts = Attempts { streams: &attempts, first: first + start as u64, input: 0, part: 0 };
            inputs.draw_tile::<S>(&words, attempts, start..end, columns);
        }
    }
}

impl Inputs {
    #[inline(always)]
    fn draw_tile<S: Simd>(
        &self,
        words: &[S::Words],
        attempts: Attempts<'_>,
        rows: Range<usize>,
        columns: &mut [Vec<f64>],
    ) {
        for source in &self.sources {
            let attempts = Attempts { input: source.column, ..attempts };
            let tile = Tile(&words[source.word * GROUPS..]);
            let own = &mut columns[source.column..][..source.kind.columns()];
            match &source.kind {
                Kind::Number(distribution) => {
                    S::call(DrawNumbers { distribution, tile, attempts, column: &mut own[0][rows.clone()] });
                }
                Kind::Vector(distribution) => {
                    S::call(DrawVectors { distribution, tile, attempts, columns: &mut parts(own, &rows) });
                }
                &Kind::Rotation(rotation) => {
                    S::call(DrawRotations { rotation, tile, columns: &mut parts(own, &rows) });
                }
            }
        }
    }
}

/// The words of some groups of replicas: word by word, group by group.
#[inline(always)]
fn fill_words<W: Words>(streams: &Streams, first: u64, groups: usize, words: &mut [W]) {
    for group in 0..groups {
        let replica = first + (group * LANES32) as u64;
        for (counter, block) in (0..).zip(words.chunks_exact_mut(BLOCK_WORDS * GROUPS)) {
            let drawn = streams.words(replica, counter);
            for (words, drawn) in block.chunks_exact_mut(GROUPS).zip(&drawn) {
                words[group] = *drawn;
            }
        }
    }
}

/// Names and unit of the components of a vector.
fn component_names<'u>(name: &str, dim: usize, unit: &'u str) -> Vec<(String, &'u str)> {
    (0..dim).map(|axis| (component_name(name, axis, dim), unit)).collect()
}

fn parts<'c>(columns: &'c mut [Vec<f64>], rows: &Range<usize>) -> Vec<&'c mut [f64]> {
    columns.iter_mut().map(|column| &mut column[rows.clone()]).collect()
}
