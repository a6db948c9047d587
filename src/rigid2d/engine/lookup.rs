//! Which pair of shapes has which slot.

use crate::error::{Error, Result};

/// A hash table from pairs of shapes to slots, whose pairs of shapes are kept by the caller. Its order is never used, so hashing
/// does not show in results.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lookup {
    /// Slots, or [`FREE`]. Their number is 0 or a power of two, at most half are in use.
    entries: Vec<u32>,
    len: usize,
}

/// No slot.
const FREE: u32 = u32::MAX;

impl Lookup {
    /// The slot of a pair, given the pairs per slot.
    #[inline(always)]
    pub(crate) fn get(&self, shapes: [u32; 2], keys: &[[u32; 2]]) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let slot = self.entries[self.place(shapes, keys)];
        (slot != FREE).then_some(slot)
    }

    /// Adds a pair that is not there yet.
    pub(crate) fn insert(&mut self, shapes: [u32; 2], slot: u32, keys: &[[u32; 2]]) -> Result<()> {
        if 2 * (self.len + 1) > self.entries.len() {
            self.grow(keys)?;
        }
        let place = self.place(shapes, keys);
        self.entries[place] = slot;
        self.len += 1;
        Ok(())
    }

    /// Removes a pair, if it is there.
    pub(crate) fn remove(&mut self, shapes: [u32; 2], keys: &[[u32; 2]]) {
        if self.get(shapes, keys).is_none() {
            return;
        }
        self.len -= 1;
        let mask = self.entries.len() - 1;
        let mut hole = self.place(shapes, keys);
        let mut next = (hole + 1) & mask;
        // Entries behind the hole move up unless they would come before the place of their hash.
        while self.entries[next] != FREE {
            let home = self.home(keys[self.entries[next] as usize]);
            if (next.wrapping_sub(home) & mask) >= (next.wrapping_sub(hole) & mask) {
                self.entries[hole] = self.entries[next];
                hole = next;
            }
            next = (next + 1) & mask;
        }
        self.entries[hole] = FREE;
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u32>()
    }

    fn grow(&mut self, keys: &[[u32; 2]]) -> Result<()> {
        let size = (2 * self.entries.len()).max(16);
        let mut larger = Self::default();
        let bytes = size * size_of::<u32>();
        larger.entries.try_reserve_exact(size).map_err(|_| Error::OutOfMemory { bytes })?;
        larger.entries.resize(size, FREE);
        for &slot in self.entries.iter().filter(|&&slot| slot != FREE) {
            let place = larger.place(keys[slot as usize], keys);
            larger.entries[place] = slot;
        }
        self.entries = larger.entries;
        Ok(())
    }

    /// Where the pair is, or the free place where it belongs.
    #[inline(always)]
    fn place(&self, shapes: [u32; 2], keys: &[[u32; 2]]) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = self.home(shapes);
        while self.entries[place] != FREE && keys[self.entries[place] as usize] != shapes {
            place = (place + 1) & mask;
        }
        place
    }

    #[inline(always)]
    fn home(&self, [a, b]: [u32; 2]) -> usize {
        let key = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (key >> 32) as usize & (self.entries.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_added_and_not_what_was_removed() {
        let mut lookup = Lookup::default();
        let keys: Vec<[u32; 2]> = (0..1000).map(|n| [n % 37, n]).collect();
        assert_eq!(lookup.get([1, 2], &keys), None);
        for n in 0..1000_u32 {
            lookup.insert([n % 37, n], n, &keys).unwrap();
        }
        for n in (0..1000).step_by(3) {
            lookup.remove([n % 37, n], &keys);
        }
        for n in 0..1000 {
            assert_eq!(lookup.get([n % 37, n], &keys), (n % 3 != 0).then_some(n));
        }
        lookup.remove([5, 5000], &keys);
    }
}
