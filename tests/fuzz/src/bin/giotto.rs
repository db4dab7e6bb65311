//! The fuzz target `giotto` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| giornata_fuzz::giotto::explore(data));
