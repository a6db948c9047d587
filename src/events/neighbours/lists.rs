//! Storage of the neighbour lists of all particles, in one allocation.

use bytemuck::{Pod, Zeroable};

use crate::soa::block::{LANES, LANES32};
use crate::soa::huge_pages;
use crate::soa::prefetch;
use crate::soa::simd::Simd;

/// Position and length of the list of a particle.
#[derive(Debug, Clone, Copy, Default)]
struct ListHead {
    start: u32,
    len: u32,
    capacity: u32,
}

/// A cache line of rows, so that lists start at cache lines where their capacity allows it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct CacheLine([u32; LINE]);

const LINE: usize = 16;

/// One list of rows per particle.
///
/// Lists are filled up with the particle's own row to a multiple of [`STEP`], so that they can be read in whole blocks
/// of four or eight.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists {
    heads: Vec<ListHead>,
    lines: Vec<CacheLine>,
    /// Rows in use by all segments together.
    used: usize,
    /// Capacity with which lists begin, and to which they return when they have become shorter.
    usual: u32,
    /// Starts of free segments, by capacity over [`STEP`].
    free: Vec<Vec<u32>>,
}

/// Capacities are multiples of this.
const STEP: usize = LANES32;

/// Free rows that a list of the usual capacity must have before a list leaves a longer segment for it.
const SLACK: u32 = 3;

impl Lists {
    /// Empty lists for this many particles, each with room for `capacity` rows.
    pub(crate) fn restart(&mut self, particles: usize, capacity: usize) {
        let capacity = capacity.next_multiple_of(STEP);
        self.free.clear();
        self.heads = huge_pages::with_capacity(particles);
        self.usual = capacity as u32;
        // Some lists will grow.
        self.lines =
            huge_pages::with_capacity((particles * capacity + particles * capacity / 64).div_ceil(LINE));
        self.used = 0;
        for row in 0..particles {
            let start = self.new_segment(capacity, row) as u32;
            self.heads.push(ListHead { start, len: 0, capacity: capacity as u32 });
        }
    }

    #[inline(always)]
    fn rows(&self) -> &[u32] {
        bytemuck::cast_slice(&self.lines)
    }

    #[inline(always)]
    fn rows_mut(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }

    #[inline(always)]
    pub(crate) fn of(&self, row: usize) -> &[u32] {
        let head = self.heads[row];
        &self.rows()[head.start as usize..(head.start + head.len) as usize]
    }

    /// The list in blocks of four, filled up with its own row.
    #[inline(always)]
    pub(crate) fn blocks_of(&self, row: usize) -> &[[u32; LANES]] {
        self.padded(row, LANES).as_chunks().0
    }

    /// The same in blocks of eight.
    #[inline(always)]
    fn large_blocks_of(&self, row: usize) -> &[[u32; LANES32]] {
        self.padded(row, LANES32).as_chunks().0
    }

    #[inline(always)]
    fn padded(&self, row: usize, block: usize) -> &[u32] {
        let head = self.heads[row];
        let end = head.start as usize + (head.len as usize).next_multiple_of(block);
        &self.rows()[head.start as usize..end]
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, row: usize, neighbour: usize) {
        if self.heads[row].len == self.heads[row].capacity {
            self.grow(row);
        }
        let head = &mut self.heads[row];
        let end = (head.start + head.len) as usize;
        head.len += 1;
        self.rows_mut()[end] = neighbour as u32;
    }

    /// Removes a neighbour from a list that contains it.
    #[inline(always)]
    pub(crate) fn remove<S: Simd>(&mut self, row: usize, neighbour: usize) {
        for (block, rows) in self.large_blocks_of(row).iter().enumerate() {
            let bits = S::equal_bits(rows, neighbour as u32);
            if bits != 0 {
                self.remove_at(row, LANES32 * block + bits.trailing_zeros() as usize);
                return;
            }
        }
    }

    /// Removes the neighbour at an index; the last one moves there.
    #[inline(always)]
    pub(crate) fn remove_at(&mut self, row: usize, at: usize) {
        let head = &mut self.heads[row];
        head.len -= 1;
        let (start, last) = (head.start as usize, (head.start + head.len) as usize);
        let long = head.capacity > self.usual && head.len + SLACK <= self.usual;
        let rows = self.rows_mut();
        rows[start + at] = rows[last];
        rows[last] = row as u32;
        if long {
            self.move_list(row, self.usual as usize);
        }
    }

    #[cold]
    fn grow(&mut self, row: usize) {
        self.move_list(row, (self.heads[row].capacity as usize * 5 / 4 + 1).next_multiple_of(STEP));
    }

    /// Moves a list to a segment of another capacity.
    #[cold]
    fn move_list(&mut self, row: usize, capacity: usize) {
        let old = self.heads[row];
        let start = self.segment(capacity, row);
        let from = old.start as usize;
        self.rows_mut().copy_within(from..from + old.len as usize, start);
        if self.free.len() <= old.capacity as usize / STEP {
            self.free.resize(old.capacity as usize / STEP + 1, Vec::new());
        }
        self.free[old.capacity as usize / STEP].push(old.start);
        self.heads[row] = ListHead { start: start as u32, len: old.len, capacity: capacity as u32 };
    }

    /// A free segment for a list, filled with its own row.
    fn segment(&mut self, capacity: usize, row: usize) -> usize {
        match self.free.get_mut(capacity / STEP).and_then(Vec::pop) {
            Some(start) => {
                self.rows_mut()[start as usize..start as usize + capacity].fill(row as u32);
                start as usize
            }
            None => self.new_segment(capacity, row),
        }
    }

    fn new_segment(&mut self, capacity: usize, row: usize) -> usize {
        let (start, end) = (self.used, self.used + capacity);
        assert!(end < u32::MAX as usize, "neighbour lists have more than 2^32 entries");
        let (lines, before) = (end.div_ceil(LINE), self.lines.len());
        huge_pages::reserve(&mut self.lines, lines - before);
        self.lines.resize(lines, CacheLine([row as u32; LINE]));
        self.rows_mut()[start..end].fill(row as u32);
        self.used = end;
        start
    }

    /// Total length of all lists.
    pub(crate) fn entries(&self) -> usize {
        self.heads.iter().map(|head| head.len as usize).sum()
    }

    #[inline(always)]
    pub(crate) fn prefetch_head(&self, row: usize) {
        prefetch::near(&self.heads, row);
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        let start = self.heads[row].start as usize;
        prefetch::near(self.rows(), start);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let free: usize = self.free.iter().map(|list| list.capacity() * size_of::<u32>()).sum();
        self.heads.capacity() * size_of::<ListHead>() + self.lines.capacity() * size_of::<CacheLine>() + free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::level::Portable;

    #[test]
    fn lists_grow_shrink_and_stay_padded() {
        let mut lists = Lists::default();
        lists.restart(3, 4);
        for n in 10..40 {
            lists.add(1, n);
        }
        lists.add(0, 7);
        assert_eq!(lists.of(1), (10..40).collect::<Vec<u32>>());
        assert_eq!(lists.blocks_of(1).concat()[30..], [1, 1]);
        assert_eq!(lists.blocks_of(0), [[7, 0, 0, 0]]);
        (10..39).for_each(|n| lists.remove::<Portable>(1, n));
        assert_eq!(lists.blocks_of(1), [[39, 1, 1, 1]]);
        // Free segments are used again.
        let used = lists.used;
        (0..16).for_each(|n| lists.add(2, n));
        assert_eq!(lists.used, used);
        assert_eq!(lists.of(2), (0..16).collect::<Vec<u32>>());
        assert_eq!(lists.entries(), 18);
        // A list that was long for a while leaves no memory in use.
        for _ in 0..9 {
            (50..70).for_each(|n| lists.add(0, n));
            (50..70).for_each(|n| lists.remove::<Portable>(0, n));
        }
        assert!(lists.used <= used + 40, "{} after {used}", lists.used);
        assert_eq!(lists.blocks_of(0), [[7, 0, 0, 0]]);
    }
}
