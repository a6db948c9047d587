//! Eight records at a time as lanes, for the kernels in single precision.

use super::record_length;
use crate::frames::lanes::{FrameLanes, Sizes};
use crate::soa::lanes::{self, Block32, LANES, LANES32, each};
use crate::soa::layout;

/// The records of a set of frames, to be read by a kernel.
#[derive(Clone, Copy)]
pub(crate) struct RecordReader<'a, const D: usize, const MOVING: bool> {
    numbers: &'a [f32],
    stride: usize,
    /// Where in a record the velocity is. Records of frames at rest have none: the kernel multiplies what it reads there
    /// by a duration of 0.
    velocity_at: usize,
}

impl<'a, const D: usize, const MOVING: bool> RecordReader<'a, D, MOVING> {
    #[inline(always)]
    pub(super) fn new(numbers: &'a [f32], is_moving: bool) -> Self {
        let stride = record_length(D, is_moving);
        Self { numbers, stride, velocity_at: if is_moving { stride - LANES } else { 0 } }
    }

    /// Numbers in a record, known at compile time unless `MOVING`: only sets at rest are tested without motion.
    #[inline(always)]
    fn stride(&self) -> usize {
        if MOVING { self.stride } else { record_length(D, false) }
    }

    /// Eight frames, one per lane, with upper bounds of their sizes.
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
        let motion = if MOVING { quad(self.velocity_at) } else { [Block32::ZERO; LANES] };
        if D == 2 {
            let ([o0, o1, r0, r1], [a0, a1, b0, b1]) = (quad(0), quad(4));
            let [v0, v1, velocity, _] = motion;
            let frames = FrameLanes::<2, Block32> {
                origin: [o0, o1],
                origin_rest: [r0, r1],
                components: [[a0, a1], [b0, b1]],
                velocity: [v0, v1],
            };
            (frames.resized(), Sizes { velocity, ..Sizes::of(&frames) })
        } else {
            let ([o0, o1, o2, r0], [r1, r2, a0, a1]) = (quad(0), quad(4));
            let ([a2, b0, b1, b2], [c0, c1, c2, sizes]) = (quad(8), quad(12));
            let [v0, v1, v2, velocity] = motion;
            let frames = FrameLanes::<3, Block32> {
                origin: [o0, o1, o2],
                origin_rest: [r0, r1, r2],
                components: [[a0, a1, a2], [b0, b1, b2], [c0, c1, c2]],
                velocity: [v0, v1, v2],
            };
            let [edge, cofactor] = layout::halves(sizes);
            (frames.resized(), Sizes { edge, cofactor, velocity })
        }
    }

    /// Prefetches the record of a frame.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        let start = row as usize * self.stride();
        lanes::prefetch(self.numbers, start);
        if D == 3 && MOVING {
            lanes::prefetch(self.numbers, start + self.stride() - 1);
        }
    }
}
