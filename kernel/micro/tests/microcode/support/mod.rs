//! The world around the machine in tests: a linker, and a small kernel with
//! virtual time that records a trace of words.

mod linker;
mod world;

pub(crate) use linker::{link, link_files};
pub(crate) use world::{Event, Work, World};

use giornata_abi::module::Module;
use giornata_microcode::verify::{Scratch, Verified, VerifyError, scratch_needed, verify};
use giornata_test_microcode::assemble;

/// Milliseconds in nanoseconds.
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

/// Runs programs for `until` milliseconds and answers the trace; `prepare`
/// scripts the world first.
pub(crate) fn trace(sources: &[&str], until: u64, prepare: impl FnOnce(&mut World<'_>)) -> String {
    let tables = link(sources);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    prepare(&mut world);
    world.start_all();
    world.run_until(until * MS);
    world.kernel.words.join(" ")
}
