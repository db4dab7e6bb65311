//! The fuzz target `module` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| giornata_fuzz::module::explore(data));
