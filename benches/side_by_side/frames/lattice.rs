//! Frames that fill space: every pair of neighbours touches, and floating point alone cannot tell. One core.

use carom::fmb::{Intersections, Pairs, Request};
use carom::{Context, Frame, Frames};

use super::pairs::set_of;
use crate::table::{Contender, Table, best_by_parts, cycles, gigahertz};

/// Frames along an edge.
const EDGE: usize = 8;

/// Pairs in a part.
const PART: usize = 64;

const ROUNDS: usize = 25;

/// A lattice whose coordinates are exact, and one whose coordinates have all their digits.
const LATTICES: [(&str, [[f64; 3]; 3]); 2] = [
    ("short numbers", [[1.0, 0.25, 0.5], [-0.5, 1.0, 0.25], [0.25, -0.5, 1.0]]),
    ("long numbers", [[1.0 / 3.0, 0.1, 0.2], [-0.2, 1.0 / 7.0, 0.1], [0.1, -0.2, 1.0 / 9.0]]),
];

pub(crate) fn measure(table: &mut Table) {
    for (name, components) in LATTICES {
        measure_lattice(table, name, &components);
    }
}

fn measure_lattice(table: &mut Table, name: &str, components: &[[f64; 3]; 3]) {
    let frames = set_of(&lattice(components), None);
    let pairs = near_neighbours(&frames);
    let context = Context::serial();
    let mut found = Intersections::new(Request::COUNT);
    let (mut redone, mut hits) = (0, 0);
    let parts = pairs.len() / PART;
    let mut test = |part: usize| {
        let part = Pairs::Listed(&pairs[part * PART..][..PART]);
        found.test(&context, &frames, &frames, part).expect("valid frames");
        redone += found.redone();
        hits += found.hits();
    };
    let [time, clock] = best_by_parts(
        ROUNDS,
        [Contender { parts, run: &mut test }, Contender { parts: 1, run: &mut |_| cycles() }],
    );
    let tests = (parts * PART * (ROUNDS + 1)) as f64;
    let [redone, hits] = [redone as f64, hits as f64].map(|count| 100.0 * count / tests);
    table.add(
        &format!("neighbours in a lattice, 3D, {name}, {}", gigahertz(clock)),
        format!("{:.0} ns a pair", 1e9 * time / (parts * PART) as f64),
        format!("{redone:.0}% decided exactly, {hits:.0}% hits"),
        String::new(),
        "2,000 ns",
    );
}

/// Cuboids that fill space.
fn lattice(components: &[[f64; 3]; 3]) -> Vec<Frame<3>> {
    let at = |k: usize| [k % EDGE, k / EDGE % EDGE, k / EDGE / EDGE].map(|x| x as f64);
    let origin = |steps: [f64; 3]| {
        std::array::from_fn(|axis| (0..3).map(|i| steps[i] * components[i][axis]).sum::<f64>())
    };
    (0..EDGE.pow(3)).map(|k| Frame::cuboid(origin(at(k)), *components)).collect()
}

/// Pairs of neighbours that their boxes do not separate.
fn near_neighbours(frames: &Frames<3>) -> Vec<[u32; 2]> {
    let bounds: Vec<_> = (0..frames.len()).map(|row| frames.bounds(row).expect("a frame")).collect();
    let cell = |k: usize| [k % EDGE, k / EDGE % EDGE, k / EDGE / EDGE];
    let adjacent = |i: usize, j: usize| cell(i).iter().zip(cell(j)).all(|(a, b)| a.abs_diff(b) <= 1);
    let all = (0..frames.len()).flat_map(|i| (i + 1..frames.len()).map(move |j| (i, j)));
    all.filter(|&(i, j)| adjacent(i, j) && bounds[i].overlaps(&bounds[j]))
        .map(|(i, j)| [i as u32, j as u32])
        .collect()
}
