//! The image of a system: kernel, tables and processes in one executable.
//!
//! ```text
//! system.toml -> Project -> Model (outline) -> identifiers
//!                                |                 |
//!                                |        compile, link each process
//!                                v                 |
//!                              Model <- functions -+
//!                                |                 |
//!                              layout <- sections -+
//!                                |
//!                              Tables -> blob --+-> ELF
//!                              kernel ----------+
//! ```

mod c;
mod c_library;
mod compile;
mod cxx_library;
mod elf;
pub(crate) mod executable;
mod fields;
mod kernel;
pub(crate) mod layout;
mod link_process;
pub(crate) mod napot;
mod package;
mod paging;
pub(crate) mod regions;
mod report;
mod rust;
mod stacks;
mod target_lock;

pub use c::{HEADERS as C_HEADERS, HOST_RUNTIME as C_HOST_RUNTIME, RUNTIME as C_RUNTIME};
pub use compile::Memory;
pub use layout::Usage;
pub use package::{Crate, crate_of};
pub use report::{ProcessUsage, Report};
pub use rust::{cargo, channel};
pub use target_lock::TargetLock;

use crate::board::{Board, Emulator};
use crate::debug_map::{DebugMap, fingerprint};
use crate::describe::{self, describe};
use crate::file::{ProcessSection, SystemFile};
use crate::identifiers;
use crate::memory_map;
use crate::model::Model;
use crate::names::{self, NameMap};
use crate::place::Placement;
use crate::problem::{Problem, Refusal};
use crate::project::Project;
use crate::streams;
use compile::Toolchain;
use executable::Executable;
use kernel::Kernel;
use layout::{Layout, Segment};
use link_process::{Parts, Site};
use package::Package;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What to build, and where.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The system file.
    pub system: PathBuf,
    /// The root of the workspace: kernel, boards and crates.
    pub root: PathBuf,
    /// Where the image and what belongs to it go; made if it is not there.
    pub out_dir: PathBuf,
    /// Where compiled things go; shared between builds.
    pub target_dir: PathBuf,
    /// A board in the stead of the one that the file names.
    pub board: Option<String>,
    /// The instant, in ns, at which the machine stops by itself; 0 = never.
    pub stop_at: u64,
    /// Processes check for overflow and tell file and line when they panic.
    pub debug: bool,
    /// In which of many orders functions lie, of the kernel and of processes; 0 is
    /// the linker's own, that of the kernel that is shipped.
    pub order: u32,
    /// What compilers have made already.
    pub memory: Memory,
}

/// What came of a build.
#[derive(Clone, Debug)]
pub struct Built {
    /// The image: an executable for the board.
    pub image: PathBuf,
    /// The kernel's executable, with its symbols.
    pub kernel: PathBuf,
    /// The executables of the processes, with their symbols and debug information.
    pub processes: Vec<PathBuf>,
    /// The name map, as JSON.
    pub names: PathBuf,
    /// The debug map, as JSON.
    pub debug_map: PathBuf,
    /// The same map.
    pub map: DebugMap,
    /// The identifiers as a Rust module, and as a C header.
    pub identifiers: [PathBuf; 2],
    /// The same map.
    pub name_map: NameMap,
    /// How memory is spent.
    pub report: Report,
    /// The program that stands in for the board, if there is one.
    pub emulator: Option<Emulator>,
    /// What the compilers of the programs remarked.
    pub remarks: Vec<giornata_lang::Diagnostic>,
}

impl BuildOptions {
    /// The same for another board than the file names; results go to a folder
    /// of that board.
    pub fn on(self, board: &str) -> BuildOptions {
        // (of a board by the path of its file, that file's name)
        let folder = Path::new(board).file_stem().unwrap_or_default();
        BuildOptions {
            out_dir: self.out_dir.join(folder),
            board: Some(board.into()),
            ..self
        }
    }

    /// The same with functions in another order; results go to a folder of it.
    pub fn ordered(self, order: u32) -> BuildOptions {
        BuildOptions {
            out_dir: match order {
                0 => self.out_dir,
                _ => self.out_dir.join(format!("order-{order}")),
            },
            order,
            ..self
        }
    }

    /// Builds `system` with the kernel and the boards of `root`. Of a system in `root`,
    /// results lie under `out/FOLDER`, or `out/FOLDER/STEM` if the file is not called
    /// system.toml, and compiled things where cargo puts them; of one elsewhere, both
    /// under `target` beside the file.
    pub fn new(system: &Path, root: &Path) -> BuildOptions {
        let folder = system.parent().unwrap_or(Path::new(""));
        let stem = system
            .file_stem()
            .filter(|stem| *stem != "system")
            .unwrap_or_default();
        let (out_dir, target_dir) = match is_elsewhere(folder, root) {
            true => (folder.join("target/giornata"), folder.join("target")),
            false => (
                root.join("out")
                    .join(folder.file_name().unwrap_or_default()),
                root.join("target"),
            ),
        };
        let target_dir = std::env::var_os("CARGO_TARGET_DIR").map_or(target_dir, PathBuf::from);
        BuildOptions {
            system: system.to_path_buf(),
            root: root.to_path_buf(),
            out_dir: out_dir.join(stem),
            target_dir,
            board: None,
            stop_at: 0,
            debug: false,
            order: 0,
            memory: Memory::default(),
        }
    }
}

/// Whether a folder that is there is not in another.
fn is_elsewhere(folder: &Path, root: &Path) -> bool {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    match (folder.canonicalize(), root.canonicalize()) {
        (Ok(folder), Ok(root)) => !folder.starts_with(root),
        _ => false,
    }
}

/// Checks a system file, its programs and their references, without compiling
/// its processes.
pub fn check(system: &Path, root: &Path) -> Result<Model, miette::Report> {
    Ok(Model::outline(&Project::open(system, root, None)?)?)
}

/// Builds the image of a system. Equal inputs give equal bytes. The next build writes to the
/// same places, so the lock is to be held until what was built has been read or copied.
pub fn build(options: &BuildOptions, lock: &TargetLock) -> Result<Built, miette::Report> {
    let mut project = Project::open(&options.system, &options.root, options.board.as_deref())?;
    project.stop_at = options.stop_at;
    let built = Builder::new(options, &project, lock)?.build()?;
    Ok(Built {
        remarks: project.remarks,
        ..built
    })
}

/// Compiles the kernel of a board in a configuration, as [`build`] does; answers
/// its executable. Equal sources give equal bytes.
pub fn build_kernel(
    board: &str,
    config: &str,
    root: &Path,
    lock: &TargetLock,
) -> Result<PathBuf, miette::Report> {
    let toolchain = Toolchain {
        root: root.into(),
        target_dir: lock.folder().into(),
        debug: false,
        identifiers: PathBuf::new(),
        headers: PathBuf::new(),
        order: 0,
        probe_interval: 0,
        memory: Memory::default(),
    };
    Ok(toolchain.kernel(&Board::named(board, root)?, config, false)?)
}

/// The hash of a kernel that [`build_kernel`] has compiled, as the report of
/// every system of the board tells it.
pub fn kernel_hash(board: &str, root: &Path, elf: &Path) -> Result<String, miette::Report> {
    let board = Board::named(board, root)?;
    Ok(Kernel::read(&board, &read(elf)?)?.hash())
}

/// Bytes of RAM that the kernel for a board keeps for a thread beyond its registers.
///
/// # Errors
/// There is no such board.
pub fn thread_bytes(board: &str, root: &Path) -> Result<u32, miette::Report> {
    let board = Board::named(board, root)?;
    Ok(giornata_records::thread_bytes(board.laid_for(false)) as u32)
}

/// How C sources are compiled, for editors.
const COMMANDS: &str = "compile_commands.json";

/// How often processes are linked before they are given up.
const MOST_LINKS: u32 = 8;

/// A build under way.
struct Builder<'a> {
    options: &'a BuildOptions,
    project: &'a Project,
    outline: Model,
    toolchain: Toolchain,
    identifiers: [PathBuf; 2],
}

impl<'a> Builder<'a> {
    /// Writes the identifiers, which processes are compiled against.
    fn new(
        options: &'a BuildOptions,
        project: &'a Project,
        lock: &TargetLock,
    ) -> Result<Builder<'a>, Refusal> {
        let outline = Model::outline(project)?;
        std::fs::create_dir_all(&options.out_dir)
            .map_err(|e| cannot_write(&options.out_dir, &e))?;
        let identifiers =
            ["identifiers.rs", "identifiers.h"].map(|name| options.out_dir.join(name));
        let [rust, c] = &identifiers;
        let text = identifiers::rust(&outline)?;
        write(rust, text.as_bytes())?;
        write(c, identifiers::c(&outline)?.as_bytes())?;
        let named = by_content(lock.folder(), &text)?;
        let out_dir = &options.out_dir;
        let headers = out_dir
            .canonicalize()
            .map_err(|e| cannot_write(out_dir, &e))?;
        let toolchain = Toolchain {
            root: options.root.clone(),
            target_dir: lock.folder().into(),
            debug: options.debug,
            identifiers: named,
            headers,
            order: options.order,
            probe_interval: c::probe_interval(project.board.protection),
            memory: options.memory.clone(),
        };
        Ok(Builder {
            options,
            project,
            outline,
            toolchain,
            identifiers,
        })
    }

    fn build(self) -> Result<Built, Refusal> {
        let board = &self.project.board;
        self.write_commands()?;
        let streams = !self.outline.streams.is_empty();
        let executable = self
            .toolchain
            .kernel(board, &self.outline.config, streams)?;
        let kernel = Kernel::read(board, &read(&executable)?)?;
        let sections = &self.project.file.processes;
        let parts: Result<Vec<Parts>, Refusal> = sections.iter().map(|s| self.parts(s)).collect();
        let parts = parts?;
        let first = 0..self.outline.processes.len() as u16;
        let sites: Vec<Site> = first
            .map(|index| layout::first_site(&self.outline, index))
            .collect();
        let executables = self.link(&parts, &sites)?;
        let names = sections
            .iter()
            .map(|section| section.name.get_ref().clone());
        let functions: BTreeMap<_, _> = names
            .zip(executables.iter().map(|e| e.functions.clone()))
            .collect();
        let mut model = Model::resolve(self.project, &functions)?;
        let processes: Vec<PathBuf> = sections.iter().map(|s| self.executable(s)).collect();
        let (file, root) = (&self.project.file, &self.options.root);
        for warning in stacks::fit(file, &mut model, &executables, &processes, root)? {
            eprintln!("warning: {warning}");
        }
        check_cursor(&self.project.file, &model, &executables)?;
        let (layout, blob, executables) = self.place(&model, executables, sites, &parts)?;
        // records are the kernel's tables at run time
        let records = blob.size;
        let out = |ending: &str| {
            self.options
                .out_dir
                .join(format!("{}.{ending}", model.name))
        };
        let [image, names, debug_map] = ["elf", "names.json", "debug.json"].map(out);
        let bytes = self.image(&kernel, &layout, blob)?;
        write(&image, &bytes)?;
        let mut name_map = names::name_map(&model, &layout.usage);
        memory_map::add(&mut name_map, &model, &layout, &executables);
        fields::fill(&mut name_map, &self.executables()?);
        write(&names, name_map.to_json().as_bytes())?;
        let map = self.debug_map(&model, &layout, &name_map, &bytes);
        write(&debug_map, map.to_json().as_bytes())?;
        let mut report = Report::of(&model, &kernel, &layout);
        report.kernel_tables += records;
        Ok(Built {
            image,
            kernel: executable,
            processes,
            names,
            debug_map,
            map,
            identifiers: self.identifiers,
            name_map,
            report,
            emulator: board.emulator.clone(),
            remarks: Vec::new(),
        })
    }

    /// Tells editors how C sources are compiled, before that may fail. The file lies
    /// where they look for it in a project of one's own; of a system in the home of the
    /// kernel beside its image only.
    fn write_commands(&self) -> Result<(), Refusal> {
        let (file, target) = (&self.project.file, &self.project.board.target);
        let mut all = Vec::new();
        for section in &file.processes {
            if section.code.is_posix {
                let toolchain = &self.toolchain;
                let (cmake, package) = c::build_files(toolchain, file, section, target)?;
                let place = self.options.out_dir.join(section.name.get_ref());
                write(&place.with_extension("cmake"), cmake.as_bytes())?;
                write(&place.with_extension("pc"), package.as_bytes())?;
            }
            let folder = self.folder_of(section);
            all.extend(c::commands(
                &self.toolchain,
                file,
                section,
                target,
                &folder,
            )?);
        }
        if all.is_empty() {
            return Ok(());
        }
        let text = format!("{:#}\n", serde_json::Value::from(all));
        let home = file.relative("");
        let mut folders = vec![self.options.out_dir.as_path()];
        if is_elsewhere(&home, &self.options.root) {
            folders.push(&home);
        }
        let paths = folders.into_iter().map(|folder| folder.join(COMMANDS));
        paths
            .into_iter()
            .try_for_each(|path| write(&path, text.as_bytes()))
    }

    /// Where the objects of a process go.
    fn folder_of(&self, section: &ProcessSection) -> PathBuf {
        self.options.out_dir.join(section.name.get_ref())
    }

    /// The linked processes, with their debug information.
    fn executables(&self) -> Result<Vec<Vec<u8>>, Refusal> {
        let processes = self.project.file.processes.iter();
        let paths = processes.map(|section| self.executable(section));
        paths.map(|path| read(&path)).collect()
    }

    /// Where the executable of a process lies.
    fn executable(&self, section: &ProcessSection) -> PathBuf {
        let name = format!("{}.process.elf", section.name.get_ref());
        self.options.out_dir.join(name)
    }

    /// Compiles one process.
    fn parts(&self, section: &ProcessSection) -> Result<Parts, Refusal> {
        let target = &self.project.board.target;
        let package = match &section.code.package {
            Some(word) => {
                let (file, memory) = (&self.project.file, &self.toolchain.memory);
                let find = || package::find(file, word, &self.options.root);
                memory.package(&file.relative("."), word.get_ref(), find)?
            }
            None => Package::of_c(section.code.is_posix, &self.options.root),
        };
        let folder = self.folder_of(section);
        let file = &self.project.file;
        Ok(Parts {
            c: c::compile(&self.toolchain, file, section, target, &folder)?,
            archive: self.toolchain.process(&package, target)?,
        })
    }

    /// Links each process at its site.
    fn link(&self, parts: &[Parts], sites: &[Site]) -> Result<Vec<Executable>, Refusal> {
        let sections = self.project.file.processes.iter();
        let processes = (0u16..).zip(sections).zip(parts).zip(sites);
        let executables = processes.map(|(((index, section), parts), site)| {
            let output = self.executable(section);
            let filters = streams::called_by(&self.outline, index);
            link_process::link(&self.toolchain, section, &filters, parts, site, &output)?;
            Ok(Executable::read(section, &filters, &read(&output)?)?.in_words())
        });
        executables.collect()
    }

    /// Lays the system out and makes its records. Their size does not depend on the
    /// addresses in them, but on the sizes of processes, so they are made twice at
    /// least. Where processes lie, or with translation where one ends and the next begins,
    /// is where they are linked; so they are linked until all lie still.
    fn place(
        &self,
        model: &Model,
        mut executables: Vec<Executable>,
        mut sites: Vec<Site>,
        parts: &[Parts],
    ) -> Result<(Layout, Segment, Vec<Executable>), Refusal> {
        let mut size = records(model, &Placement::draft(model))?.len() as u32;
        let ram = describe::Memory::of(model, 0).bytes;
        for _ in 0..MOST_LINKS {
            check_inspection(&self.project.file, model, size)?;
            let layout = layout::lay_out(model, &executables, size, ram)?;
            let bytes = records(model, &layout.placement)?;
            if bytes.len() as u32 != size {
                size = bytes.len() as u32;
                continue;
            }
            if layout.sites == sites {
                let records = Segment::new(model.board.system, bytes);
                return Ok((layout, records, executables));
            }
            executables = self.link(parts, &layout.sites)?;
            sites = layout.sites;
        }
        let reason =
            format!("the processes' sizes change each of {MOST_LINKS} times they are linked");
        Err(Problem::new(reason, "take a board with page tables").into())
    }

    fn debug_map(&self, model: &Model, layout: &Layout, names: &NameMap, image: &[u8]) -> DebugMap {
        let board = &model.board;
        let end = board.memory_base + (board.memory_size - layout.free);
        let home = self.project.file.relative(".");
        DebugMap {
            sources: home.canonicalize().unwrap_or(home).display().to_string(),
            ..DebugMap::of(model, &layout.placement, names, image, end)
        }
    }

    fn image(&self, kernel: &Kernel, layout: &Layout, blob: Segment) -> Result<Vec<u8>, Refusal> {
        let mut segments = kernel.segments.clone();
        segments.push(blob);
        segments.extend(layout.segments.iter().cloned());
        // values of ports are zero at first
        segments.push(Segment {
            address: layout.placement.ram,
            bytes: Vec::new(),
            size: layout.placement.ram_size,
        });
        let is_64 = self.project.board.protection.word() == 8;
        elf::write(is_64, kernel.entry, &segments).map_err(|error| {
            Problem::new(
                format!("the image cannot be written: {error}"),
                "make the system smaller",
            )
            .into()
        })
    }
}

/// The records of a model at its places, as the kernel takes them over.
fn records(model: &Model, placement: &Placement) -> Result<Vec<u8>, Refusal> {
    let description = describe(model, placement)?;
    let (word, base) = (model.board.protection.word(), model.board.system);
    Ok(giornata_records::build(&description, word as usize, base.into()).bytes)
}

/// The reader of the trace says where the kernel finds its cursor.
fn check_cursor(
    file: &SystemFile,
    model: &Model,
    executables: &[Executable],
) -> Result<(), Refusal> {
    let readers = model.processes.iter().zip(executables).zip(&file.processes);
    let mut blind = readers
        .filter(|((process, executable), _)| process.reads_trace && executable.trace_cursor == 0);
    let Some((_, section)) = blind.next() else {
        return Ok(());
    };
    let reason = format!(
        "process `{}` reads the trace but has no cursor",
        section.name.get_ref()
    );
    let mend = "give its crate a `#[no_mangle] static GIORNATA_TRACE_CURSOR`, as giornata-trace-server has";
    Err(Problem::new(reason, mend)
        .at(&file.source, section.name.span())
        .into())
}

/// Records that a process inspects lie where they can be read and nothing else with them.
fn check_inspection(file: &SystemFile, model: &Model, records: u32) -> Result<(), Refusal> {
    let board = &model.board;
    let inspectors = model.processes.iter().zip(&file.processes);
    let inspector = inspectors.map(|(process, section)| process.inspects.then_some(section));
    match (
        inspector.flatten().next(),
        layout::record_room(board, records),
    ) {
        (Some(section), Err(alignment)) => Err(regions::misplaced(board, alignment)
            .at(&file.source, section.name.span())
            .into()),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    std::fs::read(path).map_err(|error| {
        Problem::new(
            format!("cannot read {}: {error}", path.display()),
            "build again",
        )
        .into()
    })
}

/// Writes a file, unless it has these bytes already: cargo looks at times. Whoever is
/// interrupted leaves the file as it was.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(".new");
    let written = std::fs::write(&fresh, bytes).and_then(|()| std::fs::rename(&fresh, path));
    written.map_err(|error| cannot_write(path, &error))
}

/// Writes identifiers to a file that is called after what they are: crates are compiled anew only
/// if it is another one, so the boards of a system share what the compiler makes of them.
fn by_content(target_folder: &Path, text: &str) -> Result<PathBuf, Refusal> {
    let folder = target_folder.join("identifiers");
    std::fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    let path = folder.join(format!("{}.rs", fingerprint(text.as_bytes())));
    write(&path, text.as_bytes())?;
    path.canonicalize().map_err(|e| cannot_write(&path, &e))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Refusal {
    Problem::new(
        format!("cannot write {}: {error}", path.display()),
        "make its folder one that can be written, or copy the system to such a one",
    )
    .into()
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;
