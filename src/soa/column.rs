//! [`Column`]: an aligned and padded array. Nothing else allocates columns.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::block::{LANES, Lanes};
use super::huge_pages;
use crate::error::{Error, Result};

/// One cache line; columns are made of whole lines.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// A growable array of plain numbers, 64-byte aligned and padded to whole cache lines.
///
/// The padding always holds the column's `filler`, so that a kernel may read whole blocks past the end.
#[derive(Debug, Clone)]
pub struct Column<T: Pod> {
    lines: Vec<Line>,
    len: usize,
    filler: T,
}

impl<T: Pod> Column<T> {
    const PER_LINE: usize = {
        assert!(
            size_of::<T>() > 0 && 64 % size_of::<T>() == 0,
            "a cache line must hold a whole number of items"
        );
        64 / size_of::<T>()
    };

    /// An empty column whose padding holds `filler`.
    #[must_use]
    pub fn new(filler: T) -> Self {
        Self { lines: Vec::new(), len: 0, filler }
    }

    /// A column of `len` entries, all equal to `value`, padded with `filler`.
    pub fn filled(len: usize, value: T, filler: T) -> Result<Self> {
        let mut column = Self::new(filler);
        column.resize(len, value)?;
        Ok(column)
    }

    /// A column of `len` zeros, padded with zeros.
    pub(crate) fn zeros(len: usize) -> Result<Self> {
        let mut column = Self::new(T::zeroed());
        column.reserve_exact(len)?;
        column.lines.resize(len.div_ceil(Self::PER_LINE), Line([0; 8]));
        column.len = len;
        Ok(column)
    }

    /// Number of entries.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many entries fit before the column must move in memory.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.lines.capacity() * Self::PER_LINE
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }

    /// The entries.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.padded()[..self.len]
    }

    /// The entries, writable.
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        let len = self.len;
        &mut self.padded_mut()[..len]
    }

    /// The entries and the padding behind them: a whole number of cache lines.
    #[inline]
    #[must_use]
    pub fn padded(&self) -> &[T] {
        bytemuck::cast_slice(&self.lines)
    }

    #[inline]
    fn padded_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }

    /// Makes room for exactly `additional` more entries.
    pub fn reserve_exact(&mut self, additional: usize) -> Result<()> {
        let lines = self.additional_lines(additional)?;
        self.allocate(lines, additional)
    }

    /// Makes room for at least `additional` more entries. The capacity grows geometrically: it doubles, and that of large
    /// columns grows by a quarter, so that little of their memory is not used.
    #[inline]
    pub fn reserve(&mut self, additional: usize) -> Result<()> {
        if self.has_room(additional) { Ok(()) } else { self.reserve_more(additional) }
    }

    /// Whether so many more entries fit where the column is.
    #[inline]
    fn has_room(&self, additional: usize) -> bool {
        additional <= self.capacity() - self.len
    }

    #[cold]
    fn reserve_more(&mut self, additional: usize) -> Result<()> {
        /// Lines of a large column: 64 KiB.
        const MANY: usize = 1024;
        let (lines, capacity) = (self.additional_lines(additional)?, self.lines.capacity());
        let more = if capacity < MANY { capacity.max(4) } else { capacity / 4 };
        self.allocate(lines.max(capacity + more - self.lines.len()), additional)
    }

    /// Makes room for so many more lines; large columns are in huge pages, because pairs of rows are read at random.
    fn allocate(&mut self, lines: usize, additional: usize) -> Result<()> {
        let capacity = self.lines.capacity();
        self.lines.try_reserve_exact(lines).map_err(|_| Self::no_memory(additional))?;
        if self.lines.capacity() != capacity {
            huge_pages::advise(&self.lines);
        }
        Ok(())
    }

    /// Appends one entry.
    #[inline]
    pub fn push(&mut self, value: T) -> Result<()> {
        self.reserve(1)?;
        self.push_in_room(value);
        Ok(())
    }

    /// Appends one entry, for which there must be room.
    #[inline(always)]
    pub(crate) fn push_in_room(&mut self, value: T) {
        let len = self.len;
        match self.padded_mut().get_mut(len) {
            Some(entry) => *entry = value,
            None => self.push_line(value),
        }
        self.len = len + 1;
    }

    /// Appends a line that begins with this value and holds the filler behind it. There must be room for it.
    #[inline(never)]
    fn push_line(&mut self, value: T) {
        debug_assert!(self.has_room(1), "room is made first");
        let mut line = [self.filler_line()];
        bytemuck::cast_slice_mut(&mut line)[0] = value;
        self.lines.push(line[0]);
    }

    /// Appends `count` entries that hold the filler. There must be room for them.
    #[inline]
    pub(crate) fn grow(&mut self, count: usize) {
        debug_assert!(self.has_room(count), "room is made first");
        let len = self.len + count;
        // The padding holds the filler already.
        if len > self.lines.len() * Self::PER_LINE {
            let line = self.filler_line();
            self.lines.resize(len.div_ceil(Self::PER_LINE), line);
        }
        self.len = len;
    }

    /// A line that holds the filler.
    #[inline]
    fn filler_line(&self) -> Line {
        let mut line = [Line([0; 8])];
        bytemuck::cast_slice_mut(&mut line).fill(self.filler);
        line[0]
    }

    /// Appends the entries of a slice.
    pub fn extend_from_slice(&mut self, values: &[T]) -> Result<()> {
        let start = self.len;
        self.reserve(values.len())?;
        self.grow(values.len());
        self.as_mut_slice()[start..].copy_from_slice(values);
        Ok(())
    }

    /// Grows with copies of `value`, or shrinks, to `len` entries.
    pub fn resize(&mut self, len: usize, value: T) -> Result<()> {
        let old = self.len;
        if len > old {
            self.reserve(len - old)?;
            self.grow(len - old);
            self.padded_mut()[old..len].fill(value);
        } else {
            self.truncate(len);
        }
        Ok(())
    }

    /// Grows with the filler, or shrinks, to `len` entries.
    pub(crate) fn resize_with_filler(&mut self, len: usize) -> Result<()> {
        if len > self.len {
            self.reserve(len - self.len)?;
            self.grow(len - self.len);
        } else {
            self.truncate(len);
        }
        Ok(())
    }

    /// Shrinks to `len` entries, if there are more.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len < self.len {
            self.lines.truncate(len.div_ceil(Self::PER_LINE));
            self.len = len;
            self.refill_padding();
        }
    }

    /// Writes the filler to the padding again, after whole blocks have been written.
    pub fn refill_padding(&mut self) {
        let (len, filler) = (self.len, self.filler);
        self.padded_mut()[len..].fill(filler);
    }

    /// Removes groups of `width` entries by their numbers, which are in rising order, and closes the gaps in one pass.
    ///
    /// # Panics
    /// If one of the groups does not exist.
    pub(crate) fn remove_groups(&mut self, groups: &[usize], width: usize) {
        let (Some(first), Some(last)) = (groups.first(), groups.last()) else { return };
        let (len, mut end) = (self.len, first * width);
        let entries = self.as_mut_slice();
        let mut keep = |kept: Range<usize>| {
            let count = kept.len();
            entries.copy_within(kept, end);
            end += count;
        };
        groups.windows(2).for_each(|pair| keep((pair[0] + 1) * width..pair[1] * width));
        keep((last + 1) * width..len);
        self.truncate(end);
    }

    /// Removes one group of `width` entries; the last group takes its place.
    ///
    /// # Panics
    /// If there is no such group.
    pub(crate) fn swap_remove_group(&mut self, group: usize, width: usize) {
        let last = self.len - width;
        self.as_mut_slice().copy_within(last.., group * width);
        self.truncate(last);
    }

    /// Whether any byte of this range of addresses belongs to the column.
    #[cfg_attr(
        not(feature = "capi"),
        allow(dead_code, reason = "only callers in C have memory of their own")
    )]
    pub(crate) fn overlaps(&self, addresses: &Range<usize>) -> bool {
        let (start, bytes) = (self.lines.as_ptr().addr(), self.memory_bytes());
        bytes > 0 && start < addresses.end && addresses.start < start + bytes
    }

    /// Releases memory that is not used.
    pub fn shrink_to_fit(&mut self) {
        self.lines.shrink_to_fit();
    }

    fn additional_lines(&self, additional: usize) -> Result<usize> {
        let len = self.len.checked_add(additional).ok_or_else(|| Self::no_memory(additional))?;
        Ok(len.div_ceil(Self::PER_LINE).saturating_sub(self.lines.len()))
    }

    fn no_memory(additional: usize) -> Error {
        Error::OutOfMemory { bytes: additional.saturating_mul(size_of::<T>()) }
    }
}

impl<T: Pod> Column<T> {
    /// The entries, and the padding that fills up the last block, as blocks.
    #[inline(always)]
    #[must_use]
    pub(crate) fn blocks<L: Lanes<Number = T>>(&self) -> &[L] {
        &bytemuck::cast_slice(&self.lines)[..self.len.div_ceil(L::COUNT)]
    }
}

impl Column<f64> {
    /// The entries, and the padding that fills up the last block, in groups of the size of a block: for work that is cut
    /// into pieces before the level of instructions, and so the type of its blocks, is known.
    #[inline]
    pub(crate) fn quads(&self) -> &[[f64; LANES]] {
        &self.padded().as_chunks().0[..self.len.div_ceil(LANES)]
    }

    /// The same, writable.
    #[inline]
    pub(crate) fn quads_mut(&mut self) -> &mut [[f64; LANES]] {
        let quads = self.len.div_ceil(LANES);
        &mut self.padded_mut().as_chunks_mut().0[..quads]
    }
}

impl<T: Pod + PartialEq> PartialEq for Column<T> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::level::Portable;
    use crate::soa::simd::Simd;

    #[test]
    fn is_aligned_and_padded_with_the_filler() {
        for len in [0_usize, 1, 3, 4, 7, 8, 9, 64, 65] {
            let column = Column::filled(len, 2.5, -1.0).unwrap();
            assert_eq!(column.as_slice().as_ptr().addr() % 64, 0, "length {len}");
            assert_eq!(column.padded().len() % 8, 0);
            assert!(column.as_slice().iter().all(|&x| x == 2.5));
            assert!(column.padded()[len..].iter().all(|&x| x == -1.0));
            assert_eq!(column.blocks::<<Portable as Simd>::Block>().len(), len.div_ceil(4));
        }
    }

    #[test]
    fn keeps_its_padding_through_growth_and_removal() {
        let mut column = Column::new(9_u8);
        column.extend_from_slice(&[1, 2, 3, 4, 5]).unwrap();
        column.remove_groups(&[1, 2], 1);
        assert_eq!(column.as_slice(), [1, 4, 5]);
        assert!(column.padded()[3..].iter().all(|&x| x == 9));
        column.push(7).unwrap();
        assert_eq!(column.as_slice(), [1, 4, 5, 7]);
        column.resize(1, 0).unwrap();
        assert!(column.padded()[1..].iter().all(|&x| x == 9));
    }

    #[test]
    fn closes_the_gaps_of_removed_groups() {
        let mut column = Column::new(0);
        column.extend_from_slice(&[0, 1, 10, 11, 20, 21, 30, 31, 40, 41]).unwrap();
        column.remove_groups(&[0, 2, 3], 2);
        assert_eq!(column.as_slice(), [10, 11, 40, 41]);
        column.remove_groups(&[1], 2);
        assert_eq!(column.as_slice(), [10, 11]);
    }

    #[test]
    fn the_last_group_takes_the_place_of_a_removed_one() {
        let mut column = Column::new(9);
        column.extend_from_slice(&[0, 1, 10, 11, 20, 21, 30, 31]).unwrap();
        column.swap_remove_group(0, 2);
        assert_eq!(column.as_slice(), [30, 31, 10, 11, 20, 21]);
        column.swap_remove_group(2, 2);
        assert_eq!(column.as_slice(), [30, 31, 10, 11]);
        assert!(column.padded()[4..].iter().all(|&x| x == 9));
        column.swap_remove_group(0, 4);
        assert!(column.is_empty() && column.padded().is_empty());
    }

    #[test]
    fn grows_with_the_filler_from_any_length() {
        for (len, count) in [(0, 1), (0, 8), (3, 5), (3, 6), (8, 1), (63, 200)] {
            let mut column = Column::filled(len, 1.0, -2.0).unwrap();
            column.reserve(count).unwrap();
            let place = column.as_slice().as_ptr();
            column.grow(count);
            assert_eq!((column.len(), column.as_slice().as_ptr()), (len + count, place));
            assert!(column.as_slice()[..len].iter().all(|&x| x == 1.0));
            assert!(column.padded()[len..].iter().all(|&x| x == -2.0));
        }
    }

    #[test]
    fn entries_are_pushed_over_the_ends_of_lines() {
        let mut column = Column::new(9_u16);
        for value in 0..100 {
            column.push(value).unwrap();
            assert_eq!(column.len(), usize::from(value) + 1);
            assert_eq!(column.padded().len() % 32, 0);
            assert!(column.padded()[column.len()..].iter().all(|&x| x == 9));
        }
        assert!(column.as_slice().iter().copied().eq(0..100));
    }

    #[test]
    fn knows_its_own_addresses() {
        let column = Column::filled(16, 1.0, 0.0).unwrap();
        let start = column.as_slice().as_ptr().addr();
        let end = start + column.memory_bytes();
        assert!(column.overlaps(&(start + 8..start + 9)) && column.overlaps(&(start - 8..end + 8)));
        assert!(!column.overlaps(&(start - 8..start)) && !column.overlaps(&(end..end + 8)));
        assert!(!Column::new(0.0).overlaps(&(0..usize::MAX)));
    }

    #[test]
    fn refuses_what_no_memory_can_hold() {
        let mut column = Column::new(0.0);
        assert!(matches!(column.resize(usize::MAX / 8, 0.0), Err(Error::OutOfMemory { .. })));
        assert!(column.is_empty());
    }
}
