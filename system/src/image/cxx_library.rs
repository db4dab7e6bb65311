//! What processes in C++ need of the machine: the compiler's C++ half, and the headers of the
//! C++ library that need none of its code.
//!
//! Cross compilers for bare RISC-V often come without that library. Its headers are the same
//! for all machines, so those of the machine's own compiler do, if that is of the same major
//! version: what of them is written for a system is replaced by `user/c/include/c++`.

use crate::image::c::first_compiler;
use crate::problem::Problem;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What takes the place of headers of the library that are written for a system.
const REPLACED: &str = "user/c/include/c++";
/// Compilers of the machine itself.
const NATIVE: [&str; 2] = ["g++", "c++"];
/// The part of the compiler that reads C++.
const PART: &str = "cc1plus";

/// Whether the compiler of C reads C++ too.
pub(super) fn has_compiler() -> bool {
    let found = ask(&first_compiler(), &[&format!("-print-prog-name={PART}")]);
    // (a name without a folder: there is none)
    found.is_some_and(|found| Path::new(found.trim()).is_file())
}

/// There is no compiler.
pub(super) fn missing() -> Problem {
    let compiler = first_compiler();
    Problem::new(
        format!("{} does not compile C++", compiler.display()),
        "install its C++ half (Debian: gcc-riscv64-unknown-elf has it; Fedora: gcc-c++-riscv64-linux-gnu)",
    )
}

/// The compiler by its name for C++, if it has one, else that of C, which reads both.
pub(super) fn compiler() -> OsString {
    let c = first_compiler();
    let name = c.to_string_lossy();
    let Some(front) = name.strip_suffix("gcc") else {
        return c;
    };
    let cxx = OsString::from(format!("{front}g++"));
    match ask(&cxx, &["-dumpversion"]) {
        Some(_) => cxx,
        None => c,
    }
}

/// The arguments by which sources in C++ find headers of the library, none if there is none
/// that fits; in this order, before those of the C library.
pub(super) fn headers(root: &Path) -> Vec<OsString> {
    let Some(folders) = folders() else {
        return Vec::new();
    };
    let all = std::iter::once(root.join(REPLACED)).chain(folders);
    all.flat_map(|folder| ["-isystem".into(), folder.into()])
        .collect()
}

/// What to install, if headers of the library are missing.
pub(super) fn missing_headers() -> Option<String> {
    match folders() {
        Some(_) => None,
        None => {
            let major = major(&first_compiler()).unwrap_or_default();
            Some(format!(
                "install libstdc++ {major} (Debian: libstdc++-{major}-dev)"
            ))
        }
    }
}

/// Found once: the compiler stays the same.
fn folders() -> Option<Vec<PathBuf>> {
    static FOLDERS: OnceLock<Option<Vec<PathBuf>>> = OnceLock::new();
    FOLDERS.get_or_init(find).clone()
}

fn find() -> Option<Vec<PathBuf>> {
    let cross = first_compiler();
    let own = read(&plan(&cross)?);
    if !own.is_empty() {
        return Some(own);
    }
    let version = major(&cross)?;
    let native = NATIVE.map(OsString::from).into_iter();
    let mut fitting = native.filter(|native| major(native).as_ref() == Some(&version));
    fitting.find_map(|native| Some(read(&plan(&native)?)).filter(|found| !found.is_empty()))
}

/// The folders of the library among those where a compiler looks for headers.
fn read(plan: &str) -> Vec<PathBuf> {
    let lines = plan.lines().map(str::trim);
    let folders = lines.filter(|line| line.contains("/c++/") && Path::new(line).is_dir());
    let folders = folders.filter(|folder| !folder.ends_with("/backward"));
    folders
        .filter_map(|line| Path::new(line).canonicalize().ok())
        .collect()
}

/// What a compiler says of where it looks for headers of C++.
fn plan(compiler: &OsStr) -> Option<String> {
    ask(compiler, &["-E", "-v", "-x", "c++", "/dev/null"])
}

fn major(compiler: &OsStr) -> Option<String> {
    let version = ask(compiler, &["-dumpversion"])?;
    version.trim().split('.').next().map(str::to_string)
}

/// All that a compiler says to these arguments.
fn ask(compiler: &OsStr, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(compiler);
    let output = command.args(arguments).stdin(Stdio::null()).output().ok()?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    output.status.success().then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_library_are_those_that_are_there_and_not_outdated() {
        let home = std::env::temp_dir().join(format!("giornata-cxx-{}", std::process::id()));
        let folder = home.join("c++/12");
        std::fs::create_dir_all(folder.join("backward")).unwrap();
        let plan = format!(
            "#include <...> search starts here:\n {0}\n {0}/backward\n /nowhere/c++/12\n /usr/include\n",
            folder.display()
        );
        assert_eq!(read(&plan), [folder.canonicalize().unwrap()]);
        assert!(read("").is_empty());
        std::fs::remove_dir_all(home).unwrap();
    }
}
