//! Motions that are too fast or too far to compute with.

use super::Engine;
use super::bodies::{Bodies, Kind};
use super::pairs::flag;
use crate::error::{Error, Result};
use crate::soa::block::Real;

/// Largest coordinate, displacement of a step and velocity, in metres and metres per second, and the same for angles: squares of
/// them, and of what contacts make of them, stay within the range of `f32` or `f64`.
fn farthest<R: Real>() -> f64 {
    if R::nearest(1e60).widen().is_finite() { 1e30 } else { 1e12 }
}

impl Bodies {
    /// Whether all bodies stay within the limit in a step of `dt` seconds, if nothing touches them.
    fn stay_within(&self, limit: f64, [gx, gy]: [f64; 2], dt: f64) -> bool {
        let n = self.len();
        let (x, y, angle) = (&self.x()[..n], &self.y()[..n], &self.angle()[..n]);
        let (vx, vy) = (&self.velocity_x()[..n], &self.velocity_y()[..n]);
        let (w, torque) = (&self.angular_velocity()[..n], &self.torque()[..n]);
        let (fx, fy) = (&self.force_x()[..n], &self.force_y()[..n]);
        let (m, i) = (&self.inverse_mass()[..n], &self.inverse_moment()[..n]);
        let mut within = true;
        for row in 0..n {
            let faster = [
                vx[row].abs() + (gx.abs() + m[row] * fx[row].abs()) * dt,
                vy[row].abs() + (gy.abs() + m[row] * fy[row].abs()) * dt,
                w[row].abs() + i[row] * torque[row].abs() * dt,
            ];
            within &= x[row].abs() + faster[0] * dt <= limit && faster[0] <= limit;
            within &= y[row].abs() + faster[1] * dt <= limit && faster[1] <= limit;
            within &= angle[row].abs() + faster[2] * dt <= limit && faster[2] <= limit;
        }
        within
    }

    /// The body that does not stay within the limit, and how far it would come.
    fn first_beyond(&self, limit: f64, [gx, gy]: [f64; 2], dt: f64) -> Option<Error> {
        let at = |column: &[f64], row: usize| column[row];
        (0..self.len()).find_map(|row| {
            let by_mass = at(self.inverse_mass(), row);
            let by_moment = at(self.inverse_moment(), row);
            let axes = [
                (
                    "position",
                    at(self.x(), row),
                    at(self.velocity_x(), row),
                    gx.abs() + by_mass * at(self.force_x(), row).abs(),
                ),
                (
                    "position",
                    at(self.y(), row),
                    at(self.velocity_y(), row),
                    gy.abs() + by_mass * at(self.force_y(), row).abs(),
                ),
                (
                    "angle",
                    at(self.angle(), row),
                    at(self.angular_velocity(), row),
                    by_moment * at(self.torque(), row).abs(),
                ),
            ];
            axes.into_iter().find_map(|(field, place, velocity, acceleration)| {
                let faster = velocity.abs() + acceleration * dt;
                let magnitude = (place.abs() + faster * dt).max(faster);
                let is_within = magnitude <= limit;
                (!is_within).then_some(Error::Overflow { field, index: Some(row), magnitude })
            })
        })
    }
}

impl<R: Real> Engine<R> {
    /// Whether all bodies can be computed with in a step of `dt` seconds.
    pub(crate) fn check_motion(&self, dt: f64) -> Result<()> {
        let (limit, gravity) = (farthest::<R>(), self.tile.gravity[0]);
        if self.bodies.stay_within(limit, gravity, dt) {
            return Ok(());
        }
        self.bodies.first_beyond(limit, gravity, dt).map_or(Ok(()), Err)
    }

    /// Puts bodies back to where they were at the start of the step, without velocities and contacts, that contacts have sent
    /// beyond all numbers. Returns the first of them.
    pub(crate) fn put_back_lost(&mut self) -> Option<u32> {
        let is_lost = |bodies: &Bodies, row: usize| {
            let [vx, vy, w] = [bodies.velocity_x(), bodies.velocity_y(), bodies.angular_velocity()]
                .map(|column| column[row]);
            let [x, y, angle] = [bodies.x(), bodies.y(), bodies.angle()].map(|column| column[row]);
            !(vx + vy + w + x + y + angle).is_finite()
        };
        let lost: Vec<u32> =
            (0..self.bodies.len()).filter(|&row| is_lost(&self.bodies, row)).map(|row| row as u32).collect();
        for &body in &lost {
            let row = body as usize;
            let [x, y, cos, sin] = self.tile.poses.as_slice().as_chunks::<4>().0[row];
            let bodies = self.bodies.as_mut();
            let moves = bodies.kind(row) != Kind::Static;
            (bodies.x[row], bodies.y[row], bodies.cos[row], bodies.sin[row]) = (x, y, cos, sin);
            bodies.angle[row] = crate::geometry::Rotation { cos, sin }.angle();
            if moves {
                (bodies.velocity_x[row], bodies.velocity_y[row], bodies.angular_velocity[row]) =
                    (0.0, 0.0, 0.0);
            }
            self.tile.reindex(body);
            for slot in 0..self.tile.pairs.slots() {
                let head = self.tile.pairs.heads[slot];
                if head.flags & flag::ALIVE != 0 && head.bodies.contains(&body) {
                    self.tile.end_pair(slot as u32);
                }
            }
        }
        lost.first().copied()
    }
}
