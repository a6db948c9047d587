//! Statuses and the calling thread's last error.

use std::cell::{Cell, RefCell};
use std::ffi::c_char;
use std::fmt::{self, Write};

use super::failure::{Failure, Result};
use super::memory::RowsMut;
use crate::error::{Error, status_table};
use crate::soa::memory;

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
/// Calls that succeed leave it as it is; it is empty before the first failure. It needs no memory. Where there was none to keep
/// the detail of a failure, it is that allocation failed.
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
        let mut text = Text { rows: None, room: capacity.saturating_sub(1), written: 0, len: 0 };
        if capacity > 0 {
            text.rows = Some(caller.rows_mut("buffer", buffer.cast::<u8>(), 0, 1, capacity)?);
        }
        with_last(|failure| failure.map(|failure| write!(text, "{failure}")));
        needed.set(text.end() + 1);
        Ok(())
    }))
}

/// Text in memory of the caller, as much as fits.
struct Text {
    rows: Option<RowsMut<u8>>,
    /// Bytes that there is room for.
    room: usize,
    written: usize,
    /// Bytes of the whole text.
    len: usize,
}

impl Text {
    /// Ends the text with a NUL, and returns its length.
    fn end(self) -> usize {
        if let Some(rows) = &self.rows {
            rows.put(self.written, 0, 0);
        }
        self.len
    }
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let is_whole = self.written == self.len;
        self.len += part.len();
        if let Some(rows) = self.rows.as_ref().filter(|_| is_whole) {
            for &byte in cut(part, self.room - self.written).as_bytes() {
                rows.put(self.written, 0, byte);
                self.written += 1;
            }
        }
        Ok(())
    }
}

/// The longest start of a text that has at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
    /// What became of the last failure; without a destructor, it takes no memory.
    static KEPT: Cell<Kept> = const { Cell::new(Kept::Nothing) };
}

/// What is kept of the last failure of a thread.
#[derive(Clone, Copy)]
enum Kept {
    /// There was none.
    Nothing,
    All,
    /// There was no memory for it.
    Lost,
}

/// Gives the calling thread's last failure to a function; none while the thread ends.
fn with_last<R>(look: impl FnOnce(Option<&Failure>) -> R) -> R {
    match KEPT.get() {
        Kept::Nothing => return look(None),
        Kept::Lost => return look(Some(&Failure::Library(Error::OutOfMemory { bytes: 0 }))),
        Kept::All => {}
    }
    let mut look = Some(look);
    let mut given = None;
    let _ = LAST.try_with(|last| given = look.take().map(|look| look(last.borrow().as_ref())));
    match (given, look) {
        (Some(given), _) => given,
        (None, Some(look)) => look(None),
        (None, None) => unreachable!("it was called or not"),
    }
}

/// The first pairs that overlap and the number of all, if that was the calling thread's last error.
pub(super) fn with_last_overlaps<R>(look: impl FnOnce(&[[usize; 2]], usize) -> R) -> R {
    with_last(|failure| match failure {
        Some(Failure::Library(Error::Overlap { pairs, total })) => look(pairs, *total),
        _ => look(&[], 0),
    })
}

/// The status of an outcome.
pub(super) fn code(outcome: &Result<()>) -> carom_status {
    outcome.as_ref().map_or_else(Failure::code, |()| CAROM_OK)
}

/// Keeps a failure as the calling thread's last one.
pub(super) fn remember(failure: &Failure) {
    // The first one of a thread takes memory, and so do texts.
    if memory::expect_little().is_err() {
        KEPT.set(Kept::Lost);
    } else {
        KEPT.set(Kept::All);
        let _ = LAST.try_with(|last| *last.borrow_mut() = Some(failure.clone()));
    }
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
