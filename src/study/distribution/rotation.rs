//! Random rotations.

use super::words::{Tile, put};
use crate::soa::block::{Doubles, LANES32, each};
use crate::soa::functions::cos_sin;
use crate::soa::level::Kernel;
use crate::soa::simd::{Simd, Words};

/// A rotation matrix in 2 or 3 dimensions, all orientations equally likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rotation {
    pub(crate) dim: usize,
}

impl Rotation {
    /// Random words that one matrix takes.
    pub(in crate::study) fn words(self) -> usize {
        if self.dim == 2 { 2 } else { 6 }
    }
}

/// Draws the entries of matrices, row by row, into a column each. `W` are the words of the level that it runs at.
pub(crate) struct DrawRotations<'a, 'c, W> {
    pub(crate) rotation: Rotation,
    pub(crate) tile: Tile<'a, W>,
    pub(crate) columns: &'a mut [&'c mut [f64]],
}

impl<B: Doubles, W: Words<Numbers = B>> Kernel for DrawRotations<'_, '_, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { rotation, tile, columns } = self;
        for group in 0..columns[0].len() / LANES32 {
            let rows = group * LANES32..(group + 1) * LANES32;
            if rotation.dim == 2 {
                let numbers = tile.unit(0, group);
                let [low, high] = each!(half in [0, 1] => turn(numbers[half]));
                for k in 0..4 {
                    put(&mut columns[k][rows.clone()], [low[k], high[k]]);
                }
            } else {
                let numbers = each!(k in [0, 1, 2] => tile.unit(2 * k, group));
                let [low, high] = each!(half in [0, 1] => matrix(each!(k in [0, 1, 2] => numbers[k][half])));
                for k in 0..9 {
                    put(&mut columns[k][rows.clone()], [low[k], high[k]]);
                }
            }
        }
    }
}

/// The matrix of a turn in the plane.
#[inline(always)]
fn turn<B: Doubles>(uniform: B) -> [B; 4] {
    let [c, s] = cos_sin(uniform);
    [c, -s, s, c]
}

/// The matrix of a quaternion that is uniform on the sphere in four dimensions (K. Shoemake, "Uniform random rotations",
/// 1992).
#[inline(always)]
fn matrix<B: Doubles>([share, first, second]: [B; 3]) -> [B; 9] {
    let (one, two) = (B::splat(1.0), B::splat(2.0));
    let (inner, outer) = ((one - share).sqrt(), share.sqrt());
    let ([c1, s1], [c2, s2]) = (cos_sin(first), cos_sin(second));
    let (x, y, z, w) = (inner * s1, inner * c1, outer * s2, outer * c2);
    [
        one - two * (y * y + z * z),
        two * (x * y - z * w),
        two * (x * z + y * w),
        two * (x * y + z * w),
        one - two * (x * x + z * z),
        two * (y * z - x * w),
        two * (x * z - y * w),
        two * (y * z + x * w),
        one - two * (x * x + y * y),
    ]
}
