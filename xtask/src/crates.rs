//! The crates of the workspace, by where they are built for. Found by asking
//! cargo, so that a new crate is checked and tested without being listed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process::{capture, cargo};

/// Crates without an operating system and without an architecture: the kernel's
/// core, and the tools for microcode that processes use too.
pub(crate) const PORTABLE: [&str; 3] = ["giornata-abi", "giornata-core", "giornata-microcode"];
/// The kernel's binary.
pub(crate) const IMAGE: &str = "giornata-image";
/// The boards whose systems run in QEMU: all target suites do on each.
pub(crate) const BOARDS: [&str; 3] = ["qemu-virt64", "qemu-virt32", "qemu-virt32-pmp"];
/// The boards that are simulated to the cycle: a few suites run on each.
pub(crate) const CHIPS: [&str; 3] = ["rtl-mmu", "rtl-pmp", "rtl-rtm"];
/// The second architecture that keeps the portable crates honest.
pub(crate) const SECOND_TARGET: &str = "thumbv7em-none-eabi";

/// One crate.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its folder, relative to the root.
    pub(crate) folder: PathBuf,
    /// Whether it may go to a registry.
    pub(crate) is_published: bool,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetadataPackage>,
}

#[derive(Deserialize)]
struct MetadataPackage {
    name: String,
    manifest_path: PathBuf,
    /// The registries that it may go to; none stands for any.
    publish: Option<Vec<String>>,
}

pub(crate) use giornata_launch::home::{root, target_folder};

/// All crates of the workspace.
pub(crate) fn all() -> Result<Vec<Package>> {
    let json = capture(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Metadata = serde_json::from_str(&json).context("cargo metadata")?;
    let package = |p: MetadataPackage| {
        let folder = p.manifest_path.parent().unwrap_or(Path::new(""));
        Package {
            is_published: p.publish.is_none(),
            name: p.name,
            folder: folder.strip_prefix(root()).unwrap_or(folder).to_path_buf(),
        }
    };
    Ok(metadata.packages.into_iter().map(package).collect())
}

impl Package {
    /// Whether it belongs to the kernel's binary.
    pub(crate) fn is_kernel(&self) -> bool {
        let host = ["kernel/host", "kernel/records"];
        self.folder.starts_with("kernel")
            && !host.iter().any(|folder| self.folder.starts_with(folder))
    }

    /// Whether it runs in processes of a bare machine.
    pub(crate) fn is_user(&self) -> bool {
        let user = [
            "microcode",
            "user",
            "examples",
            "tests/target",
            "bench/emeralds",
            "bench/kernel",
            "bench/programmable-microkernel",
            "bench/thread-metric",
        ]
        .iter()
        .any(|folder| self.folder.starts_with(folder));
        // what compilers and build scripts load runs on the host
        let host = ["giornata-rt-macros", "giornata-build"];
        user && !host.contains(&self.name.as_str())
    }
}

/// `-p NAME` for each crate.
pub(crate) fn selection<'a>(packages: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    packages
        .into_iter()
        .flat_map(|name| ["-p".to_string(), name.to_string()])
        .collect()
}
