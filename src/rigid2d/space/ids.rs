//! Ids of bodies and shapes, and tables whose rows are used again.

use crate::error::{Error, Result};
use crate::rigid2d::engine::growth::{bytes_of, reserve_rows};

/// Declares a type of ids.
macro_rules! id {
    ($(#[$doc:meta])* $Id:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $Id {
            pub(crate) index: u32,
            pub(crate) generation: u32,
        }

        impl $Id {
            pub(crate) const WHAT: &'static str = $what;

            /// Its row. Rows of what was removed are used again.
            #[must_use]
            pub const fn index(self) -> usize {
                self.index as usize
            }

            /// How often something was removed from its row before.
            #[must_use]
            pub const fn generation(self) -> u32 {
                self.generation
            }

            /// Both as one number, for other languages and for tables of the user.
            #[must_use]
            pub const fn to_bits(self) -> u64 {
                (self.generation as u64) << 32 | self.index as u64
            }

            /// The inverse of [`to_bits`](Self::to_bits). Any number is an id, perhaps of nothing.
            #[must_use]
            pub const fn from_bits(bits: u64) -> Self {
                Self { index: bits as u32, generation: (bits >> 32) as u32 }
            }

            pub(crate) fn dead(self) -> Error {
                Error::DeadId { what: Self::WHAT, index: self.index() }
            }
        }
    };
}

id! {
    /// A body of a space.
    ///
    /// The id of a removed body is dead: its use is [an error](Error::DeadId), also when another body has its row.
    BodyId, "body"
}

id! {
    /// A shape of a space.
    ///
    /// The id of a removed shape is dead: its use is [an error](Error::DeadId), also when another shape has its row.
    ShapeId, "shape"
}

/// Rows that are used again, with the number of times that each was.
#[derive(Debug, Clone)]
pub(crate) struct Table<T> {
    rows: Vec<(u32, Option<T>)>,
    used: usize,
}

impl<T> Table<T> {
    pub(crate) const fn new() -> Self {
        Self { rows: Vec::new(), used: 0 }
    }

    /// Rows with their generations, used or not.
    pub(crate) fn of(rows: impl ExactSizeIterator<Item = (u32, Option<T>)>) -> Result<Self> {
        let mut table = Self::new();
        table.reserve(rows.len())?;
        for (row, entry) in table.rows.iter_mut().zip(rows) {
            table.used += usize::from(entry.1.is_some());
            *row = entry;
        }
        Ok(table)
    }

    /// Bytes of memory held by rows, but for what is in memory of its own.
    pub(crate) fn memory_bytes(&self) -> usize {
        bytes_of(&self.rows)
    }

    /// How many rows are used.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Number of rows, unused ones included.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Makes room for rows up to this number.
    pub(crate) fn reserve(&mut self, rows: usize) -> Result<()> {
        reserve_rows(&mut self.rows, rows)?;
        while self.rows.len() < rows {
            self.rows.push((0, None));
        }
        Ok(())
    }

    /// Fills a row that is free and for which there is room, and returns its generation.
    pub(crate) fn insert(&mut self, row: u32, value: T) -> u32 {
        let (generation, entry) = &mut self.rows[row as usize];
        debug_assert!(entry.is_none(), "row {row} is used");
        *entry = Some(value);
        self.used += 1;
        *generation
    }

    /// Empties a row.
    pub(crate) fn remove(&mut self, row: u32) -> Option<T> {
        let (generation, entry) = &mut self.rows[row as usize];
        let value = entry.take()?;
        *generation = generation.wrapping_add(1);
        self.used -= 1;
        Some(value)
    }

    /// The entry with this row and generation.
    pub(crate) fn get(&self, row: u32, generation: u32) -> Option<&T> {
        let (current, entry) = self.rows.get(row as usize)?;
        entry.as_ref().filter(|_| *current == generation)
    }

    /// The entry of a row, if it is used.
    pub(crate) fn get_row(&self, row: u32) -> Option<&T> {
        self.rows.get(row as usize)?.1.as_ref()
    }

    /// The entry of a row that is used.
    #[inline(always)]
    pub(crate) fn at(&self, row: u32) -> &T {
        self.rows[row as usize].1.as_ref().expect("the row is used")
    }

    /// The entry of a row that is used, writable.
    #[inline(always)]
    pub(crate) fn at_mut(&mut self, row: u32) -> &mut T {
        self.rows[row as usize].1.as_mut().expect("the row is used")
    }

    /// The generation of a row.
    pub(crate) fn generation(&self, row: u32) -> u32 {
        self.rows[row as usize].0
    }

    /// Used rows with their generations and entries, in rising order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, u32, &T)> {
        self.rows
            .iter()
            .enumerate()
            .filter_map(|(row, (generation, entry))| Some((row as u32, *generation, entry.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers() {
        let id = BodyId { index: 7, generation: 0xFFFF_FFFE };
        assert_eq!(BodyId::from_bits(id.to_bits()), id);
        assert_eq!((id.index(), id.generation()), (7, 0xFFFF_FFFE));
        assert_eq!(ShapeId::from_bits(3).dead(), Error::DeadId { what: "shape", index: 3 });
    }

    #[test]
    fn a_row_that_is_used_again_has_another_generation() {
        let mut table = Table::new();
        table.reserve(3).unwrap();
        assert_eq!((table.insert(1, 'a'), table.len()), (0, 1));
        assert_eq!(table.get(1, 0), Some(&'a'));
        assert_eq!((table.remove(1), table.remove(1), table.len()), (Some('a'), None, 0));
        assert_eq!(table.insert(1, 'b'), 1);
        assert_eq!((table.get(1, 0), table.get(1, 1), table.get(9, 0)), (None, Some(&'b'), None));
        table.insert(0, 'c');
        assert_eq!(table.iter().collect::<Vec<_>>(), [(0, 0, &'c'), (1, 1, &'b')]);
    }
}
