//! Random frames: sampled and tested, against testing frames that are already there.

use std::hint::black_box;

use carom::fmb::{Intersections, Pairs, Request};
use carom::study::Study;
use carom::{Context, Frame, FrameField, FrameKind, Frames};

use crate::best;

/// Replicas that are sampled and tested.
const SAMPLED: u64 = 10_000_000;
/// Pairs that are tested from memory, and in sets that stay in a cache.
const IN_MEMORY: usize = 1 << 20;
const IN_CACHE: usize = 1 << 10;
/// Sets in the cache, so that no processor learns their hits by heart.
const SETS: usize = 8;

pub(crate) fn study(dimension: usize, moving: bool) -> Study {
    let text = format!(
        "kind = \"frames\"\nmeasure = [\"hit\"]\n[frames]\ndimension = {dimension}\nmoving = {moving}\n"
    );
    Study::from_toml(&text, None).expect("a study")
}

pub(crate) fn measure() {
    println!("frames, hits only, ns per pair");
    println!(
        "{:<12} {:>8} {:>11} {:>9} {:>7} {:>9} {:>7}",
        "frames", "sampled", "from memory", "ratio", "", "in cache", "ratio"
    );
    line::<2>(false);
    line::<2>(true);
    line::<3>(false);
    line::<3>(true);
}

fn line<const D: usize>(moving: bool) {
    let study = study(D, moving);
    let sampled = 1e9 / SAMPLED as f64
        * best(|| {
            black_box(hits(&study, 0..SAMPLED));
        });
    let mut large = vec![pairs::<D>(&study, 0..IN_MEMORY, moving)];
    let from_memory = 1e9 / IN_MEMORY as f64 * best(|| test_all(&mut large, 1));
    drop(large);
    let mut small: Vec<_> =
        (0..SETS).map(|k| pairs::<D>(&study, k * IN_CACHE..(k + 1) * IN_CACHE, moving)).collect();
    let turns = 64;
    let in_cache = 1e9 / (SETS * IN_CACHE * turns) as f64 * best(|| test_all(&mut small, turns));
    println!(
        "{D}D {:<9} {sampled:>8.1} {from_memory:>11.1} {:>9.2} {:>7} {in_cache:>9.1} {:>7.2}   {:.0}% of the time in the kernels",
        if moving { "moving" } else { "resting" },
        sampled / from_memory,
        "",
        sampled / in_cache,
        100.0 * in_cache / sampled,
    );
}

pub(crate) fn hits(study: &Study, replicas: std::ops::Range<u64>) -> f64 {
    let mut hits = 0.0;
    let outcome = study.each_batch(0, replicas, |_, values| hits += values[0].iter().sum::<f64>());
    outcome.expect("there is one point");
    hits
}

/// Two sets of frames, and room for what is found.
type Tested<const D: usize> = ([Frames<D>; 2], Intersections<D>);

/// Checks, packs and tests all pairs, as if they had just been written.
fn test_all<const D: usize>(sets: &mut [Tested<D>], turns: usize) {
    let context = Context::serial();
    for _ in 0..turns {
        for ([a, b], found) in &mut *sets {
            for frames in [&mut *a, &mut *b] {
                frames.column_mut(FrameField::Origin, 0).expect("a column");
                frames.update(&context).expect("valid frames");
            }
            found.test(&context, a, b, Pairs::Paired).expect("sets of the same size");
            black_box(found.hits());
        }
    }
}

/// The frames of some replicas of the study.
fn pairs<const D: usize>(study: &Study, replicas: std::ops::Range<usize>, moving: bool) -> Tested<D> {
    let mut lists: [Vec<Frame<D>>; 2] = [Vec::new(), Vec::new()];
    let outcome = study.each_batch(0, replicas.start as u64..replicas.end as u64, |inputs, _| {
        for row in 0..inputs[0].len() {
            let mut numbers = inputs.iter().map(|column| column[row]);
            for list in &mut lists {
                list.push(frame(&mut numbers, moving));
            }
        }
    });
    outcome.expect("there is one point");
    let sets = lists.map(|list| {
        let mut set = if moving { Frames::moving(1.0).expect("a duration") } else { Frames::resting() };
        set.add_many(&list).expect("valid frames");
        set
    });
    (sets, Intersections::new(Request::COUNT.with_list(true)))
}

/// Kind, origin, components and velocity.
fn frame<const D: usize>(numbers: &mut dyn Iterator<Item = f64>, moving: bool) -> Frame<D> {
    let mut next = || numbers.next().expect("a number for each input");
    let kind = FrameKind::from_code(next() as u8).expect("a kind");
    let origin = std::array::from_fn(|_| next());
    let components = std::array::from_fn(|_| std::array::from_fn(|_| next()));
    let velocity = std::array::from_fn(|_| if moving { next() } else { 0.0 });
    Frame { kind, origin, components, velocity }
}
