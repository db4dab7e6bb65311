//! The verifier with memory of its own.

use giornata_abi::module::Module;
use giornata_microcode::verify::{Scratch, Verified, VerifyError, scratch_needed, verify};
use giornata_test_microcode::assemble;

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
