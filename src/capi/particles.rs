//! Stores of particles: creation, size, and rows that come and go.

use std::sync::Arc;

use super::failure::{Failure, Result};
use super::guard::enter;
use super::handle::{Guarded, Handle, create, query, update};
use super::memory::Caller;
use super::options::Options;
use super::status::carom_status;
use super::store::{append, remove_many};
use crate::error::Error;
use crate::events::AnyEngine;
use crate::particles::particle::{Extent, ParticleRow};
use crate::particles::store::MAX_DIM;
use crate::particles::{Particles, ShapeKind, check, shape};
use crate::soa::memory;
use crate::world::World;

/// Particles in columns: of the caller, those of a world (carom_world_particles()), or those of an event-driven run
/// (carom_events_particles()), which can only be read.
///
/// A particle is named by its index. Indices are dense: carom_particles_remove() keeps the order of the others and lowers
/// every index above by one, carom_particles_swap_remove() gives the last particle the index that is free.
pub struct carom_particles(Source);

enum Source {
    Own(Box<Guarded<Particles>>),
    World(Arc<Guarded<World>>),
    Events(Arc<Guarded<AnyEngine>>),
}

impl carom_particles {
    pub(super) fn own(particles: Particles) -> Self {
        Self(Source::Own(Box::new(Guarded::new(Self::NAME, particles))))
    }

    pub(super) fn of_world(world: Arc<Guarded<World>>) -> Self {
        Self(Source::World(world))
    }

    pub(super) fn of_events(engine: Arc<Guarded<AnyEngine>>) -> Self {
        Self(Source::Events(engine))
    }
}

impl Handle for carom_particles {
    type Object = Particles;
    const NAME: &'static str = "particles";

    fn read<R>(&self, look: impl FnOnce(&Particles) -> Result<R>) -> Result<R> {
        match &self.0 {
            Source::Own(particles) => particles.read(look),
            Source::World(world) => world.read(|world| look(world.particles())),
            Source::Events(engine) => engine.read(|engine| look(engine.particles())),
        }
    }

    fn write<R>(&self, change: impl FnOnce(&mut Particles) -> Result<R>) -> Result<R> {
        match &self.0 {
            Source::Own(particles) => particles.write(change),
            Source::World(world) => world.write(|world| change(world.particles_mut())),
            // Their handle is const; a cast does not get past the engine, which has records of its own.
            Source::Events(_) => {
                let reason =
                    "they belong to a run; change a copy and replace them with carom_events_set_particles()";
                Err(Error::ReadOnly { field: "particles", reason }.into())
            }
        }
    }
}

/// The largest dimension carom accepts.
pub const CAROM_MAX_DIM: usize = 1024;

/// What the axes of a particle span: one of the constants CAROM_FACOID to CAROM_PYRAMIDOID.
pub type carom_shape_kind = u32;

/// A parallelepiped: the axes are its edges.
pub const CAROM_FACOID: carom_shape_kind = 0;
/// An ellipsoid: the axes are its diameters. The default.
pub const CAROM_SPHEROID: carom_shape_kind = 1;
/// A simplex: the axes are the edges from its origin.
pub const CAROM_PYRAMIDOID: carom_shape_kind = 2;

const _: () = assert!(
    CAROM_FACOID == ShapeKind::Facoid as u32
        && CAROM_SPHEROID == ShapeKind::Spheroid as u32
        && CAROM_PYRAMIDOID == ShapeKind::Pyramidoid as u32
        && CAROM_MAX_DIM == MAX_DIM
);

pub(super) fn shape_kind(kind: carom_shape_kind) -> Result<ShapeKind> {
    let known = u8::try_from(kind).ok().and_then(ShapeKind::from_code);
    known.ok_or_else(|| Failure::UnknownValue { argument: "kind", value: u64::from(kind) })
}

/// One particle to be added. Fill it with carom_particle_desc_init(), then change what differs.
///
/// The arrays are only read during the call.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_particle_desc {
    /// Size of the struct in the caller's program, set by carom_particle_desc_init().
    pub struct_size: u32,
    /// What the axes span. Default CAROM_SPHEROID.
    pub kind: carom_shape_kind,
    /// Centre in metres, D numbers. Default NULL: the origin.
    pub position: *const f64,
    /// Velocity in metres per second, D numbers. Default NULL: at rest.
    pub velocity: *const f64,
    /// User acceleration in metres per second squared, D numbers. Default NULL: none.
    pub acceleration: *const f64,
    /// Axes in metres, D * D numbers: axis 0, then axis 1, ... Default NULL: along the coordinate axes, each two
    /// radii long.
    pub axes: *const f64,
    /// Half the length of every axis, in metres: the radius of a sphere. Default 0.5. Not used if there are axes.
    pub radius: f64,
    /// Mass in kilograms. Default 0: a tracer, which never collides.
    pub mass: f64,
    /// Drag k, per second: it adds -k times the velocity to the acceleration. Default 0.
    pub drag: f64,
    /// Anything; carom never reads it. Default 0.
    pub user_data: u64,
    /// Not 0: the particle never moves and collides as if its mass were infinite. Default 0.
    pub fixed: i32,
    /// Must be 0.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, no padding on 32 and 64 bits, integers, floats and pointers only.
unsafe impl Options for carom_particle_desc {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            kind: CAROM_SPHEROID,
            position: std::ptr::null(),
            velocity: std::ptr::null(),
            acceleration: std::ptr::null(),
            axes: std::ptr::null(),
            radius: 0.5,
            mass: 0.0,
            drag: 0.0,
            user_data: 0,
            fixed: 0,
            reserved: 0,
        }
    }
}

/// Numbers of a particle that fit on the stack: those of three dimensions.
const FEW: usize = 18;

impl carom_particle_desc {
    /// Adds the particle, whose numbers are copied first: they may lie in the columns.
    #[inline(always)]
    fn add(&self, caller: &Caller, particles: &mut Particles) -> Result<usize> {
        if self.reserved != 0 {
            return Err(Failure::UnknownValue { argument: "reserved", value: u64::from(self.reserved) });
        }
        let dim = particles.dim();
        let (mut few, mut many) = ([0.0; FEW], Vec::new());
        let numbers = if dim * (dim + 3) <= FEW {
            &mut few[..dim * (dim + 3)]
        } else {
            many.resize(dim * (dim + 3), 0.0);
            &mut many[..]
        };
        let (position, numbers) = numbers.split_at_mut(dim);
        let (velocity, numbers) = numbers.split_at_mut(dim);
        let (acceleration, axes) = numbers.split_at_mut(dim);
        check::non_negative("radius", 0, self.radius)?;
        let kind = shape_kind(self.kind)?;
        caller.copy_unless_null("position", self.position, position)?;
        caller.copy_unless_null("velocity", self.velocity, velocity)?;
        caller.copy_unless_null("acceleration", self.acceleration, acceleration)?;
        let is_sphere = self.axes.is_null() && kind == ShapeKind::Spheroid && self.radius.is_sign_positive();
        if !is_sphere && !caller.copy_unless_null("axes", self.axes, axes)? {
            shape::fill_diagonal(axes, dim, 2.0 * self.radius);
        }
        Ok(particles.add_row(&ParticleRow {
            kind,
            extent: if is_sphere { Extent::Radius(self.radius) } else { Extent::Axes(axes) },
            position,
            velocity,
            acceleration,
            mass: self.mass,
            drag: self.drag,
            fixed: self.fixed != 0,
            data: self.user_data,
        })?)
    }
}

/// Fills a description of a particle with the defaults.
///
/// \param desc The struct to fill.
/// \param size `sizeof(carom_particle_desc)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particle_desc_init(
    desc: *mut carom_particle_desc,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("desc", desc, size)))
}

/// Creates an empty store of particles.
///
/// \param dim       Dimension D of the space, from 1 to CAROM_MAX_DIM.
/// \param particles Receives the store. Destroy it with carom_particles_destroy().
/// \return CAROM_OK, CAROM_BAD_DIMENSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_create(
    dim: usize,
    particles: *mut *mut carom_particles,
) -> carom_status {
    entry!(create(("particles", particles), |_| Ok(carom_particles::own(Particles::new(dim)?))))
}

/// Destroys a store of particles; NULL, and the particles of a world or run, are left alone.
///
/// Pointers into its columns become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_destroy(particles: *mut carom_particles) {
    entry!(enter(|caller| {
        let handle = caller.optional("particles", particles)?;
        if handle.is_some_and(|handle| matches!(handle.0, Source::Own(_))) {
            drop(caller.reclaim(particles));
        }
        Ok(())
    }));
}

/// A copy of particles, if there is memory for it.
pub(super) fn copy_of(particles: &Particles) -> Result<Particles> {
    memory::expect_room(particles.memory_bytes())?;
    Ok(particles.clone())
}

/// Copies a store of particles, also out of a world or run.
///
/// \param copy Receives the copy. Destroy it with carom_particles_destroy().
/// \return CAROM_OK, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_clone(
    particles: *const carom_particles,
    copy: *mut *mut carom_particles,
) -> carom_status {
    entry!(create(("copy", copy), |caller| {
        let particles = caller.object("particles", particles)?.read(copy_of)?;
        Ok(carom_particles::own(particles))
    }))
}

/// Compares two stores: same dimension, length, kinds and fixed flags, every number within a tolerance. User data is
/// not compared.
///
/// \param other     The other store.
/// \param tolerance Largest difference of two numbers, in their own unit.
/// \param close     Receives 1 if they agree, otherwise 0.
/// \return CAROM_OK, CAROM_NEGATIVE or CAROM_NOT_FINITE for the tolerance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_is_close(
    particles: *const carom_particles,
    other: *const carom_particles,
    tolerance: f64,
    close: *mut i32,
) -> carom_status {
    entry!(query(particles, ("close", close), |caller, particles| {
        check::non_negative("tolerance", 0, tolerance)?;
        caller.object("other", other)?.read(|other| Ok(i32::from(particles.is_close(other, tolerance))))
    }))
}

/// Dimension D of the space.
///
/// \param dim Receives the dimension.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_dim(
    particles: *const carom_particles,
    dim: *mut usize,
) -> carom_status {
    entry!(query(particles, ("dim", dim), |_, particles| Ok(particles.dim())))
}

/// Number of particles.
///
/// \param length Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_length(
    particles: *const carom_particles,
    length: *mut usize,
) -> carom_status {
    entry!(query(particles, ("length", length), |_, particles| Ok(particles.len())))
}

/// How many particles fit before the columns must move in memory.
///
/// \param capacity Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_capacity(
    particles: *const carom_particles,
    capacity: *mut usize,
) -> carom_status {
    entry!(query(particles, ("capacity", capacity), |_, particles| Ok(particles.capacity())))
}

/// Memory that all columns hold together.
///
/// \param bytes Receives the number of bytes.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_memory_bytes(
    particles: *const carom_particles,
    bytes: *mut usize,
) -> carom_status {
    entry!(query(particles, ("bytes", bytes), |_, particles| Ok(particles.memory_bytes())))
}

/// Makes room for more particles. Pointers into the columns become invalid.
///
/// \param additional How many more than there are now.
/// \return CAROM_OK, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_reserve(
    particles: *mut carom_particles,
    additional: usize,
) -> carom_status {
    entry!(update(particles, |_, particles| Ok(particles.reserve(additional)?)))
}

/// Releases memory that is not used. Pointers into the columns become invalid.
///
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_shrink(particles: *mut carom_particles) -> carom_status {
    entry!(update(particles, |_, particles| {
        // A column that is aligned is copied to a smaller one.
        memory::expect_some(particles.memory_bytes())?;
        particles.shrink_to_fit();
        Ok(())
    }))
}

/// Removes all particles and keeps the memory. Pointers into the columns become invalid.
///
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_clear(particles: *mut carom_particles) -> carom_status {
    entry!(update(particles, |_, particles| {
        particles.clear();
        Ok(())
    }))
}

/// Adds one particle at the end. Pointers into the columns become invalid.
///
/// \param desc  The particle.
/// \param index Receives its index. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_FIXED, CAROM_UNKNOWN_VALUE, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_add(
    particles: *mut carom_particles,
    desc: *const carom_particle_desc,
    index: *mut usize,
) -> carom_status {
    entry!(append(particles, ("index", index), |caller, particles| {
        caller.read_options("desc", desc)?.add(caller, particles)
    }))
}

/// Removes one particle. The order of the others is kept; every index above decreases by one. Pointers into the
/// columns become invalid.
///
/// \param index Which particle.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_remove(
    particles: *mut carom_particles,
    index: usize,
) -> carom_status {
    entry!(update(particles, |_, particles| Ok(particles.remove(index)?)))
}

/// Removes one particle; the last one takes its index. The cost does not grow with the number of particles. Pointers
/// into the columns become invalid.
///
/// \param index Which particle.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_swap_remove(
    particles: *mut carom_particles,
    index: usize,
) -> carom_status {
    entry!(update(particles, |_, particles| Ok(particles.swap_remove(index)?)))
}

/// Removes many particles in one pass. The order of the others is kept. If an index is invalid nothing changes.
/// Pointers into the columns become invalid.
///
/// \param indices Which particles, each once, in any order. May be NULL if `count` is 0.
/// \param count   How many of them.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_OUT_OF_RANGE for an index that is listed twice, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_remove_many(
    particles: *mut carom_particles,
    indices: *const usize,
    count: usize,
) -> carom_status {
    entry!(remove_many(particles, (indices, count), |particles, indices| Ok(particles.remove_many(indices)?)))
}
