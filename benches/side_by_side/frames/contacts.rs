//! Normals, depths and points of contact of boxes that overlap: the batch test and parry's `contact` on the same pairs. One
//! core.

use std::hint::black_box;

use carom::fmb::{Intersections, Pairs, Request};
use carom::{Context, Frame, Frames};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::pairs::set_of;
use crate::table::{Contender, Table, best_by_parts, cycles, gigahertz};

/// Pairs that overlap, and how many of them make a part for carom and for parry.
const PAIRS: usize = 4096;
const PART: usize = 1024;
const RIVAL_PART: usize = 64;

const ROUNDS: usize = 25;

/// How boxes are turned.
#[derive(Clone, Copy)]
enum Orientation {
    Random,
    /// About the vertical only.
    Upright,
    Aligned,
}

impl Orientation {
    const ALL: [Self; 3] = [Self::Random, Self::Upright, Self::Aligned];

    fn name(self) -> &'static str {
        match self {
            Self::Random => "turned at random",
            Self::Upright => "upright",
            Self::Aligned => "aligned",
        }
    }

    fn angles(self, random: &mut ChaCha8Rng) -> [f64; 3] {
        let mut angle = || random.random_range(-3.0..3.0);
        match self {
            Self::Random => [angle(), angle(), angle()],
            Self::Upright => [0.0, 0.0, angle()],
            Self::Aligned => [0.0; 3],
        }
    }
}

/// Two boxes, as frames and as shapes of parry.
struct BoxPair<const D: usize, R> {
    frames: [Frame<D>; 2],
    rival: R,
}

/// What parry finds of a pair.
trait Rival<const D: usize>: Sized {
    /// A pair of boxes.
    fn draw(orientation: Orientation, random: &mut ChaCha8Rng) -> BoxPair<D, Self>;

    /// The depth of the contact; infinity if there is none.
    fn depth(&self) -> f64;
}

macro_rules! rival {
    ($name:ident, $parry:ident, $dim:literal, $pose:ident) => {
        struct $name {
            shapes: [$parry::shape::Cuboid; 2],
            poses: [$parry::math::Pose; 2],
        }

        impl Rival<$dim> for $name {
            fn draw(orientation: Orientation, random: &mut ChaCha8Rng) -> BoxPair<$dim, Self> {
                use $parry::math::Vector;
                let mut draw = || {
                    let half: [f64; $dim] = std::array::from_fn(|_| random.random_range(0.2..1.0));
                    let place: [f64; $dim] = std::array::from_fn(|_| random.random_range(-0.6..0.6));
                    let pose = $pose(Vector::from(place), orientation.angles(random));
                    let components: [[f64; $dim]; $dim] = std::array::from_fn(|i| {
                        let mut edge = [0.0; $dim];
                        edge[i] = 2.0 * half[i];
                        pose.transform_vector(Vector::from(edge)).into()
                    });
                    let origin = std::array::from_fn(|axis| {
                        place[axis] - 0.5 * components.iter().map(|edge| edge[axis]).sum::<f64>()
                    });
                    (Frame::cuboid(origin, components), $parry::shape::Cuboid::new(Vector::from(half)), pose)
                };
                let ((a, one, one_pose), (b, two, two_pose)) = (draw(), draw());
                BoxPair { frames: [a, b], rival: Self { shapes: [one, two], poses: [one_pose, two_pose] } }
            }

            fn depth(&self) -> f64 {
                let ([a, b], [at, bt]) = (&self.shapes, &self.poses);
                let contact = $parry::query::contact(at, a, bt, b, 0.0).expect("known shapes");
                contact.map_or(f64::INFINITY, |contact| -contact.dist)
            }
        }
    };
}

rival!(InPlane, parry2d_f64, 2, flat_pose);
rival!(InSpace, parry3d_f64, 3, solid_pose);

fn flat_pose(place: parry2d_f64::math::Vector, [_, _, angle]: [f64; 3]) -> parry2d_f64::math::Pose {
    parry2d_f64::math::Pose::new(place, angle)
}

fn solid_pose(place: parry3d_f64::math::Vector, angles: [f64; 3]) -> parry3d_f64::math::Pose {
    parry3d_f64::math::Pose::new(place, angles.into())
}

pub(crate) fn measure(table: &mut Table) {
    for orientation in [Orientation::Random, Orientation::Aligned] {
        line::<2, InPlane>(table, orientation);
    }
    for orientation in Orientation::ALL {
        line::<3, InSpace>(table, orientation);
    }
}

fn line<const D: usize, R: Rival<D>>(table: &mut Table, orientation: Orientation) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let overlaps = |pair: &BoxPair<D, R>| carom::fmb::intersects(&pair.frames[0], &pair.frames[1], None);
    let drawn = std::iter::repeat_with(|| R::draw(orientation, &mut random));
    let pairs: Vec<_> = drawn.filter(overlaps).take(PAIRS).collect();
    let frames: Frames<D> =
        set_of(pairs.iter().map(|pair| pair.frames).collect::<Vec<_>>().as_flattened(), None);
    let list: Vec<[u32; 2]> = (0..PAIRS as u32).map(|k| [2 * k, 2 * k + 1]).collect();
    let context = Context::serial();
    let test = |part: usize, found: &mut Intersections<D>| {
        let part = Pairs::Listed(&list[part * PART..][..PART]);
        found.test(&context, &frames, &frames, part).expect("valid frames");
    };
    let mut hits = Intersections::new(Request::COUNT);
    let mut normals = Intersections::new(Request::COUNT.with_normals(true));
    let parts = PAIRS / PART;
    let [hits_only, carom, parry, clock] = best_by_parts(
        ROUNDS,
        [
            Contender { parts, run: &mut |part| test(part, &mut hits) },
            Contender { parts, run: &mut |part| test(part, &mut normals) },
            Contender {
                parts: PAIRS / RIVAL_PART,
                run: &mut |part| {
                    let pairs = &pairs[part * RIVAL_PART..][..RIVAL_PART];
                    black_box(pairs.iter().map(|pair| pair.rival.depth()).sum::<f64>());
                },
            },
            Contender { parts: 1, run: &mut |_| cycles() },
        ],
    );
    let each = |seconds: f64| 1e9 * seconds / PAIRS as f64;
    let differ = differences(&pairs, &frames, &list);
    table.add(
        &format!("contacts of boxes that overlap, {D}D, {}, {}", orientation.name(), gigahertz(clock)),
        format!("{:.0} ns per pair, hits only {:.0}", each(carom), each(hits_only)),
        format!("parry {:.0} ns, {differ} of {PAIRS} depths differ", each(parry)),
        format!("{:.1}", parry / carom),
        "",
    );
}

/// The number of pairs for which parry's depth is not that of carom.
fn differences<const D: usize, R: Rival<D>>(
    pairs: &[BoxPair<D, R>],
    frames: &Frames<D>,
    list: &[[u32; 2]],
) -> usize {
    let mut found = Intersections::new(Request::COUNT.with_normals(true));
    found.test(&Context::serial(), frames, frames, Pairs::Listed(list)).expect("valid frames");
    let contacts = pairs.iter().zip(found.normals());
    contacts.filter(|(pair, contact)| (pair.rival.depth() - contact.depth).abs() > 1e-9).count()
}
