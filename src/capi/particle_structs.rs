//! Particles in arrays of structures of the caller, in double or single precision.

use std::ffi::c_void;

use super::failure::{Failure, Result};
use super::guard::enter;
use super::handle::{Handle, update};
use super::memory::{Caller, Plain};
use super::numbers::{CAROM_ABSENT, CAROM_DOUBLE, Precision, Structures, carom_number_type};
use super::options::Options;
use super::particles::{CAROM_SPHEROID, carom_particles, carom_shape_kind, shape_kind};
use super::status::carom_status;
use super::store::append;
use crate::particles::{Batch, Field, ShapeKind};
use crate::soa::memory;

/// Where a particle is within a structure of the caller. Fill it with carom_particle_layout_init(), then say where the
/// numbers are: offsets are bytes from the start of the structure, as `offsetof` gives them.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_particle_layout {
    /// Size of the struct in the caller's program, set by carom_particle_layout_init().
    pub struct_size: u32,
    /// Type of all numbers: CAROM_DOUBLE or CAROM_FLOAT. Default CAROM_DOUBLE.
    pub numbers: carom_number_type,
    /// Bytes from one structure to the next. Default 0: the last of the properties ends where the next structure begins.
    pub stride: usize,
    /// Offset of the centre in metres, D numbers. Default CAROM_ABSENT.
    pub position: usize,
    /// Offset of the velocity in metres per second, D numbers. Default CAROM_ABSENT.
    pub velocity: usize,
    /// Offset of the user acceleration in metres per second squared, D numbers. Default CAROM_ABSENT.
    pub acceleration: usize,
    /// Offset of the mass in kilograms. Default CAROM_ABSENT.
    pub mass: usize,
    /// Offset of the drag, per second. Default CAROM_ABSENT.
    pub drag: usize,
    /// Offset of half the length of every axis, in metres: the radius of a sphere. Default CAROM_ABSENT. Excludes `axes`.
    /// The bounding radius if it is read.
    pub radius: usize,
    /// Offset of the axes in metres, D * D numbers: axis 0, then axis 1, ... Default CAROM_ABSENT. Excludes `radius`,
    /// unless it is read.
    pub axes: usize,
    /// Offset of a `uint8_t`: not 0 if the particle is fixed. Default CAROM_ABSENT.
    pub fixed: usize,
    /// Offset of a `uint64_t` with user data. Default CAROM_ABSENT.
    pub user_data: usize,
    /// What the axes of all particles span. Default CAROM_SPHEROID. Not used if particles are read, nor if the shapes of
    /// those that are written stay as they are.
    pub kind: carom_shape_kind,
    /// Must be 0.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, no padding on 32 and 64 bits, integers only.
unsafe impl Options for carom_particle_layout {
    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            numbers: CAROM_DOUBLE,
            stride: 0,
            position: CAROM_ABSENT,
            velocity: CAROM_ABSENT,
            acceleration: CAROM_ABSENT,
            mass: CAROM_ABSENT,
            drag: CAROM_ABSENT,
            radius: CAROM_ABSENT,
            axes: CAROM_ABSENT,
            fixed: CAROM_ABSENT,
            user_data: CAROM_ABSENT,
            kind: CAROM_SPHEROID,
            reserved: 0,
        }
    }
}

impl carom_particle_layout {
    fn structures(&self, dim: usize, count: usize) -> Result<Structures> {
        if self.reserved != 0 {
            return Err(Failure::UnknownValue { argument: "reserved", value: u64::from(self.reserved) });
        }
        let precision = Precision::of(self.numbers)?;
        let (number, vector) = (precision.bytes(), dim * precision.bytes());
        let properties = [
            (self.position, vector),
            (self.velocity, vector),
            (self.acceleration, vector),
            (self.mass, number),
            (self.drag, number),
            (self.radius, number),
            (self.axes, dim * vector),
            (self.fixed, size_of::<u8>()),
            (self.user_data, size_of::<u64>()),
        ];
        let stride = Structures::stride_or_end(self.stride, &properties);
        Ok(Structures { precision, stride, count })
    }

    /// Where each field is; its width is that of the field.
    fn fields(&self) -> [(Field, usize); 6] {
        [
            (Field::Position, self.position),
            (Field::Velocity, self.velocity),
            (Field::Acceleration, self.acceleration),
            (Field::Mass, self.mass),
            (Field::Drag, self.drag),
            (Field::Radius, self.radius),
        ]
    }
}

/// Copies of the numbers of the caller's particles, in double precision.
struct Copies {
    kind: ShapeKind,
    /// One column per number, in the order of the fields of a layout; none of a field that is absent.
    columns: [Vec<Vec<f64>>; 6],
    axes: Vec<f64>,
    fixed: Vec<u8>,
    data: Vec<u64>,
}

impl Copies {
    fn new(
        caller: &Caller,
        layout: &carom_particle_layout,
        dim: usize,
        (data, count): (*const u8, usize),
    ) -> Result<Self> {
        let structures = layout.structures(dim, count)?;
        let mut columns = [const { Vec::new() }; 6];
        for (to, (field, offset)) in columns.iter_mut().zip(layout.fields()) {
            *to = copy_columns(&structures, caller, data, offset, field.width(dim))?;
        }
        let axes = copy_columns(&structures, caller, data, layout.axes, dim * dim)?;
        let rows = if axes.is_empty() { 0 } else { count };
        Ok(Self {
            kind: shape_kind(layout.kind)?,
            columns,
            axes: memory::collect(
                rows.saturating_mul(axes.len()),
                (0..rows).flat_map(|row| axes.iter().map(move |column| column[row])),
            )?,
            fixed: copy_values(&structures, caller, data, layout.fixed)?,
            data: copy_values(&structures, caller, data, layout.user_data)?,
        })
    }

    /// Calls `then` with the copies as a batch.
    fn with_batch<R>(&self, then: impl FnOnce(&Batch) -> R) -> R {
        let [position, velocity, acceleration, mass, drag, radius] =
            self.columns.each_ref().map(|columns| columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
        // A scalar has one column, or none for its default.
        let [mass, drag, radius] =
            [mass, drag, radius].map(|columns| columns.first().copied().unwrap_or_default());
        then(&Batch {
            kind: Some(self.kind),
            position: &position,
            velocity: &velocity,
            acceleration: &acceleration,
            mass,
            drag,
            radius,
            axes: &self.axes,
            fixed: &self.fixed,
            data: &self.data,
        })
    }
}

/// Copies of `width` numbers of all structures, a column each; none if they do not have them.
fn copy_columns(
    structures: &Structures,
    caller: &Caller,
    data: *const u8,
    offset: usize,
    width: usize,
) -> Result<Vec<Vec<f64>>> {
    let Some(numbers) = structures.numbers(caller, data, offset, width)? else { return Ok(Vec::new()) };
    let column = |k| {
        let mut column = memory::filled(structures.count, 0.0)?;
        numbers.copy(k, 0, &mut column);
        Ok(column)
    };
    (0..width).map(column).collect()
}

/// Copies of a value of all structures; none if they do not have it.
fn copy_values<T: Plain>(
    structures: &Structures,
    caller: &Caller,
    data: *const u8,
    offset: usize,
) -> Result<Vec<T>> {
    structures.values::<T>(caller, data, offset)?.map_or_else(|| Ok(Vec::new()), |rows| rows.column(0))
}

/// Fills the layout of particles with the defaults.
///
/// \param layout The struct to fill.
/// \param size   `sizeof(carom_particle_layout)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particle_layout_init(
    layout: *mut carom_particle_layout,
    size: usize,
) -> carom_status {
    entry!(enter(|caller| caller.init_options("layout", layout, size)))
}

/// Adds many particles at the end, from an array of structures of the caller. If one of them is invalid none is added,
/// and carom_last_error() names it, counted from the first of `data`. Pointers into the columns become invalid.
///
/// \param layout Where a particle is within a structure. What it lacks is 0, and 0.5 for the radius.
/// \param data   The first structure. May be NULL if `count` is 0.
/// \param count  How many structures.
/// \param first  Receives the index of the first particle; the others follow. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_FIXED, CAROM_UNKNOWN_VALUE, CAROM_WRONG_LENGTH for both
///         `radius` and `axes`, CAROM_MISALIGNED for a pointer, offset or stride, CAROM_OUT_OF_RANGE for an offset beyond
///         the stride, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_add_structs(
    particles: *mut carom_particles,
    layout: *const carom_particle_layout,
    data: *const c_void,
    count: usize,
    first: *mut usize,
) -> carom_status {
    entry!(append(particles, ("first", first), |caller, particles| {
        let (layout, dim) = (caller.read_options("layout", layout)?, particles.dim());
        let mut copies = Copies::new(caller, &layout, dim, (data.cast(), count))?;
        if copies.columns[0].is_empty() {
            copies.columns[0] = (0..dim).map(|_| Ok(memory::filled(count, 0.0)?)).collect::<Result<_>>()?;
        }
        Ok(copies.with_batch(|batch| particles.add_batch(batch))?.start)
    }))
}

/// Replaces properties of many particles, from an array of structures of the caller. If one number is invalid nothing
/// changes, and carom_last_error() names it, counted from the first of `data`.
///
/// \param layout Where a particle is within a structure. What it lacks stays as it is. Particles that become fixed come
///               to rest. With `radius` or `axes` the particles also get the `kind` of the layout.
/// \param first  The first particle.
/// \param count  How many particles.
/// \param data   The first structure. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_BAD_INDEX, or as carom_particles_add_structs().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_write_structs(
    particles: *mut carom_particles,
    layout: *const carom_particle_layout,
    first: usize,
    count: usize,
    data: *const c_void,
) -> carom_status {
    entry!(update(particles, |caller, particles| {
        let layout = caller.read_options("layout", layout)?;
        let rows = first..first.saturating_add(count);
        // Checked before anything is copied, because the caller's range may be larger than any array.
        particles.check_rows(&rows)?;
        let copies = Copies::new(caller, &layout, particles.dim(), (data.cast(), count))?;
        Ok(copies.with_batch(|batch| particles.set_batch(rows, batch))?)
    }))
}

/// Copies properties of many particles into an array of structures of the caller. What the layout lacks is left as it
/// is.
///
/// \param layout Where a particle is within a structure. Floats are the nearest ones, and infinite where a number is too
///               large for a float.
/// \param first  The first particle.
/// \param count  How many particles.
/// \param data   Receives the first particle. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_UNKNOWN_VALUE, CAROM_MISALIGNED for a pointer, offset or stride,
///         CAROM_OUT_OF_RANGE for an offset beyond the stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_particles_read_structs(
    particles: *const carom_particles,
    layout: *const carom_particle_layout,
    first: usize,
    count: usize,
    data: *mut c_void,
) -> carom_status {
    entry!(enter(|caller| {
        memory::expect_little()?;
        let handle = caller.object(carom_particles::NAME, particles)?;
        let layout = caller.read_options("layout", layout)?;
        let rows = first..first.saturating_add(count);
        let dim = handle.read(|particles| {
            particles.check_rows(&rows)?;
            Ok(particles.dim())
        })?;
        read_structs(caller, handle, &layout, dim, first, (data.cast(), count))
    }))
}

fn read_structs(
    caller: &Caller,
    handle: &carom_particles,
    layout: &carom_particle_layout,
    dim: usize,
    first: usize,
    (data, count): (*mut u8, usize),
) -> Result<()> {
    let structures = layout.structures(dim, count)?;
    let place = |offset, width| structures.numbers_mut(caller, data, offset, width);
    let mut fields = Vec::new();
    for (field, offset) in layout.fields() {
        fields.push((field, place(offset, field.width(dim))?));
    }
    let axes = place(layout.axes, dim * dim)?;
    let fixed = structures.rows_mut::<u8>(caller, data, layout.fixed, 1)?;
    let user_data = structures.rows_mut::<u64>(caller, data, layout.user_data, 1)?;
    for (field, numbers) in fields {
        let Some(numbers) = numbers else { continue };
        for axis in 0..field.width(dim) {
            numbers.put_column(axis, count, |start, room| {
                handle.read(|particles| {
                    let column = particles.column(field, axis)?;
                    room.copy_from_slice(&column[first + start..][..room.len()]);
                    Ok(())
                })
            })?;
        }
    }
    if let Some(axes) = axes {
        for k in 0..dim * dim {
            axes.put_column(k, count, |start, room| {
                handle.read(|particles| {
                    let rows = (first + start..).zip(room);
                    rows.for_each(|(row, entry)| *entry = particles.axes_of(row)[k]);
                    Ok(())
                })
            })?;
        }
    }
    for row in 0..count {
        if let Some(fixed) = &fixed {
            fixed.put(row, 0, handle.read(|particles| Ok(particles.fixed_flags()[first + row]))?);
        }
        if let Some(user_data) = &user_data {
            user_data.put(row, 0, handle.read(|particles| Ok(particles.user_data()[first + row]))?);
        }
    }
    Ok(())
}
