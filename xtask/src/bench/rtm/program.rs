//! The programs: a kernel in C on software queues or on the task manager, with the experiment or
//! with calls to be measured singly.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use giornata_soc::Image;

use super::{Kernel, SUITE, Workload, arrivals};
use crate::bench::folder;
use crate::crates::{root, target_folder};
use crate::libraries;
use crate::process::check;

/// The one with the multilibs that picolibc has; another is named as for C processes.
const COMPILER: &str = "riscv64-unknown-elf-gcc";
const COMPILER_VARIABLE: &str = "GIORNATA_CC";
const FLAGS: [&str; 13] = [
    "--specs=picolibc.specs",
    "-nostartfiles",
    "-std=gnu17",
    "-O2",
    "-g",
    "-march=rv32im",
    // (instructions for CSRs belong to the base there)
    "-misa-spec=2.2",
    "-mabi=ilp32",
    "-mcmodel=medany",
    "-fno-common",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wl,--gc-sections,--no-warn-rwx-segments",
];
/// For our own sources; others' warnings are theirs.
const STRICT: [&str; 3] = ["-Wall", "-Wextra", "-Werror"];

/// What compiles programs.
pub(super) struct Compiler {
    sources: PathBuf,
    results: PathBuf,
    /// Where the crates lie that carry libraries.
    crates: BTreeMap<String, PathBuf>,
}

impl Compiler {
    /// Fetches the libraries, and makes the arrivals.
    ///
    /// # Errors
    /// A library cannot be had.
    pub(super) fn prepare() -> Result<Compiler> {
        let sources = folder(SUITE);
        let results = target_folder().join(SUITE);
        std::fs::create_dir_all(&results).with_context(|| results.display().to_string())?;
        std::fs::write(results.join("arrivals.h"), arrivals::header())?;
        let crates = libraries::crates(&sources.join("libraries/Cargo.toml"))?;
        Ok(Compiler {
            sources,
            results,
            crates,
        })
    }

    /// The experiment.
    ///
    /// # Errors
    /// As the compiler says.
    pub(super) fn experiment(
        &self,
        kernel: Kernel,
        with_task_manager: bool,
        workload: Workload,
    ) -> Result<Image> {
        let name = format!("{}-{}", kernel.name(), workload.name());
        let ports = self.sources.join("ports");
        let own = self.sources.join("workload");
        let sources = [
            ports.join(kernel.name()).join("port.c"),
            own.join("experiment.c"),
            own.join(format!("{}.c", workload.name())),
        ];
        let mut command = self.command(kernel, with_task_manager, "probes");
        command
            .arg(format!("-I{}", own.display()))
            .arg(format!("-I{}", ports.display()))
            .arg(format!("-I{}", ports.join(kernel.name()).display()))
            .arg(format!("-I{}", self.results.display()))
            .args(sources);
        self.add_library(workload, &mut command)?;
        self.link(command, &name, with_task_manager)
    }

    /// Single calls, to be measured.
    ///
    /// # Errors
    /// As the compiler says.
    pub(super) fn rows(&self, kernel: Kernel, with_task_manager: bool) -> Result<Image> {
        self.single(kernel, with_task_manager, "rows")
    }

    /// What the kernel promises.
    ///
    /// # Errors
    /// As the compiler says.
    pub(super) fn check(&self, kernel: Kernel, with_task_manager: bool) -> Result<Image> {
        self.single(kernel, with_task_manager, "checks")
    }

    /// The file in a folder that is named as the kernel.
    fn single(&self, kernel: Kernel, with_task_manager: bool, folder: &str) -> Result<Image> {
        let name = format!("{}-{folder}", kernel.name());
        let folder = self.sources.join(folder);
        let mut command = self.command(kernel, with_task_manager, "silent");
        command
            .args(STRICT)
            .arg(folder.join(format!("{}.c", kernel.name())));
        self.link(command, &name, with_task_manager)
    }

    /// Flags, and the sources of a kernel; `probes` is whether categories are told.
    fn command(&self, kernel: Kernel, with_task_manager: bool, probes: &str) -> Command {
        let kernels = self.sources.join("kernels");
        let own = kernels.join(kernel.name());
        let tasks = own.join(if with_task_manager { "rtm" } else { "software" });
        let compiler = env::var_os(COMPILER_VARIABLE).unwrap_or_else(|| COMPILER.into());
        let mut command = Command::new(compiler);
        command.args(FLAGS);
        command.arg(format!("-T{}", kernels.join("program.ld").display()));
        let registers = root().join("hw/rtm/include");
        for folder in [&kernels, &own, &tasks, &kernels.join(probes), &registers] {
            command.arg(format!("-I{}", folder.display()));
        }
        command
            .arg(kernels.join("start.S"))
            .arg(own.join(kernel.assembly()))
            .arg(own.join("kernel.c"));
        command
    }

    /// The library of a workload, or none and the flags of our own sources.
    fn add_library(&self, workload: Workload, command: &mut Command) -> Result<()> {
        let Some(library) = workload.library() else {
            command.args(STRICT);
            return Ok(());
        };
        let place = self.crates.get(library.package);
        let place: &Path = place.context("the manifest does not have the library's crate")?;
        command.arg("-w").args(library.flags);
        command.arg(format!("-I{}", place.join(library.include).display()));
        command.args(library.sources.iter().map(|source| place.join(source)));
        Ok(())
    }

    fn link(&self, mut command: Command, name: &str, with_task_manager: bool) -> Result<Image> {
        let suffix = if with_task_manager { "rtm" } else { "software" };
        let elf = self.results.join(format!("{name}-{suffix}.elf"));
        check(command.arg("-o").arg(&elf)).with_context(|| {
            format!(
                "the experiment needs GCC for RISC-V with picolibc (Debian: \
                 gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf), or another in \
                 {COMPILER_VARIABLE}"
            )
        })?;
        Ok(Image::read(&elf)?)
    }
}
