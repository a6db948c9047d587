//! Frames that are added through the C interface, many at once and one by one.

use std::ptr::null_mut;

use carom::capi::frame_rows::carom_frame;
use carom::capi::frame_structs::{carom_frame_layout, carom_frame_layout_init, carom_frames_add_structs};
use carom::capi::frames::*;
use carom::capi::numbers::CAROM_FLOAT;
use carom::frames::random::RandomFrames;
use carom::{Context, FrameField, Frames};

use crate::report::{Contender, best_time, best_times, each, line};

const ROUNDS: usize = 30;

/// Frames that stay in the caches, and more of them.
const COUNTS: [usize; 2] = [4096, 100_000];

/// A set in three dimensions as C has it.
pub(crate) struct Set(pub(crate) *mut carom_frames);

impl Set {
    pub(crate) fn new() -> Self {
        Self::with_duration(0.0)
    }

    /// Frames that move for some seconds, or rest if that is 0.
    pub(crate) fn with_duration(duration: f64) -> Self {
        let mut handle = null_mut();
        // SAFETY: the arguments are what the function asks for.
        ok(unsafe { carom_frames_create(3, &raw const duration, &raw mut handle) });
        Self(handle)
    }

    fn clear(&self) {
        // SAFETY: a handle that is not used elsewhere.
        ok(unsafe { carom_frames_clear(self.0) });
    }

    pub(crate) fn add_many(&self, frames: &[carom_frame]) {
        // SAFETY: as many frames as the count says.
        ok(unsafe { carom_frames_add_many(self.0, frames.as_ptr(), frames.len(), 0, null_mut()) });
    }

    pub(crate) fn add_matrices(&self, layout: &carom_frame_layout, matrices: &[[f32; 16]]) {
        let (data, count) = (matrices.as_ptr().cast(), matrices.len());
        // SAFETY: as many matrices as the count says, laid out as the layout says.
        ok(unsafe { carom_frames_add_structs(self.0, layout, data, count, null_mut()) });
    }

    fn add(&self, frame: &carom_frame) {
        // SAFETY: one frame.
        ok(unsafe { carom_frames_add(self.0, frame, null_mut()) });
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again.
        unsafe { carom_frames_destroy(self.0) };
    }
}

pub(crate) fn ok(status: i32) {
    assert_eq!(status, 0, "the call succeeds");
}

/// Matrices of floats, one column after the other: three components and the origin.
pub(crate) fn matrices(frames: &[carom_frame]) -> Vec<[f32; 16]> {
    let matrix = |frame: &carom_frame| {
        let mut matrix = [0.0; 16];
        let columns = frame.components.iter().chain([&frame.origin]);
        for (column, numbers) in matrix.chunks_exact_mut(4).zip(columns) {
            column.iter_mut().zip(numbers).for_each(|(entry, &x)| *entry = x as f32);
        }
        matrix
    };
    frames.iter().map(matrix).collect()
}

/// Where a frame is in such a matrix.
pub(crate) fn matrix_layout() -> carom_frame_layout {
    let mut layout = std::mem::MaybeUninit::<carom_frame_layout>::uninit();
    // SAFETY: room for a layout, which the call fills.
    let mut layout = unsafe {
        ok(carom_frame_layout_init(layout.as_mut_ptr(), size_of::<carom_frame_layout>()));
        layout.assume_init()
    };
    layout.numbers = CAROM_FLOAT;
    (layout.stride, layout.components, layout.component_stride, layout.origin) = (64, 0, 16, 48);
    layout
}

pub(crate) fn measure() {
    for count in COUNTS {
        let mut random = RandomFrames::new(3);
        let values: Vec<_> = (0..count).map(|_| random.frame::<3>(false)).collect();
        let frames: Vec<carom_frame> = values.iter().map(|&frame| frame.into()).collect();
        let mut packed = Frames::<3>::resting();
        packed.add_many(&values).expect("valid frames");
        add_many(&frames, &mut packed);
        add_one_by_one(&frames);
    }
}

fn add_many(frames: &[carom_frame], packed: &mut Frames<3>) {
    let (count, context) = (frames.len(), Context::serial());
    let (kept, of_floats) = (Set::new(), Set::new());
    let (layout, floats) = (matrix_layout(), matrices(frames));
    let mut new = Set::new();
    let new = std::cell::RefCell::new(&mut new);
    let [pack, again, fresh, singles] = best_times(
        ROUNDS,
        [
            Contender {
                prepare: &mut || {},
                run: &mut || {
                    packed.column_mut(FrameField::Origin, 0).expect("a column");
                    packed.update(&context).expect("valid frames");
                },
            },
            Contender { prepare: &mut || kept.clear(), run: &mut || kept.add_many(frames) },
            Contender {
                prepare: &mut || **new.borrow_mut() = Set::new(),
                run: &mut || new.borrow().add_many(frames),
            },
            Contender {
                prepare: &mut || of_floats.clear(),
                run: &mut || of_floats.add_matrices(&layout, &floats),
            },
        ],
    );
    let beside = format!("checking and packing {}", each(pack, count));
    let ratio = |time: f64| format!("{:.1}", time / pack);
    let name = |memory: &str| format!("carom_frames_add_many, {count} frames, {memory}");
    line(&name("memory kept"), &each(again, count), &beside, &ratio(again), "at most 5");
    let structs = format!("carom_frames_add_structs, {count} matrices of floats, memory kept");
    line(&structs, &each(singles, count), &beside, &ratio(singles), "at most 5");
    line(&name("new memory"), &each(fresh, count), &beside, &ratio(fresh), "");
}

fn add_one_by_one(frames: &[carom_frame]) {
    let set = Set::new();
    let time = best_time(ROUNDS, || set.clear(), || frames.iter().for_each(|frame| set.add(frame)));
    line(&format!("carom_frames_add, {} times", frames.len()), &each(time, frames.len()), "", "", "60 ns");
}
