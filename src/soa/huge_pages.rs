//! Memory in huge pages.

/// An empty vector with this capacity. Large ones are in huge pages where the system has them, because accesses are random
/// and would miss the translation cache otherwise.
pub(crate) fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let values = Vec::with_capacity(capacity);
    advise(&values);
    values
}

/// Reserves capacity for `more` values. The capacity grows by a sixteenth, not to its double as in `Vec`, to save memory.
#[inline(always)]
pub(crate) fn reserve<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more {
        grow(values, more);
    }
}

#[cold]
fn grow<T>(values: &mut Vec<T>, more: usize) {
    values.reserve_exact(more.max(values.len() / 16));
    advise(values);
}

/// Bytes from which huge pages are advised.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 22;

/// Asks for huge pages for the memory of a large vector that has just been allocated.
#[cfg(target_os = "linux")]
pub(crate) fn advise<T>(values: &Vec<T>) {
    const PAGE: usize = 4096;
    let bytes = values.capacity() * size_of::<T>();
    if bytes < LARGE {
        return;
    }
    let skip = values.as_ptr().addr().next_multiple_of(PAGE) - values.as_ptr().addr();
    let start = values.as_ptr().wrapping_byte_add(skip).cast_mut();
    // SAFETY: the range lies within memory that the vector owns, and the advice changes no contents; if it is refused the
    // pages stay small.
    unsafe {
        libc::madvise(start.cast(), (bytes - skip) / PAGE * PAGE, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn advise<T>(_: &Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_vectors_have_their_capacity() {
        for capacity in [0, 10, 1 << 20] {
            let mut values = with_capacity::<[u64; 3]>(capacity);
            values.resize(capacity, [7; 3]);
            assert!(values.iter().all(|value| *value == [7; 3]));
        }
    }
}
