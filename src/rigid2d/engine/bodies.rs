//! Columns of bodies.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::geometry::{Pose, Rotation, Vec2};
use crate::rigid2d::batch::BodyField;
use crate::soa::Column;
use crate::soa::store::store;

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
    ($($(#[$doc:meta])* $column:ident: $Number:ty = $filler:expr,)*) => {
        store! {
            /// Bodies of all spaces of a batch, space after space. Positions are those of centres of mass.
            #[derive(Debug, Clone)]
            pub(crate) struct Bodies() {
                columns { $($(#[$doc])* pub(crate) $column: Column<$Number> = Column::new($filler),)* }
                state {
                    /// Changes with everything that is written from outside of a step.
                    pub(crate) version: u64 = 0,
                    /// Whether there may be forces or torques.
                    pub(crate) forced: bool = true,
                    /// Whether numbers were written that have not been checked, and whether angles are among them.
                    written: bool = false,
                    angles_written: bool = false,
                }
            }
        }

        /// Rows of [`Bodies`], writable.
        #[derive(Debug)]
        pub(crate) struct BodiesMut<'a> {
            $($(#[$doc])* pub(crate) $column: &'a mut [$Number],)*
        }

        impl Bodies {
            /// All rows.
            pub(crate) fn as_mut(&mut self) -> BodiesMut<'_> {
                self.version += 1;
                self.forced = true;
                self.for_step().0
            }

            /// All rows for a step, and the version.
            pub(crate) fn for_step(&mut self) -> (BodiesMut<'_>, u64) {
                (BodiesMut { $($column: self.$column.as_mut_slice(),)* }, self.version)
            }

            /// Copies a row of another store.
            pub(crate) fn copy_row(&mut self, to: usize, from: &Self, row: usize) {
                self.forced = true;
                $(self.$column.as_mut_slice()[to] = from.$column.as_slice()[row];)*
            }
        }

        impl<'a> BodiesMut<'a> {
            /// The first rows, and the rest.
            pub(crate) fn split_at(self, rows: usize) -> (Self, Self) {
                $(let $column = self.$column.split_at_mut(rows);)*
                (BodiesMut { $($column: $column.0,)* }, BodiesMut { $($column: $column.1,)* })
            }
        }
    };
}

bodies! {
    /// Of the centre of mass, in metres.
    x: f64 = 0.0,
    /// Of the centre of mass, in metres.
    y: f64 = 0.0,
    /// In radians, of any size.
    angle: f64 = 0.0,
    /// Cosine of the angle.
    cos: f64 = 1.0,
    /// Sine of the angle.
    sin: f64 = 0.0,
    /// In metres per second.
    velocity_x: f64 = 0.0,
    /// In metres per second.
    velocity_y: f64 = 0.0,
    /// In radians per second.
    angular_velocity: f64 = 0.0,
    /// In newtons, besides gravity.
    force_x: f64 = 0.0,
    /// In newtons, besides gravity.
    force_y: f64 = 0.0,
    /// In newton metres.
    torque: f64 = 0.0,
    /// In kilograms; 0 where it does not matter.
    mass: f64 = 0.0,
    /// In kilogram square metres; 0 where it does not matter.
    moment: f64 = 0.0,
    /// In 1/kg; 0 if no force moves the body.
    inverse_mass: f64 = 0.0,
    /// In 1/(kg m^2); 0 if no torque turns the body.
    inverse_moment: f64 = 0.0,
    /// Distance of the farthest point of its shapes from its centre of mass, in metres.
    extent: f64 = 0.0,
    /// Distance of the nearest side of its thinnest shape from the middle of that shape, in metres.
    thickness: f64 = 0.0,
    /// How long the body has hardly moved, in seconds.
    rest_time: f64 = 0.0,
    /// A `Kind`.
    kind: u8 = 0,
    /// Bits of `flag`.
    flags: u8 = 0,
}

impl Bodies {
    /// No bodies.
    pub(crate) fn new() -> Self {
        Self::empty()
    }

    /// Number of rows, unused ones included.
    pub(crate) fn len(&self) -> usize {
        self.x.len()
    }

    /// Appends unused rows.
    pub(crate) fn grow(&mut self, count: usize) -> Result<usize> {
        use crate::soa::store::Rows;
        Ok(self.append_rows(self.len(), count)?.start)
    }

    /// Notes that a column is written from outside.
    pub(crate) fn note_written(&mut self, angles: bool) {
        self.version += 1;
        self.forced = true;
        self.written = true;
        self.angles_written |= angles;
    }

    /// Checks what was written from outside.
    pub(crate) fn accept(&mut self) -> Result<()> {
        if !self.written {
            return Ok(());
        }
        for field in BodyField::ALL {
            let numbers = field.column(self).as_slice();
            let used = |row: usize| self.kind.as_slice()[row] != Kind::None as u8;
            if let Some(row) = (0..numbers.len()).find(|&row| !numbers[row].is_finite() && used(row)) {
                return Err(Error::NotFinite { field: field.name(), index: row, value: numbers[row] });
            }
        }
        if std::mem::take(&mut self.angles_written) {
            for row in 0..self.len() {
                let Rotation { cos, sin } = Rotation::from_angle(self.angle.as_slice()[row]);
                (self.cos.as_mut_slice()[row], self.sin.as_mut_slice()[row]) = (cos, sin);
            }
        }
        self.written = false;
        Ok(())
    }

    /// A hash (FNV-1a) of the bits of poses and velocities of used rows.
    pub(crate) fn hash(&self, rows: Range<usize>) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for row in rows.filter(|&row| self.kind.as_slice()[row] != Kind::None as u8) {
            for field in &BodyField::ALL[..6] {
                for byte in field.column(self).as_slice()[row].to_bits().to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
                }
            }
        }
        hash
    }

    /// What a body is.
    pub(crate) fn kind(&self, row: usize) -> Kind {
        Kind::of(self.kind.as_slice()[row])
    }

    /// Where the centre of mass of a body is, and how it is turned.
    pub(crate) fn pose(&self, row: usize) -> Pose {
        Pose {
            position: Vec2::new(self.x.as_slice()[row], self.y.as_slice()[row]),
            rotation: Rotation { cos: self.cos.as_slice()[row], sin: self.sin.as_slice()[row] },
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
