//! What a call of the C ABI can fail with: an error of the library, or misuse that only C can express.

use std::fmt;

use crate::error::{Error, status_table};

/// Why a call failed.
#[derive(Debug, Clone)]
pub(super) enum Failure {
    /// The library returned an error.
    Library(Error),
    NullPointer {
        argument: &'static str,
    },
    Misaligned {
        argument: &'static str,
    },
    UnknownValue {
        argument: &'static str,
        value: u64,
    },
    BufferTooSmall {
        argument: &'static str,
        /// How many bytes it must hold.
        needed: usize,
        /// How many bytes it holds.
        capacity: usize,
    },
    BadString {
        argument: &'static str,
    },
    Panic {
        message: String,
    },
    Busy {
        argument: &'static str,
    },
}

/// A `Result` with [`Failure`].
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

macro_rules! failure_codes {
    (errors $others:tt failures { $($variant:ident $code:literal $constant:ident $meaning:literal;)* }) => {
        impl Failure {
            /// The status that the call returns.
            pub(super) fn code(&self) -> i32 {
                match self {
                    Self::Library(error) => error.code(),
                    $(Self::$variant { .. } => $code,)*
                }
            }
        }
    };
}
status_table!(failure_codes);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(error) => error.fmt(f),
            Self::NullPointer { argument } => write!(f, "{argument} must not be NULL"),
            Self::Misaligned { argument } => write!(f, "{argument} is not aligned for its type"),
            Self::UnknownValue { argument, value } => write!(f, "{argument} has the unknown value {value}"),
            Self::BufferTooSmall { argument, needed, capacity } => {
                write!(f, "{argument} holds {capacity} bytes: {needed} are needed")
            }
            Self::BadString { argument } => write!(f, "{argument} is not valid UTF-8"),
            Self::Panic { message } => write!(f, "internal error, please report it: {message}"),
            Self::Busy { argument } => {
                write!(
                    f,
                    "{argument} is in the middle of a step or run: use it after the callback has returned"
                )
            }
        }
    }
}
