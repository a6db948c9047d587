//! The straight tracks on which particles move within a step, and how a collision turns them.

use super::shapes::{RelativeMotion, Shapes};
use crate::contact::{Inertia, Products, respond};
use crate::error::Result;
use crate::geometry::Aabb;
use crate::particles::integrate::{self, System};
use crate::particles::ttc::Paths;
use crate::particles::{Field, Particles};
use crate::soa::memory;

/// No particle, or no row.
pub(super) const NONE: u32 = u32::MAX;

/// What a step starts from. Times count from its start.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) particles: &'a Particles,
    pub(super) paths: Paths<'a>,
    pub(super) system: System<'a>,
    /// Length of the step, in seconds.
    pub(super) dt: f64,
    pub(super) restitution: f64,
    /// Largest coordinate that any particle reaches without collisions.
    pub(super) farthest: f64,
    /// Given if shapes collide instead of bounding spheres.
    pub(super) shapes: Option<&'a Shapes>,
}

/// The memory of [`Tracks`], kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// For each particle: position on its track, velocity of the track, time of that position, collision radius.
    tracks: Vec<f64>,
    /// How often each particle has been turned.
    turns: Vec<u32>,
    /// The last partner of each particle, [`NONE`] before its first collision.
    partner: Vec<u32>,
    /// For each particle, its row in `states`, or [`NONE`].
    row: Vec<u32>,
    /// The particle of each row.
    turned: Vec<u32>,
    /// For each particle that has been turned: position, velocity, acceleration, and the time at which they hold.
    states: Vec<f64>,
}

/// The tracks of all particles while a step runs; `D` is the dimension, or 0 if it is known at run time only.
///
/// The columns are only read: a particle that collides gets a state of its own here, and the columns are written
/// once the whole step is known.
pub(super) struct Tracks<'a, const D: usize> {
    start: Start<'a>,
    buffers: Buffers,
    /// Positions and velocities of a colliding pair, and its line of contact.
    one: Place,
    two: Place,
    line: Vec<f64>,
}

#[derive(Default)]
struct Place {
    position: Vec<f64>,
    velocity: Vec<f64>,
}

impl<'a, const D: usize> Tracks<'a, D> {
    pub(super) fn new(start: Start<'a>, mut buffers: Buffers) -> Result<Self> {
        let count = start.particles.len();
        buffers.tracks.clear();
        buffers.turns.clear();
        memory::resize(&mut buffers.turns, count, 0)?;
        buffers.partner.clear();
        memory::resize(&mut buffers.partner, count, NONE)?;
        buffers.row.clear();
        memory::resize(&mut buffers.row, count, NONE)?;
        buffers.turned.clear();
        buffers.states.clear();
        let (one, two) = (Place::default(), Place::default());
        let mut tracks = Self { start, buffers, one, two, line: Vec::new() };
        tracks.lay()?;
        Ok(tracks)
    }

    /// Packs the paths of all particles from time 0 into records.
    fn lay(&mut self) -> Result<()> {
        let Paths { position, velocity, collision_radius } = self.start.paths;
        let columns: Vec<&[f64]> = position.iter().chain(velocity).map(|column| column.as_slice()).collect();
        let radius = collision_radius.as_slice();
        let stride = self.track_len();
        memory::resize(&mut self.buffers.tracks, radius.len() * stride, 0.0)?;
        for (i, record) in self.buffers.tracks.chunks_exact_mut(stride).enumerate() {
            for (entry, column) in record.iter_mut().zip(&columns) {
                *entry = column[i];
            }
            record[stride - 1] = radius[i];
        }
        Ok(())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        if D == 0 { self.start.particles.dim() } else { D }
    }

    #[inline(always)]
    fn track_len(&self) -> usize {
        2 * self.dim() + 2
    }

    #[inline(always)]
    fn track(&self, i: u32) -> &[f64] {
        let stride = self.track_len();
        &self.buffers.tracks[i as usize * stride..][..stride]
    }

    pub(super) fn len(&self) -> u32 {
        self.buffers.turns.len() as u32
    }

    pub(super) fn dt(&self) -> f64 {
        self.start.dt
    }

    pub(super) fn turns(&self, pair: [u32; 2]) -> [u32; 2] {
        pair.map(|i| self.buffers.turns[i as usize])
    }

    pub(super) fn is_fixed(&self, i: u32) -> bool {
        self.start.particles.fixed_flags()[i as usize] != 0
    }

    /// When two particles (the lower index first) collide on their present tracks, if they do before the step ends.
    ///
    /// Both are brought to the time of the later turn, so that the outcome depends on the two tracks alone and not
    /// on how or when the pair was found.
    #[inline(always)]
    pub(super) fn collision_time(&self, pair: [u32; 2]) -> Option<f64> {
        let dim = self.dim();
        let [one, two] = pair.map(|i| self.track(i));
        let start = one[2 * dim].max(two[2 * dim]);
        let (one_age, two_age) = (start - one[2 * dim], start - two[2 * dim]);
        let products = Products::new::<D>(dim, |axis| {
            let d = (one[axis] + one[dim + axis] * one_age) - (two[axis] + two[dim + axis] * two_age);
            [d, one[dim + axis] - two[dim + axis]]
        });
        let touch = one[2 * dim + 1] + two[2 * dim + 1];
        let mut wait = products.contact(touch * touch).within(self.start.dt - start);
        if let Some(shapes) = self.shapes_of(pair) {
            // Frames may come into contact while the centres separate, but only within the bounding spheres.
            if wait < f64::INFINITY || products.dd <= touch * touch {
                wait = shapes.contact_time(pair, &self.relative_motion(pair));
            }
        }
        if wait == f64::INFINITY {
            return None;
        }
        let time = (start + wait).min(self.start.dt);
        let again = time <= start && self.just_resolved(pair);
        (!again).then_some(time)
    }

    /// The shapes, if both particles of a pair have one that collides.
    #[inline(always)]
    fn shapes_of(&self, pair: [u32; 2]) -> Option<&'a Shapes> {
        self.start.shapes.filter(|shapes| shapes.has_both(pair))
    }

    /// How the first of a pair moves relative to the second, from the later turn of the two to the end of the step.
    fn relative_motion(&self, pair: [u32; 2]) -> RelativeMotion {
        let dim = self.dim();
        let [one, two] = pair.map(|i| self.track(i));
        let start = one[2 * dim].max(two[2 * dim]);
        let at = |track: &[f64], axis: usize| track[axis] + track[dim + axis] * (start - track[2 * dim]);
        let (mut place, mut velocity) = ([0.0; 3], [0.0; 3]);
        for axis in 0..dim {
            place[axis] = at(one, axis) - at(two, axis);
            velocity[axis] = one[dim + axis] - two[dim + axis];
        }
        RelativeMotion { place, velocity, horizon: self.start.dt - start }
    }

    /// Whether nothing has turned either of the two since they last collided with each other.
    fn just_resolved(&self, [i, j]: [u32; 2]) -> bool {
        let last = |i: u32, j: u32| self.buffers.partner[i as usize] == j || self.is_fixed(i);
        last(i, j) && last(j, i)
    }

    /// A box around the sphere of a particle on its present track from one time to another, on the first three axes.
    ///
    /// It is larger by a margin for rounding: a contact time that is off by the rounding of a grazing hit shifts the
    /// contact by sqrt(eps) of the way, or by sqrt(eps x r) where coordinates x are coarse; the margin is several times
    /// that.
    pub(super) fn bounds(&self, i: u32, from: f64, to: f64) -> Aabb<3> {
        let dim = self.dim();
        let track = self.track(i);
        let (since, radius) = (track[2 * dim], track[2 * dim + 1]);
        if radius.is_nan() {
            return Aabb::EMPTY;
        }
        let fastest = track[dim..2 * dim].iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        let way = radius + fastest * self.start.dt;
        let farthest = self.start.farthest;
        let margin = 1e-6 * way + 1e-7 * (farthest * way).sqrt() + 1e-12 * farthest;
        let mut bounds = Aabb::ORIGIN;
        for axis in 0..dim.min(3) {
            let at = |time: f64| track[axis] + track[dim + axis] * (time - since);
            let (a, b) = (at(from), at(to));
            bounds.min[axis] = a.min(b) - radius - margin;
            bounds.max[axis] = a.max(b) + radius + margin;
        }
        bounds
    }

    /// The radius of a particle that collides, and how far its track takes it in the whole step.
    pub(super) fn radius_and_way(&self, i: u32) -> Option<(f64, f64)> {
        let dim = self.dim();
        let track = self.track(i);
        let radius = track[2 * dim + 1];
        let fastest = track[dim..2 * dim].iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        (!radius.is_nan()).then_some((radius, fastest * self.start.dt))
    }

    /// Moves a pair to `time` by the motion formula and applies the response. Returns the impulse and the direction in which
    /// it acts on the first; `None` if nothing happens: velocities may separate although the tracks, which follow mean
    /// velocities, approach.
    pub(super) fn resolve(&mut self, pair: [u32; 2], time: f64) -> Result<Option<(f64, &[f64])>> {
        let [first, second] = pair;
        let (dim, rows) = (self.dim(), pair.len());
        memory::reserve(&mut self.buffers.turned, rows)?;
        memory::reserve(&mut self.buffers.states, rows * (3 * dim + 1))?;
        let (mut one, mut two) = (std::mem::take(&mut self.one), std::mem::take(&mut self.two));
        self.locate(first, time, &mut one);
        self.locate(second, time, &mut two);
        self.line.clear();
        match self.shapes_of(pair) {
            Some(shapes) => {
                let normal = shapes.normal(pair, &self.relative_motion(pair));
                self.line.extend(&normal[..self.dim()]);
            }
            None => self.line.extend(one.position.iter().zip(&two.position).map(|(a, b)| a - b)),
        }
        let inertias =
            pair.map(|i| Inertia { mass: self.column(Field::Mass, 0, i), fixed: self.is_fixed(i) });
        let velocities = [&mut one.velocity[..], &mut two.velocity[..]];
        let impact = respond(&mut self.line, velocities, inertias, self.start.restitution);
        if impact.responds {
            self.turn(first, second, time, &one);
            self.turn(second, first, time, &two);
            impact.normalise(&mut self.line);
        }
        (self.one, self.two) = (one, two);
        Ok(impact.responds.then_some((impact.impulse, &self.line[..])))
    }

    /// Where a particle is at `time`, not before its last turn, by the motion formula.
    fn locate(&self, i: u32, time: f64, place: &mut Place) {
        let dim = self.dim();
        place.position.resize(dim, 0.0);
        place.velocity.resize(dim, 0.0);
        let (fixed, state) = (self.is_fixed(i), self.state(i));
        for axis in 0..dim {
            let (position, velocity, acceleration, since) = match state {
                Some(state) => (state[axis], state[dim + axis], state[2 * dim + axis], state[3 * dim]),
                None => {
                    let velocity = self.column(Field::Velocity, axis, i);
                    let position = self.column(Field::Position, axis, i);
                    (position, velocity, self.acceleration(i, axis, velocity), 0.0)
                }
            };
            (place.position[axis], place.velocity[axis]) = if fixed {
                (position, velocity)
            } else {
                integrate::advance(position, velocity, acceleration, time - since)
            };
        }
    }

    /// Puts a particle on a new track from a place at `time`. A fixed one stays on its own.
    fn turn(&mut self, i: u32, partner: u32, time: f64, place: &Place) {
        if self.is_fixed(i) {
            return;
        }
        let (dim, stride, index) = (self.dim(), self.track_len(), i as usize);
        let state = self.state_row(i);
        for axis in 0..dim {
            let (position, velocity) = (place.position[axis], place.velocity[axis]);
            let acceleration = self.acceleration(i, axis, velocity);
            let track_velocity = integrate::mean_velocity(velocity, acceleration, self.start.dt - time);
            self.buffers.states[state + axis] = position;
            self.buffers.states[state + dim + axis] = velocity;
            self.buffers.states[state + 2 * dim + axis] = acceleration;
            self.buffers.tracks[index * stride + axis] = position;
            self.buffers.tracks[index * stride + dim + axis] = track_velocity;
        }
        self.buffers.states[state + 3 * dim] = time;
        self.buffers.tracks[index * stride + 2 * dim] = time;
        self.buffers.turns[index] += 1;
        self.buffers.partner[index] = partner;
    }

    #[inline(always)]
    fn column(&self, field: Field, axis: usize, i: u32) -> f64 {
        self.start.particles.columns(field)[axis].as_slice()[i as usize]
    }

    fn acceleration(&self, i: u32, axis: usize, velocity: f64) -> f64 {
        integrate::total_acceleration(
            self.column(Field::Acceleration, axis, i),
            self.start.system.at(axis, i as usize),
            self.column(Field::Drag, 0, i),
            velocity,
        )
    }

    fn state(&self, i: u32) -> Option<&[f64]> {
        let row = self.buffers.row[i as usize];
        let stride = 3 * self.dim() + 1;
        (row != NONE).then(|| &self.buffers.states[row as usize * stride..][..stride])
    }

    /// Where the state of a particle starts in `states`; a new row, for which there is room, if it has none.
    fn state_row(&mut self, i: u32) -> usize {
        let stride = 3 * self.dim() + 1;
        let buffers = &mut self.buffers;
        let row = &mut buffers.row[i as usize];
        if *row == NONE {
            *row = buffers.turned.len() as u32;
            buffers.turned.push(i);
            buffers.states.resize(buffers.states.len() + stride, 0.0);
        }
        *row as usize * stride
    }

    pub(super) fn into_buffers(self) -> Buffers {
        self.buffers
    }
}

impl Buffers {
    /// Writes the particles that have been turned into the columns, moved to the time `end` by the motion formula.
    pub(super) fn write_turned(&self, particles: &mut Particles, end: f64) {
        let dim = particles.dim();
        for (&i, state) in self.turned.iter().zip(self.states.chunks_exact(3 * dim + 1)) {
            let moved = |axis: usize| {
                integrate::advance(
                    state[axis],
                    state[dim + axis],
                    state[2 * dim + axis],
                    end - state[3 * dim],
                )
            };
            for axis in 0..dim {
                let (position, velocity) = moved(axis);
                particles.write_motion(i as usize, axis, position, velocity);
            }
        }
    }
}
