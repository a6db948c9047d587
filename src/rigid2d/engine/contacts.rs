//! Manifolds of pairs: kept while bodies hardly move relative to each other, made anew otherwise.

use std::marker::PhantomData;

use super::growth::bytes_of;
use super::manifolds::MakeManifolds;
use super::meeting::Meeting;
use super::pairs::{Class, flag, row};
use super::recycle::{AGEING, FindStale};
use super::settings::StepSettings;
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::geometry::{Pose, Rotation, Vec2};
use crate::rigid2d::narrow::lanes::{self, CircleAndPolygon, Circles, Polygons};
use crate::rigid2d::narrow::manifold::{Manifold, ManifoldPoint};
use crate::rigid2d::solver::constraints::ABSENT;
use crate::soa::block::Real;
use crate::soa::level;

/// Displacement of one body relative to the other below which a manifold with points is kept, in metres, and in parts of
/// the smaller extent.
pub(crate) const KEPT: f64 = 0.05;
const KEPT_SHARE: f64 = 0.1;

/// Share of the smaller extent up to which shapes are kept in the solver while they are apart.
const MARGIN_SHARE: f64 = 0.1;

/// The limit of a manifold that is made anew in every step.
pub(crate) const ALWAYS: f32 = -1.0;

/// Memory of the narrow phase: slots of pairs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    /// Those whose manifold is made anew.
    pub(crate) stale: Vec<u32>,
    /// Those whose manifold is kept though their bodies have moved.
    ageing: Vec<u32>,
    /// Those that may begin or cease to touch.
    candidates: Vec<u32>,
    /// Those with a segment of a chain whose manifold was made anew, and whether all of its points are apart.
    chained: Vec<(u32, bool)>,
    /// Candidates that come together fast, by class.
    pub(super) meetings: [Vec<Meeting>; Class::ALL.len()],
    /// Per candidate, the share of the step after which its shapes first meet; 1 if they do not, and negative if they are not
    /// fast.
    pub(super) shares: Vec<f64>,
}

impl Scratch {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let meetings = self.meetings.iter().map(bytes_of).sum::<usize>();
        bytes_of(&self.stale)
            + bytes_of(&self.candidates)
            + bytes_of(&self.chained)
            + meetings
            + bytes_of(&self.shares)
    }
}

impl<R: Real> Tile<R> {
    /// Makes manifolds anew where they may have changed, and finds what has begun or ceased to touch.
    pub(crate) fn update_manifolds(&mut self, step: &Step<'_, R>) -> Result<()> {
        self.pairs.update_lists()?;
        self.scratch.candidates.clear();
        self.scratch.chained.clear();
        for class in Class::ALL {
            let all = std::mem::take(&mut self.pairs.lists[class as usize]);
            if class.is_quick() {
                self.make_all(class, &all, step);
            } else {
                self.find_stale(&all);
                let stale = std::mem::take(&mut self.scratch.stale);
                self.make_all(class, &stale, step);
                self.scratch.stale = stale;
            }
            self.pairs.lists[class as usize] = all;
        }
        self.hide_neighbours(step);
        self.find_begun(step);
        let pairs = &self.pairs;
        self.begun.sort_unstable_by_key(|&slot| pairs.key(slot));
        self.ended.sort_unstable();
        Ok(())
    }

    fn find_stale(&mut self, slots: &[u32]) {
        let Scratch { stale, candidates: waiting, ageing, .. } = &mut self.scratch;
        stale.clear();
        ageing.clear();
        let poses = self.poses.as_slice().as_chunks().0;
        let ways = self.ways.as_slice().as_chunks().0;
        level::run(FindStale { pairs: &self.pairs, poses, ways, slots, stale, waiting, ageing });
        for &slot in &self.scratch.ageing {
            self.pairs.heads[slot as usize].limit *= AGEING;
        }
    }

    pub(super) fn make_all(&mut self, class: Class, slots: &[u32], step: &Step<'_, R>) {
        match class {
            _ if slots.is_empty() => {}
            Class::Circles => self.make_manifolds::<Circles>(slots, step),
            Class::CircleFour => self.make_manifolds::<CircleAndPolygon<4>>(slots, step),
            Class::CircleEight => self.make_manifolds::<CircleAndPolygon<8>>(slots, step),
            Class::Fours => self.make_manifolds::<Polygons<4>>(slots, step),
            Class::Eights => self.make_manifolds::<Polygons<8>>(slots, step),
            Class::General => slots.iter().for_each(|&slot| self.make_general(slot, step)),
        }
    }

    fn make_manifolds<C: lanes::Class>(&mut self, slots: &[u32], step: &Step<'_, R>) {
        let Scratch { candidates, chained, .. } = &mut self.scratch;
        self.colours.changed |= level::run(MakeManifolds {
            pairs: &mut self.pairs,
            poses: self.poses.as_slice().as_chunks().0,
            ways: self.ways.as_slice().as_chunks().0,
            library: step.library,
            slots,
            candidates,
            chained,
            class: PhantomData::<C>,
        });
    }

    /// Makes the manifold of a pair that is too large for the lanes.
    fn make_general(&mut self, slot: u32, step: &Step<'_, R>) {
        let head = self.pairs.heads[slot as usize];
        let [a, b] = head.bodies.map(|body| step.bodies.pose(body as usize));
        let pose = a.relative(b);
        let reach = reach(step, head.bodies);
        let (made, apart) = self.general_manifold(slot as usize, step, pose, f64::from(head.margin) + reach);
        let head = &mut self.pairs.heads[slot as usize];
        let margin = f64::from(head.margin);
        let is_apart = made.points[..usize::from(made.count)].iter().all(|point| point.separation > margin);
        head.limit = match made.count {
            0 => free_way(apart, head.margin),
            _ if is_apart => ALWAYS,
            _ => head.kept,
        };
        if head.flags & flag::CHAIN != 0 {
            self.scratch.chained.push((slot, is_apart));
        } else if is_candidate(made.count, is_apart, head.flags) {
            self.scratch.candidates.push(slot);
        }
        self.keep(slot as usize, &made, pose);
    }

    /// Stores a manifold; points that were there before keep their impulses. The scalar twin of [`MakeManifolds`].
    pub(super) fn keep(&mut self, slot: usize, made: &Manifold, pose: Pose) {
        let head = &mut self.pairs.heads[slot];
        if head.flags & flag::IMPACT != 0 {
            head.flags &= !flag::IMPACT;
            self.colours.changed = true;
        }
        let (old_ids, old_count) = (head.ids, head.count);
        head.ids = u32::from(made.points[0].id) | u32::from(made.points[1].id) << 16;
        head.count = made.count;
        self.pairs.poses_mut()[slot] =
            [pose.position.x, pose.position.y, pose.rotation.cos, pose.rotation.sin].map(R::nearest);
        let rows = &mut self.pairs.rows_mut()[row::COUNT * slot..row::COUNT * (slot + 1)];
        let [_, _, old_1, old_2] = rows[row::NORMAL];
        let [friction, tangent, _, _] = rows[row::TRAITS];
        let (zero, absent) = (R::nearest(0.0), R::nearest(ABSENT));
        let count = usize::from(made.count);
        let impulse = |point: usize| match u32::from(made.points[point].id) {
            _ if point >= count => zero,
            id if old_count > 0 && id == old_ids & 0xFFFF => old_1,
            id if old_count > 1 && id == old_ids >> 16 => old_2,
            _ => zero,
        };
        rows[row::NORMAL] = [R::nearest(made.normal.x), R::nearest(made.normal.y), impulse(0), impulse(1)];
        let offset = |point: usize| if point < count { zero } else { absent };
        rows[row::TRAITS] = [friction, if count > 0 { tangent } else { zero }, offset(0), offset(1)];
        for (point, place) in row::POINT.into_iter().enumerate() {
            let ManifoldPoint { a, b, .. } = made.points[if point < count { point } else { 0 }];
            rows[place] = [a.x, a.y, b.x, b.y].map(R::nearest);
        }
    }

    /// Takes manifolds away whose normal is that of a neighbour in a chain of segments.
    fn hide_neighbours(&mut self, step: &Step<'_, R>) {
        for n in 0..self.scratch.chained.len() {
            let (slot, is_apart) = self.scratch.chained[n];
            let slot = slot as usize;
            let normal = vec2(&self.pairs.rows()[row::COUNT * slot + row::NORMAL]);
            let [_, _, cos, sin] = self.pairs.poses()[slot].map(R::widen);
            let is_there = self.pairs.heads[slot].count > 0;
            if is_there && self.is_of_neighbour(slot, normal, Rotation { cos, sin }, step) {
                self.pairs.clear_manifold(slot);
                // The shapes are close, so that there may be a manifold as soon as they move.
                self.pairs.heads[slot].limit = ALWAYS;
            }
            let head = &self.pairs.heads[slot];
            if is_candidate(head.count, is_apart, head.flags) {
                self.scratch.candidates.push(slot as u32);
            }
        }
    }

    /// Whether a normal of the second body in the coordinates of the first, which is turned by `rotation` relative to it, belongs
    /// to a neighbour of either shape in a chain of segments.
    pub(super) fn is_of_neighbour(
        &self,
        slot: usize,
        normal: Vec2,
        rotation: Rotation,
        step: &Step<'_, R>,
    ) -> bool {
        let [a, b] = self.pairs.heads[slot]
            .shapes
            .map(|shape| &step.library.definitions[self.shapes[shape as usize].definition as usize].geometry);
        a.hides(normal) || b.hides(-rotation.turn_back(normal))
    }

    /// Pairs that touch or will do so in this step become active, those that do not cease to be.
    fn find_begun(&mut self, step: &Step<'_, R>) {
        let candidates = std::mem::take(&mut self.scratch.candidates);
        self.find_meetings(&candidates, step);
        for (n, &slot) in candidates.iter().enumerate() {
            let is_active = self.pairs.heads[slot as usize].flags & flag::ACTIVE != 0;
            match self.touches(slot as usize, self.scratch.shares[n], step) {
                true if !is_active => {
                    self.pairs.heads[slot as usize].flags |= flag::ACTIVE;
                    self.begun.push(slot);
                }
                false if is_active => self.deactivate(slot),
                _ => {}
            }
        }
        self.scratch.candidates = candidates;
    }

    /// Whether a candidate touches in this step, given the share of it after which its shapes meet if they are fast.
    fn touches(&mut self, slot: usize, share: f64, step: &Step<'_, R>) -> bool {
        let head = &self.pairs.heads[slot];
        if head.count == 0 || share >= 0.0 {
            return share < 1.0 && head.count > 0 && self.make_impact(slot, share, step);
        }
        head.flags & flag::ACTIVE != 0 || self.approach(slot, step).1
    }

    fn deactivate(&mut self, slot: u32) {
        if self.pairs.heads[slot as usize].flags & flag::SOLVED != 0 {
            self.colours.remove(&mut self.pairs, slot);
        }
        self.pairs.heads[slot as usize].flags &= !(flag::ACTIVE | flag::IGNORED);
        let rows = &mut self.pairs.rows_mut()[row::COUNT * slot as usize..];
        [rows[row::NORMAL][2], rows[row::NORMAL][3], rows[row::TRAITS][1]] = [R::nearest(0.0); 3];
        self.ended.push(self.pairs.key(slot));
        self.note_parted(self.pairs.heads[slot as usize].bodies);
    }

    /// The smallest separation, and whether one of the points touches, or will do so in this step.
    pub(super) fn approach(&self, slot: usize, step: &Step<'_, R>) -> (f64, bool) {
        let head = &self.pairs.heads[slot];
        let rows = &self.pairs.rows()[row::COUNT * slot..row::COUNT * (slot + 1)];
        let poses = head.bodies.map(|body| step.bodies.pose(body as usize));
        let normal = poses[0].rotation.turn(vec2(&rows[row::NORMAL]));
        let (mut gap, mut touches) = (f64::INFINITY, false);
        for point in 0..usize::from(head.count) {
            let anchors = rows[row::POINT[point]];
            let locals = [vec2(&anchors), vec2(&[anchors[2], anchors[3], anchors[2], anchors[3]])];
            let velocity = |which: usize| {
                let body = head.bodies[which] as usize;
                let [ax, ay, _] = self.accelerate(step, body);
                let [vx, vy, w] = step.bodies.velocity(body);
                let arm = poses[which].rotation.turn(locals[which]);
                Vec2::new(vx + ax * step.dt, vy + ay * step.dt) + arm.perpendicular() * w
            };
            let approach = (velocity(1) - velocity(0)).dot(normal);
            let separation = (poses[1].position - poses[0].position + poses[1].rotation.turn(locals[1])
                - poses[0].rotation.turn(locals[0]))
            .dot(normal);
            gap = gap.min(separation);
            touches |= separation + approach.min(0.0) * step.dt <= 0.0;
        }
        (gap, touches)
    }
}

/// The first two of four numbers.
pub(crate) fn vec2<R: Real>(row: &[R; 4]) -> Vec2 {
    Vec2::new(row[0].widen(), row[1].widen())
}

/// Whether a pair with this number of points may begin or cease to touch. Whether shapes that are apart touch depends on how
/// they move.
#[inline(always)]
pub(super) fn is_candidate(count: u8, is_apart: bool, flags: u16) -> bool {
    let is_active = flags & flag::ACTIVE != 0;
    (count > 0 && is_apart) || (count > 0) != is_active
}

/// How far two bodies come closer in a step, at most, in metres.
pub(super) fn reach<R: Real>(step: &Step<'_, R>, bodies: [u32; 2]) -> f64 {
    let [a, b] = bodies.map(|body| step.bodies.velocity(body as usize));
    let [turn_a, turn_b] = bodies
        .map(|body| (step.bodies.angular_velocity[body as usize] * step.bodies.extent[body as usize]).abs());
    (Vec2::new(b[0] - a[0], b[1] - a[1]).length() + turn_a.min(1e9) + turn_b.min(1e9)) * step.dt
}

/// The limit of shapes that are so far apart that they have no manifold.
#[inline(always)]
pub(crate) fn free_way(apart: f64, margin: f32) -> f32 {
    /// Somewhat less than all of it, for rounding.
    const SHARE: f32 = 0.99;
    let free = SHARE * (apart as f32 - margin);
    if free > 0.0 { free } else { ALWAYS }
}

/// How far apart the shapes of two bodies may be to have a manifold, and how far one may move relative to the other while a
/// manifold is kept; in metres, given the smaller extent.
pub(crate) fn margins(settings: &StepSettings, extent: f64) -> [f64; 2] {
    [(MARGIN_SHARE * extent).min(settings.margin), (KEPT_SHARE * extent).min(KEPT)]
}
