//! One pair whose times or boxes the lanes do not give as exactly as promised: first in numbers of twice the digits, then in
//! integers that are long enough for the given numbers.

use super::double_double::DoubleDouble;
use super::lanes::Wanted;
use super::programs::{Ends, Number, Program, QUANTITIES, Quantity, ROWS, Row, Task};
use super::{Region, Tolerances};
use crate::fmb::exact::{BinaryUnits, BitRange, Fixed};
use crate::frames::{Frame, FrameKind};
use crate::geometry::Aabb;

/// Computes what is wanted of the overlap of two frames, and writes it to a region.
#[cold]
#[inline(never)]
pub(crate) fn redo<const D: usize>(
    a: &Frame<D>,
    b: &Frame<D>,
    duration: Option<f64>,
    wanted: Wanted,
    region: &mut Region<D>,
) {
    let is_exchanged = comes_first(b, a);
    let frames = if is_exchanged { [b, a] } else { [a, b] };
    let units = units_of_size(frames, duration);
    let mut task = Task { frames, duration, is_local_of_first: is_exchanged, wanted, units };
    let Tolerances { times, boxes, .. } = Tolerances::OF_DOUBLES;
    let tolerances = LargestErrors { times, world: boxes * size(frames) };
    if let Some(ranges) = solve_by_minors::<DoubleDouble, D>(&task) {
        task.wanted = write(&task, &ranges, &tolerances, region);
    }
    if task.wanted != Wanted::NOTHING {
        in_integers(&mut task, region);
    }
}

/// When and where two frames overlap, without any rounding but that of the results: the oracle of the lanes.
#[cfg(test)]
pub(super) fn exact_region<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Region<D> {
    let wanted = Wanted { times: true, world: true, local: true };
    let mut task =
        Task { frames: [a, b], duration, is_local_of_first: false, wanted, units: BinaryUnits::default() };
    let mut region = Region { times: [0.0; 2], world: Aabb::EMPTY, local: Aabb::EMPTY };
    in_integers(&mut task, &mut region);
    region
}

/// Largest errors, in units of the duration and in metres.
struct LargestErrors {
    times: f64,
    world: f64,
}

/// Whether a frame is before another in the order in which pairs are computed, which is that of the lanes.
fn comes_first<const D: usize>(one: &Frame<D>, two: &Frame<D>) -> bool {
    let numbers = |frame: &Frame<D>| {
        let at_start = frame.origin.into_iter().chain(frame.components.into_iter().flatten());
        at_start.chain(frame.velocity)
    };
    match (one.kind, two.kind) {
        (FrameKind::Cuboid, FrameKind::Tetrahedron) => true,
        (FrameKind::Tetrahedron, FrameKind::Cuboid) => false,
        _ => numbers(one).lt(numbers(two)),
    }
}

/// The largest magnitude.
fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0_f64, |largest, x| largest.max(x.abs()))
}

/// The largest component of either frame, in metres.
pub(super) fn size<const D: usize>(frames: [&Frame<D>; 2]) -> f64 {
    largest(frames.into_iter().flat_map(|frame| frame.components.into_iter().flatten()))
}

/// Units in which no length and no displacement is larger than about 1.
fn units_of_size<const D: usize>(frames: [&Frame<D>; 2], duration: Option<f64>) -> BinaryUnits {
    let end = |values: &[f64]| BitRange::of(values.iter().copied()).end;
    let origins = largest(frames.into_iter().flat_map(|frame| frame.origin));
    let velocity = largest(frames.into_iter().flat_map(|frame| frame.velocity));
    let mut length = end(&[origins, size(frames)]);
    let time = duration.map_or(0, |duration| end(&[duration]));
    if duration.is_some_and(|duration| duration != 0.0 && velocity != 0.0) {
        length = length.max(end(&[velocity]) + time);
    }
    BinaryUnits { length, velocity: length - time, time }
}

/// The ranges of what is wanted; `None` if these numbers cannot tell.
fn solve<N: Number, const D: usize>(task: &Task<'_, D>) -> Option<[Ends; QUANTITIES]> {
    let (mut rows, mut quantities) = ([Row::<N>::EMPTY; ROWS], [Quantity::EMPTY; QUANTITIES]);
    Program::new(task, &mut rows, &mut quantities)?.ranges()
}

/// The same for short numbers, in less time.
fn solve_by_minors<N: Number, const D: usize>(task: &Task<'_, D>) -> Option<[Ends; QUANTITIES]> {
    let (mut rows, mut quantities) = ([Row::<N>::EMPTY; ROWS], [Quantity::EMPTY; QUANTITIES]);
    Program::new(task, &mut rows, &mut quantities)?.ranges_by_minors()
}

/// The same with the program on the heap, for numbers of kilobytes.
fn solve_on_heap<N: Number, const D: usize>(task: &Task<'_, D>) -> Option<[Ends; QUANTITIES]> {
    let (mut rows, mut quantities) = (vec![Row::<N>::EMPTY; ROWS], vec![Quantity::EMPTY; QUANTITIES]);
    Program::new(task, &mut rows, &mut quantities)?.ranges()
}

/// Writes what is exact enough, and returns what is not.
fn write<const D: usize>(
    task: &Task<'_, D>,
    ranges: &[Ends; QUANTITIES],
    tolerances: &LargestErrors,
    region: &mut Region<D>,
) -> Wanted {
    let Wanted { times, world, local } = task.wanted;
    let mut left = Wanted::NOTHING;
    let mut rest = &ranges[..];
    let mut take = |count: usize| {
        let (taken, others) = rest.split_at(count);
        rest = others;
        taken
    };
    let are_within = |ranges: &[Ends], tolerance: f64| ranges.iter().all(|ends| ends.are_within(tolerance));
    let share = |x: f64| x.clamp(0.0, 1.0);
    if let (true, Some(duration)) = (times, task.duration) {
        let ends = &take(1)[0];
        region.times = [share(ends.low) * duration, share(ends.high.max(ends.low)) * duration];
        left.times = !ends.are_within(tolerances.times);
    } else if times {
        region.times = [0.0; 2];
    }
    if world {
        let ranges = take(D);
        region.world = aabb(ranges);
        left.world = !are_within(ranges, tolerances.world);
    }
    if local {
        let ranges = take(D);
        let Aabb { min, max } = aabb(ranges);
        region.local = Aabb { min: min.map(share), max: max.map(share) };
        left.local = !are_within(ranges, Tolerances::OF_DOUBLES.boxes);
    }
    left
}

fn aabb<const D: usize>(ranges: &[Ends]) -> Aabb<D> {
    Aabb {
        min: std::array::from_fn(|axis| ranges[axis].low),
        max: std::array::from_fn(|axis| ranges[axis].high.max(ranges[axis].low)),
    }
}

/// Nothing is rounded but the results.
fn in_integers<const D: usize>(task: &mut Task<'_, D>, region: &mut Region<D>) {
    let (units, bits) = units_and_bits(task.frames, task.duration);
    task.units = units;
    let ranges = match bits.div_ceil(64) {
        ..=24 => solve::<Fixed<24>, D>(task),
        25..=64 => solve::<Fixed<64>, D>(task),
        _ => solve_on_heap::<Fixed<LONGEST>, D>(task),
    };
    let ranges = ranges.unwrap_or_else(|| ranges_of_bounds(task));
    write(task, &ranges, &LargestErrors { times: 1.0, world: f64::INFINITY }, region);
}

/// Limbs that suffice for all numbers that are accepted: a displacement is a multiple of 2^-2148 and less than 2^502.
const LONGEST: usize = 640;

/// The units in which all numbers of a pair are integers, and how many bits suffice for every result.
fn units_and_bits<const D: usize>(frames: [&Frame<D>; 2], duration: Option<f64>) -> (BinaryUnits, usize) {
    let numbers = |frame: &Frame<D>| frame.origin.into_iter().chain(frame.components.into_iter().flatten());
    let mut length = BitRange::of(frames.into_iter().flat_map(numbers));
    let mut units = BinaryUnits { length: length.start, velocity: 0, time: 0 };
    if let Some(duration) = duration {
        let velocity = BitRange::of(frames.into_iter().flat_map(|frame| frame.velocity));
        let time = BitRange::of(std::iter::once(duration));
        length.start = length.start.min(velocity.start + time.start);
        length.end = length.end.max(velocity.end + time.end);
        units = BinaryUnits {
            length: length.start,
            velocity: velocity.start,
            time: length.start - velocity.start,
        };
    }
    // A difference has one bit more. A row is a product of three lengths, and a sum of six such products.
    let row = 3 * (length.bits() + 1) + 3;
    // A result is a product of five rows at most: four of a basis, and one for a coordinate of the first frame.
    (units, (5 * row + 16) as usize)
}

/// What is known of frames whose components are dependent, which no set takes.
fn ranges_of_bounds<const D: usize>(task: &Task<'_, D>) -> [Ends; QUANTITIES] {
    let mut ranges = [Ends::exactly(0.0, 1.0); QUANTITIES];
    let first = usize::from(task.wanted.times && task.duration.is_some());
    let [one, two] = task.frames.map(|frame| frame.bounds(task.duration.unwrap_or(0.0)));
    for axis in (0..D).filter(|_| task.wanted.world) {
        let (low, high) = (one.min[axis].max(two.min[axis]), one.max[axis].min(two.max[axis]));
        ranges[first + axis] = Ends::exactly(low, high);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::random::RandomFrames;

    fn both_ways_agree<const D: usize>(is_moving: bool) {
        let mut random = RandomFrames::new(17);
        for n in 0..20 {
            let mut pair = random.pair::<D>(is_moving);
            // Faces that coincide make bases without an inverse.
            if n % 2 == 0 {
                pair = pair.map(|frame| Frame {
                    origin: frame.origin.map(f64::signum),
                    components: std::array::from_fn(|i| std::array::from_fn(|k| f64::from(u8::from(i == k)))),
                    ..frame
                });
            }
            let duration = is_moving.then_some(1.0);
            let task = Task {
                frames: pair.each_ref(),
                duration,
                is_local_of_first: n % 3 == 0,
                wanted: Wanted { times: true, world: true, local: true },
                units: units_of_size(pair.each_ref(), duration),
            };
            let quantities = 2 * D + usize::from(is_moving);
            let (one, two) = (solve::<DoubleDouble, D>(&task), solve_by_minors::<DoubleDouble, D>(&task));
            assert_eq!(one.is_some(), two.is_some());
            for (one, two) in one.iter().flatten().zip(two.iter().flatten()).take(quantities) {
                assert_eq!([one.low, one.high], [two.low, two.high], "{pair:?}");
                assert!(two.are_within(1e-20 * (1.0 + two.high.abs())), "{pair:?}");
            }
        }
    }

    #[test]
    fn minors_give_what_all_bases_give_one_by_one() {
        both_ways_agree::<2>(false);
        both_ways_agree::<2>(true);
        both_ways_agree::<3>(false);
        both_ways_agree::<3>(true);
    }
}
