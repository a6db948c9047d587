//! Columns of pairs and of manifolds, and the loop over their blocks.

use std::marker::PhantomData;

use super::vector::{Poses, Vector};
use crate::rigid2d::shapes::outline::{MOST_VERTICES, Outline};
use crate::soa::block::{LANES32, Lanes, Real};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Pairs of shapes. All columns of pairs have the same length, whole blocks at the place of a block; the caller pads them
/// by repeating a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairInput<'a, R> {
    /// Of all shapes.
    pub(crate) outlines: &'a [Outline<R>],
    /// Rounding radii of all shapes, in metres.
    pub(crate) radii: &'a [R],
    /// Number of the first shape of each pair.
    pub(crate) shape_a: &'a [u32],
    /// Number of the second shape.
    pub(crate) shape_b: &'a [u32],
    /// Position of B in the frame of A, in metres.
    pub(crate) x: &'a [R],
    /// Position of B in the frame of A, in metres.
    pub(crate) y: &'a [R],
    /// Of the angle by which B is turned in the frame of A.
    pub(crate) cos: &'a [R],
    /// Of the angle by which B is turned in the frame of A.
    pub(crate) sin: &'a [R],
    /// Points with a larger separation are left out, in metres; at least 0.
    pub(crate) margin: &'a [R],
}

/// Manifolds of pairs, in columns as long as those of the pairs. What is not there is 0.
#[derive(Debug)]
pub(crate) struct Manifolds<'a, R> {
    /// Unit vector from A to B, in the frame of A.
    pub(crate) normal_x: &'a mut [R],
    /// Unit vector from A to B, in the frame of A.
    pub(crate) normal_y: &'a mut [R],
    /// The points; the second one is there only if the first one is.
    pub(crate) points: [PointColumns<'a, R>; 2],
    /// The id of the first point in the lower half, that of the second one in the upper half.
    pub(crate) ids: &'a mut [u32],
    /// Points that are there.
    pub(crate) count: &'a mut [u8],
}

/// One point of each manifold, in metres.
#[derive(Debug)]
pub(crate) struct PointColumns<'a, R> {
    /// On the surface of A, in the frame of A.
    pub(crate) a_x: &'a mut [R],
    /// On the surface of A, in the frame of A.
    pub(crate) a_y: &'a mut [R],
    /// On the surface of B, in the frame of B.
    pub(crate) b_x: &'a mut [R],
    /// On the surface of B, in the frame of B.
    pub(crate) b_y: &'a mut [R],
    /// From the point of A to that of B, along the normal; negative if the shapes overlap there.
    pub(crate) separation: &'a mut [R],
}

/// A class of pairs: those of one kernel.
pub(crate) trait Class {
    /// The manifolds of a block of pairs.
    fn touch<L: Lanes>(pairs: &BlockOfPairs<'_, L>) -> Touch<L>;
}

/// A block of pairs.
pub(crate) struct BlockOfPairs<'a, L: Lanes> {
    /// Outlines of A, one per lane.
    a: [&'a Outline<L::Number>; LANES32],
    /// Outlines of B, one per lane.
    b: [&'a Outline<L::Number>; LANES32],
    /// Rounding radii.
    pub(super) radii: [L; 2],
    /// Of B in the frame of A.
    pub(super) pose: Poses<L>,
    pub(super) margin: L,
}

/// A block of manifolds.
pub(crate) struct Touch<L> {
    pub(super) normal: Vector<L>,
    pub(super) points: [TouchPoint<L>; 2],
}

/// A block of points of manifolds.
#[derive(Clone, Copy)]
pub(crate) struct TouchPoint<L> {
    pub(super) a: Vector<L>,
    pub(super) b: Vector<L>,
    pub(super) separation: L,
    /// As a number.
    pub(super) id: L,
    /// The lanes that have this point.
    pub(super) present: L,
}

impl<'a, L: Lanes> BlockOfPairs<'a, L> {
    /// The circle or the first vertex of A.
    #[inline(always)]
    pub(super) fn centre_a(&self) -> Vector<L> {
        centre(&self.a)
    }

    /// The circle or the first vertex of B.
    #[inline(always)]
    pub(super) fn centre_b(&self) -> Vector<L> {
        centre(&self.b)
    }

    /// Vertices and normals of A.
    #[inline(always)]
    pub(super) fn polygon_a<const N: usize>(&self) -> [[Vector<L>; N]; 2] {
        polygon(&self.a)
    }

    /// Vertices and normals of B, in its own frame.
    #[inline(always)]
    pub(super) fn polygon_b<const N: usize>(&self) -> [[Vector<L>; N]; 2] {
        polygon(&self.b)
    }

    #[inline(always)]
    fn load(input: &PairInput<'a, L::Number>, columns: &[&[L]; 5], block: usize) -> Self {
        let first = block * L::COUNT;
        let shapes_a = &input.shape_a[first..first + L::COUNT];
        let shapes_b = &input.shape_b[first..first + L::COUNT];
        let [x, y, cos, sin, margin] = columns;
        let radii = [
            L::collect(
                #[inline(always)]
                |lane| input.radii[shapes_a[lane] as usize],
            ),
            L::collect(
                #[inline(always)]
                |lane| input.radii[shapes_b[lane] as usize],
            ),
        ];
        Self {
            a: outlines(input.outlines, shapes_a),
            b: outlines(input.outlines, shapes_b),
            radii,
            pose: Poses { position: Vector { x: x[block], y: y[block] }, cos: cos[block], sin: sin[block] },
            margin: margin[block],
        }
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
fn centre<L: Lanes>(rows: &[&Outline<L::Number>; LANES32]) -> Vector<L> {
    Vector {
        x: L::collect(
            #[inline(always)]
            |lane| rows[lane].x[0],
        ),
        y: L::collect(
            #[inline(always)]
            |lane| rows[lane].y[0],
        ),
    }
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

/// Computes the manifolds of pairs of one class.
#[derive(Debug)]
pub(crate) struct Collide<'a, R, C> {
    pub(crate) input: PairInput<'a, R>,
    pub(crate) output: Manifolds<'a, R>,
    /// The class of all these pairs.
    pub(crate) class: PhantomData<C>,
}

impl<R: Real, C: Class> Kernel for Collide<'_, R, C> {
    type Output = ();

    /// # Panics
    /// If columns have different lengths or are no whole blocks, or if there is no such shape.
    #[inline(always)]
    fn run<S: Simd>(self) {
        collide::<R::Block<S>, C>(&self.input, self.output);
    }
}

#[inline(always)]
fn collide<L: Lanes, C: Class>(input: &PairInput<'_, L::Number>, output: Manifolds<'_, L::Number>) {
    let blocks = input.x.len() / L::COUNT;
    let columns = [input.x, input.y, input.cos, input.sin, input.margin];
    let columns = [
        &L::blocks(columns[0])[..blocks],
        &L::blocks(columns[1])[..blocks],
        &L::blocks(columns[2])[..blocks],
        &L::blocks(columns[3])[..blocks],
        &L::blocks(columns[4])[..blocks],
    ];
    let mut output = Output::new(output);
    for block in 0..blocks {
        let pairs = BlockOfPairs::load(input, &columns, block);
        output.store(block, &C::touch(&pairs));
    }
}

/// Columns of manifolds as blocks.
struct Output<'a, L> {
    normal: [&'a mut [L]; 2],
    points: [[&'a mut [L]; 5]; 2],
    ids: &'a mut [u32],
    count: &'a mut [u8],
}

impl<'a, L: Lanes> Output<'a, L> {
    #[inline(always)]
    fn new(columns: Manifolds<'a, L::Number>) -> Self {
        let Manifolds { normal_x, normal_y, points: [first, second], ids, count } = columns;
        Self {
            normal: [L::blocks_mut(normal_x), L::blocks_mut(normal_y)],
            points: [blocks_of(first), blocks_of(second)],
            ids,
            count,
        }
    }

    /// Puts the points that are there first, and 0 for those that are not.
    #[inline(always)]
    fn store(&mut self, block: usize, touch: &Touch<L>) {
        let [first, second] = &touch.points;
        let (any, both) = (first.present | second.present, first.present & second.present);
        let normal = touch.normal.masked(any);
        self.normal[0][block] = normal.x;
        self.normal[1][block] = normal.y;
        let chosen = first.present;
        let first = TouchPoint {
            a: Vector::select(chosen, first.a, second.a),
            b: Vector::select(chosen, first.b, second.b),
            separation: chosen.select(first.separation, second.separation),
            id: chosen.select(first.id, second.id),
            present: any,
        };
        store_point(&mut self.points[0], block, &first, any);
        store_point(&mut self.points[1], block, second, both);
        let [first_id, second_id] = [whole(first.id & any), whole(second.id & both)];
        let ids = first_id.shift_left::<16>().shift_right::<16>() | second_id.shift_left::<16>();
        let lanes = block * L::COUNT..(block + 1) * L::COUNT;
        ids.write_words(&mut self.ids[lanes.clone()]);
        write_counts(any.bits(), both.bits(), &mut self.count[lanes]);
    }
}

#[inline(always)]
fn blocks_of<'a, L: Lanes>(point: PointColumns<'a, L::Number>) -> [&'a mut [L]; 5] {
    let PointColumns { a_x, a_y, b_x, b_y, separation } = point;
    [
        L::blocks_mut(a_x),
        L::blocks_mut(a_y),
        L::blocks_mut(b_x),
        L::blocks_mut(b_y),
        L::blocks_mut(separation),
    ]
}

#[inline(always)]
fn store_point<L: Lanes>(columns: &mut [&mut [L]; 5], block: usize, point: &TouchPoint<L>, present: L) {
    let (a, b) = (point.a.masked(present), point.b.masked(present));
    columns[0][block] = a.x;
    columns[1][block] = a.y;
    columns[2][block] = b.x;
    columns[3][block] = b.y;
    columns[4][block] = point.separation & present;
}

/// Whole numbers below 2^16 as the lowest bits of lanes, whose 17th to 32nd bits may be set.
#[inline(always)]
fn whole<L: Lanes>(numbers: L) -> L {
    // A sum whose last place is 1 has the number in its lowest bits.
    numbers + L::splat(0.5 / L::UNIT)
}

/// The number of set bits of each lane, as bytes.
#[inline(always)]
fn write_counts(first: u32, second: u32, counts: &mut [u8]) {
    for (quarter, counts) in counts.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *counts = (spread(first >> (4 * quarter)) + spread(second >> (4 * quarter))).to_le_bytes();
    }
}

/// The lowest four bits as one byte each.
#[inline(always)]
fn spread(bits: u32) -> u32 {
    ((bits & 0xF) * 0x0020_4081) & 0x0101_0101
}
