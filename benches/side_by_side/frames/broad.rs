//! The broad phase on few and on many frames: the cost per frame must not grow with their number. One core.

use carom::broad::Candidates;
use carom::{Context, Frame, FrameKind, Frames};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::pairs::set_of;
use crate::table::{Table, best_times, cycles, gigahertz, thread_time};

/// Numbers of frames, and rounds.
const SIZES: [(usize, usize); 3] = [(10_000, 40), (100_000, 10), (1_000_000, 4)];

/// Space for each frame along an axis, in metres. Components have up to 1 on an axis.
const SPACING: f64 = 2.0;

pub(crate) fn measure(table: &mut Table) {
    let mut smallest = None;
    for (count, rounds) in SIZES {
        let frames = gas(count);
        let context = Context::serial();
        let mut candidates = Candidates::new();
        let mut find = || assert!(!candidates.of_set(&context, &frames).expect("memory").is_empty());
        let [time, clock] = best_times(thread_time, rounds, [&mut find, &mut cycles]);
        let each = 1e9 * time / count as f64;
        let first = *smallest.get_or_insert(each);
        table.add(
            &format!("candidate pairs of {count} frames, 3D, {}", gigahertz(clock)),
            format!("{each:.0} ns per frame"),
            format!("{:.1} pairs per frame", candidates.pairs().len() as f64 / count as f64),
            format!("{:.2}", each / first),
            "",
        );
    }
}

/// Random frames of the same density for any number of them.
fn gas(count: usize) -> Frames<3> {
    let edge = SPACING * (count as f64).cbrt();
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut frame = || {
        let kind = if random.random_bool(0.5) { FrameKind::Cuboid } else { FrameKind::Tetrahedron };
        let origin = std::array::from_fn(|_| random.random_range(0.0..edge));
        let components = std::array::from_fn(|_| std::array::from_fn(|_| random.random_range(-1.0..1.0)));
        Frame { kind, origin, components, velocity: [0.0; 3] }
    };
    let sound = |frame: &Frame<3>| frame.determinant().abs() > 1e-6;
    let frames: Vec<_> = std::iter::repeat_with(&mut frame).filter(sound).take(count).collect();
    set_of(&frames, None)
}
