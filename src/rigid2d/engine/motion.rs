//! Bodies from their columns to the solver and back.

use super::bodies::{BodiesMut, Kind, flag};
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::geometry::Rotation;
use crate::soa::block::Real;

impl<R: Real> Tile<R> {
    /// Poses as the kernels take them.
    pub(crate) fn load_poses(&mut self, bodies: &BodiesMut<'_>) -> Result<()> {
        self.poses.resize(4 * (bodies.len() + 1), 0.0)?;
        let poses = self.poses.as_mut_slice().as_chunks_mut::<4>().0;
        for body in 0..bodies.len() {
            poses[body] = [bodies.x[body], bodies.y[body], bodies.cos[body], bodies.sin[body]];
        }
        poses[bodies.len()] = [0.0, 0.0, 1.0, 0.0];
        Ok(())
    }

    /// What bodies will move in this step, as the narrow phase takes it.
    pub(crate) fn load_ways(&mut self, step: &Step<'_, R>) -> Result<()> {
        let bodies = &step.bodies;
        let zero = R::nearest(0.0);
        self.ways.resize(4 * bodies.len(), zero)?;
        let ways = self.ways.as_mut_slice().as_chunks_mut::<4>().0;
        for body in 0..bodies.len() {
            let [vx, vy, w] = bodies.velocity(body);
            let turn = (w * bodies.extent[body]).abs().min(1e9);
            ways[body] =
                [R::nearest(vx * step.dt), R::nearest(vy * step.dt), R::nearest(turn * step.dt), zero];
        }
        Ok(())
    }

    /// Bodies as the solver takes them.
    pub(crate) fn load_states(&mut self, step: &mut Step<'_, R>) -> Result<()> {
        let bodies = &step.bodies;
        let h = step.dt / step.settings.parts();
        self.states.resize(bodies.len())?;
        for body in 0..bodies.len() {
            let change = self.accelerate(step, body).map(|a| a * h);
            let inverse = [step.bodies.inverse_mass[body], step.bodies.inverse_moment[body]];
            self.states.set(body, step.bodies.velocity(body), inverse, change, step.bodies.extent[body]);
        }
        self.states.set(step.bodies.len(), [0.0; 3], [1.0, 0.0], [0.0; 3], 0.0);
        Ok(())
    }

    /// Acceleration of a body by gravity, its force and its torque.
    #[inline(always)]
    pub(crate) fn accelerate(&self, step: &Step<'_, R>, body: usize) -> [f64; 3] {
        let bodies = &step.bodies;
        if bodies.kind(body) != Kind::Dynamic || bodies.flags[body] & flag::ASLEEP != 0 {
            return [0.0; 3];
        }
        if bodies.flags[body] & flag::OWN_VELOCITY != 0 {
            return self.own_acceleration(body);
        }
        let [gx, gy] = self.gravity[self.space_of_body(body)];
        let (m, i) = (bodies.inverse_mass[body], bodies.inverse_moment[body]);
        [gx + m * bodies.force_x[body], gy + m * bodies.force_y[body], i * bodies.torque[body]]
    }

    /// Moves bodies to where the solver has them. Those without contacts move in closed form: a constant acceleration.
    pub(crate) fn store_states(&mut self, step: &mut Step<'_, R>) {
        self.turns.resize(step.bodies.len(), 0.0);
        for body in 0..step.bodies.len() {
            if matches!(step.bodies.kind(body), Kind::None | Kind::Static) {
                continue;
            }
            let (velocity, displacement) = if self.colours.is_free(body) {
                self.fly(step, body)
            } else {
                let (state, [late, _]) = (self.states.get(body), self.bounces.of(body));
                let displacement = [0, 1, 2].map(|axis: usize| state.displacement[axis] - late[axis]);
                self.note_change(step, body, state.velocity, displacement);
                (state.velocity, displacement)
            };
            step.bodies.move_by(body, velocity, displacement);
            self.turns[body] = displacement[2];
            self.note_fast(body, displacement, step.bodies.extent[body], step.bodies.thickness[body]);
        }
    }

    /// Velocity after the step, and displacement, of a body without contacts.
    fn fly(&self, step: &Step<'_, R>, body: usize) -> ([f64; 3], [f64; 3]) {
        let (acceleration, velocity) = (self.accelerate(step, body), step.bodies.velocity(body));
        let dt = step.dt;
        let each = [0, 1, 2];
        (
            each.map(|k: usize| velocity[k] + acceleration[k] * dt),
            each.map(|k: usize| (velocity[k] + 0.5 * acceleration[k] * dt) * dt),
        )
    }
}

impl BodiesMut<'_> {
    /// Forces and torques act for one step.
    pub(crate) fn drop_forces(&mut self) {
        self.force_x.fill(0.0);
        self.force_y.fill(0.0);
        self.torque.fill(0.0);
    }

    /// Sets the velocity of a body and moves it.
    #[inline(always)]
    fn move_by(&mut self, body: usize, velocity: [f64; 3], displacement: [f64; 3]) {
        [self.velocity_x[body], self.velocity_y[body], self.angular_velocity[body]] = velocity;
        self.x[body] += displacement[0];
        self.y[body] += displacement[1];
        if displacement[2] != 0.0 {
            self.angle[body] += displacement[2];
            let Rotation { cos, sin } = Rotation::from_angle(self.angle[body]);
            (self.cos[body], self.sin[body]) = (cos, sin);
        }
    }
}
