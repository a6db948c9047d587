//! The decision in exact arithmetic.
//!
//! A pair of frames is put to the axes that can separate them (SPEC section 2). Each axis is asked in plain
//! numbers with a coarse bound first; if those cannot tell, in numbers that track their errors; and what is
//! open then is decided in integers long enough for the numbers at hand. No step rounds without knowing.

mod axes;
mod fixed;
mod rounded;
mod tracked;

use axes::{Axes, Pair, Scene, Units};
use fixed::Fixed;
use rounded::Rounded;
use tracked::Tracked;

use crate::frames::Frame;

/// Whether the insides of two frames share a point, at some time from 0 to `duration` seconds if they move.
///
/// The answer is right for all finite numbers, as they are: nothing is rounded, and frames that only touch do
/// not intersect.
#[must_use]
pub fn intersects<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> bool {
    let scene = Scene::new(a, b, duration);
    let mut open = Axes::NONE;
    !separated_for_sure(&scene, &mut open)
        && (open.as_slice().is_empty() || !separated(&scene, open.as_slice()))
}

/// Whether an axis surely separates two frames. If none does, `open` gets those of which floating-point
/// numbers cannot tell.
fn separated_for_sure<const D: usize>(scene: &Scene<'_, D>, open: &mut Axes) -> bool {
    let (has_huge, has_faint) = scene.numbers().fold((false, false), |(huge, faint), x| {
        (huge | (x.abs() >= HUGE), faint | ((x != 0.0) & (x.abs() < FAINT)))
    });
    if has_huge {
        scene.axes().for_each(|axis| open.push(axis));
        return false;
    }
    let rounded = (!has_faint).then(|| Pair::<Rounded, D>::read(scene, Units::default()));
    let mut tracked = None;
    scene.axes().any(|axis| {
        let certain = rounded.as_ref().and_then(|pair| pair.separates(axis)).or_else(|| {
            let tracked = tracked.get_or_insert_with(|| Pair::<Tracked, D>::read(scene, Units::default()));
            tracked.separates(axis)
        });
        if certain.is_none() {
            open.push(axis);
        }
        certain == Some(true)
    })
}

/// Numbers from here on go straight to integers, or products might overflow. It is 2^200, and results are
/// sums of products of at most 4 numbers.
const HUGE: f64 = f64::from_bits((1023 + 200) << 52);

/// Other numbers below this, 2^-200, are only an error to [`Tracked`], and too much for [`Rounded`].
///
/// So no result can underflow: all numbers are multiples of 2^-252, and so are their rounded sums and what
/// rounding takes away; products of 4 are multiples of 2^-1008.
const FAINT: f64 = f64::from_bits((1023 - 200) << 52);

/// Whether any of the axes separates two frames, in integers as long as needed.
#[inline(never)]
fn separated<const D: usize>(scene: &Scene<'_, D>, axes: &[axes::Axis]) -> bool {
    let (units, bits) = fixed::units_and_bits(scene);
    match bits.div_ceil(64) {
        ..=4 => separated_in::<4, D>(scene, units, axes),
        5..=8 => separated_in::<8, D>(scene, units, axes),
        9..=24 => separated_in::<24, D>(scene, units, axes),
        _ => separated_in::<LONGEST, D>(scene, units, axes),
    }
}

/// Limbs that suffice for all finite numbers: a length has up to 1024 + 2 * 1074 bits, a way 1024 bits more,
/// and a result is a product of two lengths and a way.
const LONGEST: usize = 168;

#[inline(never)]
fn separated_in<const N: usize, const D: usize>(
    scene: &Scene<'_, D>,
    units: Units,
    axes: &[axes::Axis],
) -> bool {
    let pair = Pair::<Fixed<N>, D>::read(scene, units);
    axes.iter().any(|&axis| pair.separates(axis) == Some(true))
}

#[cfg(test)]
mod tests;
