//! The image of a system, built.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use giornata_abi::Duration;
use giornata_system::NameMap;
use giornata_system::image::{BuildOptions, Report, build as build_system};

use crate::crates::root;

/// A system that can be booted.
pub(crate) struct Image {
    /// The executable.
    pub(crate) elf: PathBuf,
    /// What the indices of its trace mean.
    pub(crate) names: NameMap,
    /// How its memory is spent.
    pub(crate) report: Report,
}

/// Builds the system of a file; its machine stops at `stop_at`.
///
/// # Errors
/// The system is refused: the reasons are on standard error.
pub(crate) fn build(system: &Path, stop_at: Duration) -> Result<Image> {
    let options = BuildOptions {
        stop_at: stop_at.0,
        ..BuildOptions::new(system, root())
    };
    let built = build_system(&options).map_err(|refusal| {
        eprintln!("{refusal:?}");
        anyhow!("{} cannot be built", system.display())
    })?;
    Ok(Image {
        elf: built.image,
        names: built.name_map,
        report: built.report,
    })
}
