//! Bodies from their columns to the solver and back.

use super::bodies::{BodiesMut, Kind, flag};
use super::loading::{Accelerations, LoadPoses, LoadStates, MOST_TURN};
use super::storing::StoreStates;
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::geometry::Rotation;
use crate::soa::block::{LANES, Real};
use crate::soa::level;

impl<R: Real> Tile<R> {
    /// Poses as the kernels take them.
    pub(crate) fn load_poses(&mut self, step: &Step<'_, R>) -> Result<()> {
        let bodies = &step.bodies;
        self.poses.resize(4 * (bodies.len() + 1), 0.0)?;
        let poses = self.poses.as_mut_slice().as_chunks_mut::<4>().0;
        let whole = level::run(LoadPoses::<R> { bodies, poses, ways: &mut [], dt: step.dt });
        for body in whole..bodies.len() {
            poses[body] = [bodies.x[body], bodies.y[body], bodies.cos[body], bodies.sin[body]];
        }
        poses[bodies.len()] = [0.0, 0.0, 1.0, 0.0];
        Ok(())
    }

    /// Poses, and what bodies will move in this step, as the narrow phase takes them.
    pub(crate) fn load_motions(&mut self, step: &Step<'_, R>) -> Result<()> {
        let (bodies, zero) = (&step.bodies, R::nearest(0.0));
        self.poses.resize(4 * (bodies.len() + 1), 0.0)?;
        self.ways.resize(4 * bodies.len(), zero)?;
        let poses = self.poses.as_mut_slice().as_chunks_mut::<4>().0;
        let ways = self.ways.as_mut_slice().as_chunks_mut::<4>().0;
        let whole = level::run(LoadPoses::<R> { bodies, poses, ways, dt: step.dt });
        for body in whole..bodies.len() {
            poses[body] = [bodies.x[body], bodies.y[body], bodies.cos[body], bodies.sin[body]];
            let [vx, vy, w] = bodies.velocity(body);
            let turn = (w * bodies.extent[body]).abs().min(MOST_TURN);
            ways[body] =
                [R::nearest(vx * step.dt), R::nearest(vy * step.dt), R::nearest(turn * step.dt), zero];
        }
        poses[bodies.len()] = [0.0, 0.0, 1.0, 0.0];
        Ok(())
    }

    /// Bodies as the solver takes them.
    pub(crate) fn load_states(&mut self, step: &mut Step<'_, R>) -> Result<()> {
        let bodies = &step.bodies;
        let h = step.dt / step.settings.parts();
        self.states.resize(bodies.len())?;
        let accelerations = Accelerations {
            gravity: &self.gravity,
            bodies_per_space: self.bodies_per_space,
            forced: step.forced,
        };
        let whole = level::run(LoadStates { bodies, accelerations, h, states: &mut self.states });
        for body in whole..bodies.len() {
            self.load_state(step, body, h);
        }
        for n in 0..self.own_accelerations.len() {
            self.load_state(step, self.own_accelerations[n].0 as usize, h);
        }
        self.states.set(bodies.len(), [0.0; 3], [1.0, 0.0], [0.0; 3], 0.0);
        Ok(())
    }

    fn load_state(&mut self, step: &Step<'_, R>, body: usize, h: f64) {
        let bodies = &step.bodies;
        let change = self.accelerate(step, body).map(|a| a * h);
        let inverse = [bodies.inverse_mass[body], bodies.inverse_moment[body]];
        self.states.set(body, bodies.velocity(body), inverse, change, bodies.extent[body]);
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
        self.conservation.resize(step.bodies.len());
        let is_plain = self.own_accelerations.is_empty() && !self.bounces.has_impacts();
        let whole = if is_plain { self.store_blocks(step) } else { 0 };
        for body in whole..step.bodies.len() {
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

    /// Does so for whole blocks of bodies, and returns how many these are.
    fn store_blocks(&mut self, step: &mut Step<'_, R>) -> usize {
        let whole = step.bodies.len() / LANES * LANES;
        for body in 0..whole {
            if !self.conservation.is_grounded(body) && !self.colours.is_free(body) {
                let state = self.states.get(body);
                self.note_change(step, body, state.velocity, state.displacement);
            }
        }
        level::run(StoreStates {
            bodies: &mut step.bodies,
            accelerations: Accelerations {
                gravity: &self.gravity,
                bodies_per_space: self.bodies_per_space,
                forced: step.forced,
            },
            dt: step.dt,
            rows: self.states.rows(),
            colours: &self.colours,
            noted: self.conservation.noted(),
            turns: &mut self.turns,
            fast: self.continuous.fast_mut(),
        })
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
