//! The fuzz target `sigma` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| giornata_fuzz::sigma::explore(data));
