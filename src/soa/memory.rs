//! Memory that may not be there: vectors whose growth can fail, and a check for what cannot.
//!
//! A vector whose length comes from outside or grows with the data is reserved by the functions of this file, so that a failure
//! is [`Error::OutOfMemory`]. What remains are small pieces that end the process if there is no memory for them: strings, boxes,
//! queues of threads, what other crates allocate. A call that makes many of them first checks that there is
//! [room](expect_room), one that makes few of them that there is [a little](expect_little).

use crate::error::{Error, Result};

/// What a call takes in small pieces, and more: the heap of the C library grows by 1 MiB at a time where it cannot grow in
/// place.
pub(crate) const MARGIN: usize = 4 << 20;

/// What [`expect_little`] asks for: less than what the C library maps by itself.
const LITTLE: usize = 32 << 10;

/// The error of an allocation of so many values that failed.
#[cold]
pub(crate) fn failed<T>(count: usize) -> Error {
    Error::OutOfMemory { bytes: count.saturating_mul(size_of::<T>()) }
}

/// Makes room for more values; the capacity grows geometrically.
#[inline]
pub(crate) fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<()> {
    values.try_reserve(more).map_err(|_| failed::<T>(more))
}

/// Appends one value.
#[inline]
pub(crate) fn push<T>(values: &mut Vec<T>, value: T) -> Result<()> {
    if values.len() == values.capacity() {
        reserve(values, 1)?;
    }
    values.push(value);
    Ok(())
}

/// Grows with copies of `value`, or shrinks, to `len` values.
pub(crate) fn resize<T: Clone>(values: &mut Vec<T>, len: usize, value: T) -> Result<()> {
    reserve(values, len.saturating_sub(values.len()))?;
    values.resize(len, value);
    Ok(())
}

/// Copies of `value`.
pub(crate) fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| failed::<T>(len))?;
    values.resize(len, value);
    Ok(values)
}

/// The items of an iterator that has `len` of them.
pub(crate) fn collect<T>(len: usize, items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| failed::<T>(len))?;
    values.extend(items.take(len));
    Ok(values)
}

/// Fails if so many bytes cannot be allocated now, besides [`MARGIN`]. Nothing is allocated: other threads may take the memory
/// meanwhile, and a system that promises more memory than it has may not keep the promise.
///
/// It takes about two microseconds, so that it belongs to calls that allocate much or seldom.
pub(crate) fn expect_room(bytes: usize) -> Result<()> {
    let bytes = bytes.saturating_add(MARGIN);
    if can_map(bytes) { Ok(()) } else { Err(Error::OutOfMemory { bytes }) }
}

/// [`expect_little`] or [`expect_room`], by the number of bytes.
pub(crate) fn expect_some(bytes: usize) -> Result<()> {
    if bytes <= LITTLE / 4 { expect_little() } else { expect_room(bytes) }
}

/// The same within a call that has looked for room with its margin before.
pub(crate) fn expect_more(bytes: usize) -> Result<()> {
    if bytes <= LITTLE / 4 {
        return expect_little();
    }
    let bytes = bytes.saturating_add(MARGIN / 4);
    if can_map(bytes) { Ok(()) } else { Err(Error::OutOfMemory { bytes }) }
}

/// Fails if this thread cannot allocate a few small pieces now, some kilobytes together.
///
/// A piece of the heap is taken and given back, from which the next ones come: some tens of nanoseconds.
pub(crate) fn expect_little() -> Result<()> {
    if can_allocate(LITTLE) { Ok(()) } else { Err(Error::OutOfMemory { bytes: LITTLE }) }
}

fn can_allocate(bytes: usize) -> bool {
    let mut room = Vec::<u8>::new();
    let is_there = room.try_reserve_exact(bytes).is_ok();
    // Otherwise the compiler may leave out an allocation that nobody uses.
    std::hint::black_box(&mut room);
    is_there
}

/// Whether so many bytes of address space can be had. The heap is left alone: a large piece that is freed would change how it
/// gives memory back from then on.
#[cfg(unix)]
fn can_map(bytes: usize) -> bool {
    let (access, kind) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a new mapping at an address that the system chooses touches nothing that exists.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return false;
    }
    // SAFETY: this is the whole of the mapping that was just made, and nothing refers to it.
    unsafe { libc::munmap(start, bytes) };
    true
}

#[cfg(not(unix))]
fn can_map(bytes: usize) -> bool {
    can_allocate(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_little_and_none_for_all() {
        assert_eq!((expect_room(1000), expect_little()), (Ok(()), Ok(())));
        assert!(!can_allocate(usize::MAX / 2));
        assert!(matches!(expect_room(usize::MAX / 2), Err(Error::OutOfMemory { .. })));
        assert!(matches!(expect_room(usize::MAX), Err(Error::OutOfMemory { .. })));
    }

    #[test]
    fn vectors_that_are_too_long_are_errors_and_stay_as_they_are() {
        let mut values = vec![1_u64, 2];
        let most = usize::MAX / 8;
        assert_eq!(reserve(&mut values, most), Err(failed::<u64>(most)));
        assert!(resize(&mut values, most, 0).is_err() && filled(most, 0_u64).is_err());
        assert!(collect(most, std::iter::repeat(0_u64)).is_err());
        assert_eq!(values, [1, 2]);
        resize(&mut values, 1, 9).unwrap();
        push(&mut values, 3).unwrap();
        assert_eq!(values, [1, 3]);
        assert_eq!(filled(2, 'a').unwrap(), ['a', 'a']);
        assert_eq!(collect(2, 5..).unwrap(), [5, 6]);
    }
}
