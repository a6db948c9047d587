//! Stores: structs of columns that all have one row per particle, frame or body.
//!
//! The [`store!`] macro declares such a struct as a list of columns, each with its name, its type and the filler of its
//! padding, and implements [`Rows`] for it: the operations that add, remove or move rows reach every column because
//! they follow from that list.

use std::ops::Range;

use bytemuck::Pod;

use super::{Column, memory};
use crate::error::{Error, Result};

/// Anything that has rows: a column, one column per axis, or a whole store.
pub(crate) trait Rows {
    /// How many rows fit before the columns must move in memory.
    fn row_capacity(&self) -> usize;

    /// Bytes of memory held.
    fn row_bytes(&self) -> usize;

    /// Makes room for exactly `additional` more rows.
    fn reserve_rows(&mut self, additional: usize) -> Result<()>;

    /// Makes room for at least `additional` more rows; the capacity grows geometrically.
    fn make_room(&mut self, additional: usize) -> Result<()>;

    /// Appends `count` rows that hold the filler. There must be room for them.
    fn grow_rows(&mut self, count: usize);

    /// Grows, with rows that hold the filler, or shrinks to `len` rows.
    fn resize_rows(&mut self, len: usize) -> Result<()>;

    /// Removes these rows, which are in rising order and exist, in one pass; the order of the others is kept.
    fn remove_rows(&mut self, rows: &[usize]);

    /// Removes a row that exists; the last row takes its place.
    fn swap_remove_row(&mut self, row: usize);

    /// Whether any byte of this range of addresses belongs to a column.
    #[cfg_attr(
        not(feature = "capi"),
        allow(dead_code, reason = "only callers in C have memory of their own")
    )]
    fn overlaps_rows(&self, addresses: &Range<usize>) -> bool;

    /// Releases memory that is not used.
    fn shrink_rows(&mut self);

    /// Copies all rows from `other`, which has as many.
    fn copy_rows(&mut self, other: &Self);

    /// Appends `count` rows that hold the filler to the `len` rows that exist; if allocation fails, nothing changes.
    fn append_rows(&mut self, len: usize, count: usize) -> Result<Range<usize>> {
        let Some(end) = len.checked_add(count) else {
            return Err(Error::OutOfMemory { bytes: usize::MAX });
        };
        self.make_room(count)?;
        self.grow_rows(count);
        Ok(len..end)
    }

    /// Shrinks to `len` rows.
    fn truncate_rows(&mut self, len: usize) {
        self.resize_rows(len).expect("shrinking allocates nothing");
    }
}

impl<T: Pod> Rows for Column<T> {
    fn row_capacity(&self) -> usize {
        self.capacity()
    }

    fn row_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn reserve_rows(&mut self, additional: usize) -> Result<()> {
        self.reserve_exact(additional)
    }

    #[inline]
    fn make_room(&mut self, additional: usize) -> Result<()> {
        self.reserve(additional)
    }

    #[inline]
    fn grow_rows(&mut self, count: usize) {
        self.grow(count);
    }

    fn resize_rows(&mut self, len: usize) -> Result<()> {
        self.resize_with_filler(len)
    }

    fn remove_rows(&mut self, rows: &[usize]) {
        self.remove_groups(rows, 1);
    }

    fn swap_remove_row(&mut self, row: usize) {
        self.swap_remove_group(row, 1);
    }

    fn overlaps_rows(&self, addresses: &Range<usize>) -> bool {
        self.overlaps(addresses)
    }

    fn shrink_rows(&mut self) {
        self.shrink_to_fit();
    }

    fn copy_rows(&mut self, other: &Self) {
        self.as_mut_slice().copy_from_slice(other.as_slice());
    }
}

/// Implements [`Rows`] for collections of columns by doing the same to each of them.
macro_rules! rows_of_each {
    ($(impl[$($parameter:tt)*] $Collection:ty;)*) => {$(
        impl<C: Rows, $($parameter)*> Rows for $Collection {
            fn row_capacity(&self) -> usize {
                self.iter().map(C::row_capacity).min().unwrap_or(usize::MAX)
            }

            fn row_bytes(&self) -> usize {
                self.iter().map(C::row_bytes).sum()
            }

            fn reserve_rows(&mut self, additional: usize) -> Result<()> {
                self.iter_mut().try_for_each(|column| column.reserve_rows(additional))
            }

            #[inline]
            fn make_room(&mut self, additional: usize) -> Result<()> {
                self.iter_mut().try_for_each(|column| column.make_room(additional))
            }

            #[inline]
            fn grow_rows(&mut self, count: usize) {
                self.iter_mut().for_each(|column| column.grow_rows(count));
            }

            fn resize_rows(&mut self, len: usize) -> Result<()> {
                self.iter_mut().try_for_each(|column| column.resize_rows(len))
            }

            fn remove_rows(&mut self, rows: &[usize]) {
                self.iter_mut().for_each(|column| column.remove_rows(rows));
            }

            fn swap_remove_row(&mut self, row: usize) {
                self.iter_mut().for_each(|column| column.swap_remove_row(row));
            }

            fn overlaps_rows(&self, addresses: &Range<usize>) -> bool {
                self.iter().any(|column| column.overlaps_rows(addresses))
            }

            fn shrink_rows(&mut self) {
                self.iter_mut().for_each(C::shrink_rows);
            }

            fn copy_rows(&mut self, other: &Self) {
                self.iter_mut().zip(other).for_each(|(column, from)| column.copy_rows(from));
            }
        }
    )*};
}

rows_of_each! {
    // One column per axis, of a dimension known at run time or at compile time.
    impl[] Vec<C>;
    impl[const N: usize] [C; N];
    // A column that some stores do not have.
    impl[] Option<C>;
}

/// Declares a store: a struct with columns and further state.
///
/// ```text
/// store! {
///     /// Balls of any dimension.
///     pub struct Balls(dim: usize) {
///         columns {
///             /// Centres in metres, per axis.
///             position: Vec<Column<f64>> = vec![Column::new(0.0); dim],
///             /// Radii in metres. The padding holds balls that nothing can touch.
///             radius: Column<f64> = Column::new(-1.0),
///         }
///         state {
///             is_checked: bool = true,
///         }
///     }
/// }
/// ```
///
/// The macro generates the struct, `Balls::empty(dim)`, which makes a store without rows, and `impl Rows for Balls`. The
/// parameters in parentheses are those of `empty`; the values behind `=` may use them.
macro_rules! store {
    (
        $(#[$attribute:meta])*
        $vis:vis struct $Store:ident $(<const $D:ident: usize>)? ($($parameter:ident: $Parameter:ty),*) {
            columns { $($(#[$column_doc:meta])* $column_vis:vis $column:ident: $Column:ty = $empty:expr,)* }
            state { $($(#[$state_doc:meta])* $state_vis:vis $state:ident: $State:ty = $initial:expr,)* }
        }
    ) => {
        $(#[$attribute])*
        $vis struct $Store $(<const $D: usize>)? {
            $($(#[$column_doc])* $column_vis $column: $Column,)*
            $($(#[$state_doc])* $state_vis $state: $State,)*
        }

        impl $(<const $D: usize>)? $Store $(<$D>)? {
            fn empty($($parameter: $Parameter),*) -> Self {
                Self { $($column: $empty,)* $($state: $initial,)* }
            }
        }

        impl $(<const $D: usize>)? $crate::soa::store::Rows for $Store $(<$D>)? {
            fn row_capacity(&self) -> usize {
                usize::MAX$(.min(self.$column.row_capacity()))*
            }

            fn row_bytes(&self) -> usize {
                0 $(+ self.$column.row_bytes())*
            }

            fn reserve_rows(&mut self, additional: usize) -> $crate::error::Result<()> {
                $(self.$column.reserve_rows(additional)?;)*
                Ok(())
            }

            #[inline]
            fn make_room(&mut self, additional: usize) -> $crate::error::Result<()> {
                $(self.$column.make_room(additional)?;)*
                Ok(())
            }

            #[inline]
            fn grow_rows(&mut self, count: usize) {
                $(self.$column.grow_rows(count);)*
            }

            fn resize_rows(&mut self, len: usize) -> $crate::error::Result<()> {
                $(self.$column.resize_rows(len)?;)*
                Ok(())
            }

            fn remove_rows(&mut self, rows: &[usize]) {
                $(self.$column.remove_rows(rows);)*
            }

            fn swap_remove_row(&mut self, row: usize) {
                $(self.$column.swap_remove_row(row);)*
            }

            fn overlaps_rows(&self, addresses: &std::ops::Range<usize>) -> bool {
                false $(|| self.$column.overlaps_rows(addresses))*
            }

            fn shrink_rows(&mut self) {
                $(self.$column.shrink_rows();)*
            }

            fn copy_rows(&mut self, other: &Self) {
                $(self.$column.copy_rows(&other.$column);)*
            }
        }
    };
}
pub(crate) use store;

/// The rows to be removed in rising order, checked: all of them are among the `len` rows, and none is listed twice.
///
/// `row` is the word for a row in error messages.
pub(crate) fn in_rising_order(row: &'static str, indices: &[usize], len: usize) -> Result<Vec<usize>> {
    if let Some(&index) = indices.iter().find(|&&index| index >= len) {
        return Err(Error::BadIndex { field: row, index, len });
    }
    let mut rows = memory::collect(indices.len(), indices.iter().copied())?;
    rows.sort_unstable();
    match rows.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(Error::OutOfRange { field: "index", value: pair[0] as f64, expected: "listed only once" })
        }
        None => Ok(rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    store! {
        #[derive(Debug, Clone, PartialEq)]
        struct Discs(dim: usize) {
            columns {
                position: Vec<Column<f64>> = vec![Column::new(0.0); dim],
                corners: [[Column<u32>; 2]; 2] = [(); 2].map(|()| [(); 2].map(|()| Column::new(7))),
                spin: Option<Column<f64>> = None,
                id: Column<u64> = Column::new(u64::MAX),
            }
            state {
                dim: usize = dim,
            }
        }
    }

    fn discs(count: u32) -> Discs {
        let mut discs = Discs::empty(3);
        discs.append_rows(0, count as usize).unwrap();
        for row in 0..count {
            discs.position[2].as_mut_slice()[row as usize] = f64::from(row);
            discs.corners[1][0].as_mut_slice()[row as usize] = row;
            discs.id.as_mut_slice()[row as usize] = row.into();
        }
        discs
    }

    #[test]
    fn new_rows_hold_the_fillers() {
        let mut discs = discs(2);
        assert_eq!(discs.append_rows(2, 3), Ok(2..5));
        assert_eq!(discs.id.as_slice(), [0, 1, u64::MAX, u64::MAX, u64::MAX]);
        assert_eq!(discs.corners[1][0].as_slice(), [0, 1, 7, 7, 7]);
        assert_eq!((discs.position.len(), discs.dim), (3, 3));
    }

    #[test]
    fn rows_are_removed_from_every_column() {
        let mut discs = discs(1000);
        let indices = [999, 3, 0, 4, 500];
        let rows = in_rising_order("disc", &indices, 1000).unwrap();
        discs.remove_rows(&rows);
        let kept: Vec<u64> = (0..1000).filter(|id| !indices.contains(&(*id as usize))).collect();
        assert_eq!(discs.id.as_slice(), kept);
        assert!(discs.position[2].as_slice().iter().zip(&kept).all(|(&x, &id)| x == id as f64));
        assert!(discs.corners[1][0].as_slice().iter().zip(&kept).all(|(&n, &id)| u64::from(n) == id));
        assert_eq!(discs.position[0].len(), 995);
        discs.remove_rows(&[]);
        assert_eq!(discs.id.len(), 995);
        discs.remove_rows(&(0..995).collect::<Vec<_>>());
        assert!(discs.id.is_empty());
    }

    #[test]
    fn the_last_row_of_every_column_takes_the_place_of_a_removed_one() {
        let mut discs = discs(10);
        discs.swap_remove_row(3);
        discs.swap_remove_row(8);
        assert_eq!(discs.id.as_slice(), [0, 1, 2, 9, 4, 5, 6, 7]);
        assert_eq!(discs.corners[1][0].as_slice(), [0, 1, 2, 9, 4, 5, 6, 7]);
        assert_eq!(discs.position[2].as_slice()[3], 9.0);
        let inside = discs.corners[0][1].as_slice().as_ptr().addr();
        assert!(discs.overlaps_rows(&(inside..inside + 4)) && !discs.overlaps_rows(&(8..16)));
    }

    #[test]
    fn indices_that_do_not_exist_or_are_listed_twice_are_refused() {
        let sorted = |indices: &[usize]| in_rising_order("disc", indices, 5);
        assert_eq!(sorted(&[4, 0, 2]), Ok(vec![0, 2, 4]));
        assert_eq!(sorted(&[0, 5]), Err(Error::BadIndex { field: "disc", index: 5, len: 5 }));
        assert!(matches!(sorted(&[3, 1, 3]), Err(Error::OutOfRange { value: 3.0, .. })));
        assert_eq!(sorted(&[]), Ok(vec![]));
    }

    #[test]
    fn a_failed_allocation_changes_nothing() {
        let mut discs = discs(9);
        let before = discs.clone();
        assert!(matches!(discs.append_rows(9, usize::MAX / 8), Err(Error::OutOfMemory { .. })));
        assert!(matches!(discs.append_rows(9, usize::MAX), Err(Error::OutOfMemory { .. })));
        assert_eq!(discs, before);
    }

    #[test]
    fn memory_is_that_of_all_columns() {
        let mut discs = discs(0);
        assert_eq!(discs.row_bytes(), 0);
        discs.reserve_rows(64).unwrap();
        assert_eq!(discs.row_bytes(), 64 * (3 * 8 + 4 * 4 + 8));
        assert_eq!(discs.row_capacity(), 64);
        discs.shrink_rows();
        assert_eq!(discs.row_bytes(), 0);
    }

    #[test]
    fn copies_are_equal() {
        let (mut copy, original) = (Discs::empty(3), discs(20));
        copy.append_rows(0, 20).unwrap();
        copy.copy_rows(&original);
        assert_eq!(copy, original);
    }
}
