//! The stages `lint` and `lint-bare`: what clippy says.
//!
//! For bare targets the kernel has many forms: a board chooses what it has for its machine, a
//! configuration which services. The short form looks at five of them, in which every part of
//! the kernel is there and is left out, for each width of words and each kind of protection; the
//! long form at the largest and the smallest configuration of every board.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::crates::{self, BOARDS, CHIPS, IMAGE, Package, SEVERAL, root, selection};
use crate::process::{cargo, check};
use crate::test::Extent;

/// The part of the smallest configuration.
const LEAST: &str = "programs";
/// Boards of the short form, and whether all parts are there.
const SHORT: [(&str, bool); 5] = [
    ("qemu-virt64", true),
    ("qemu-virt32", false),
    ("qemu-virt32-pmp", false),
    ("rtl-rtm", true),
    (SEVERAL[0], true),
];
/// The part that kernels on several harts have, and those that they cannot have.
const HARTS: &str = "harts";
const ONE_HART: [&str; 2] = ["fast", "rtm"];
/// What processes of the short form are compiled for: the widest and the least.
const SHORT_TARGETS: [&str; 2] = ["riscv64gc-unknown-none-elf", "riscv32im-unknown-none-elf"];

/// What is read of a board's file here.
#[derive(Deserialize)]
struct Board {
    /// Of processes.
    target: String,
    kernel: BoardKernel,
}

#[derive(Deserialize)]
struct BoardKernel {
    target: String,
    features: Vec<String>,
    harts: u32,
}

impl Board {
    fn named(name: &str) -> Result<Board> {
        let path = root().join("boards").join(name).with_extension("toml");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }
}

/// Every crate on the host.
pub(crate) fn host(_: &Extent) -> Result<String> {
    check(cargo().args([
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-Dwarnings",
    ]))?;
    Ok(format!("{} crates", crates::all()?.len()))
}

/// The kernel and what runs in processes, on bare targets.
pub(crate) fn bare(extent: &Extent) -> Result<String> {
    let packages = crates::all()?;
    let boards = BOARDS.into_iter().chain(CHIPS).chain(SEVERAL);
    let boards: BTreeMap<&str, Board> = boards
        .map(|name| Ok((name, Board::named(name)?)))
        .collect::<Result<_>>()?;
    let parts = parts(&boards)?;
    let forms: Vec<(&str, bool)> = match extent.full {
        false => SHORT.to_vec(),
        true => boards
            .keys()
            .flat_map(|name| [(*name, false), (*name, true)])
            .collect(),
    };
    for (name, has_all) in &forms {
        let board = boards.get(name).context("a board")?;
        let mut features: Vec<&str> = match has_all {
            true => parts.iter().map(String::as_str).collect(),
            false => vec![LEAST],
        };
        match board.kernel.harts {
            1 => features.retain(|part| *part != HARTS),
            _ if *has_all => features.retain(|part| !ONE_HART.contains(part)),
            _ => features.push(HARTS),
        }
        features.extend(board.kernel.features.iter().map(String::as_str));
        let features: Vec<String> = features
            .iter()
            .map(|part| format!("{IMAGE}/{part}"))
            .collect();
        let mut command = cargo();
        command.env("GIORNATA_BOARD", name);
        command.args(["clippy", "--no-default-features"]);
        command.args(["--features", &features.join(",")]);
        lint(command, &packages, &board.kernel.target, Package::is_kernel)?;
    }
    let targets: BTreeSet<&str> = match extent.full {
        false => SHORT_TARGETS.into(),
        true => boards.values().map(|board| &*board.target).collect(),
    };
    for target in &targets {
        let mut command = cargo();
        command.arg("clippy");
        lint(command, &packages, target, Package::is_user)?;
    }
    let names: BTreeSet<&str> = forms.iter().map(|(name, _)| *name).collect();
    Ok(format!(
        "{} forms of the kernel, for {}; processes for {}",
        forms.len(),
        names.into_iter().collect::<Vec<_>>().join(", "),
        targets.into_iter().collect::<Vec<_>>().join(", ")
    ))
}

/// Parts of the kernel that configurations choose: features of its binary that no board names.
fn parts(boards: &BTreeMap<&str, Board>) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Manifest {
        features: BTreeMap<String, Vec<String>>,
    }
    let path = root().join("kernel/image/Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let Manifest { features } =
        toml::from_str(&text).with_context(|| path.display().to_string())?;
    let is_board = |part: &String| {
        let mut boards = boards.values();
        part == "default" || boards.any(|board| board.kernel.features.contains(part))
    };
    Ok(features
        .into_keys()
        .filter(|part| !is_board(part))
        .collect())
}

fn lint(
    mut command: Command,
    packages: &[Package],
    target: &str,
    belongs: fn(&Package) -> bool,
) -> Result<()> {
    let own = packages.iter().filter(|package| belongs(package));
    command
        .args(["--quiet", "--release", "--target", target])
        .args(selection(own.map(|package| package.name.as_str())))
        .args(["--", "-Dwarnings"]);
    check(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boards() -> BTreeMap<&'static str, Board> {
        let names = BOARDS.into_iter().chain(CHIPS);
        names
            .map(|name| (name, Board::named(name).unwrap()))
            .collect()
    }

    #[test]
    fn parts_of_configurations_are_told_from_those_of_boards() {
        let parts = parts(&boards()).unwrap();
        for part in [LEAST, "load", "mail", "posix", "services"] {
            assert!(parts.iter().any(|other| other == part), "{part}: {parts:?}");
        }
        for feature in ["default", "plic", "fast", "regions", "rtm"] {
            assert!(
                parts.iter().all(|part| part != feature),
                "{feature}: {parts:?}"
            );
        }
    }

    /// Each feature of a board is there with all services in one form, or alone in another; and
    /// every target of a kernel is compiled for.
    #[test]
    fn the_short_form_looks_at_every_feature_and_every_target() {
        let boards = boards();
        let short = || SHORT.iter().map(|(name, _)| &boards[name].kernel);
        for (name, board) in &boards {
            for feature in &board.kernel.features {
                assert!(
                    short().any(|kernel| kernel.features.contains(feature)),
                    "{name}: {feature}"
                );
            }
            assert!(
                short().any(|kernel| kernel.target == board.kernel.target),
                "{name}"
            );
        }
    }
}
