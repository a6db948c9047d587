//! Memory in huge pages.

/// An empty vector with room for `capacity` values; a large one in huge pages where the system has them, because a run
/// jumps about in its memory.
pub(crate) fn roomy<T>(capacity: usize) -> Vec<T> {
    let values = Vec::with_capacity(capacity);
    advise(&values);
    values
}

/// Makes room for `more` values. Room grows by a sixteenth, not to its double as that of vectors does: so much memory would
/// stay empty.
#[inline(always)]
pub(crate) fn make_room<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more {
        grow(values, more);
    }
}

#[cold]
fn grow<T>(values: &mut Vec<T>, more: usize) {
    values.reserve_exact(more.max(values.len() / 16));
    advise(values);
}

/// Bytes from which huge pages are worth asking for.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 22;

#[cfg(target_os = "linux")]
fn advise<T>(values: &Vec<T>) {
    const PAGE: usize = 4096;
    let bytes = values.capacity() * size_of::<T>();
    if bytes < LARGE {
        return;
    }
    let skip = values.as_ptr().addr().next_multiple_of(PAGE) - values.as_ptr().addr();
    let start = values.as_ptr().wrapping_byte_add(skip).cast_mut();
    // SAFETY: the range lies within memory that the vector owns, and the advice changes no contents; if it is refused
    // all goes on with small pages.
    unsafe {
        libc::madvise(start.cast(), (bytes - skip) / PAGE * PAGE, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_: &Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_vectors_have_room() {
        for capacity in [0, 10, 1 << 20] {
            let mut values = roomy::<[u64; 3]>(capacity);
            values.resize(capacity, [7; 3]);
            assert!(values.iter().all(|value| *value == [7; 3]));
        }
    }
}
