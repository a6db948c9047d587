//! Which pairs intersect when frames share directions: upright, aligned and in a lattice beside tilted ones, all in one run
//! and in turns. One core, by the clock of the thread. SAT and parry test the same pairs, all of them: a thousand that are
//! tested again and again are learnt by the branch prediction, and SAT takes up to a third less time.

use std::hint::black_box;

use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::{Orientation, RandomFrames};
use carom::{Context, Frame, FrameKind, Frames, sat};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::pairs::{DURATION, set_of};
use super::parry::{InSpace, Rival};
use crate::table::{Contender, best_by_parts, print_markdown};

const ROUNDS: usize = 12;

/// Frames from which pairs are drawn, half of them of the first kind.
const FRAMES: usize = 4096;

/// Pairs in a part, and parts.
const PART: usize = 4096;
const PARTS: usize = 8;

const ORIENTATIONS: [(Orientation, &str, [&str; 2]); 5] = [
    (Orientation::Random, "random", ["", ""]),
    (Orientation::Tilted, "tilted", ["", ""]),
    (Orientation::Upright, "upright", ["1.3", "3"]),
    (Orientation::Aligned, "aligned", ["2.5", "3"]),
    (Orientation::Lattice, "lattice", ["", ""]),
];

/// Where [`ORIENTATIONS`] has what the others are compared with.
const TILTED: usize = 1;

const KINDS: [(&str, [FrameKind; 2]); 3] = [
    ("cuboids", [FrameKind::Cuboid; 2]),
    ("mixed", [FrameKind::Cuboid, FrameKind::Tetrahedron]),
    ("tetrahedra", [FrameKind::Tetrahedron; 2]),
];

const HEAD: [&str; 10] = [
    "3D frames",
    "orientation",
    "hits",
    "carom, ns per pair",
    "over tilted",
    "target",
    "SAT",
    "SAT / carom",
    "parry (differs)",
    "decided exactly",
];

pub(crate) fn measure() {
    let mut lines = Vec::new();
    for moving in [false, true] {
        for (name, kinds) in KINDS {
            let target = usize::from(kinds != [FrameKind::Cuboid; 2]);
            lines.extend(rows(
                &format!("{name}, {}", if moving { "moving" } else { "resting" }),
                kinds,
                moving,
                target,
            ));
        }
    }
    print_markdown(HEAD, &lines);
}

/// The frames of one orientation and pairs of them.
struct Oriented {
    frames: Frames<3>,
    list: Vec<[u32; 2]>,
    pairs: Vec<[Frame<3>; 2]>,
    shapes: Vec<InSpace>,
    duration: Option<f64>,
}

impl Oriented {
    fn new(orientation: Orientation, kinds: [FrameKind; 2], moving: bool) -> Self {
        let duration = moving.then_some(DURATION);
        let mut random = RandomFrames::new(3).with_orientation(orientation);
        let frames: Vec<Frame<3>> =
            (0..FRAMES).map(|row| random.frame_of_kind(kinds[2 * row / FRAMES], moving)).collect();
        let mut rows = ChaCha8Rng::seed_from_u64(1);
        let mut row = |half: u32| half * (FRAMES / 2) as u32 + rows.random_range(0..FRAMES as u32 / 2);
        let list: Vec<[u32; 2]> = (0..PARTS * PART).map(|_| [row(0), row(1)]).collect();
        let pairs: Vec<_> = list.iter().map(|pair| pair.map(|row| frames[row as usize])).collect();
        let shapes = pairs.iter().map(InSpace::new).collect();
        Self { frames: set_of(&frames, duration), list, pairs, shapes, duration }
    }

    fn test(&self, part: usize, found: &mut Intersections<3>) {
        let pairs = Pairs::Listed(&self.list[part * PART..][..PART]);
        found.test(&Context::serial(), &self.frames, &self.frames, pairs).expect("valid frames");
    }

    fn separating_axes(&self, part: usize) {
        let pairs = &self.pairs[part * PART..][..PART];
        black_box(pairs.iter().filter(|[a, b]| sat::intersects(a, b, self.duration)).count());
    }

    fn parry_finds(&self, pair: &InSpace) -> bool {
        if self.duration.is_some() { pair.collide() } else { pair.overlap() }
    }

    fn parry(&self, part: usize) {
        let pairs = &self.shapes[part * PART..][..PART];
        black_box(pairs.iter().filter(|pair| self.parry_finds(pair)).count());
    }

    /// Shares of hits and of exact decisions, and pairs on which parry differs.
    fn counts(&self) -> (f64, f64, usize) {
        let mut found = Intersections::new(Request::HITS);
        let outcome = found.test(&Context::serial(), &self.frames, &self.frames, Pairs::Listed(&self.list));
        outcome.expect("valid frames");
        let hit = |k: usize| found.bits()[k / 64] >> (k % 64) & 1 == 1;
        let differ =
            self.shapes.iter().enumerate().filter(|(k, pair)| self.parry_finds(pair) != hit(*k)).count();
        let share = |count: f64| 100.0 * count / self.list.len() as f64;
        (share(found.hits() as f64), share(found.redone() as f64), differ)
    }
}

fn rows(name: &str, kinds: [FrameKind; 2], moving: bool, target: usize) -> [[String; HEAD.len()]; 5] {
    let work = ORIENTATIONS.map(|(orientation, ..)| Oriented::new(orientation, kinds, moving));
    let mut found = work.each_ref().map(|_| Intersections::new(Request::COUNT));
    let [f0, f1, f2, f3, f4] = found.each_mut();
    let [w0, w1, w2, w3, w4] = &work;
    let times = best_by_parts(
        ROUNDS,
        [
            Contender { parts: PARTS, run: &mut |part| w0.test(part, f0) },
            Contender { parts: PARTS, run: &mut |part| w1.test(part, f1) },
            Contender { parts: PARTS, run: &mut |part| w2.test(part, f2) },
            Contender { parts: PARTS, run: &mut |part| w3.test(part, f3) },
            Contender { parts: PARTS, run: &mut |part| w4.test(part, f4) },
            Contender { parts: PARTS, run: &mut |part| w0.separating_axes(part) },
            Contender { parts: PARTS, run: &mut |part| w1.separating_axes(part) },
            Contender { parts: PARTS, run: &mut |part| w2.separating_axes(part) },
            Contender { parts: PARTS, run: &mut |part| w3.separating_axes(part) },
            Contender { parts: PARTS, run: &mut |part| w4.separating_axes(part) },
            Contender { parts: PARTS, run: &mut |part| w0.parry(part) },
            Contender { parts: PARTS, run: &mut |part| w1.parry(part) },
            Contender { parts: PARTS, run: &mut |part| w2.parry(part) },
            Contender { parts: PARTS, run: &mut |part| w3.parry(part) },
            Contender { parts: PARTS, run: &mut |part| w4.parry(part) },
        ],
    );
    let time = |n: usize| 1e9 * times[n] / (PARTS * PART) as f64;
    std::array::from_fn(|n| {
        let (_, orientation, targets) = ORIENTATIONS[n];
        let (hits, exact, differ) = work[n].counts();
        let count = ORIENTATIONS.len();
        [
            name.to_owned(),
            orientation.to_owned(),
            format!("{hits:.0}%"),
            format!("{:.2}", time(n)),
            format!("{:.2}", time(n) / time(TILTED)),
            targets[target].to_owned(),
            format!("{:.0}", time(count + n)),
            format!("{:.1}", time(count + n) / time(n)),
            format!("{:.0} ({differ})", time(2 * count + n)),
            format!("{exact:.2}%"),
        ]
    })
}
