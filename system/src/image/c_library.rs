//! The C library of processes that are written after POSIX: picolibc, where the cross
//! compiler finds it.

use crate::problem::{Problem, Refusal};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How distributions call what makes their compilers use it.
const SPECS: &str = "--specs=picolibc.specs";
/// The archive of the library, with its mathematics.
const ARCHIVE: &str = "libc.a";
/// What the compiler calls besides, where the library does.
const SUPPORT: &str = "-print-libgcc-file-name";

/// The library for one instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CLibrary {
    /// Where its headers lie.
    pub(crate) headers: PathBuf,
    /// What processes are linked with.
    pub(crate) archives: Vec<PathBuf>,
}

/// Asks a compiler where the library is for a machine (`-march`, `-mabi`).
pub(crate) fn find(compiler: &OsString, machine: &[String; 2]) -> Result<CLibrary, Refusal> {
    let plan = ask(compiler, machine, &[SPECS, "-###", "-x", "c", "/dev/null"]);
    let support = ask(compiler, machine, &[SUPPORT]);
    let found = plan.as_deref().and_then(read);
    let (Some(mut library), Some(support)) = (found, support) else {
        let reason = format!(
            "{} has no C library picolibc for {}",
            compiler.display(),
            machine.join(" ")
        );
        let mend = "install it (Debian: picolibc-riscv64-unknown-elf)";
        return Err(Problem::new(reason, mend).into());
    };
    library.archives.push(PathBuf::from(support.trim()));
    Ok(library)
}

/// What a compiler says to these arguments.
fn ask(compiler: &OsString, machine: &[String; 2], arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(compiler);
    let output = command
        .args(machine)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = match output.stdout.is_empty() {
        true => output.stderr,
        false => output.stdout,
    };
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&said).into_owned())
}

/// The library in what a compiler says that it would run.
fn read(plan: &str) -> Option<CLibrary> {
    let words: Vec<&str> = plan.split_whitespace().map(unquoted).collect();
    let pairs = words.windows(2);
    let mut headers = pairs.filter_map(|pair| match *pair {
        ["-isystem", folder] => Some(Path::new(folder)),
        _ => None,
    });
    let folders = words.iter().filter_map(|word| word.strip_prefix("-L"));
    let mut archives = folders.map(|folder| Path::new(folder).join(ARCHIVE));
    Some(CLibrary {
        headers: headers.find(|folder| folder.is_dir())?.into(),
        archives: vec![archives.find(|archive| archive.is_file())?],
    })
}

fn unquoted(word: &str) -> &str {
    word.trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_where_the_compiler_says_if_it_is_there() {
        let home = std::env::temp_dir().join(format!("giornata-library-{}", std::process::id()));
        let (headers, archives) = (home.join("include"), home.join("lib/rv32im"));
        for folder in [&headers, &archives] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let plan = format!(
            "cc1 -isystem {} /dev/null\ncollect2 \"-plugin\" -L/nowhere -L{} -lc\n",
            headers.display(),
            archives.display()
        );
        assert_eq!(read(&plan), None);
        std::fs::write(archives.join(ARCHIVE), "").unwrap();
        let library = read(&plan).unwrap();
        assert_eq!(library.headers, headers);
        assert_eq!(library.archives, [archives.join(ARCHIVE)]);
        assert_eq!(read(""), None);
        std::fs::remove_dir_all(home).unwrap();
    }
}
