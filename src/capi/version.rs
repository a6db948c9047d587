//! Versions of the header and of the library.

use std::ffi::c_char;

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
