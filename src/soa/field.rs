//! What a store declares about each of its fields of `f64`: name, number of columns, and which values it accepts.

use super::check;
use crate::error::{Error, Result};

/// Which values a field accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Any finite number.
    Finite,
    /// Any finite number; only 0 in rows that are fixed.
    ZeroIfFixed,
    /// Any finite number from 0 on.
    NonNegative,
    /// None: the store computes the values, and callers can only read them.
    Derived,
}

/// The declaration of one field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldSpec {
    /// Its name in error messages.
    pub(crate) name: &'static str,
    pub(crate) rule: Rule,
    per_axis: bool,
    /// What a derived field follows from, for error messages.
    source: &'static str,
}

impl FieldSpec {
    /// A field of vectors: one column per axis.
    pub(crate) const fn vector(name: &'static str, rule: Rule) -> Self {
        Self { name, rule, per_axis: true, source: "" }
    }

    /// A field of scalars: one column.
    pub(crate) const fn scalar(name: &'static str, rule: Rule) -> Self {
        Self { name, rule, per_axis: false, source: "" }
    }

    /// A field of scalars that follow from other columns.
    pub(crate) const fn derived(name: &'static str, source: &'static str) -> Self {
        Self { name, rule: Rule::Derived, per_axis: false, source }
    }

    /// Number of columns, which is the number of values per row, in dimension `dim`.
    #[inline]
    pub(crate) fn width(&self, dim: usize) -> usize {
        if self.per_axis { dim } else { 1 }
    }

    /// Whether row `index` may hold these values, one per column.
    #[inline]
    pub(crate) fn check_row(&self, values: &[f64], dim: usize, index: usize, is_fixed: bool) -> Result<()> {
        self.check_writable()?;
        check::length(self.name, index, self.width(dim), values.len())?;
        for &value in values {
            match self.rule {
                Rule::NonNegative => check::non_negative(self.name, index, value)?,
                _ => check::finite(self.name, index, value)?,
            }
        }
        if self.rule == Rule::ZeroIfFixed && is_fixed && values.iter().any(|&value| value != 0.0) {
            return Err(Error::Fixed { field: self.name, index });
        }
        Ok(())
    }

    /// Whether a column may hold these values, one per row. `fixed` has a flag per row, or none if no row is fixed.
    pub(crate) fn check_column(&self, values: &[f64], fixed: &[u8]) -> Result<()> {
        self.check_writable()?;
        match self.rule {
            Rule::NonNegative => check::all_non_negative(self.name, values)?,
            _ => check::all_finite(self.name, values)?,
        }
        if self.rule == Rule::ZeroIfFixed {
            check::zero_where_fixed(self.name, values, fixed)
        } else {
            Ok(())
        }
    }

    /// Whether callers may write to the field at all.
    #[inline]
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.rule == Rule::Derived {
            Err(Error::ReadOnly { field: self.name, reason: self.source })
        } else {
            Ok(())
        }
    }
}
