//! From columns to records and boxes, four frames at a time.

use std::ops::Range;

use super::lanes::{FrameLanes, Sizes};
use super::packed::BOX;
use crate::soa::Column;
use crate::soa::block::Lanes;
use crate::soa::lanes::{self, Block, LANES, Quad32, each};

/// The columns of a set of frames.
pub(super) struct Columns<'a, const D: usize> {
    pub(super) kinds: &'a Column<u8>,
    pub(super) origin: &'a [Column<f64>; D],
    pub(super) components: &'a [[Column<f64>; D]; D],
    /// Of frames that move.
    pub(super) speed: Option<&'a [Column<f64>; D]>,
    /// In seconds; 0 for frames that rest.
    pub(super) duration: f64,
}

impl<'a, const D: usize> Columns<'a, D> {
    /// The columns of a set that moves for some seconds, or rests.
    pub(super) fn new(
        duration: Option<f64>,
        kinds: &'a Column<u8>,
        origin: &'a [Column<f64>; D],
        components: &'a [[Column<f64>; D]; D],
        speed: &'a [Column<f64>; D],
    ) -> Self {
        let speed = duration.is_some().then_some(speed);
        Self { kinds, origin, components, speed, duration: duration.unwrap_or(0.0) }
    }
}

/// The same columns as blocks.
pub(super) struct Blocks<'a, const D: usize> {
    origin: [&'a [Block]; D],
    components: [[&'a [Block]; D]; D],
    speed: Option<[&'a [Block]; D]>,
    kinds: &'a [[u8; LANES]],
    /// In seconds; 0 for frames that rest.
    duration: f64,
}

impl<'a, const D: usize> Blocks<'a, D> {
    pub(super) fn of(columns: &Columns<'a, D>) -> Self {
        let blocks = |columns: &'a [Column<f64>; D]| columns.each_ref().map(Column::blocks);
        Self {
            origin: blocks(columns.origin),
            components: columns.components.each_ref().map(blocks),
            speed: columns.speed.map(blocks),
            kinds: columns.kinds.padded().as_chunks().0,
            duration: columns.duration,
        }
    }

    /// The frames of one block, with their speeds.
    #[inline(always)]
    pub(super) fn frames(&self, block: usize) -> FrameLanes<D> {
        let mut frames = FrameLanes::ZERO;
        for axis in 0..D {
            frames.origin[axis] = self.origin[axis][block];
            if let Some(speed) = &self.speed {
                frames.way[axis] = speed[axis][block];
            }
            for (to, from) in frames.components.iter_mut().zip(&self.components) {
                to[axis] = from[axis][block];
            }
        }
        frames
    }
}

/// Writes the records and the boxes of some rows; returns the largest coordinate of their origins.
pub(super) fn pack<const D: usize>(
    rows: Range<usize>,
    columns: &Columns<D>,
    records: &mut [f32],
    boxes: &mut [f32],
) -> f64 {
    match (D, columns.speed.is_some()) {
        (2, false) => pack_all::<D, 8>(rows, columns, records, boxes),
        (2, true) => pack_all::<D, 12>(rows, columns, records, boxes),
        (_, false) => pack_all::<D, 16>(rows, columns, records, boxes),
        (_, true) => pack_all::<D, 20>(rows, columns, records, boxes),
    }
}

/// The same for records of `N` numbers.
fn pack_all<const D: usize, const N: usize>(
    rows: Range<usize>,
    columns: &Columns<D>,
    records: &mut [f32],
    boxes: &mut [f32],
) -> f64 {
    let (records, boxes) = (records.as_chunks_mut::<N>().0, boxes.as_chunks_mut::<BOX>().0);
    let blocks = Blocks::of(columns);
    let mut farthest = Block::ZERO;
    let start = rows.start.next_multiple_of(LANES).min(rows.end);
    let whole = start..(rows.end / LANES * LANES).max(start);
    let (inner_records, inner_boxes) =
        (records[whole.clone()].as_chunks_mut().0, boxes[whole.clone()].as_chunks_mut().0);
    for ((block, records), boxes) in (whole.start / LANES..).zip(inner_records).zip(inner_boxes) {
        farthest = blocks.pack(block, farthest, records, boxes);
    }
    for edge in [rows.start..whole.start, whole.end..rows.end] {
        if !edge.is_empty() {
            farthest = blocks.pack_part(edge, farthest, records, boxes);
        }
    }
    farthest.to_array().into_iter().fold(0.0, f64::max)
}

impl<const D: usize> Blocks<'_, D> {
    /// Packs one block of frames; returns the largest coordinates of origins, with those so far.
    #[inline(always)]
    fn pack<const N: usize>(
        &self,
        block: usize,
        farthest: Block,
        records: &mut [[f32; N]; LANES],
        boxes: &mut [[f32; BOX]; LANES],
    ) -> Block {
        let frames = self.frames(block);
        let numbers = record_of(&frames);
        let ends = self.boxes_below(&frames, block);
        for lane in 0..LANES {
            for (part, quarter) in records[lane].as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                // The motion, in the last quarter of a record that has one, is the last of the numbers.
                let has_motion = !N.is_multiple_of(8);
                let from = if has_motion && part == N / LANES - 1 { 4 } else { part };
                *quarter = numbers[from][lane].to_array();
            }
            let (low, high) = boxes[lane].split_at_mut(LANES);
            low.copy_from_slice(&ends[0][lane].to_array());
            high.copy_from_slice(&ends[1][lane].to_array());
        }
        frames.origin.iter().fold(farthest, |most, o| Lanes::max(o.abs(), most))
    }

    /// Packs some frames of one block.
    #[cold]
    #[inline(never)]
    fn pack_part<const N: usize>(
        &self,
        rows: Range<usize>,
        farthest: Block,
        records: &mut [[f32; N]],
        boxes: &mut [[f32; BOX]],
    ) -> Block {
        let first = rows.start / LANES * LANES;
        let (mut whole, mut whole_boxes) = ([[0.0; N]; LANES], [[0.0; BOX]; LANES]);
        let farthest = self.pack(first / LANES, farthest, &mut whole, &mut whole_boxes);
        let part = rows.start - first..rows.end - first;
        records[rows.clone()].copy_from_slice(&whole[part.clone()]);
        boxes[rows].copy_from_slice(&whole_boxes[part]);
        farthest
    }

    /// The boxes that the frames of a block sweep, none too small: lower ends, then negated upper ends, lane by lane.
    #[inline(always)]
    fn boxes_below(&self, frames: &FrameLanes<D>, block: usize) -> [[Quad32; LANES]; 2] {
        let is_tetrahedron = lanes::mask_from_bytes(self.kinds[block]);
        let ends = if is_short(frames) {
            self.short_ends(block)
        } else {
            // An axis that is not used always overlaps.
            each!(axis in [0, 1, 2] => {
                if axis < D {
                    let way = frames.way[axis] * lanes::splat(self.duration);
                    ends_about(frames, axis, way, is_tetrahedron)
                } else {
                    [Quad32::splat(-1.0); 2]
                }
            })
        };
        let kind = lanes::to_single(lanes::select(is_tetrahedron, lanes::splat(-1.0), lanes::splat(1.0)));
        [
            Quad32::transpose([ends[0][0], ends[1][0], ends[2][0], kind]),
            Quad32::transpose([ends[0][1], ends[1][1], ends[2][1], Quad32::ZERO]),
        ]
    }

    /// Ends along each axis, lower and negated upper, that are exact if their sums are.
    #[cold]
    #[inline(never)]
    fn short_ends(&self, block: usize) -> [[Quad32; 2]; 3] {
        let frames = self.frames(block);
        let is_tetrahedron = lanes::mask_from_bytes(self.kinds[block]);
        let mut ends = [[Quad32::splat(-1.0); 2]; 3];
        for (axis, ends) in ends.iter_mut().take(D).enumerate() {
            let end = |sign: f64| f32_below(end_below(&frames, axis, sign, self.duration, is_tetrahedron));
            *ends = [end(1.0), end(-1.0)];
        }
        ends
    }
}

/// The numbers of four records: the quarters, of which the plane has two, then the motion; each lane by lane.
#[inline(always)]
fn record_of<const D: usize>(frames: &FrameLanes<D>) -> [[Quad32; LANES]; 5] {
    let sizes = Sizes::of(frames);
    let single = |x: Block| lanes::to_single(x);
    let rest = |x: Block| lanes::to_single(x - lanes::to_double(lanes::to_single(x)));
    let speed = above(sizes.speed);
    if D == 2 {
        let FrameLanes { origin: o, components: [a, b], way: w, .. } = frames.resized::<2>();
        let none = [Quad32::ZERO; LANES];
        return [
            Quad32::transpose([single(o[0]), single(o[1]), rest(o[0]), rest(o[1])]),
            Quad32::transpose([single(a[0]), single(a[1]), single(b[0]), single(b[1])]),
            none,
            none,
            Quad32::transpose([single(w[0]), single(w[1]), speed, Quad32::ZERO]),
        ];
    }
    let FrameLanes { origin: o, components: [a, b, c], way: w, .. } = frames.resized::<3>();
    let sizes = lanes::join_halves(above(sizes.edge), above(sizes.cofactor));
    [
        Quad32::transpose([single(o[0]), single(o[1]), single(o[2]), rest(o[0])]),
        Quad32::transpose([rest(o[1]), rest(o[2]), single(a[0]), single(a[1])]),
        Quad32::transpose([single(a[2]), single(b[0]), single(b[1]), single(b[2])]),
        Quad32::transpose([single(c[0]), single(c[1]), single(c[2]), sizes]),
        Quad32::transpose([single(w[0]), single(w[1]), single(w[2]), speed]),
    ]
}

/// Numbers that are larger by 2^-6, which is more than half of an f32 may take away.
#[inline(always)]
fn above(x: Block) -> Quad32 {
    lanes::to_single(x * lanes::splat(1.0 + 1.0 / 64.0))
}

/// Whether all numbers are exact in single precision, as they are in lattices: only then may boxes touch exactly.
#[inline(always)]
fn is_short<const D: usize>(frames: &FrameLanes<D>) -> bool {
    let rest = |x: Block| x - lanes::to_double(lanes::to_single(x));
    (0..D).all(|axis| {
        let motion = rest(frames.origin[axis]) | rest(frames.way[axis]);
        let rests = frames.components.iter().fold(motion, |rests, component| rests | rest(component[axis]));
        lanes::bits(lanes::lt(Block::ZERO, rests.abs())) == 0
    })
}

/// Ends along one axis, lower and negated upper, with a margin that covers all rounding.
#[inline(always)]
fn ends_about<const D: usize>(
    frames: &FrameLanes<D>,
    axis: usize,
    way: Block,
    is_tetrahedron: Block,
) -> [Quad32; 2] {
    let origin = frames.origin[axis];
    let mut magnitude = origin.abs() + way.abs();
    let [mut least, mut most, mut sum_below, mut sum_above] = [Block::ZERO; 4];
    for component in &frames.components {
        let x = component[axis];
        magnitude += x.abs();
        let (below, above) = (Lanes::min(x, Block::ZERO), Lanes::max(x, Block::ZERO));
        (least, most) = (Lanes::min(below, least), Lanes::max(above, most));
        (sum_below, sum_above) = (sum_below + below, sum_above + above);
    }
    let down = lanes::select(is_tetrahedron, least, sum_below) + Lanes::min(way, Block::ZERO);
    let up = lanes::select(is_tetrahedron, most, sum_above) + Lanes::max(way, Block::ZERO);
    let margin =
        magnitude.fused(lanes::splat(1.0 / f64::from(1 << 22)), lanes::splat(f64::from(f32::MIN_POSITIVE)));
    let single = |x: Block| lanes::to_single(Lanes::min(x, lanes::splat(f64::from(f32::MAX))));
    [single((origin + down) - margin), single(Block::ZERO - ((origin + up) + margin))]
}

/// The lower ends of what four frames sweep along an axis that is turned around if `sign` is -1, not above the truth.
#[inline(always)]
fn end_below<const D: usize>(
    frames: &FrameLanes<D>,
    axis: usize,
    sign: f64,
    duration: f64,
    is_tetrahedron: Block,
) -> Block {
    let sign = lanes::splat(sign);
    let start = ExactSum::of(frames.origin[axis] * sign);
    let (mut corner, mut cuboid) = (Block::ZERO, start);
    for component in &frames.components {
        let reach = lanes::min(component[axis] * sign, Block::ZERO);
        corner = lanes::min(reach, corner);
        cuboid = cuboid.plus(reach);
    }
    let tetrahedron = start.plus(corner);
    let end = ExactSum {
        total: lanes::select(is_tetrahedron, tetrahedron.total, cuboid.total),
        error: lanes::select(is_tetrahedron, tetrahedron.error, cuboid.error),
    };
    let way = frames.way[axis] * lanes::splat(duration);
    // A product with 1 is exact; any other is within half a unit in the last place.
    let way_error = way.abs() * lanes::splat(if duration == 1.0 { 0.0 } else { f64::EPSILON });
    let end = end.plus(lanes::min(way * sign, Block::ZERO));
    let error = end.error + end.error * lanes::splat(1e-15) + way_error;
    // Exact sums stay as they are, so that boxes that touch exactly are known not to overlap.
    lanes::select(lanes::lt(Block::ZERO, error), lower(end.total - error), end.total)
}

/// A number that is a little smaller than each lane.
#[inline(always)]
fn lower(x: Block) -> Block {
    x - x.abs() * lanes::splat(f64::EPSILON)
}

/// A sum and the magnitude of what rounding has lost from it.
#[derive(Clone, Copy)]
struct ExactSum {
    total: Block,
    error: Block,
}

impl ExactSum {
    #[inline(always)]
    fn of(total: Block) -> Self {
        Self { total, error: Block::ZERO }
    }

    /// Knuth's two-sum, which gives the rounding error of an addition exactly.
    #[inline(always)]
    fn plus(self, x: Block) -> Self {
        let total = self.total + x;
        let part = total - self.total;
        let lost = (self.total - (total - part)) + (x - part);
        Self { total, error: self.error + lost.abs() }
    }
}

/// For each lane the largest `f32` of usual precision that is not above it, and not above the largest finite `f32`.
#[inline(always)]
fn f32_below(x: Block) -> Quad32 {
    /// Bits of an f64 that an f32 does not have.
    const SURPLUS: u64 = (1 << 29) - 1;
    let smallest = lanes::splat(f64::from(f32::MIN_POSITIVE));
    let is_tiny = lanes::lt(x.abs(), smallest);
    let below_tiny = lanes::keep(lanes::lt(x, Block::ZERO), Block::ZERO - smallest);
    let x = lanes::min(lanes::select(is_tiny, below_tiny, x), lanes::splat(f64::from(f32::MAX))).to_array();
    let mut below = [0.0; LANES];
    for lane in 0..LANES {
        let bits = x[lane].to_bits();
        // A negative number is rounded away from 0.
        let away = (bits as i64 >> 63) as u64 & SURPLUS;
        below[lane] = f64::from_bits((bits + away) & !SURPLUS) as f32;
    }
    Quad32::new(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singles_are_rounded_down() {
        for x in [0.0, 1.0, -1.0, 0.1, -0.1, 1e-50, -1e-50, 1e30, 16_777_217.0, -16_777_217.0, 3.5e38, 1e150]
        {
            let [below, ..] = f32_below(lanes::splat(x)).to_array();
            assert!(f64::from(below) <= x, "{x}: {below}");
            if x.abs() > 1e-37 && x < 3.4e38 {
                let above = if below == 0.0 { f32::MIN_POSITIVE } else { below.next_up() };
                assert!(f64::from(above) > x, "{x}: {below} could be larger");
            }
        }
        let lanes = Block::new([0.1_f32.into(), -1e150, 0.0, -0.0]);
        assert_eq!(f32_below(lanes).to_array(), [0.1, f32::NEG_INFINITY, 0.0, 0.0]);
    }
}
