//! Callbacks of a space: for contacts, and after a step.

use std::ffi::c_void;

use super::failure::{Failure, Result};
use super::guard::enter;
use super::handle::update;
use super::memory::Caller;
use super::options::Options;
use super::rigid2d_arbiter::carom_arbiter;
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use super::world::known;
use crate::rigid2d::{Arbiter, Handler};
use crate::soa::memory;

/// Called for a contact, on the thread that called the step. The result other than 0: the contact has an effect. 0: a `begin`
/// has it ignored until the shapes separate, a `pre_solve` leaves it out of this step. After `post_solve` and `separate` the
/// result is not used.
///
/// `arbiter` and `space` belong to the library and are valid until the callback returns. `space` is the space in the middle
/// of its step: it can be read and queried, and many values of bodies and shapes can be set, but nothing can be added or
/// removed (CAROM_LOCKED); register a post-step callback for that. Calls for the handle with which the step was called return
/// CAROM_BUSY. That handle may be destroyed, and is not used any more then; the space itself exists until the step is over. The
/// callback must return: no exception, no longjmp.
pub type carom_contact_callback = Option<
    unsafe extern "C" fn(arbiter: *mut carom_arbiter, space: *mut carom_space, user: *mut c_void) -> i32,
>;

/// Called after a step, when everything can be changed, on the thread that called the step.
///
/// `space` belongs to the library and is valid until the callback returns; with it everything can be done, also another step.
/// Calls for the handle with which the step was called return CAROM_BUSY. That handle may be destroyed, and is not used any more
/// then; the space itself exists until the step is over. The callback must return: no exception, no longjmp.
pub type carom_post_step_callback =
    Option<unsafe extern "C" fn(space: *mut carom_space, key: u64, user: *mut c_void)>;

/// Callbacks for contacts. Fill it with carom_handler_init(), then set what is wanted.
///
/// What is NULL is left to the wildcard handlers of both types.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_handler {
    /// Size of the struct in the caller's program, set by carom_handler_init().
    pub struct_size: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Called when the shapes begin to touch.
    pub begin: carom_contact_callback,
    /// Called in every step in which the shapes touch, before impulses are found.
    pub pre_solve: carom_contact_callback,
    /// Called in every step in which the contact had an effect, after impulses were found.
    pub post_solve: carom_contact_callback,
    /// Called when the shapes cease to touch, also when the contact was ignored, and when one of the shapes is removed.
    pub separate: carom_contact_callback,
    /// Passed to the callbacks unchanged. It must be valid as long as the handler is set.
    pub user: *mut c_void,
}

// SAFETY: `repr(C)`, no padding, integers and pointers only; functions of the caller are valid by the rule for pointers, or
// null.
unsafe impl Options for carom_handler {
    fn defaults() -> Self {
        let struct_size = size_of::<Self>() as u32;
        let user = std::ptr::null_mut();
        Self {
            struct_size,
            reserved: 0,
            begin: None,
            pre_solve: None,
            post_solve: None,
            separate: None,
            user,
        }
    }
}

/// A pointer of the caller that goes where the space goes.
#[derive(Clone, Copy)]
pub(super) struct User(pub(super) *mut c_void);

// SAFETY: the library only passes it on; the header says that a space and its callbacks may be used from any thread.
unsafe impl Send for User {}

impl User {
    pub(super) fn get(self) -> *mut c_void {
        self.0
    }
}

/// Calls a callback for a contact with handles that are valid until it returns.
fn call(
    callback: unsafe extern "C" fn(*mut carom_arbiter, *mut carom_space, *mut c_void) -> i32,
    arbiter: &mut Arbiter<'_>,
    user: User,
) -> bool {
    // SAFETY: `arbiter` is used through the handle alone until the callback has returned.
    let mut handle = unsafe { carom_arbiter::new(arbiter) };
    let mut space = carom_space::of_contact(&handle);
    // SAFETY: a function of the caller, with what the header promises.
    unsafe { callback(&raw mut handle, &raw mut space, user.get()) != 0 }
}

impl carom_handler {
    fn handler(&self) -> Result<Handler> {
        known("reserved", self.reserved, &[()])?;
        let (user, mut handler) = (User(self.user), Handler::new());
        if let Some(callback) = self.begin {
            handler = handler.on_begin(move |arbiter| call(callback, arbiter, user));
        }
        if let Some(callback) = self.pre_solve {
            handler = handler.on_pre_solve(move |arbiter| call(callback, arbiter, user));
        }
        if let Some(callback) = self.post_solve {
            handler = handler.on_post_solve(move |arbiter| {
                call(callback, arbiter, user);
            });
        }
        if let Some(callback) = self.separate {
            handler = handler.on_separate(move |arbiter| {
                call(callback, arbiter, user);
            });
        }
        Ok(handler)
    }
}

impl Caller {
    /// The handler that the caller describes; null is none.
    fn handler(&self, handler: *const carom_handler) -> Result<Option<Handler>> {
        if handler.is_null() {
            return Ok(None);
        }
        memory::expect_little()?;
        self.read_options("handler", handler)?.handler().map(Some)
    }
}

/// Fills a handler with the defaults: no callbacks.
///
/// \param handler The struct to fill.
/// \param size    `sizeof(carom_handler)` in the caller's program.
/// \return CAROM_OK, or CAROM_UNKNOWN_VALUE for an impossible size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_handler_init(handler: *mut carom_handler, size: usize) -> carom_status {
    entry!(enter(|caller| caller.init_options("handler", handler, size)))
}

/// Sets the handler of all pairs of types that have no handler of their own.
///
/// \param handler The callbacks, which are copied; NULL: none.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_set_default_handler(
    space: *mut carom_space,
    handler: *const carom_handler,
) -> carom_status {
    entry!(update(space, |caller, space| {
        space.set_default_handler(caller.handler(handler)?.unwrap_or_default())?;
        Ok(())
    }))
}

/// Sets the handler of shapes of two types. It sees the shape of the first type as A.
///
/// \param type_a  The first type.
/// \param type_b  The second type.
/// \param handler The callbacks, which are copied; NULL removes the handler, in either order of the types.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_set_handler(
    space: *mut carom_space,
    type_a: u64,
    type_b: u64,
    handler: *const carom_handler,
) -> carom_status {
    entry!(update(space, |caller, space| {
        match caller.handler(handler)? {
            Some(handler) => space.set_handler(type_a, type_b, handler)?,
            None => space.remove_handler(type_a, type_b)?,
        };
        Ok(())
    }))
}

/// Sets the handler of shapes of one type with all others. It sees the shape of this type as A.
///
/// It is called where the handler of both types, or else the default handler, has no callback. Of two wildcard handlers both
/// are asked, and a contact has an effect if both agree. A contact of two shapes of this type is seen from both sides.
///
/// \param collision_type The type.
/// \param handler        The callbacks, which are copied; NULL removes the handler.
/// \return CAROM_OK, CAROM_UNKNOWN_VALUE, CAROM_LOCKED in a callback for a contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_set_wildcard_handler(
    space: *mut carom_space,
    collision_type: u64,
    handler: *const carom_handler,
) -> carom_status {
    entry!(update(space, |caller, space| {
        match caller.handler(handler)? {
            Some(handler) => space.set_wildcard_handler(collision_type, handler)?,
            None => space.remove_wildcard_handler(collision_type)?,
        };
        Ok(())
    }))
}

/// Adds a callback that is called once after the current step, or after the next one, when everything can be changed. There is
/// one per key.
///
/// Callbacks are called in the order in which they were added; those that they add are called, too. A removal of a body or a
/// shape outside of a step also calls them. Those that are left when the space is destroyed are not called.
///
/// \param key      Any number; if it is taken nothing happens.
/// \param callback What to call.
/// \param user     Passed to the callback unchanged.
/// \param added    Receives 1 if the callback was added, 0 if the key is taken. May be NULL.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_post_step(
    space: *mut carom_space,
    key: u64,
    callback: carom_post_step_callback,
    user: *mut c_void,
    added: *mut i32,
) -> carom_status {
    entry!(update(space, |caller, space| {
        let added = caller.optional_out("added", added)?;
        let callback = callback.ok_or(Failure::NullPointer { argument: "callback" })?;
        let user = User(user);
        memory::expect_some(size_of::<[usize; 8]>() * space.post_step_count())?;
        let is_new = space.post_step(key, move |space| {
            // SAFETY: the space is used through the handle alone until the callback has returned.
            let mut handle = unsafe { carom_space::of_post_step(space) };
            // SAFETY: a function of the caller, with what the header promises.
            unsafe { callback(&raw mut handle, key, user.get()) }
        });
        added.set(is_new.into());
        Ok(())
    }))
}
