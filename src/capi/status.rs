//! Statuses and the calling thread's last error.

use std::cell::RefCell;
use std::ffi::c_char;

use super::failure::{Failure, Result};
use crate::error::{Error, status_table};

/// The outcome of a call: CAROM_OK or what failed. Values never change their meaning.
pub type carom_status = i32;

/// Success.
pub const CAROM_OK: carom_status = 0;

/// Makes the constant and the text of every status.
macro_rules! statuses {
    (
        errors { $($_error:ident $code:literal $constant:ident $meaning:literal;)* }
        failures { $($_failure:ident $own_code:literal $own_constant:ident $own_meaning:literal;)* }
    ) => {
        $(#[doc = concat!($meaning, ".")] pub const $constant: carom_status = $code;)*
        $(#[doc = concat!($own_meaning, ".")] pub const $own_constant: carom_status = $own_code;)*

        /// Name in C, number and meaning of every status that is an error.
        #[doc(hidden)]
        pub const STATUSES: &[(&str, carom_status, &str)] = &[
            $((stringify!($constant), $code, $meaning),)*
            $((stringify!($own_constant), $own_code, $own_meaning),)*
        ];

        /// What a status means, with a final NUL.
        fn meaning(status: carom_status) -> &'static str {
            match status {
                CAROM_OK => "success\0",
                $($code => concat!($meaning, "\0"),)*
                $($own_code => concat!($own_meaning, "\0"),)*
                _ => "unknown status\0",
            }
        }
    };
}
status_table!(statuses);

/// The meaning of a status.
///
/// \param status Any number; a number that is not a status gives "unknown status".
/// \return Static text, never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn carom_status_string(status: carom_status) -> *const c_char {
    meaning(status).as_ptr().cast()
}

/// Copies out the detail of the last call that failed on the calling thread: which field, which index, which value.
///
/// Calls that succeed leave it as it is; it is empty before the first failure.
///
/// \param buffer   Where the text goes, as UTF-8 with a final NUL; longer text is truncated. May be NULL if
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
    entry!(super::guard::enter_quietly(|caller| {
        let needed = caller.optional_out("needed", needed)?;
        let text = last().map_or_else(String::new, |failure| failure.to_string());
        if capacity > 0 {
            let buffer = caller.rows_mut("buffer", buffer.cast::<u8>(), 0, 1, capacity)?;
            buffer.write(&[cut(&text, capacity - 1).as_bytes(), &[0]].concat());
        }
        needed.set(text.len() + 1);
        Ok(())
    }))
}

/// The longest start of a text that has at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// The calling thread's last failure; none while the thread ends.
fn last() -> Option<Failure> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten()
}

/// The first pairs that overlap and the number of all, if that was the calling thread's last error.
pub(super) fn last_overlaps() -> (Vec<[usize; 2]>, usize) {
    match last() {
        Some(Failure::Library(Error::Overlap { pairs, total })) => (pairs, total),
        _ => (Vec::new(), 0),
    }
}

/// The status of an outcome.
pub(super) fn code(outcome: &Result<()>) -> carom_status {
    outcome.as_ref().map_or_else(Failure::code, |()| CAROM_OK)
}

/// Keeps a failure as the calling thread's last one.
pub(super) fn remember(failure: &Failure) {
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some(failure.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_without_gaps() {
        let mut codes: Vec<carom_status> = STATUSES.iter().map(|&(_, code, _)| code).collect();
        codes.sort_unstable();
        assert!(codes.iter().copied().eq(1..=STATUSES.len() as carom_status), "{codes:?}");
    }

    #[test]
    fn codes_of_errors_are_those_of_the_constants() {
        let error = Error::BadIndex { field: "particle", index: 7, len: 5 };
        assert_eq!(error.to_string(), "particle index 7 out of range: there are 5");
        assert_eq!(Failure::from(error).code(), CAROM_BAD_INDEX);
        assert_eq!(Failure::Busy { argument: "world" }.code(), CAROM_BUSY);
    }
}
