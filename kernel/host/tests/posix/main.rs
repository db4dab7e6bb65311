//! Random programs of threads that take mutexes and semaphores by words of their memory, as the
//! POSIX library does, instruction by instruction where that matters: a thread is interrupted
//! between the load and the store of a restartable block, asks for the object that its word
//! may have or another, and is signalled wherever it is.
//!
//! A plain model says who has what. After each step it, the words and the kernel's records tell
//! one story: the Word Invariant of `giornata_core`. `GIORNATA_LONG` in the environment makes it
//! many more programs, `PROGRAMS_SEED` and `PROGRAMS` say from which on and how many.
#![cfg(feature = "posix")]

mod actor;
mod world;

use world::World;

/// Programs, and the same of the long form.
const PROGRAMS: u64 = if cfg!(miri) { 2 } else { 1_000 };
const LONG_PROGRAMS: u64 = 100_000;

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn words_records_and_the_model_tell_one_story() {
    let usual = match std::env::var_os("GIORNATA_LONG") {
        Some(_) => LONG_PROGRAMS,
        None => PROGRAMS,
    };
    let first = from_environment("PROGRAMS_SEED").unwrap_or(0);
    let count = from_environment("PROGRAMS").unwrap_or(usual);
    for seed in first..first + count {
        let mut world = World::new(seed);
        world.run();
        // SAFETY: no reference to a record is kept.
        unsafe { world.rig.free() };
    }
}
