//! Eight records at a time as lanes, for the kernels in single precision.

use super::halves::halves;
use super::record_length;
use crate::frames::lanes::{FrameLanes, Sizes};
use crate::soa::block::{LANES, LANES32, Singles, each};
use crate::soa::prefetch;

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
    pub(crate) unsafe fn gather<B: Singles>(&self, rows: [u32; LANES32]) -> (FrameLanes<D, B>, Sizes<B>) {
        let starts = each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => rows[lane] as usize * self.stride());
        // SAFETY: the rows exist, as the caller has promised, and their velocities are within their records.
        let motion = if MOVING { unsafe { self.quads(starts, self.velocity_at) } } else { [B::ZERO; LANES] };
        if D == 2 {
            // SAFETY: the rows exist, and no record ends before entry 8.
            let ([o0, o1, r0, r1], [a0, a1, b0, b1]) =
                unsafe { (self.quads(starts, 0), self.quads(starts, 4)) };
            let [v0, v1, velocity, _] = motion;
            let frames = FrameLanes::<2, B> {
                origin: [o0, o1],
                origin_rest: [r0, r1],
                components: [[a0, a1], [b0, b1]],
                velocity: [v0, v1],
            };
            (frames.resized(), Sizes { velocity, ..Sizes::of(&frames) })
        } else {
            // SAFETY: the rows exist, and no record in space ends before entry 16.
            let ([o0, o1, o2, r0], [r1, r2, a0, a1], [a2, b0, b1, b2], [c0, c1, c2, sizes]) = unsafe {
                (self.quads(starts, 0), self.quads(starts, 4), self.quads(starts, 8), self.quads(starts, 12))
            };
            let [v0, v1, v2, velocity] = motion;
            let frames = FrameLanes::<3, B> {
                origin: [o0, o1, o2],
                origin_rest: [r0, r1, r2],
                components: [[a0, a1, a2], [b0, b1, b2], [c0, c1, c2]],
                velocity: [v0, v1, v2],
            };
            let [edge, cofactor] = halves(sizes);
            (frames.resized(), Sizes { edge, cofactor, velocity })
        }
    }

    /// Four numbers of each of eight records, which begin at `starts`, from entry `at` on.
    ///
    /// # Safety
    /// The records must exist and not end before `at` + 4.
    #[inline(always)]
    unsafe fn quads<B: Singles>(&self, starts: [usize; LANES32], at: usize) -> [B; LANES] {
        B::load_quads(each!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => {
            // SAFETY: as the caller has promised.
            unsafe { &*self.numbers.as_ptr().add(at).add(starts[lane]).cast::<[f32; LANES]>() }
        }))
    }

    /// Prefetches the record of a frame.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: u32) {
        let start = row as usize * self.stride();
        prefetch::near(self.numbers, start);
        if MOVING {
            prefetch::near(self.numbers, start + self.stride() - 1);
        }
    }
}
