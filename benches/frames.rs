//! The kernels of frames over time: `cargo bench --bench frames` compares with its last run.

use std::hint::black_box;

use carom::broad::Candidates;
use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::{Orientation, RandomFrames};
use carom::{Context, FrameField, Frames};
use criterion::{Criterion, criterion_group, criterion_main};

const COUNT: usize = 4096;

/// Random frames that rest, or move for one second.
fn frames<const D: usize>(moving: bool) -> Frames<D> {
    turned_frames(moving, Orientation::Random)
}

fn turned_frames<const D: usize>(moving: bool, orientation: Orientation) -> Frames<D> {
    let mut random = RandomFrames::new(1).with_orientation(orientation);
    let list: Vec<_> = (0..COUNT).map(|_| random.frame(moving)).collect();
    let mut frames = if moving { Frames::moving(1.0).expect("a duration") } else { Frames::resting() };
    frames.add_many(&list).expect("valid frames");
    frames
}

/// Each frame with two others: strides without a common factor with the number of frames visit all.
fn pairs() -> Vec<[u32; 2]> {
    let other = |i: usize, stride: usize| ((i * stride + 1) % COUNT) as u32;
    (0..COUNT).flat_map(|i| [[i as u32, other(i, 1021)], [i as u32, other(i, 2503)]]).collect()
}

fn tests<const D: usize>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("frames in {D}D"));
    let context = Context::serial();
    let pairs = pairs();
    for (motion, moving) in [("resting", false), ("moving", true)] {
        let frames = frames::<D>(moving);
        for (what, request) in [("hits", Request::COUNT), ("everything", Request::ALL)] {
            let mut found = Intersections::new(request);
            group.bench_function(format!("{what} of {} pairs, {motion}", pairs.len()), |bench| {
                bench.iter(|| {
                    let outcome = found.test(&context, &frames, &frames, Pairs::Listed(&pairs));
                    outcome.expect("valid frames");
                    black_box(found.hits())
                });
            });
        }
    }
    let mut written = frames::<D>(true);
    group.bench_function(format!("preparing {COUNT} frames"), |bench| {
        bench.iter(|| {
            written.column_mut(FrameField::Origin, 0).expect("a column");
            written.update(&context).expect("valid frames");
        });
    });
    group.finish();
}

/// Hits of frames that share directions, beside those of tilted ones.
fn orientations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("orientations in 3D");
    let (context, pairs) = (Context::serial(), pairs());
    for (motion, moving) in [("resting", false), ("moving", true)] {
        for orientation in
            [Orientation::Tilted, Orientation::Upright, Orientation::Aligned, Orientation::Lattice]
        {
            let frames = turned_frames::<3>(moving, orientation);
            let mut found = Intersections::new(Request::COUNT);
            group.bench_function(format!("{orientation:?}, {motion}"), |bench| {
                bench.iter(|| {
                    found.test(&context, &frames, &frames, Pairs::Listed(&pairs)).expect("valid frames");
                    black_box(found.hits())
                });
            });
        }
    }
    group.finish();
}

/// Frames on a line, each of which overlaps with some.
fn broad_phase(criterion: &mut Criterion) {
    let context = Context::serial();
    let mut frames = frames::<3>(false);
    let origins = frames.column_mut(FrameField::Origin, 0).expect("a column");
    origins.iter_mut().enumerate().for_each(|(i, x)| *x = 50.0 * i as f64);
    frames.update(&context).expect("valid frames");
    let mut candidates = Candidates::new();
    criterion.bench_function(&format!("candidate pairs of {COUNT} frames in 3D"), |bench| {
        bench.iter(|| black_box(candidates.of_set(&context, &frames).expect("memory").len()));
    });
}

criterion_group!(benches, tests::<2>, tests::<3>, orientations, broad_phase);
criterion_main!(benches);
