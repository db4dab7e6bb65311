//! What functions of the kernel cost: cycles of instructions that come from
//! them, wherever the compiler has put these.

use std::collections::BTreeMap;
use std::path::Path;

use addr2line::Loader;
use anyhow::{Result, anyhow};
use giornata_soc::Executed;

use super::span::Span;

/// Functions of the kernel, by parts of their names or of their files'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) struct Functions {
    /// Paths of modules or of files; all their functions are meant.
    pub(in crate::bench) modules: &'static [&'static str],
    /// Functions of them that are not meant, nor what they consist of.
    pub(in crate::bench) except: &'static [&'static str],
}

/// A function that an instruction is part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::bench) struct Frame {
    /// Its name; empty if it has none.
    pub(in crate::bench) function: String,
    /// Its file: what is generic has no module in its name.
    pub(in crate::bench) file: String,
}

/// The lines of a kernel.
pub(in crate::bench) struct Lines {
    symbols: Loader,
}

impl Lines {
    /// Reads them.
    pub(in crate::bench) fn of(kernel: &Path) -> Result<Lines> {
        let symbols =
            Loader::new(kernel).map_err(|error| anyhow!("{}: {error}", kernel.display()))?;
        Ok(Lines { symbols })
    }

    /// The functions that an instruction is part of, inlined into each other, the innermost
    /// first.
    pub(in crate::bench) fn frames(&self, pc: u32) -> Result<Vec<Frame>> {
        let refuse = |error| anyhow!("the kernel's lines at {pc:#x}: {error}");
        let mut found = self.symbols.find_frames(u64::from(pc)).map_err(refuse)?;
        let mut frames = Vec::new();
        while let Some(frame) = found.next().map_err(|error| refuse(error.into()))? {
            let function = match frame.function {
                Some(name) => name.demangle()?.into_owned(),
                None => String::new(),
            };
            let file = frame.location.and_then(|place| place.file);
            frames.push(Frame {
                function,
                file: file.unwrap_or_default().into(),
            });
        }
        Ok(frames)
    }
}

/// Tells which instructions of a kernel come from some functions.
pub(in crate::bench) struct Origins {
    lines: Lines,
    functions: Functions,
    known: BTreeMap<u32, bool>,
}

impl Origins {
    /// Reads the lines of a kernel.
    pub(in crate::bench) fn of(kernel: &Path, functions: Functions) -> Result<Origins> {
        Ok(Origins {
            lines: Lines::of(kernel)?,
            functions,
            known: BTreeMap::new(),
        })
    }

    /// Cycles and instructions of the functions between two cycles.
    pub(in crate::bench) fn cost(
        &mut self,
        executed: &[Executed],
        (from, to): (u64, u64),
    ) -> Result<Span> {
        let (from, to) = (from as u32, to as u32);
        let first = executed.partition_point(|one| one.cycle <= from);
        let mut cost = Span {
            cycles: 0,
            instructions: 0,
        };
        let mut before = from;
        for one in executed[first..].iter().take_while(|one| one.cycle < to) {
            if self.is_meant(one.pc)? {
                cost.cycles += u64::from(one.cycle - before);
                cost.instructions += 1;
            }
            before = one.cycle;
        }
        Ok(cost)
    }

    fn is_meant(&mut self, pc: u32) -> Result<bool> {
        if let Some(known) = self.known.get(&pc) {
            return Ok(*known);
        }
        let frames = self.lines.frames(pc)?;
        let has = |parts: &[&str]| {
            let has = |name: &str| parts.iter().any(|part| name.contains(part));
            let is_part = |frame: &Frame| has(&frame.function) || has(&frame.file);
            frames.iter().any(is_part)
        };
        let meant = has(self.functions.modules) && !has(self.functions.except);
        self.known.insert(pc, meant);
        Ok(meant)
    }
}
