//! What surrounds the test: preparing frames, and computing when and where they overlap. One core.

use std::hint::black_box;

use carom::fmb::{Intersections, Request};
use carom::{Context, FrameField, Frames};

use super::pairs::{PairOrigin, Work};
use crate::table::{Contender, Table, best_by_parts, cycles, gigahertz};

const ROUNDS: usize = 200;

/// Words that are read to measure the bandwidth of memory: as many bytes as two sets of 2^18 frames in 3D, in parts.
const WORDS: usize = 2 * (1 << 18) * (64 + 32) / 8;
const READ_PARTS: usize = 64;

pub(crate) fn measure(table: &mut Table) {
    prepare::<2>(table, "");
    prepare::<3>(table, "8 ns");
    for moving in [false, true] {
        regions::<2>(table, moving);
        regions::<3>(table, moving);
    }
    read_memory(table);
}

/// Checking frames and writing records after columns were written.
fn prepare<const D: usize>(table: &mut Table, target: &str) {
    let context = Context::serial();
    let mut written: Frames<D> = Work::new(PairOrigin::Random, false).frames;
    let count = written.len() as f64;
    let [both, clock] = best_by_parts(
        ROUNDS,
        [
            Contender {
                parts: 1,
                run: &mut |_| {
                    written.column_mut(FrameField::Origin, 0).expect("a column");
                    written.update(&context).expect("valid frames");
                },
            },
            Contender { parts: 1, run: &mut |_| cycles() },
        ],
    );
    table.add(
        &format!("checking 4,096 frames and writing their records, {D}D, {}", gigahertz(clock)),
        format!("{:.1} ns per frame", 1e9 * both / count),
        String::new(),
        String::new(),
        target,
    );
}

/// Boxes, and times of frames that move, for all hits.
fn regions<const D: usize>(table: &mut Table, moving: bool) {
    let work = Work::<D>::new(PairOrigin::Random, moving);
    let context = Context::serial();
    let wanted = Request::COUNT.with_list(true).with_times(moving).with_boxes(true);
    let (mut few, mut all) = (Intersections::new(Request::COUNT), Intersections::new(wanted));
    let parts = work.parts();
    let [hits, regions, clock] = best_by_parts(
        ROUNDS / 8,
        [
            Contender { parts, run: &mut |part| work.test(part, &context, &mut few) },
            Contender { parts, run: &mut |part| work.test(part, &context, &mut all) },
            Contender { parts: 1, run: &mut |_| cycles() },
        ],
    );
    let each = |seconds: f64| format!("{:.1} ns per pair", 1e9 * seconds / work.pairs() as f64);
    let what = if moving { "times and boxes, moving" } else { "boxes, resting" };
    let share = 100.0 * all.hits() as f64 / all.tested() as f64;
    table.add(
        &format!("{what}, {D}D, random, {share:.0}% hits, {}", gigahertz(clock)),
        each(regions),
        format!("hits only {}", each(hits)),
        format!("{:.2}", regions / hits),
        "at most 2",
    );
}

/// Sums up numbers that do not fit into a cache.
fn read_memory(table: &mut Table) {
    let words = vec![1_u64; WORDS];
    let part = WORDS / READ_PARTS;
    let mut read = |k: usize| {
        black_box(words[k * part..][..part].iter().fold(0_u64, |sum, &word| sum.wrapping_add(word)));
    };
    let [seconds] = best_by_parts(ROUNDS / 8, [Contender { parts: READ_PARTS, run: &mut read }]);
    let rate = 1e-9 * 8.0 * WORDS as f64 / seconds;
    table.add(
        "reading memory, one core",
        format!("{rate:.1} GB/s"),
        format!("two frames of 2D {:.1} ns, of 3D {:.1} ns", 2.0 * 64.0 / rate, 2.0 * 96.0 / rate),
        String::new(),
        "",
    );
}
