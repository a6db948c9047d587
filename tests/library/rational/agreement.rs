//! The engine against the oracle: every output of every pair.

use carom::fmb::{self, Intersections, Pairs, Region, Request};
use carom::{Aabb, Context, Frame, FrameKind, Frames};
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::{ContactKind, Overlap, OverlapExtent, steepness};
use crate::random::Random;

/// Durations of the sets of A and of B; `None` is a set at rest.
pub(crate) type Durations = [Option<f64>; 2];

/// How many pairs were apart, touching and overlapping.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ContactCounts {
    pub(crate) apart: usize,
    pub(crate) touching: usize,
    pub(crate) overlapping: usize,
}

impl ContactCounts {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            apart: self.apart + other.apart,
            touching: self.touching + other.touching,
            overlapping: self.overlapping + other.overlapping,
        }
    }

    fn count(&mut self, contact: ContactKind) {
        match contact {
            ContactKind::Apart => self.apart += 1,
            ContactKind::Touching => self.touching += 1,
            ContactKind::Overlapping => self.overlapping += 1,
        }
    }
}

/// Frames whose numbers are integers of at most these sizes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmallFrames {
    pub(crate) component: u32,
    pub(crate) origin: u32,
    pub(crate) velocity: u32,
}

/// Whether frames are at rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Still {
    Yes,
    No,
}

impl SmallFrames {
    /// A frame of any kind that is not flat.
    pub(crate) fn frame<const D: usize>(&self, random: &mut Random, still: Still) -> Frame<D> {
        loop {
            let frame = self.any_frame(random, still);
            if frame.determinant() != 0.0 {
                return frame;
            }
        }
    }

    /// A frame of any kind, perhaps flat.
    pub(crate) fn any_frame<const D: usize>(&self, random: &mut Random, still: Still) -> Frame<D> {
        let mut vector = |size: u32| std::array::from_fn(|_| integer(random, size));
        let origin = vector(self.origin);
        let components = std::array::from_fn(|_| vector(self.component));
        let velocity = vector(if still == Still::Yes { 0 } else { self.velocity });
        Frame { kind: kind(random), origin, components, velocity }
    }
}

/// From -size to size.
pub(crate) fn integer(random: &mut Random, size: u32) -> f64 {
    (random.next_u64() % u64::from(2 * size + 1)) as f64 - f64::from(size)
}

pub(crate) fn kind(random: &mut Random) -> FrameKind {
    if random.chance(0.5) { FrameKind::Cuboid } else { FrameKind::Tetrahedron }
}

pub(crate) fn set<const D: usize>(frames: &[Frame<D>], duration: Option<f64>) -> Frames<D> {
    let mut set = duration.map_or_else(Frames::resting, |duration| Frames::moving(duration).unwrap());
    set.add_many(frames).unwrap();
    set
}

/// The sets of the first and of the second frames of pairs.
pub(crate) fn sets<const D: usize>(pairs: &[[Frame<D>; 2]], motion: Durations) -> [Frames<D>; 2] {
    [0, 1].map(|side| {
        let frames: Vec<_> = pairs.iter().map(|pair| pair[side]).collect();
        set(&frames, motion[side])
    })
}

/// The region of each pair that the engine finds to intersect.
pub(crate) fn answers<const D: usize>(found: &Intersections<D>) -> Vec<Option<Region<D>>> {
    let mut answers = vec![None; found.tested()];
    for (entry, &k) in found.list().iter().enumerate() {
        let (times, world, local) = (found.times()[entry], found.boxes()[entry], found.local_boxes()[entry]);
        answers[k as usize] = Some(Region { times, world, local });
    }
    answers
}

/// All that was found, as bits.
pub(crate) fn bits<const D: usize>(found: &Intersections<D>) -> Vec<u64> {
    let counts = [found.tested() as u64, found.hits() as u64];
    let list = found.list().iter().map(|&k| u64::from(k));
    let times = found.times().as_flattened().iter();
    let boxes = [found.boxes(), found.local_boxes()].into_iter().flatten();
    let reals = times.chain(boxes.flat_map(|aabb| aabb.min.iter().chain(&aabb.max)));
    counts
        .into_iter()
        .chain(found.bits().iter().copied())
        .chain(list)
        .chain(reals.map(|x| x.to_bits()))
        .collect()
}

/// The regions of the i-th frame of A and the i-th of B.
pub(crate) fn regions<const D: usize>(pairs: &[[Frame<D>; 2]], motion: Durations) -> Vec<Option<Region<D>>> {
    let [a, b] = sets(pairs, motion);
    let mut found = Intersections::new(Request::ALL);
    found.test(&Context::serial(), &a, &b, Pairs::Paired).unwrap();
    answers(&found)
}

/// Tests the i-th frame of A against the i-th of B and compares all answers with the oracle.
pub(crate) fn assert_agreement<const D: usize>(pairs: &[[Frame<D>; 2]], motion: Durations) -> ContactCounts {
    assert_answers(pairs, motion, &regions(pairs, motion))
}

/// Compares answers of the engine, and those of its exact parts, with the oracle.
pub(crate) fn assert_answers<const D: usize>(
    pairs: &[[Frame<D>; 2]],
    motion: Durations,
    answers: &[Option<Region<D>>],
) -> ContactCounts {
    assert_eq!(answers.len(), pairs.len());
    let duration = motion[0].or(motion[1]);
    let mut tally = ContactCounts::default();
    let mut complaints = Vec::new();
    for ([a, b], answer) in pairs.iter().zip(answers) {
        let overlap = Overlap::of(a, b, duration);
        tally.count(overlap.contact);
        let wrong = complaint(a, b, duration, &overlap, answer);
        complaints.extend(wrong.map(|wrong| format!("{wrong}\n  {a:?}\n  {b:?}\n  {duration:?}")));
    }
    complaints.sort_by_key(String::len);
    let shown = complaints.iter().take(3).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(
        complaints.is_empty(),
        "{} of {} pairs are wrong; the shortest:\n{shown}",
        complaints.len(),
        pairs.len()
    );
    tally
}

fn complaint<const D: usize>(
    a: &Frame<D>,
    b: &Frame<D>,
    duration: Option<f64>,
    overlap: &Overlap<D>,
    answer: &Option<Region<D>>,
) -> Option<String> {
    let contact = overlap.contact;
    let hit = contact == ContactKind::Overlapping;
    let directly = fmb::intersects(a, b, duration);
    if directly != hit {
        return Some(format!("{contact:?}, but fmb::intersects says {directly}"));
    }
    if answer.is_some() != hit {
        return Some(format!("{contact:?}, but the engine says {}", answer.is_some()));
    }
    let extent = hit.then(|| overlap.extent())?;
    let tolerances = AnswerTolerances::of(a, b, duration);
    let by_region = difference(&fmb::region(a, b, duration), &extent, &tolerances);
    let by_engine = || difference(answer.as_ref().expect("a hit"), &extent, &tolerances);
    by_region
        .map(|text| format!("fmb::region: {text}"))
        .or_else(|| by_engine().map(|text| format!("engine: {text}")))
}

/// Largest allowed errors of an answer.
struct AnswerTolerances<const D: usize> {
    time: f64,
    world: f64,
    local: [f64; D],
}

impl<const D: usize> AnswerTolerances<D> {
    /// One part in 10^9 of the duration, of the largest coordinate and of a component. An error of 100 units in the last
    /// place of the largest coordinate is allowed as well, in the coordinates of a tiny frame or in time at a low speed.
    fn of(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Self {
        let time = duration.unwrap_or(0.0);
        let bounds = [a, b].map(|frame| frame.bounds(time));
        let size = bounds
            .iter()
            .flat_map(|aabb| [aabb.min, aabb.max])
            .flatten()
            .fold(0.0, |m: f64, x| m.max(x.abs()));
        let rounding = 100.0 * f64::EPSILON * size;
        let local = steepness(b).map(|change| 1e-9 + rounding * nearest(&change));
        let velocities =
            (0..D).map(|axis| (a.velocity[axis] - b.velocity[axis]).abs()).filter(|&velocity| velocity > 0.0);
        let slowest = velocities.fold(f64::INFINITY, f64::min);
        Self { time: 1e-9 * time + rounding / slowest, world: 1e-9 * size, local }
    }
}

fn difference<const D: usize>(
    region: &Region<D>,
    extent: &OverlapExtent<D>,
    tolerances: &AnswerTolerances<D>,
) -> Option<String> {
    let axis = |aabb: &Aabb<D>, axis: usize| [aabb.min[axis], aabb.max[axis]];
    let axes = (0..D).flat_map(|i| {
        [
            ("world", axis(&region.world, i), &extent.world[i], tolerances.world),
            ("local", axis(&region.local, i), &extent.local[i], tolerances.local[i]),
        ]
    });
    let mut all = [("times", region.times, &extent.times, tolerances.time)].into_iter().chain(axes);
    all.find(|(_, found, exact, tolerance)| {
        let close = |k: usize| (found[k] - nearest(&exact[k])).abs() <= *tolerance;
        !(close(0) && close(1))
    })
    .map(|(name, found, exact, _)| {
        format!(
            "{name} {found:?} instead of [{}, {}] = {:?}",
            exact[0],
            exact[1],
            exact.clone().map(|x| nearest(&x))
        )
    })
}

/// For each hit by how much the sides of its world box lie outside of the exact one, in metres: the least and the most.
pub(crate) fn box_excesses<const D: usize>(pairs: &[[Frame<D>; 2]], motion: Durations) -> Vec<[f64; 2]> {
    let duration = motion[0].or(motion[1]);
    let excess = |[a, b]: &[Frame<D>; 2], region: Region<D>| {
        let exact = Overlap::of(a, b, duration).extent().world;
        let sides = (0..D).flat_map(|axis| {
            let [low, high] = [0, 1].map(|end| nearest(&exact[axis][end]));
            [low - region.world.min[axis], region.world.max[axis] - high]
        });
        sides.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], x| [least.min(x), most.max(x)])
    };
    let hits = pairs.iter().zip(regions(pairs, motion));
    hits.filter_map(|(pair, region)| Some(excess(pair, region?))).collect()
}

/// The double next to a rational.
pub(crate) fn nearest(x: &BigRational) -> f64 {
    x.to_f64().expect("a rational is near a double")
}
