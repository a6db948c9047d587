//! Many particles added at once, from the caller's own arrays.

use super::failure::Result;
use super::guard::enter;
use super::memory::{Caller, Plain};
use super::options::Options;
use super::particles::{CAROM_SPHEROID, carom_particles, carom_shape_kind, shape_kind};
use super::status::carom_status;
use super::store::append;
use crate::particles::{Batch, Particles};
use crate::soa::memory;

/// Where the numbers of many particles or frames are: in an array of structures, or in one array per axis. All zeros:
/// the default.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_source {
    /// The numbers of the first of them, one after the other; those of the next are `stride` bytes further on.
    pub data: *const f64,
    /// Instead of `data`: one pointer for each number of one of them (each axis), to that number of the first; that of
    /// the next is `stride` bytes further on. Counts if it is not NULL.
    pub columns: *const *const f64,
    /// Bytes from one of them to the next. 0: they follow each other without a gap.
    pub stride: usize,
}

/// Particles to be added. Fill it with carom_batch_init(), then say where the numbers are.
///
/// The arrays are only read during the call. They may be columns of the same particles.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_batch {
    /// Size of the struct in the caller's program, set by carom_batch_init().
    pub struct_size: u32,
    /// What the axes span. Default CAROM_SPHEROID.
    pub kind: carom_shape_kind,
    /// Number of particles. Default 0.
    pub count: usize,
    /// Centres in metres, D numbers per particle. Default: the origin.
    pub position: carom_source,
    /// Velocities in metres per second, D numbers per particle. Default 0.
    pub velocity: carom_source,
    /// User accelerations in metres per second squared, D numbers per particle. Default 0.
    pub acceleration: carom_source,
    /// Masses in kilograms. Default 0: tracers, which never collide.
    pub mass: carom_source,
    /// Drags, per second. Default 0.
    pub drag: carom_source,
    /// Half the length of every axis, in metres: the radius of a sphere. Default 0.5. Excludes `axes`.
    pub radius: carom_source,
    /// Axes in metres, D * D numbers per particle: axis 0, then axis 1, ... Excludes `radius`.
    pub axes: carom_source,
    /// Which particles are fixed: not 0. Default NULL: none.
    pub fixed: *const u8,
    /// Bytes from one flag to the next. 0: they follow each other without a gap.
    pub fixed_stride: usize,
    /// User data. Default NULL: 0.
    pub user_data: *const u64,
    /// Bytes from one to the next. 0: they follow each other without a gap.
    pub user_data_stride: usize,
}

// SAFETY: `repr(C)`, no padding on 32 and 64 bits, integers and pointers only.
unsafe impl Options for carom_batch {
    fn defaults() -> Self {
        let none = carom_source { data: std::ptr::null(), columns: std::ptr::null(), stride: 0 };
        Self {
            struct_size: size_of::<Self>() as u32,
            kind: CAROM_SPHEROID,
            count: 0,
            position: none,
            velocity: none,
            acceleration: none,
            mass: none,
            drag: none,
            radius: none,
            axes: none,
            fixed: std::ptr::null(),
            fixed_stride: 0,
            user_data: std::ptr::null(),
            user_data_stride: 0,
        }
    }
}

impl carom_source {
    /// Copies of the numbers of `count` particles, one vector for each of the `width` numbers; none for the default.
    pub(super) fn columns(
        &self,
        caller: &Caller,
        field: &'static str,
        width: usize,
        count: usize,
    ) -> Result<Vec<Vec<f64>>> {
        if !self.columns.is_null() {
            let columns = caller.slice(field, self.columns, width)?;
            let copy = |&data| caller.rows(field, data, self.stride, 1, count)?.column(0);
            return columns.iter().map(copy).collect();
        }
        if self.data.is_null() {
            return Ok(Vec::new());
        }
        let rows = caller.rows(field, self.data, self.stride, width, count)?;
        (0..width).map(|k| rows.column(k)).collect()
    }

    /// The same as one vector, particle by particle.
    pub(super) fn packed(
        &self,
        caller: &Caller,
        field: &'static str,
        width: usize,
        count: usize,
    ) -> Result<Vec<f64>> {
        if self.columns.is_null() && !self.data.is_null() {
            return caller.rows(field, self.data, self.stride, width, count)?.packed();
        }
        let columns = self.columns(caller, field, width, count)?;
        let rows = if columns.is_empty() { 0 } else { count };
        let cells = (0..rows).flat_map(|row| columns.iter().map(move |column| column[row]));
        Ok(memory::collect(rows.saturating_mul(columns.len()), cells)?)
    }
}

/// Plain values, one per particle; none for null.
pub(super) fn values<T: Plain>(
    caller: &Caller,
    field: &'static str,
    (data, stride): (*const T, usize),
    count: usize,
) -> Result<Vec<T>> {
    if data.is_null() { Ok(Vec::new()) } else { caller.rows(field, data, stride, 1, count)?.column(0) }
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

/// Copies everything out of the caller's arrays and adds it; returns the index of the first particle.
fn add(caller: &Caller, particles: &mut Particles, batch: &carom_batch) -> Result<usize> {
    let (dim, count) = (particles.dim(), batch.count);
    let vector = |field, source: &carom_source| source.columns(caller, field, dim, count);
    let scalar = |field, source: &carom_source| source.packed(caller, field, 1, count);
    let mut position = vector("position", &batch.position)?;
    if position.is_empty() {
        position = (0..dim).map(|_| Ok(memory::filled(count, 0.0)?)).collect::<Result<_>>()?;
    }
    let velocity = vector("velocity", &batch.velocity)?;
    let acceleration = vector("acceleration", &batch.acceleration)?;
    let rows = particles.add_batch(&Batch {
        kind: Some(shape_kind(batch.kind)?),
        position: &slices(&position),
        velocity: &slices(&velocity),
        acceleration: &slices(&acceleration),
        mass: &scalar("mass", &batch.mass)?,
        drag: &scalar("drag", &batch.drag)?,
        radius: &scalar("radius", &batch.radius)?,
        axes: &batch.axes.packed(caller, "axes", dim * dim, count)?,
        fixed: &values(caller, "fixed", (batch.fixed, batch.fixed_stride), count)?,
        data: &values(caller, "user_data", (batch.user_data, batch.user_data_stride), count)?,
    })?;
    Ok(rows.start)
}

/// Fills a description of many particles with the defaults.
///
/// \param batch The struct to fill.
/// \param size  `sizeof(carom_batch)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_batch_init(batch: *mut carom_batch, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("batch", batch, size)))
}

/// Adds many particles at the end, in the order of the arrays. If one of them is invalid none is added. Pointers into
/// the columns become invalid.
///
/// \param batch The particles.
/// \param first Receives the index of the first of them; the others follow. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_FIXED, CAROM_UNKNOWN_VALUE, CAROM_WRONG_LENGTH for both
///         `radius` and `axes`, CAROM_MISALIGNED or CAROM_OUT_OF_RANGE for an invalid stride, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_add_batch(
    particles: *mut carom_particles,
    batch: *const carom_batch,
    first: *mut usize,
) -> carom_status {
    entry!(append(particles, ("first", first), |caller, particles| {
        add(caller, particles, &caller.read_options("batch", batch)?)
    }))
}
