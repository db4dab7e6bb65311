//! Giotto programs: text of any kind.

use giornata_abi::module::Module;
use giornata_lang::giotto;

/// Compiles `data` as a program. The compiler answers a module or an error,
/// never both or neither; a module that it answers passes the verifier, and
/// compiling again gives the same bytes.
pub fn explore(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let options = giotto::Options::default();
    let (bytes, diagnostics) = giotto::compile("fuzz.giotto", &text, &options);
    assert_eq!(
        bytes.is_none(),
        diagnostics.iter().any(|d| d.is_error()),
        "a refused program has an error, an accepted one has none"
    );
    if let Some(bytes) = bytes {
        assert!(Module::parse(&bytes).is_ok(), "what is written is a module");
        let again = giotto::compile("fuzz.giotto", &text, &options).0;
        assert_eq!(again, Some(bytes), "the same text gives the same module");
    }
}
