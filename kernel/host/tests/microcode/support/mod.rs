//! The world around the kernel in tests: tasks that take as long as the test says,
//! drivers that do what it says, and the trace as words.

mod coming;
mod system;
mod world;

pub(crate) use coming::Coming;
pub(crate) use system::{CALL, DATA, End, LINES, Room, System, Work};
pub(crate) use world::{Event, Request, World};

use giornata_abi::module::Module;
use giornata_microcode::verify::{Scratch, Verified, VerifyError, scratch_needed, verify};
use giornata_test_microcode::assemble;

/// Milliseconds in nanoseconds, which are the ticks of these tests.
pub(crate) const MS: u64 = 1_000_000;

/// Verifies assembled code.
pub(crate) fn verified(source: &str) -> Result<Verified, VerifyError> {
    verify_bytes(&assemble(source))
}

/// Verifies a module file whose frame is sound.
pub(crate) fn verify_bytes(bytes: &[u8]) -> Result<Verified, VerifyError> {
    let module = Module::parse(bytes).expect("a whole module");
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(&module)];
    verify(&module, &mut scratch)
}

/// Runs programs for `until` milliseconds and returns the trace; `prepare` scripts the
/// world first.
pub(crate) fn trace(sources: &[&str], until: u64, prepare: impl FnOnce(&mut World)) -> String {
    let mut world = World::new(sources);
    prepare(&mut world);
    world.run_until(until * MS);
    world.words.join(" ")
}
