//! The neighbour lists of all particles, in one piece of memory.

use bytemuck::{Pod, Zeroable};

use crate::events::state::huge_pages;
use crate::soa::lanes::{self, LANES, LANES32};

/// Where the list of a particle is.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    start: u32,
    len: u32,
    capacity: u32,
}

/// A cache line of rows: a list of up to sixteen is in one.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u32; LINE]);

const LINE: usize = 16;

/// One list of rows a particle.
///
/// Lists are filled up with the particle's own row to a multiple of [`STEP`], so that they are read in whole blocks of
/// four or eight.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists {
    heads: Vec<Head>,
    lines: Vec<Line>,
    /// Rows that all pieces take together.
    used: usize,
    /// Capacity that lists begin with, and come back to when they have got shorter.
    usual: u32,
    /// Starts of pieces that are not in use, by capacity over [`STEP`].
    spare: Vec<Vec<u32>>,
}

/// Capacities are multiples of it.
const STEP: usize = LANES32;

/// Rows that a list must have room for before it leaves a piece that is longer than usual.
const SLACK: u32 = 3;

impl Lists {
    /// Empty lists for this many particles, each with room for `capacity` rows.
    pub(crate) fn restart(&mut self, particles: usize, capacity: usize) {
        let capacity = capacity.next_multiple_of(STEP);
        self.spare.clear();
        self.heads = huge_pages::roomy(particles);
        self.usual = capacity as u32;
        // A few lists will grow.
        self.lines = huge_pages::roomy((particles * capacity + particles * capacity / 64).div_ceil(LINE));
        self.used = 0;
        for row in 0..particles {
            let start = self.new_piece(capacity, row) as u32;
            self.heads.push(Head { start, len: 0, capacity: capacity as u32 });
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

    /// The list with its own row added up to a whole number of blocks of four.
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

    /// Takes a neighbour off a list on which it is.
    #[inline(always)]
    pub(crate) fn remove(&mut self, row: usize, neighbour: usize) {
        for (block, rows) in self.large_blocks_of(row).iter().enumerate() {
            let bits = lanes::equal_bits(rows, neighbour as u32);
            if bits != 0 {
                self.remove_at(row, LANES32 * block + bits.trailing_zeros() as usize);
                return;
            }
        }
    }

    /// Takes the neighbour at a place off the list; the last one comes there.
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

    /// Moves a list to a piece of another capacity.
    #[cold]
    fn move_list(&mut self, row: usize, capacity: usize) {
        let old = self.heads[row];
        let start = self.piece(capacity, row);
        let from = old.start as usize;
        self.rows_mut().copy_within(from..from + old.len as usize, start);
        if self.spare.len() <= old.capacity as usize / STEP {
            self.spare.resize(old.capacity as usize / STEP + 1, Vec::new());
        }
        self.spare[old.capacity as usize / STEP].push(old.start);
        self.heads[row] = Head { start: start as u32, len: old.len, capacity: capacity as u32 };
    }

    /// A piece of memory for a list, full of its own row.
    fn piece(&mut self, capacity: usize, row: usize) -> usize {
        match self.spare.get_mut(capacity / STEP).and_then(Vec::pop) {
            Some(start) => {
                self.rows_mut()[start as usize..start as usize + capacity].fill(row as u32);
                start as usize
            }
            None => self.new_piece(capacity, row),
        }
    }

    fn new_piece(&mut self, capacity: usize, row: usize) -> usize {
        let (start, end) = (self.used, self.used + capacity);
        assert!(end < u32::MAX as usize, "lists of neighbours beyond 2^32 entries");
        let (lines, before) = (end.div_ceil(LINE), self.lines.len());
        huge_pages::make_room(&mut self.lines, lines - before);
        self.lines.resize(lines, Line([row as u32; LINE]));
        self.rows_mut()[start..end].fill(row as u32);
        self.used = end;
        start
    }

    /// Neighbours of all particles together.
    pub(crate) fn entries(&self) -> usize {
        self.heads.iter().map(|head| head.len as usize).sum()
    }

    #[inline(always)]
    pub(crate) fn prefetch_head(&self, row: usize) {
        lanes::prefetch(&self.heads, row);
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        let start = self.heads[row].start as usize;
        lanes::prefetch(self.rows(), start);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let spare: usize = self.spare.iter().map(|list| list.capacity() * size_of::<u32>()).sum();
        self.heads.capacity() * size_of::<Head>() + self.lines.capacity() * size_of::<Line>() + spare
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        (10..39).for_each(|n| lists.remove(1, n));
        assert_eq!(lists.blocks_of(1), [[39, 1, 1, 1]]);
        // The pieces that were left are used again.
        let used = lists.used;
        (0..16).for_each(|n| lists.add(2, n));
        assert_eq!(lists.used, used);
        assert_eq!(lists.of(2), (0..16).collect::<Vec<u32>>());
        assert_eq!(lists.entries(), 18);
        // A list that was long for a while leaves nothing behind.
        for _ in 0..9 {
            (50..70).for_each(|n| lists.add(0, n));
            (50..70).for_each(|n| lists.remove(0, n));
        }
        assert!(lists.used <= used + 40, "{} after {used}", lists.used);
        assert_eq!(lists.blocks_of(0), [[7, 0, 0, 0]]);
    }
}
