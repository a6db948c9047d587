//! Prefetching of what the next block of pairs reads, a little at a time while the kernels compute, so that memory and
//! arithmetic work at the same time.

use std::ops::Range;

use crate::frames::records::FrameRecords;
use crate::soa::prefetch;

/// Numbers in a cache line.
const LINE: usize = 16;

/// Records and boxes of two ranges of frames.
#[derive(Default)]
pub(super) struct Prefetch<'a> {
    slices: [PrefetchSlice<'a>; 4],
}

/// Contiguous numbers, of which `step` are prefetched at a time.
#[derive(Clone, Copy, Default)]
struct PrefetchSlice<'a> {
    numbers: &'a [f32],
    step: usize,
}

impl<'a> Prefetch<'a> {
    /// The records and boxes of those frames of two ranges that exist, to be prefetched in `turns` steps.
    #[inline(always)]
    pub(super) fn new<const D: usize>(
        sets: [&'a FrameRecords<D>; 2],
        [a, b]: [Range<usize>; 2],
        turns: usize,
    ) -> Self {
        let slice = |numbers: &'a [f32]| {
            let step = numbers.len().div_ceil(turns.max(1)).next_multiple_of(LINE);
            PrefetchSlice { numbers, step }
        };
        let [[a_records, a_boxes], [b_records, b_boxes]] = [sets[0].numbers_of(a), sets[1].numbers_of(b)];
        Self { slices: [slice(a_records), slice(a_boxes), slice(b_records), slice(b_boxes)] }
    }

    /// Does one step.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        for PrefetchSlice { numbers, step } in &mut self.slices {
            let (now, later) = numbers.split_at((*step).min(numbers.len()));
            for line in (0..now.len()).step_by(LINE) {
                prefetch::far(now, line);
            }
            *numbers = later;
        }
    }
}
