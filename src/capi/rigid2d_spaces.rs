//! Many spaces of rigid bodies at once.

use super::columns::{carom_column, carom_column_mut};
use super::context::carom_context;
use super::failure::Result;
use super::guard::enter;
use super::handle::{Guarded, Handle, create, destroy, produce, query, update};
use super::memory::{Caller, Plain};
use super::rigid2d_columns::{carom_body_field, known_body_field};
use super::rigid2d_ids::carom_vec2;
use super::rigid2d_space::{carom_space, check_unlocked};
use super::status::carom_status;
use crate::rigid2d::{BodyField, Space, SpaceEvent, SpaceSnapshot, Spaces};
use crate::soa::memory;

/// Many independent spaces in the same columns, stepped together.
///
/// A space of a batch has the same bits as it has alone, at any place of any batch and for any number of threads. What happens
/// in a batch is told by carom_spaces_events() instead of handlers.
pub struct carom_spaces(Guarded<Batch>);

/// Spaces, and which of their columns the caller may write to.
pub(super) struct Batch {
    spaces: Spaces,
    shared: Vec<BodyField>,
    /// The memory of the spaces, in bytes, when there was last room for as much again.
    room: usize,
}

/// One space of a batch, as it was. From it the future is bit-identical.
pub struct carom_space_snapshot(SpaceSnapshot);

impl Handle for carom_spaces {
    type Object = Batch;
    const NAME: &'static str = "spaces";

    fn read<R>(&self, look: impl FnOnce(&Batch) -> Result<R>) -> Result<R> {
        self.0.read(look)
    }

    fn write<R>(&self, change: impl FnOnce(&mut Batch) -> Result<R>) -> Result<R> {
        self.0.write(change)
    }
}

impl Batch {
    fn step(&mut self, dt: f64) -> Result<()> {
        // What the caller may have written since the last step is checked by this one.
        for &field in &self.shared {
            self.spaces.column_mut(field);
        }
        self.expect_room()?;
        Ok(self.spaces.step(dt)?)
    }

    /// Whether there is room for a step to grow; checked at first and whenever the memory has grown.
    fn expect_room(&mut self) -> Result<()> {
        let bytes = self.spaces.memory_bytes();
        if bytes > self.room {
            memory::expect_room(bytes)?;
            self.room = bytes;
        }
        Ok(())
    }

    /// Checks what the caller may have written, for calls that copy it.
    fn check_shared(&self) -> Result<()> {
        if self.shared.is_empty() { Ok(()) } else { Ok(self.spaces.check_columns()?) }
    }
}

impl Caller {
    /// Copies of prototypes, with the threads of a context.
    fn spaces(
        &self,
        prototypes: &[*const carom_space],
        which: &[u32],
        context: *const carom_context,
    ) -> Result<carom_spaces> {
        let context = self.context(context)?;
        let place = |&handle: &*const carom_space| {
            self.object("prototypes", handle)?.read(|space| {
                check_unlocked(space, "copy a space")?;
                Ok(std::ptr::from_ref(space))
            })
        };
        let places = prototypes.iter().map(place).collect::<Result<Vec<*const Space>>>()?;
        // SAFETY: they exist and are not changed during the call, by the rules for pointers and for threads: no callback is
        // called here.
        let prototypes: Vec<&Space> = places.into_iter().map(|place| unsafe { &*place }).collect();
        let mut spaces = Spaces::from_prototypes(&prototypes, which)?;
        spaces.set_context(context);
        Ok(carom_spaces(Guarded::new(carom_spaces::NAME, Batch { spaces, shared: Vec::new(), room: 0 })))
    }
}

/// Creates a batch of copies of one space, contacts included, at time 0.
///
/// \param prototype What is copied. It must have no callbacks for velocities or positions; handlers are not copied.
/// \param count     How many copies.
/// \param context   Threads that share the work of steps; NULL: the calling thread.
/// \param spaces    Receives the batch. Destroy it with carom_spaces_destroy().
/// \return CAROM_OK, CAROM_MISMATCH if the prototype has such callbacks, CAROM_LOCKED if it is in the middle of a step,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_create(
    prototype: *const carom_space,
    count: usize,
    context: *const carom_context,
    spaces: *mut *mut carom_spaces,
) -> carom_status {
    entry!(create(("spaces", spaces), |caller| caller.spaces(&[prototype], &numbers(count)?, context)))
}

/// As many zeros as there are spaces, or an error if there is no memory.
fn numbers(count: usize) -> Result<Vec<u32>> {
    let mut which = Vec::new();
    let bytes = count.saturating_mul(size_of::<u32>());
    which.try_reserve_exact(count).map_err(|_| crate::error::Error::OutOfMemory { bytes })?;
    which.resize(count, 0);
    Ok(which)
}

/// Creates a batch of copies of several spaces, contacts included, at time 0.
///
/// \param prototypes      What is copied: spaces with the same options except for gravity, and without callbacks for
///                        velocities or positions; handlers are not copied. May be NULL if `prototype_count` is 0.
/// \param prototype_count Number of prototypes.
/// \param which           For every space of the batch the index of its prototype. May be NULL if `count` is 0.
/// \param count           Number of spaces of the batch.
/// \param context         Threads that share the work of steps; NULL: the calling thread.
/// \param spaces          Receives the batch. Destroy it with carom_spaces_destroy().
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_MISMATCH, CAROM_LOCKED if one is in the middle of a step, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_from_prototypes(
    prototypes: *const *const carom_space,
    prototype_count: usize,
    which: *const u32,
    count: usize,
    context: *const carom_context,
    spaces: *mut *mut carom_spaces,
) -> carom_status {
    entry!(create(("spaces", spaces), |caller| {
        let prototypes = caller.slice("prototypes", prototypes, prototype_count)?;
        caller.spaces(prototypes, caller.slice("which", which, count)?, context)
    }))
}

/// Destroys a batch; NULL does nothing. Pointers into its columns become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_destroy(spaces: *mut carom_spaces) {
    entry!(destroy(spaces));
}

/// Number of spaces of a batch.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_length(spaces: *const carom_spaces, count: *mut usize) -> carom_status {
    entry!(query(spaces, ("count", count), |_, batch| Ok(batch.spaces.len())))
}

/// Rows of bodies per space: the largest number of any prototype. The row of a body in its space is the `index` of its id in the
/// prototype.
///
/// \param rows Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_bodies_per_space(
    spaces: *const carom_spaces,
    rows: *mut usize,
) -> carom_status {
    entry!(query(spaces, ("rows", rows), |_, batch| Ok(batch.spaces.bodies_per_space())))
}

/// Sets which threads share the work of steps. Results do not depend on it.
///
/// \param context The threads; NULL: the calling thread.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_set_context(
    spaces: *mut carom_spaces,
    context: *const carom_context,
) -> carom_status {
    entry!(update(spaces, |caller, batch| {
        batch.spaces.set_context(caller.context(context)?);
        Ok(())
    }))
}

/// Time since a batch was made.
///
/// \param time Receives the time in seconds.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_get_time(spaces: *const carom_spaces, time: *mut f64) -> carom_status {
    entry!(query(spaces, ("time", time), |_, batch| Ok(batch.spaces.time())))
}

/// Number of steps since a batch was made.
///
/// \param steps Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_step_count(
    spaces: *const carom_spaces,
    steps: *mut u64,
) -> carom_status {
    entry!(query(spaces, ("steps", steps), |_, batch| Ok(batch.spaces.step_count())))
}

/// Advances all spaces of a batch. Forces and torques are 0 afterwards. Pointers into columns stay valid.
///
/// \param dt Duration, in seconds, at least 0; with 0 nothing happens.
/// \return CAROM_OK; CAROM_NOT_FINITE or CAROM_NEGATIVE for the duration; CAROM_NOT_FINITE for what was written to a column, or
///         for what became of it in the step before if it was too large: then nothing has moved, and carom_spaces_reset() or
///         carom_spaces_restore() of the space helps; CAROM_OUT_OF_MEMORY: nothing has moved, or there was no room for contacts
///         that came in this step, and spaces before those that have them are a step ahead; CAROM_FORKED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_step(spaces: *mut carom_spaces, dt: f64) -> carom_status {
    entry!(update(spaces, |_, batch| batch.step(dt)))
}

/// Advances all spaces of a batch by many steps, as so many calls of carom_spaces_step() would.
///
/// \param dt    Duration of each step, in seconds, at least 0.
/// \param steps How many.
/// \param done  Receives how many were made, also if one fails. May be NULL.
/// \return As carom_spaces_step(), of the first step that fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_step_many(
    spaces: *mut carom_spaces,
    dt: f64,
    steps: u64,
    done: *mut u64,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.optional_out("done", done)?;
        let mut made = 0;
        let outcome = caller.object("spaces", spaces)?.write(|batch| {
            while made < steps {
                batch.step(dt)?;
                made += 1;
            }
            Ok(())
        });
        out.set(made);
        outcome
    }))
}

/// Shares one column of the bodies of all spaces, to be read: of space 0 first, carom_spaces_bodies_per_space() rows each.
///
/// Entries of rows that a space does not use mean nothing. The pointer is valid until carom_spaces_destroy(); steps, resets
/// and restored snapshots write through it.
///
/// \param field  Which property.
/// \param column Receives the column.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_column(
    spaces: *const carom_spaces,
    field: carom_body_field,
    column: *mut carom_column,
) -> carom_status {
    entry!(query(spaces, ("column", column), |_, batch| {
        let entries = batch.spaces.column(known_body_field(field)?);
        Ok(carom_column { data: entries.as_ptr(), length: entries.len(), capacity: entries.len() })
    }))
}

/// Shares one column of the bodies of all spaces, to be read and written in place.
///
/// The pointer is valid as long as that of carom_spaces_column(). What is written is checked by the next step, which names a
/// number that is not finite by field and row. As long as the batch exists every step checks all columns from then on.
/// Velocities of static bodies, forces on bodies that are not dynamic and rows that are not used have no effect.
///
/// \param field  Which property.
/// \param column Receives the column.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_column_mut(
    spaces: *mut carom_spaces,
    field: carom_body_field,
    column: *mut carom_column_mut,
) -> carom_status {
    entry!(produce(spaces, ("column", column), |batch| {
        let field = known_body_field(field)?;
        if !batch.shared.contains(&field) {
            memory::push(&mut batch.shared, field)?;
        }
        let entries = batch.spaces.column_mut(field);
        Ok(carom_column_mut { data: entries.as_mut_ptr(), length: entries.len(), capacity: entries.len() })
    }))
}

/// Two shapes of a space of a batch began or ceased to touch.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_space_event {
    /// Index of the space in the batch.
    pub space: u32,
    /// Index of the shape with the lower index.
    pub shape_a: u32,
    /// Index of the other shape.
    pub shape_b: u32,
    /// 1 if they began to touch, 0 if they ceased to.
    pub begins: i32,
}

// SAFETY: made of integers.
unsafe impl Plain for carom_space_event {}

impl From<&SpaceEvent> for carom_space_event {
    fn from(event: &SpaceEvent) -> Self {
        let [shape_a, shape_b] = event.shapes;
        Self { space: event.space, shape_a, shape_b, begins: event.begins.into() }
    }
}

/// Lists what began and ceased to touch in the last step, by space and shapes.
///
/// \param events   Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `events`.
/// \param count    Receives how many there are, whether they fit or not.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_events(
    spaces: *const carom_spaces,
    events: *mut carom_space_event,
    capacity: usize,
    count: *mut usize,
) -> carom_status {
    entry!(enter(|caller| {
        let count = caller.out("count", count)?;
        let rows = caller.rows_mut("events", events, 0, 1, capacity)?;
        caller.object("spaces", spaces)?.read(|batch| {
            let found = batch.spaces.events();
            for (row, event) in found.iter().take(capacity).enumerate() {
                rows.put(row, 0, event.into());
            }
            count.set(found.len());
            Ok(())
        })
    }))
}

/// Sets the gravity of one space of a batch.
///
/// \param index   Which space.
/// \param gravity In metres per second squared.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_set_gravity(
    spaces: *mut carom_spaces,
    index: usize,
    gravity: carom_vec2,
) -> carom_status {
    entry!(update(spaces, |_, batch| Ok(batch.spaces.set_gravity(index, gravity.into())?)))
}

/// Brings spaces of a batch back to their prototypes.
///
/// \param indices Which spaces. May be NULL if `count` is 0.
/// \param count   How many.
/// \return CAROM_OK, CAROM_BAD_INDEX: then none has changed; CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_reset(
    spaces: *mut carom_spaces,
    indices: *const usize,
    count: usize,
) -> carom_status {
    entry!(update(spaces, |caller, batch| {
        Ok(batch.spaces.reset(caller.slice("indices", indices, count)?)?)
    }))
}

/// A copy of one space of a batch as it is now.
///
/// \param index    Which space.
/// \param snapshot Receives the copy. Destroy it with carom_space_snapshot_destroy().
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_NOT_FINITE for a number written through a shared column, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_snapshot(
    spaces: *const carom_spaces,
    index: usize,
    snapshot: *mut *mut carom_space_snapshot,
) -> carom_status {
    entry!(create(("snapshot", snapshot), |caller| {
        let taken = caller.object("spaces", spaces)?.read(|batch| {
            batch.check_shared()?;
            Ok(batch.spaces.snapshot(index)?)
        })?;
        Ok(carom_space_snapshot(taken))
    }))
}

/// Replaces one space of a batch by a snapshot of any space with the same prototype, of this batch or another one. The future is
/// bit-identical.
///
/// \param index    Which space.
/// \param snapshot What it becomes.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_MISMATCH for a snapshot of other bodies and shapes or of another precision,
///         CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_restore(
    spaces: *mut carom_spaces,
    index: usize,
    snapshot: *const carom_space_snapshot,
) -> carom_status {
    entry!(update(spaces, |caller, batch| {
        Ok(batch.spaces.restore(index, &caller.object("snapshot", snapshot)?.0)?)
    }))
}

/// Destroys a snapshot; NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_snapshot_destroy(snapshot: *mut carom_space_snapshot) {
    entry!(destroy(snapshot));
}

/// Copies one space of a batch to a space of its own, which continues bit-identically: to look at its contacts, to query or to save
/// it.
///
/// \param index     Which space.
/// \param prototype What it was made from, unchanged since: bodies and shapes have the ids that they have there.
/// \param space     Receives the copy, without callbacks. Destroy it with carom_space_destroy().
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_MISMATCH for another prototype, CAROM_LOCKED if it is in the middle of a step,
///         CAROM_NOT_FINITE for a number written through a shared column, CAROM_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_space(
    spaces: *const carom_spaces,
    index: usize,
    prototype: *const carom_space,
    space: *mut *mut carom_space,
) -> carom_status {
    entry!(create(("space", space), |caller| {
        let batch = caller.object("spaces", spaces)?;
        caller.object("prototype", prototype)?.read(|prototype| {
            check_unlocked(prototype, "copy a space")?;
            batch.read(|batch| {
                batch.check_shared()?;
                Ok(carom_space::new(batch.spaces.space(index, prototype)?))
            })
        })
    }))
}

/// A hash of the poses and velocities of one space of a batch: that of carom_space_state_hash() for the same space alone.
///
/// \param index Which space.
/// \param hash  Receives the hash.
/// \return CAROM_OK, CAROM_BAD_INDEX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_state_hash(
    spaces: *const carom_spaces,
    index: usize,
    hash: *mut u64,
) -> carom_status {
    entry!(query(spaces, ("hash", hash), |_, batch| Ok(batch.spaces.state_hash(index)?)))
}

/// A hash of the poses and velocities of all spaces of a batch.
///
/// \param hash Receives the hash.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_batch_hash(
    spaces: *const carom_spaces,
    hash: *mut u64,
) -> carom_status {
    entry!(query(spaces, ("hash", hash), |_, batch| Ok(batch.spaces.batch_hash())))
}

/// Memory that a batch holds.
///
/// \param bytes Receives the number of bytes.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_spaces_memory_bytes(
    spaces: *const carom_spaces,
    bytes: *mut usize,
) -> carom_status {
    entry!(query(spaces, ("bytes", bytes), |_, batch| Ok(batch.spaces.memory_bytes())))
}
