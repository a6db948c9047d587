//! Earliest collision over all pairs, few of which collide, against scalar loops, one core.

use std::hint::black_box;

use carom::particles::ttc::Paths;
use carom::soa::Column;
use carom::{Approach, Context};

use crate::scene::Cloud;
use crate::table::{Table, best_times, thread_time};

/// Particles along an edge of the lattice.
const EDGE: usize = 16;
const COUNT: usize = EDGE * EDGE * EDGE;
const PAIRS: f64 = (COUNT * (COUNT - 1) / 2) as f64;
const RADIUS: f64 = 0.005;
const HORIZON: f64 = 0.02;

pub(crate) fn measure(table: &mut Table) {
    let cloud = Cloud::lattice(EDGE, 0.7, 2);
    let column = |values: &[f64], filler: f64| {
        let mut column = Column::new(filler);
        column.extend_from_slice(values).expect("memory");
        column
    };
    let position = cloud.position.each_ref().map(|values| column(values, 0.0));
    let velocity = cloud.velocity.each_ref().map(|values| column(values, 0.0));
    let radius = column(&[RADIUS; COUNT], f64::NAN);
    let paths = Paths { position: &position, velocity: &velocity, collision_radius: &radius };
    let scalar = Scalar {
        position: cloud.position.each_ref().map(Vec::as_slice),
        velocity: cloud.velocity.each_ref().map(Vec::as_slice),
        radius: &[RADIUS; COUNT],
    };
    let context = Context::serial();
    let expected = paths.earliest_scalar(HORIZON).expect("some pair collides");
    // The rivals' discriminant is the one of textbooks, which rounds differently.
    let check = |found: Option<Approach>| {
        let found = found.expect("some pair collides");
        let pair = |approach: Approach| [approach.first, approach.second];
        let agrees = pair(found) == pair(expected) && (found.time / expected.time - 1.0).abs() < 1e-9;
        assert!(agrees, "{found:?}, not {expected:?}");
    };
    let [single, double, plain, filtered] = best_times(
        thread_time,
        10,
        [
            &mut || check(black_box(&paths).earliest(HORIZON, &context)),
            &mut || check(black_box(&paths).earliest_double(HORIZON, &context)),
            &mut || check(black_box(&scalar).plain(HORIZON)),
            &mut || check(black_box(&scalar).filtered(HORIZON)),
        ],
    );
    let each = |seconds: f64| format!("{:.3} ns per pair", 1e9 * seconds / PAIRS);
    let mut line = |work: &str, ours: f64, rival: &str, theirs: f64, target: &str| {
        table.add(
            work,
            each(ours),
            format!("{rival} {}", each(theirs)),
            format!("{:.1}", theirs / ours),
            target,
        );
    };
    line("earliest collision, N = 4096, 3D, f64 filter", double, "plain scalar", plain, "10; 0.75 ns");
    line("the same", double, "filtering scalar", filtered, "3");
    line("earliest collision, N = 4096, 3D, f32 filter", single, "plain scalar", plain, "10; 0.5 ns");
    line("the same", single, "filtering scalar", filtered, "3");
}

/// What one would write without carom.
struct Scalar<'a> {
    position: [&'a [f64]; 3],
    velocity: [&'a [f64]; 3],
    radius: &'a [f64],
}

impl Scalar<'_> {
    /// Calls `visit` with each pair and its `|w|^2`, `d.w` and `|d|^2 - R^2`; no index is checked in the inner loop.
    #[inline(always)]
    fn for_each_pair(&self, mut visit: impl FnMut(usize, usize, f64, f64, f64)) {
        for first in 0..self.radius.len() {
            let row = |columns: [&[f64]; 3]| columns.map(|column| column[first]);
            let later = |axis: usize| (&self.position[axis][first + 1..], &self.velocity[axis][first + 1..]);
            let ([x, y, z], [u, v, w], r) = (row(self.position), row(self.velocity), self.radius[first]);
            let [(xs, us), (ys, vs), (zs, ws)] = [later(0), later(1), later(2)];
            let columns = xs.iter().zip(ys).zip(zs).zip(us).zip(vs).zip(ws).zip(&self.radius[first + 1..]);
            for (k, ((((((xj, yj), zj), uj), vj), wj), rj)) in columns.enumerate() {
                let d = [x - xj, y - yj, z - zj];
                let w = [u - uj, v - vj, w - wj];
                let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                visit(first, first + 1 + k, dot(w, w), dot(d, w), dot(d, d) - (r + rj) * (r + rj));
            }
        }
    }

    /// The root of every pair.
    fn plain(&self, horizon: f64) -> Option<Approach> {
        let mut best = None;
        let mut best_time = f64::INFINITY;
        self.for_each_pair(|first, second, a, b, c| {
            let time = contact(a, b, c);
            if b < 0.0 && time <= horizon && time < best_time {
                best_time = time;
                best = Some(Approach { time, first, second });
            }
        });
        best
    }

    /// The root only of pairs that can collide before the best time so far, by one comparison that rarely holds.
    fn filtered(&self, horizon: f64) -> Option<Approach> {
        let mut best = None;
        let mut limit = horizon;
        self.for_each_pair(|first, second, a, b, c| {
            if c + 2.0 * b * limit <= 0.0 {
                let time = contact(a, b, c);
                if b < 0.0 && time <= limit && time < best.map_or(f64::INFINITY, |best: Approach| best.time) {
                    limit = time;
                    best = Some(Approach { time, first, second });
                }
            }
        });
        best
    }
}

/// When an approaching pair touches; NaN if it misses.
#[inline(always)]
fn contact(a: f64, b: f64, c: f64) -> f64 {
    if c <= 0.0 { 0.0 } else { c / (-b + (b * b - a * c).sqrt()) }
}
