//! The image of a system, built.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use giornata_abi::Duration;
use giornata_symbols::Symbols;
use giornata_system::image::{BuildOptions, Report, TargetLock, build as build_system};
use giornata_system::{DebugMap, Emulator, NameMap};
use tempfile::TempPath;

use crate::chip::Chip;
use crate::home::root;

/// A system that can be booted.
pub struct Image {
    /// The executable.
    pub elf: PathBuf,
    /// The same in a file of its own, gone with this: what is built next, by this program
    /// or by another, comes to the same place as [`elf`](Self::elf).
    own: TempPath,
    /// The kernel's executable, with its symbols.
    pub kernel: PathBuf,
    /// What a debugger has to know of it.
    pub debug_map: PathBuf,
    /// The same, of this image.
    pub map: DebugMap,
    /// What the indices of its trace mean.
    pub names: NameMap,
    /// What addresses of its processes are called.
    pub symbols: Symbols,
    /// How its memory is spent.
    pub report: Report,
    /// What it is booted in.
    pub host: Host,
}

/// What stands in for a board.
#[derive(Clone, Debug)]
pub enum Host {
    /// A program that knows the board.
    Emulator(Emulator),
    /// The simulated chip itself, and the address at which its serial line
    /// listens, if it does.
    Chip(Chip, Option<String>),
}

impl Image {
    /// The file to boot: it stays as it is, whatever is built meanwhile.
    pub fn to_boot(&self) -> &Path {
        &self.own
    }
}

/// Copies a file to one that is gone when it is dropped.
fn copy(image: &Path) -> std::io::Result<TempPath> {
    let path = tempfile::Builder::new()
        .suffix(".elf")
        .tempfile()?
        .into_temp_path();
    std::fs::copy(image, &path)?;
    Ok(path)
}

impl Host {
    /// Whether the hostlink goes over the line of the console.
    pub fn shares_its_line(&self) -> bool {
        matches!(self, Host::Chip(_, Some(_)))
    }
}

/// Builds the system of a file, for the board that it names or for another;
/// its machine stops at `stop_at`.
///
/// # Errors
/// The system is refused: the reasons are on standard error. The board has
/// neither emulator nor chip.
pub fn build(system: &Path, board: Option<&str>, stop_at: Duration) -> Result<Image> {
    let options = BuildOptions {
        stop_at: stop_at.0,
        ..BuildOptions::new(system, root())
    };
    build_as(match board {
        Some(board) => options.on(board),
        None => options,
    })
}

/// Blocks until nobody else builds in a target folder.
///
/// # Errors
/// The file that is locked cannot be made.
pub fn target_lock(folder: &Path) -> Result<TargetLock> {
    TargetLock::take(folder).map_err(|refusal| anyhow!("{refusal:?}"))
}

/// Builds what the options say.
///
/// # Errors
/// As [`build`].
pub fn build_as(options: BuildOptions) -> Result<Image> {
    let lock = target_lock(&options.target_dir)?;
    let built = build_system(&options, &lock).map_err(|refusal| {
        eprintln!("{refusal:?}");
        anyhow!("{} cannot be built", options.system.display())
    })?;
    let host = match built.emulator {
        Some(emulator) => Host::Emulator(emulator),
        None => Host::Chip(Chip::of(&built.report.board)?, None),
    };
    let own = copy(&built.image).with_context(|| built.image.display().to_string())?;
    // (the next one comes to the same place)
    let kernel = built.image.with_file_name("kernel.elf");
    std::fs::copy(&built.kernel, &kernel).with_context(|| kernel.display().to_string())?;
    let project = options.system.parent().unwrap_or(Path::new(""));
    let project = match project.as_os_str().is_empty() {
        true => Path::new("."),
        false => project,
    };
    let symbols = Symbols::new(built.processes, &[project, options.root.as_path()]);
    Ok(Image {
        elf: built.image,
        own,
        kernel,
        debug_map: built.debug_map,
        map: built.map,
        names: built.name_map,
        symbols,
        report: built.report,
        host,
    })
}
