//! Numbers of many structures in the caller's memory, in double or single precision.

use std::ops::Range;

use super::failure::{Failure, Result};
use super::memory::{Caller, Plain, Rows, RowsMut};

/// The type of numbers in the caller's memory: CAROM_DOUBLE or CAROM_FLOAT.
pub type carom_number_type = u32;

/// `double`, 64 bits.
pub const CAROM_DOUBLE: carom_number_type = 0;
/// `float`, 32 bits.
pub const CAROM_FLOAT: carom_number_type = 1;

/// In place of an offset: the caller's structures do not have this property.
pub const CAROM_ABSENT: usize = 0xFFFF_FFFF;

/// The precision of numbers in the caller's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Double,
    Single,
}

impl Precision {
    pub(super) fn of(numbers: carom_number_type) -> Result<Self> {
        match numbers {
            CAROM_DOUBLE => Ok(Self::Double),
            CAROM_FLOAT => Ok(Self::Single),
            _ => Err(Failure::UnknownValue { argument: "numbers", value: u64::from(numbers) }),
        }
    }

    /// Bytes of a number.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Double => size_of::<f64>(),
            Self::Single => size_of::<f32>(),
        }
    }
}

/// `width` numbers of each of many structures, to be read.
#[derive(Clone, Copy)]
pub(super) enum Numbers {
    Double(Rows<f64>),
    Single(Rows<f32>),
}

impl Numbers {
    /// Number `k` of the structures from `first` on, in double precision.
    #[inline]
    pub(super) fn copy(&self, k: usize, first: usize, to: &mut [f64]) {
        match self {
            Self::Double(rows) => rows.copy_column(k, first, to),
            Self::Single(rows) => rows.copy_column(k, first, to),
        }
    }

    /// Whether number `k` of `count` structures from `first` on is 0.
    pub(super) fn are_zero(&self, k: usize, first: usize, count: usize) -> bool {
        match self {
            Self::Double(rows) => rows.all(k, first..first + count, |x| x == 0.0),
            Self::Single(rows) => rows.all(k, first..first + count, |x| x == 0.0),
        }
    }

    /// From the first to the last byte.
    pub(super) fn addresses(&self) -> Range<usize> {
        match self {
            Self::Double(rows) => rows.addresses(),
            Self::Single(rows) => rows.addresses(),
        }
    }
}

/// `width` numbers of each of many structures, to be written.
pub(super) enum NumbersMut {
    Double(RowsMut<f64>),
    Single(RowsMut<f32>),
}

impl NumbersMut {
    /// Writes all numbers of the structures from the first on, as they are or in single precision.
    #[inline]
    pub(super) fn put_rows<'a, V: 'a, const N: usize>(
        &self,
        values: &'a [V],
        doubles: impl Fn(&'a V) -> [f64; N],
        singles: impl Fn(&'a V) -> [f32; N],
    ) {
        let rows = values.iter().enumerate();
        match self {
            Self::Double(place) => rows.for_each(|(row, value)| place.put_all(row, doubles(value))),
            Self::Single(place) => rows.for_each(|(row, value)| place.put_all(row, singles(value))),
        }
    }

    /// Writes number `k` of `count` structures. `fetch` gets some of them at a time: nothing is borrowed while they are
    /// written, because the structures may lie in our own columns.
    pub(super) fn put_column(
        &self,
        k: usize,
        count: usize,
        mut fetch: impl FnMut(usize, &mut [f64]) -> Result<()>,
    ) -> Result<()> {
        let mut piece = [0.0; PIECE];
        for start in (0..count).step_by(PIECE) {
            let piece = &mut piece[..PIECE.min(count - start)];
            fetch(start, piece)?;
            match self {
                Self::Double(rows) => (start..).zip(&*piece).for_each(|(row, &x)| rows.put(row, k, x)),
                Self::Single(rows) => (start..).zip(&*piece).for_each(|(row, &x)| rows.put(row, k, x as f32)),
            }
        }
        Ok(())
    }
}

/// Numbers that are written at a time.
const PIECE: usize = 256;

/// An array of structures of the caller: where each property is, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Structures {
    pub(super) precision: Precision,
    pub(super) stride: usize,
    pub(super) count: usize,
}

impl Structures {
    /// The stride that was given, or for 0 the end of the last of these properties (offset and bytes), which follow each
    /// other without a gap from one structure to the next.
    pub(super) fn stride_or_end(stride: usize, properties: &[(usize, usize)]) -> usize {
        let end = |&(offset, bytes): &(usize, usize)| offset.saturating_add(bytes);
        let present = properties.iter().filter(|property| property.0 != CAROM_ABSENT);
        if stride != 0 { stride } else { present.map(end).max().unwrap_or(0) }
    }

    /// Where a property with this offset begins in the first structure; none if the structures do not have it.
    ///
    /// The offset is within the structure, and the pointer may be null only if there are no structures.
    fn place<T>(&self, data: *const u8, offset: usize, bytes: usize) -> Result<Option<*const T>> {
        if offset == CAROM_ABSENT {
            return Ok(None);
        }
        if offset.checked_add(bytes).is_none_or(|end| end > self.stride) {
            let expected = "so that the property ends within the stride";
            let error = crate::Error::OutOfRange { field: "offset", value: offset as f64, expected };
            return Err(error.into());
        }
        let place = if data.is_null() { data } else { data.wrapping_add(offset) };
        Ok(Some(place.cast()))
    }

    /// The `width` numbers at an offset; none if the structures do not have them.
    pub(super) fn numbers(
        &self,
        caller: &Caller,
        data: *const u8,
        offset: usize,
        width: usize,
    ) -> Result<Option<Numbers>> {
        let bytes = width * self.precision.bytes();
        match self.precision {
            Precision::Double => {
                self.rows::<f64>(caller, data, offset, width, bytes).map(|rows| rows.map(Numbers::Double))
            }
            Precision::Single => {
                self.rows::<f32>(caller, data, offset, width, bytes).map(|rows| rows.map(Numbers::Single))
            }
        }
    }

    /// The `width` values at an offset; none if the structures do not have them.
    fn rows<T: Plain>(
        &self,
        caller: &Caller,
        data: *const u8,
        offset: usize,
        width: usize,
        bytes: usize,
    ) -> Result<Option<Rows<T>>> {
        let place = self.place(data, offset, bytes)?;
        place.map(|data| caller.rows("data", data, self.stride, width, self.count)).transpose()
    }

    /// A value at an offset; none if the structures do not have it.
    pub(super) fn values<T: Plain>(
        &self,
        caller: &Caller,
        data: *const u8,
        offset: usize,
    ) -> Result<Option<Rows<T>>> {
        self.rows(caller, data, offset, 1, size_of::<T>())
    }

    /// Like [`numbers`](Self::numbers), to be written.
    pub(super) fn numbers_mut(
        &self,
        caller: &Caller,
        data: *mut u8,
        offset: usize,
        width: usize,
    ) -> Result<Option<NumbersMut>> {
        match self.precision {
            Precision::Double => Ok(self.rows_mut(caller, data, offset, width)?.map(NumbersMut::Double)),
            Precision::Single => Ok(self.rows_mut(caller, data, offset, width)?.map(NumbersMut::Single)),
        }
    }

    /// The `width` values at an offset, to be written; none if the structures do not have them.
    pub(super) fn rows_mut<T: Plain>(
        &self,
        caller: &Caller,
        data: *mut u8,
        offset: usize,
        width: usize,
    ) -> Result<Option<RowsMut<T>>> {
        let place = self.place::<T>(data, offset, width * size_of::<T>())?;
        let rows = |data: *const T| caller.rows_mut("data", data.cast_mut(), self.stride, width, self.count);
        place.map(rows).transpose()
    }
}
