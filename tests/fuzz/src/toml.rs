//! System files: text of any kind.

use giornata_system::SystemFile;
use std::path::Path;

/// Reads `data` as a system file; a refusal names its place in the file.
pub fn explore(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err(refusal) = SystemFile::parse(Path::new("system.toml"), &text) {
        assert!(!refusal.problems().is_empty(), "a refusal says why");
    }
}
