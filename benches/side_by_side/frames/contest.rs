//! Which pairs intersect: the batch test against the elimination row by row, SAT and parry, one core.

use std::hint::black_box;

use carom::fmb::{Intersections, ReferenceTest, Request};
use carom::{Context, sat};

use super::pairs::{DURATION, PairOrigin, Work};
use super::parry::{InPlane, InSpace, Rival};
use crate::table::{
    Contender, best_by_parts, cycles, gigahertz, operations, operations_a_cycle, print_markdown,
};

const ROUNDS: usize = 25;

/// Pairs on which the rivals are measured, and how many of them make a part.
const SUBSET: usize = 2048;
const SUBSET_PART: usize = 64;

const HEAD: [&str; 11] = [
    "frames",
    "pairs",
    "hits",
    "carom, ns per pair",
    "target",
    "reference",
    "SAT",
    "parry (differs)",
    "parry / carom",
    "clock",
    "operations per cycle",
];

/// Targets in ns per pair for each [`PairOrigin`].
const TARGETS: [(usize, bool, [f64; 3]); 4] = [
    (2, false, [5.0, 6.5, 13.0]),
    (3, false, [13.5, 23.0, 26.0]),
    (2, true, [7.5, 8.0, 15.0]),
    (3, true, [27.0, 36.0, 41.0]),
];

pub(crate) fn measure() {
    let mut lines = Vec::new();
    for (dim, moving, targets) in TARGETS {
        for (source, target) in PairOrigin::ALL.into_iter().zip(targets) {
            lines.push(match dim {
                2 => line::<2, InPlane>(source, moving, target),
                _ => line::<3, InSpace>(source, moving, target),
            });
        }
    }
    print_markdown(HEAD, &lines);
}

fn line<const D: usize, R: Rival<D>>(source: PairOrigin, moving: bool, target: f64) -> [String; HEAD.len()] {
    let work = Work::<D>::new(source, moving);
    let subset = work.first(SUBSET);
    let shapes: Vec<R> = subset.iter().map(R::new).collect();
    let duration = moving.then_some(DURATION);
    let parry_finds = if moving { R::collide } else { R::overlap };
    let context = Context::serial();
    let (mut found, mut reference) = (Intersections::new(Request::COUNT), ReferenceTest::new());
    let parts = SUBSET / SUBSET_PART;
    let [carom, row_by_row, sat, parry, clock, pace] = best_by_parts(
        ROUNDS,
        [
            Contender { parts: work.parts(), run: &mut |part| work.test(part, &context, &mut found) },
            Contender {
                parts,
                run: &mut |part| count(&subset, part, |[a, b]| reference.test(a, b, duration).is_some()),
            },
            Contender {
                parts,
                run: &mut |part| count(&subset, part, |[a, b]| sat::intersects(a, b, duration)),
            },
            Contender { parts, run: &mut |part| count(&shapes, part, parry_finds) },
            Contender { parts: 1, run: &mut |_| cycles() },
            Contender { parts: 1, run: &mut |_| operations() },
        ],
    );
    let each = |seconds: f64, pairs: usize| 1e9 * seconds / pairs as f64;
    let (carom, parry) = (each(carom, work.pairs()), each(parry, SUBSET));
    let differ = differences(&work, &shapes, parry_finds);
    [
        format!("{D}D {}", if moving { "moving" } else { "resting" }),
        source.name().into(),
        format!("{:.0}%", 100.0 * found.hits() as f64 / found.tested() as f64),
        format!("{carom:.2}"),
        target.to_string(),
        format!("{:.0}", each(row_by_row, SUBSET)),
        format!("{:.0}", each(sat, SUBSET)),
        format!("{parry:.0} ({differ})"),
        format!("{:.0}", parry / carom),
        gigahertz(clock),
        operations_a_cycle(pace, clock),
    ]
}

/// Tests the pairs of one part one by one.
fn count<P>(pairs: &[P], part: usize, mut intersects: impl FnMut(&P) -> bool) {
    let pairs = &pairs[part * SUBSET_PART..][..SUBSET_PART];
    black_box(pairs.iter().filter(|pair| intersects(pair)).count());
}

/// Number of the first pairs on which parry does not agree with carom, whose answers are exact.
fn differences<const D: usize, R>(work: &Work<D>, shapes: &[R], parry_finds: fn(&R) -> bool) -> usize {
    let mut found = Intersections::new(Request::HITS);
    work.test(0, &Context::serial(), &mut found);
    let hit = |k: usize| found.bits()[k / 64] >> (k % 64) & 1 == 1;
    shapes.iter().enumerate().filter(|(k, pair)| parry_finds(pair) != hit(*k)).count()
}
