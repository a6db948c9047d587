//! Structs of options that start with `struct_size` and may grow.

use std::ptr;

use super::failure::{Failure, Result};
use super::memory::Caller;

/// The largest `struct_size` that is accepted.
const MAX_SIZE: usize = 4096;

/// A struct that starts with `uint32_t struct_size`.
///
/// # Safety
/// `repr(C)` without padding, a whole number of 8-byte words, the first field a `u32`, and made of integers, floats
/// and raw pointers only, so that any bytes are a value.
pub(super) unsafe trait Options: Copy {
    /// The defaults, with the size of this version.
    fn defaults() -> Self;
}

impl Caller {
    /// Fills the first `size` bytes of the caller's struct with the defaults; `size` is its size there.
    pub(super) fn init_options<T: Options>(
        &self,
        argument: &'static str,
        options: *mut T,
        size: usize,
    ) -> Result<()> {
        self.out(argument, options)?;
        check_size(size)?;
        // SAFETY: by the rule for pointers `size` bytes are there.
        unsafe { options.cast::<u8>().write_bytes(0, size) }
        self.copy_options_out(options, T::defaults(), size);
        Ok(())
    }

    /// Overwrites the options that the caller's struct has room for.
    pub(super) fn write_options<T: Options>(
        &self,
        argument: &'static str,
        options: *mut T,
        values: T,
    ) -> Result<()> {
        let size = self.struct_size(argument, options)?;
        self.copy_options_out(options, values, size);
        Ok(())
    }

    /// The caller's options; fields beyond an older, smaller struct have their defaults.
    #[inline(always)]
    pub(super) fn read_options<T: Options>(&self, argument: &'static str, options: *const T) -> Result<T> {
        let size = self.struct_size(argument, options)?;
        if size == size_of::<T>() {
            // SAFETY: by the rule for pointers `size` bytes are there; any bytes are a value of `T`.
            return Ok(unsafe { options.read() });
        }
        let known = size.min(size_of::<T>());
        let mut values = T::defaults();
        // SAFETY: by the rule for pointers `size` bytes are there; any bytes are a value of `T`.
        unsafe { ptr::copy_nonoverlapping(options.cast::<u8>(), (&raw mut values).cast(), known) }
        Ok(values)
    }

    /// The checked size of the caller's struct. A newer, larger one must be zero beyond the fields of this version.
    #[inline(always)]
    fn struct_size<T: Options>(&self, argument: &'static str, options: *const T) -> Result<usize> {
        self.out(argument, options.cast_mut())?;
        // SAFETY: checked above; every struct of options starts with its size.
        let size = unsafe { options.cast::<u32>().read() } as usize;
        if size == size_of::<T>() {
            return Ok(size);
        }
        check_size(size)?;
        let bytes = self.slice(argument, options.cast::<u8>(), size)?;
        match bytes.iter().skip(size_of::<T>()).any(|&byte| byte != 0) {
            true => Err(unknown_size(size)),
            false => Ok(size),
        }
    }

    fn copy_options_out<T: Options>(&self, options: *mut T, mut values: T, size: usize) {
        let known = size.min(size_of::<T>());
        let struct_size = size as u32;
        // SAFETY: `values` starts with a `u32`, and by the rule for pointers `size` bytes are at `options`.
        unsafe {
            (&raw mut values).cast::<u32>().write(struct_size);
            ptr::copy_nonoverlapping((&raw const values).cast::<u8>(), options.cast(), known);
        }
    }
}

fn check_size(size: usize) -> Result<()> {
    let sensible = (8..=MAX_SIZE).contains(&size) && size.is_multiple_of(8);
    if sensible { Ok(()) } else { Err(unknown_size(size)) }
}

fn unknown_size(size: usize) -> Failure {
    Failure::UnknownValue { argument: "struct_size", value: size as u64 }
}
