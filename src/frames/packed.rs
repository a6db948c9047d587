//! What the kernels read of a set: one record and one box for each frame, made from the columns once per change.
//!
//! A record is the frame itself in single precision, in one or two cache lines, so that a random pair costs few misses.
//! What single precision cannot decide is read from the columns.

use std::ops::Range;

pub(crate) use super::lanes::{FrameLanes, Sizes};
use super::packing::{Columns, Packing};
use crate::error::Result;
use crate::soa::lanes::{self, Block32, LANES, LANES32, each};
use crate::soa::layout;
use crate::soa::{Column, Context};

/// Records and boxes of a set of frames, in f32.
///
/// Record: origin (D) and what rounding took from it (D), components (D D), in 3D upper bounds of the norms of components and
/// cofactors as the upper and the lower half of one number; and if the frames move velocity (D) and an upper bound of its
/// norm, filled up to four numbers.
/// Box: on each axis the lower end, rounded down, in entry `axis`, and the negated upper end, rounded down, in entry
/// `4 + axis`. Entry 3 is 1 for a cuboid and -1 for a tetrahedron.
#[derive(Debug, Clone)]
pub struct Packed<const D: usize> {
    records: Column<f32>,
    boxes: Column<f32>,
    is_moving: bool,
    /// No coordinate of an origin is larger, in metres.
    farthest: f64,
}

/// Frames that a thread checks and packs at a time; whole groups of them.
const CHUNK: usize = 1 << 13;

/// Numbers in a box.
pub(crate) const BOX: usize = 8;

impl<const D: usize> Packed<D> {
    /// Records and boxes of no frames.
    pub(super) fn new(is_moving: bool) -> Self {
        Self { records: Column::new(0.0), boxes: Column::new(0.0), is_moving, farthest: 0.0 }
    }

    /// Bytes of the record and the box of one frame.
    #[must_use]
    pub const fn bytes(is_moving: bool) -> usize {
        (Self::record_length(is_moving) + BOX) * size_of::<f32>()
    }

    /// Numbers in a record.
    const fn record_length(is_moving: bool) -> usize {
        let resting = if D == 2 { 8 } else { 16 };
        resting + if is_moving { LANES } else { 0 }
    }

    #[inline(always)]
    fn stride(&self) -> usize {
        Self::record_length(self.is_moving)
    }

    /// Whether the records have a motion.
    #[inline(always)]
    pub(crate) fn is_moving(&self) -> bool {
        self.is_moving
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.records.memory_bytes() + self.boxes.memory_bytes()
    }

    pub(super) fn reserve(&mut self, additional: usize) -> Result<()> {
        self.records.reserve(additional * self.stride())?;
        self.boxes.reserve(additional * BOX)
    }

    pub(super) fn resize(&mut self, len: usize) -> Result<()> {
        self.records.resize(len * self.stride(), 0.0)?;
        self.boxes.resize(len * BOX, 0.0)
    }

    pub(super) fn remove(&mut self, index: usize) {
        self.records.remove_range(index * self.stride(), self.stride());
        self.boxes.remove_range(index * BOX, BOX);
    }

    pub(super) fn clear(&mut self) {
        self.resize(0).expect("shrinking takes no memory");
        self.farthest = 0.0;
    }

    /// Number of frames.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.boxes.len() / BOX
    }

    /// How far an origin in a record may lie from the true one, in units of rounding of single precision: an origin and
    /// its rest have 48 bits.
    #[inline(always)]
    pub(crate) fn slack(&self) -> f64 {
        self.farthest / f64::from(1 << 23)
    }

    /// The records, for a kernel that reads motion only if `MOVING`.
    #[inline(always)]
    pub(crate) fn records<const MOVING: bool>(&self) -> Records<'_, D, MOVING> {
        let stride = self.stride();
        let motion_at = if self.is_moving { stride - LANES } else { 0 };
        Records { numbers: self.records.as_slice(), stride, motion_at }
    }

    /// The numbers of the records and of the boxes of those frames of a range that exist.
    #[inline(always)]
    pub(crate) fn numbers_of(&self, rows: Range<usize>) -> [&[f32]; 2] {
        let (start, end) = (rows.start.min(self.len()), rows.end.min(self.len()));
        let (records, boxes) = (self.records.as_slice(), self.boxes.as_slice());
        [&records[start * self.stride()..end * self.stride()], &boxes[start * BOX..end * BOX]]
    }

    /// The boxes of all frames, one after the other.
    #[inline(always)]
    pub(crate) fn boxes(&self) -> &[[f32; BOX]] {
        bytemuck::cast_slice(self.boxes.as_slice())
    }

    /// Packs the rows of a range from the columns, which move or rest as the set now does.
    pub(super) fn pack(&mut self, rows: Range<usize>, columns: &Columns<D>) -> Result<()> {
        let count = columns.kinds.len();
        if rows == (0..count) {
            (self.is_moving, self.farthest) = (columns.velocity.is_some(), 0.0);
        }
        self.resize(count)?;
        let (stride, room) = (self.stride(), rows.clone());
        let records = &mut self.records.as_mut_slice()[room.start * stride..room.end * stride];
        let boxes = &mut self.boxes.as_mut_slice()[room.start * BOX..room.end * BOX];
        let mut packing = Packing { rows, columns, to_check: false, records, boxes };
        self.farthest = self.farthest.max(packing.pack()?);
        Ok(())
    }

    /// Checks all frames and packs them; reports the first bad one.
    pub(super) fn check_and_pack(&mut self, context: &Context, columns: &Columns<D>) -> Result<()> {
        let count = columns.kinds.len();
        self.is_moving = columns.velocity.is_some();
        self.resize(count)?;
        let stride = self.stride();
        let records = self.records.as_mut_slice().chunks_mut(CHUNK * stride);
        let boxes = self.boxes.as_mut_slice().chunks_mut(CHUNK * BOX);
        let pieces = (0..count).step_by(CHUNK).zip(records.zip(boxes)).map(|(start, (records, boxes))| {
            Packing { rows: start..(start + CHUNK).min(count), columns, to_check: true, records, boxes }
        });
        let mut outcomes: Vec<(Packing<'_, D>, Result<f64>)> = pieces.map(|piece| (piece, Ok(0.0))).collect();
        context.for_each(outcomes.iter_mut().collect(), |(piece, outcome)| *outcome = piece.pack());
        self.farthest =
            outcomes.into_iter().try_fold(0.0_f64, |most, (_, farthest)| Ok(most.max(farthest?)))?;
        Ok(())
    }
}

/// The records of a set of frames, to be read by a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Records<'a, const D: usize, const MOVING: bool> {
    numbers: &'a [f32],
    stride: usize,
    /// Where in a record the motion is; of frames at rest anything else, which moves for no time.
    motion_at: usize,
}

impl<const D: usize, const MOVING: bool> Records<'_, D, MOVING> {
    /// Numbers in a record; a set that moves is never tested without its motion.
    #[inline(always)]
    fn stride(&self) -> usize {
        if MOVING { self.stride } else { Packed::<D>::record_length(false) }
    }

    /// Eight frames, one a lane, with upper bounds of their sizes.
    ///
    /// # Safety
    /// All rows must exist.
    #[inline(always)]
    pub(crate) unsafe fn gather(&self, rows: [u32; LANES32]) -> (FrameLanes<D, Block32>, Sizes<Block32>) {
        let starts = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane] as usize * self.stride());
        let quad = |at: usize| {
            layout::load_quads(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => {
                // SAFETY: the row exists, as the caller has promised, and its record does not end before `at` + 4.
                unsafe { &*self.numbers.as_ptr().add(at).add(starts[lane]).cast::<[f32; LANES]>() }
            }))
        };
        let motion = if MOVING { quad(self.motion_at) } else { [Block32::ZERO; LANES] };
        if D == 2 {
            let ([o0, o1, r0, r1], [a0, a1, b0, b1]) = (quad(0), quad(4));
            let [w0, w1, velocity, _] = motion;
            let frames = FrameLanes::<2, Block32> {
                origin: [o0, o1],
                origin_rest: [r0, r1],
                components: [[a0, a1], [b0, b1]],
                way: [w0, w1],
            };
            (frames.resized(), Sizes { velocity, ..Sizes::of(&frames) })
        } else {
            let ([o0, o1, o2, r0], [r1, r2, a0, a1]) = (quad(0), quad(4));
            let ([a2, b0, b1, b2], [c0, c1, c2, sizes]) = (quad(8), quad(12));
            let [w0, w1, w2, velocity] = motion;
            let frames = FrameLanes::<3, Block32> {
                origin: [o0, o1, o2],
                origin_rest: [r0, r1, r2],
                components: [[a0, a1, a2], [b0, b1, b2], [c0, c1, c2]],
                way: [w0, w1, w2],
            };
            let [edge, cofactor] = layout::halves(sizes);
            (frames.resized(), Sizes { edge, cofactor, velocity })
        }
    }

    /// Asks for the record of a frame that will be read soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        let start = row as usize * self.stride();
        lanes::prefetch(self.numbers, start);
        if D == 3 && MOVING {
            lanes::prefetch(self.numbers, start + self.stride() - 1);
        }
    }
}
