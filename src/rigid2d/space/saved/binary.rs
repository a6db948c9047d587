//! Records of plain data as bytes: little-endian, field after field.

use std::io::{self, Write};

use super::SEAL;
use crate::error::{Error, Result};

/// What is written to a snapshot and read from it.
pub(super) trait Binary: Sized {
    /// Bytes that it takes at least, so that a wrong count is found before memory is allocated for it.
    const LEAST: usize;

    fn write(&self, out: &mut dyn Write) -> io::Result<()>;

    fn read(reader: &mut Reader<'_>) -> Result<Self>;
}

/// Reads from the rest of a payload.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(payload: &'a [u8]) -> Self {
        Self { rest: payload }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (bytes, rest) =
            self.rest.split_first_chunk().ok_or_else(|| SEAL.wrong("its payload is too short".into()))?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// A byte that is below this number.
    pub(super) fn choice(&mut self, choices: usize) -> Result<usize> {
        let [byte] = self.bytes()?;
        let number = usize::from(byte);
        if number < choices {
            Ok(number)
        } else {
            Err(SEAL.wrong(format!("{byte} where a choice is expected")))
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(SEAL.wrong(format!("{more} bytes follow the last value"))),
        }
    }
}

macro_rules! numbers {
    ($($Number:ty),*) => {$(
        impl Binary for $Number {
            const LEAST: usize = size_of::<Self>();

            fn write(&self, out: &mut dyn Write) -> io::Result<()> {
                out.write_all(&self.to_le_bytes())
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self> {
                Ok(Self::from_le_bytes(reader.bytes()?))
            }
        }
    )*};
}
numbers!(u8, u32, u64);

impl Binary for f64 {
    const LEAST: usize = size_of::<Self>();

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.to_le_bytes())
    }

    /// A finite number.
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let number = Self::from_le_bytes(reader.bytes()?);
        if number.is_finite() { Ok(number) } else { Err(SEAL.wrong(format!("a number is {number}"))) }
    }
}

impl Binary for bool {
    const LEAST: usize = 1;

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&[u8::from(*self)])
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        Ok(reader.choice(2)? == 1)
    }
}

impl<T: Binary> Binary for Option<T> {
    const LEAST: usize = 1;

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.is_some().write(out)?;
        self.iter().try_for_each(|value| value.write(out))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        if bool::read(reader)? { T::read(reader).map(Some) } else { Ok(None) }
    }
}

impl<T: Binary + Copy + Default, const N: usize> Binary for [T; N] {
    const LEAST: usize = N * T::LEAST;

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.iter().try_for_each(|value| value.write(out))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::read(reader)?;
        }
        Ok(values)
    }
}

impl<T: Binary> Binary for Vec<T> {
    const LEAST: usize = 8;

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.len() as u64).write(out)?;
        self.iter().try_for_each(|value| value.write(out))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let count = u64::read(reader)?;
        if u128::from(count) * T::LEAST as u128 > reader.rest.len() as u128 {
            return Err(SEAL.wrong(format!("{count} entries do not fit into {} bytes", reader.rest.len())));
        }
        let mut values = Self::new();
        let bytes = count as usize * size_of::<T>();
        values.try_reserve_exact(count as usize).map_err(|_| Error::OutOfMemory { bytes })?;
        for _ in 0..count {
            values.push(T::read(reader)?);
        }
        Ok(values)
    }
}

/// Declares structs that are the same in JSON and in snapshots: their fields, in this order.
macro_rules! record {
    ($($(#[$doc:meta])* $Record:ident { $($(#[$field_doc:meta])* $field:ident: $Type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $Record {
            $($(#[$field_doc])* pub(super) $field: $Type,)*
        }

        impl Binary for $Record {
            const LEAST: usize = 0 $(+ <$Type as Binary>::LEAST)*;

            fn write(&self, out: &mut dyn Write) -> io::Result<()> {
                $(self.$field.write(out)?;)*
                Ok(())
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self> {
                Ok(Self { $($field: Binary::read(reader)?,)* })
            }
        }
    )*};
}
pub(super) use record;

/// Declares choices that are words in JSON and bytes in snapshots, and how they are those of the library.
macro_rules! choice {
    ($($(#[$doc:meta])* $Choice:ident = $Public:ty { $($Name:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(super) enum $Choice {
            $($Name,)*
        }

        impl $Choice {
            const ALL: &'static [Self] = &[$(Self::$Name,)*];
        }

        impl From<$Public> for $Choice {
            fn from(choice: $Public) -> Self {
                match choice { $(<$Public>::$Name => Self::$Name,)* }
            }
        }

        impl From<$Choice> for $Public {
            fn from(choice: $Choice) -> Self {
                match choice { $($Choice::$Name => Self::$Name,)* }
            }
        }

        impl Binary for $Choice {
            const LEAST: usize = 1;

            fn write(&self, out: &mut dyn Write) -> io::Result<()> {
                (*self as u8).write(out)
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self> {
                Ok(Self::ALL[reader.choice(Self::ALL.len())?])
            }
        }
    )*};
}
pub(super) use choice;
