//! Manifolds made anew in lanes, one pair per lane, and stored in the slots of their pairs.

use std::marker::PhantomData;

use super::contacts::{ALWAYS, free_way, is_candidate};
use super::library::Library;
use super::pairs::{Pair, Pairs, flag, row};
use super::recycle::{Approach, relative_poses};
use crate::rigid2d::narrow::lanes::{BlockOfPairs, Class, Shapes, Vector};
use crate::rigid2d::solver::constraints::ABSENT;
use crate::soa::block::{Lanes, Mask, Quantity, Real, each};
use crate::soa::level::Kernel;
use crate::soa::prefetch;
use crate::soa::simd::Simd;

/// Pairs between the one whose slot is prefetched and the one whose manifold is made.
const AHEAD: usize = 16;

/// Makes the manifolds of pairs of one class anew. Points that were there before keep their impulses.
#[derive(Debug)]
pub(super) struct MakeManifolds<'a, R: Real, C> {
    pub(super) pairs: &'a mut Pairs<R>,
    /// Per body `[x, y, cos, sin]`.
    pub(super) poses: &'a [[f64; 4]],
    /// Per body `[x, y, turn, 0]`: what it will move in this step.
    pub(super) ways: &'a [[R; 4]],
    pub(super) library: &'a Library<R>,
    pub(super) slots: &'a [u32],
    /// Slots of pairs that may begin or cease to touch.
    pub(super) candidates: &'a mut Vec<u32>,
    /// Slots of pairs with a segment of a chain, and whether all points are apart.
    pub(super) chained: &'a mut Vec<(u32, bool)>,
    pub(super) class: PhantomData<C>,
}

/// What the lanes need of a block of pairs.
struct Block<R> {
    slots: [u32; 8],
    /// Rows of the numbers of the pairs.
    places: [[u32; 8]; row::COUNT],
    bodies: [[u32; 8]; 2],
    outlines: [[u32; 8]; 2],
    margins: [R; 8],
    /// Features of both points as they were; -1 of one that was absent.
    ids: [[R; 8]; 2],
}

impl<R: Real> Block<R> {
    fn new() -> Self {
        Self {
            slots: [0; 8],
            places: [[0; 8]; row::COUNT],
            bodies: [[0; 8]; 2],
            outlines: [[0; 8]; 2],
            margins: [R::nearest(0.0); 8],
            ids: [[R::nearest(0.0); 8]; 2],
        }
    }

    /// Reads the pairs of some slots; the last one fills what is left of the lanes.
    #[inline(always)]
    fn read(&mut self, heads: &[Pair], slots: &[u32]) {
        for lane in 0..R::COUNT {
            let slot = slots[lane.min(slots.len() - 1)];
            let head = &heads[slot as usize];
            self.slots[lane] = slot;
            for n in 0..row::COUNT {
                self.places[n][lane] = row::COUNT as u32 * slot + n as u32;
            }
            [self.bodies[0][lane], self.bodies[1][lane]] = head.bodies;
            [self.outlines[0][lane], self.outlines[1][lane]] = head.outlines;
            self.margins[lane] = R::nearest(f64::from(head.margin));
            let is_there = [head.count > 0, head.count > 1];
            for point in 0..2 {
                let id = (head.ids >> (16 * point) & 0xFFFF) as f64;
                self.ids[point][lane] = R::nearest(if is_there[point] { id } else { -1.0 });
            }
        }
    }
}

impl<R: Real, C: Class> Kernel for MakeManifolds<'_, R, C> {
    /// Whether one of the manifolds was that of an impact.
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Self { pairs, poses, ways, library, slots, candidates, chained, .. } = self;
        let (heads, rows, made_at) = pairs.parts_mut();
        let shapes = Shapes { outlines: &library.outlines, discs: &library.discs, circles: &library.circles };
        let mut block = Block::<R>::new();
        let mut had_impacts = false;
        for (n, some) in slots.chunks(R::COUNT).enumerate() {
            for &slot in slots.get(n * R::COUNT + AHEAD..).unwrap_or(&[]).iter().take(R::COUNT) {
                prefetch::near(heads, slot as usize);
                prefetch::near(rows, row::COUNT * slot as usize);
                prefetch::near(rows, row::COUNT * slot as usize + row::POINT[0]);
            }
            block.read(heads, some);
            // SAFETY: the bodies of pairs are rows of the poses.
            let (pose, rotation) =
                unsafe { relative_poses::<S, R>(poses, &block.bodies[0], &block.bodies[1]) };
            // SAFETY: the bodies are rows of the ways.
            let approach = unsafe { Approach::<_>::load::<S, R>(ways, &block.bodies[0], &block.bodies[1]) };
            let margin = R::Block::<S>::collect(
                #[inline(always)]
                |lane| block.margins[lane],
            );
            let numbers = [&block.outlines[0][..R::COUNT], &block.outlines[1][..R::COUNT]];
            let touch = C::touch(&BlockOfPairs::new::<C>(shapes, numbers, pose, margin + approach.reach()));
            let [first, second] = [touch.first(), touch.points[1]];
            let (any, both) = (first.present, touch.points[0].present & second.present);
            let near = first.separation.le(margin) | (second.separation.le(margin) & both);
            let may_touch = touch.apart.le(margin + approach.along(touch.normal, rotation));
            let absent = R::Block::<S>::splat(ABSENT);
            // SAFETY: each slot has its rows.
            unsafe {
                let [_, _, old_1, old_2] = R::load_quads::<S>(rows, &block.places[row::NORMAL]);
                let [friction, tangent, _, _] = R::load_quads::<S>(rows, &block.places[row::TRAITS]);
                let normal = touch.normal.masked(any);
                let (a, b) = (first.a.masked(any), first.b.masked(any));
                let [mut impulse_1, mut impulse_2] = [old_1 & any, old_2];
                if C::POINTS == 2 {
                    let [id_1, id_2] = each!(point in [0, 1] => R::Block::<S>::collect(
                        #[inline(always)]
                        |lane| block.ids[point][lane],
                    ));
                    let old = [old_1, old_2, id_1, id_2];
                    [impulse_1, impulse_2] = [kept(first.id, old) & any, kept(second.id, old) & both];
                }
                R::store_quads::<S>(
                    rows,
                    &block.places[row::NORMAL],
                    [normal.x, normal.y, impulse_1, impulse_2],
                );
                let offsets =
                    [any.select(R::Block::<S>::ZERO, absent), both.select(R::Block::<S>::ZERO, absent)];
                let traits = [friction, tangent & any, offsets[0], offsets[1]];
                R::store_quads::<S>(rows, &block.places[row::TRAITS], traits);
                R::store_quads::<S>(rows, &block.places[row::POINT[0]], [a.x, a.y, b.x, b.y]);
                if C::POINTS == 2 {
                    // A point that is absent is the same as the other.
                    let (a_2, b_2) = (Vector::select(both, second.a, a), Vector::select(both, second.b, b));
                    let point = [a_2.x, a_2.y, b_2.x, b_2.y];
                    R::store_quads::<S>(rows, &block.places[row::POINT[1]], point);
                }
                R::store_quads::<S>(made_at, &block.slots, pose);
            }
            let apart: &[R] = bytemuck::cast_slice(std::slice::from_ref(&touch.apart));
            let mut ids = [0; 8];
            if C::POINTS == 2 {
                touch.write_ids(&mut ids[..R::COUNT]);
            }
            let (any, both, near, may_touch) = (any.bits(), both.bits(), near.bits(), may_touch.bits());
            for (lane, &slot) in some.iter().enumerate() {
                let head = &mut heads[slot as usize];
                let [any, both, is_near, may_touch] =
                    [any, both, near, may_touch].map(|bits| bits >> lane & 1);
                head.count = (any + both) as u8;
                head.limit = match head.count {
                    0 => free_way(apart[lane].widen(), head.margin),
                    _ if C::POINTS == 1 || is_near == 0 => ALWAYS,
                    _ => head.kept,
                };
                head.ids = ids[lane];
                if head.flags & flag::IMPACT != 0 {
                    head.flags &= !flag::IMPACT;
                    had_impacts = true;
                }
                // What is apart and does not come close enough in this step is left alone.
                let is_free = head.flags & flag::ACTIVE == 0 && is_near == 0 && may_touch == 0;
                if head.flags & flag::CHAIN != 0 {
                    chained.push((slot, is_near == 0));
                } else if is_candidate(head.count, is_near == 0, head.flags) && !is_free {
                    candidates.push(slot);
                }
            }
        }
        had_impacts
    }
}

/// The impulse that a point with this id had, given both impulses and ids; 0 if there was none.
#[inline(always)]
fn kept<L: Lanes>(id: L, [impulse_1, impulse_2, id_1, id_2]: [L; 4]) -> L {
    id.equals(id_1).select(impulse_1, impulse_2 & id.equals(id_2))
}
