//! Frames that touch: floating point alone cannot decide whether they intersect. One core.

use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::RandomFrames;
use carom::{Context, Frame, FrameKind, Frames};

use super::pairs::set_of;
use crate::table::{Contender, Table, best_by_parts, cycles, gigahertz};

/// Frames along an edge of the lattice.
const EDGE: usize = 8;

/// The components of the frames of the lattice. All coordinates are exact.
const COMPONENTS: [[f64; 3]; 3] = [[1.0, 0.25, 0.5], [-0.5, 1.0, 0.25], [0.25, -0.5, 1.0]];

/// Pairs in a part.
const PART: usize = 64;

const ROUNDS: usize = 25;

pub(crate) fn measure(table: &mut Table) {
    let frames = set_of(&lattice(), None);
    touch(table, "neighbours in a lattice", &frames, &near_neighbours(&frames));
    let (frames, pairs) = copies();
    touch(table, "random cuboids and copies a component away", &set_of(&frames, None), &pairs);
}

/// Measures pairs that all touch.
fn touch(table: &mut Table, name: &str, frames: &Frames<3>, pairs: &[[u32; 2]]) {
    let context = Context::serial();
    let mut found = Intersections::new(Request::COUNT);
    let mut redone = 0;
    let parts = pairs.len() / PART;
    let mut test = |part: usize| {
        let part = Pairs::Listed(&pairs[part * PART..][..PART]);
        found.test(&context, frames, frames, part).expect("valid frames");
        assert_eq!(found.hits(), 0, "frames that touch do not intersect");
        redone += found.redone();
    };
    let [time, clock] = best_by_parts(
        ROUNDS,
        [Contender { parts, run: &mut test }, Contender { parts: 1, run: &mut |_| cycles() }],
    );
    let tested = parts * PART;
    table.add(
        &format!("{name}, 3D, all touch, {}", gigahertz(clock)),
        format!("{:.0} ns per pair", 1e9 * time / tested as f64),
        format!("{:.0}% decided exactly", 100.0 * redone as f64 / (tested * (ROUNDS + 1)) as f64),
        String::new(),
        "2,000 ns",
    );
}

/// Cuboids that fill space.
fn lattice() -> Vec<Frame<3>> {
    let origin = |steps: [usize; 3]| {
        std::array::from_fn(|axis| (0..3).map(|i| steps[i] as f64 * COMPONENTS[i][axis]).sum::<f64>())
    };
    (0..EDGE.pow(3)).map(|k| Frame::cuboid(origin(cell(k)), COMPONENTS)).collect()
}

/// The cell of the lattice that a frame fills.
fn cell(k: usize) -> [usize; 3] {
    [k % EDGE, k / EDGE % EDGE, k / EDGE / EDGE]
}

/// Pairs of neighbours that their boxes do not separate.
fn near_neighbours(frames: &Frames<3>) -> Vec<[u32; 2]> {
    let bounds: Vec<_> = (0..frames.len()).map(|row| frames.bounds(row).expect("a frame")).collect();
    let adjacent = |i: usize, j: usize| cell(i).iter().zip(cell(j)).all(|(a, b)| a.abs_diff(b) <= 1);
    let all = (0..frames.len()).flat_map(|i| (i + 1..frames.len()).map(move |j| (i, j)));
    all.filter(|&(i, j)| adjacent(i, j) && bounds[i].overlaps(&bounds[j]))
        .map(|(i, j)| [i as u32, j as u32])
        .collect()
}

/// Cuboids at the origin, each with its copy at the end of one of its components: their numbers have all digits, yet no
/// sum is rounded.
fn copies() -> (Vec<Frame<3>>, Vec<[u32; 2]>) {
    let mut random = RandomFrames::new(1);
    let pair = |k: usize| {
        let frame = Frame { origin: [0.0; 3], ..random.frame_of_kind(FrameKind::Cuboid, false) };
        [frame, Frame { origin: frame.components[k % 3], ..frame }]
    };
    let frames = (0..EDGE.pow(3)).flat_map(pair).collect();
    (frames, (0..EDGE.pow(3) as u32).map(|k| [2 * k, 2 * k + 1]).collect())
}
