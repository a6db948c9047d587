//! Impacts of shapes that come together fast: the manifold is that at the poses of their first touch.
//!
//! The nearest points at the start of a step are not those that meet after a long way, and shapes that pass each other do
//! not meet at all (docs/methods/rigid2d.md, section 6).

use super::contacts::{ALWAYS, Scratch, reach, vec2};
use super::continuous::{Advanced, Form, Motion, advance, stay_apart};
use super::meeting::{Meeting, find_shares};
use super::pairs::{Class, flag, row};
use super::tile::{Step, Tile};
use crate::geometry::{Pose, Vec2};
use crate::rigid2d::narrow::manifold::{self, Manifold};
use crate::rigid2d::narrow::{general, scalar};
use crate::soa::block::Real;

/// Share of the margin of a pair at which shapes count as touching.
const TOUCHING: f64 = 1e-3;

/// In place of the share of a step, of shapes that do not come together fast.
const NOT_FAST: f64 = -1.0;

impl<R: Real> Tile<R> {
    /// Finds when the shapes of candidates meet that come together fast.
    pub(super) fn find_meetings(&mut self, candidates: &[u32], step: &Step<'_, R>) {
        self.scratch.shares.clear();
        self.scratch.meetings.iter_mut().for_each(Vec::clear);
        for (place, &slot) in candidates.iter().enumerate() {
            let is_fast = self.is_fast(slot as usize, step);
            let share = if is_fast { self.find_meeting(slot as usize, place as u32, step) } else { NOT_FAST };
            self.scratch.shares.push(share);
        }
        let Scratch { meetings, shares, .. } = &mut self.scratch;
        for class in Class::ALL {
            find_shares(class, &meetings[class as usize], &step.library.definitions, shares);
        }
    }

    /// Whether the nearest points of shapes that are apart are not those that will meet. Of circles it is easy to say.
    fn is_fast(&self, slot: usize, step: &Step<'_, R>) -> bool {
        let head = &self.pairs.heads[slot];
        let may_be = head.class == Class::Circles || reach(step, head.bodies) > f64::from(head.margin);
        head.count > 0 && may_be && self.approach(slot, step).0 > 0.0
    }

    /// Makes the manifold of a pair at its first touch in this step, after a share of it. Without one it stays as it is, and
    /// this is false.
    pub(super) fn make_impact(&mut self, slot: usize, share: f64, step: &Step<'_, R>) -> bool {
        let head = self.pairs.heads[slot];
        let motions = head.bodies.map(|body| self.coming_motion(step, body as usize));
        let poses = motions.map(|motion| motion.pose(share));
        let pose = poses[0].relative(poses[1]);
        let made = self.manifold_at(slot, step, pose);
        let is_hidden =
            head.flags & flag::CHAIN != 0 && self.is_of_neighbour(slot, made.normal, pose.rotation, step);
        if made.count == 0 || is_hidden {
            return false;
        }
        self.keep(slot, &made, pose);
        self.pairs.heads[slot].limit = ALWAYS;
        self.refer_to_start(slot, step, &motions, share);
        self.pairs.heads[slot].flags |= flag::IMPACT;
        self.colours.changed = true;
        true
    }

    /// The motion of a body in the step that begins, if nothing touches it.
    fn coming_motion(&self, step: &Step<'_, R>, body: usize) -> Motion {
        let bodies = &step.bodies;
        let (velocity, acceleration) = (bodies.velocity(body), self.accelerate(step, body));
        let [x, y, turn] =
            [0, 1, 2].map(|axis: usize| (velocity[axis] + 0.5 * acceleration[axis] * step.dt) * step.dt);
        Motion {
            start: Vec2::new(bodies.x[body], bodies.y[body]),
            displacement: Vec2::new(x, y),
            angle: bodies.angle[body],
            turn,
            extent: bodies.extent[body],
        }
    }

    /// The share of the step at which the shapes of a pair first touch; 1 if they do not, or if the lanes will find it.
    fn find_meeting(&mut self, slot: usize, place: u32, step: &Step<'_, R>) -> f64 {
        let head = &self.pairs.heads[slot];
        let motions = head.bodies.map(|body| self.coming_motion(step, body as usize));
        let numbers = head.shapes.map(|shape| self.shapes[shape as usize].definition);
        let definitions = numbers.map(|number| &step.library.definitions[number as usize]);
        let is_central = definitions.iter().all(|definition| *definition.core() == [Vec2::ZERO]);
        if is_central {
            return meeting_of_circles(&motions, definitions[0].radius + definitions[1].radius);
        }
        let forms = definitions.map(Form::new);
        let touching = TOUCHING * f64::from(head.margin);
        let starts = head.bodies.map(|body| step.bodies.pose(body as usize));
        let normal = vec2(&self.pairs.rows()[row::COUNT * slot + row::NORMAL]);
        if stay_apart(forms, starts, &motions, starts[0].rotation.turn(normal), touching) {
            return 1.0;
        }
        if head.class == Class::General {
            return match advance(forms, &motions, touching, 1.0, &mut self.continuous.cores) {
                Advanced::Touches(_) => 0.0,
                Advanced::To(share) | Advanced::Meets(share, _) => share,
            };
        }
        let rotations = starts.map(|start| start.rotation);
        let meeting = Meeting::new(&motions, rotations, numbers, &step.library.definitions, touching, place);
        let class = head.class;
        self.scratch.meetings[class as usize].push(meeting);
        1.0
    }

    /// The manifold of a pair, given the pose of the second body in the coordinates of the first.
    pub(super) fn manifold_at(&self, slot: usize, step: &Step<'_, R>, pose: Pose) -> Manifold {
        let head = &self.pairs.heads[slot];
        // All points that may still touch in this step.
        let margin = f64::from(head.margin) + reach(step, head.bodies);
        if head.class == Class::General {
            return self.general_manifold(slot, step, pose, margin).0;
        }
        let definitions = head
            .shapes
            .map(|shape| &step.library.definitions[self.shapes[shape as usize].definition as usize]);
        let [a, b] =
            &definitions.map(|definition| definition.exact_outline().expect("an outline of the class"));
        let radii = definitions.map(|definition| R::nearest(definition.radius).widen());
        let pair = manifold::Pair { pose, radii, margin };
        match head.class {
            Class::Circles => scalar::circles(a, b, &pair),
            Class::CircleFour => scalar::circle_and_polygon::<4>(a, b, &pair),
            Class::CircleEight => scalar::circle_and_polygon::<8>(a, b, &pair),
            Class::Fours => scalar::polygons::<4>(a, b, &pair),
            Class::Eights | Class::General => scalar::polygons::<8>(a, b, &pair),
        }
    }

    /// The manifold of a pair that is too large for the lanes, given the pose of the second body in the coordinates of the first,
    /// and how far the shapes are apart.
    pub(super) fn general_manifold(
        &self,
        slot: usize,
        step: &Step<'_, R>,
        pose: Pose,
        margin: f64,
    ) -> (Manifold, f64) {
        let definitions = self.pairs.heads[slot]
            .shapes
            .map(|shape| &step.library.definitions[self.shapes[shape as usize].definition as usize]);
        let pair = manifold::Pair { pose, radii: definitions.map(|definition| definition.radius), margin };
        general::manifold_and_distance(definitions[0].core(), definitions[1].core(), &pair)
    }

    /// The solver has directions as they are at the start of the step. Those of an impact are those of its time, and the
    /// separations are such that the points touch then with the velocities that they have now.
    fn refer_to_start(&mut self, slot: usize, step: &Step<'_, R>, motions: &[Motion; 2], share: f64) {
        let head = self.pairs.heads[slot];
        let starts = head.bodies.map(|body| step.bodies.pose(body as usize).rotation);
        let poses = motions.map(|motion| motion.pose(share));
        let between = motions[1].start - motions[0].start;
        let way = (motions[1].displacement - motions[0].displacement) * share;
        let rows = &mut self.pairs.rows_mut()[row::COUNT * slot..row::COUNT * (slot + 1)];
        let [x, y, impulse_1, impulse_2] = rows[row::NORMAL];
        let normal = poses[0].rotation.turn(Vec2::new(x.widen(), y.widen()));
        let now = starts[0].turn_back(normal);
        rows[row::NORMAL] = [R::nearest(now.x), R::nearest(now.y), impulse_1, impulse_2];
        let points = if head.class.has_one_point() { 1 } else { 2 };
        for (n, &at) in row::POINT[..points].iter().enumerate() {
            let [ax, ay, bx, by] = rows[at].map(R::widen);
            let arms = [poses[0].rotation.turn(Vec2::new(ax, ay)), poses[1].rotation.turn(Vec2::new(bx, by))];
            let separation = (between + way + arms[1] - arms[0]).dot(normal);
            let turning = motions[1].turn * arms[1].cross(normal) - motions[0].turn * arms[0].cross(normal);
            let start = separation - way.dot(normal) - turning * share;
            let [a, b] = [starts[0].turn_back(arms[0]), starts[1].turn_back(arms[1])];
            rows[at] = [a.x, a.y, b.x, b.y].map(R::nearest);
            if n < usize::from(head.count) {
                let offset = start - (between + arms[1] - arms[0]).dot(normal);
                rows[row::TRAITS][2 + n] = R::nearest(offset);
            }
        }
    }
}

/// The share of two motions at which discs about the centres of both bodies touch, given the sum of their radii: the earlier
/// root of |r + d s| = radius, in the form that does not cancel; 1 if they do not.
fn meeting_of_circles(motions: &[Motion; 2], radius: f64) -> f64 {
    let between = motions[1].start - motions[0].start;
    let way = motions[1].displacement - motions[0].displacement;
    let (square, along) = (way.dot(way), between.dot(way));
    let rest = between.dot(between) - radius * radius;
    let root = along * along - square * rest;
    if rest <= 0.0 {
        return 0.0;
    }
    if along >= 0.0 || root < 0.0 {
        return 1.0;
    }
    (rest / (root.sqrt() - along)).min(1.0)
}
