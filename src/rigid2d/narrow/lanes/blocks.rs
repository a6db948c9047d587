//! Blocks of pairs and of manifolds.

use super::vector::{Poses, Vector};
use crate::rigid2d::shapes::outline::{MOST_VERTICES, Outline};
use crate::soa::block::{LANES32, Lanes};

/// A class of pairs: those of one kernel.
pub(crate) trait Class {
    /// The largest number of points of a manifold.
    const POINTS: usize;
    /// Whether A and B are circles.
    const IS_ROUND: [bool; 2];

    /// The manifolds of a block of pairs.
    fn touch<L: Lanes>(pairs: &BlockOfPairs<'_, L>) -> Touch<L>;
}

/// Shapes as the lanes read them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shapes<'a, R> {
    pub(crate) outlines: &'a [Outline<R>],
    /// Per outline its first vertex and the rounding radius: `[x, y, radius, 0]`, in metres.
    pub(crate) discs: &'a [[R; 4]],
    /// Circles, which have numbers of their own: `[x, y, radius, 0]`, in metres.
    pub(crate) circles: &'a [[R; 4]],
}

/// A block of pairs.
pub(crate) struct BlockOfPairs<'a, L: Lanes> {
    outlines: &'a [Outline<L::Number>],
    /// Numbers of the outlines, or of the circles, of A and of B, one per lane.
    numbers: [&'a [u32]; 2],
    centres: [Vector<L>; 2],
    /// Rounding radii.
    pub(super) radii: [L; 2],
    /// Of B in the frame of A.
    pub(super) pose: Poses<L>,
    pub(super) margin: L,
}

/// A block of manifolds.
pub(crate) struct Touch<L> {
    pub(crate) normal: Vector<L>,
    pub(crate) points: [TouchPoint<L>; 2],
    /// How far the shapes are apart along the normal, and so at least; in metres, negative if they overlap.
    pub(crate) apart: L,
}

/// A block of points of manifolds.
#[derive(Clone, Copy)]
pub(crate) struct TouchPoint<L> {
    pub(crate) a: Vector<L>,
    pub(crate) b: Vector<L>,
    pub(crate) separation: L,
    /// As a number.
    pub(crate) id: L,
    /// The lanes that have this point.
    pub(crate) present: L,
}

impl<L: Lanes> Touch<L> {
    /// The first of the points that are there, with the lanes that have any.
    #[inline(always)]
    pub(crate) fn first(&self) -> TouchPoint<L> {
        let [first, second] = &self.points;
        let chosen = first.present;
        TouchPoint {
            a: Vector::select(chosen, first.a, second.a),
            b: Vector::select(chosen, first.b, second.b),
            separation: chosen.select(first.separation, second.separation),
            id: chosen.select(first.id, second.id),
            present: first.present | second.present,
        }
    }

    /// Writes the ids of the points that are there, one word per lane: that of the first in the lower half, that of the second
    /// in the upper one.
    #[inline(always)]
    pub(crate) fn write_ids(&self, ids: &mut [u32]) {
        let (first, second) = (self.first(), &self.points[1]);
        let [first, second] =
            [whole(first.id & first.present), whole(second.id & (self.points[0].present & second.present))];
        (first.shift_left::<16>().shift_right::<16>() | second.shift_left::<16>()).write_words(ids);
    }
}

/// Whole numbers below 2^16 as the lowest bits of lanes, whose 17th to 32nd bits may be set.
#[inline(always)]
fn whole<L: Lanes>(numbers: L) -> L {
    // A sum whose last place is 1 has the number in its lowest bits.
    numbers + L::splat(0.5 / L::UNIT)
}

impl<'a, L: Lanes> BlockOfPairs<'a, L> {
    /// Pairs of shapes of a class by the numbers of their outlines or circles, one per lane, with the poses `[x, y, cos, sin]` of B in the frame of A.
    ///
    /// # Panics
    /// If there is no such shape.
    #[inline(always)]
    pub(crate) fn new<C: Class>(
        shapes: Shapes<'a, L::Number>,
        [a, b]: [&'a [u32]; 2],
        [x, y, cos, sin]: [L; 4],
        margin: L,
    ) -> Self {
        let rows = |is_round: bool| if is_round { shapes.circles } else { shapes.discs };
        let (of_a, of_b) = (rows(C::IS_ROUND[0]), rows(C::IS_ROUND[1]));
        let [centre_x, centre_y, radius_a, _] = L::load_rows(
            #[inline(always)]
            |lane| &of_a[a[lane] as usize],
        );
        let [other_x, other_y, radius_b, _] = L::load_rows(
            #[inline(always)]
            |lane| &of_b[b[lane] as usize],
        );
        Self {
            outlines: shapes.outlines,
            numbers: [a, b],
            centres: [Vector { x: centre_x, y: centre_y }, Vector { x: other_x, y: other_y }],
            radii: [radius_a, radius_b],
            pose: Poses { position: Vector { x, y }, cos, sin },
            margin,
        }
    }

    /// The circle or the first vertex of A.
    #[inline(always)]
    pub(super) fn centre_a(&self) -> Vector<L> {
        self.centres[0]
    }

    /// The circle or the first vertex of B.
    #[inline(always)]
    pub(super) fn centre_b(&self) -> Vector<L> {
        self.centres[1]
    }

    /// Vertices and normals of A.
    #[inline(always)]
    pub(super) fn polygon_a<const N: usize>(&self) -> [[Vector<L>; N]; 2] {
        polygon(&outlines(self.outlines, self.numbers[0]))
    }

    /// Vertices and normals of B, in its own frame.
    #[inline(always)]
    pub(super) fn polygon_b<const N: usize>(&self) -> [[Vector<L>; N]; 2] {
        polygon(&outlines(self.outlines, self.numbers[1]))
    }
}

/// One outline per lane; what is beyond the lanes is not used.
#[inline(always)]
fn outlines<'a, R>(outlines: &'a [Outline<R>], shapes: &[u32]) -> [&'a Outline<R>; LANES32] {
    let mut rows = [&outlines[shapes[0] as usize]; LANES32];
    for (row, &shape) in rows.iter_mut().zip(shapes) {
        *row = &outlines[shape as usize];
    }
    rows
}

#[inline(always)]
fn polygon<L: Lanes, const N: usize>(rows: &[&Outline<L::Number>; LANES32]) -> [[Vector<L>; N]; 2] {
    let x = columns(
        #[inline(always)]
        |lane| &rows[lane].x,
    );
    let y = columns(
        #[inline(always)]
        |lane| &rows[lane].y,
    );
    let normal_x = columns(
        #[inline(always)]
        |lane| &rows[lane].normal_x,
    );
    let normal_y = columns(
        #[inline(always)]
        |lane| &rows[lane].normal_y,
    );
    [zipped(x, y), zipped(normal_x, normal_y)]
}

/// The first `N` numbers of a row per lane.
#[inline(always)]
fn columns<'a, L: Lanes, const N: usize>(row: impl Fn(usize) -> &'a [L::Number; MOST_VERTICES]) -> [L; N]
where
    L::Number: 'a,
{
    let mut columns = [L::ZERO; N];
    for quarter in 0..N / 4 {
        let four = L::load_rows(
            #[inline(always)]
            |lane| &row(lane).as_chunks().0[quarter],
        );
        columns[4 * quarter..4 * quarter + 4].copy_from_slice(&four);
    }
    columns
}

#[inline(always)]
fn zipped<L: Lanes, const N: usize>(x: [L; N], y: [L; N]) -> [Vector<L>; N] {
    let mut vectors = [Vector::ZERO; N];
    for i in 0..N {
        vectors[i] = Vector { x: x[i], y: y[i] };
    }
    vectors
}
