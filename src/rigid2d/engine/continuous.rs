//! Continuous collision: fast bodies stop where they first touch what they would pass through.
//!
//! Bodies that move farther in a step than half of their thickness are tested against what is fixed, and bullets against
//! everything, by conservative advancement: shapes at a distance d cannot touch before one of their points has moved by d
//! relative to the other (Mirtich 1996; docs/methods/rigid2d.md, section 6).

use std::ops::ControlFlow;

use super::bodies::{BodiesMut, Kind, flag};
use super::boxes::FEW;
use super::library::Definition;
use super::tile::{Step, Tile};
use crate::geometry::{Aabb, Pose, Rotation, Vec2};
use crate::rigid2d::narrow::gjk::{self, Closest, Convex};
use crate::soa::block::Real;

/// Share of its thickness that a body may move in a step before it is tested.
const SLOW: f64 = 0.5;

/// Share of the margin of a pair at which shapes count as touching.
const TOUCHING: f64 = 0.25;

/// Share of its thickness within which the middle of a shape that already touches something must not come.
const INNER: f64 = 0.5;

/// Steps of the advancement, at most.
const MOST_STEPS: usize = 64;

/// Memory of continuous collision.
#[derive(Debug, Clone, Default)]
pub(crate) struct Continuous {
    /// Bodies that have moved fast in this step.
    fast: Vec<u32>,
    /// Shapes near the path of one of them.
    near: Vec<u32>,
    /// Vertices of both shapes.
    cores: [Vec<Vec2>; 2],
    /// Bodies that one of them must not go deeper into, with the directions to them.
    blocked: Vec<(u32, Vec2)>,
}

/// The motion of a body in a step.
#[derive(Debug, Clone, Copy)]
struct Motion {
    start: Vec2,
    displacement: Vec2,
    angle: f64,
    turn: f64,
    extent: f64,
}

impl Motion {
    fn pose(&self, share: f64) -> Pose {
        Pose {
            position: self.start + self.displacement * share,
            rotation: Rotation::from_angle(self.angle + self.turn * share),
        }
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
                // What forces add in the rest of the step would be energy without a way.
                let rest = (1.0 - share) * step.dt;
                let [ax, ay, turn] = self.accelerate(step, body);
                step.bodies.velocity_x[body] -= ax * rest;
                step.bodies.velocity_y[body] -= ay * rest;
                step.bodies.angular_velocity[body] -= turn * rest;
                (step.bodies.x[body], step.bodies.y[body]) = (pose.position.x, pose.position.y);
                step.bodies.angle[body] = motion.angle + motion.turn * share;
                (step.bodies.cos[body], step.bodies.sin[body]) = (pose.rotation.cos, pose.rotation.sin);
            }
        }
        self.continuous.fast.clear();
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
        if self.gravity.len() == 1 && self.shapes.len() > FEW {
            let _ = self.boxes.tree().query(&path, &mut |shape| {
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
                let (mine, its) = (&own.material, &definition.material);
                let is_solid = !(mine.sensor || its.sensor) && mine.filter.accepts(its.filter);
                if !is_solid || self.lets_through([shape, other]) {
                    continue;
                }
                let motions = [*motion, self.motion(step, row.body as usize)];
                let touching = TOUCHING * super::contacts::margins(step.settings, motion.extent)[0];
                let outer = [Form::new(own), Form::new(definition)];
                let middle = own.middle();
                let inner = Form { core: std::slice::from_ref(&middle), radius: INNER * own.thickness() };
                earliest = match advance(outer, &motions, touching, earliest, &mut cores) {
                    Advanced::To(share) => share,
                    Advanced::Touches(_) => {
                        let forms = [inner, outer[1]];
                        match advance(forms, &motions, 0.1 * inner.radius, earliest, &mut cores) {
                            Advanced::To(share) => share,
                            // It must not go deeper.
                            Advanced::Touches(normal) if motion.displacement.dot(normal) > 0.0 => {
                                self.continuous.blocked.push((row.body, normal));
                                0.0
                            }
                            Advanced::Touches(_) => earliest,
                        }
                    }
                };
            }
            shape = self.boxes.next_shape[shape as usize];
        }
        self.continuous.cores = cores;
        earliest
    }
}

impl BodiesMut<'_> {
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
struct Form<'a> {
    core: &'a [Vec2],
    radius: f64,
}

impl<'a> Form<'a> {
    fn new(definition: &'a Definition) -> Self {
        Self { core: &definition.core, radius: definition.radius }
    }
}

/// How far two motions go.
enum Advanced {
    /// This share of them.
    To(f64),
    /// The forms touch from the start, with this normal from the first to the second.
    Touches(Vec2),
}

/// The share of two motions at which forms come as close as `touching`, or `limit` if that is less.
fn advance(
    forms: [Form<'_>; 2],
    motions: &[Motion; 2],
    touching: f64,
    limit: f64,
    cores: &mut [Vec<Vec2>; 2],
) -> Advanced {
    let relative = motions[0].displacement - motions[1].displacement;
    let fastest = relative.length()
        + (motions[0].turn.abs() * motions[0].extent + motions[1].turn.abs() * motions[1].extent);
    let mut share = 0.0;
    for n in 0..MOST_STEPS {
        let closest = closest_at(forms, motions, share, cores);
        if closest.distance <= touching {
            return if n == 0 { Advanced::Touches(closest.normal) } else { Advanced::To(share) };
        }
        // Half of what is left beyond the target is gone past it, so that the target is reached in few steps.
        share += (closest.distance - 0.5 * touching) / fastest;
        if share >= limit {
            return Advanced::To(limit);
        }
    }
    Advanced::To(share)
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
        cores[which].extend(forms[which].core.iter().map(|&vertex| pose.point(vertex)));
    }
    let convex = |which: usize| Convex { vertices: &cores[which], radius: forms[which].radius };
    gjk::distance(&convex(0), &convex(1))
}
