//! Psi programs: text of any kind.

use giornata_abi::module::Module;
use giornata_lang::{Options, psi};
use giornata_microcode::verify::{Scratch, scratch_needed, verify};

/// Compiles `data` as a program. The compiler answers a module or an error,
/// never both or neither; a module that it answers passes the verifier, which can
/// count its steps, and compiling again gives the same bytes. Only a program without
/// errors states budgets.
pub fn explore(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let options = Options::default();
    let (bytes, diagnostics) = psi::compile("fuzz.psi", &text, &options);
    assert_eq!(
        bytes.is_none(),
        diagnostics.iter().any(|d| d.is_error()),
        "a refused program has an error, an accepted one has none"
    );
    let Some(bytes) = bytes else {
        assert!(psi::budgets(&text).is_empty(), "nothing is taken of errors");
        return;
    };
    let module = Module::parse(&bytes).expect("what is written is a module");
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(&module)];
    let verified = verify(&module, &mut scratch).expect("a kernel loads it");
    assert!(verified.steps.is_some(), "its instants are bounded");
    let again = psi::compile("fuzz.psi", &text, &options).0;
    assert_eq!(again, Some(bytes), "the same text gives the same module");
}
