//! Continuous collision: fast bodies stop where they first touch what they would pass through.
//!
//! Bodies that move farther in a step than half of their thickness are tested against what is fixed, and bullets against
//! everything, by conservative advancement: shapes at a distance d cannot touch before they have come closer by d along the
//! line of their nearest points (Mirtich 1996; docs/methods/rigid2d.md, section 6).

use std::ops::ControlFlow;

use super::bodies::{BodiesMut, Kind, flag};
use super::boxes::FEW;
use super::growth::bytes_of;
use super::library::Definition;
use super::tile::{ShapeRow, Step, Tile};
use crate::geometry::{Aabb, Pose, Rotation, Vec2};
use crate::rigid2d::narrow::gjk::{self, Closest, Convex};
use crate::soa::block::Real;

/// Share of its thickness that a body may move in a step before it is tested.
pub(super) const SLOW: f64 = 0.5;

/// Share of the margin of a pair at which shapes count as touching.
const TOUCHING: f64 = 0.25;

/// Share of its thickness within which the middle of a shape that already touches something must not come.
const INNER: f64 = 0.5;

/// Sizes of smaller copies of a shape that already touches something: the largest that does not may not touch it either.
const SMALLER: [f64; 3] = [0.75, 0.5, 0.25];

/// Steps of the advancement, at most.
pub(super) const MOST_STEPS: usize = 64;

/// Memory of continuous collision.
#[derive(Debug, Clone, Default)]
pub(crate) struct Continuous {
    /// Bodies that have moved fast in this step.
    fast: Vec<u32>,
    /// Shapes that no impulse moves, and the version of the bodies and the number of shapes when they were listed.
    fixed: Vec<u32>,
    fixed_at: Option<(u64, usize)>,
    /// Shapes near the path of one of them.
    near: Vec<u32>,
    /// Vertices of both shapes.
    pub(super) cores: [Vec<Vec2>; 2],
    /// Bodies that one of them must not go deeper into, with the directions to them.
    blocked: Vec<(u32, Vec2)>,
}

/// The motion of a body in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    pub(super) start: Vec2,
    pub(super) displacement: Vec2,
    pub(super) angle: f64,
    pub(super) turn: f64,
    pub(super) extent: f64,
}

impl Continuous {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = [&self.fast, &self.fixed, &self.near].map(bytes_of);
        let cores = self.cores.iter().map(bytes_of).sum::<usize>();
        lists.iter().sum::<usize>() + cores + bytes_of(&self.blocked)
    }
}

impl Motion {
    pub(super) fn pose(&self, share: f64) -> Pose {
        Pose {
            position: self.start + self.displacement * share,
            rotation: Rotation::from_angle(self.angle + self.turn * share),
        }
    }

    /// How far a point of the body moves relative to what moves as another one does, at most: what rests in a turning drum is
    /// not fast.
    fn way_beside(&self, other: &Self) -> f64 {
        let there = other.displacement + (self.start - other.start).perpendicular() * other.turn;
        (self.displacement - there).length() + (self.turn - other.turn).abs() * self.extent
    }
}

impl Continuous {
    /// Bodies that have moved fast in this step.
    pub(super) fn fast_mut(&mut self) -> &mut Vec<u32> {
        &mut self.fast
    }
}

impl<R: Real> Tile<R> {
    /// Notes a body that may have passed through something.
    #[inline(always)]
    pub(crate) fn note_fast(&mut self, body: usize, displacement: [f64; 3], extent: f64, thickness: f64) {
        let [x, y, turn] = displacement;
        let way = (x * x + y * y).sqrt() + turn.abs() * extent;
        if way > SLOW * thickness {
            self.continuous.fast.push(body as u32);
        }
    }

    /// Moves fast bodies back to where they first touch something.
    pub(crate) fn stop_fast_bodies(&mut self, step: &mut Step<'_, R>) {
        if !self.continuous.fast.is_empty() {
            self.find_fixed(step);
        }
        for n in 0..self.continuous.fast.len() {
            let body = self.continuous.fast[n] as usize;
            if step.bodies.kind(body) != Kind::Dynamic {
                continue;
            }
            let motion = self.motion(step, body);
            self.find_near(step, body, &motion);
            self.continuous.blocked.clear();
            let share = self.first_touch(step, body, &motion);
            for &(other, normal) in &self.continuous.blocked {
                step.bodies.stop_along(body, other as usize, normal);
            }
            if share < 1.0 {
                let pose = motion.pose(share);
                let back = motion.displacement * (share - 1.0);
                let [ax, ay, _] = self.accelerate(step, body);
                step.bodies.gain(body, 2.0 * Vec2::new(ax, ay).dot(back));
                (step.bodies.x[body], step.bodies.y[body]) = (pose.position.x, pose.position.y);
                step.bodies.angle[body] = motion.angle + motion.turn * share;
                (step.bodies.cos[body], step.bodies.sin[body]) = (pose.rotation.cos, pose.rotation.sin);
            }
        }
        self.continuous.fast.clear();
    }

    /// Lists the shapes of a single space that no impulse moves, unless bodies and shapes are those of the last time.
    fn find_fixed(&mut self, step: &Step<'_, R>) {
        let state = (step.version, self.shapes.len());
        if self.gravity.len() > 1 || self.continuous.fixed_at == Some(state) {
            return;
        }
        self.continuous.fixed_at = Some(state);
        self.continuous.fixed.clear();
        for (shape, row) in self.shapes.iter().enumerate() {
            if row.is_used() && step.bodies.inverse_mass[row.body as usize] == 0.0 {
                self.continuous.fixed.push(shape as u32);
            }
        }
    }

    /// The motion of a body in the step that has just been computed.
    fn motion(&self, step: &Step<'_, R>, body: usize) -> Motion {
        let bodies = &step.bodies;
        let [x, y, _, _] = self.poses.as_slice().as_chunks::<4>().0[body];
        let start = Vec2::new(x, y);
        let turn = if bodies.kind(body) == Kind::Static { 0.0 } else { self.turns[body] };
        Motion {
            start,
            displacement: Vec2::new(bodies.x[body], bodies.y[body]) - start,
            angle: bodies.angle[body] - turn,
            turn,
            extent: bodies.extent[body],
        }
    }

    /// Shapes whose boxes touch the path of a body and that it does not pass through.
    fn find_near(&mut self, step: &Step<'_, R>, body: usize, motion: &Motion) {
        let end = motion.start + motion.displacement;
        let mut path = Aabb::EMPTY;
        path.include(&motion.start.into());
        path.include(&end.into());
        let path = path.expanded(motion.extent);
        let is_bullet = step.bodies.flags[body] & flag::BULLET != 0;
        let near = &mut self.continuous.near;
        near.clear();
        let space = if self.gravity.len() == 1 { 0 } else { body / self.bodies_per_space };
        let shapes = &self.shapes;
        let mut visit = |shape: u32| {
            let row = shapes[shape as usize];
            let is_other = row.is_used() && row.body as usize != body;
            if is_other && (is_bullet || step.bodies.inverse_mass[row.body as usize] == 0.0) {
                near.push(shape);
            }
        };
        if !is_bullet && self.gravity.len() == 1 && self.continuous.fixed.len() <= FEW {
            for &shape in &self.continuous.fixed {
                if self.boxes.fat[shape as usize].touches(&path) {
                    visit(shape);
                }
            }
        } else if self.gravity.len() == 1 && self.shapes.len() > FEW && self.boxes.catch_up().is_ok() {
            let _ = self.boxes.tree.query(&path, &mut |shape| {
                visit(shape);
                ControlFlow::Continue(())
            });
        } else {
            let range = space * self.shapes_per_space..(space + 1) * self.shapes_per_space;
            for shape in range.filter(|&shape| self.boxes.fat[shape].touches(&path)) {
                visit(shape as u32);
            }
        }
        near.sort_unstable();
    }

    /// Distance at the start of a step from a disc around all of a body, whose motion is the first, to a shape, whose motion is the
    /// second; less if that is easier to find. What the disc turns about the shape while it moves beside it is taken off.
    fn distance_of_disc(&self, step: &Step<'_, R>, motions: &[Motion; 2], shape: ShapeRow) -> f64 {
        let definition = &step.library.definitions[shape.definition as usize];
        if definition.outline.is_none() {
            return f64::NEG_INFINITY;
        }
        let between = motions[0].start - motions[1].start;
        let turned = motions[1].turn * motions[1].turn * between.length();
        let [_, _, cos, sin] = self.poses.as_slice().as_chunks::<4>().0[shape.body as usize];
        let place = Rotation { cos, sin }.turn_back(between);
        let distance = definition.distance_of_faces(place);
        distance - (definition.radius + motions[0].extent) - turned
    }

    /// The share of a motion up to the first touch; 1 if there is none.
    fn first_touch(&mut self, step: &Step<'_, R>, body: usize, motion: &Motion) -> f64 {
        let mut earliest = 1.0;
        let mut cores = std::mem::take(&mut self.continuous.cores);
        let mut shape = self.boxes.first_shape[body];
        while shape != super::boxes::NO_SHAPE {
            let own = &step.library.definitions[self.shapes[shape as usize].definition as usize];
            for &other in &self.continuous.near {
                let row = self.shapes[other as usize];
                let definition = &step.library.definitions[row.definition as usize];
                let motions = [*motion, self.motion(step, row.body as usize)];
                let way = motion.way_beside(&motions[1]);
                let touching = TOUCHING * super::contacts::margins(step.settings, motion.extent)[0];
                let is_slow = way <= SLOW * step.bodies.thickness[body];
                if is_slow || self.distance_of_disc(step, &motions, row) > way + touching {
                    continue;
                }
                let (mine, its) = (&own.material, &definition.material);
                let is_solid = !(mine.sensor || its.sensor) && mine.filter.accepts(its.filter);
                if !is_solid || self.lets_through([shape, other]) {
                    continue;
                }
                let forms = [Form::new(own), Form::new(definition)];
                let advanced = advance(forms, &motions, touching, earliest, &mut cores);
                earliest = match advanced {
                    Advanced::To(share) => share,
                    Advanced::Meets(share, normal)
                        if !is_of_neighbour([own, definition], &motions, share, normal) =>
                    {
                        share
                    }
                    _ => match advance_inside(own, forms[1], &motions, earliest, &mut cores) {
                        Advanced::To(share) | Advanced::Meets(share, _) => share,
                        // It must not go deeper.
                        Advanced::Touches(normal) if motion.displacement.dot(normal) > 0.0 => {
                            self.continuous.blocked.push((row.body, normal));
                            0.0
                        }
                        Advanced::Touches(_) => earliest,
                    },
                };
            }
            shape = self.boxes.next_shape[shape as usize];
        }
        self.continuous.cores = cores;
        earliest
    }
}

impl BodiesMut<'_> {
    /// Adds to the square of the speed of a body, so that its energy stays when forces did not act along all of its way.
    fn gain(&mut self, body: usize, square: f64) {
        let [x, y, _] = self.velocity(body);
        let speed = x * x + y * y;
        let share = if speed > 0.0 { (1.0 + square / speed).max(0.0).sqrt() } else { 1.0 };
        self.velocity_x[body] *= share;
        self.velocity_y[body] *= share;
    }

    /// Takes away the velocity with which a body approaches another one along a normal, and keeps the momentum of both. A fast
    /// body that spins may approach while its point of contact does not.
    fn stop_along(&mut self, body: usize, other: usize, normal: Vec2) {
        let relative = Vec2::new(
            self.velocity_x[body] - self.velocity_x[other],
            self.velocity_y[body] - self.velocity_y[other],
        );
        let inverse = [self.inverse_mass[body], self.inverse_mass[other]];
        let impulse = relative.dot(normal).max(0.0) / (inverse[0] + inverse[1]);
        for (row, change) in [(body, -impulse * inverse[0]), (other, impulse * inverse[1])] {
            if change != 0.0 {
                self.velocity_x[row] += change * normal.x;
                self.velocity_y[row] += change * normal.y;
            }
        }
    }
}

/// What is tested of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form<'a> {
    core: &'a [Vec2],
    radius: f64,
    /// Size relative to the shape, about this point.
    size: f64,
    middle: Vec2,
}

impl<'a> Form<'a> {
    pub(super) fn new(definition: &'a Definition) -> Self {
        Self { core: definition.core(), radius: definition.radius, size: 1.0, middle: Vec2::ZERO }
    }

    /// The same form, smaller.
    fn shrunk(self, size: f64, middle: Vec2) -> Self {
        Self { radius: size * self.radius, size, middle, ..self }
    }

    /// A vertex as it is in this size.
    fn place(&self, vertex: Vec2) -> Vec2 {
        if self.size == 1.0 { vertex } else { self.middle + (vertex - self.middle) * self.size }
    }

    /// Distance of the farthest vertex from the centre of mass of the body, in metres.
    fn extent(&self) -> f64 {
        self.core.iter().fold(0.0, |farthest, &vertex| farthest.max(self.place(vertex).length()))
    }
}

/// Whether the normal with which two shapes meet after a share of their motions belongs to a neighbour of either in a chain of
/// segments: where it begins, the next segment is not in the way of what slides along the chain.
fn is_of_neighbour(shapes: [&Definition; 2], motions: &[Motion; 2], share: f64, normal: Vec2) -> bool {
    let outward = [normal, -normal];
    (0..2).any(|which| {
        shapes[which].geometry.has_neighbours()
            && shapes[which].geometry.hides(motions[which].pose(share).rotation.turn_back(outward[which]))
    })
}

/// How far a shape goes that touches another one from the start: as far as the largest of its smaller copies that does not yet
/// touch. What tumbles along a wall is left to the solver, but no tip may get through: on the other side it would be
/// pushed out.
fn advance_inside(
    own: &Definition,
    other: Form<'_>,
    motions: &[Motion; 2],
    limit: f64,
    cores: &mut [Vec<Vec2>; 2],
) -> Advanced {
    let (middle, radius) = (own.middle(), INNER * own.thickness());
    let touching = 0.1 * radius;
    for size in SMALLER {
        let forms = [Form::new(own).shrunk(size, middle), other];
        let advanced = advance(forms, motions, touching, limit, cores);
        if !matches!(advanced, Advanced::Touches(_)) {
            return advanced;
        }
    }
    let disc = Form { core: std::slice::from_ref(&middle), radius, size: 1.0, middle };
    advance([disc, other], motions, touching, limit, cores)
}

/// Whether two forms stay farther apart than `touching` in a step along a direction from the first to the second, given where
/// they start.
pub(super) fn stay_apart(
    forms: [Form<'_>; 2],
    starts: [Pose; 2],
    motions: &[Motion; 2],
    direction: Vec2,
    touching: f64,
) -> bool {
    let [a, b] = starts.map(|pose| pose.rotation.turn_back(direction));
    let front = forms[0].core.iter().fold(f64::NEG_INFINITY, |most, vertex| most.max(vertex.dot(a)));
    let back = forms[1].core.iter().fold(f64::INFINITY, |least, vertex| least.min(vertex.dot(b)));
    let between = (starts[1].position - starts[0].position).dot(direction);
    let gap = between + back - front - (forms[0].radius + forms[1].radius);
    let turning = motions[0].turn.abs() * forms[0].extent() + motions[1].turn.abs() * forms[1].extent();
    gap - (motions[0].displacement - motions[1].displacement).dot(direction) - turning > touching
}

/// How far two motions go.
pub(super) enum Advanced {
    /// This share of them, at the limit.
    To(f64),
    /// This share of them, where the forms meet with this normal from the first to the second.
    Meets(f64, Vec2),
    /// The forms touch from the start, with this normal from the first to the second.
    Touches(Vec2),
}

/// The share of two motions at which forms come as close as `touching` and would touch soon, or `limit` if that is less.
pub(super) fn advance(
    forms: [Form<'_>; 2],
    motions: &[Motion; 2],
    touching: f64,
    limit: f64,
    cores: &mut [Vec<Vec2>; 2],
) -> Advanced {
    let relative = motions[0].displacement - motions[1].displacement;
    let turning = motions[0].turn.abs() * forms[0].extent() + motions[1].turn.abs() * forms[1].extent();
    let (mut share, mut normal) = (0.0, Vec2::ZERO);
    for n in 0..MOST_STEPS {
        let closest = closest_at(forms, motions, share, cores);
        normal = closest.normal;
        // No point of one gets beyond the plane at the other before both have come closer by the distance along its normal.
        let approach = relative.dot(normal) + turning;
        if closest.distance <= touching {
            if n == 0 {
                return Advanced::Touches(normal);
            }
            // What slides along a surface comes close to it and does not touch.
            let is_apart = approach * (limit - share) < closest.distance;
            return if is_apart { Advanced::To(limit) } else { Advanced::Meets(share, normal) };
        }
        // Half of what is left beyond the target is gone past it, so that the target is reached in few steps.
        share += (closest.distance - 0.5 * touching) / approach.max(0.0);
        if share >= limit {
            return Advanced::To(limit);
        }
    }
    Advanced::Meets(share, normal)
}

fn closest_at(
    forms: [Form<'_>; 2],
    motions: &[Motion; 2],
    share: f64,
    cores: &mut [Vec<Vec2>; 2],
) -> Closest {
    for which in 0..2 {
        let pose = motions[which].pose(share);
        cores[which].clear();
        cores[which].extend(forms[which].core.iter().map(|&vertex| pose.point(forms[which].place(vertex))));
    }
    let convex = |which: usize| Convex { vertices: &cores[which], radius: forms[which].radius };
    gjk::distance(&convex(0), &convex(1))
}
