//! Statuses and the calling thread's last error.

use std::cell::RefCell;
use std::ffi::{CStr, c_char};

use crate::error::{Error, Result};

/// The outcome of a call: CAROM_OK or what went wrong. Values never change their meaning.
pub type carom_status = i32;

/// Success.
pub const CAROM_OK: carom_status = 0;
/// A number that must be finite is NaN or infinite.
pub const CAROM_NOT_FINITE: carom_status = 1;
/// A number that must not be negative is.
pub const CAROM_NEGATIVE: carom_status = 2;
/// A number lies outside the range its field allows.
pub const CAROM_OUT_OF_RANGE: carom_status = 3;
/// An array has the wrong number of entries.
pub const CAROM_WRONG_LENGTH: carom_status = 4;
/// An index names no particle, frame, component or axis.
pub const CAROM_BAD_INDEX: carom_status = 5;
/// The two particles of a pair are one and the same.
pub const CAROM_SAME_PAIR: carom_status = 6;
/// A dimension is outside 1 to CAROM_MAX_DIM, for frames neither 2 nor 3, or two dimensions that must agree differ.
pub const CAROM_BAD_DIMENSION: carom_status = 7;
/// A fixed particle was given a velocity or an acceleration.
pub const CAROM_FIXED: carom_status = 8;
/// A column that carom derives was written to.
pub const CAROM_READ_ONLY: carom_status = 9;
/// A result would leave the range of double.
pub const CAROM_OVERFLOW: carom_status = 10;
/// A step had more collisions than its bound allows and stopped early, in a valid state.
pub const CAROM_TOO_MANY_COLLISIONS: carom_status = 11;
/// Memory could not be had.
pub const CAROM_OUT_OF_MEMORY: carom_status = 12;
/// The operating system refused a read, a write or a thread.
pub const CAROM_IO: carom_status = 13;
/// A file is none of the formats carom reads.
pub const CAROM_UNKNOWN_FORMAT: carom_status = 14;
/// A file ends too early.
pub const CAROM_TRUNCATED: carom_status = 15;
/// A file contradicts itself.
pub const CAROM_CORRUPT: carom_status = 16;
/// A file was written by a newer carom.
pub const CAROM_NEWER_VERSION: carom_status = 17;
/// A text file breaks the grammar of its format.
pub const CAROM_SYNTAX: carom_status = 18;
/// The library was built for a newer CPU than this one.
pub const CAROM_UNSUPPORTED_CPU: carom_status = 19;
/// A pointer that must point somewhere is null.
pub const CAROM_NULL_POINTER: carom_status = 20;
/// A pointer or a stride is not aligned for its type.
pub const CAROM_MISALIGNED: carom_status = 21;
/// A constant, an option or a struct_size has a value this version does not know.
pub const CAROM_UNKNOWN_VALUE: carom_status = 22;
/// A buffer of the caller is too small.
pub const CAROM_BUFFER_TOO_SMALL: carom_status = 23;
/// A string is not valid UTF-8.
pub const CAROM_BAD_STRING: carom_status = 24;
/// A bug in carom, caught before it crossed into the caller. Destroy the objects of the call.
pub const CAROM_PANIC: carom_status = 25;
/// A callback used the world or run that is calling it.
pub const CAROM_BUSY: carom_status = 26;
/// The components of a frame are dependent: it has no inside.
pub const CAROM_DEGENERATE: carom_status = 27;
/// A frame of a set at rest was given a velocity.
pub const CAROM_RESTING: carom_status = 28;
/// Columns of a set of frames were written and have not been checked since: call carom_frames_update().
pub const CAROM_STALE: carom_status = 29;
/// A particle is a spheroid, which is no frame.
pub const CAROM_NO_FRAME: carom_status = 30;
/// Particles overlap where they must not; carom_last_error() lists the pairs.
pub const CAROM_OVERLAP: carom_status = 31;
/// A particle is not inside its box.
pub const CAROM_OUTSIDE_BOX: carom_status = 32;
/// A particle collided again and again without time passing; the run stopped there, in a valid state.
pub const CAROM_COLLAPSE: carom_status = 33;
/// A name is none that this version knows.
pub const CAROM_UNKNOWN_NAME: carom_status = 34;
/// A checkpoint or shard belongs to something else than what it is used for.
pub const CAROM_MISMATCH: carom_status = 35;
/// More replicas of a study could not be run than it allows.
pub const CAROM_TOO_MANY_FAILURES: carom_status = 36;

/// What a status means, in a few words.
///
/// \param status Any number; one that is no status gives "unknown status".
/// \return Static text that is never NULL and never dies.
#[unsafe(no_mangle)]
pub extern "C" fn carom_status_string(status: carom_status) -> *const c_char {
    meaning(status).unwrap_or(c"unknown status").as_ptr()
}

/// Copies out the detail of the last call that failed on the calling thread: which field, which index, which value.
///
/// Calls that succeed leave it as it is; it is empty before the first failure.
///
/// \param buffer   Where the text goes, as UTF-8 with a final NUL; longer text is cut to fit. May be NULL if
///                 `capacity` is 0.
/// \param capacity Size of `buffer` in bytes.
/// \param needed   Receives the size in bytes of the whole text with its NUL. May be NULL.
/// \return CAROM_OK, or CAROM_NULL_POINTER or CAROM_MISALIGNED, which are not kept as the last error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_last_error(
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> carom_status {
    super::guard::enter_quietly(|caller| {
        let needed = caller.optional_out("needed", needed)?;
        let text = last().map_or_else(String::new, |error| error.to_string());
        if capacity > 0 {
            let buffer = caller.rows_mut("buffer", buffer.cast::<u8>(), 0, 1, capacity)?;
            buffer.write(&[cut(&text, capacity - 1).as_bytes(), &[0]].concat());
        }
        needed.set(text.len() + 1);
        Ok(())
    })
}

/// The longest start of a text that has at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

thread_local! {
    static LAST: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// The calling thread's last error. A thread that is ending has none any more.
fn last() -> Option<Error> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten()
}

/// The first pairs that overlap and the number of all, if that was the calling thread's last error.
pub(super) fn last_overlaps() -> (Vec<[usize; 2]>, usize) {
    match last() {
        Some(Error::Overlap { pairs, total }) => (pairs, total),
        _ => (Vec::new(), 0),
    }
}

/// The status of an outcome.
pub(super) fn code(outcome: &Result<()>) -> carom_status {
    outcome.as_ref().map_or_else(Error::code, |()| CAROM_OK)
}

/// Keeps an error as the calling thread's last one.
pub(super) fn remember(error: &Error) {
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some(error.clone()));
}

fn meaning(status: carom_status) -> Option<&'static CStr> {
    Some(match status {
        CAROM_OK => c"success",
        CAROM_NOT_FINITE => c"a number is not finite",
        CAROM_NEGATIVE => c"a number is negative",
        CAROM_OUT_OF_RANGE => c"a number is out of range",
        CAROM_WRONG_LENGTH => c"an array has the wrong length",
        CAROM_BAD_INDEX => c"an index names nothing",
        CAROM_SAME_PAIR => c"a particle is paired with itself",
        CAROM_BAD_DIMENSION => c"a dimension does not fit",
        CAROM_FIXED => c"a fixed particle cannot move",
        CAROM_READ_ONLY => c"a derived value cannot be written",
        CAROM_OVERFLOW => c"a result would overflow",
        CAROM_TOO_MANY_COLLISIONS => c"too many collisions in one step",
        CAROM_OUT_OF_MEMORY => c"out of memory",
        CAROM_IO => c"input or output failed",
        CAROM_UNKNOWN_FORMAT => c"unknown file format",
        CAROM_TRUNCATED => c"the file is truncated",
        CAROM_CORRUPT => c"the file is corrupt",
        CAROM_NEWER_VERSION => c"the file is from a newer version",
        CAROM_SYNTAX => c"the file breaks the grammar of its format",
        CAROM_UNSUPPORTED_CPU => c"the library was built for a newer CPU",
        CAROM_NULL_POINTER => c"a pointer is null",
        CAROM_MISALIGNED => c"a pointer is misaligned",
        CAROM_UNKNOWN_VALUE => c"a constant or option is unknown",
        CAROM_BUFFER_TOO_SMALL => c"a buffer is too small",
        CAROM_BAD_STRING => c"a string is not UTF-8",
        CAROM_PANIC => c"internal error",
        CAROM_BUSY => c"the object is in the middle of a step or run",
        CAROM_DEGENERATE => c"the components of a frame are dependent",
        CAROM_RESTING => c"a frame at rest has a velocity",
        CAROM_STALE => c"written columns of frames have not been checked",
        CAROM_NO_FRAME => c"a spheroid is no frame",
        CAROM_OVERLAP => c"particles overlap",
        CAROM_OUTSIDE_BOX => c"a particle is outside of its box",
        CAROM_COLLAPSE => c"collisions without end in no time",
        CAROM_UNKNOWN_NAME => c"a name is unknown",
        CAROM_MISMATCH => c"a checkpoint or shard of something else",
        CAROM_TOO_MANY_FAILURES => c"too many replicas fail",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The constant of every variant; the match is exhaustive, so that a new variant cannot be forgotten.
    fn constant(error: &Error) -> carom_status {
        match error {
            Error::NotFinite { .. } => CAROM_NOT_FINITE,
            Error::Negative { .. } => CAROM_NEGATIVE,
            Error::OutOfRange { .. } => CAROM_OUT_OF_RANGE,
            Error::WrongLength { .. } => CAROM_WRONG_LENGTH,
            Error::BadIndex { .. } => CAROM_BAD_INDEX,
            Error::SamePair { .. } => CAROM_SAME_PAIR,
            Error::BadDimension { .. } => CAROM_BAD_DIMENSION,
            Error::Fixed { .. } => CAROM_FIXED,
            Error::ReadOnly { .. } => CAROM_READ_ONLY,
            Error::Overflow { .. } => CAROM_OVERFLOW,
            Error::TooManyCollisions { .. } => CAROM_TOO_MANY_COLLISIONS,
            Error::OutOfMemory { .. } => CAROM_OUT_OF_MEMORY,
            Error::Io { .. } => CAROM_IO,
            Error::UnknownFormat { .. } => CAROM_UNKNOWN_FORMAT,
            Error::Truncated { .. } => CAROM_TRUNCATED,
            Error::Corrupt { .. } => CAROM_CORRUPT,
            Error::NewerVersion { .. } => CAROM_NEWER_VERSION,
            Error::Syntax { .. } => CAROM_SYNTAX,
            Error::UnsupportedCpu { .. } => CAROM_UNSUPPORTED_CPU,
            Error::NullPointer { .. } => CAROM_NULL_POINTER,
            Error::Misaligned { .. } => CAROM_MISALIGNED,
            Error::UnknownValue { .. } => CAROM_UNKNOWN_VALUE,
            Error::BufferTooSmall { .. } => CAROM_BUFFER_TOO_SMALL,
            Error::BadString { .. } => CAROM_BAD_STRING,
            Error::Panic { .. } => CAROM_PANIC,
            Error::Busy { .. } => CAROM_BUSY,
            Error::Degenerate { .. } => CAROM_DEGENERATE,
            Error::Resting { .. } => CAROM_RESTING,
            Error::Stale => CAROM_STALE,
            Error::NoFrame { .. } => CAROM_NO_FRAME,
            Error::Overlap { .. } => CAROM_OVERLAP,
            Error::OutsideBox { .. } => CAROM_OUTSIDE_BOX,
            Error::Collapse { .. } => CAROM_COLLAPSE,
            Error::UnknownName { .. } => CAROM_UNKNOWN_NAME,
            Error::Mismatch { .. } => CAROM_MISMATCH,
            Error::TooManyFailures { .. } => CAROM_TOO_MANY_FAILURES,
        }
    }

    fn one_of_each() -> Vec<Error> {
        let (field, argument, format) = ("f", "a", "g");
        let (index, value, detail) = (0, 0.0, String::new());
        vec![
            Error::NotFinite { field, index, value },
            Error::Negative { field, index, value },
            Error::OutOfRange { field, value, expected: "" },
            Error::WrongLength { field, index, expected: 1, found: 2 },
            Error::BadIndex { field, index, len: 0 },
            Error::SamePair { index },
            Error::BadDimension { found: 0, expected: "" },
            Error::Fixed { field, index },
            Error::ReadOnly { field },
            Error::Overflow { field, index: None, magnitude: value },
            Error::TooManyCollisions { limit: 0, time: value },
            Error::OutOfMemory { bytes: 0 },
            Error::Io { path: detail.clone(), message: detail.clone() },
            Error::UnknownFormat { detail: detail.clone() },
            Error::Truncated { format, offset: 0 },
            Error::Corrupt { format, detail: detail.clone() },
            Error::NewerVersion { format, found: 2, supported: 1 },
            Error::Syntax { format, line: 1, column: 1, detail: detail.clone() },
            Error::UnsupportedCpu { needs: "" },
            Error::NullPointer { argument },
            Error::Misaligned { argument },
            Error::UnknownValue { argument, value: 0 },
            Error::BufferTooSmall { argument, needed: 1, capacity: 0 },
            Error::BadString { argument },
            Error::Panic { message: detail.clone() },
            Error::Busy { argument },
            Error::Degenerate { index },
            Error::Resting { index },
            Error::Stale,
            Error::NoFrame { index },
            Error::Overlap { pairs: Vec::new(), total: 1 },
            Error::OutsideBox { index, axis: 0 },
            Error::Collapse { time: value, first: 0, second: 1 },
            Error::UnknownName { argument, name: detail.clone(), known: detail.clone() },
            Error::Mismatch { path: detail.clone(), detail: detail.clone() },
            Error::TooManyFailures { point: 0, allowed: 0, replicas: 1, first: 0, message: detail },
        ]
    }

    #[test]
    fn every_error_has_its_constant_and_its_text() {
        let errors = one_of_each();
        for (code, error) in (1..).zip(&errors) {
            assert_eq!(error.code(), code);
            assert_eq!(constant(error), code);
            assert!(meaning(code).is_some(), "no text for {error:?}");
        }
        let known = (-10..1000).filter(|&code| meaning(code).is_some()).count();
        assert_eq!(known, errors.len() + 1);
    }
}
