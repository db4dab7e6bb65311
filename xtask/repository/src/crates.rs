//! The crates of the workspace, by where they are built for. Found by asking
//! cargo, so that a new crate is checked and tested without being listed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process::{capture, cargo, check};

/// Crates without an operating system and without an architecture: the kernel's
/// core, and the tools for microcode that processes use too.
pub const PORTABLE: [&str; 3] = ["giornata-abi", "giornata-core", "giornata-microcode"];
/// The kernel's binary.
pub const IMAGE: &str = "giornata-image";
/// The boards whose systems run in QEMU: all target suites do on each.
pub const BOARDS: [&str; 3] = ["qemu-virt64", "qemu-virt32", "qemu-virt32-pmp"];
/// Those of several harts.
pub const SEVERAL: [&str; 2] = ["qemu-virt32-pmp-smp4", "qemu-virt64-smp4"];
/// The boards that are simulated to the cycle: a few suites run on each.
pub const CHIPS: [&str; 3] = ["rtl-mmu", "rtl-pmp", "rtl-rtm"];
/// The second architecture that keeps the portable crates honest.
pub const SECOND_TARGET: &str = "thumbv7em-none-eabi";

/// One crate.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the root.
    pub folder: PathBuf,
    /// Whether it may go to a registry.
    pub is_published: bool,
    /// The crates of the workspace that it takes, in its tests and its build script too.
    pub takes: Vec<String>,
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
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// Where it lies, if it is no crate of a registry.
    path: Option<PathBuf>,
}

/// The repository's folder: the one that this program was compiled in.
pub fn root() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.nth(2).unwrap_or(Path::new("."))
}

/// Where cargo puts what it builds of it.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// All crates of the workspace.
pub fn all() -> Result<Vec<Package>> {
    let json = capture(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Metadata = serde_json::from_str(&json).context("cargo metadata")?;
    let package = |p: MetadataPackage| {
        let folder = p.manifest_path.parent().unwrap_or(Path::new(""));
        let own = p
            .dependencies
            .into_iter()
            .filter(|taken| taken.path.is_some());
        Package {
            is_published: p.publish.is_none(),
            takes: own.map(|taken| taken.name).collect(),
            name: p.name,
            folder: folder.strip_prefix(root()).unwrap_or(folder).to_path_buf(),
        }
    };
    Ok(metadata.packages.into_iter().map(package).collect())
}

/// Fetches the crates of a manifest; where each lies, by its name.
///
/// # Errors
/// One cannot be had.
pub fn fetched(manifest: &Path) -> Result<BTreeMap<String, PathBuf>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        manifest_path: PathBuf,
    }
    let mut fetch = cargo();
    fetch.args(["fetch", "--quiet", "--locked", "--manifest-path"]);
    check(fetch.arg(manifest))?;
    let mut metadata = cargo();
    metadata.args(["metadata", "--locked", "--offline", "--format-version", "1"]);
    let text = capture(metadata.arg("--manifest-path").arg(manifest))?;
    let Metadata { packages } = serde_json::from_str(&text).context("cargo metadata")?;
    let place = |package: Package| {
        let folder = package.manifest_path.parent()?.to_path_buf();
        Some((package.name, folder))
    };
    Ok(packages.into_iter().filter_map(place).collect())
}

impl Package {
    /// Whether it belongs to the kernel's binary.
    pub fn is_kernel(&self) -> bool {
        let host = ["kernel/host", "kernel/records", "kernel/core/several"];
        self.folder.starts_with("kernel")
            && !host.iter().any(|folder| self.folder.starts_with(folder))
    }

    /// Whether it runs in processes of a bare machine.
    pub fn is_user(&self) -> bool {
        let user = [
            "microcode",
            "user",
            "examples",
            "tests/target",
            "bench/emeralds",
            "bench/kernel",
            "bench/programmable-microkernel",
            "bench/psigma",
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
pub fn selection<'a>(packages: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    packages
        .into_iter()
        .flat_map(|name| ["-p".to_string(), name.to_string()])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A library, and what cargo tests of it.
    #[derive(Deserialize)]
    struct Library {
        kind: Vec<String>,
        src_path: PathBuf,
        test: bool,
        doctest: bool,
    }

    #[derive(Deserialize)]
    struct Tested {
        packages: Vec<Targets>,
    }

    #[derive(Deserialize)]
    struct Targets {
        name: String,
        targets: Vec<Library>,
    }

    /// The text of all sources of a library.
    fn sources(library: &Path) -> String {
        let folder = library.parent().unwrap();
        if !folder.ends_with("src") {
            return fs::read_to_string(library).unwrap();
        }
        let mut folders = vec![folder.to_path_buf()];
        let mut text = String::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    text += &fs::read_to_string(path).unwrap();
                }
            }
        }
        if text.contains("include_str!(\"../README.md\")") {
            let readme = folder.parent().unwrap().join("README.md");
            let lines = fs::read_to_string(readme).unwrap();
            text.extend(lines.lines().map(|line| format!("//! {line}\n")));
        }
        text
    }

    /// Whether rustdoc would run, or compile, an example in the documentation.
    fn has_examples(source: &str) -> bool {
        let lines = source.lines().map(str::trim_start);
        let documentation = lines.filter_map(|line| {
            let text = line.strip_prefix("///").or(line.strip_prefix("//!"));
            text.map(str::trim)
        });
        let mut fences = documentation.filter_map(|line| line.strip_prefix("```"));
        // (each fence that opens a block is followed by one that closes it)
        while let Some(language) = fences.next() {
            fences.next();
            let is_rust =
                |word: &str| ["", "rust", "no_run", "should_panic", "compile_fail"].contains(&word);
            let mut words = language.split(',');
            if words.clone().all(|word| word != "ignore") && words.any(is_rust) {
                return true;
            }
        }
        false
    }

    #[test]
    fn examples_are_found_in_documentation() {
        assert!(has_examples("/// ```\n/// f();\n/// ```\n"));
        assert!(has_examples("    //! ```rust,no_run\n    //! ```\n"));
        assert!(!has_examples("/// ```text\n/// f\n/// ```\n"));
        assert!(!has_examples("//! ```rust,ignore\n//! ```\n"));
        assert!(!has_examples("let fence = \"```\";\n"));
    }

    /// To find that there is nothing to test takes a second for each library, twice.
    #[test]
    fn cargo_tests_the_libraries_that_have_tests_and_the_examples_of_those_that_have_some() {
        let json = capture(cargo().args(["metadata", "--no-deps", "--format-version", "1"]));
        let tested: Tested = serde_json::from_str(&json.unwrap()).unwrap();
        for Targets { name, targets } in tested.packages {
            let is_library = |target: &Library| {
                let kinds = ["lib", "rlib", "staticlib", "proc-macro"];
                target.kind.iter().any(|kind| kinds.contains(&&**kind))
            };
            for library in targets.into_iter().filter(is_library) {
                let text = sources(&library.src_path);
                let has_tests = text.contains("#[test]");
                assert_eq!(has_tests, library.test, "{name}: its key `test`");
                let has_examples = has_examples(&text);
                assert_eq!(has_examples, library.doctest, "{name}: its key `doctest`");
            }
        }
    }
}
