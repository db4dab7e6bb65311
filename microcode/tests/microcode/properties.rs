//! Random bytes in modules whose frame is sound.

use giornata_abi::module::{Module, crc32};
use giornata_microcode::disassemble;
use giornata_test_microcode::random::{code, handlers, module};
use proptest::prelude::*;

use crate::support::verify_bytes;

/// 3,072 cases, or twelve times what `PROPTEST_CASES` says; just that many under
/// an interpreter.
fn many() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let factor = if cfg!(miri) { 1 } else { 12 };
    ProptestConfig {
        cases: usual.cases * factor,
        failure_persistence: None,
        ..usual
    }
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn mutated_modules_never_panic_the_verifier_or_the_listing(
        code in code(),
        handlers in handlers(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut file = module(&code, handlers);
        for (index, byte) in changes {
            let at = index.index(file.len());
            file[at] = byte;
        }
        let crc = crc32(&file[8..]);
        file[4..8].copy_from_slice(&crc.to_le_bytes());
        if let Ok(module) = Module::parse(&file) {
            let _ = verify_bytes(&file);
            let mut text = String::new();
            disassemble::listing(&module, &mut text).unwrap();
        }
    }
}
