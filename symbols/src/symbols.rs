//! The executables of one system.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::{Backtrace, Executable, Frame, Memory, Registers};

/// The executables of a system's processes, each read when it is first asked for.
#[derive(Default)]
pub struct Symbols {
    processes: Vec<Process>,
    roots: Vec<PathBuf>,
}

struct Process {
    path: PathBuf,
    executable: OnceCell<Option<Executable>>,
}

impl Symbols {
    /// Those of processes whose executables lie there, in the order of the system's
    /// tables. `roots`: folders from which files of the source are named, the project's
    /// first.
    pub fn new(executables: impl IntoIterator<Item = PathBuf>, roots: &[&Path]) -> Symbols {
        let canonical = |root: &&Path| root.canonicalize().unwrap_or_else(|_| root.into());
        Symbols {
            processes: executables
                .into_iter()
                .map(|path| Process {
                    path,
                    executable: OnceCell::new(),
                })
                .collect(),
            roots: roots.iter().map(canonical).collect(),
        }
    }

    /// The executable of a process, if it can be read.
    pub fn of(&self, process: u16) -> Option<&Executable> {
        let process = self.processes.get(usize::from(process))?;
        let read = || Executable::read(&process.path, &self.roots).ok();
        process.executable.get_or_init(read).as_ref()
    }

    /// As [`Executable::frames`]; empty if the process is not known.
    pub fn frames(&self, process: u16, address: u64) -> Vec<Frame> {
        let executable = self.of(process);
        executable.map_or_else(Vec::new, |executable| executable.frames(address))
    }

    /// As [`Executable::backtrace`]; empty if the process is not known.
    pub fn backtrace(&self, process: u16, registers: Registers, memory: &Memory) -> Backtrace {
        let executable = self.of(process);
        executable.map_or_else(Backtrace::default, |executable| {
            executable.backtrace(registers, memory)
        })
    }

    /// The function that begins at an address: that of this name among those that the
    /// first instruction is of, or else the outermost. Its line is that of the
    /// instruction, so it is in the function, at its top.
    pub fn function(&self, process: u16, address: u64, name: &str) -> Option<Frame> {
        let name = name.rsplit(['/', ':']).next().unwrap_or(name);
        let mut frames = self.frames(process, address);
        let is_named = |frame: &Frame| frame.function.rsplit("::").next() == Some(name);
        match frames.iter().rposition(is_named) {
            Some(index) => Some(frames.swap_remove(index)),
            None => frames.pop(),
        }
    }
}
