//! How much room columns get when they grow.

use crate::error::{Error, Result};

/// Rows that there is room for at first: small spaces are made without moving anything.
const FIRST: usize = 16;

/// From this number of rows on there is room for a quarter more instead of twice as many, so that little is not used.
const MANY: usize = 1024;

/// For how many rows there is room next, if there is for `old` and `needed` are needed; a multiple of 8.
pub(crate) fn capacity_for(old: usize, needed: usize) -> usize {
    let more = if old < MANY { old } else { old / 4 };
    old.saturating_add(more).max(needed).max(FIRST).next_multiple_of(8)
}

/// Makes room for one more row.
#[inline]
pub(crate) fn reserve_row<T>(rows: &mut Vec<T>) -> Result<()> {
    reserve_rows(rows, rows.len() + 1)
}

/// Makes room for rows up to this number.
#[inline]
pub(crate) fn reserve_rows<T>(rows: &mut Vec<T>, needed: usize) -> Result<()> {
    if needed <= rows.capacity() { Ok(()) } else { grow(rows, needed) }
}

#[cold]
fn grow<T>(rows: &mut Vec<T>, needed: usize) -> Result<()> {
    let more = capacity_for(rows.capacity(), needed) - rows.len();
    let failed = |_| Error::OutOfMemory { bytes: more.saturating_mul(size_of::<T>()) };
    rows.try_reserve_exact(more).map_err(failed)
}

/// Bytes of memory held by rows.
pub(crate) fn bytes_of<T>(rows: &Vec<T>) -> usize {
    rows.capacity() * size_of::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_doubled_and_many_are_not() {
        let mut rows: Vec<u64> = Vec::new();
        let mut capacities = vec![];
        for row in 0..5000 {
            reserve_row(&mut rows).unwrap();
            rows.push(row);
            if capacities.last() != Some(&rows.capacity()) {
                capacities.push(rows.capacity());
            }
        }
        assert_eq!(capacities[..8], [16, 32, 64, 128, 256, 512, 1024, 1280]);
        assert!(capacities[7..].windows(2).all(|pair| 4 * pair[1] <= 5 * pair[0] + 32), "{capacities:?}");
        assert_eq!((capacity_for(0, 1000), capacity_for(16, 100), capacity_for(0, 99)), (1000, 104, 104));
        assert!(matches!(reserve_rows(&mut rows, usize::MAX / 8), Err(Error::OutOfMemory { .. })));
    }
}
