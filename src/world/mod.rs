//! Worlds: particles, time and forces, and how they step (docs/methods/particles.md).

mod flow;
mod integrator;
mod overflow;
pub mod settings;
mod shapes;
mod stepping;
mod timeline;
mod tracks;
mod windows;

use crate::contact::{Inertia, Response, respond};
use crate::error::{Error, Result};
use crate::particles::integrate::{self, System};
use crate::particles::ttc::{self, Paths};
use crate::particles::{Approach, Field, Magnitudes, Particles, check, gravity};
use crate::soa::{Column, Context, memory};

pub(crate) use integrator::INTEGRATORS;
pub use integrator::Integrator;
pub use settings::{BroadPhase, Settings};
pub use stepping::{Collision, StepEnd};

/// Particles, the time and the forces that act on them.
///
/// ```
/// use carom::{Particle, World};
/// let mut world = World::new(1)?;
/// world.particles_mut().add(&Particle::sphere(&[0.0], 0.5).with_mass(1.0).with_velocity(&[1.0]))?;
/// world.particles_mut().add(&Particle::sphere(&[2.0], 0.5).with_mass(1.0))?;
/// let hit = world.step_to_collision(5.0)?.expect("they collide");
/// assert_eq!((hit.time, hit.first, hit.second), (1.0, 0, 1));
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct World {
    particles: Particles,
    settings: Settings,
    time: f64,
    context: Context,
    broad_phase: BroadPhase,
    scratch: Scratch,
}

/// Columns that a step fills, kept from step to step to spare allocations.
#[derive(Debug, Default)]
struct Scratch {
    attraction: Vec<Column<f64>>,
    velocity: Vec<Column<f64>>,
    collision_radius: Option<Column<f64>>,
    tracks: tracks::Buffers,
    grid: timeline::SweptGrid,
    /// The largest number of particles for which there was room in a step.
    room_for: usize,
    flow: flow::Flow,
}

/// A clone starts with empty columns: there is nothing in them that lasts.
impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl World {
    /// An empty world in dimension `dim` at time 0 with default settings, worked on by the caller's thread.
    pub fn new(dim: usize) -> Result<Self> {
        Ok(Self::from_particles(Particles::new(dim)?))
    }

    /// A world of these particles at time 0 with default settings, worked on by the caller's thread.
    #[must_use]
    pub fn from_particles(particles: Particles) -> Self {
        Self {
            particles,
            settings: Settings::default(),
            time: 0.0,
            context: Context::serial(),
            broad_phase: BroadPhase::Auto,
            scratch: Scratch::default(),
        }
    }

    /// Uses the threads of this context from now on. Results are bit-identical.
    pub fn set_context(&mut self, context: Context) {
        self.context = context;
    }

    /// The context in use.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Finds collisions in this way from now on. Results are bit-identical.
    pub fn set_broad_phase(&mut self, broad_phase: BroadPhase) {
        self.broad_phase = broad_phase;
    }

    /// The particles.
    #[must_use]
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// The particles, to be changed.
    #[must_use]
    pub fn particles_mut(&mut self) -> &mut Particles {
        &mut self.particles
    }

    /// Current time, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Sets the current time, in seconds.
    pub fn set_time(&mut self, time: f64) -> Result<()> {
        check::finite("time", 0, time)?;
        self.time = time;
        Ok(())
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Replaces the settings. If one is bad nothing changes.
    pub fn set_settings(&mut self, settings: Settings) -> Result<()> {
        settings.check(self.particles.dim())?;
        self.settings = settings;
        Ok(())
    }

    /// Whether both worlds are the same within `tolerance`: time, settings and particles.
    #[must_use]
    pub fn is_close(&self, other: &Self, tolerance: f64) -> bool {
        (self.time - other.time).abs() <= tolerance
            && self.settings.is_close(&other.settings, tolerance)
            && self.particles.is_close(&other.particles, tolerance)
    }

    /// Advances by `dt` seconds, ignoring collisions.
    pub fn next(&mut self, dt: f64) -> Result<()> {
        self.context.check()?;
        let now = self.particles.check(&self.context)?;
        let after = self.prepare_motion(dt, now)?;
        self.advance(dt);
        self.particles.expect_magnitudes(after);
        Ok(())
    }

    /// Applies the response of two particles as if they touched, with the restitution of the settings. `None`, and no change,
    /// if they do not approach.
    ///
    /// It acts along the line of centres, and for centres at the same place along their relative velocity. With
    /// [`Settings::exact_shapes`] two facoids or pyramidoids respond along the normal of
    /// [`fmb::contact`](crate::fmb::contact); they are refused as in [`step`](Self::step).
    pub fn collide(&mut self, first: usize, second: usize) -> Result<Option<Response>> {
        self.check_pair(first, second)?;
        self.particles.check_row(first)?;
        self.particles.check_row(second)?;
        let (one, two) = (self.particles.get(first)?, self.particles.get(second)?);
        if one.mass == 0.0 || two.mass == 0.0 {
            return Ok(None);
        }
        let normal = match self.settings.exact_shapes {
            true => shapes::present_normal(&self.particles, [first, second])?,
            false => None,
        };
        let centres = || one.position.iter().zip(&two.position).map(|(a, b)| a - b).collect();
        let mut line: Vec<f64> = normal.unwrap_or_else(centres);
        let (mut one_velocity, mut two_velocity) = (one.velocity, two.velocity);
        let inertias =
            [Inertia { mass: one.mass, fixed: one.fixed }, Inertia { mass: two.mass, fixed: two.fixed }];
        let velocities = [&mut one_velocity[..], &mut two_velocity[..]];
        let impact = respond(&mut line, velocities, inertias, self.settings.restitution);
        if impact.responds {
            self.particles.set_value(Field::Velocity, first, &one_velocity)?;
            self.particles.set_value(Field::Velocity, second, &two_velocity)?;
        }
        Ok(impact.responds.then_some(Response { impulse: impact.impulse }))
    }

    /// Time from now to the collision of two particles, within `dt` seconds.
    pub fn time_to_collision(&mut self, first: usize, second: usize, dt: f64) -> Result<Option<f64>> {
        self.check_pair(first, second)?;
        self.prepare_collisions(dt)?;
        let time = self.paths().pair(first, second, dt);
        Ok((time < f64::INFINITY).then_some(time))
    }

    /// Times from now to the collisions of one particle with every other within `dt` seconds; infinity for none.
    pub fn times_against_all(&mut self, index: usize, dt: f64, out: &mut [f64]) -> Result<()> {
        check::index("particle", index, self.particles.len())?;
        check::length("times", 0, self.particles.len(), out.len())?;
        self.prepare_collisions(dt)?;
        self.paths().one_against_all(index, dt, out);
        Ok(())
    }

    /// Times from now to the collisions of the listed pairs within `dt` seconds; infinity for none.
    pub fn times_of_pairs(&mut self, pairs: &[[usize; 2]], dt: f64, out: &mut [f64]) -> Result<()> {
        check::length("times", 0, pairs.len(), out.len())?;
        self.check_pairs(pairs)?;
        self.prepare_collisions(dt)?;
        self.paths().listed(pairs, dt, &self.context, out);
        Ok(())
    }

    /// The earliest collision of all pairs within `dt` seconds, its time counted from now; nothing moves.
    pub fn earliest_collision(&mut self, dt: f64) -> Result<Option<Approach>> {
        self.prepare_collisions(dt)?;
        Ok(self.paths().earliest(dt, &self.context))
    }

    /// Kinetic energy in joules.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        self.particles.kinetic_energy(&self.context)
    }

    /// Potential energy in joules; `None` if the attraction has no potential.
    #[must_use]
    pub fn potential_energy(&self) -> Option<f64> {
        self.particles.potential_energy(self.settings.down_gravity, &self.settings.attraction, &self.context)
    }

    /// Momentum in newton seconds, one number per axis.
    #[must_use]
    pub fn momentum(&self) -> Vec<f64> {
        self.particles.momentum(&self.context)
    }

    /// Centre of mass in metres, one number per axis; `None` if the total mass is 0.
    #[must_use]
    pub fn centre_of_mass(&self) -> Option<Vec<f64>> {
        self.particles.centre_of_mass(&self.context)
    }

    /// System acceleration of every particle now, in metres per second squared: one vector per axis.
    pub fn system_accelerations(&mut self) -> Result<Vec<Vec<f64>>> {
        self.context.check()?;
        let now = self.particles.check(&self.context)?;
        self.prepare_euler(0.0, now)?;
        let uniform = self.settings.uniform_acceleration(self.particles.dim());
        let system = system(&self.settings, &uniform, &self.scratch);
        let count = self.particles.len();
        let of_axis = |axis| memory::collect(count, (0..count).map(|index| system.at(axis, index)));
        (0..self.particles.dim()).map(of_axis).collect()
    }

    /// Checks what sums over all particles depend on: that the threads are there, and the columns of these fields.
    #[cfg_attr(not(feature = "capi"), allow(dead_code, reason = "only callers in C share columns"))]
    pub(crate) fn check_totals(&self, fields: &[Field]) -> Result<()> {
        self.context.check()?;
        memory::expect_little()?;
        self.particles.check_shared(fields, &self.context)
    }

    /// Whether all pairs are pairs of different particles that exist.
    pub(crate) fn check_pairs(&self, pairs: &[[usize; 2]]) -> Result<()> {
        pairs.iter().try_for_each(|&[first, second]| self.check_pair(first, second))
    }

    fn check_pair(&self, first: usize, second: usize) -> Result<()> {
        check::index("particle", first, self.particles.len())?;
        check::index("particle", second, self.particles.len())?;
        if first == second { Err(Error::SamePair { index: first }) } else { Ok(()) }
    }

    /// Prepares a motion of `dt` seconds and the straight paths on which its collisions are found.
    ///
    /// The margins of the paths follow from the magnitudes, so that these are taken from the columns: bounds that have
    /// accumulated over many steps would make every pair a candidate.
    fn prepare_collisions(&mut self, dt: f64) -> Result<Magnitudes> {
        self.context.check()?;
        let now = self.particles.rescan(&self.context)?;
        let after = self.prepare_motion(dt, now)?;
        self.fill_paths(dt)?;
        Ok(after)
    }

    /// Checks everything a motion of `dt` seconds from a state bounded by `now` depends on and computes the system
    /// accelerations. Returns bounds on the state after the motion.
    fn prepare_motion(&mut self, dt: f64, now: Magnitudes) -> Result<Magnitudes> {
        match self.settings.integrator.scheme() {
            None => self.prepare_euler(dt, now),
            Some(scheme) => self.plan_flow(&scheme, dt),
        }
    }

    /// The same for accelerations at the start of the motion.
    fn prepare_euler(&mut self, dt: f64, now: Magnitudes) -> Result<Magnitudes> {
        check::non_negative("dt", 0, dt)?;
        self.settings.check(self.particles.dim())?;
        self.fill_attraction()?;
        let pull = self.attraction_magnitude()?;
        overflow::after(now, &self.settings, pull, dt).or_else(|_| {
            // The bounds of many steps have accumulated: take them from the columns themselves before refusing.
            let now = self.particles.rescan(&self.context)?;
            overflow::after(now, &self.settings, pull, dt)
        })
    }

    fn fill_attraction(&mut self) -> Result<()> {
        if self.settings.attraction.constant == 0.0 {
            return Ok(());
        }
        fit(&mut self.scratch.attraction, &self.particles)?;
        gravity::attraction(
            &self.particles,
            &self.settings.attraction,
            &self.context,
            &mut self.scratch.attraction,
        )
    }

    /// The largest component of an acceleration by attraction.
    fn attraction_magnitude(&self) -> Result<f64> {
        let columns = system(&self.settings, &[], &self.scratch).attraction.unwrap_or_default();
        columns.iter().try_fold(0.0_f64, |m, column| {
            Ok(m.max(check::column_magnitude("attraction", column, &self.context)?))
        })
    }

    fn fill_paths(&mut self, dt: f64) -> Result<()> {
        fit(&mut self.scratch.velocity, &self.particles)?;
        let uniform = self.settings.uniform_acceleration(self.particles.dim());
        let mut velocity = std::mem::take(&mut self.scratch.velocity);
        let system = system(&self.settings, &uniform, &self.scratch);
        integrate::mean_velocities(&self.particles, &system, dt, &self.context, &mut velocity);
        self.scratch.velocity = velocity;
        let radius = self.scratch.collision_radius.get_or_insert_with(|| Column::new(f64::NAN));
        radius.resize(self.particles.len(), f64::NAN)?;
        ttc::fill_collision_radius(&self.particles, radius);
        Ok(())
    }

    fn paths(&self) -> Paths<'_> {
        Paths {
            position: self.particles.columns(Field::Position),
            velocity: &self.scratch.velocity,
            collision_radius: self.scratch.collision_radius.as_ref().expect("prepared"),
        }
    }

    /// Moves all particles by a prepared motion of `dt` seconds to its end.
    fn advance(&mut self, dt: f64) {
        match self.settings.integrator.scheme() {
            None => self.drift(dt),
            Some(_) => self.arrive(dt),
        }
    }

    /// Moves all particles for a part of a prepared motion, with constant accelerations.
    fn drift(&mut self, dt: f64) {
        let uniform = self.settings.uniform_acceleration(self.particles.dim());
        let system = system(&self.settings, &uniform, &self.scratch);
        integrate::integrate(&mut self.particles, &system, dt, &self.context);
        self.time += dt;
    }
}

/// The system acceleration that the settings and the prepared scratch describe.
fn system<'a>(settings: &Settings, uniform: &'a [f64], scratch: &'a Scratch) -> System<'a> {
    let attraction = (settings.attraction.constant != 0.0).then_some(&scratch.attraction[..]);
    System { uniform, attraction }
}

/// one column per axis, of the length of the particles.
fn fit(columns: &mut Vec<Column<f64>>, particles: &Particles) -> Result<()> {
    columns.resize_with(particles.dim(), || Column::new(0.0));
    columns.iter_mut().try_for_each(|column| column.resize(particles.len(), 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particle;

    #[test]
    fn accumulated_bounds_do_not_widen_the_search_for_collisions() {
        let mut world = World::new(1).unwrap();
        let slowing = Particle::sphere(&[0.0], 0.5).with_mass(1.0).with_velocity(&[1.0]).with_drag(1.0);
        world.particles_mut().add(&slowing).unwrap();
        for _ in 0..5000 {
            world.next(0.01).unwrap();
        }
        let accumulated = world.particles.check(&world.context).unwrap();
        assert!(accumulated.position > 1e10, "each step allows for a drag that accelerates");
        let fresh = world.prepare_collisions(0.01).unwrap();
        assert!(fresh.position < 1.1, "{}", fresh.position);
    }
}
