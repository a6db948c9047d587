//! What is promised of times and boxes, checked for one pair in rational arithmetic.

use carom::fmb::Region;
use carom::{Aabb, Frame};
use num_rational::BigRational;
use num_traits::Signed;

use super::families::Case;
use crate::rational::{ContactKind, Overlap, exactly};

/// What is wrong with a region, if anything: times must be within 1e-9 of the duration, the box in the world within 1e-8 of
/// the largest component and a rounding of the coordinate, the box in the coordinates of B within 1e-8.
pub(crate) fn complaint<const D: usize>(case: &Case<D>, region: &Region<D>) -> Option<String> {
    let Case { pair: [a, b], duration } = case;
    let overlap = Overlap::of(a, b, *duration);
    if overlap.contact != ContactKind::Overlapping {
        return Some(format!("{:?}", overlap.contact));
    }
    let exact = overlap.extent();
    let share = |value: f64| exactly(value);
    let axis = |aabb: &Aabb<D>, axis: usize| [aabb.min[axis], aabb.max[axis]];
    let of_time = share(1e-9) * share(duration.unwrap_or(0.0));
    let of_world = share(1e-8) * share(size([a, b]));
    let mut checks = vec![("times", region.times, &exact.times, of_time)];
    for i in 0..D {
        checks.push(("world", axis(&region.world, i), &exact.world[i], of_world.clone()));
        checks.push(("local", axis(&region.local, i), &exact.local[i], share(1e-8)));
    }
    checks.into_iter().find_map(|(name, found, exact, tolerance)| {
        if !(found[0] <= found[1] && found.iter().all(|x| x.is_finite())) {
            return Some(format!("{name} {found:?}"));
        }
        let is_close = |end: usize| {
            let rounding = if name == "local" { share(0.0) } else { rounding(&exact[end]) };
            (exactly(found[end]) - &exact[end]).abs() <= &tolerance + rounding
        };
        let nearest = exact.each_ref().map(crate::rational::agreement::nearest);
        (!is_close(0) || !is_close(1)).then(|| format!("{name} {found:?} instead of {nearest:?}"))
    })
}

/// One unit in the last place of a number, at least the smallest double.
fn rounding(x: &BigRational) -> BigRational {
    (x.abs() * exactly(f64::EPSILON)).max(exactly(5e-324))
}

/// The largest component of either frame.
pub(crate) fn size<const D: usize>(frames: [&Frame<D>; 2]) -> f64 {
    frames.iter().flat_map(|frame| frame.components.as_flattened()).fold(0.0, |m, x| m.max(x.abs()))
}

/// The bits of the times and of the box in the world.
pub(crate) fn bits_in_world<const D: usize>(region: &Region<D>) -> Vec<u64> {
    let ends = region.times.iter().chain(&region.world.min).chain(&region.world.max);
    ends.map(|x| x.to_bits()).collect()
}

/// The bits of the times and of the local box.
pub(crate) fn bits_in_b<const D: usize>(region: &Region<D>) -> Vec<u64> {
    let ends = region.times.iter().chain(&region.local.min).chain(&region.local.max);
    ends.map(|x| x.to_bits()).collect()
}
