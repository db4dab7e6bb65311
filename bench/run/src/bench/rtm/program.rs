//! The programs: a kernel in C on software queues or on the task manager, with the experiment or
//! with calls to be measured singly.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use giornata_soc::Image;
use giornata_system::image::C_HEADERS;

use super::experiment::Case;
use super::giornata::{self, Built};
use super::{Kernel, SUITE, Tasks, Workload, arrivals};
use crate::bench::folder;
use crate::crates::{fetched, root, target_folder};
use crate::process::check;

/// The one with the multilibs that picolibc has; another is named as for C processes.
const COMPILER: &str = "riscv64-unknown-elf-gcc";
const COMPILER_VARIABLE: &str = "GIORNATA_CC";
const FLAGS: [&str; 11] = [
    "--specs=picolibc.specs",
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
];
/// For a whole program.
const LINKING: [&str; 2] = ["-nostartfiles", "-Wl,--gc-sections,--no-warn-rwx-segments"];
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
        let crates = fetched(&sources.join("libraries/Cargo.toml"))?;
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
        tasks: Tasks,
        workload: Workload,
    ) -> Result<Image> {
        let name = format!("{}-{}", kernel.name(), workload.name());
        let (flags, sources) = self.parts(kernel, workload)?;
        let mut command = self.command(kernel, tasks, "probes");
        command.args(flags).args(sources);
        self.link(command, &name, tasks)
    }

    /// The experiment as a system of Giornata.
    ///
    /// # Errors
    /// As the compiler says, or the system is refused.
    pub(super) fn system(&self, case: &Case) -> Result<Built> {
        let name = format!("giornata-{}-{}", case.workload.name(), case.channels());
        let folder = self.place(&name)?;
        let (flags, sources) = self.parts(case.kernel, case.workload)?;
        let mut objects = Vec::new();
        for source in &sources {
            let object = source.with_extension("o");
            let object = object.file_name().context("a source has a name")?;
            let mut command = self.compiler();
            command
                .args(FLAGS)
                .args(&flags)
                .arg(format!("-I{}", root().join(C_HEADERS).display()))
                .arg(format!("-DEXPERIMENT_ARGUMENT={:#x}u", case.argument()))
                .arg("-c")
                .arg(source);
            compile(command.arg("-o").arg(folder.join(object)))?;
            objects.push(object.to_string_lossy().into_owned());
        }
        giornata::build(case, &folder, &objects)
    }

    /// Single calls, to be measured.
    ///
    /// # Errors
    /// As the compiler says.
    pub(super) fn rows(&self, kernel: Kernel, tasks: Tasks) -> Result<Image> {
        self.single(kernel, tasks, "rows")
    }

    /// What the kernel promises.
    ///
    /// # Errors
    /// As the compiler says.
    pub(super) fn check(&self, kernel: Kernel, tasks: Tasks) -> Result<Image> {
        self.single(kernel, tasks, "checks")
    }

    /// The file in a folder that is named as the kernel.
    fn single(&self, kernel: Kernel, tasks: Tasks, folder: &str) -> Result<Image> {
        let name = format!("{}-{folder}", kernel.name());
        let folder = self.sources.join(folder);
        let mut command = self.command(kernel, tasks, "silent");
        command
            .args(STRICT)
            .arg(folder.join(format!("{}.c", kernel.name())));
        self.link(command, &name, tasks)
    }

    /// A folder for what is generated.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn place(&self, name: &str) -> Result<PathBuf> {
        let folder = self.results.join(name);
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    fn compiler(&self) -> Command {
        Command::new(env::var_os(COMPILER_VARIABLE).unwrap_or_else(|| COMPILER.into()))
    }

    /// Flags, and the sources of a kernel; `probes` is whether categories are told.
    fn command(&self, kernel: Kernel, tasks: Tasks, probes: &str) -> Command {
        let kernels = self.sources.join("kernels");
        let own = kernels.join(kernel.name());
        let [kept, time] = tasks.folders().map(|folder| own.join(folder));
        let probes = kernels.join(probes);
        let mut command = self.compiler();
        command.args(FLAGS).args(LINKING);
        command.arg(format!("-T{}", kernels.join("program.ld").display()));
        let registers = root().join("hw/rtm/include");
        for folder in [&kernels, &own, &kept, &time, &probes, &registers] {
            command.arg(format!("-I{}", folder.display()));
        }
        command
            .arg(kernels.join("start.S"))
            .args(kernel.assembly().map(|assembly| own.join(assembly)))
            .arg(own.join("kernel.c"));
        command
    }

    /// Flags and sources of the experiment, without those of a kernel in C.
    fn parts(&self, kernel: Kernel, workload: Workload) -> Result<(Vec<String>, Vec<PathBuf>)> {
        let (own, ports) = (self.sources.join("workload"), self.sources.join("ports"));
        let port = ports.join(kernel.name());
        let included = [&own, &ports, &port, &self.results];
        let mut flags: Vec<String> = included
            .map(|folder| format!("-I{}", folder.display()))
            .into();
        let mut sources = vec![
            port.join("port.c"),
            own.join("experiment.c"),
            own.join(format!("{}.c", workload.name())),
        ];
        match self.library(workload)? {
            Some((library, more)) => {
                flags.extend(library);
                sources.extend(more);
            }
            None => flags.extend(STRICT.map(String::from)),
        }
        Ok((flags, sources))
    }

    /// Flags and sources of a workload's library, if it has one.
    fn library(&self, workload: Workload) -> Result<Option<(Vec<String>, Vec<PathBuf>)>> {
        let Some(library) = workload.library() else {
            return Ok(None);
        };
        let place = self.crates.get(library.package);
        let place: &Path = place.context("the manifest does not have the library's crate")?;
        let mut flags = vec!["-w".to_string()];
        flags.extend(library.flags.iter().copied().map(String::from));
        flags.push(format!("-I{}", place.join(library.include).display()));
        let sources = library.sources.iter().map(|source| place.join(source));
        Ok(Some((flags, sources.collect())))
    }

    fn link(&self, mut command: Command, name: &str, tasks: Tasks) -> Result<Image> {
        let elf = self.results.join(format!("{name}-{}.elf", tasks.suffix()));
        compile(command.arg("-o").arg(&elf))?;
        Ok(Image::read(&elf)?)
    }
}

fn compile(command: &mut Command) -> Result<()> {
    check(command).with_context(|| {
        format!(
            "the experiment needs GCC for RISC-V with picolibc (Debian: \
             gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf), or another in \
             {COMPILER_VARIABLE}"
        )
    })
}
