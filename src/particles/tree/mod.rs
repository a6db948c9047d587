//! Attraction by a tree of groups of particles (Barnes and Hut 1986; docs/methods/particles.md, section 4.3).
//!
//! [`build`] halves the particles along the longest axis of their box until a part fits a leaf. For every group of neighbouring
//! particles [`list`] makes one list of what attracts them (Barnes 1990), of particles that are near and of parts that are far
//! enough to count as one particle at their centre of mass, and each particle of the group sums over the list in a lane of its
//! own. What a particle feels depends on the tree alone, so that any number of threads gives the same bits.

mod build;
mod list;
#[cfg(test)]
mod tests;

use self::build::Tree;
use self::list::{Lists, Units};
use super::gravity::inverse_cube;
use super::store::Particles;
use crate::error::{Error, Result};
use crate::soa::block::{Doubles, LANES, LANES32, Lanes, Quantity};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use crate::soa::{Column, Context};

/// Particles of a leaf.
const LEAF: usize = 4;

/// Most parts of a node: all are tested at once.
const WIDTH: usize = LANES32;

/// Particles of a lowest node, the parts of which are leaves.
const UNIT: usize = WIDTH * LEAF;

/// Particles that share a list.
const GROUP: usize = 16;

/// Groups per chunk of work.
const CHUNK: usize = 16;

/// Far parts whose attraction is summed in single precision before it is added in double precision.
const SINGLES: usize = 64;

/// A particle or a part of the tree: its position along up to three axes, and its mass last.
type Row<R> = [R; 4];

/// The place of the mass in a row.
const MASS: usize = 3;

/// What the particles of a group feel: for each axis one number per particle.
type Felt<const D: usize> = [[f64; GROUP]; D];

/// Fills `out`, one column per axis, with the acceleration that attraction with the constant 1 gives every particle.
pub(super) fn sums<const D: usize>(
    particles: &Particles,
    opening: f64,
    softening2: f64,
    context: &Context,
    out: &mut [Column<f64>],
) -> Result<()> {
    let tree = Tree::<D>::new(particles, opening)?;
    let groups = tree.indices.len().div_ceil(GROUP);
    let chunks = context.map_chunks(groups, CHUNK, |range| {
        let mut felt = reserved::<Felt<D>>(range.len())?;
        felt.resize(range.len(), [[0.0; GROUP]; D]);
        level::run(Piece { tree: &tree, first: range.start, softening2, felt: &mut felt })?;
        Ok(felt)
    });
    let mut indices = tree.indices.chunks(GROUP);
    for chunk in chunks {
        for (felt, indices) in chunk?.iter().zip(&mut indices) {
            for (column, felt) in out.iter_mut().zip(felt) {
                let column = column.as_mut_slice();
                indices.iter().zip(felt).for_each(|(&index, felt)| column[index] = *felt);
            }
        }
    }
    Ok(())
}

/// What the particles of some groups feel, from group `first` on.
struct Piece<'a, const D: usize> {
    tree: &'a Tree<D>,
    first: usize,
    softening2: f64,
    felt: &'a mut [Felt<D>],
}

impl<const D: usize> Kernel for Piece<'_, D> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Result<()> {
        let mut lists = Lists::default();
        for (n, felt) in self.felt.iter_mut().enumerate() {
            let first = (self.first + n) * GROUP;
            let group = &self.tree.rows[first..first + GROUP];
            let units = Units::new(group, self.tree, self.softening2);
            lists.collect::<S, D>(self.tree, &units)?;
            S::call(Sum { group, lists: &lists, units: &units, felt });
        }
        Ok(())
    }
}

/// The sums of one group over its lists.
struct Sum<'a, const D: usize> {
    group: &'a [Row<f64>],
    lists: &'a Lists,
    units: &'a Units<D>,
    felt: &'a mut Felt<D>,
}

impl<const D: usize> Kernel for Sum<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for (n, targets) in self.group.as_chunks::<{ 2 * LANES }>().0.iter().enumerate() {
            let mut place = [[S::Block::ZERO; 2]; D];
            for half in 0..2 {
                for axis in 0..D {
                    place[axis][half] = S::Block::collect(
                        #[inline(always)]
                        |lane| targets[half * LANES + lane][axis],
                    );
                }
            }
            let near = pulls(&place, self.lists.near(), S::Block::splat(self.units.softening2));
            for half in 0..2 {
                for axis in 0..D {
                    let start = (2 * n + half) * LANES;
                    self.felt[axis][start..start + LANES].copy_from_slice(&near[axis][half].to_array());
                }
            }
        }
        self.add_far::<S>();
    }
}

impl<const D: usize> Sum<'_, D> {
    /// Adds the attraction of the far parts, in single precision.
    #[inline(always)]
    fn add_far<S: Simd>(self) {
        let mut place = [[S::Block32::ZERO; 2]; D];
        for half in 0..2 {
            for axis in 0..D {
                let origin = self.units.origin[axis];
                place[axis][half] = S::Block32::collect(
                    #[inline(always)]
                    |lane| {
                        ((self.group[half * LANES32 + lane][axis] - origin) * self.units.per_length) as f32
                    },
                );
            }
        }
        let softening2 =
            S::Block32::splat(self.units.softening2 * self.units.per_length * self.units.per_length);
        let mut sum = [[S::Block::ZERO; 4]; D];
        for far in self.lists.far().chunks(SINGLES) {
            let pulls = pulls(&place, far, softening2);
            for axis in 0..D {
                let ([a, b], [c, d]) = (S::to_double(pulls[axis][0]), S::to_double(pulls[axis][1]));
                sum[axis][0] += a;
                sum[axis][1] += b;
                sum[axis][2] += c;
                sum[axis][3] += d;
            }
        }
        for axis in 0..D {
            for n in 0..4 {
                let far = (sum[axis][n] * S::Block::splat(self.units.acceleration)).to_array();
                for lane in 0..LANES {
                    self.felt[axis][n * LANES + lane] += far[lane];
                }
            }
        }
    }
}

/// What some particles, one per lane of two blocks, feel from all sources.
#[inline(always)]
fn pulls<L: Lanes, const D: usize>(
    place: &[[L; 2]; D],
    sources: &[Row<L::Number>],
    softening2: L,
) -> [[L; 2]; D] {
    let mut sum = [[L::ZERO; 2]; D];
    for source in sources {
        let mass = L::broadcast(source[MASS]);
        let mut towards = [[L::ZERO; 2]; D];
        let mut square = [softening2; 2];
        for axis in 0..D {
            let position = L::broadcast(source[axis]);
            for half in 0..2 {
                towards[axis][half] = position - place[axis][half];
                square[half] += towards[axis][half] * towards[axis][half];
            }
        }
        for half in 0..2 {
            let pull = mass * inverse_cube(square[half]);
            for axis in 0..D {
                sum[axis][half] += towards[axis][half] * pull;
            }
        }
    }
    sum
}

fn reserved<T>(count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| out_of_memory::<T>(count))?;
    Ok(values)
}

fn out_of_memory<T>(count: usize) -> Error {
    Error::OutOfMemory { bytes: count.saturating_mul(size_of::<T>()) }
}
