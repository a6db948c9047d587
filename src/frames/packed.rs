//! What the kernels read of a set: one record and one box for each frame, made from the columns once per change.
//!
//! A record is the frame itself in one or two cache lines, so that a random pair costs few misses; gathering the same
//! numbers from separate columns costs three to four times as much.

use std::ops::Range;

use super::FrameKind;
use crate::error::Result;
use crate::soa::Column;
use crate::soa::lanes::{self, Block, LANES};

/// Records and boxes of a set of frames.
///
/// Record, in f64: origin (D), components (D D), speed (D), and in 3D the largest magnitude in the components. Box, in
/// f32: on each axis the lower end, rounded down, in entry `axis`, and the negated upper end, rounded down, in entry
/// `4 + axis`. Entry 3 is 1 for a cuboid and -1 for a tetrahedron.
#[derive(Debug, Clone)]
pub struct Packed<const D: usize> {
    records: Column<f64>,
    boxes: Column<f32>,
}

/// Numbers in a box.
pub(crate) const BOX: usize = 8;

/// Four frames, one a lane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameLanes<const D: usize> {
    pub(crate) origin: [Block; D],
    /// Component by component.
    pub(crate) components: [[Block; D]; D],
    /// The way in the whole duration, in metres; as gathered, the speed: the way in one second.
    pub(crate) way: [Block; D],
    /// Largest magnitude among the entries of the components.
    pub(crate) size: Block,
}

impl<const D: usize> FrameLanes<D> {
    /// Four frames from their records.
    #[inline(always)]
    fn from_records([r0, r1, r2, r3]: [&[f64]; LANES]) -> Self {
        let quad = |at: usize| {
            let part = |record| quarter(record, at);
            lanes::load_columns([part(r0), part(r1), part(r2), part(r3)])
        };
        if D == 2 {
            let ([o0, o1, a0, a1], [b0, b1, w0, w1]) = (quad(0), quad(4));
            Self::from_three([o0, o1, o0], [[a0, a1, a0], [b0, b1, b0], [b0, b1, b0]], [w0, w1, w0], None)
        } else {
            let ([o0, o1, o2, a0], [a1, a2, b0, b1]) = (quad(0), quad(4));
            let ([b2, c0, c1, c2], [w0, w1, w2, size]) = (quad(8), quad(12));
            let components = [[a0, a1, a2], [b0, b1, b2], [c0, c1, c2]];
            Self::from_three([o0, o1, o2], components, [w0, w1, w2], Some(size))
        }
    }

    /// The first D of three axes and components.
    #[inline(always)]
    fn from_three(
        origin: [Block; 3],
        components: [[Block; 3]; 3],
        way: [Block; 3],
        size: Option<Block>,
    ) -> Self {
        let mut lanes = Self::ZERO;
        for axis in 0..D {
            lanes.origin[axis] = origin[axis];
            lanes.way[axis] = way[axis];
            lanes.components.iter_mut().zip(&components).for_each(|(to, from)| to[axis] = from[axis]);
        }
        lanes.size = size.unwrap_or_else(|| largest(&lanes.components));
        lanes
    }

    const ZERO: Self = Self {
        origin: [Block::ZERO; D],
        components: [[Block::ZERO; D]; D],
        way: [Block::ZERO; D],
        size: Block::ZERO,
    };

    /// The same for code that knows its dimension, which must be `D`.
    #[inline(always)]
    pub(crate) fn resized<const E: usize>(&self) -> FrameLanes<E> {
        let mut lanes = FrameLanes::ZERO;
        for axis in 0..D.min(E) {
            lanes.origin[axis] = self.origin[axis];
            lanes.way[axis] = self.way[axis];
            lanes.components.iter_mut().zip(&self.components).for_each(|(to, from)| to[axis] = from[axis]);
        }
        lanes.size = self.size;
        lanes
    }
}

impl<const D: usize> Default for Packed<D> {
    fn default() -> Self {
        Self { records: Column::new(0.0), boxes: Column::new(0.0) }
    }
}

impl<const D: usize> Packed<D> {
    /// Bytes of the record and the box of one frame.
    pub const BYTES: usize = Self::RECORD * size_of::<f64>() + BOX * size_of::<f32>();

    /// Numbers in a record: one cache line in 2D, two in 3D.
    pub(crate) const RECORD: usize = if D == 2 { 8 } else { 16 };

    pub(crate) fn memory_bytes(&self) -> usize {
        self.records.memory_bytes() + self.boxes.memory_bytes()
    }

    pub(super) fn reserve(&mut self, additional: usize) -> Result<()> {
        self.records.reserve(additional * Self::RECORD)?;
        self.boxes.reserve(additional * BOX)
    }

    pub(super) fn resize(&mut self, len: usize) -> Result<()> {
        self.records.resize(len * Self::RECORD, 0.0)?;
        self.boxes.resize(len * BOX, 0.0)
    }

    pub(super) fn remove(&mut self, index: usize) {
        self.records.remove_range(index * Self::RECORD, Self::RECORD);
        self.boxes.remove_range(index * BOX, BOX);
    }

    pub(super) fn clear(&mut self) {
        self.resize(0).expect("shrinking takes no memory");
    }

    /// Number of frames.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.boxes.len() / BOX
    }

    /// Four frames, one a lane.
    ///
    /// # Panics
    /// If there is no such frame.
    #[inline(always)]
    pub(crate) fn gather(&self, rows: [u32; LANES]) -> FrameLanes<D> {
        assert!(rows.iter().all(|&row| (row as usize) < self.len()), "frames that exist");
        // SAFETY: the rows have just been checked.
        unsafe { self.gather_unchecked(rows) }
    }

    /// Four frames, one a lane.
    ///
    /// # Safety
    /// Every row must be below [`len`](Self::len).
    #[inline(always)]
    pub(crate) unsafe fn gather_unchecked(&self, [i, j, k, l]: [u32; LANES]) -> FrameLanes<D> {
        // SAFETY: the rows exist, as the caller has promised.
        unsafe { FrameLanes::from_records([self.record(i), self.record(j), self.record(k), self.record(l)]) }
    }

    /// The record of a frame.
    ///
    /// # Safety
    /// The row must be below [`len`](Self::len).
    #[inline(always)]
    unsafe fn record(&self, row: u32) -> &[f64] {
        let start = row as usize * Self::RECORD;
        // SAFETY: there are `len` records, all of the same length.
        unsafe { self.records.as_slice().get_unchecked(start..start + Self::RECORD) }
    }

    /// Asks for the record of a frame that will be read soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        for line in (0..Self::RECORD).step_by(64 / size_of::<f64>()) {
            lanes::prefetch(self.records.as_slice(), row * Self::RECORD + line);
        }
    }

    /// The boxes of all frames, one after the other.
    #[inline(always)]
    pub(crate) fn boxes(&self) -> &[[f32; BOX]] {
        bytemuck::cast_slice(self.boxes.as_slice())
    }

    /// Packs the rows of a range from the columns.
    pub(super) fn pack(
        &mut self,
        rows: Range<usize>,
        kinds: &Column<u8>,
        origin: &[Column<f64>; D],
        components: &[[Column<f64>; D]; D],
        motion: Option<(f64, &[Column<f64>; D])>,
    ) {
        let origin = origin.each_ref().map(Column::blocks);
        let components = components.each_ref().map(|axes| axes.each_ref().map(Column::blocks));
        let speed = motion.map(|(_, speed)| speed.each_ref().map(Column::blocks));
        for first in (rows.start / LANES * LANES..rows.end).step_by(LANES) {
            let block = first / LANES;
            let mut frames = FrameLanes::ZERO;
            for axis in 0..D {
                frames.origin[axis] = origin[axis][block];
                if let Some(speed) = &speed {
                    frames.way[axis] = speed[axis][block];
                }
                for (to, from) in frames.components.iter_mut().zip(&components) {
                    to[axis] = from[axis][block];
                }
            }
            frames.size = largest(&frames.components);
            let kinds = &kinds.padded()[first..first + LANES];
            let wanted = rows.start.saturating_sub(first)..(rows.end - first).min(LANES);
            self.write_records(first, wanted.clone(), &frames);
            let boxes = boxes_below(&frames, motion.map_or(0.0, |(duration, _)| duration), kinds);
            for lane in wanted {
                self.boxes.as_mut_slice()[(first + lane) * BOX..][..BOX].copy_from_slice(&boxes[lane]);
            }
        }
    }

    #[inline(always)]
    fn write_records(&mut self, first: usize, wanted: Range<usize>, frames: &FrameLanes<D>) {
        let mut entries = [Block::ZERO; 16];
        for axis in 0..D {
            entries[axis] = frames.origin[axis];
            entries[D + D * D + axis] = frames.way[axis];
            for i in 0..D {
                entries[D + D * i + axis] = frames.components[i][axis];
            }
        }
        entries[15] = frames.size;
        let records = self.records.as_mut_slice();
        let (quads, _) = entries.as_chunks::<LANES>();
        for (quad, &entries) in quads[..Self::RECORD / LANES].iter().enumerate() {
            let rows = lanes::transpose(entries);
            for lane in wanted.clone() {
                let at = (first + lane) * Self::RECORD + quad * LANES;
                records[at..at + LANES].copy_from_slice(rows[lane].as_array());
            }
        }
    }
}

#[inline(always)]
fn quarter(record: &[f64], at: usize) -> &[f64; LANES] {
    record[at..at + LANES].try_into().expect("a quarter")
}

#[inline(always)]
fn largest<const D: usize>(components: &[[Block; D]; D]) -> Block {
    components.as_flattened().iter().fold(Block::ZERO, |m, c| lanes::max(c.abs(), m))
}

/// The boxes that four frames sweep in `duration` seconds, none too small.
#[inline(always)]
fn boxes_below<const D: usize>(frames: &FrameLanes<D>, duration: f64, kinds: &[u8]) -> [[f32; BOX]; LANES] {
    let kinds = [kinds[0], kinds[1], kinds[2], kinds[3]];
    let is_tetrahedron = lanes::mask_from_bytes(kinds);
    // An axis that is not used always overlaps.
    let mut boxes = [[-1.0; BOX]; LANES];
    for axis in 0..D {
        for (half, sign) in [(0, 1.0), (BOX / 2, -1.0)] {
            let ends = f32_below(end_below(frames, axis, sign, duration, is_tetrahedron));
            for lane in 0..LANES {
                boxes[lane][half + axis] = ends[lane];
            }
        }
    }
    for (entries, kind) in boxes.iter_mut().zip(kinds) {
        entries[3] = if kind == FrameKind::Tetrahedron as u8 { -1.0 } else { 1.0 };
        entries[7] = 0.0;
    }
    boxes
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
fn f32_below(x: Block) -> [f32; LANES] {
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
    below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singles_are_rounded_down() {
        for x in [0.0, 1.0, -1.0, 0.1, -0.1, 1e-50, -1e-50, 1e30, 16_777_217.0, -16_777_217.0, 3.5e38, 1e150]
        {
            let [below, ..] = f32_below(lanes::splat(x));
            assert!(f64::from(below) <= x, "{x}: {below}");
            if x.abs() > 1e-37 && x < 3.4e38 {
                let above = if below == 0.0 { f32::MIN_POSITIVE } else { below.next_up() };
                assert!(f64::from(above) > x, "{x}: {below} could be larger");
            }
        }
        let lanes = Block::new([0.1_f32.into(), -1e150, 0.0, -0.0]);
        assert_eq!(f32_below(lanes), [0.1, f32::NEG_INFINITY, 0.0, 0.0]);
    }
}
