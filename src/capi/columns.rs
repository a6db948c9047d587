//! Columns shared with the caller, without a copy.

use super::guard::enter;
use super::handle::{Handle, produce, query};
use super::particles::carom_particles;
use super::rows::{carom_field, known_field};
use super::status::carom_status;
use crate::soa::{Column, Context, memory};

/// Alignment of every column in bytes.
pub const CAROM_ALIGNMENT: usize = 64;

/// A column of numbers to be read, one entry per particle or frame.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_column {
    /// The first entry, aligned to CAROM_ALIGNMENT bytes.
    pub data: *const f64,
    /// Number of entries.
    pub length: usize,
    /// How many entries fit before the column must move in memory.
    pub capacity: usize,
}

/// A column of numbers to be read and written, one entry per particle or frame.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_column_mut {
    /// The first entry, aligned to CAROM_ALIGNMENT bytes.
    pub data: *mut f64,
    /// Number of entries. Nothing may be written behind them.
    pub length: usize,
    /// How many entries fit before the column must move in memory.
    pub capacity: usize,
}

/// A column of bytes to be read, one per particle or frame.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_byte_column {
    /// The first entry, aligned to CAROM_ALIGNMENT bytes.
    pub data: *const u8,
    /// Number of entries.
    pub length: usize,
}

/// A column of user data to be read, one entry per particle.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_data_column {
    /// The first entry, aligned to CAROM_ALIGNMENT bytes.
    pub data: *const u64,
    /// Number of entries.
    pub length: usize,
}

/// A column of user data to be read and written, one entry per particle.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_data_column_mut {
    /// The first entry, aligned to CAROM_ALIGNMENT bytes.
    pub data: *mut u64,
    /// Number of entries. Nothing may be written behind them.
    pub length: usize,
}

impl From<&Column<f64>> for carom_column {
    fn from(column: &Column<f64>) -> Self {
        Self { data: column.as_slice().as_ptr(), length: column.len(), capacity: column.capacity() }
    }
}

impl From<&[u8]> for carom_byte_column {
    fn from(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr(), length: bytes.len() }
    }
}

/// Shares one column, to be read.
///
/// The pointer becomes invalid with the next call that says so: carom_particles_add(), _add_batch(), _remove(),
/// _remove_many(), _clear(), _reserve(), _shrink(), and _destroy() of the particles or their world. All other calls
/// leave it valid; a step writes through it.
///
/// \param field  Which property.
/// \param axis   Which axis; 0 for scalars.
/// \param column Receives the column.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_BAD_INDEX for the axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_column(
    particles: *const carom_particles,
    field: carom_field,
    axis: usize,
    column: *mut carom_column,
) -> carom_status {
    entry!(query(particles, ("column", column), |_, particles| {
        Ok(particles.stored_column(known_field(field)?, axis)?.into())
    }))
}

/// Shares one column, to be read and written in place.
///
/// The pointer is valid as long as that of carom_particles_column(). What is written is not checked at once but by the
/// next step, query for a collision or carom_particles_check(), which report invalid numbers by field and index. As
/// long as the pointer is valid, every step checks all columns.
///
/// \param field  Which property; CAROM_RADIUS follows from the shape and cannot be written.
/// \param axis   Which axis; 0 for scalars.
/// \param column Receives the column.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_BAD_INDEX for the axis, CAROM_READ_ONLY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_column_mut(
    particles: *mut carom_particles,
    field: carom_field,
    axis: usize,
    column: *mut carom_column_mut,
) -> carom_status {
    entry!(produce(particles, ("column", column), |particles| {
        let (data, capacity) = particles.column_ptr(known_field(field)?, axis)?;
        Ok(carom_column_mut { data, length: particles.len(), capacity })
    }))
}

/// Shares the axes of all particles in metres, to be read: D * D numbers per particle, axis 0, then axis 1, ...
///
/// The pointer is valid as long as that of carom_particles_column(). Particles that are all spheres have no such
/// column: the first call creates it, and it is kept until carom_particles_shrink(). carom_particles_get_axes() needs
/// none.
///
/// \param column Receives the column; its length is D * D times the number of particles.
/// \return CAROM_OK, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_axes(
    particles: *const carom_particles,
    column: *mut carom_column,
) -> carom_status {
    entry!(query(particles, ("column", column), |_, particles| {
        memory::expect_little()?;
        let axes = particles.all_axes()?;
        Ok(carom_column { data: axes.as_ptr(), length: axes.len(), capacity: axes.len() })
    }))
}

/// Shares the kinds of all particles, to be read: CAROM_FACOID, CAROM_SPHEROID or CAROM_PYRAMIDOID.
///
/// The pointer is valid as long as that of carom_particles_column().
///
/// \param column Receives the column.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_kinds(
    particles: *const carom_particles,
    column: *mut carom_byte_column,
) -> carom_status {
    entry!(query(particles, ("column", column), |_, particles| Ok(particles.kinds().into())))
}

/// Shares the fixed flags of all particles, to be read: 1 if fixed, otherwise 0.
///
/// The pointer is valid as long as that of carom_particles_column().
///
/// \param column Receives the column.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_fixed(
    particles: *const carom_particles,
    column: *mut carom_byte_column,
) -> carom_status {
    entry!(query(particles, ("column", column), |_, particles| Ok(particles.fixed_flags().into())))
}

/// Shares the user data of all particles, to be read. Steps never touch it, so that a callback may read it, too.
///
/// The pointer is valid as long as that of carom_particles_column().
///
/// \param column Receives the column.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_user_data(
    particles: *const carom_particles,
    column: *mut carom_data_column,
) -> carom_status {
    entry!(query(particles, ("column", column), |_, particles| {
        let data = particles.user_data();
        Ok(carom_data_column { data: data.as_ptr(), length: data.len() })
    }))
}

/// Shares the user data of all particles, to be read and written in place.
///
/// The pointer is valid as long as that of carom_particles_column().
///
/// \param column Receives the column.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_user_data_mut(
    particles: *mut carom_particles,
    column: *mut carom_data_column_mut,
) -> carom_status {
    entry!(produce(particles, ("column", column), |particles| {
        let data = particles.user_data_mut();
        Ok(carom_data_column_mut { data: data.as_mut_ptr(), length: data.len() })
    }))
}

/// Checks every number, also those written through shared columns: finite, masses and drags not negative, fixed
/// particles at rest.
///
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_FIXED; carom_last_error() says which field and index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_check(particles: *const carom_particles) -> carom_status {
    entry!(enter(|caller| {
        caller.object("particles", particles)?.read(|particles| Ok(particles.validate(&Context::serial())?))
    }))
}
