//! `./x size`: bytes of the release kernel, by kind of section, against the
//! committed budget, and beside its goals and others.

mod goals;
mod services;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use giornata_system::image::{TargetLock, build_kernel, kernel_hash, thread_bytes};
use object::{Object, ObjectSection, SectionFlags, SectionKind, elf};
use serde::{Deserialize, Serialize};

use goals::{Goal, Reached, reached};

use crate::crates::{root, target_folder};
use giornata_launch::Verdict;
use giornata_launch::image::target_lock;

/// The committed budget.
const BUDGET: &str = "kernel/size-budget.toml";

/// The kernel of which the services of POSIX are counted: its board and configuration.
const SERVICES: (&str, &str) = ("qemu-virt32-pmp", "pse51");

/// `./x size [--json]`
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// One JSON array instead of a table.
    #[arg(long)]
    json: bool,
}

/// Bytes by kind of section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sizes {
    /// Executable.
    text: u64,
    /// Constants.
    rodata: u64,
    /// Initialised variables.
    data: u64,
    /// Zeroed variables, with the stacks of the harts.
    bss: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    kernel: Vec<Entry>,
    #[serde(default)]
    goal: Vec<Goal>,
}

/// The kernel for one board and configuration, and what it may take.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    board: String,
    config: String,
    budget: Sizes,
}

#[derive(Debug, Serialize)]
struct Measured {
    #[serde(flatten)]
    entry: Entry,
    size: Sizes,
    /// Of what is loaded; `run` and `bench` print the same.
    hash: String,
    /// RAM of a thread beyond its registers.
    thread: u32,
    within: bool,
}

/// Measures every kernel of the budget; negative if one is too large.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    let (measured, goals) = measure()?;
    if options.json {
        println!("{}", serde_json::to_string_pretty(&measured)?);
    } else {
        table(&measured).iter().for_each(|line| println!("{line}"));
        println!();
        goals::table(&goals)
            .iter()
            .for_each(|line| println!("{line}"));
        println!();
        let lock = target_lock(&target_folder())?;
        let services = services::table(&build(SERVICES.0, SERVICES.1, &lock)?)?;
        drop(lock);
        services.iter().for_each(|line| println!("{line}"));
    }
    let within = measured.iter().all(|kernel| kernel.within);
    Ok(if within {
        Verdict::Good
    } else {
        Verdict::Negative
    })
}

/// The same as lines, and whether all is within the budget.
pub(crate) fn check() -> Result<(Vec<String>, bool)> {
    let (measured, _) = measure()?;
    Ok((
        table(&measured),
        measured.iter().all(|kernel| kernel.within),
    ))
}

fn measure() -> Result<(Vec<Measured>, Vec<Reached>)> {
    let text = std::fs::read_to_string(root().join(BUDGET)).context(BUDGET)?;
    let budget: Budget = toml::from_str(&text).context(BUDGET)?;
    let kernels = budget.kernel.into_iter().map(measure_one);
    let measured: Vec<Measured> = kernels.collect::<Result<_>>()?;
    let goals = reached(&budget.goal, &measured);
    Ok((measured, goals))
}

fn measure_one(entry: Entry) -> Result<Measured> {
    // the next kernel comes to the same place
    let lock = target_lock(&target_folder())?;
    let elf = build(&entry.board, &entry.config, &lock)?;
    let size = read(&elf)?;
    let within = entry.budget.allows(&size);
    let board = &entry.board;
    let hash = kernel_hash(board, root(), &elf);
    let hash = hash.map_err(|refusal| anyhow!("{refusal:?}"))?;
    drop(lock);
    let thread = thread_bytes(board, root());
    let thread = thread.map_err(|refusal| anyhow!("{refusal:?}"))?;
    Ok(Measured {
        entry,
        size,
        hash,
        thread,
        within,
    })
}

/// Builds the release kernel for a board in a configuration, as its systems contain it; it links
/// only if no panic is reachable.
fn build(board: &str, config: &str, lock: &TargetLock) -> Result<PathBuf> {
    let kernel = build_kernel(board, config, root(), lock);
    kernel.map_err(|refusal| anyhow!("{refusal:?}"))
}

fn read(elf: &Path) -> Result<Sizes> {
    let bytes = std::fs::read(elf).with_context(|| elf.display().to_string())?;
    let file = object::File::parse(&*bytes).with_context(|| elf.display().to_string())?;
    let mut sizes = Sizes::default();
    for section in file.sections() {
        if let Some(kind) = sizes.of(&section) {
            *kind += section.size();
        }
    }
    Ok(sizes)
}

impl Sizes {
    /// What a section counts as; nothing if it is not loaded.
    fn of<'a>(&mut self, section: &impl ObjectSection<'a>) -> Option<&mut u64> {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            return None;
        };
        let has = |flag: elf::SectionFlags| sh_flags.0 & flag.0 != 0;
        if !has(elf::SHF_ALLOC) {
            return None;
        }
        Some(if has(elf::SHF_EXECINSTR) {
            &mut self.text
        } else if section.kind() == SectionKind::UninitializedData {
            &mut self.bss
        } else if has(elf::SHF_WRITE) {
            &mut self.data
        } else {
            &mut self.rodata
        })
    }

    fn allows(&self, size: &Sizes) -> bool {
        self.columns()
            .into_iter()
            .zip(size.columns())
            .all(|(most, size)| size <= most)
    }

    /// What is in the image.
    fn loaded(&self) -> u64 {
        self.text + self.rodata + self.data
    }

    fn columns(&self) -> [u64; 4] {
        [self.text, self.rodata, self.data, self.bss]
    }
}

fn table(measured: &[Measured]) -> Vec<String> {
    let head = format!(
        "{:<16} {:<8} {:<16} {:>15} {:>15} {:>15} {:>15}  of budget  a thread",
        "board", "config", "hash", "text", "rodata", "data", "bss"
    );
    std::iter::once(head)
        .chain(measured.iter().map(row))
        .collect()
}

fn row(kernel: &Measured) -> String {
    let cells = kernel
        .size
        .columns()
        .into_iter()
        .zip(kernel.entry.budget.columns());
    let cells: String = cells
        .map(|(size, most)| format!(" {:>15}", format!("{size} / {most}")))
        .collect();
    let verdict = if kernel.within { "within" } else { "EXCEEDED" };
    format!(
        "{:<16} {:<8} {:<16}{cells}  {verdict:<9}  {:>8}",
        kernel.entry.board, kernel.entry.config, kernel.hash, kernel.thread
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: u64, bss: u64) -> Sizes {
        Sizes {
            text,
            rodata: 10,
            data: 0,
            bss,
        }
    }

    #[test]
    fn one_byte_over_in_one_column_exceeds_the_budget() {
        assert!(sizes(100, 5).allows(&sizes(100, 5)));
        assert!(!sizes(100, 5).allows(&sizes(101, 5)));
        assert!(!sizes(100, 5).allows(&sizes(10, 6)));
    }

    #[test]
    fn sections_of_an_executable_are_counted_by_what_they_are() {
        let own = read(&std::env::current_exe().unwrap()).unwrap();
        assert!(
            own.text > 10_000 && own.rodata > 1_000 && own.data > 0 && own.bss > 0,
            "{own:?}"
        );
        let file = std::fs::metadata(std::env::current_exe().unwrap())
            .unwrap()
            .len();
        assert!(own.text + own.rodata + own.data < file);
    }

    #[test]
    fn the_committed_budget_reads() {
        let text = std::fs::read_to_string(root().join(BUDGET)).unwrap();
        let budget: Budget = toml::from_str(&text).unwrap();
        assert!(!budget.kernel.is_empty() && !budget.goal.is_empty());
    }
}
