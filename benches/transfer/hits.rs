//! Hits, and when and where they are, as floats in structures of the caller.

use carom::capi::hit_structs::{carom_hit_layout, carom_hit_layout_init, carom_intersections_read_structs};
use carom::capi::intersections::*;
use carom::frames::random::RandomFrames;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::frames::{Set, ok};
use crate::report::{Contender, best_times, each, line};

const ROUNDS: usize = 30;
const FRAMES: usize = 4096;
const PAIRS: usize = 1 << 16;

/// What a caller may have for a hit in three dimensions.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Contact {
    pair: [u32; 2],
    times: [f32; 2],
    bounds: [f32; 6],
}

pub(crate) fn measure() {
    for moving in [false, true] {
        regions(moving);
    }
}

fn regions(moving: bool) {
    let set = Set::with_duration(if moving { 1.0 } else { 0.0 });
    let mut random = RandomFrames::new(3);
    set.add_many(&(0..FRAMES).map(|_| random.frame::<3>(moving).into()).collect::<Vec<_>>());
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut index = || random.random_range(0..FRAMES as u32);
    let pairs: Vec<_> = (0..PAIRS).map(|_| carom_frame_pair { first: index(), second: index() }).collect();
    let times = if moving { CAROM_HIT_TIMES } else { 0 };
    let regions = CAROM_HIT_BOXES | times;
    let [hits, doubles, converted, floats] =
        [0, regions, CAROM_HIT_PAIRS | regions, CAROM_HIT_PAIRS | CAROM_HIT_SINGLE | regions]
            .map(Outcome::new);
    let layout = contact_layout(moving);
    let mut contacts = vec![Contact::default(); PAIRS];
    let mut more_contacts = contacts.clone();
    let [alone, in_double, rounded, in_single] = best_times(
        ROUNDS,
        [
            Contender { prepare: &mut || {}, run: &mut || hits.test(&set, &pairs) },
            Contender { prepare: &mut || {}, run: &mut || doubles.test(&set, &pairs) },
            Contender {
                prepare: &mut || {},
                run: &mut || {
                    converted.test(&set, &pairs);
                    converted.read(&layout, &mut more_contacts);
                },
            },
            Contender {
                prepare: &mut || {},
                run: &mut || {
                    floats.test(&set, &pairs);
                    floats.read(&layout, &mut contacts);
                },
            },
        ],
    );
    let (what, goal) =
        if moving { ("times and boxes, moving", "at most 2.7") } else { ("boxes, resting", "at most 2.0") };
    let beside = format!("hits only {}", each(alone, PAIRS));
    let ratio = |time: f64| format!("{:.2}", time / alone);
    line(&format!("{what}, 3D, as doubles"), &each(in_double, PAIRS), &beside, &ratio(in_double), "");
    line(
        &format!("{what}, 3D, as doubles rounded in structures"),
        &each(rounded, PAIRS),
        &beside,
        &ratio(rounded),
        "",
    );
    line(
        &format!("{what}, 3D, as floats in structures"),
        &each(in_single, PAIRS),
        &beside,
        &ratio(in_single),
        goal,
    );
}

fn contact_layout(moving: bool) -> carom_hit_layout {
    let mut layout = std::mem::MaybeUninit::<carom_hit_layout>::uninit();
    // SAFETY: room for a layout, which the call fills.
    let mut layout = unsafe {
        ok(carom_hit_layout_init(layout.as_mut_ptr(), size_of::<carom_hit_layout>()));
        layout.assume_init()
    };
    layout.numbers = carom::capi::numbers::CAROM_FLOAT;
    layout.stride = size_of::<Contact>();
    layout.pair = std::mem::offset_of!(Contact, pair);
    layout.bounds = std::mem::offset_of!(Contact, bounds);
    if moving {
        layout.times = std::mem::offset_of!(Contact, times);
    }
    layout
}

/// The outcome of tests as C has it.
struct Outcome(*mut carom_intersections);

impl Outcome {
    fn new(request: carom_request) -> Self {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the arguments are what the function asks for.
        ok(unsafe { carom_intersections_create(3, request, &raw mut handle) });
        Self(handle)
    }

    fn test(&self, set: &Set, pairs: &[carom_frame_pair]) {
        let (context, frames) = (std::ptr::null(), set.0);
        // SAFETY: handles, and as many pairs as the count says.
        ok(unsafe {
            carom_intersections_test_pairs(self.0, context, frames, frames, pairs.as_ptr(), pairs.len())
        });
    }

    fn read(&self, layout: &carom_hit_layout, contacts: &mut [Contact]) {
        let mut hits = 0;
        // SAFETY: a handle, and room for as many contacts as there are pairs.
        unsafe {
            ok(carom::capi::hits::carom_intersections_hits(self.0, &raw mut hits));
            ok(carom_intersections_read_structs(self.0, layout, 0, hits, contacts.as_mut_ptr().cast()));
        }
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again.
        unsafe { carom_intersections_destroy(self.0) };
    }
}
