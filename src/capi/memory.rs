//! The caller's memory: the only place that follows pointers from C.

use std::ffi::{CStr, c_char};
use std::ops::Range;
use std::ptr::NonNull;

use super::failure::{Failure, Result};
use crate::error::Error;
use crate::soa::memory;

/// A type of which any bytes are a value.
///
/// # Safety
/// That must be so.
pub(super) unsafe trait Plain: Copy {}

// SAFETY: integers, floats and raw pointers have no invalid values.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for usize {}
// SAFETY: as above.
unsafe impl Plain for f64 {}
// SAFETY: as above.
unsafe impl Plain for f32 {}
// SAFETY: as above.
unsafe impl<T> Plain for *const T {}

/// Access to the memory of the C caller. It exists only during a call that keeps the rule for pointers at the top of
/// the header: each is null or points to what the parameter says, for the time of the call.
pub(super) struct Caller(());

impl Caller {
    /// # Safety The pointers that its methods are given come from C in this call and keep that rule. It does not
    /// outlive the call.
    pub(super) unsafe fn new() -> Self {
        Self(())
    }

    /// An object of ours that a handle points to.
    pub(super) fn object<T>(&self, argument: &'static str, handle: *const T) -> Result<&T> {
        check(argument, handle)?;
        // SAFETY: not null and aligned; by the rule for pointers it is an object that has not been destroyed.
        Ok(unsafe { &*handle })
    }

    /// The same for a handle that may be null.
    pub(super) fn optional<T>(&self, argument: &'static str, handle: *const T) -> Result<Option<&T>> {
        if handle.is_null() { Ok(None) } else { self.object(argument, handle).map(Some) }
    }

    /// Takes back an object that was handed out; null gives `None`.
    pub(super) fn reclaim<T>(&self, handle: *mut T) -> Option<Box<T>> {
        // SAFETY: not null, so by the rule for pointers it came from `Out::hand_over` and is not used again.
        (!handle.is_null()).then(|| unsafe { Box::from_raw(handle) })
    }

    /// Where an output goes.
    pub(super) fn out<T>(&self, argument: &'static str, pointer: *mut T) -> Result<Out<T>> {
        check(argument, pointer)?;
        Ok(Out(NonNull::new(pointer)))
    }

    /// Where an output goes that the caller may not want: null.
    pub(super) fn optional_out<T>(&self, argument: &'static str, pointer: *mut T) -> Result<Out<T>> {
        if pointer.is_null() { Ok(Out(None)) } else { self.out(argument, pointer) }
    }

    /// Plain values that stay unchanged during the call; null is fine for none.
    pub(super) fn slice<T: Plain>(&self, argument: &'static str, data: *const T, len: usize) -> Result<&[T]> {
        if len == 0 {
            return Ok(&[]);
        }
        check(argument, data)?;
        check_size::<T>(argument, len)?;
        // SAFETY: not null, aligned and of a possible size; by the rule for pointers `len` values are there.
        Ok(unsafe { std::slice::from_raw_parts(data, len) })
    }

    /// A string with a final NUL.
    pub(super) fn string(&self, argument: &'static str, text: *const c_char) -> Result<&str> {
        check(argument, text)?;
        // SAFETY: not null; by the rule for pointers it ends with a NUL.
        unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| Failure::BadString { argument })
    }

    /// Copies as many numbers as there is room for and returns true; null leaves the room as it is.
    #[inline]
    pub(super) fn copy_unless_null(
        &self,
        argument: &'static str,
        data: *const f64,
        room: &mut [f64],
    ) -> Result<bool> {
        if data.is_null() {
            return Ok(false);
        }
        self.rows(argument, data, 0, room.len(), 1)?.copy_row(0, room);
        Ok(true)
    }

    /// `count` rows of `width` values, `stride` bytes apart; 0 = packed. Null is fine for none.
    pub(super) fn rows<T: Plain>(
        &self,
        argument: &'static str,
        data: *const T,
        stride: usize,
        width: usize,
        count: usize,
    ) -> Result<Rows<T>> {
        let stride = check_rows(argument, data, stride, width, count)?;
        Ok(Rows { data, stride, width, count })
    }

    /// The same, to be written.
    pub(super) fn rows_mut<T: Plain>(
        &self,
        argument: &'static str,
        data: *mut T,
        stride: usize,
        width: usize,
        count: usize,
    ) -> Result<RowsMut<T>> {
        let stride = check_rows(argument, data, stride, width, count)?;
        Ok(RowsMut { data, stride, width, count })
    }
}

/// An output of a call, written once and only on success. It never outlives the call.
pub(super) struct Out<T>(Option<NonNull<T>>);

impl<T> Out<T> {
    /// Writes the output, if the caller wants it.
    pub(super) fn set(self, value: T) {
        if let Some(pointer) = self.0 {
            // SAFETY: checked by `Caller::out`; what it points to may be uninitialised and is not dropped.
            unsafe { pointer.write(value) }
        }
    }
}

impl<T> Out<*mut T> {
    /// Gives an object to the caller; it comes back to [`Caller::reclaim`].
    pub(super) fn hand_over(self, object: T) {
        self.set(Box::into_raw(Box::new(object)));
    }
}

/// Rows in the caller's memory. They may lie inside our own columns, so that no reference to them is ever made.
#[derive(Clone, Copy)]
pub(super) struct Rows<T> {
    data: *const T,
    stride: usize,
    width: usize,
    count: usize,
}

impl<T: Plain> Rows<T> {
    /// A copy of entry `k` of every row.
    pub(super) fn column(&self, k: usize) -> Result<Vec<T>> {
        Ok(memory::collect(self.count, (0..self.count).map(|row| self.at(row, k)))?)
    }

    /// A copy of all rows, packed.
    pub(super) fn packed(&self) -> Result<Vec<T>> {
        let cells = (0..self.count).flat_map(|row| (0..self.width).map(move |k| (row, k)));
        Ok(memory::collect(self.count * self.width, cells.map(|(row, k)| self.at(row, k)))?)
    }

    /// Copies the first entries of a row, as many as there is room for.
    #[inline]
    fn copy_row(&self, row: usize, room: &mut [T]) {
        assert!(row < self.count && room.len() <= self.width, "a row that exists");
        match room {
            // In two and three dimensions without a loop.
            [a, b] => (*a, *b) = (self.read(row, 0), self.read(row, 1)),
            [a, b, c] => (*a, *b, *c) = (self.read(row, 0), self.read(row, 1), self.read(row, 2)),
            _ => room.iter_mut().enumerate().for_each(|(k, entry)| *entry = self.read(row, k)),
        }
    }

    /// Copies entry `k` of the rows from `first` on.
    #[inline]
    pub(super) fn copy_column<U: From<T>>(&self, k: usize, first: usize, to: &mut [U]) {
        assert!(k < self.width && first <= self.count && to.len() <= self.count - first, "rows that exist");
        (first..).zip(to).for_each(|(row, entry)| *entry = self.read(row, k).into());
    }

    /// Whether entry `k` of all of these rows is as wanted.
    #[inline]
    pub(super) fn all(&self, k: usize, rows: Range<usize>, is_wanted: impl Fn(T) -> bool) -> bool {
        assert!(k < self.width && rows.end <= self.count, "rows that exist");
        // Without an early end, which is faster if all are.
        rows.fold(true, |all, row| all & is_wanted(self.read(row, k)))
    }

    /// Entry `k` of the first of these rows that has a wanted one.
    #[inline]
    pub(super) fn first(&self, k: usize, mut rows: Range<usize>, is_wanted: impl Fn(T) -> bool) -> Option<T> {
        assert!(k < self.width && rows.end <= self.count, "rows that exist");
        rows.find_map(|row| Some(self.read(row, k)).filter(|&value| is_wanted(value)))
    }

    /// From the first byte to the last.
    pub(super) fn addresses(&self) -> Range<usize> {
        let start = self.data.addr();
        start..start.saturating_add(self.count * self.stride)
    }

    /// Entry `k` of a row.
    #[inline]
    pub(super) fn at(&self, row: usize, k: usize) -> T {
        assert!(row < self.count && k < self.width, "a row that exists");
        self.read(row, k)
    }

    /// The same for a row and an entry that have been checked.
    #[inline]
    fn read(&self, row: usize, k: usize) -> T {
        debug_assert!(row < self.count && k < self.width);
        // SAFETY: `Caller::rows` checked the stride, the alignment and that the rows fit into memory.
        unsafe { self.data.byte_add(row * self.stride).add(k).read() }
    }
}

/// Rows in the caller's memory, to be written. They may lie inside our own columns, too.
pub(super) struct RowsMut<T> {
    data: *mut T,
    stride: usize,
    width: usize,
    count: usize,
}

impl<T: Plain> RowsMut<T> {
    /// Writes entry `k` of one row.
    #[inline]
    pub(super) fn put(&self, row: usize, k: usize, value: T) {
        assert!(row < self.count && k < self.width, "a row that exists");
        // SAFETY: `Caller::rows_mut` checked the stride, the alignment and that the rows fit into memory.
        unsafe { self.data.byte_add(row * self.stride).add(k).write(value) }
    }

    /// Writes the first entries of one row.
    #[inline]
    pub(super) fn put_all<const N: usize>(&self, row: usize, values: [T; N]) {
        assert!(row < self.count && N <= self.width, "a row that exists");
        // SAFETY: as above; the pointer is aligned for a value, and so for an array of them.
        unsafe { self.data.byte_add(row * self.stride).cast::<[T; N]>().write(values) }
    }

    /// Writes packed values row by row, at most as many as there are.
    pub(super) fn write(&self, packed: &[T]) {
        for (row, values) in packed.chunks(self.width.max(1)).enumerate() {
            for (k, &value) in values.iter().enumerate() {
                self.put(row, k, value);
            }
        }
    }
}

fn check<T>(argument: &'static str, pointer: *const T) -> Result<()> {
    if pointer.is_null() {
        Err(Failure::NullPointer { argument })
    } else if !pointer.is_aligned() {
        Err(Failure::Misaligned { argument })
    } else {
        Ok(())
    }
}

fn check_size<T>(argument: &'static str, len: usize) -> Result<usize> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
    let expected = "small enough for an array in memory";
    bytes.ok_or_else(|| Error::OutOfRange { field: argument, value: len as f64, expected }.into())
}

/// Returns the stride in bytes.
fn check_rows<T>(
    argument: &'static str,
    data: *const T,
    stride: usize,
    width: usize,
    count: usize,
) -> Result<usize> {
    let row = check_size::<T>(argument, width)?;
    let stride = if stride == 0 { row } else { stride };
    if stride < row {
        let expected = "0 or at least the size of the values of one row";
        return Err(Error::OutOfRange { field: "stride", value: stride as f64, expected }.into());
    }
    if !stride.is_multiple_of(align_of::<T>()) {
        return Err(Failure::Misaligned { argument: "stride" });
    }
    if count > 0 {
        check(argument, data)?;
        let bytes = stride.checked_mul(count);
        check_size::<u8>(argument, bytes.unwrap_or(usize::MAX))?;
    }
    Ok(stride)
}
