//! Functions that fail on purpose, for the tests. Not in the header.

use super::guard::enter;
use super::status::carom_status;

/// Panics.
#[unsafe(no_mangle)]
pub extern "C" fn carom_test_panic() -> carom_status {
    // SAFETY: there are no pointers.
    unsafe { enter(|_| panic!("provoked on purpose")) }
}
