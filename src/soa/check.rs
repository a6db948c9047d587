//! Checks of numbers, lengths and indices that enter columns. Each error names the field and the row.

use std::ops::Range;

use crate::error::{Error, Result};

/// Whether `index` is below `len`; `field` says what is indexed.
pub(crate) fn index(field: &'static str, index: usize, len: usize) -> Result<()> {
    if index < len { Ok(()) } else { Err(Error::BadIndex { field, index, len }) }
}

/// Whether all of these rows are among the `len` that exist; `row` is the word for one of them.
pub(crate) fn rows(row: &'static str, rows: &Range<usize>, len: usize) -> Result<()> {
    let end = rows.end.max(rows.start);
    if end <= len { Ok(()) } else { index(row, end - 1, len) }
}

pub(crate) fn length(field: &'static str, index: usize, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::WrongLength { field, index, expected, found }) }
}

pub(crate) fn finite(field: &'static str, index: usize, value: f64) -> Result<()> {
    if value.is_finite() { Ok(()) } else { Err(Error::NotFinite { field, index, value }) }
}

pub(crate) fn non_negative(field: &'static str, index: usize, value: f64) -> Result<()> {
    finite(field, index, value)?;
    if value >= 0.0 { Ok(()) } else { Err(Error::Negative { field, index, value }) }
}

pub(crate) fn all_finite(field: &'static str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => finite(field, index, values[index]),
        None => Ok(()),
    }
}

pub(crate) fn all_non_negative(field: &'static str, values: &[f64]) -> Result<()> {
    // Without an early end, so that the compiler uses lanes.
    if values.iter().fold(true, |all, value| all & (0.0..=f64::MAX).contains(value)) {
        return Ok(());
    }
    match values.iter().position(|&value| !(value >= 0.0 && value.is_finite())) {
        Some(index) => non_negative(field, index, values[index]),
        None => Ok(()),
    }
}

/// Whether the values of all rows whose flag is not 0 are 0.
pub(crate) fn zero_where_fixed(field: &'static str, values: &[f64], fixed: &[u8]) -> Result<()> {
    match fixed.iter().zip(values).position(|(&fixed, &value)| fixed != 0 && value != 0.0) {
        Some(index) => Err(Error::Fixed { field, index }),
        None => Ok(()),
    }
}
