//! Compiles the C and C++ sources of processes, with a cross compiler of the machine.

use crate::board::Protection;
use crate::config::{self, POSIX};
use crate::debug_map::fingerprint;
use crate::file::{ProcessSection, Spanned, SystemFile};
use crate::identifiers;
use crate::image::compile::Toolchain;
use crate::image::{c_library, cxx_library};
use crate::problem::{Findings, Problem, Refusal};
use crate::waiting;
use giornata_abi::{Error, posix};
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Cross compilers under the names that they have in distributions; the first that
/// is there is taken. All come with the headers of a freestanding implementation.
const COMPILERS: [&str; 3] = [
    "riscv64-unknown-elf-gcc",
    "riscv64-elf-gcc",
    "riscv64-linux-gnu-gcc",
];
/// Names another compiler.
const COMPILER_VARIABLE: &str = "GIORNATA_CC";
/// Where `<giornata.h>` lies in giornata's home.
pub const HEADERS: &str = "user/c/include";
/// What it declares that is written in C, beside the sources of each process.
pub const RUNTIME: &str = "user/c/runtime/log.c";
/// What compilers call for atomic objects that no instruction reaches.
const ATOMIC_RUNTIME: &str = "user/c/runtime/atomic.c";
/// What compilers call for programs in C++.
const CXX_RUNTIME: &str = "user/c/runtime/cxx.cpp";
/// What sources for cores without atomic instructions include first.
const WITHOUT_ATOMICS: &str = "user/c/include/gio_atomic.h";
/// What tests on the host are linked with instead of the kernel.
pub const HOST_RUNTIME: &str = "user/c/runtime/host.c";

/// How each source is compiled. `-Wdate-time`: an image does not depend on the day. `-g`:
/// debug information, of which the image has nothing. `-fstack-clash-protection`: what is
/// taken of a stack as it runs is touched piece by piece, so that no piece is beyond the
/// guard; what a function always takes the builder knows.
const FLAGS: [&str; 14] = [
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    "-Wdate-time",
    "-fno-pic",
    "-fno-common",
    "-fno-stack-protector",
    "-fstack-clash-protection",
    "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",
    "-fdata-sections",
    "-mcmodel=medany",
    "-c",
];
/// How large such pieces are: the logarithm follows.
const PIECES: &str = "--param=stack-clash-protection-probe-interval";
/// What the language of a source adds.
const C_FLAGS: [&str; 1] = ["-std=gnu17"];
/// Nothing unwinds a stack in a process, and types have no names there.
const CXX_FLAGS: [&str; 5] = [
    "-std=gnu++17",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-unwind-tables",
    "-fuse-cxa-atexit",
];
/// How names of sources in C++ end.
const CXX_ENDINGS: [&str; 3] = ["cpp", "cc", "cxx"];
/// What sources without a C library are compiled with besides.
const FREESTANDING: [&str; 2] = ["-ffreestanding", "-Werror"];
/// What those with one are: its functions are declared that POSIX has, and a thread-local
/// variable lies where the thread pointer leads. A program that was written elsewhere may be
/// warned of.
const HOSTED: [&str; 2] = ["-ftls-model=local-exec", "-D_DEFAULT_SOURCE"];
/// What they are told of a kernel that has what POSIX asks for: see `<sys/features.h>`.
const HAS_POSIX: &str = "-D__GIORNATA_PSE51=1";
/// What is written in C of what POSIX asks for, and whether it is the same for all processes:
/// the others are told of the threads of theirs.
const POSIX_RUNTIME: [(&str, bool); 14] = [
    ("user/posix/runtime/barrier.c", true),
    ("user/posix/runtime/c11.c", true),
    ("user/posix/runtime/extension.c", true),
    ("user/posix/runtime/frame.c", true),
    ("user/posix/runtime/library.c", true),
    ("user/posix/runtime/malloc.c", true),
    ("user/posix/runtime/mqueue.c", true),
    ("user/posix/runtime/printf.c", true),
    ("user/posix/runtime/rwlock.c", true),
    ("user/posix/runtime/scanf.c", true),
    ("user/posix/runtime/stream.c", true),
    ("user/posix/runtime/sync.c", false),
    ("user/posix/runtime/system.c", true),
    ("user/posix/runtime/thread.c", false),
];
/// The headers that the C library lacks, and those to which POSIX adds.
const POSIX_HEADERS: &str = "user/posix/include";
/// What a debug build adds: an overflow is a fault.
const CHECKS: [&str; 2] = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"];
/// Bytes of a piece of what is taken of a stack as it runs: the least that compilers know
/// where guards are memory, else a page.
pub(crate) fn probe_interval(protection: Protection) -> u32 {
    match protection {
        Protection::Pmp { .. } => 1 << 10,
        Protection::Sv39 | Protection::Sv32 => 1 << 12,
    }
}

/// What would change what a compiler finds or makes.
const AMBIENT: [&str; 6] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "DEPENDENCIES_OUTPUT",
];

/// What came of the C sources of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compiled {
    /// Objects in the order of the sources, and the runtime's.
    pub(crate) objects: Vec<PathBuf>,
    /// The archives of its C library, if it has one.
    pub(crate) library: Vec<PathBuf>,
}

/// Compiles the C sources of a process into `folder`. The compiler's messages go to standard
/// error.
pub(crate) fn compile(
    toolchain: &Toolchain,
    file: &SystemFile,
    section: &ProcessSection,
    target: &str,
    folder: &Path,
) -> Result<Compiled, Refusal> {
    let own = sources(file, section)?;
    if own.is_empty() {
        return Ok(Compiled::default());
    }
    let plan = Plan::of(toolchain, file, section, target)?;
    std::fs::create_dir_all(folder).map_err(|error| cannot_make(folder, &error))?;
    let mut objects = Vec::new();
    for (number, source) in own.iter().enumerate() {
        let object = object(folder, number, source);
        objects.push(match is_compiled(source) {
            true => source.clone(),
            false => {
                run(&plan.arguments(source, &object), source)?;
                object
            }
        });
    }
    // (what others have compiled may be of C++)
    let has_cxx = own.iter().any(|source| is_cxx(source))
        || own.iter().any(|source| is_compiled(source)) && cxx_library::has_compiler();
    let cxx = [(CXX_RUNTIME, true)].into_iter().filter(|_| has_cxx);
    let posix = POSIX_RUNTIME.into_iter().filter(|_| section.code.is_posix);
    let always = [(RUNTIME, true), (ATOMIC_RUNTIME, true)];
    for (source, is_shared) in always.into_iter().chain(cxx).chain(posix) {
        let source = toolchain.root.join(source);
        objects.push(match is_shared {
            true => plan.compile_shared(toolchain, &source)?,
            false => {
                let object = object(folder, objects.len(), &source);
                run(&plan.runtime_arguments(&source, &object), &source)?;
                object
            }
        });
    }
    Ok(Compiled {
        objects,
        library: plan.library,
    })
}

/// Whether a source is written in C++.
fn is_cxx(source: &Path) -> bool {
    let ending = source.extension().and_then(OsStr::to_str);
    ending.is_some_and(|ending| CXX_ENDINGS.contains(&ending))
}

fn cannot_make(folder: &Path, error: &std::io::Error) -> Refusal {
    let reason = format!("cannot make {}: {error}", folder.display());
    Problem::new(reason, "give an output folder that can be written").into()
}

/// How editors find out how each source of a process is compiled: an entry of a
/// compilation database for each (`compile_commands.json`, as clangd reads it).
pub(crate) fn commands(
    toolchain: &Toolchain,
    file: &SystemFile,
    section: &ProcessSection,
    target: &str,
    folder: &Path,
) -> Result<Vec<Value>, Refusal> {
    let sources = sources(file, section)?;
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let plan = Plan::of(toolchain, file, section, target)?;
    // (paths of a command are from the folder that it is called in on)
    let here = std::env::current_dir().unwrap_or_default();
    let sources = sources.iter().enumerate();
    let entries = sources.filter(|(_, source)| !is_compiled(source));
    let entries = entries.map(|(number, source)| {
        let arguments = plan.arguments(source, &object(folder, number, source));
        let compiler = first_compiler();
        let all = std::iter::once(&compiler).chain(&arguments);
        let all: Vec<_> = all.map(|argument| argument.to_string_lossy()).collect();
        json!({ "directory": here, "file": source, "arguments": all })
    });
    Ok(entries.collect())
}

/// What others have compiled, which is linked as it is.
fn is_compiled(source: &Path) -> bool {
    source
        .extension()
        .is_some_and(|ending| ending == "a" || ending == "o")
}

/// How a build of one's own compiles for a process: a toolchain file for CMake, and a file for
/// pkg-config. The compiler's flags are those of the process's own sources.
pub(crate) fn build_files(
    toolchain: &Toolchain,
    file: &SystemFile,
    section: &ProcessSection,
    target: &str,
) -> Result<(String, String), Refusal> {
    let plan = Plan::of(toolchain, file, section, target)?;
    let name = section.name.get_ref();
    let [flags, cxx_flags] = ["x.c", "x.cpp"].map(|source| {
        let flags = plan.flags(Path::new(source));
        let flags = flags.into_iter().filter(|flag| flag != "-c");
        let flags: Vec<String> = flags.map(|flag| shell_word(&flag)).collect();
        flags.join(" ")
    });
    let compiler = first_compiler().to_string_lossy().into_owned();
    let cxx_compiler = cxx_library::compiler().to_string_lossy().into_owned();
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let cmake = format!(
        "# For process `{name}`, written by the builder: -DCMAKE_TOOLCHAIN_FILE=THIS\n\
         set(CMAKE_SYSTEM_NAME Generic)\n\
         set(CMAKE_SYSTEM_PROCESSOR riscv)\n\
         set(CMAKE_C_COMPILER \"{}\")\n\
         set(CMAKE_CXX_COMPILER \"{}\")\n\
         set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n\
         set(CMAKE_C_FLAGS_INIT \"{}\")\n\
         set(CMAKE_CXX_FLAGS_INIT \"{}\")\n\
         set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)\n\
         set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)\n\
         set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)\n",
        quoted(&compiler),
        quoted(&cxx_compiler),
        quoted(&flags),
        quoted(&cxx_flags),
    );
    let package = format!(
        "cxxflags={cxx_flags}\n\n\
         Name: {name}\n\
         Description: What process `{name}` is compiled with, by {compiler}\n\
         Version: {}\n\
         Cflags: {flags}\n",
        env!("CARGO_PKG_VERSION"),
    );
    Ok((cmake, package))
}

/// A flag as a shell and pkg-config read it.
fn shell_word(flag: &OsStr) -> String {
    let mut word = String::new();
    for letter in flag.to_string_lossy().chars() {
        if matches!(
            letter,
            ' ' | '"' | '\'' | '\\' | '$' | '(' | ')' | '&' | ';' | '<' | '>' | '|'
        ) {
            word.push('\\');
        }
        word.push(letter);
    }
    word
}

/// What the runtime is told of the threads of a process: how many there can be, what is left
/// to those that it makes, and the slot and the priorities of those of the system file.
fn threads(file: &SystemFile, section: &ProcessSection) -> [String; 7] {
    let spare = section.services.spare_threads.as_ref();
    let stack = spare.and_then(|spare| spare.stack.as_ref());
    let stack = stack.unwrap_or(&section.stack).get_ref();
    let priorities = section.threads.iter().map(|t| t.priority.to_string());
    let priorities: Vec<String> = priorities.collect();
    let owner = section.name.get_ref();
    let first = section.threads.first();
    let first = first.map_or("0".into(), |thread| {
        identifiers::name("THREAD", &[owner, thread.name.get_ref()])
    });
    let waiting = waiting::count(file, section);
    let first_waiting = match waiting {
        0 => "0".into(),
        _ => identifiers::name("WAITING", &[owner]),
    };
    [
        format!("-DGIORNATA_PLACES={}", waiting::places(section)),
        format!("-DGIORNATA_WAITING={waiting}"),
        format!("-DGIORNATA_FIRST_WAITING={first_waiting}"),
        format!("-DGIORNATA_STACK={stack}"),
        format!("-DGIORNATA_MAX_PRIORITY={}", section.max_priority),
        format!("-DGIORNATA_PRIORITIES={}", priorities.join(",")),
        format!("-DGIORNATA_FIRST_THREAD={first}"),
    ]
}

/// What the runtime is told of the calls of the kernel.
fn calls() -> [String; 3] {
    [
        format!("-DGIORNATA_POSIX_CALL={}", posix::CALL),
        format!("-DGIORNATA_GO_BACK={}", posix::Operation::GoBack as u8),
        format!("-DGIORNATA_INTERRUPTED={}", Error::EINTR as u8),
    ]
}

fn object(folder: &Path, number: usize, source: &Path) -> PathBuf {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    folder.join(format!("{number}-{stem}.o"))
}

/// What all sources of a process are compiled with.
struct Plan {
    /// Those of the runtime that know nothing of the process.
    shared: Vec<OsString>,
    /// What the others are compiled with besides.
    own: Vec<OsString>,
    /// And what the process's own sources are, as its section says.
    asked: Vec<OsString>,
    /// Where headers of the C++ library lie, which stand before those of the C library.
    cxx_headers: Vec<OsString>,
    /// The archives of the C library, if they are compiled for one.
    library: Vec<PathBuf>,
}

impl Plan {
    fn of(
        toolchain: &Toolchain,
        file: &SystemFile,
        section: &ProcessSection,
        target: &str,
    ) -> Result<Plan, Refusal> {
        let mut shared: Vec<OsString> = FLAGS.map(OsString::from).into();
        let machine = machine(target)?;
        shared.extend(machine.iter().map(OsString::from));
        let piece = toolchain.probe_interval.max(1).ilog2();
        shared.push(format!("{PIECES}={piece}").into());
        if !has_atomics(target) {
            shared.extend([
                "-include".into(),
                toolchain.root.join(WITHOUT_ATOMICS).into(),
            ]);
        }
        let mut own = Vec::new();
        let mut archives = Vec::new();
        if section.code.is_posix {
            let library = c_library::find(&first_compiler(), &machine)?;
            shared.extend(HOSTED.map(OsString::from));
            if config::has(file.kernel.config.get_ref(), POSIX) {
                shared.push(HAS_POSIX.into());
            }
            shared.extend(calls().map(OsString::from));
            own.extend(threads(file, section).map(OsString::from));
            for headers in [toolchain.root.join(POSIX_HEADERS), library.headers] {
                shared.extend(["-isystem".into(), headers.into()]);
            }
            archives = library.archives;
        } else {
            shared.extend(FREESTANDING.map(OsString::from));
        }
        if toolchain.debug {
            shared.extend(CHECKS.map(OsString::from));
        }
        shared.push(joined("-I", &toolchain.root.join(HEADERS)));
        own.push(prefix_map(&file.relative("")));
        own.push(joined("-I", &toolchain.headers));
        Ok(Plan {
            shared,
            own,
            asked: asked(file, section)?,
            cxx_headers: cxx_library::headers(&toolchain.root),
            library: archives,
        })
    }

    /// What the language of a source adds, before all else.
    fn of_language(&self, source: &Path) -> Vec<OsString> {
        match is_cxx(source) {
            false => C_FLAGS.map(OsString::from).into(),
            true => {
                let flags = CXX_FLAGS.map(OsString::from).into_iter();
                flags.chain(self.cxx_headers.iter().cloned()).collect()
            }
        }
    }

    /// The object of a source that is compiled for all processes alike: once for all builds that
    /// share a memory.
    fn compile_shared(&self, toolchain: &Toolchain, source: &Path) -> Result<PathBuf, Refusal> {
        let mut all = self.of_language(source);
        all.extend(self.shared.iter().cloned());
        let arguments = all.join(OsStr::new("\n"));
        let name = fingerprint(arguments.as_encoded_bytes());
        let folder = toolchain.target_dir.join("c-runtime").join(name);
        let object = folder
            .join(source.file_name().unwrap_or_default())
            .with_extension("o");
        let what = object.to_string_lossy().into_owned();
        toolchain.memory.recall(&what, || {
            std::fs::create_dir_all(&folder).map_err(|error| cannot_make(&folder, &error))?;
            all.extend(["-o".into(), object.clone().into(), source.into()]);
            run(&all, source)?;
            Ok(object)
        })
    }

    /// What a source of the process is compiled with. A language standard concerns the
    /// sources of its language.
    fn flags(&self, source: &Path) -> Vec<OsString> {
        let of_other = |flag: &OsString| {
            let flag = flag.to_string_lossy();
            flag.strip_prefix("-std=")
                .is_some_and(|standard| standard.contains("++") != is_cxx(source))
        };
        let mut flags = self.runtime_flags(source);
        flags.extend(self.asked.iter().filter(|flag| !of_other(flag)).cloned());
        flags
    }

    fn runtime_flags(&self, source: &Path) -> Vec<OsString> {
        let mut flags = self.of_language(source);
        flags.extend(self.shared.iter().chain(&self.own).cloned());
        flags
    }

    fn arguments(&self, source: &Path, object: &Path) -> Vec<OsString> {
        let mut all = self.flags(source);
        all.extend(["-o".into(), object.into(), source.into()]);
        all
    }

    /// Of a source of the runtime that is told of the process.
    fn runtime_arguments(&self, source: &Path, object: &Path) -> Vec<OsString> {
        let mut all = self.runtime_flags(source);
        all.extend(["-o".into(), object.into(), source.into()]);
        all
    }
}

/// Folders, macros and flags that the section of a process lists.
fn asked(file: &SystemFile, section: &ProcessSection) -> Result<Vec<OsString>, Refusal> {
    let mut findings = Findings::about(&file.path, file.source.text());
    let options = &section.code.options;
    let mut all = Vec::new();
    for entry in &options.include {
        let folder = file.relative(entry.get_ref());
        if !folder.is_dir() {
            let reason = format!("there is no folder {}", folder.display());
            let mend = "give folders of headers by their path from the system file: \"include\"";
            findings.refuse(entry.span(), reason, mend);
        }
        all.push(joined("-I", &folder));
    }
    let macros = options.define.iter();
    all.extend(macros.map(|entry| format!("-D{}", entry.get_ref()).into()));
    all.extend(options.flags.iter().map(|entry| entry.get_ref().into()));
    findings.conclude(all)
}

/// The sources of a process, each once: files as they are listed, what fits a
/// pattern by its name.
fn sources(file: &SystemFile, section: &ProcessSection) -> Result<Vec<PathBuf>, Refusal> {
    let mut findings = Findings::about(&file.path, file.source.text());
    let mut all: Vec<PathBuf> = Vec::new();
    for entry in &section.code.c {
        match matching(file, entry) {
            Ok(found) => all.extend(found),
            Err((reason, mend)) => findings.refuse(entry.span(), reason, mend),
        }
    }
    let mut once: Vec<PathBuf> = Vec::new();
    for source in all {
        if !once.contains(&source) {
            once.push(source);
        }
    }
    findings.conclude(once)
}

/// The files that one entry means; else why none, and what to do.
fn matching(
    file: &SystemFile,
    entry: &Spanned<String>,
) -> Result<Vec<PathBuf>, (String, &'static str)> {
    let mend = "give C sources by their path from the system file: \"src/main.c\", \"src/*.c\"";
    let path = file.relative(entry.get_ref());
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some((front, back)) = name.split_once('*') else {
        return match path.is_file() {
            true => Ok(vec![path]),
            false => Err((format!("there is no file {}", path.display()), mend)),
        };
    };
    let listed = std::fs::read_dir(match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    });
    let listed =
        listed.map_err(|error| (format!("cannot read {}: {error}", folder.display()), mend))?;
    let names = listed.flatten().map(|entry| entry.file_name());
    let fits = |name: &OsString| {
        let name = name.to_string_lossy();
        name.strip_prefix(front)
            .is_some_and(|rest| rest.ends_with(back))
    };
    let mut found: Vec<PathBuf> = names.filter(fits).map(|name| folder.join(name)).collect();
    found.sort();
    match found.is_empty() {
        true => Err((format!("no file fits {}", path.display()), mend)),
        false => Ok(found),
    }
}

/// What tells the compiler the instruction set and the calling convention of a
/// target of Rust.
fn machine(target: &str) -> Result<[String; 2], Refusal> {
    let set = target.split('-').next().unwrap_or_default();
    let parts = set
        .strip_prefix("riscv")
        .and_then(|set| Some((set.get(..2)?, set.get(2..)?)));
    let Some((width @ ("32" | "64"), extensions)) = parts else {
        let reason = format!("there is no C compiler for {target}");
        return Err(
            Problem::new(reason, "take a RISC-V board, or write the process in Rust").into(),
        );
    };
    let convention = if width == "64" { "lp64" } else { "ilp32" };
    // G: the general set, with double precision
    let floating = if extensions.contains(['g', 'd']) {
        "d"
    } else {
        ""
    };
    Ok([
        format!("-march=rv{width}{extensions}"),
        format!("-mabi={convention}{floating}"),
    ])
}

/// Whether a target of Rust has atomic instructions.
fn has_atomics(target: &str) -> bool {
    let set = target.split('-').next().unwrap_or_default();
    let extensions = set.get("riscv32".len()..).unwrap_or_default();
    extensions.contains(['a', 'g'])
}

/// `__FILE__` is the path from the system file, wherever that lies. (What debuggers are told
/// is the whole path: it is in no image.)
fn prefix_map(home: &Path) -> OsString {
    let mut argument = joined("-fmacro-prefix-map=", home);
    argument.push("=");
    argument
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(path);
    argument
}

/// The compilers that are tried.
fn compilers() -> Vec<OsString> {
    match std::env::var_os(COMPILER_VARIABLE) {
        Some(chosen) => vec![chosen],
        None => COMPILERS.map(OsString::from).into(),
    }
}

/// The one that would be run; one that is not there if none is.
pub(super) fn first_compiler() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let is_there = |name: &&OsString| folders.iter().any(|folder| folder.join(name).is_file());
    let all = compilers();
    let found = all.iter().find(is_there).or(all.first());
    found.cloned().unwrap_or_default()
}

/// Runs the first compiler that is there.
fn run(arguments: &[OsString], source: &Path) -> Result<(), Refusal> {
    let compilers = compilers();
    for compiler in &compilers {
        let mut command = Command::new(compiler);
        for variable in AMBIENT {
            command.env_remove(variable);
        }
        if is_cxx(source) && !cxx_library::has_compiler() {
            return Err(cxx_library::missing().into());
        }
        match command.args(arguments).stdin(Stdio::null()).status() {
            Ok(status) if status.success() => return Ok(()),
            Ok(_) => {
                let reason = format!("{} does not compile", source.display());
                return Err(Problem::new(reason, mend_of(source)).into());
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                let reason = format!("cannot run {}: {error}", compiler.to_string_lossy());
                let mend = format!("name a GCC for RISC-V in {COMPILER_VARIABLE}");
                return Err(Problem::new(reason, mend).into());
            }
        }
    }
    let names: Vec<_> = compilers.iter().map(|c| c.to_string_lossy()).collect();
    let reason = format!(
        "there is no C compiler for RISC-V: no {}",
        names.join(", no ")
    );
    let mend = format!(
        "install one (Debian: gcc-riscv64-unknown-elf), or name a GCC for RISC-V in {COMPILER_VARIABLE}"
    );
    Err(Problem::new(reason, mend).into())
}

/// What to do about a source that does not compile.
fn mend_of(source: &Path) -> String {
    let above = "see the compiler's messages above";
    match is_cxx(source).then(cxx_library::missing_headers).flatten() {
        Some(package) => format!("{above}; for headers of the C++ library {package}"),
        None => above.into(),
    }
}

#[cfg(test)]
#[path = "c_tests.rs"]
mod tests;
