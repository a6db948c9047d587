//! The shapes of a body.

use std::ops::Deref;

use crate::error::{Error, Result};

/// Rows of shapes in the order in which they were added. One row, as most bodies have, needs no memory of its own.
#[derive(Debug, Clone, Default)]
pub(super) enum ShapeList {
    #[default]
    None,
    One(u32),
    Many(Vec<u32>),
}

impl ShapeList {
    /// Makes room for one more row.
    pub(super) fn reserve(&mut self) -> Result<()> {
        let failed = |_| Error::OutOfMemory { bytes: size_of::<u32>() };
        match self {
            Self::None => {}
            Self::One(row) => {
                let mut rows = Vec::new();
                rows.try_reserve(2).map_err(failed)?;
                rows.push(*row);
                *self = Self::Many(rows);
            }
            Self::Many(rows) => rows.try_reserve(1).map_err(failed)?,
        }
        Ok(())
    }

    pub(super) fn push(&mut self, row: u32) {
        match self {
            Self::None => *self = Self::One(row),
            Self::One(first) => *self = Self::Many(vec![*first, row]),
            Self::Many(rows) => rows.push(row),
        }
    }

    /// Removes a row, if it is there.
    pub(super) fn remove(&mut self, row: u32) {
        match self {
            Self::Many(rows) => rows.retain(|&other| other != row),
            Self::One(only) if *only == row => *self = Self::None,
            _ => {}
        }
    }

    /// Bytes of memory held.
    pub(super) fn memory_bytes(&self) -> usize {
        if let Self::Many(rows) = self { rows.capacity() * size_of::<u32>() } else { 0 }
    }
}

impl Deref for ShapeList {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            Self::None => &[],
            Self::One(row) => std::slice::from_ref(row),
            Self::Many(rows) => rows,
        }
    }
}

impl From<&[u32]> for ShapeList {
    fn from(rows: &[u32]) -> Self {
        match rows {
            [] => Self::None,
            [row] => Self::One(*row),
            rows => Self::Many(rows.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_in_their_order() {
        let mut list = ShapeList::default();
        for row in [7, 3, 9, 1] {
            list.reserve().unwrap();
            list.push(row);
        }
        list.remove(9);
        list.remove(8);
        assert_eq!(*list, [7, 3, 1]);
        [7, 1, 3].into_iter().for_each(|row| list.remove(row));
        assert!(list.is_empty());
        let mut list = ShapeList::from(&[5_u32][..]);
        assert_eq!((list.memory_bytes(), &list[..]), (0, &[5][..]));
        list.remove(4);
        assert_eq!(*list, [5]);
        list.remove(5);
        assert!(list.is_empty());
        assert_eq!(*ShapeList::from(&[2_u32, 1][..]), [2, 1]);
    }
}
