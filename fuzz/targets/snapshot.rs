#![no_main]

#[path = "../../tests/fuzz_check/mod.rs"]
mod fuzz_check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_check::snapshot(bytes));
