//! The fuzz target `psi` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| giornata_fuzz::psi::explore(data));
