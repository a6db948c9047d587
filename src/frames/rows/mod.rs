//! Rows: copies of the frames in double precision, one frame after the other, which regions are computed from.
//!
//! A frame in columns is spread over as many cache lines as it has numbers; a row takes one or two. Rows are made at most
//! once per change of a set, and only if enough frames are read in any order to pay for it. Hits are found from
//! [records](super::records), in single precision.

mod reader;

use std::sync::{Mutex, OnceLock, PoisonError};

pub(crate) use reader::RowReader;

use super::lanes::FrameLanes;
use crate::soa::block::{Doubles, LANES, Lanes, each};
use crate::soa::level::{self, Kernel};
use crate::soa::par::Divide;
use crate::soa::simd::Simd;
use crate::soa::{Column, Context, prefetch};

/// Groups of frames whose rows a thread makes at a time.
const CHUNK: usize = 1 << 11;

/// Rows are made if at least one in this many frames of the set is read.
const FRAMES_PER_READ: usize = 4;

/// The rows of a set. Memory is kept when they are discarded.
#[derive(Debug)]
pub(super) struct FrameRows {
    made: OnceLock<Column<f64>>,
    spare: Mutex<Column<f64>>,
}

impl FrameRows {
    pub(super) fn new() -> Self {
        Self { made: OnceLock::new(), spare: Mutex::new(Column::new(0.0)) }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).memory_bytes();
        spare + self.made.get().map_or(0, Column::memory_bytes)
    }

    /// Discards the rows, which no longer agree with the columns.
    pub(super) fn discard(&mut self) {
        if let Some(rows) = self.made.take() {
            *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = rows;
        }
    }

    /// The rows of the frames that `reader` reads; `None` if they do not exist and would not pay for so many reads, or if
    /// their allocation failed.
    pub(super) fn of<const D: usize>(
        &self,
        context: &Context,
        reader: &RowReader<D>,
        reads: usize,
    ) -> Option<&[f64]> {
        if self.made.get().is_none() && FRAMES_PER_READ * reads >= reader.len() {
            let mut rows = self.take_spare();
            let groups = reader.len().div_ceil(LANES);
            rows.resize(groups * LANES * length::<D>(reader.is_moving()), 0.0).ok()?;
            context.run(RowWriter { reader, first: 0, groups, rows: rows.as_mut_slice() }, CHUNK);
            // A second thread that came here at the same time made the same rows.
            let _ = self.made.set(rows);
        }
        self.made.get().map(Column::as_slice)
    }

    /// The lock is not held while rows are made: a thread that waits for others may run another task with the same set.
    fn take_spare(&self) -> Column<f64> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut spare, Column::new(0.0))
    }
}

impl Clone for FrameRows {
    fn clone(&self) -> Self {
        Self::new()
    }
}

/// Numbers in a row: in 2D origin, velocity and components; in 3D origin, components and, if the frames move, velocity.
/// The rest of a row is 0.
const fn length<const D: usize>(is_moving: bool) -> usize {
    match (D, is_moving) {
        (2, _) => 2 * LANES,
        (_, false) => 3 * LANES,
        (_, true) => 4 * LANES,
    }
}

/// Groups of frames whose rows are to be made.
struct RowWriter<'a, const D: usize> {
    reader: &'a RowReader<'a, D>,
    first: usize,
    groups: usize,
    rows: &'a mut [f64],
}

impl<const D: usize> Divide for RowWriter<'_, D> {
    fn size(&self) -> usize {
        self.groups
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { reader, first, groups, rows } = self;
        let (rows, more) = rows.split_at_mut(at * LANES * length::<D>(reader.is_moving()));
        (
            Self { reader, first, groups: at, rows },
            Self { reader, first: first + at, groups: groups - at, rows: more },
        )
    }

    fn work(self) {
        level::run(self);
    }
}

impl<const D: usize> Kernel for RowWriter<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let length = length::<D>(self.reader.is_moving());
        let last = self.reader.len().saturating_sub(1);
        for (group, rows) in (self.first..).zip(self.rows.chunks_exact_mut(LANES * length)) {
            // The last group is filled up with the last frame.
            let frames = self
                .reader
                .gather::<S::Block>(each!(lane in [0, 1, 2, 3] => (group * LANES + lane).min(last) as u32));
            let quads = quads(&frames);
            for quad in 0..length / LANES {
                let numbers = S::Block::transpose(quads[quad]);
                for lane in 0..LANES {
                    rows[lane * length + quad * LANES..][..LANES].copy_from_slice(&numbers[lane].to_array());
                }
            }
        }
    }
}

/// The numbers of rows, four at a time.
#[inline(always)]
fn quads<B: Doubles, const D: usize>(frames: &FrameLanes<D, B>) -> [[B; LANES]; 4] {
    let zero = B::ZERO;
    if D == 2 {
        let FrameLanes { origin: [o0, o1], components: [[a0, a1], [b0, b1]], velocity: [v0, v1], .. } =
            frames.resized::<2>();
        [[o0, o1, v0, v1], [a0, a1, b0, b1], [zero; LANES], [zero; LANES]]
    } else {
        let FrameLanes { origin: [o0, o1, o2], components: [a, b, c], velocity: [v0, v1, v2], .. } =
            frames.resized::<3>();
        [[o0, o1, o2, a[0]], [a[1], a[2], b[0], b[1]], [b[2], c[0], c[1], c[2]], [v0, v1, v2, zero]]
    }
}

/// As many frames as there are lanes, one per lane, with their velocities.
///
/// # Safety
/// There must be as many numbers as lanes, and the rows must exist.
#[inline(always)]
unsafe fn gather<B: Lanes<Number = f64>, const D: usize>(
    rows: &[f64],
    is_moving: bool,
    numbers: &[u32],
) -> FrameLanes<D, B> {
    let length = length::<D>(is_moving);
    if D == 2 {
        // SAFETY: the rows exist, as the caller has promised, and have 8 numbers.
        let ([o0, o1, v0, v1], [a0, a1, b0, b1]) =
            unsafe { (columns::<B>(rows, length, numbers, 0), columns::<B>(rows, length, numbers, 4)) };
        let (origin, components, velocity) = ([o0, o1], [[a0, a1], [b0, b1]], [v0, v1]);
        FrameLanes::<2, B> { origin, components, velocity, ..FrameLanes::ZERO }.resized()
    } else {
        // SAFETY: the rows exist, as the caller has promised, and have 12 numbers at least.
        let ([o0, o1, o2, a0], [a1, a2, b0, b1], [b2, c0, c1, c2]) = unsafe {
            (
                columns::<B>(rows, length, numbers, 0),
                columns::<B>(rows, length, numbers, 4),
                columns::<B>(rows, length, numbers, 8),
            )
        };
        let components = [[a0, a1, a2], [b0, b1, b2], [c0, c1, c2]];
        let mut frames = FrameLanes::<3, B> { origin: [o0, o1, o2], components, ..FrameLanes::ZERO };
        if is_moving {
            // SAFETY: rows of moving frames have 16 numbers.
            let [v0, v1, v2, _] = unsafe { columns::<B>(rows, length, numbers, 12) };
            frames.velocity = [v0, v1, v2];
        }
        frames.resized()
    }
}

/// Four numbers of each of some rows of one length, from entry `at` on.
///
/// # Safety
/// There must be as many numbers of rows as lanes, and the rows must exist and not end before `at` + 4.
#[inline(always)]
unsafe fn columns<B: Lanes<Number = f64>>(
    rows: &[f64],
    length: usize,
    numbers: &[u32],
    at: usize,
) -> [B; LANES] {
    B::load_rows(
        #[inline(always)]
        |lane| {
            // SAFETY: as the caller has promised.
            unsafe {
                let start = *numbers.get_unchecked(lane) as usize * length;
                &*rows.as_ptr().add(at).add(start).cast::<[f64; LANES]>()
            }
        },
    )
}

/// Prefetches a row.
#[inline(always)]
fn prefetch<const D: usize>(rows: &[f64], is_moving: bool, number: u32) {
    let length = length::<D>(is_moving);
    let start = number as usize * length;
    prefetch::near(rows, start);
    if D == 3 {
        prefetch::near(rows, start + length - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::random::RandomFrames;
    use crate::frames::{FrameField, Frames};

    /// The bits of all numbers of four frames.
    #[derive(Clone)]
    struct Gather<'a, const D: usize> {
        reader: &'a RowReader<'a, D>,
        group: [u32; LANES],
    }

    impl<const D: usize> Kernel for Gather<'_, D> {
        type Output = Vec<[u64; LANES]>;

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            let lanes = self.reader.gather::<S::Block>(self.group);
            let numbers = [lanes.origin, lanes.velocity].into_iter().chain(lanes.components).flatten();
            numbers.map(|block| block.to_array().map(f64::to_bits)).collect()
        }
    }

    /// Four frames as they are read from rows must be those read from columns, at every level.
    fn assert_same_frames<const D: usize>(frames: &Frames<D>) {
        let context = Context::serial();
        let (columns, rows) = (frames.rows(), frames.rows_for_many(&context, frames.len()));
        for row in 0..frames.len() as u32 {
            let group = [row, 0, frames.len() as u32 - 1, row / 2];
            let of_columns = level::run(Gather { reader: &columns, group });
            for reader in [&columns, &rows] {
                for read in level::run_at_each_level(&Gather { reader, group }) {
                    assert_eq!(read, of_columns, "{group:?}");
                }
            }
        }
    }

    fn rows_follow_every_change<const D: usize>() {
        let mut random = RandomFrames::new(7);
        let mut frames = Frames::<D>::resting();
        frames.add_many(&std::array::from_fn::<_, 37, _>(|_| random.frame(false))).unwrap();
        assert_same_frames(&frames);
        frames.add(&random.frame(false)).unwrap();
        assert_same_frames(&frames);
        frames.set_duration(Some(2.0)).unwrap();
        assert_same_frames(&frames);
        frames.set(3, &random.frame(true)).unwrap();
        assert_same_frames(&frames);
        frames.remove(5).unwrap();
        assert_same_frames(&frames);
        frames.column_mut(FrameField::Origin, 0).unwrap()[9] = 0.25;
        frames.update(&Context::serial()).unwrap();
        assert_same_frames(&frames);
        let held = frames.memory_bytes();
        frames.clear();
        frames.add(&random.frame(true)).unwrap();
        assert_same_frames(&frames);
        assert_eq!(frames.memory_bytes(), held, "memory is kept");
    }

    #[test]
    fn rows_hold_what_columns_hold_after_every_change() {
        rows_follow_every_change::<2>();
        rows_follow_every_change::<3>();
    }

    #[test]
    fn rows_are_not_made_for_a_few_reads() {
        let mut random = RandomFrames::new(9);
        let mut frames = Frames::<3>::resting();
        frames.add_many(&std::array::from_fn::<_, 100, _>(|_| random.frame(false))).unwrap();
        let before = frames.memory_bytes();
        frames.rows_for_many(&Context::serial(), 10);
        assert_eq!(frames.memory_bytes(), before);
        frames.rows_for_many(&Context::serial(), 100);
        assert!(frames.memory_bytes() >= before + 100 * 96);
    }
}
