//! Columns of bodies.

use std::ops::Range;

use super::growth::capacity_for;
use crate::error::{Error, Result};
use crate::geometry::{Pose, Rotation, Vec2};
use crate::rigid2d::batch::BodyField;
use crate::soa::Column;

/// What a body is, in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// An unused row.
    None = 0,
    /// Nothing moves it.
    Static = 1,
    /// It moves with its velocity, and no force or impulse changes that.
    Kinematic = 2,
    /// Forces and impulses move it.
    Dynamic = 3,
}

impl Kind {
    #[inline(always)]
    pub(crate) fn of(byte: u8) -> Self {
        match byte {
            1 => Self::Static,
            2 => Self::Kinematic,
            3 => Self::Dynamic,
            _ => Self::None,
        }
    }
}

/// Bits of the column of flags.
pub(crate) mod flag {
    /// It does not tunnel through moving bodies either.
    pub(crate) const BULLET: u8 = 1;
    /// It rests until something touches it or wakes it.
    pub(crate) const ASLEEP: u8 = 2;
    /// Its velocity is integrated by the caller.
    pub(crate) const OWN_VELOCITY: u8 = 4;
    /// Its position is integrated by the caller.
    pub(crate) const OWN_POSITION: u8 = 8;
}

/// Declares the store of bodies, and views of ranges of its rows.
macro_rules! bodies {
    (
        numbers { $($(#[$doc:meta])* $column:ident,)* }
        bytes { $($(#[$byte_doc:meta])* $byte_column:ident as $read_bytes:ident,)* }
    ) => {
        /// Columns of numbers, in their order.
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types)]
        pub(crate) enum Number { $($column,)* }

        /// Columns of bytes, in their order.
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types)]
        pub(crate) enum Byte { $($byte_column,)* }

        /// Number of columns of numbers.
        const NUMBERS: usize = [$(Number::$column),*].len();

        /// Number of columns of bytes.
        const BYTES: usize = [$(Byte::$byte_column),*].len();

        /// Rows of [`Bodies`], writable.
        #[derive(Debug)]
        pub(crate) struct BodiesMut<'a> {
            $($(#[$doc])* pub(crate) $column: &'a mut [f64],)*
            $($(#[$byte_doc])* pub(crate) $byte_column: &'a mut [u8],)*
        }

        impl Bodies {
            $(
                $(#[$doc])*
                #[inline]
                pub(crate) fn $column(&self) -> &[f64] {
                    self.numbers(Number::$column)
                }
            )*
            $(
                $(#[$byte_doc])*
                #[inline]
                pub(crate) fn $read_bytes(&self) -> &[u8] {
                    self.bytes(Byte::$byte_column)
                }
            )*

            /// All rows for a step, and the version.
            #[inline(always)]
            pub(crate) fn for_step(&mut self) -> (BodiesMut<'_>, u64) {
                let Self { memory, capacity, len, version, .. } = self;
                let (mut numbers, bytes) = memory.as_mut_slice().split_at_mut(NUMBERS * *capacity);
                let mut bytes: &mut [u8] = bytemuck::cast_slice_mut(bytes);
                let rows = BodiesMut {
                    $($column: cut(&mut numbers, *capacity, *len),)*
                    $($byte_column: cut(&mut bytes, *capacity, *len),)*
                };
                (rows, *version)
            }

            /// Copies rows of another store to rows from `to` on.
            pub(crate) fn copy_from(&mut self, to: usize, from: &Self, rows: Range<usize>) {
                self.forced = true;
                let there = to..to + rows.len();
                let (all, _) = self.for_step();
                $(all.$column[there.clone()].copy_from_slice(&from.$column()[rows.clone()]);)*
                $(all.$byte_column[there.clone()].copy_from_slice(&from.$read_bytes()[rows.clone()]);)*
            }
        }

        impl BodiesMut<'_> {
            /// Copies rows to rows from `to` on.
            pub(crate) fn copy_within(&mut self, rows: Range<usize>, to: usize) {
                $(self.$column.copy_within(rows.clone(), to);)*
                $(self.$byte_column.copy_within(rows.clone(), to);)*
            }
        }

        impl<'a> BodiesMut<'a> {
            /// The first rows, and the rest.
            pub(crate) fn split_at(self, rows: usize) -> (Self, Self) {
                $(let $column = self.$column.split_at_mut(rows);)*
                $(let $byte_column = self.$byte_column.split_at_mut(rows);)*
                (
                    BodiesMut { $($column: $column.0,)* $($byte_column: $byte_column.0,)* },
                    BodiesMut { $($column: $column.1,)* $($byte_column: $byte_column.1,)* },
                )
            }
        }
    };
}

bodies! {
    numbers {
        /// Of the centre of mass, in metres.
        x,
        /// Of the centre of mass, in metres.
        y,
        /// In radians, of any size.
        angle,
        /// Cosine of the angle.
        cos,
        /// Sine of the angle.
        sin,
        /// In metres per second.
        velocity_x,
        /// In metres per second.
        velocity_y,
        /// In radians per second.
        angular_velocity,
        /// In newtons, besides gravity.
        force_x,
        /// In newtons, besides gravity.
        force_y,
        /// In newton metres.
        torque,
        /// In kilograms; 0 where it does not matter.
        mass,
        /// In kilogram square metres; 0 where it does not matter.
        moment,
        /// In 1/kg; 0 if no force moves the body.
        inverse_mass,
        /// In 1/(kg m^2); 0 if no torque turns the body.
        inverse_moment,
        /// Distance of the farthest point of its shapes from its centre of mass, in metres.
        extent,
        /// Distance of the nearest side of its thinnest shape from the middle of that shape, in metres.
        thickness,
        /// How long the body has hardly moved, in seconds.
        rest_time,
    }
    bytes {
        /// A `Kind`.
        kind as kinds,
        /// Bits of `flag`.
        flags as flags,
    }
}

/// Bodies of all spaces of a batch, space after space. Positions are those of centres of mass.
///
/// All columns are in one piece of memory, so that a small space is made quickly. Those of numbers come first, each aligned to
/// a cache line; rows behind the last body are 0.
#[derive(Debug, Clone)]
pub(crate) struct Bodies {
    memory: Column<f64>,
    /// Rows that there is room for, a multiple of 8.
    capacity: usize,
    len: usize,
    /// Changes with everything that is written from outside of a step.
    pub(crate) version: u64,
    /// Whether there may be forces or torques.
    pub(crate) forced: bool,
    /// Whether numbers were written that have not been checked, and whether angles are among them.
    written: bool,
    angles_written: bool,
}

/// Cuts the first column off the rest, and its rows from it.
#[inline(always)]
fn cut<'a, T>(rest: &mut &'a mut [T], capacity: usize, len: usize) -> &'a mut [T] {
    let (column, behind) = std::mem::take(rest).split_at_mut(capacity);
    *rest = behind;
    &mut column[..len]
}

impl Bodies {
    /// No bodies.
    pub(crate) fn new() -> Self {
        Self {
            memory: Column::new(0.0),
            capacity: 0,
            len: 0,
            version: 0,
            forced: true,
            written: false,
            angles_written: false,
        }
    }

    /// Number of rows, unused ones included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many rows fit before the columns must move in memory.
    #[cfg(feature = "capi")]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory.memory_bytes()
    }

    #[inline]
    fn numbers(&self, column: Number) -> &[f64] {
        &self.memory.as_slice()[column as usize * self.capacity..][..self.len]
    }

    #[inline]
    fn bytes(&self, column: Byte) -> &[u8] {
        let bytes: &[u8] = bytemuck::cast_slice(&self.memory.as_slice()[NUMBERS * self.capacity..]);
        &bytes[column as usize * self.capacity..][..self.len]
    }

    /// Sets numbers of one body. Where all columns are not needed this is quicker than [`as_mut`](Self::as_mut).
    #[inline]
    pub(crate) fn set<const N: usize>(&mut self, row: usize, numbers: [(Number, f64); N]) {
        assert!(row < self.len, "there is no such row");
        self.note_change();
        let capacity = self.capacity;
        let memory = self.memory.as_mut_slice();
        for (column, number) in numbers {
            memory[column as usize * capacity + row] = number;
        }
    }

    /// Sets a byte of one body.
    #[inline]
    pub(crate) fn set_byte(&mut self, row: usize, column: Byte, byte: u8) {
        assert!(row < self.len, "there is no such row");
        self.note_change();
        let capacity = self.capacity;
        let bytes: &mut [u8] =
            bytemuck::cast_slice_mut(&mut self.memory.as_mut_slice()[NUMBERS * capacity..]);
        bytes[column as usize * capacity + row] = byte;
    }

    /// Something is changed from outside of a step.
    #[inline]
    fn note_change(&mut self) {
        self.version += 1;
        self.forced = true;
    }

    /// Appends unused rows.
    pub(crate) fn grow(&mut self, count: usize) -> Result<usize> {
        let first = self.len;
        self.reserve(count)?;
        let len = first + count;
        self.len = len;
        let cos = Number::cos as usize * self.capacity;
        self.memory.as_mut_slice()[cos + first..cos + len].fill(1.0);
        Ok(first)
    }

    /// Makes room for more rows.
    pub(crate) fn reserve(&mut self, count: usize) -> Result<()> {
        let len = self.len.checked_add(count).ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        if len > self.capacity { self.move_to(capacity_for(self.capacity, len)) } else { Ok(()) }
    }

    /// Moves to memory for so many rows.
    fn move_to(&mut self, capacity: usize) -> Result<()> {
        // Eight bytes to a number.
        let words =
            capacity.checked_mul(NUMBERS).and_then(|numbers| numbers.checked_add(capacity / 8 * BYTES));
        let words = words.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let mut grown = Self { memory: Column::zeros(words)?, capacity, ..Self::new() };
        grown.len = self.len;
        grown.copy_from(0, self, 0..self.len);
        (self.memory, self.capacity) = (grown.memory, capacity);
        Ok(())
    }

    /// All rows.
    #[inline(always)]
    pub(crate) fn as_mut(&mut self) -> BodiesMut<'_> {
        self.note_change();
        self.for_step().0
    }

    /// Notes that a column is written from outside.
    pub(crate) fn note_written(&mut self, angles: bool) {
        self.version += 1;
        self.forced = true;
        self.written = true;
        self.angles_written |= angles;
    }

    /// Checks what was written from outside since the last step, if anything was.
    pub(crate) fn check_written(&self) -> Result<()> {
        if self.written { self.check_columns() } else { Ok(()) }
    }

    /// Whether the numbers of all bodies are finite.
    pub(crate) fn check_columns(&self) -> Result<()> {
        for field in BodyField::ALL {
            let numbers = field.column(self);
            let used = |row: usize| self.kinds()[row] != Kind::None as u8;
            if let Some(row) = (0..numbers.len()).find(|&row| !numbers[row].is_finite() && used(row)) {
                return Err(Error::NotFinite { field: field.name(), index: row, value: numbers[row] });
            }
        }
        Ok(())
    }

    /// Checks what was written from outside, and lets it count.
    pub(crate) fn accept(&mut self) -> Result<()> {
        if !self.written {
            return Ok(());
        }
        self.check_columns()?;
        if std::mem::take(&mut self.angles_written) {
            for row in 0..self.len() {
                let Rotation { cos, sin } = Rotation::from_angle(self.angle()[row]);
                let (bodies, _) = self.for_step();
                (bodies.cos[row], bodies.sin[row]) = (cos, sin);
            }
        }
        self.written = false;
        Ok(())
    }

    /// A hash (FNV-1a) of the bits of poses and velocities of used rows.
    pub(crate) fn hash(&self, rows: Range<usize>) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for row in rows.filter(|&row| self.kinds()[row] != Kind::None as u8) {
            for field in &BodyField::ALL[..6] {
                for byte in field.column(self)[row].to_bits().to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
                }
            }
        }
        hash
    }

    /// What a body is.
    pub(crate) fn kind(&self, row: usize) -> Kind {
        Kind::of(self.kinds()[row])
    }

    /// Where the centre of mass of a body is, and how it is turned.
    pub(crate) fn pose(&self, row: usize) -> Pose {
        Pose {
            position: Vec2::new(self.x()[row], self.y()[row]),
            rotation: Rotation { cos: self.cos()[row], sin: self.sin()[row] },
        }
    }
}

impl BodiesMut<'_> {
    /// Number of rows.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.x.len()
    }

    /// What a body is.
    #[inline(always)]
    pub(crate) fn kind(&self, row: usize) -> Kind {
        Kind::of(self.kind[row])
    }

    /// Where the centre of mass of a body is, and how it is turned.
    #[inline(always)]
    pub(crate) fn pose(&self, row: usize) -> Pose {
        Pose {
            position: Vec2::new(self.x[row], self.y[row]),
            rotation: Rotation { cos: self.cos[row], sin: self.sin[row] },
        }
    }

    /// `[v_x, v_y, omega]` of a body.
    #[inline(always)]
    pub(crate) fn velocity(&self, row: usize) -> [f64; 3] {
        [self.velocity_x[row], self.velocity_y[row], self.angular_velocity[row]]
    }
}
