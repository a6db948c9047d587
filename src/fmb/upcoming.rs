//! What the pairs after those at hand will read, asked for a little at a time while the kernels compute: memory and
//! arithmetic then work at the same time.

use std::ops::Range;

use crate::frames::records::Records;
use crate::soa::lanes;

/// Numbers in a line of the cache.
const LINE: usize = 16;

/// Records and boxes of two runs of frames.
#[derive(Default)]
pub(super) struct Upcoming<'a> {
    runs: [Run<'a>; 4],
}

/// Numbers that follow each other, of which `step` are asked for at a time.
#[derive(Clone, Copy, Default)]
struct Run<'a> {
    numbers: &'a [f32],
    step: usize,
}

impl<'a> Upcoming<'a> {
    /// The records and boxes of two runs of frames, as far as there are such frames, to be asked for in some turns.
    pub(super) fn new<const D: usize>(
        sets: [&'a Records<D>; 2],
        [a, b]: [Range<usize>; 2],
        turns: usize,
    ) -> Self {
        let run = |numbers: &'a [f32]| {
            let step = numbers.len().div_ceil(turns.max(1)).next_multiple_of(LINE);
            Run { numbers, step }
        };
        let [[a_records, a_boxes], [b_records, b_boxes]] = [sets[0].numbers_of(a), sets[1].numbers_of(b)];
        Self { runs: [run(a_records), run(a_boxes), run(b_records), run(b_boxes)] }
    }

    /// Asks for as much as one turn must.
    #[inline(always)]
    pub(super) fn ask_for_some(&mut self) {
        for Run { numbers, step } in &mut self.runs {
            let (now, later) = numbers.split_at((*step).min(numbers.len()));
            for line in (0..now.len()).step_by(LINE) {
                lanes::prefetch_far(now, line);
            }
            *numbers = later;
        }
    }
}
