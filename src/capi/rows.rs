//! Properties of one particle, and copies of many in and out of arrays of structures.

use super::failure::{Failure, Result};
use super::handle::{query, update};
use super::memory::Caller;
use super::particles::{carom_particles, carom_shape_kind, shape_kind};
use super::status::carom_status;
use super::store::{copy_out, copy_rows_out};
use crate::particles::{Field, Shape, check};
use crate::soa::memory;

/// A property of particles: one of the constants CAROM_POSITION to CAROM_RADIUS.
pub type carom_field = u32;

/// Centre, in metres: D numbers.
pub const CAROM_POSITION: carom_field = 0;
/// Velocity, in metres per second: D numbers.
pub const CAROM_VELOCITY: carom_field = 1;
/// User acceleration, in metres per second squared: D numbers.
pub const CAROM_ACCELERATION: carom_field = 2;
/// Mass, in kilograms: 1 number.
pub const CAROM_MASS: carom_field = 3;
/// Drag, per second: 1 number.
pub const CAROM_DRAG: carom_field = 4;
/// Bounding radius, in metres: 1 number. Derived from kind and axes; it can only be read.
pub const CAROM_RADIUS: carom_field = 5;

const _: () = assert!(
    CAROM_POSITION == Field::Position as u32
        && CAROM_VELOCITY == Field::Velocity as u32
        && CAROM_ACCELERATION == Field::Acceleration as u32
        && CAROM_MASS == Field::Mass as u32
        && CAROM_DRAG == Field::Drag as u32
        && CAROM_RADIUS == Field::Radius as u32
);

pub(super) fn known_field(field: carom_field) -> Result<Field> {
    Field::from_code(field).ok_or(Failure::UnknownValue { argument: "field", value: u64::from(field) })
}

/// A copy of an array of the caller that must have `expected` entries.
fn copy_in(
    caller: &Caller,
    (values, count): (*const f64, usize),
    (field, index): (&'static str, usize),
    expected: usize,
) -> Result<Vec<f64>> {
    check::length(field, index, expected, count)?;
    caller.rows("values", values, 0, 1, count)?.packed()
}

/// Reads a property of one particle.
///
/// \param field  Which property.
/// \param index  Which particle.
/// \param values Receives the numbers.
/// \param count  Capacity of `values` in numbers: D for vectors, 1 for scalars.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_BAD_INDEX, CAROM_WRONG_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_get(
    particles: *const carom_particles,
    field: carom_field,
    index: usize,
    values: *mut f64,
    count: usize,
) -> carom_status {
    entry!(copy_out(particles, (values, count), |particles| Ok(particles.value(known_field(field)?, index)?)))
}

/// Writes a property of one particle.
///
/// \param field  Which property; CAROM_RADIUS follows from the shape and cannot be written.
/// \param index  Which particle.
/// \param values The numbers.
/// \param count  How many: D for vectors, 1 for scalars.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_BAD_INDEX, CAROM_WRONG_LENGTH, CAROM_NOT_FINITE, CAROM_NEGATIVE,
///         CAROM_FIXED for a velocity or acceleration of a fixed particle other than 0, CAROM_READ_ONLY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_set(
    particles: *mut carom_particles,
    field: carom_field,
    index: usize,
    values: *const f64,
    count: usize,
) -> carom_status {
    entry!(update(particles, |caller, particles| {
        let field = known_field(field)?;
        let width = field.width(particles.dim());
        let values = copy_in(caller, (values, count), (field.name(), index), width)?;
        Ok(particles.set_value(field, index, &values)?)
    }))
}

/// Copies a property of many particles out of the columns, for callers with arrays of structures.
///
/// \param field  Which property.
/// \param first  The first particle.
/// \param count  How many particles.
/// \param values Receives the numbers of the first particle, D for vectors, 1 for scalars. May be NULL if `count` is 0.
/// \param stride Bytes from the numbers of one particle to those of the next. 0: they follow each other without a gap.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_BAD_INDEX, CAROM_MISALIGNED or CAROM_OUT_OF_RANGE for an invalid
///         stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_read(
    particles: *const carom_particles,
    field: carom_field,
    first: usize,
    count: usize,
    values: *mut f64,
    stride: usize,
) -> carom_status {
    entry!(copy_rows_out(particles, (values, stride), count, |particles| {
        let field = known_field(field)?;
        let found = particles.values(field, first..first.saturating_add(count))?;
        Ok((found, field.width(particles.dim())))
    }))
}

/// Copies a property of many particles into the columns, for callers with arrays of structures. If one number is
/// invalid nothing changes.
///
/// \param field  Which property; CAROM_RADIUS follows from the shape and cannot be written.
/// \param first  The first particle.
/// \param count  How many particles.
/// \param values The numbers of the first particle, D for vectors, 1 for scalars. May be NULL if `count` is 0.
/// \param stride Bytes from the numbers of one particle to those of the next. 0: they follow each other without a gap.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_BAD_INDEX, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_FIXED,
///         CAROM_READ_ONLY, CAROM_MISALIGNED or CAROM_OUT_OF_RANGE for an invalid stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_write(
    particles: *mut carom_particles,
    field: carom_field,
    first: usize,
    count: usize,
    values: *const f64,
    stride: usize,
) -> carom_status {
    entry!(update(particles, |caller, particles| {
        let field = known_field(field)?;
        let rows = first..first.saturating_add(count);
        // Checked before anything is copied, because the caller's range may be larger than any array.
        particles.check_rows(&rows)?;
        let values = caller.rows("values", values, stride, field.width(particles.dim()), count)?.packed()?;
        Ok(particles.set_values(field, rows, &values)?)
    }))
}

/// What the axes of one particle span.
///
/// \param index Which particle.
/// \param kind  Receives CAROM_FACOID, CAROM_SPHEROID or CAROM_PYRAMIDOID.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_get_kind(
    particles: *const carom_particles,
    index: usize,
    kind: *mut carom_shape_kind,
) -> carom_status {
    entry!(query(particles, ("kind", kind), |_, particles| {
        memory::expect_little()?;
        Ok(particles.shape(index)?.kind as carom_shape_kind)
    }))
}

/// Changes what the axes of one particle span, and with it the bounding radius.
///
/// \param index Which particle.
/// \param kind  CAROM_FACOID, CAROM_SPHEROID or CAROM_PYRAMIDOID.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_UNKNOWN_VALUE, CAROM_NOT_FINITE if the radius overflows,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_set_kind(
    particles: *mut carom_particles,
    index: usize,
    kind: carom_shape_kind,
) -> carom_status {
    entry!(update(particles, |_, particles| {
        memory::expect_little()?;
        let axes = particles.shape(index)?.axes;
        Ok(particles.set_shape(index, &Shape { kind: shape_kind(kind)?, axes })?)
    }))
}

/// Reads the axes of one particle.
///
/// \param index  Which particle.
/// \param values Receives the axes in metres: axis 0, then axis 1, ...
/// \param count  Capacity of `values` in numbers: D * D.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_WRONG_LENGTH.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_get_axes(
    particles: *const carom_particles,
    index: usize,
    values: *mut f64,
    count: usize,
) -> carom_status {
    entry!(copy_out(particles, (values, count), |particles| Ok(particles.shape(index)?.axes)))
}

/// Changes the axes of one particle, and with them the bounding radius.
///
/// \param index  Which particle.
/// \param values The axes in metres: axis 0, then axis 1, ...
/// \param count  How many numbers: D * D.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_WRONG_LENGTH, CAROM_NOT_FINITE, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_set_axes(
    particles: *mut carom_particles,
    index: usize,
    values: *const f64,
    count: usize,
) -> carom_status {
    entry!(update(particles, |caller, particles| {
        memory::expect_little()?;
        let kind = particles.shape(index)?.kind;
        let axes = copy_in(caller, (values, count), ("axes", index), particles.dim() * particles.dim())?;
        Ok(particles.set_shape(index, &Shape { kind, axes })?)
    }))
}

/// Gives one particle axes along the coordinate axes, each two radii long.
///
/// \param index  Which particle.
/// \param radius Half the length of every axis, in metres.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_set_radius(
    particles: *mut carom_particles,
    index: usize,
    radius: f64,
) -> carom_status {
    entry!(update(particles, |_, particles| {
        check::non_negative("radius", index, radius)?;
        memory::expect_little()?;
        let kind = particles.shape(index)?.kind;
        Ok(particles.set_shape(index, &Shape { kind, ..Shape::sphere(particles.dim(), radius) })?)
    }))
}

/// Changes the axes of all particles, and with them the bounding radii. If one number is invalid nothing changes.
///
/// \param values The axes in metres, D * D numbers per particle: axis 0, then axis 1, ...
/// \param count  How many numbers: D * D times the number of particles.
/// \return CAROM_OK, CAROM_WRONG_LENGTH, CAROM_NOT_FINITE, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_set_all_axes(
    particles: *mut carom_particles,
    values: *const f64,
    count: usize,
) -> carom_status {
    entry!(update(particles, |caller, particles| {
        let expected = particles.len() * particles.dim() * particles.dim();
        let axes = copy_in(caller, (values, count), ("axes", 0), expected)?;
        Ok(particles.set_all_axes(&axes)?)
    }))
}

/// Whether one particle is fixed.
///
/// \param index Which particle.
/// \param fixed Receives 1 if it is, otherwise 0.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_get_fixed(
    particles: *const carom_particles,
    index: usize,
    fixed: *mut i32,
) -> carom_status {
    entry!(query(particles, ("fixed", fixed), |_, particles| Ok(particles.is_fixed(index)?.into())))
}

/// Fixes one particle, which zeroes its velocity and user acceleration, or sets it free.
///
/// \param index Which particle.
/// \param fixed 0 sets it free, anything else fixes it.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_set_fixed(
    particles: *mut carom_particles,
    index: usize,
    fixed: i32,
) -> carom_status {
    entry!(update(particles, |_, particles| Ok(particles.set_fixed(index, fixed != 0)?)))
}

/// Reads the user data of one particle.
///
/// \param index     Which particle.
/// \param user_data Receives it.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_get_user_data(
    particles: *const carom_particles,
    index: usize,
    user_data: *mut u64,
) -> carom_status {
    entry!(query(particles, ("user_data", user_data), |_, particles| {
        check::index("particle", index, particles.len())?;
        Ok(particles.user_data()[index])
    }))
}

/// Writes the user data of one particle.
///
/// \param index     Which particle.
/// \param user_data Anything; carom never reads it.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_set_user_data(
    particles: *mut carom_particles,
    index: usize,
    user_data: u64,
) -> carom_status {
    entry!(update(particles, |_, particles| {
        check::index("particle", index, particles.len())?;
        particles.user_data_mut()[index] = user_data;
        Ok(())
    }))
}
