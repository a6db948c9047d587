//! When and where frames overlap of which one is far smaller than the other, or than their displacement: the regions lie
//! between the exact ones of frames that are some roundings smaller and larger.

use carom::fmb::{self, Region};
use carom::{Aabb, Frame, FrameKind};

use super::random::Random;
use super::rational::agreement::{Durations, kind, nearest, regions};
use super::rational::{ContactKind, Overlap, OverlapExtent};

/// Roundings by which frames are made smaller or larger.
const ROUNDINGS: f64 = 64.0;

/// How much more an overlap that is no thicker than rounding errors may be enlarged.
const SLIVER: f64 = 16.0;

const PAIRS: usize = if cfg!(debug_assertions) { 4 } else { 24 };

/// A frame about as large as a metre that is far from flat.
fn unit_frame<const D: usize>(random: &mut Random) -> Frame<D> {
    loop {
        let mut vector = || std::array::from_fn(|_| random.real(-1.0, 1.0));
        let (origin, components) = (vector(), [(); D].map(|()| vector()));
        let frame = Frame { kind: kind(random), origin, components, velocity: [0.0; D] };
        if frame.determinant().abs() > 0.2 {
            return frame;
        }
    }
}

/// A point of a frame at time 0: inside, or on some of its faces.
fn point_of<const D: usize>(random: &mut Random, frame: &Frame<D>) -> [f64; D] {
    let mut shares: [f64; D] = std::array::from_fn(|_| match random.next_u64() % 4 {
        0 => 0.0,
        1 => 1.0,
        _ => random.real(0.0, 1.0),
    });
    let sum: f64 = shares.iter().sum();
    if frame.kind == FrameKind::Tetrahedron && sum > 1.0 {
        shares = shares.map(|share| share / sum);
    }
    std::array::from_fn(|axis| {
        frame.origin[axis] + (0..D).map(|i| shares[i] * frame.components[i][axis]).sum::<f64>()
    })
}

/// Moves a frame so that one of its points coincides with one of another frame at some time from 0 to 1.
fn bring_together<const D: usize>(random: &mut Random, one: &Frame<D>, other: &mut Frame<D>) {
    let (p, q, time) = (point_of(random, one), point_of(random, other), random.real(0.0, 1.0));
    for axis in 0..D {
        other.origin[axis] += p[axis] - q[axis] + (one.velocity[axis] - other.velocity[axis]) * time;
    }
}

/// A frame of a metre and one `size` times that, which moves relative to it by some of its sizes.
fn tiny_and_unit<const D: usize>(random: &mut Random, size: f64, is_moving: bool) -> [Frame<D>; 2] {
    let (unit, mut tiny) = (unit_frame::<D>(random), unit_frame::<D>(random));
    tiny.components = tiny.components.map(|component| component.map(|x| x * size));
    if is_moving {
        tiny.velocity = std::array::from_fn(|_| size * random.real(-4.0, 4.0));
    }
    bring_together(random, &unit, &mut tiny);
    if random.chance(0.5) { [tiny, unit] } else { [unit, tiny] }
}

/// Two frames of a metre that move by about `displacement` metres each.
fn fast_frames<const D: usize>(random: &mut Random, displacement: f64) -> [Frame<D>; 2] {
    let mut pair = [(); 2].map(|()| unit_frame::<D>(random));
    for frame in &mut pair {
        frame.velocity = std::array::from_fn(|_| displacement * random.real(-1.0, 1.0));
    }
    let [one, mut other] = pair;
    bring_together(random, &one, &mut other);
    [one, other]
}

/// The frame grown around its middle by a share of its size.
fn grown<const D: usize>(frame: &Frame<D>, share: f64) -> Frame<D> {
    let middle = if frame.kind == FrameKind::Cuboid { 0.5 } else { 1.0 / (D as f64 + 1.0) };
    let sum = |axis: usize| frame.components.iter().map(|component| component[axis]).sum::<f64>();
    Frame {
        origin: std::array::from_fn(|axis| frame.origin[axis] - share * middle * sum(axis)),
        components: frame.components.map(|component| component.map(|x| x * (1.0 + share))),
        ..*frame
    }
}

/// The extent for frames that are grown by a share of their sizes; `None` if they are then apart.
fn extent_of_grown<const D: usize>(
    pair: &[Frame<D>; 2],
    share: f64,
    duration: Option<f64>,
) -> Option<OverlapExtent<D>> {
    let [a, b] = pair.each_ref().map(|frame| grown(frame, share));
    let overlap = Overlap::of(&a, &b, duration);
    (overlap.contact == ContactKind::Overlapping).then(|| overlap.extent())
}

/// All intervals of an extent, as doubles: times, world and local.
fn ends_of_extent<const D: usize>(extent: &OverlapExtent<D>) -> Vec<[f64; 2]> {
    let intervals = [&extent.times].into_iter().chain(&extent.world).chain(&extent.local);
    intervals.map(|ends| ends.each_ref().map(nearest)).collect()
}

fn ends_of_region<const D: usize>(region: &Region<D>) -> Vec<[f64; 2]> {
    let of_box = |aabb: &Aabb<D>| std::array::from_fn::<_, D, _>(|axis| [aabb.min[axis], aabb.max[axis]]);
    [region.times].into_iter().chain(of_box(&region.world)).chain(of_box(&region.local)).collect()
}

/// The errors of each quantity due to some roundings of the largest length.
struct RoundingTolerances {
    time: f64,
    world: f64,
    local: f64,
}

impl RoundingTolerances {
    fn of<const D: usize>([a, b]: &[Frame<D>; 2]) -> Self {
        let size = |vectors: &[[f64; D]]| vectors.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let lengths = [a, b].map(|frame| size(&frame.components).max(size(&[frame.origin, frame.velocity])));
        let world = ROUNDINGS * f64::EPSILON * lengths[0].max(lengths[1]);
        let relative = std::array::from_fn(|axis| a.velocity[axis] - b.velocity[axis]);
        Self { time: world / size(&[relative]), world, local: world / size(&b.components) }
    }

    fn of_quantity<const D: usize>(&self, number: usize) -> f64 {
        match number {
            0 => self.time,
            n if n <= D => self.world,
            _ => self.local,
        }
    }
}

/// What is wrong with a region, of frames for which `share` of their sizes is rounding error.
fn complaint<const D: usize>(
    pair: &[Frame<D>; 2],
    region: &Region<D>,
    share: f64,
    duration: Option<f64>,
) -> Option<String> {
    let smallest = extent_of_grown(pair, -share, duration).map(|extent| ends_of_extent(&extent));
    let sliver = if smallest.is_none() { SLIVER } else { 1.0 };
    let largest = ends_of_extent(&extent_of_grown(pair, sliver * share, duration)?);
    let tolerances = RoundingTolerances::of(pair);
    ends_of_region(region).iter().enumerate().find_map(|(number, &[lo, hi])| {
        let (tolerance, [least, most]) = (sliver * tolerances.of_quantity::<D>(number), largest[number]);
        let outside = lo < least - tolerance || hi > most + tolerance;
        let inside = smallest
            .as_ref()
            .is_some_and(|ends| lo > ends[number][0] + tolerance || hi < ends[number][1] - tolerance);
        (outside || inside).then(|| {
            let within = smallest.as_ref().map(|ends| ends[number]);
            format!("quantity {number}: [{lo:e}, {hi:e}] is not between {within:?} and [{least:e}, {most:e}]")
        })
    })
}

/// Returns how many of the pairs hit; their regions must be right.
fn assert_regions<const D: usize>(pairs: &[[Frame<D>; 2]], share: f64, is_moving: bool) -> usize {
    let duration = is_moving.then_some(1.0);
    let motion: Durations = [duration; 2];
    let answers = regions(pairs, motion);
    for (pair, answer) in pairs.iter().zip(&answers) {
        let Some(by_engine) = answer else { continue };
        let [a, b] = pair;
        for (name, region) in [("engine", by_engine), ("fmb::region", &fmb::region(a, b, duration))] {
            let wrong = complaint(pair, region, share, duration);
            assert!(wrong.is_none(), "{name}: {}\n{a:?}\n{b:?}", wrong.unwrap_or_default());
        }
    }
    answers.iter().flatten().count()
}

fn tiny_frames_are_cut_exactly<const D: usize>(is_moving: bool) {
    let mut random = Random(17 * D as u64 + u64::from(is_moving));
    for size in [1e-3, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12] {
        let pairs: Vec<_> = (0..PAIRS).map(|_| tiny_and_unit::<D>(&mut random, size, is_moving)).collect();
        let hits = assert_regions(&pairs, ROUNDINGS * f64::EPSILON, is_moving);
        assert!(2 * hits > PAIRS, "{hits} hits");
    }
}

#[test]
fn frames_far_smaller_than_the_other_are_cut_exactly() {
    tiny_frames_are_cut_exactly::<2>(false);
    tiny_frames_are_cut_exactly::<3>(false);
    tiny_frames_are_cut_exactly::<2>(true);
    tiny_frames_are_cut_exactly::<3>(true);
}

fn fast_frames_overlap_on_time<const D: usize>() {
    let mut random = Random(5 + D as u64);
    for displacement in [1e3, 1e6, 1e8, 1e9, 1e10, 1e12] {
        let pairs: Vec<_> = (0..PAIRS).map(|_| fast_frames::<D>(&mut random, displacement)).collect();
        let hits = assert_regions(&pairs, ROUNDINGS * f64::EPSILON * displacement, true);
        assert!(2 * hits > PAIRS, "{hits} hits");
    }
}

#[test]
fn frames_far_smaller_than_their_displacement_overlap_on_time() {
    fast_frames_overlap_on_time::<2>();
    fast_frames_overlap_on_time::<3>();
}
