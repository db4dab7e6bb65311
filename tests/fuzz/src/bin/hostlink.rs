//! The fuzz target `hostlink` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| giornata_fuzz::hostlink::explore(data));
