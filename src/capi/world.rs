//! Worlds: creation, time, settings, totals.

use std::sync::Arc;

use super::context::carom_context;
use super::failure::{Failure, Result};
use super::guard::enter;
use super::handle::{Guarded, Handle, create, destroy, query, update};
use super::memory::Caller;
use super::options::Options;
use super::particles::{carom_particles, copy_of};
use super::status::carom_status;
use crate::particles::gravity::{Attraction, AttractionLaw};
use crate::particles::{Field, check};
use crate::soa::memory;
use crate::world::settings::{GRAVITATIONAL_CONSTANT, STANDARD_GRAVITY};
use crate::world::{BroadPhase, INTEGRATORS, Integrator, Settings, World};

/// Particles, the time and the forces that act on them.
pub struct carom_world {
    world: Arc<Guarded<World>>,
    particles: carom_particles,
}

impl carom_world {
    pub(super) fn new(world: World) -> Self {
        let world = Arc::new(Guarded::new(Self::NAME, world));
        Self { particles: carom_particles::of_world(Arc::clone(&world)), world }
    }
}

impl Handle for carom_world {
    type Object = World;
    const NAME: &'static str = "world";

    fn read<R>(&self, look: impl FnOnce(&World) -> Result<R>) -> Result<R> {
        self.world.read(look)
    }

    /// The world exists until the end of the change even if a callback destroys the handle.
    fn write<R>(&self, change: impl FnOnce(&mut World) -> Result<R>) -> Result<R> {
        Arc::clone(&self.world).write(change)
    }
}

/// Copies a vector of D numbers of a world to the caller.
///
/// # Safety
/// As [`enter`].
unsafe fn copy_vector(
    world: *const carom_world,
    (values, count): (*mut f64, usize),
    look: impl FnOnce(&World) -> Result<Vec<f64>>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let found = caller.object("world", world)?.read(|world| {
                check::length("values", 0, world.particles().dim(), count)?;
                look(world)
            })?;
            caller.rows_mut("values", values, 0, count, 1)?.write(&found);
            Ok(())
        })
    }
}

/// Standard gravity, in metres per second squared.
pub const CAROM_STANDARD_GRAVITY: f64 = 9.80665;
/// Newton's constant of gravitation, in cubic metres per kilogram and second squared.
pub const CAROM_GRAVITATIONAL_CONSTANT: f64 = 6.6740831e-11;

/// What the attraction of particle j adds to the acceleration of particle i: CAROM_NEWTON, CAROM_AS_PRINTED or
/// CAROM_BARNES_HUT.
pub type carom_attraction_law = u32;

/// G m_j (P_j - P_i) / |P_j - P_i|^3: Newton's law. The default.
pub const CAROM_NEWTON: carom_attraction_law = 0;
/// G m_i m_j (P_j - P_i) / |P_j - P_i|^3: the force itself as acceleration, as printed in PBPhys.
pub const CAROM_AS_PRINTED: carom_attraction_law = 1;
/// Newton's law by the tree of Barnes and Hut, for many particles in up to three dimensions: groups that are far away attract
/// as one particle at their centre of mass.
pub const CAROM_BARNES_HUT: carom_attraction_law = 2;

/// How particles move between collisions: one of the constants CAROM_EULER to CAROM_FOURTH_ORDER.
pub type carom_integrator = u32;

/// The rule of PBPhys: accelerations at the start of a step hold for all of it. Of first order. The default.
pub const CAROM_EULER: carom_integrator = 0;
/// Velocity Verlet: of second order, reversible in time, with one computation of the attraction per step.
pub const CAROM_VELOCITY_VERLET: carom_integrator = 1;
/// A composition of fourth order, reversible in time, with four computations of the attraction per step.
pub const CAROM_FOURTH_ORDER: carom_integrator = 2;

/// How pairs that may collide are found, with bit-identical results: one of the constants CAROM_BROAD_AUTO to
/// CAROM_BROAD_GRID.
pub type carom_broad_phase = u32;

/// All pairs for a few particles, a grid for many. The default.
pub const CAROM_BROAD_AUTO: carom_broad_phase = 0;
/// Every pair: simple, and slow for many particles.
pub const CAROM_BROAD_ALL_PAIRS: carom_broad_phase = 1;
/// A grid of cells.
pub const CAROM_BROAD_GRID: carom_broad_phase = 2;

const _: () = assert!(
    CAROM_EULER == Integrator::Euler as u32
        && CAROM_VELOCITY_VERLET == Integrator::VelocityVerlet as u32
        && CAROM_FOURTH_ORDER == Integrator::FourthOrder as u32
        && CAROM_BROAD_AUTO == BroadPhase::Auto as u32
        && CAROM_BROAD_ALL_PAIRS == BroadPhase::AllPairs as u32
        && CAROM_BROAD_GRID == BroadPhase::Grid as u32
        && CAROM_STANDARD_GRAVITY == STANDARD_GRAVITY
        && CAROM_GRAVITATIONAL_CONSTANT == GRAVITATIONAL_CONSTANT
);

/// The forces and rules of a world. Fill it with carom_settings_init() or carom_world_get_settings().
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_settings {
    /// Size of the struct in the caller's program, set by carom_settings_init().
    pub struct_size: u32,
    /// CAROM_NEWTON, CAROM_AS_PRINTED or CAROM_BARNES_HUT. Default CAROM_NEWTON.
    pub attraction_law: carom_attraction_law,
    /// The time step that the command-line tool and PBPhys files use, in seconds. Default 0.01.
    pub dt: f64,
    /// Down gravity, in metres per second squared, along axis 1. Default 0; must be 0 in dimension 1.
    pub down_gravity: f64,
    /// G of the attraction between all particles, in cubic metres per kilogram and second squared; negative repels.
    /// Default 0: none.
    pub attraction: f64,
    /// Plummer softening length of the attraction, in metres. Default 0.
    pub softening: f64,
    /// Coefficient of restitution: separation speed over approach speed, from 0 to 1. Default 1.
    pub restitution: f64,
    /// Most collisions in one step before it stops with CAROM_TOO_MANY_COLLISIONS. Default 0: 1,000 per particle, at
    /// least 100,000.
    pub max_collisions: u64,
    /// 1 if facoids and pyramidoids collide by their exact shapes instead of their bounding spheres, in two and three
    /// dimensions only. Default 0. It applies to carom_world_step(), carom_world_step_observed(),
    /// carom_world_step_to_collision() and carom_world_collide(). Shapes do not turn, and their velocities change along
    /// the normal of the contact (carom_frame_find_contact()): shapes that overlap and do not approach along it pass
    /// through each other. Spheroids keep their bounding spheres.
    pub exact_shapes: u32,
    /// CAROM_EULER, CAROM_VELOCITY_VERLET or CAROM_FOURTH_ORDER. Default CAROM_EULER.
    pub integrator: carom_integrator,
    /// Opening of CAROM_BARNES_HUT, from 0 to 1: the largest ratio of the size of a group that attracts as one particle to its
    /// distance. Default 0.5; not used by other laws.
    pub opening: f64,
}

// SAFETY: `repr(C)`, no padding, integers and floats only.
unsafe impl Options for carom_settings {
    fn defaults() -> Self {
        Settings::default().into()
    }
}

impl From<Settings> for carom_settings {
    fn from(settings: Settings) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            attraction_law: settings.attraction.law.code(),
            dt: settings.dt,
            down_gravity: settings.down_gravity,
            attraction: settings.attraction.constant,
            softening: settings.attraction.softening,
            restitution: settings.restitution,
            max_collisions: settings.max_collisions,
            exact_shapes: u32::from(settings.exact_shapes),
            integrator: settings.integrator as carom_integrator,
            opening: settings.attraction.law.opening(),
        }
    }
}

impl carom_settings {
    fn settings(&self) -> Result<Settings> {
        let law = [0, 1, 2].map(|code| AttractionLaw::from_code(code, self.opening));
        Ok(Settings {
            dt: self.dt,
            down_gravity: self.down_gravity,
            attraction: Attraction {
                constant: self.attraction,
                law: known("attraction_law", self.attraction_law, &law)?.expect("all three are laws"),
                softening: self.softening,
            },
            restitution: self.restitution,
            max_collisions: self.max_collisions,
            exact_shapes: known("exact_shapes", self.exact_shapes, &[false, true])?,
            integrator: known("integrator", self.integrator, &INTEGRATORS)?.1,
        })
    }
}

/// The variant whose number, counted from 0, this is.
pub(super) fn known<T: Copy>(argument: &'static str, code: u32, variants: &[T]) -> Result<T> {
    let found = variants.get(code as usize).copied();
    found.ok_or(Failure::UnknownValue { argument, value: u64::from(code) })
}

/// Fills settings with the defaults.
///
/// \param settings The struct to fill.
/// \param size     `sizeof(carom_settings)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_settings_init(settings: *mut carom_settings, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("settings", settings, size)))
}

/// Creates an empty world at time 0 with default settings.
///
/// \param dim     Dimension D of the space, from 1 to CAROM_MAX_DIM.
/// \param context Threads that do the work; NULL: the calling thread. It may be destroyed before the world.
/// \param world   Receives the world. Destroy it with carom_world_destroy().
/// \return CAROM_OK, CAROM_BAD_DIMENSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_create(
    dim: usize,
    context: *const carom_context,
    world: *mut *mut carom_world,
) -> carom_status {
    entry!(enter(|caller| caller.give_world(context, world, || Ok(World::new(dim)?))))
}

/// Creates a world at time 0 with default settings from a copy of particles.
///
/// \param particles What is copied.
/// \param context   Threads that do the work; NULL: the calling thread. It may be destroyed before the world.
/// \param world     Receives the world. Destroy it with carom_world_destroy().
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_from_particles(
    particles: *const carom_particles,
    context: *const carom_context,
    world: *mut *mut carom_world,
) -> carom_status {
    entry!(enter(|caller| {
        let copy = || caller.object("particles", particles)?.read(copy_of);
        caller.give_world(context, world, || copy().map(World::from_particles))
    }))
}

impl Caller {
    /// Hands over a new world that works with `context`.
    pub(super) fn give_world(
        &self,
        context: *const carom_context,
        out: *mut *mut carom_world,
        make: impl FnOnce() -> Result<World>,
    ) -> Result<()> {
        let out = self.out("world", out)?;
        let context = self.context(context)?;
        memory::expect_room(0)?;
        let mut world = make()?;
        world.set_context(context);
        out.hand_over(carom_world::new(world));
        Ok(())
    }
}

/// Destroys a world and its particles; NULL does nothing. Pointers into its columns become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_destroy(world: *mut carom_world) {
    entry!(destroy(world));
}

/// Copies a world with its particles, time and settings. The copy shares the context.
///
/// \param copy Receives the copy. Destroy it with carom_world_destroy().
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_clone(
    world: *const carom_world,
    copy: *mut *mut carom_world,
) -> carom_status {
    entry!(create(("copy", copy), |caller| {
        Ok(carom_world::new(caller.object("world", world)?.read(|world| {
            memory::expect_room(world.particles().memory_bytes())?;
            Ok(world.clone())
        })?))
    }))
}

/// Compares two worlds: time, settings and particles, every number within a tolerance.
///
/// \param other     The other world.
/// \param tolerance Largest difference of two numbers, in their own unit.
/// \param close     Receives 1 if they agree, otherwise 0.
/// \return CAROM_OK, CAROM_NEGATIVE or CAROM_NOT_FINITE for the tolerance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_is_close(
    world: *const carom_world,
    other: *const carom_world,
    tolerance: f64,
    close: *mut i32,
) -> carom_status {
    entry!(query(world, ("close", close), |caller, world| {
        check::non_negative("tolerance", 0, tolerance)?;
        caller.object("other", other)?.read(|other| Ok(i32::from(world.is_close(other, tolerance))))
    }))
}

/// The particles of a world, to be changed. They belong to the world.
///
/// \return A handle that is valid until the world is destroyed and needs the same exclusive use. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_particles(world: *mut carom_world) -> *mut carom_particles {
    if world.is_null() || !world.is_aligned() {
        return std::ptr::null_mut();
    }
    // SAFETY: by the rule for pointers it is a world that has not been destroyed. No reference is made.
    unsafe { &raw mut (*world).particles }
}

/// The particles of a world, to be read. They belong to the world.
///
/// \return A handle that is valid until the world is destroyed. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_particles_const(world: *const carom_world) -> *const carom_particles {
    // SAFETY: the same rule for the pointer; what comes back is only read.
    unsafe { carom_world_particles(world.cast_mut()) }
}

/// Current time of a world.
///
/// \param time Receives the time in seconds.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_get_time(world: *const carom_world, time: *mut f64) -> carom_status {
    entry!(query(world, ("time", time), |_, world| Ok(world.time())))
}

/// Sets the current time of a world.
///
/// \param time Time in seconds.
/// \return CAROM_OK, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_set_time(world: *mut carom_world, time: f64) -> carom_status {
    entry!(update(world, |_, world| Ok(world.set_time(time)?)))
}

/// Reads the settings of a world.
///
/// \param settings Receives the settings. Its struct_size must be set: call carom_settings_init() first.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE for an impossible struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_get_settings(
    world: *const carom_world,
    settings: *mut carom_settings,
) -> carom_status {
    entry!(enter(|caller| {
        let found = caller.object("world", world)?.read(|world| Ok(*world.settings()))?;
        caller.write_options("settings", settings, found.into())
    }))
}

/// Replaces the settings of a world. If one is invalid nothing changes.
///
/// \param settings The settings; fields beyond an older, smaller struct_size keep their defaults.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_set_settings(
    world: *mut carom_world,
    settings: *const carom_settings,
) -> carom_status {
    entry!(update(world, |caller, world| {
        Ok(world.set_settings(caller.read_options("settings", settings)?.settings()?)?)
    }))
}

/// Uses other threads from now on. Results are bit-identical.
///
/// \param context Threads that do the work; NULL: the calling thread. It may be destroyed before the world.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_set_context(
    world: *mut carom_world,
    context: *const carom_context,
) -> carom_status {
    entry!(update(world, |caller, world| {
        world.set_context(caller.context(context)?);
        Ok(())
    }))
}

/// Sets how pairs that may collide are found. Results are bit-identical.
///
/// \param broad_phase CAROM_BROAD_AUTO, CAROM_BROAD_ALL_PAIRS or CAROM_BROAD_GRID.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_set_broad_phase(
    world: *mut carom_world,
    broad_phase: carom_broad_phase,
) -> carom_status {
    entry!(update(world, |_, world| {
        let all = [BroadPhase::Auto, BroadPhase::AllPairs, BroadPhase::Grid];
        world.set_broad_phase(known("broad_phase", broad_phase, &all)?);
        Ok(())
    }))
}

/// Kinetic energy of all particles.
///
/// \param energy Receives the energy in joules.
/// \return CAROM_OK; CAROM_NOT_FINITE, CAROM_NEGATIVE or CAROM_FIXED for numbers written through shared columns, CAROM_FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_kinetic_energy(
    world: *const carom_world,
    energy: *mut f64,
) -> carom_status {
    entry!(query(world, ("energy", energy), |_, world| {
        world.check_totals(&[Field::Velocity, Field::Mass])?;
        Ok(world.kinetic_energy())
    }))
}

/// Potential energy of all particles, in down gravity and in their attraction.
///
/// \param energy Receives the energy in joules; NaN if the law of attraction has no potential (CAROM_AS_PRINTED).
/// \return As carom_world_kinetic_energy().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_potential_energy(
    world: *const carom_world,
    energy: *mut f64,
) -> carom_status {
    entry!(query(world, ("energy", energy), |_, world| {
        world.check_totals(&[Field::Position, Field::Mass])?;
        Ok(world.potential_energy().unwrap_or(f64::NAN))
    }))
}

/// Momentum of all particles.
///
/// \param values Receives the momentum in newton seconds, one number per axis.
/// \param count  Capacity of `values` in numbers: D.
/// \return CAROM_WRONG_LENGTH, or as carom_world_kinetic_energy().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_momentum(
    world: *const carom_world,
    values: *mut f64,
    count: usize,
) -> carom_status {
    entry!(copy_vector(world, (values, count), |world| {
        world.check_totals(&[Field::Velocity, Field::Mass])?;
        Ok(world.momentum())
    }))
}

/// Centre of mass of all particles.
///
/// \param values Receives the centre in metres, one number per axis; NaN if the total mass is 0.
/// \param count  Capacity of `values` in numbers: D.
/// \return CAROM_WRONG_LENGTH, or as carom_world_kinetic_energy().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_centre_of_mass(
    world: *const carom_world,
    values: *mut f64,
    count: usize,
) -> carom_status {
    entry!(copy_vector(world, (values, count), |world| {
        world.check_totals(&[Field::Position, Field::Mass])?;
        Ok(world.centre_of_mass().unwrap_or_else(|| vec![f64::NAN; count]))
    }))
}
