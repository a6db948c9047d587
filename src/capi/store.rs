//! Calls that particles and frames have in common: rows added, removed, and copied to arrays of the caller.

use super::failure::Result;
use super::guard::enter;
use super::handle::{Handle, update};
use super::memory::{Caller, Plain};
use super::status::carom_status;
use crate::soa::{check, memory};

/// An entry that adds something and stores its index or id, if the caller wants it; of rows the first index.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn append<H: Handle, T>(
    handle: *mut H,
    (argument, out): (&'static str, *mut T),
    add: impl FnOnce(&Caller, &mut H::Object) -> Result<T>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        update(handle, |caller, object| {
            let out = caller.optional_out(argument, out)?;
            out.set(add(caller, object)?);
            Ok(())
        })
    }
}

/// An entry that removes the rows with these indices, which it copies first: they may lie in a column of the store.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn remove_many<H: Handle>(
    handle: *mut H,
    (indices, count): (*const usize, usize),
    remove: impl FnOnce(&mut H::Object, &[usize]) -> Result<()>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        update(handle, |caller, object| {
            let indices = caller.rows("indices", indices, 0, 1, count)?.packed()?;
            remove(object, &indices)
        })
    }
}

/// An entry that copies numbers to an array of the caller, which must have exactly as many entries.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn copy_out<H: Handle>(
    handle: *const H,
    (values, count): (*mut f64, usize),
    look: impl FnOnce(&H::Object) -> Result<Vec<f64>>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            memory::expect_little()?;
            let found = caller.object(H::NAME, handle)?.read(look)?;
            check::length("values", 0, found.len(), count)?;
            caller.rows_mut("values", values, 0, 1, count)?.write(&found);
            Ok(())
        })
    }
}

/// An entry that copies `count` rows to an array of structures of the caller. `look` returns the rows one after the
/// other, and the number of values per row.
///
/// # Safety
/// As [`enter`].
pub(super) unsafe fn copy_rows_out<H: Handle, T: Plain>(
    handle: *const H,
    (values, stride): (*mut T, usize),
    count: usize,
    look: impl FnOnce(&H::Object) -> Result<(Vec<T>, usize)>,
) -> carom_status {
    // SAFETY: by the contract of this function.
    unsafe {
        enter(|caller| {
            let (found, width) = caller.object(H::NAME, handle)?.read(look)?;
            caller.rows_mut("values", values, stride, width, count)?.write(&found);
            Ok(())
        })
    }
}
