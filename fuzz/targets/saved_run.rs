#![no_main]

#[path = "../../tests/library/fuzz_check.rs"]
mod fuzz_check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_check::saved_run(bytes));
