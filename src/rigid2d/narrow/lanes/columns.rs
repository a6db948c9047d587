//! Manifolds of pairs in columns, as the tests compare them.

use std::marker::PhantomData;

use super::blocks::{BlockOfPairs, Class, Shapes, Touch, TouchPoint};
use crate::soa::block::{Lanes, Real};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Pairs of shapes. All columns of pairs have the same length, whole blocks at the place of a block; the caller pads them
/// by repeating a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairInput<'a, R> {
    pub(crate) shapes: Shapes<'a, R>,
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
    let (x, y) = (&L::blocks(input.x)[..blocks], &L::blocks(input.y)[..blocks]);
    let (cos, sin) = (&L::blocks(input.cos)[..blocks], &L::blocks(input.sin)[..blocks]);
    let margin = &L::blocks(input.margin)[..blocks];
    let mut output = Output::new(output);
    for block in 0..blocks {
        let lanes = block * L::COUNT..(block + 1) * L::COUNT;
        let numbers = [&input.shape_a[lanes.clone()], &input.shape_b[lanes]];
        let pose = [x[block], y[block], cos[block], sin[block]];
        let pairs = BlockOfPairs::new::<C>(input.shapes, numbers, pose, margin[block]);
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
        let first = touch.first();
        store_point(&mut self.points[0], block, &first, any);
        store_point(&mut self.points[1], block, second, both);
        let lanes = block * L::COUNT..(block + 1) * L::COUNT;
        touch.write_ids(&mut self.ids[lanes.clone()]);
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
