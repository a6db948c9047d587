//! Which manifolds are kept: those of bodies that have hardly moved relative to each other since they were made.

use super::pairs::{Pairs, flag, row};
use crate::soa::block::{LANES, Lanes, Quantity, Real};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Cosine of the rotation of one body relative to the other above which a manifold is kept.
const KEPT_COSINE: f64 = 0.98;

/// Finds the pairs whose manifolds must be made anew.
#[derive(Debug)]
pub(crate) struct FindStale<'a, R: Real> {
    pub(crate) pairs: &'a Pairs<R>,
    /// Per body `[x, y, cos, sin]`.
    pub(crate) poses: &'a [[f64; 4]],
    /// Slots of the pairs.
    pub(crate) slots: &'a [u32],
    /// Those whose manifolds must be made anew.
    pub(crate) stale: &'a mut Vec<u32>,
    /// Those whose manifolds are kept and that have points but do not touch yet.
    pub(crate) waiting: &'a mut Vec<u32>,
}

impl<R: Real> Kernel for FindStale<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { pairs, poses, slots, stale, waiting } = self;
        let kept = pairs.kept.as_slice();
        let (mut places, mut bodies, mut limits) = ([0; 8], [[0; 8]; 2], [R::nearest(0.0); 8]);
        for chunk in slots.chunks(R::COUNT) {
            for lane in 0..R::COUNT {
                let slot = chunk[lane.min(chunk.len() - 1)] as usize;
                places[lane] = (row::COUNT * slot + row::POSE) as u32;
                [bodies[0][lane], bodies[1][lane]] = pairs.heads[slot].bodies;
                limits[lane] = kept[slot];
            }
            // SAFETY: the slots exist; their bodies are rows of the poses.
            let [x, y, cos, sin] = unsafe { relative_poses::<S, R>(poses, &bodies[0], &bodies[1]) };
            // SAFETY: as above.
            let [old_x, old_y, old_cos, old_sin] = unsafe { R::load_quads::<S>(pairs.rows(), &places) };
            let limit = R::Block::<S>::collect(
                #[inline(always)]
                |lane| limits[lane],
            );
            let (dx, dy) = (x - old_x, y - old_y);
            let near = (dx * dx + dy * dy).lt(limit);
            let unturned = R::Block::<S>::splat(KEPT_COSINE).lt(cos * old_cos + sin * old_sin);
            let is_kept = (near & unturned).bits();
            for (lane, &slot) in chunk.iter().enumerate() {
                let head = &pairs.heads[slot as usize];
                if is_kept >> lane & 1 == 0 {
                    stale.push(slot);
                } else if head.count > 0 && head.flags & flag::ACTIVE == 0 {
                    waiting.push(slot);
                }
            }
        }
    }
}

/// The poses of second bodies in the coordinates of first bodies: `[x, y, cos, sin]`. Positions are subtracted in `f64`.
///
/// # Safety
/// There must be a body for each lane, and all of them must have poses.
#[inline(always)]
pub(crate) unsafe fn relative_poses<S: Simd, R: Real>(
    poses: &[[f64; 4]],
    first: &[u32],
    second: &[u32],
) -> [R::Block<S>; 4] {
    let mut halves = [[S::Block::ZERO; 4]; 2];
    for half in 0..R::COUNT / LANES {
        let lanes = half * LANES..;
        // SAFETY: by the contract of this function.
        let [[xa, ya, ca, sa], [xb, yb, cb, sb]] = unsafe {
            [f64::load_quads::<S>(poses, &first[lanes.clone()]), f64::load_quads::<S>(poses, &second[lanes])]
        };
        let (x, y) = (xb - xa, yb - ya);
        halves[half] = [ca * x + sa * y, ca * y - sa * x, cb * ca + sb * sa, sb * ca - cb * sa];
    }
    R::join::<S, 4>(halves)
}

/// Writes the relative poses of pairs into columns.
#[derive(Debug)]
pub(crate) struct FindPoses<'a, R: Real> {
    pub(crate) pairs: &'a Pairs<R>,
    /// Per body `[x, y, cos, sin]`.
    pub(crate) poses: &'a [[f64; 4]],
    /// Slots, in whole blocks.
    pub(crate) slots: &'a [u32],
    /// `[x, y, cos, sin]`, as long as the slots.
    pub(crate) columns: [&'a mut [R]; 4],
}

impl<R: Real> Kernel for FindPoses<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { pairs, poses, slots, columns: [x, y, cos, sin] } = self;
        let (x, y) = (R::Block::<S>::blocks_mut(x), R::Block::<S>::blocks_mut(y));
        let (cos, sin) = (R::Block::<S>::blocks_mut(cos), R::Block::<S>::blocks_mut(sin));
        let mut bodies = [[0; 8]; 2];
        for block in 0..slots.len() / R::COUNT {
            for lane in 0..R::COUNT {
                [bodies[0][lane], bodies[1][lane]] =
                    pairs.heads[slots[block * R::COUNT + lane] as usize].bodies;
            }
            // SAFETY: the bodies of pairs are rows of the poses.
            let pose = unsafe { relative_poses::<S, R>(poses, &bodies[0], &bodies[1]) };
            (x[block], y[block], cos[block], sin[block]) = (pose[0], pose[1], pose[2], pose[3]);
        }
    }
}
