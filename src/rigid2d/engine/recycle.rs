//! Which manifolds are kept: those of bodies that have hardly moved relative to each other since they were made.

use super::pairs::{Pairs, flag};
use crate::rigid2d::narrow::lanes::Vector;
use crate::soa::block::{LANES, Lanes, Quantity, Real, each};
use crate::soa::level::Kernel;
use crate::soa::prefetch;
use crate::soa::simd::Simd;

/// Cosine of the rotation of one body relative to the other above which a manifold is kept.
const KEPT_COSINE: f64 = 0.98;

/// Share of the limit above which a manifold with points counts as one of bodies that have moved.
pub(super) const MOVED: f64 = 1.0 / 64.0;

/// Cosine of the rotation of one body relative to the other up to which it does, too: 0.01 rad.
pub(super) const UNMOVED_COSINE: f64 = 0.99995;

/// What the limit of a manifold of bodies that have moved is multiplied with in every step in which it is kept: what has moved and
/// comes to rest then gets a manifold of where it rests.
pub(super) const AGEING: f32 = 0.875;

/// Pairs between the one whose slot is prefetched and the one that is tested.
const AHEAD: usize = 16;

/// Finds the pairs whose manifolds must be made anew.
#[derive(Debug)]
pub(crate) struct FindStale<'a, R: Real> {
    pub(crate) pairs: &'a Pairs<R>,
    /// Per body `[x, y, cos, sin]`.
    pub(crate) poses: &'a [[f64; 4]],
    /// Per body `[x, y, turn, 0]`: what it will move in this step.
    pub(crate) ways: &'a [[R; 4]],
    /// Slots of the pairs.
    pub(crate) slots: &'a [u32],
    /// Those whose manifolds must be made anew.
    pub(crate) stale: &'a mut Vec<u32>,
    /// Those whose manifolds are kept and that have points but do not touch yet.
    pub(crate) waiting: &'a mut Vec<u32>,
    /// Those whose manifolds are kept though the bodies have moved: their limits have to become less.
    pub(crate) ageing: &'a mut Vec<u32>,
}

impl<R: Real> Kernel for FindStale<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { pairs, poses, ways, slots, stale, waiting, ageing } = self;
        let (mut places, mut bodies) = ([0; 8], [[0; 8]; 2]);
        let zero = R::nearest(0.0);
        let (mut limits, mut swings, mut absent) = ([zero; 8], [zero; 8], [zero; 8]);
        for (n, chunk) in slots.chunks(R::COUNT).enumerate() {
            for &slot in slots.get(n * R::COUNT + AHEAD..).unwrap_or(&[]).iter().take(R::COUNT) {
                prefetch::near(&pairs.heads, slot as usize);
                prefetch::near(pairs.poses(), slot as usize);
            }
            for lane in 0..R::COUNT {
                let slot = chunk[lane.min(chunk.len() - 1)];
                let head = &pairs.heads[slot as usize];
                places[lane] = slot;
                [bodies[0][lane], bodies[1][lane]] = head.bodies;
                limits[lane] = R::nearest(f64::from(head.limit));
                let is_absent = f64::from(u8::from(head.count == 0));
                swings[lane] = R::nearest(is_absent * f64::from(head.swing));
                absent[lane] = R::nearest(is_absent);
            }
            // SAFETY: the slots exist; their bodies are rows of the poses.
            let ([x, y, cos, sin], _) = unsafe { relative_poses::<S, R>(poses, &bodies[0], &bodies[1]) };
            // SAFETY: as above.
            let [old_x, old_y, old_cos, old_sin] = unsafe { R::load_quads::<S>(pairs.poses(), &places) };
            // SAFETY: the bodies are rows of the ways.
            let reach = unsafe { Approach::<_>::load::<S, R>(ways, &bodies[0], &bodies[1]) }.reach();
            let [limit, swing, absent] = each!(k in [0, 1, 2] => R::Block::<S>::collect(
                #[inline(always)]
                |lane| [&limits, &swings, &absent][k][lane],
            ));
            let (dx, dy) = (x - old_x, y - old_y);
            let cosine = cos * old_cos + sin * old_sin;
            let two = R::Block::<S>::splat(2.0);
            let chord = (two - two * cosine).max(R::Block::<S>::ZERO).sqrt();
            // What is apart may touch if it has moved, or will, by as much as it was apart.
            let way = (dx * dx + dy * dy).sqrt() + (swing * chord + absent * reach);
            let unturned = R::Block::<S>::splat(KEPT_COSINE).lt(cosine);
            let is_kept = (way.lt(limit) & unturned).bits();
            let has_turned = cosine.le(R::Block::<S>::splat(UNMOVED_COSINE));
            let has_moved = ((limit * R::Block::<S>::splat(MOVED)).le(way) | has_turned).bits();
            for (lane, &slot) in chunk.iter().enumerate() {
                let head = &pairs.heads[slot as usize];
                if is_kept >> lane & 1 == 0 {
                    stale.push(slot);
                } else if head.count > 0 {
                    if has_moved >> lane & 1 != 0 {
                        ageing.push(slot);
                    }
                    if head.flags & flag::ACTIVE == 0 {
                        waiting.push(slot);
                    }
                }
            }
        }
    }
}

/// Poses of second bodies in the coordinates of first bodies, `[x, y, cos, sin]`, and the rotations of the first bodies.
pub(crate) type RelativePoses<B> = ([B; 4], [B; 2]);

/// The relative poses of a block of pairs of bodies. Positions are subtracted in `f64`.
///
/// # Safety
/// There must be a body for each lane, and all of them must have poses.
#[inline(always)]
pub(crate) unsafe fn relative_poses<S: Simd, R: Real>(
    poses: &[[f64; 4]],
    first: &[u32],
    second: &[u32],
) -> RelativePoses<R::Block<S>> {
    let mut halves = [[S::Block::ZERO; 6]; 2];
    for half in 0..R::COUNT / LANES {
        let lanes = half * LANES..;
        // SAFETY: by the contract of this function.
        let [[xa, ya, ca, sa], [xb, yb, cb, sb]] = unsafe {
            [f64::load_quads::<S>(poses, &first[lanes.clone()]), f64::load_quads::<S>(poses, &second[lanes])]
        };
        let (x, y) = (xb - xa, yb - ya);
        halves[half] = [ca * x + sa * y, ca * y - sa * x, cb * ca + sb * sa, sb * ca - cb * sa, ca, sa];
    }
    let [x, y, cos, sin, ca, sa] = R::join::<S, 6>(halves);
    ([x, y, cos, sin], [ca, sa])
}

/// How two bodies move relative to each other in a step.
#[derive(Clone, Copy)]
pub(crate) struct Approach<L> {
    /// The way of the second body relative to the first, in metres.
    x: L,
    y: L,
    /// How far turns of both move their farthest points, in metres.
    turns: L,
}

impl<L: Lanes> Approach<L> {
    /// # Safety
    /// There must be a body for each lane, and all of them must have ways.
    #[inline(always)]
    pub(crate) unsafe fn load<S: Simd, R: Real<Block<S> = L>>(
        ways: &[[R; 4]],
        first: &[u32],
        second: &[u32],
    ) -> Self {
        // SAFETY: by the contract of this function.
        let [[xa, ya, turn_a, _], [xb, yb, turn_b, _]] =
            unsafe { [R::load_quads::<S>(ways, first), R::load_quads::<S>(ways, second)] };
        Self { x: xb - xa, y: yb - ya, turns: turn_a + turn_b }
    }

    /// How far they come closer, at most.
    #[inline(always)]
    pub(crate) fn reach(&self) -> L {
        (self.x * self.x + self.y * self.y).sqrt() + self.turns
    }

    /// The same along a normal in the coordinates of the first body, which has the rotation `[cos, sin]`.
    #[inline(always)]
    pub(crate) fn along(&self, normal: Vector<L>, [cos, sin]: [L; 2]) -> L {
        let (x, y) = (cos * self.x + sin * self.y, cos * self.y - sin * self.x);
        (-(x * normal.x + y * normal.y)).max(L::ZERO) + self.turns
    }
}
