//! Where giornata lies: kernel, boards, and the crates that processes use.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// What a home has: the kernel's binary.
const SIGN: &str = "kernel/image/Cargo.toml";

/// The folder that this program was compiled in.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}

/// That it is still there.
///
/// # Errors
/// It is not: what to do.
pub fn check() -> Result<()> {
    if root().join(SIGN).is_file() {
        return Ok(());
    }
    bail!(
        "giornata was installed from {}, which is not there any more: install it from where \
         that is now (`./x install`)",
        root().display()
    )
}

/// Where cargo puts what it builds of it.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
