//! What a change can affect: the stages whose crates, with all that these are made of, or whose
//! folders hold a file that was changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::crates::{self, Package, root};
use crate::process::capture;
use crate::stage::Stage;

/// What every stage is made of: a change there affects all.
const EVERYWHERE: [&str; 6] = [
    ".ci",
    "Cargo.lock",
    "Cargo.toml",
    "rust-toolchain.toml",
    "x",
    "xtask",
];

/// How the name of a page ends: who looks at pages says so.
const PAGE: &str = ".md";

/// Crates that a stage builds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crates {
    /// Those of the workspace.
    All,
    /// These, and those of the workspace that they are made of.
    These(&'static [&'static str]),
}

/// What a stage looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs {
    pub(crate) crates: Crates,
    /// Folders and files from the repository's folder on; `""` is the whole of it, and `*.md`
    /// all files that end so.
    pub(crate) folders: &'static [&'static str],
    /// Folders that its crates link and whose code it does not run.
    pub(crate) without: &'static [&'static str],
}

impl Inputs {
    /// What cannot be told by crates and folders.
    pub(crate) const ANYTHING: Inputs = Inputs {
        crates: Crates::All,
        folders: &[""],
        without: &[],
    };

    /// Whether a change of a file can affect the stage.
    fn have(&self, file: &str, packages: &Packages) -> bool {
        if EVERYWHERE.iter().any(|place| lies_in(file, place)) {
            return true;
        }
        if self.without.iter().any(|place| lies_in(file, place)) {
            return false;
        }
        if file.ends_with(PAGE) {
            // (whatever it lies beside)
            let mut places = self.folders.iter();
            return places.any(|place| place.is_empty() || file == *place || *place == "*.md");
        }
        if self.folders.iter().any(|place| lies_in(file, place)) {
            return true;
        }
        let Some(package) = packages.of(file) else {
            return false;
        };
        match self.crates {
            Crates::All => true,
            Crates::These(crates) => packages.made_of(crates).contains(package),
        }
    }
}

/// Whether a file is, or lies in, a place as [`Inputs::folders`] has them.
fn lies_in(file: &str, place: &str) -> bool {
    match place.strip_prefix('*') {
        Some(ending) => file.ends_with(ending),
        None => Path::new(file).starts_with(place),
    }
}

/// The crates of the workspace: where they lie, and which they take.
struct Packages(Vec<Package>);

impl Packages {
    /// The crate that a file belongs to.
    fn of(&self, file: &str) -> Option<&str> {
        let holds = |package: &&Package| Path::new(file).starts_with(&package.folder);
        let deepest = |package: &&Package| package.folder.components().count();
        let package = self.0.iter().filter(holds).max_by_key(deepest)?;
        Some(&package.name)
    }

    /// Crates with all that they are made of.
    fn made_of(&self, crates: &[&str]) -> BTreeSet<&str> {
        let takes: BTreeMap<&str, &Package> = self
            .0
            .iter()
            .map(|package| (&*package.name, package))
            .collect();
        let mut found = BTreeSet::new();
        let mut left: Vec<&str> = crates.to_vec();
        while let Some(name) = left.pop() {
            let Some((name, package)) = takes.get_key_value(name) else {
                continue;
            };
            if found.insert(*name) {
                left.extend(package.takes.iter().map(String::as_str));
            }
        }
        found
    }
}

/// The files that differ from a revision, those that git does not know included.
///
/// # Errors
/// Git has no such revision.
pub(crate) fn files(revision: &str) -> Result<Vec<String>> {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        capture(command.current_dir(root()).args(words))
    };
    let changed = git(&["diff", "--name-only", "--no-renames", revision, "--"])?;
    let new = git(&["ls-files", "--others", "--exclude-standard"])?;
    let lines = changed.lines().chain(new.lines());
    Ok(lines.map(String::from).collect())
}

/// Those of some stages that a change of files can affect.
///
/// # Errors
/// Cargo does not say which crates there are.
pub(crate) fn affected(stages: &[&'static Stage], files: &[String]) -> Result<Vec<&'static Stage>> {
    let packages = Packages(crates::all()?);
    let is_affected = |stage: &&&Stage| files.iter().any(|file| stage.inputs.have(file, &packages));
    Ok(stages.iter().filter(is_affected).copied().collect())
}

/// The crates whose tests a change of files can affect: those that are made of a crate with one
/// of them; none stands for all, because a file lies in no crate and any test may read it.
///
/// # Errors
/// Cargo does not say which crates there are.
pub(crate) fn tested(files: &[String]) -> Result<Option<BTreeSet<String>>> {
    let packages = Packages(crates::all()?);
    let mut changed = BTreeSet::new();
    for file in files {
        let is_everywhere = EVERYWHERE.iter().any(|place| lies_in(file, place));
        match packages.of(file) {
            Some(package) if !is_everywhere && !file.ends_with(PAGE) => changed.insert(package),
            _ => return Ok(None),
        };
    }
    let is_made_of = |package: &&Package| {
        let made = packages.made_of(&[&package.name]);
        made.iter().any(|name| changed.contains(name))
    };
    let names = packages.0.iter().filter(is_made_of);
    Ok(Some(names.map(|package| package.name.clone()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage;

    /// The names of the stages that a change of a file affects.
    fn stages(file: &str) -> Vec<&'static str> {
        let all: Vec<&Stage> = stage::ALL.iter().collect();
        let stages = affected(&all, &[file.into()]).unwrap();
        stages.iter().map(|stage| stage.name).collect()
    }

    #[test]
    fn the_kernel_affects_what_runs_or_measures_it() {
        let stages = stages("kernel/core/src/sync/fast.rs");
        for name in [
            "format",
            "lint-bare",
            "unit",
            "size",
            "bounds",
            "target",
            "rtl",
            "bench",
        ] {
            assert!(stages.contains(&name), "{name}: {stages:?}");
        }
    }

    #[test]
    fn a_page_affects_what_reads_pages() {
        assert_eq!(stages("docs/posix.md"), ["unit", "docs"]);
        assert_eq!(stages("bench/kernel/README.md"), ["unit", "docs"]);
    }

    #[test]
    fn the_task_manager_affects_nothing_that_runs_in_qemu() {
        let stages = stages("hw/rtm/rtl/task_manager.sv");
        for name in ["unit", "rtl", "rtm", "foreign-kernels"] {
            assert!(stages.contains(&name), "{name}: {stages:?}");
        }
        for name in ["target", "bench", "promises", "libraries", "drift"] {
            assert!(!stages.contains(&name), "{name}: {stages:?}");
        }
    }

    #[test]
    fn a_case_of_a_suite_affects_the_suites() {
        let stages = stages("tests/target/threads/ceiling.toml");
        assert!(
            stages.contains(&"target") && stages.contains(&"rtl"),
            "{stages:?}"
        );
        assert!(
            !stages.contains(&"libraries") && !stages.contains(&"rtm"),
            "{stages:?}"
        );
    }

    #[test]
    fn what_everything_is_built_with_affects_everything() {
        for file in ["Cargo.lock", "xtask/src/test.rs", ".ci/run", "x"] {
            assert_eq!(stages(file).len(), stage::ALL.len(), "{file}");
        }
        assert!(!lies_in("xylophone", "x"));
    }

    #[test]
    fn nothing_affects_nothing() {
        let all: Vec<&Stage> = stage::ALL.iter().collect();
        assert!(affected(&all, &[]).unwrap().is_empty());
    }

    #[test]
    fn tests_of_crates_that_are_made_of_what_changed_are_affected() {
        let tested = |file: &str| tested(&[file.into()]).unwrap();
        let crates = tested("kernel/records/src/lib.rs").unwrap();
        for name in [
            "giornata-records",
            "giornata-host",
            "giornata-system",
            "giornata-cli",
        ] {
            assert!(crates.contains(name), "{name}: {crates:?}");
        }
        for name in ["giornata-core", "giornata-bounds", "giornata-rtm", "xtask"] {
            assert!(!crates.contains(name), "{name}: {crates:?}");
        }
        for anywhere in [
            "boards/rtl-pmp.toml",
            "docs/posix.md",
            "cli/README.md",
            "Cargo.lock",
        ] {
            assert_eq!(tested(anywhere), None, "{anywhere}");
        }
    }

    #[test]
    fn what_stages_name_is_there() {
        let packages = crates::all().unwrap();
        for stage in stage::ALL {
            let Inputs {
                crates,
                folders,
                without,
            } = stage.inputs;
            let places = folders
                .iter()
                .chain(without)
                .filter(|place| !place.starts_with('*'));
            for place in places {
                assert!(root().join(place).exists(), "{}: {place}", stage.name);
            }
            let Crates::These(crates) = crates else {
                continue;
            };
            for name in crates {
                let is_there = packages.iter().any(|package| package.name == *name);
                assert!(is_there, "{}: {name}", stage.name);
            }
        }
    }

    #[test]
    fn a_file_belongs_to_the_deepest_crate_around_it() {
        let packages = Packages(crates::all().unwrap());
        assert_eq!(
            packages.of("hw/rtm/registers/src/lib.rs"),
            Some("giornata-rtm-registers")
        );
        assert_eq!(packages.of("hw/rtm/src/lib.rs"), Some("giornata-rtm"));
        assert_eq!(packages.of("README.md"), None);
        let made = packages.made_of(&["giornata-host"]);
        assert!(made.contains("giornata-core") && made.contains("giornata-test-model"));
        assert!(!made.contains("giornata-system"), "{made:?}");
    }
}
