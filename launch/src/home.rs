//! Where giornata lies: kernel, boards, and the crates that processes use.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Result, bail};

/// What a home has: the kernel's binary.
const SIGN: &str = "kernel/image/Cargo.toml";
/// Names another home than the folder that this program was compiled in.
const VARIABLE: &str = "GIORNATA_HOME";

/// The home: the folder that this program was compiled in, or that of `GIORNATA_HOME`.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let compiled = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        let compiled = || compiled.unwrap_or(Path::new(".")).to_path_buf();
        std::env::var_os(VARIABLE).map_or_else(compiled, PathBuf::from)
    })
}

/// That it is there.
///
/// # Errors
/// It is not: what to do.
pub fn check() -> Result<()> {
    if root().join(SIGN).is_file() {
        return Ok(());
    }
    let root = root().display();
    match std::env::var_os(VARIABLE) {
        Some(_) => bail!(
            "{VARIABLE} is {root}, where giornata is not: set it to the folder of giornata, the \
             one with `kernel/` and `boards/`, or unset it"
        ),
        None => bail!(
            "giornata was installed from {root}, which is not there any more: run `./x install` \
             in the folder where giornata lies now, or name that in {VARIABLE}"
        ),
    }
}

/// The Rust toolchain that it builds with, if its home says one.
pub fn channel() -> Option<String> {
    giornata_system::image::channel(root())
}

/// Where cargo puts what it builds of it.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
