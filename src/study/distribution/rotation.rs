//! Random rotations.

use super::words::{Tile, put};
use crate::soa::functions::cos_sin;
use crate::soa::lanes::{Block, LANES32, splat, sqrt};

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

    /// Draws the entries of matrices, row by row, into a column each.
    pub(in crate::study) fn draw(self, tile: Tile<'_>, columns: &mut [&mut [f64]]) {
        let groups = columns[0].len() / LANES32;
        for group in 0..groups {
            let rows = group * LANES32..(group + 1) * LANES32;
            let mut write = |column: usize, numbers: [Block; 2]| {
                put(&mut columns[column][rows.clone()], numbers);
            };
            if self.dim == 2 {
                let [low, high] = tile.unit(0, group).map(turn);
                (0..4).for_each(|k| write(k, [low[k], high[k]]));
            } else {
                let numbers = [0, 2, 4].map(|word| tile.unit(word, group));
                let [low, high] = [0, 1].map(|half| matrix(numbers.map(|number| number[half])));
                (0..9).for_each(|k| write(k, [low[k], high[k]]));
            }
        }
    }
}

/// The matrix of a turn in the plane.
#[inline(always)]
fn turn(uniform: Block) -> [Block; 4] {
    let [c, s] = cos_sin(uniform);
    [c, -s, s, c]
}

/// The matrix of a quaternion that is uniform on the sphere in four dimensions (K. Shoemake, "Uniform random rotations",
/// 1992).
#[inline(always)]
fn matrix([share, first, second]: [Block; 3]) -> [Block; 9] {
    let (one, two) = (splat(1.0), splat(2.0));
    let (inner, outer) = (sqrt(one - share), sqrt(share));
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
