//! The fuzz target `toml` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| giornata_fuzz::toml::explore(data));
