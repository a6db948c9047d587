//! The library from C and C++: the header, programs that use and misuse it, and its installation.

mod header;
mod install;
mod programs;
mod support;
mod sweep;
#[cfg(target_arch = "x86_64")]
mod symbols;
