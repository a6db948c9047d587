//! Versions of the header and of the library.

use std::ffi::c_char;

use crate::soa::Level;

/// Major version of the header; the library's own is in carom_version().
pub const CAROM_VERSION_MAJOR: u32 = 0;
/// Minor version of the header.
pub const CAROM_VERSION_MINOR: u32 = 1;
/// Patch version of the header.
pub const CAROM_VERSION_PATCH: u32 = 0;
/// Version of the binary interface that the header describes. A program works with any library whose
/// carom_abi_version() is the same: functions and constants may be added to it, never changed or removed.
pub const CAROM_ABI_VERSION: u32 = 0;

/// Version of the library that is linked, as text: "major.minor.patch".
///
/// \return Static text.
#[unsafe(no_mangle)]
pub extern "C" fn carom_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The level of instructions that the library uses on this CPU: "portable", "avx2" or "avx512". Results do not depend on
/// it. The environment variable CAROM_LEVEL forces one, for tests.
///
/// \return Static text; empty if CAROM_LEVEL names a level that this CPU lacks, with which every call fails.
#[unsafe(no_mangle)]
pub extern "C" fn carom_level() -> *const c_char {
    let name = match Level::current() {
        Ok(Level::Portable) => c"portable",
        Ok(Level::Avx2) => c"avx2",
        Ok(Level::Avx512) => c"avx512",
        Err(_) => c"",
    };
    name.as_ptr()
}

/// Version of the binary interface of the library that is linked: compare it with CAROM_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn carom_abi_version() -> u32 {
    CAROM_ABI_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_package() {
        let header = format!("{CAROM_VERSION_MAJOR}.{CAROM_VERSION_MINOR}.{CAROM_VERSION_PATCH}");
        assert_eq!(header, env!("CARGO_PKG_VERSION"));
    }
}
