//! Rigid bodies: vectors, ids, and lists in arrays of the caller.

use super::failure::Result;
use super::guard::enter;
use super::handle::Handle;
use super::memory::{Caller, Plain};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use crate::geometry::{Aabb, Vec2};
use crate::rigid2d::{BodyId, ShapeId, Space};
use crate::soa::check;

/// A point or a vector of the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct carom_vec2 {
    /// Along the first axis.
    pub x: f64,
    /// Along the second axis.
    pub y: f64,
}

impl carom_vec2 {
    pub(super) const ZERO: Self = Self { x: 0.0, y: 0.0 };

    /// The vector, if both its numbers are finite.
    pub(super) fn finite(self, field: &'static str) -> Result<Vec2> {
        check::all_finite(field, &[self.x, self.y])?;
        Ok(self.into())
    }
}

impl From<Vec2> for carom_vec2 {
    fn from(Vec2 { x, y }: Vec2) -> Self {
        Self { x, y }
    }
}

impl From<carom_vec2> for Vec2 {
    fn from(carom_vec2 { x, y }: carom_vec2) -> Self {
        Self::new(x, y)
    }
}

/// A box with sides along the axes.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_bounds {
    /// The lower left corner, in metres.
    pub min: carom_vec2,
    /// The upper right corner, in metres.
    pub max: carom_vec2,
}

impl From<Aabb<2>> for carom_bounds {
    fn from(aabb: Aabb<2>) -> Self {
        Self { min: Vec2::from(aabb.min).into(), max: Vec2::from(aabb.max).into() }
    }
}

impl From<carom_bounds> for Aabb<2> {
    fn from(carom_bounds { min, max }: carom_bounds) -> Self {
        Self { min: [min.x, min.y], max: [max.x, max.y] }
    }
}

/// A body of a space: a plain id, to be copied and stored at will.
///
/// The id of a body that was removed is dead: calls return CAROM_DEAD_ID, also when another body has its row. An id means
/// something in its own space and in copies of it; in another one it is dead or names another body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct carom_body {
    /// Its row in the columns of the space. Rows of removed bodies are used again.
    pub index: u32,
    /// How often a body was removed from this row before.
    pub generation: u32,
}

/// A shape of a space: a plain id, to be copied and stored at will.
///
/// The id of a shape that was removed is dead: calls return CAROM_DEAD_ID, also when another shape has its row. An id means
/// something in its own space and in copies of it; in another one it is dead or names another shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct carom_shape {
    /// Its row. Rows of removed shapes are used again.
    pub index: u32,
    /// How often a shape was removed from this row before.
    pub generation: u32,
}

impl From<BodyId> for carom_body {
    fn from(id: BodyId) -> Self {
        Self { index: id.index, generation: id.generation }
    }
}

impl From<carom_body> for BodyId {
    fn from(carom_body { index, generation }: carom_body) -> Self {
        Self { index, generation }
    }
}

impl From<ShapeId> for carom_shape {
    fn from(id: ShapeId) -> Self {
        Self { index: id.index, generation: id.generation }
    }
}

impl From<carom_shape> for ShapeId {
    fn from(carom_shape { index, generation }: carom_shape) -> Self {
        Self { index, generation }
    }
}

// SAFETY: made of floats.
unsafe impl Plain for carom_vec2 {}
// SAFETY: made of integers.
unsafe impl Plain for carom_body {}
// SAFETY: made of integers.
unsafe impl Plain for carom_shape {}

/// An entry that lists things of a space in an array of the caller, as many as fit, and stores how many there are.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn list<T: Plain>(
    space: *const carom_space,
    (argument, items, capacity): (&'static str, *mut T, usize),
    count: *mut usize,
    look: impl FnOnce(&Space, &mut dyn FnMut(T)) -> Result<()>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe { list_with(space, (argument, items, capacity), count, |_, space, add| look(space, add)) }
}

/// The same for what depends on further arguments. Nothing may fail after the first item.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn list_with<T: Plain>(
    space: *const carom_space,
    (argument, items, capacity): (&'static str, *mut T, usize),
    count: *mut usize,
    look: impl FnOnce(&Caller, &Space, &mut dyn FnMut(T)) -> Result<()>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let count = caller.out("count", count)?;
            let rows = caller.rows_mut(argument, items, 0, 1, capacity)?;
            let mut found = 0;
            let mut add = |item| {
                if found < capacity {
                    rows.put(found, 0, item);
                }
                found += 1;
            };
            caller.object("space", space)?.read(|space| look(caller, space, &mut add))?;
            count.set(found);
            Ok(())
        })
    }
}
