//! The decision in exact arithmetic.
//!
//! A pair of frames is tested along every axis that can separate them (docs/methods/fmb.md): first in plain floating-point
//! numbers with a coarse bound of their error, then, for the axes that these leave undecided, in integers that are long
//! enough for the given numbers, faces before edges. If these must be very long, numbers that track their errors are tried
//! before. No rounding goes unnoticed.

mod axes;
mod fixed;
mod rounded;
mod tracked;

pub(super) use axes::{Arithmetic, BinaryUnits};
use axes::{AxisList, FramePair, NumericPair, SeparatingAxis};
pub(super) use fixed::{BitRange, Fixed};
use rounded::Rounded;
use tracked::Tracked;

use crate::frames::Frame;
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

/// Whether the insides of two frames share a point, at some time from 0 to `duration` seconds if they move.
///
/// The answer is right for all finite numbers: nothing is rounded, and frames that only touch do not intersect.
///
/// ```
/// use carom::{Frame, fmb};
///
/// let square = |x: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
/// assert!(fmb::intersects(&square(0.0), &square(1.0_f64.next_down()), None));
/// assert!(!fmb::intersects(&square(0.0), &square(1.0), None));
/// ```
#[must_use]
pub fn intersects<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> bool {
    level::run(Decision(FramePair::new(a, b, duration)))
}

/// Whether the insides of two frames share a point.
#[derive(Clone, Copy)]
struct Decision<'a, const D: usize>(FramePair<'a, D>);

impl<const D: usize> Kernel for Decision<'_, D> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Self(frames) = self;
        let mut open = AxisList::NONE;
        !surely_separated::<S, D>(&frames, &mut open)
            && (open.as_slice().is_empty() || !separated(&frames, open.as_slice()))
    }
}

/// Whether an axis separates two frames. If none surely does, `open` gets the axes that are still undecided.
#[inline(always)]
fn surely_separated<S: Simd, const D: usize>(frames: &FramePair<'_, D>, open: &mut AxisList) -> bool {
    let (has_huge, has_faint) = frames.numbers().fold((false, false), |(huge, faint), x| {
        (huge | (x.abs() >= HUGE), faint | ((x != 0.0) & (x.abs() < FAINT)))
    });
    if has_huge {
        frames.axes().for_each(|axis| open.push(axis));
        return false;
    }
    let rounded = NumericPair::<Rounded, D>::read(frames, BinaryUnits::default());
    let (mut tracked, mut bits): (Option<NumericPair<Tracked<S>, D>>, _) = (None, None);
    let faces = frames.face_count();
    for (number, axis) in frames.axes().enumerate() {
        // Most frames that touch do so with a face: the many other axes need not be tested then.
        if number == faces && !open.as_slice().is_empty() {
            if separated(frames, open.as_slice()) {
                return true;
            }
            open.clear();
        }
        let mut certain = if has_faint { None } else { rounded.separates(axis) };
        if certain.is_none() && *bits.get_or_insert_with(|| fixed::units_and_bits(frames).1) > SHORT {
            if tracked.is_none() {
                tracked = Some(NumericPair::read(frames, BinaryUnits::default()));
            }
            if let Some(pair) = &tracked {
                certain = pair.separates(axis);
            }
        }
        match certain {
            Some(true) => return true,
            Some(false) => {}
            None => open.push(axis),
        }
    }
    false
}

/// 2^200: pairs with such numbers or larger ones are decided in integers at once, because results are sums of products of
/// up to four numbers and might overflow.
const HUGE: f64 = f64::from_bits((1023 + 200) << 52);

/// 2^-200: numbers below this, except 0, are treated as an error by [`Tracked`]; [`Rounded`] is not used for them.
///
/// So no result can underflow: all numbers are multiples of 2^-252, and so are their rounded sums and the rounding errors;
/// products of four are multiples of 2^-1008.
const FAINT: f64 = f64::from_bits((1023 - 200) << 52);

/// Integers of so many bits take less time than numbers that track their errors and leave open what is close.
const SHORT: usize = 256;

/// Whether any of the axes separates two frames, in integers as long as needed.
#[inline(never)]
fn separated<const D: usize>(frames: &FramePair<'_, D>, axes: &[SeparatingAxis]) -> bool {
    let (units, bits) = fixed::units_and_bits(frames);
    match bits.div_ceil(64) {
        ..=2 => separated_in::<2, D>(frames, units, axes),
        3 => separated_in::<3, D>(frames, units, axes),
        4 => separated_in::<4, D>(frames, units, axes),
        5..=8 => separated_in::<8, D>(frames, units, axes),
        9..=24 => separated_in::<24, D>(frames, units, axes),
        _ => separated_in::<LONGEST, D>(frames, units, axes),
    }
}

/// Limbs that suffice for all finite numbers: a length has up to 1024 + 2 * 1074 bits, a displacement 1024 bits more, and
/// a result is a product of two lengths and a displacement.
const LONGEST: usize = 168;

#[inline(never)]
fn separated_in<const N: usize, const D: usize>(
    frames: &FramePair<'_, D>,
    units: BinaryUnits,
    axes: &[SeparatingAxis],
) -> bool {
    let pair = NumericPair::<Fixed<N>, D>::read(frames, units);
    axes.iter().any(|&axis| pair.separates(axis) == Some(true))
}

#[cfg(test)]
mod tests;
