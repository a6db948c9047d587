//! Prefetching of what the next block of pairs reads, a little at a time while the kernels compute, so that memory and
//! arithmetic work at the same time.

use std::ops::Range;

use crate::frames::records::FrameRecords;
use crate::soa::prefetch;

/// Numbers in a cache line.
const LINE: usize = 16;

/// What is known of pairs before they are tested.
pub(super) enum NextPairs<'a> {
    /// Their frames of A and of B are those of two ranges.
    InRanges([Range<usize>; 2]),
    /// They are in memory.
    Listed(&'a [[u32; 2]]),
}

/// What is to be prefetched.
pub(super) enum Prefetch<'a> {
    Nothing,
    /// Records and boxes of two ranges of frames.
    Ranges([PrefetchSlice<'a>; 4]),
    /// What is read first of the frames of these pairs, `step` of them at a time.
    Pairs {
        pairs: &'a [[u32; 2]],
        step: usize,
    },
}

/// Contiguous numbers, of which `step` are prefetched at a time.
#[derive(Clone, Copy)]
pub(super) struct PrefetchSlice<'a> {
    numbers: &'a [f32],
    step: usize,
}

impl<'a> Prefetch<'a> {
    /// The frames of those pairs that exist, to be prefetched in `turns` steps.
    #[inline(always)]
    pub(super) fn new<const D: usize>(
        sets: [&'a FrameRecords<D>; 2],
        pairs: NextPairs<'a>,
        turns: usize,
    ) -> Self {
        let turns = turns.max(1);
        match pairs {
            NextPairs::Listed(pairs) => Self::Pairs { pairs, step: pairs.len().div_ceil(turns) },
            NextPairs::InRanges([a, b]) => {
                let slice = |numbers: &'a [f32]| {
                    let step = numbers.len().div_ceil(turns).next_multiple_of(LINE);
                    PrefetchSlice { numbers, step }
                };
                let [a, b] = [sets[0].numbers_of(a), sets[1].numbers_of(b)];
                Self::Ranges([slice(a[0]), slice(a[1]), slice(b[0]), slice(b[1])])
            }
        }
    }

    /// Does one step.
    #[inline(always)]
    pub(super) fn step<const D: usize>(&mut self, sets: [&FrameRecords<D>; 2]) {
        match self {
            Self::Nothing => {}
            Self::Ranges(slices) => {
                for PrefetchSlice { numbers, step } in slices {
                    let (now, later) = numbers.split_at((*step).min(numbers.len()));
                    for line in (0..now.len()).step_by(LINE) {
                        prefetch::far(now, line);
                    }
                    *numbers = later;
                }
            }
            Self::Pairs { pairs, step } => step_in_list(pairs, *step, sets),
        }
    }
}

/// Prefetches the frames of the next `step` pairs. Not part of the loops of the kernels, which have no registers to spare.
#[inline(never)]
fn step_in_list<const D: usize>(pairs: &mut &[[u32; 2]], step: usize, [a, b]: [&FrameRecords<D>; 2]) {
    let (now, later) = pairs.split_at(step.min(pairs.len()));
    for &[i, j] in now {
        a.prefetch(i as usize);
        b.prefetch(j as usize);
    }
    *pairs = later;
}
