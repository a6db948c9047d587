//! Stepping, and when particles collide.

use std::ffi::c_void;
use std::ops::ControlFlow;

use bytemuck::{Pod, Zeroable};

use super::failure::{Failure, Result};
use super::guard::enter;
use super::handle::{Handle, produce, update};
use super::memory::{Caller, Plain};
use super::status::carom_status;
use super::world::carom_world;
use crate::particles::{Approach, check};
use crate::soa::memory;
use crate::world::{Collision, World};

/// A collision, passed to the callback of carom_world_step_observed().
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_collision {
    /// World time of the collision, in seconds.
    pub time: f64,
    /// The lower index of the pair.
    pub first: usize,
    /// The higher index of the pair.
    pub second: usize,
    /// Momentum exchanged along the normal, in newton seconds; never negative.
    pub impulse: f64,
    /// Unit vector from the centre of the second particle to that of the first, of two exact shapes the normal of their
    /// contact; `dim` numbers. Valid only during the callback.
    pub normal: *const f64,
    /// Dimension D of the space.
    pub dim: usize,
}

impl From<&Collision<'_>> for carom_collision {
    fn from(collision: &Collision) -> Self {
        Self {
            time: collision.time,
            first: collision.first,
            second: collision.second,
            impulse: collision.impulse,
            normal: collision.normal.as_ptr(),
            dim: collision.normal.len(),
        }
    }
}

/// Called for every collision of a step when it is resolved, on the thread that called the step.
///
/// The collision is valid only during the callback. Calls for the world and its particles return CAROM_BUSY, and the
/// world is destroyed only after the step. Shared columns still hold the state before the step and must not be written
/// now. The callback must return: no exception, no longjmp.
pub type carom_collision_callback =
    Option<unsafe extern "C" fn(collision: *const carom_collision, user: *mut c_void)>;

/// A collision that has been found, or none.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_approach {
    /// When it happens, in seconds; the function says from when. Infinity if there is none.
    pub time: f64,
    /// The lower index of the pair.
    pub first: usize,
    /// The higher index of the pair.
    pub second: usize,
    /// 1 if there is a collision; otherwise 0, and `first` and `second` are 0.
    pub found: i32,
    /// Always 0.
    pub reserved: u32,
}

impl From<Option<Approach>> for carom_approach {
    fn from(approach: Option<Approach>) -> Self {
        let found = i32::from(approach.is_some());
        let Approach { time, first, second } =
            approach.unwrap_or(Approach { time: f64::INFINITY, first: 0, second: 0 });
        Self { time, first, second, found, reserved: 0 }
    }
}

/// Two particles.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct carom_pair {
    /// Index of one.
    pub first: usize,
    /// Index of the other.
    pub second: usize,
}

// SAFETY: integers only.
unsafe impl Plain for carom_pair {}

/// Advances a world and stores the result, unless `out` is null.
///
/// # Safety
/// As [`enter`].
unsafe fn advance<T>(
    world: *mut carom_world,
    (argument, out): (&'static str, *mut T),
    change: impl FnOnce(&mut World) -> Result<T>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let out = caller.optional_out(argument, out)?;
            memory::expect_little()?;
            out.set(caller.object("world", world)?.write(change)?);
            Ok(())
        })
    }
}

/// Computes `count` times, then copies them to the caller: `times` may point into the world's own columns.
///
/// # Safety
/// As [`enter`].
unsafe fn ask_times(
    world: *mut carom_world,
    (times, count): (*mut f64, usize),
    ask: impl FnOnce(&Caller, &mut World) -> Result<Vec<f64>>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let out = caller.rows_mut("times", times, 0, 1, count)?;
            memory::expect_little()?;
            out.write(&caller.object("world", world)?.write(|world| ask(caller, world))?);
            Ok(())
        })
    }
}

/// Advances a world, ignoring collisions.
///
/// \param dt Duration in seconds.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_FIXED, CAROM_OVERFLOW, CAROM_OUT_OF_MEMORY, CAROM_FORKED; then
///         nothing has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_next(world: *mut carom_world, dt: f64) -> carom_status {
    entry!(update(world, |_, world| {
        memory::expect_little()?;
        Ok(world.next(dt)?)
    }))
}

/// Advances a world by exactly `dt`, resolving every collision in the order of time.
///
/// \param dt         Duration in seconds.
/// \param collisions Receives the number of collisions. May be NULL.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_FIXED, CAROM_OVERFLOW, CAROM_OUT_OF_MEMORY, CAROM_FORKED, and
///         with exact shapes CAROM_BAD_DIMENSION, CAROM_DEGENERATE; then nothing has changed. CAROM_TOO_MANY_COLLISIONS: the
///         step has stopped early, in a valid state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_step(
    world: *mut carom_world,
    dt: f64,
    collisions: *mut u64,
) -> carom_status {
    entry!(advance(world, ("collisions", collisions), |world| Ok(world.step(dt)?)))
}

/// The same as carom_world_step(); a callback is called for every collision.
///
/// \param dt         Duration in seconds.
/// \param callback   Called for every collision, in the order of time.
/// \param user       Passed to the callback unchanged.
/// \param collisions Receives the number of collisions. May be NULL.
/// \return As carom_world_step(). With CAROM_OUT_OF_MEMORY the callback may have been called, for collisions that are undone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_step_observed(
    world: *mut carom_world,
    dt: f64,
    callback: carom_collision_callback,
    user: *mut c_void,
    collisions: *mut u64,
) -> carom_status {
    entry!(advance(world, ("collisions", collisions), |world| {
        let callback = callback.ok_or(Failure::NullPointer { argument: "callback" })?;
        Ok(world.step_observed(dt, &mut |collision| callback(&carom_collision::from(collision), user))?)
    }))
}

/// Called for every collision of a step when it is resolved, on the thread that called the step. A result other than 0 stops
/// the step there.
///
/// From time to time it is called with NULL instead of a collision, so that a long search for collisions can be stopped, too.
/// What carom_collision_callback says about the collision, other calls and shared columns holds here, too.
pub type carom_step_callback =
    Option<unsafe extern "C" fn(collision: *const carom_collision, user: *mut c_void) -> i32>;

/// The same as carom_world_step(); a callback is called for every collision and may stop the step.
///
/// A step that is stopped ends at the time of the last collision, which is resolved, or between two collisions. The world is
/// then valid: carom_world_get_time() is the time reached, and another step of the rest of the time goes on from there. Without
/// forces and drag the result is then that of one step, within rounding; with them the rest is a time step of its own. For
/// the same bits keep a clone of the world from before the step.
///
/// \param dt         Duration in seconds.
/// \param callback   Called for every collision, in the order of time. Returns 0 to continue.
/// \param user       Passed to the callback unchanged.
/// \param collisions Receives the number of collisions. May be NULL.
/// \param stopped    Receives 1 if the callback stopped the step, otherwise 0. May be NULL.
/// \return As carom_world_step().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_step_stoppable(
    world: *mut carom_world,
    dt: f64,
    callback: carom_step_callback,
    user: *mut c_void,
    collisions: *mut u64,
    stopped: *mut i32,
) -> carom_status {
    entry!(enter(|caller| {
        let callback = callback.ok_or(Failure::NullPointer { argument: "callback" })?;
        let out = (caller.optional_out("collisions", collisions)?, caller.optional_out("stopped", stopped)?);
        let mut observe = |collision: Option<&Collision>| {
            let collision = collision.map(carom_collision::from);
            let pointer = collision.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
            match callback(pointer, user) {
                0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        };
        let step = caller.object("world", world)?.write(|world| {
            memory::expect_little()?;
            Ok(world.step_stoppable(dt, &mut observe)?)
        })?;
        out.0.set(step.collisions);
        out.1.set(i32::from(!step.is_complete));
        Ok(())
    }))
}

/// Advances a world to its first collision within `dt`, or by `dt` if there is none.
///
/// The collision is not yet resolved: call carom_world_collide() for that. Until then the pair is in contact and
/// approaching, so that another call finds it again at once.
///
/// \param dt    Duration in seconds.
/// \param found Receives the collision, with its world time, or none. May be NULL.
/// \return As carom_world_next(), and with exact shapes CAROM_BAD_DIMENSION, CAROM_DEGENERATE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_step_to_collision(
    world: *mut carom_world,
    dt: f64,
    found: *mut carom_approach,
) -> carom_status {
    entry!(advance(world, ("found", found), |world| Ok(world.step_to_collision(dt)?.into())))
}

/// Resolves a collision of two particles as if they were in contact: their velocities change with the restitution of
/// the settings.
///
/// \param first   Index of one.
/// \param second  Index of the other.
/// \param impulse Receives the momentum exchanged, in newton seconds; 0, and no change, if they do not approach. May
///                be NULL.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_SAME_PAIR; CAROM_NOT_FINITE, CAROM_NEGATIVE or CAROM_FIXED for numbers of the two
///         that were written through shared columns; with exact shapes as carom_world_step(). Then nothing has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_collide(
    world: *mut carom_world,
    first: usize,
    second: usize,
    impulse: *mut f64,
) -> carom_status {
    entry!(advance(world, ("impulse", impulse), |world| {
        Ok(world.collide(first, second)?.map_or(0.0, |response| response.impulse))
    }))
}

/// Time from now to the collision of two particles.
///
/// \param first  Index of one.
/// \param second Index of the other.
/// \param dt     How far ahead to search, in seconds.
/// \param time   Receives the time in seconds; infinity if they do not collide within `dt`.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_SAME_PAIR, or as carom_world_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_time_to_collision(
    world: *mut carom_world,
    first: usize,
    second: usize,
    dt: f64,
    time: *mut f64,
) -> carom_status {
    entry!(produce(world, ("time", time), |world| {
        memory::expect_little()?;
        Ok(world.time_to_collision(first, second, dt)?.unwrap_or(f64::INFINITY))
    }))
}

/// Times from now to the collisions of one particle with every other.
///
/// \param index Index of the one.
/// \param dt    How far ahead to search, in seconds.
/// \param times Receives the times in seconds, one per particle; infinity for none, and for the particle itself.
/// \param count Capacity of `values` in numbers: the number of particles.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_WRONG_LENGTH, or as carom_world_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_times_against_all(
    world: *mut carom_world,
    index: usize,
    dt: f64,
    times: *mut f64,
    count: usize,
) -> carom_status {
    entry!(ask_times(world, (times, count), |_, world| {
        check::length("times", 0, world.particles().len(), count)?;
        let mut found = memory::filled(count, 0.0)?;
        world.times_against_all(index, dt, &mut found)?;
        Ok(found)
    }))
}

/// Times from now to the collisions of listed pairs.
///
/// \param pairs The pairs. May be NULL if `count` is 0.
/// \param count Number of pairs.
/// \param dt    How far ahead to search, in seconds.
/// \param times Receives the times in seconds, one per pair; infinity for none. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_BAD_INDEX, CAROM_SAME_PAIR, or as carom_world_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_times_of_pairs(
    world: *mut carom_world,
    pairs: *const carom_pair,
    count: usize,
    dt: f64,
    times: *mut f64,
) -> carom_status {
    entry!(ask_times(world, (times, count), |caller, world| {
        let pairs = bytemuck::cast_slice(caller.slice("pairs", pairs, count)?);
        world.check_pairs(pairs)?;
        let mut found = memory::filled(count, 0.0)?;
        world.times_of_pairs(pairs, dt, &mut found)?;
        Ok(found)
    }))
}

/// The earliest collision of all pairs; nothing moves.
///
/// \param dt    How far ahead to search, in seconds.
/// \param found Receives the collision, its time counted from now, or none.
/// \return As carom_world_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_earliest_collision(
    world: *mut carom_world,
    dt: f64,
    found: *mut carom_approach,
) -> carom_status {
    entry!(produce(world, ("found", found), |world| {
        memory::expect_little()?;
        Ok(world.earliest_collision(dt)?.into())
    }))
}

/// System acceleration of every particle now: down gravity and attraction, without user acceleration and drag.
///
/// \param values Receives the acceleration of the first particle in metres per second squared, D numbers. May be NULL
///               if there are no particles.
/// \param stride Bytes from one particle to the next. 0: they follow each other without a gap.
/// \param count  How many particles there is room for: the number of particles.
/// \return CAROM_OK, CAROM_WRONG_LENGTH, CAROM_MISALIGNED or CAROM_OUT_OF_RANGE for an invalid stride, or as
///         carom_world_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_world_system_accelerations(
    world: *mut carom_world,
    values: *mut f64,
    stride: usize,
    count: usize,
) -> carom_status {
    entry!(enter(|caller| {
        let columns = caller.object("world", world)?.write(|world| {
            memory::expect_little()?;
            check::length("values", 0, world.particles().len(), count)?;
            Ok(world.system_accelerations()?)
        })?;
        let cells = (0..count).flat_map(|row| columns.iter().map(move |column| column[row]));
        let out = caller.rows_mut("values", values, stride, columns.len(), count)?;
        out.write(&memory::collect(count.saturating_mul(columns.len()), cells)?);
        Ok(())
    }))
}
